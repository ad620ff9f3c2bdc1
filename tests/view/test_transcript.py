"""The lines of an entry in a transcript."""

from __future__ import annotations

import time

import pytest

from app.view.cells import width
from app.view.line import highlight_line
from app.view.transcript import MOST_TEXT, find_words, turn
from tests.factory import entry, message


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def lines(raw, cells=60, words=(), *, has_match=False):
    return [line.text for line in turn(raw, raw.get("id"), 0, cells, words, has_match=has_match).lines]


def styles(raw, cells=60):
    return [line.style for line in turn(raw, raw.get("id"), 0, cells).lines]


def blocks(role, *content, **more):
    raw = message("a", None, role, "")
    raw["message"]["content"] = list(content)
    raw["message"].update(more)
    return raw


def text(content_text):
    return {"type": "text", "text": content_text}


def call(name, **arguments):
    return {"type": "toolCall", "id": "1", "name": name, "arguments": arguments}


def test_a_prompt_has_a_head_with_its_time():
    assert lines(message("a", None, "user", "fix it\nnow", 5)) == [
        "",
        "user · 2026-05-01 10:05",
        "fix it",
        "now",
    ]


def test_an_answer_thinks_speaks_and_calls_in_its_order():
    raw = blocks(
        "assistant",
        {"type": "thinking", "thinking": "let me see"},
        text("# Reading\n`code`"),
        call("read", path="src/auth.py", offset=1, limit=80),
        call("bash", command="make\n  all"),
    )
    assert lines(raw)[2:] == [
        "let me see",
        "# Reading",
        "`code`",
        "[read: src/auth.py:1-80]",
        "[bash: make all]",
    ]
    assert styles(raw)[2:] == ["thinking", "heading", "text", "call", "call"]


def test_an_answer_that_only_calls_needs_no_head():
    assert lines(blocks("assistant", call("ls", path="."), stopReason="toolUse")) == ["[ls: .]"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"stopReason": "aborted"}, "(aborted)"),
        ({"stopReason": "error", "errorMessage": "overloaded"}, "overloaded"),
    ],
)
def test_an_answer_has_the_reason_of_its_end(more, reason):
    shown = lines(blocks("assistant", **more))
    assert shown[1].startswith("assistant")
    assert shown[2:] == [reason]


def test_a_result_has_its_first_lines_and_a_count_of_the_others():
    raw = message("a", None, "toolResult", "\n".join(f"line {n}" for n in range(20)), toolName="bash")
    assert lines(raw) == ["└ line 0", "  line 1", "  line 2", "  line 3", "  … 16 lines more"]
    assert lines(message("a", None, "toolResult", "one\ntwo\n", toolName="bash")) == ["└ one", "  two"]


def test_a_result_of_one_long_line():
    shown_lines = lines(message("a", None, "toolResult", "x" * 100_000, toolName="bash"))
    assert len(shown_lines) < 12
    assert shown_lines[-1] == "  … 99,600 characters more"


def test_a_failed_result_is_an_error():
    raw = message("a", None, "toolResult", "no such file", toolName="read", isError=True)
    assert styles(raw) == ["error"]


def test_commands_of_the_user():
    raw = message("a", None, "bashExecution", "", command="ls", output="a\nb", exitCode=1)
    assert lines(raw) == ["", "$ ls", "  a", "  b"]


def test_summaries_have_a_title():
    raw = entry("compaction", "a", None, summary="so far so good", tokensBefore=45_000)
    assert lines(raw) == ["", "── compaction of 45k tokens ──", "so far so good"]
    assert lines(entry("branch_summary", "a", None, summary="it failed"))[1:] == [
        "── summary of another branch ──",
        "it failed",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        entry("model_change", "a", None, modelId="x", provider="y"),
        entry("label", "a", None, targetId="b", label="c"),
        entry("custom", "a", None, customType="x", data={"a": 1}),
        {"type": "message", "id": "a"},
        {"type": "message", "id": "a", "message": "no object"},
        {"id": "a"},
    ],
)
def test_bookkeeping_entries_have_no_lines(raw):
    assert lines(raw) == []


def test_a_bookkeeping_entry_with_a_match_has_lines():
    raw = entry("custom", "a", None, customType="x", data={"a": "needle"})
    shown_turn = turn(raw, "a", 0, 60, ("needle",), has_match=True)
    assert "needle" in shown_turn.lines[shown_turn.found].text


