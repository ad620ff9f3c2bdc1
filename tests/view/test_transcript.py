"""The blocks of an entry in a transcript, without a screen."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from app.sessions.tree import EntryRef
from app.view import BranchStart, Outline, Places, TranscriptLayout, find_words
from app.view.cells import width
from app.view.line import highlight_line
from app.view.transcript import MOST_TEXT, turn
from app.view.transcript_block import FOLDED, SHORT
from tests.cases import cases
from tests.factory import entry, message

MAY_FIRST = 1_777_640_000_000


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def made(raw, cells=60, words=(), **options):
    return turn(raw, raw.get("id"), 0, cells, words, now_ms=MAY_FIRST, **options)


def lines(raw, cells=60, words=(), **options):
    """The lines of the entry alone, below the rule of its day."""
    return shown([made(raw, cells, words, **options)])[1:]


def shown(turns):
    """All lines of a transcript but blank ones between its blocks."""
    layout = TranscriptLayout()
    layout.show(turns)
    gaps = {placed.end for placed in layout.blocks}
    lines = enumerate(layout.lines)
    return [line.whole_text.strip() for number, line in lines if line.spans or number not in gaps]


def said(role, time, text="text", model=""):
    """The turn of a message.

    :param time: minutes after 1 May, 10:00.
    """
    raw = message(f"{role}{time}", None, role, text)
    raw["timestamp"] = datetime.fromtimestamp(1_777_629_600 + 60 * time, UTC).isoformat()
    raw["message"].update({"model": model} if model else {})
    return made(raw)


def test_day_time_and_model_are_shown_when_they_change():
    day = 24 * 60
    turns = [
        said("user", 0),
        said("assistant", 0, model="sonnet"),
        said("user", 1),
        said("assistant", 1, model="sonnet"),
        said("assistant", 2, model="opus"),
        said("user", day + 2),
        said("assistant", day + 2, model="opus"),
    ]
    expected = [
        "── Fri 1 May ──",
        "▌ text  10:00",
        "sonnet",
        "text",
        "▌ text  10:01",
        "text",
        "opus · 10:02",
        "text",
        "── Sat 2 May ──",
        "▌ text  10:02",
        "text",
    ]
    assert shown(turns) == expected
    # The same whichever part is read first.
    for split in range(1, len(turns)):
        layout = TranscriptLayout()
        layout.show(turns[split:])
        layout.add(turns[:split], ())
        assert [line.whole_text.strip() for line in layout.lines if line.spans] == expected


def test_the_block_at_the_top_stays_when_its_heading_goes():
    long = "\n".join(f"- row {number}" for number in range(40))
    layout = TranscriptLayout()
    layout.show([said("assistant", 1, long, model="sonnet"), said("user", 2)])
    assert layout.lines[1].text.strip() == "sonnet · 10:01"
    layout.cursor = 0
    spot = layout.spot(12)
    line = layout.lines[layout.pointer(12)].text
    layout.add([said("assistant", 0, model="sonnet"), said("user", 1)], ())
    assert layout.lines[layout.go_to(spot, 10)].text == line
    assert "sonnet" not in layout.lines[layout.blocks[2].begin].text


def calls(number, *blocks, outputs=(), offset=0, **options):
    """The turn of an answer that calls tools."""
    raw = answer(*blocks)
    results = {block["id"]: output for block, output in zip(blocks, outputs, strict=False)}
    return turn(raw, f"calls{number}", offset + number, 60, now_ms=MAY_FIRST, results=results, **options)


EDIT = {"path": "src/auth.py", "oldText": "a", "newText": "b"}


def three_calls(**options):
    return [
        said("user", 0),
        calls(1, call("edit", "1", **EDIT), **options),
        calls(2, {"type": "thinking", "thinking": "next"}, call("write", "2", path="t/test_auth.py")),
        calls(3, call("bash", "3", command="make"), outputs=[result("no", "3", isError=True)]),
        said("assistant", 4),
    ]


def test_the_calls_of_a_prompt_are_one_line_that_unfolds():
    layout = TranscriptLayout()
    layout.show(three_calls())
    line = "▸ 3 tools:  edit auth.py +1 −1, write test_auth.py, bash  × 1 failed"
    assert [each.whole_text.strip() for each in layout.lines if each.spans][2:] == [line, "10:04", "text"]
    layout.cursor = 1
    ref = layout.ref()
    layout.switch_run(layout.placed)
    layout.place()
    heads = [layout.lines[placed.begin].text.split()[:2] for placed in layout.blocks]
    assert heads[1:-1] == [
        ["▾", "3"],
        ["▾", "edit"],
        ["▸", "thinking"],
        ["▸", "write"],
        ["▾", "bash"],
    ]
    assert layout.index_of(ref) == layout.cursor == 1
    # A call that is read later joins its run; one above it as well.
    layout.add([], [calls(9, call("ls", "9")), said("assistant", 10)])
    layout.switch_run(layout.placed)
    layout.place()
    assert len(layout.blocks) == 5


def test_the_line_of_calls_is_the_same_whichever_part_is_read_first():
    for split in range(1, 5):
        layout = TranscriptLayout()
        layout.show(three_calls()[split:])
        layout.add(three_calls()[:split], ())
        assert [placed.block.kind for placed in layout.blocks] == ["prompt", "tools", "answer"], split


def test_a_call_that_is_wanted_is_unfolded():
    def kinds_of(layout):
        return [placed.block.kind for placed in layout.blocks]

    unfolded = ["prompt", "tools", "tool", "thinking", "tool", "tool", "answer"]
    layout = TranscriptLayout()
    layout.show(three_calls(words=("auth",), has_match=True))
    assert kinds_of(layout) == unfolded, "a hit"
    layout.show(three_calls())
    layout.reveal(EntryRef("calls2", 2))
    assert kinds_of(layout) == unfolded, "a jump to an entry"
    layout.show(three_calls())
    layout.fold_tools(folds=False)
    layout.place()
    assert kinds_of(layout) == unfolded, "all tools"
    layout.fold_tools(folds=True)
    layout.place()
    layout.marked = {"calls3"}
    layout.place()
    assert kinds_of(layout) == ["prompt", "tools", "tool", "answer"], "a label"


def test_a_long_run_of_calls_has_several_lines():
    layout = TranscriptLayout()
    layout.show([calls(number, call("ls", str(number)), offset=number * 4096) for number in range(40)])
    assert [layout.lines[placed.begin].text.strip() for placed in layout.blocks] == [
        "▸ 16 tools:  ls (16)",
        "▸ 16 tools:  ls (16)",
        "▸ 8 tools:  ls (8)",
    ]


def test_a_marked_answer_keeps_its_line():
    layout = TranscriptLayout()
    layout.marked = {"assistant0"}
    layout.show([said("user", 0), said("assistant", 0)])
    assert [line.whole_text.strip() for line in layout.lines if line.spans][2:] == ["10:00", "text"]


def kinds(raw, **options):
    return [block.kind for block in made(raw, **options).blocks]


def answer(*content, **more):
    raw = message("a", None, "assistant", "", **more)
    raw["message"]["content"] = list(content)
    return raw


def text(content_text):
    return {"type": "text", "text": content_text}


def call(name, id="1", **arguments):
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def result(output, id="1", **more):
    return message("r", "a", "toolResult", output, 2, toolName="tool", toolCallId=id, **more)


def tool(block, output=None, **more):
    """The block of a call, with its result."""
    results = {} if output is None else {"1": result(output, **more)}
    return made(answer(block), results=results).blocks[0]


def texts(block):
    return [line.text.strip() for line in block.lines]


def test_a_prompt_is_a_band_with_its_time():
    turn_of_prompt = made(message("a", None, "user", "fix **it**\nnow", 5))
    assert [line.text for line in turn_of_prompt.lines] == ["▌ fix **it**", "▌ now"]
    assert turn_of_prompt.lines[0].right == [("10:05", "dim")]
    assert {line.ground for line in turn_of_prompt.lines} == {"panel"}


def test_an_answer_has_its_model_and_time_and_no_marks_of_markdown():
    raw = answer(
        text("# Two ways out\nSome **bold** and `code`, [here](http://a.b/c).\n\n1. wait\n2. do not")
    )
    raw["message"]["model"] = "sonnet"
    assert lines(raw) == [
        "sonnet · 10:01",
        "Two ways out",
        "",
        "Some bold and code, here (http://a.b/c).",
        "",
        "1. wait",
        "2. do not",
    ]
    styles = {piece: style for line in made(raw).lines for piece, style in line.spans}
    assert styles["Two ways out"] == "heading"
    assert styles["bold"] == "bold"
    assert styles["code"] == "code"
    assert styles["here"] == "link"


def test_an_answer_thinks_speaks_and_calls_in_its_order():
    raw = answer({"type": "thinking", "thinking": "let me see\nwhat"}, text("Reading."), call("ls", path="."))
    assert kinds(raw) == ["thinking", "answer", "tool"]
    assert lines(raw) == ["▸ thinking  let me see what  2 lines", "10:01", "Reading.", "▸ ls  ."]


@cases(
    ("more", "reason"),
    [
        ({"stopReason": "aborted"}, "× aborted"),
        ({"stopReason": "error", "errorMessage": "overloaded"}, "× error: overloaded"),
    ],
)
def test_an_answer_has_the_reason_of_its_end(more, reason):
    assert lines(answer(**more))[1:] == [reason]


# tools


def test_a_call_is_one_line_with_its_result():
    block = tool(call("read", path="src/auth.py", offset=1, limit=80), "x\n" * 80)
    assert block.state == FOLDED
    assert [line.whole_text.strip() for line in block.lines] == [
        "▸ read  src/auth.py:1-80  80 lines · 60.0 s"
    ]
    assert tool(call("grep", pattern="x"), "a\nb").lines[0].whole_text.strip().endswith("2 matches · 60.0 s")
    assert texts(tool(call("bash", command="make\n  all"))) == ["▸ bash  make all"]


def test_an_unfolded_call_shows_twelve_lines_and_counts_the_others():
    block = tool(call("bash", command="make"), "\n".join(f"line {n}" for n in range(80)))
    block.state = SHORT
    shown = texts(block)
    assert shown[0].startswith("▾ bash  make")
    assert shown[1:3] == ["│ line 0", "│ line 1"]
    assert shown[12:] == ["│ line 11", "… 68 more lines (Space)"]
    whole = made(
        answer(call("bash", command="make")),
        results={"1": result("\n".join(map(str, range(80))))},
        full=True,
    )
    assert len(whole.blocks[0].lines) == 81


def test_a_failed_call_starts_unfolded_at_the_end_of_its_output():
    block = tool(
        call("bash", command="pytest"), "\n".join(map(str, range(40))) + "\nexit code 1", isError=True
    )
    assert block.state == SHORT
    assert block.lines[0].right[0] == ("× ", "error")
    assert block.lines[0].right[1][0].startswith("exit 1")
    assert texts(block)[1] == "… 29 lines above (Space)"
    assert texts(block)[-1] == "│ exit code 1"


def test_an_edit_starts_unfolded_as_a_diff():
    block = tool(call("edit", path="a.py", oldText="a\nb\nc", newText="a\nX\nc"), "done")
    assert texts(block) == ["▾ edit  a.py", "│   a", "│ − b", "│ + X", "│   c"]
    assert [line.ground for line in block.lines[1:]] == ["", "removed-ground", "added-ground", ""]
    assert block.lines[0].right == [("+1", "added"), (" ", "text"), ("−1", "removed")]
    numbered = tool(call("edit", path="a.py"), "ok", details={"diff": " 31 def f():\n-32   old\n+32   new"})
    assert texts(numbered)[1:] == ["│   31   def f():", "│   32 −   old", "│   32 +   new"]
    patch = "@@ -7,2 +7,2 @@\n same\n-old\n+new"
    assert texts(tool(call("apply", input=patch)))[2:] == ["│    7   same", "│    8 − old", "│    8 + new"]


def test_code_that_a_call_writes_has_its_colours_and_can_be_copied():
    block = tool(call("write", path="a.py", content="def f():\n    return 'x'\n"), "ok")
    block.state = SHORT
    assert any(style == "syntax-keyword" for line in block.lines for _, style in line.spans)
    assert block.codes == ["def f():\n    return 'x'\n"]


def test_a_result_without_its_call_is_a_block_of_its_own():
    shown = made(message("a", None, "toolResult", "one\ntwo\n", toolName="bash"))
    assert [line.whole_text.strip() for line in shown.lines] == ["▸ bash  2 lines"]


# other entries


def test_commands_of_the_user():
    raw = message("a", None, "bashExecution", "", command="ls", output="a\nb", exitCode=1)
    assert lines(raw) == ["▾ $  ls  × exit code 1", "a", "b"]


def test_summaries_have_a_title():
    raw = entry("compaction", "a", None, summary="so far so good", tokensBefore=45_000)
    assert lines(raw) == ["▾ ≡ Compaction: 45k tokens", "so far so good"]
    assert lines(entry("branch_summary", "a", None, summary="it failed")) == [
        "▾ ≡ Branch summary",
        "it failed",
    ]


@cases(
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


# matches


def found_line(shown):
    block = shown.blocks[shown.found]
    return block.lines[block.found].text


def test_a_bookkeeping_entry_with_a_match_has_lines():
    raw = entry("custom", "a", None, customType="x", data={"a": "needle"})
    assert "needle" in found_line(made(raw, 60, ("needle",), has_match=True))


def test_thoughts_and_calls_unfold_at_their_matches():
    thought = "\n".join(f"thought {n}" for n in range(500)) + "\nneedle"
    raw = answer({"type": "thinking", "thinking": thought}, call("write", path="a", content="x\nhay\n"))
    assert not any("needle" in line for line in lines(raw))
    assert found_line(made(raw, 60, ("needle",), has_match=True)).strip() == "needle"
    assert "hay" in found_line(made(raw, 60, ("hay",), has_match=True))
    output = "\n".join(f"line {n}" for n in range(1_000)) + "\nthe needle"
    joined = {"results": {"1": result(output)}, "matched_results": ["1"]}
    assert "the needle" in found_line(made(answer(call("bash", command="x")), 60, ("needle",), **joined))


def test_a_huge_text_has_both_ends_and_the_match():
    content_text = "first\n" + "word " * 2_000_000 + "\nneedle\n" + "word " * 100_000 + "\nlast"
    for raw in (message("a", None, "user", content_text), answer(text(content_text))):
        shown_lines = lines(raw, 80)
        assert any(line.removeprefix("▌ ").startswith("first") for line in shown_lines)
        assert shown_lines[-1].removeprefix("▌ ") == "last"
        assert sum(map(len, shown_lines)) < 2 * MOST_TEXT
        assert any("lines more" in line or "characters more" in line for line in shown_lines)
        shown = made(raw, 80, ("needle",), has_match=True)
        assert found_line(shown).removeprefix("▌").strip() == "needle"
        assert len(shown.lines) < 2_000


def test_a_result_of_one_long_line_is_cut():
    block = tool(call("bash", command="x" * 100_000), "y" * 10_000_000)
    block.state = SHORT
    assert len(block.lines) < 5
    assert all(len(line.text) <= 1_010 for line in block.lines[1:])


HOSTILE = "日本語 " * 200 + "👩‍👩‍👧 " * 20 + "\x1b[31m" + "x" * 300 + "\ttab \u202e"
IN_MARKDOWN = (
    f"# {HOSTILE}\n- {HOSTILE}\n  - {HOSTILE}\n\n> {HOSTILE}\n\n[{HOSTILE}](http://x/{HOSTILE})\n\n"
    f"| {HOSTILE} | b |\n|---|---|\n| `{HOSTILE}` | **{HOSTILE}** |\n\n&#x202e;&#27;&#10;x\n\n"
    f"```{HOSTILE}\n{HOSTILE}\n```\n\n    {HOSTILE}\n"
)


@cases("cells", [8, 9, 20, 61, 300])
def test_no_line_is_wider_than_the_width_and_all_are_inert(cells):
    for raw in (
        message("a", None, "user", HOSTILE),
        answer(text(IN_MARKDOWN)),
        answer(text("- " * 3_000), text("[" * 5_000), text("> " * 500 + "x"), text("|" * 900 + "\n|-|-|")),
        message("a", None, "toolResult", HOSTILE, toolName=HOSTILE, isError=True),
        answer({"type": "thinking", "thinking": HOSTILE}, call(HOSTILE, **{HOSTILE: HOSTILE})),
        answer(call("edit", path=HOSTILE, oldText=HOSTILE, newText=HOSTILE * 2)),
        entry("custom_message", "a", None, customType=HOSTILE, content=HOSTILE),
        entry("branch_summary", "a", None, summary=HOSTILE),
        message("a", None, HOSTILE, HOSTILE),
        message("a", None, "bashExecution", "", command=HOSTILE, output=HOSTILE * 10),
    ):
        for block in made(raw, cells, ("日本語",), has_match=True).blocks:
            if block.folds:
                block.state = SHORT
            for line in block.lines:
                assert line.whole_text.isprintable()
                assert "\u202e" not in line.whole_text
                if line is not block.head and line is not block.open_head and "(Space)" not in line.text:
                    assert width(line.text) <= max(cells, 12) or line.scrolls, line.text


@cases("content", [None, 5, [], ["text", 3, None, {}], {"a": 1}, [{"type": "toolCall"}]])
@cases("role", ["user", "assistant", "toolResult", "custom", None, 7])
def test_malformed_messages_raise_no_error(role, content):
    raw = {"type": "message", "id": "a", "timestamp": [], "message": {"role": role, "content": content}}
    turn(raw, "a", 0, 60, ("x",), has_match=True)


def test_a_table_is_drawn_in_columns():
    raw = answer(text("| way | median |\n|---|---|\n| wait | **0.3** ms |\n| 日本 | 2 ms |"))
    assert lines(raw)[1:] == ["way  │ median", "─────┼───────", "wait │ 0.3 ms", "日本 │ 2 ms"]


def test_code_has_a_bar_its_language_and_colours_and_is_not_wrapped():
    raw = answer(text("```python\ndef f():\n    return 'x'  # " + "y" * 200 + "\n```\nafter"))
    shown = made(raw)
    assert [line.text for line in shown.lines][:2] == ["    python", "  │ def f():"]
    assert shown.lines[2].scrolls
    assert ("def", "syntax-keyword") in shown.lines[1].spans
    assert shown.blocks[0].codes == ["def f():\n    return 'x'  # " + "y" * 200]


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


def test_the_line_of_a_branch_point_has_no_marks_of_markdown():
    starts = [BranchStart(EntryRef("e", 7), "```python\n# Use **redis**\n``` or `SET`\x1b[2J")]
    places = Places([])
    (note,) = Outline(places, places, 1, 2, {40: starts}, None, True).notes("b").values()
    assert note.text == "  Ψ 1 other branch starts here: # Use redis or SET␛[2J"


def test_the_calls_of_a_tool_are_rows_below_its_own():
    calls = [
        {"name": "bash", "arguments": {"command": "ls -la"}, "status": "ok", "durationMs": 2400},
        {"name": "read", "arguments": {"path": "a.py"}, "status": "error", "error": "no such file"},
        {"name": "write", "argumentsBytes": 9000, "status": "ok"},
    ]
    given = result("done", nestedCalls={"calls": calls, "complete": True})
    shown = made(answer(call("codemode")), results={"1": given}).blocks
    heads = [" ".join(block.head.whole_text.split()) for block in shown[-4:]]
    assert heads == [
        "▸ codemode 1 line · 60.0 s",
        "▸ bash ls -la 2.4 s",
        "▸ read a.py × failed",
        "▸ write 1 line",
    ]
    assert [len(line) - len(line.lstrip()) for line in (block.head.whole_text for block in shown[-4:])] == [
        *(2, 4, 4, 4)
    ]
    assert "no such file" in "\n".join(line.whole_text for line in shown[-2].lines)
    assert "9,000 bytes of arguments were not kept" in "\n".join(line.whole_text for line in shown[-1].body)
    alone = made(given).blocks
    assert [" ".join(block.head.whole_text.split())[:6] for block in alone[1:]] == [
        "▸ bash",
        "▸ read",
        "▸ writ",
    ]
