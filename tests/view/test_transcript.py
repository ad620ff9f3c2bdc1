"""What an entry says in a transcript, line by line."""

from __future__ import annotations

import time

import pytest

from app.view.cells import width
from app.view.find import place_of
from app.view.highlight import highlight_line
from app.view.transcript import turn
from app.view.turn_lines import MOST_TEXT
from tests.factory import entry, message


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def lines(raw, cells=60, words=(), *, asked=False):
    return [line.text for line in turn(raw, raw.get("id"), 0, cells, words, asked=asked).lines]


def styles(raw, cells=60):
    return [line.style for line in turn(raw, raw.get("id"), 0, cells).lines]


def blocks(role, *content, **more):
    raw = message("a", None, role, "")
    raw["message"]["content"] = list(content)
    raw["message"].update(more)
    return raw


def text(said):
    return {"type": "text", "text": said}


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
    ("more", "said"),
    [
        ({"stopReason": "aborted"}, "(aborted)"),
        ({"stopReason": "error", "errorMessage": "overloaded"}, "overloaded"),
    ],
)
def test_why_an_answer_ended(more, said):
    found = lines(blocks("assistant", **more))
    assert found[1].startswith("assistant")
    assert found[2:] == [said]


def test_of_a_result_the_first_lines_and_how_many_more():
    raw = message("a", None, "toolResult", "\n".join(f"line {n}" for n in range(20)), toolName="bash")
    assert lines(raw) == ["└ line 0", "  line 1", "  line 2", "  line 3", "  … 16 lines more"]
    assert lines(message("a", None, "toolResult", "one\ntwo\n", toolName="bash")) == ["└ one", "  two"]


def test_a_result_of_one_long_line():
    found = lines(message("a", None, "toolResult", "x" * 100_000, toolName="bash"))
    assert len(found) < 12
    assert found[-1] == "  … 99,600 characters more"


def test_a_failed_result_is_an_error():
    raw = message("a", None, "toolResult", "no such file", toolName="read", isError=True)
    assert styles(raw) == ["error"]


def test_commands_of_the_user():
    raw = message("a", None, "bashExecution", "", command="ls", output="a\nb", exitCode=1)
    assert lines(raw) == ["", "$ ls", "  a", "  b"]


def test_summaries_are_told_as_such():
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
def test_bookkeeping_says_nothing(raw):
    assert lines(raw) == []


def test_bookkeeping_in_which_something_was_found_does():
    raw = entry("custom", "a", None, customType="x", data={"a": "needle"})
    made = turn(raw, "a", 0, 60, ("needle",), asked=True)
    assert "needle" in made.lines[made.found].text


def test_thoughts_and_calls_show_what_was_found_in_them():
    thought = "\n".join(f"thought {n}" for n in range(500)) + "\nneedle"
    raw = blocks(
        "assistant", {"type": "thinking", "thinking": thought}, call("write", path="a", content="x\nhay\n")
    )
    assert not any("needle" in line for line in lines(raw))
    made = turn(raw, "a", 0, 60, ("needle",), asked=True)
    assert made.lines[made.found].text == "needle"
    made = turn(raw, "a", 0, 60, ("hay",), asked=True)
    assert "hay" in made.lines[made.found].text


def test_of_a_huge_text_both_ends_and_what_was_found():
    said = "first\n" + "word " * 2_000_000 + "\nneedle\n" + "word " * 100_000 + "\nlast"
    raw = message("a", None, "user", said)
    found = lines(raw, 80)
    assert found[2] == "first"
    assert found[-1] == "last"
    assert sum(map(len, found)) < 2 * MOST_TEXT
    assert any(line.endswith(("characters more", "lines more")) for line in found)
    assert "needle" not in found
    made = turn(raw, "a", 0, 80, ("needle",), asked=True)
    assert made.lines[made.found].text == "needle"
    assert len(made.lines) < 2_000


@pytest.mark.parametrize("cells", [8, 9, 20, 61])
def test_no_line_is_wider_than_asked(cells):
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
        for line in lines(raw, cells, ("日本語",), asked=True):
            assert width(line) <= cells
            assert line.isprintable()
            assert "\u202e" not in line


@pytest.mark.parametrize("content", [None, 5, [], ["text", 3, None, {}], {"a": 1}, [{"type": "toolCall"}]])
@pytest.mark.parametrize("role", ["user", "assistant", "toolResult", "custom", None, 7])
def test_whatever_a_message_holds_nothing_breaks(role, content):
    raw = {"type": "message", "id": "a", "timestamp": [], "message": {"role": role, "content": content}}
    turn(raw, "a", 0, 60, ("x",), asked=True)


def test_the_longest_word_says_where_to_look():
    said = "the cat, the dog, the needle"
    assert place_of(said, ("the", "needle")) == said.index("needle")
    assert place_of(said, ("absent", "the")) == 0
    assert place_of(said, ()) == -1
    far = "İ" * 70_000 + " needle"
    assert far[place_of(far, ("needle",)) :][:200].strip().startswith("needle")


def test_marks_reach_over_pieces_of_different_styles():
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
def test_a_little_more_is_shown_rather_than_counted(lines_given, shown):
    raw = message("a", None, "toolResult", "\n".join("x" * lines_given), toolName="bash")
    found = lines(raw)
    assert len(found) == shown
    assert found[-1].endswith("more") == (lines_given == 6)
    assert not any(
        "more" in line for line in lines(blocks("assistant", {"type": "thinking", "thinking": "x" * 700}))
    )