def test_thoughts_and_calls_show_their_matches():
    thought = "\n".join(f"thought {n}" for n in range(500)) + "\nneedle"
    raw = blocks(
        "assistant", {"type": "thinking", "thinking": thought}, call("write", path="a", content="x\nhay\n")
    )
    assert not any("needle" in line for line in lines(raw))
    shown_turn = turn(raw, "a", 0, 60, ("needle",), has_match=True)
    assert shown_turn.lines[shown_turn.found].text == "needle"
    shown_turn = turn(raw, "a", 0, 60, ("hay",), has_match=True)
    assert "hay" in shown_turn.lines[shown_turn.found].text


def test_a_huge_text_has_both_ends_and_the_match():
    content_text = "first\n" + "word " * 2_000_000 + "\nneedle\n" + "word " * 100_000 + "\nlast"
    raw = message("a", None, "user", content_text)
    shown_lines = lines(raw, 80)
    assert shown_lines[2] == "first"
    assert shown_lines[-1] == "last"
    assert sum(map(len, shown_lines)) < 2 * MOST_TEXT
    assert any(line.endswith(("characters more", "lines more")) for line in shown_lines)
    assert "needle" not in shown_lines
    shown_turn = turn(raw, "a", 0, 80, ("needle",), has_match=True)
    assert shown_turn.lines[shown_turn.found].text == "needle"
    assert len(shown_turn.lines) < 2_000


@pytest.mark.parametrize("cells", [8, 9, 20, 61])
def test_no_line_is_wider_than_the_width(cells):
    hostile = "日本語 " * 200 + "👩‍👩‍👧 " * 20 + "\x1b[31m" + "x" * 300 + "\ttab \u202e"
    for raw in (
        message("a", None, "user", hostile),
        message("a", None, "toolResult", hostile, toolName=hostile),
        blocks("assistant", {"type": "thinking", "thinking": hostile}, call(hostile, **{hostile: hostile})),
        entry("custom_message", "a", None, customType=hostile, content=hostile),
        entry("branch_summary", "a", None, summary=hostile),
        message("a", None, hostile, hostile),
        message("a", None, "bashExecution", "", command=hostile, output=hostile * 10),
    ):
        for line in lines(raw, cells, ("日本語",), has_match=True):
            assert width(line) <= cells
            assert line.isprintable()
            assert "\u202e" not in line


@pytest.mark.parametrize("content", [None, 5, [], ["text", 3, None, {}], {"a": 1}, [{"type": "toolCall"}]])
@pytest.mark.parametrize("role", ["user", "assistant", "toolResult", "custom", None, 7])
def test_malformed_messages_raise_no_error(role, content):
    raw = {"type": "message", "id": "a", "timestamp": [], "message": {"role": role, "content": content}}
    turn(raw, "a", 0, 60, ("x",), has_match=True)


def test_find_words_looks_for_the_longest_word():
    content_text = "the cat, the dog, the needle"
    assert find_words(content_text, ("the", "needle")) == content_text.index("needle")
    assert find_words(content_text, ("absent", "the")) == 0
    assert find_words(content_text, ()) == -1
    far = "İ" * 70_000 + " needle"
    assert far[find_words(far, ("needle",)) :][:200].strip().startswith("needle")


def test_highlights_span_pieces_of_different_styles():
    line = [("say ", "text"), ("**man ", "bold"), ("page**", "code")]
    assert highlight_line(line, ("man page",)) == [
        ("say ", "text"),
        ("**", "bold"),
        ("man ", "match"),
        ("page", "match"),
        ("**", "code"),
    ]
    assert highlight_line(line, ("absent",)) == line


@pytest.mark.parametrize(("lines_given", "shown"), [(4, 4), (5, 5), (6, 5)])
def test_a_short_rest_is_shown_and_not_counted(lines_given, shown):
    raw = message("a", None, "toolResult", "\n".join("x" * lines_given), toolName="bash")
    shown_lines = lines(raw)
    assert len(shown_lines) == shown
    assert shown_lines[-1].endswith("more") == (lines_given == 6)
    assert not any(
        "more" in line for line in lines(blocks("assistant", {"type": "thinking", "thinking": "x" * 700}))
    )
