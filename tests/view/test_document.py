"""The lines of an entry are wrapped, inert and complete."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from app.formats import EmbeddedImage, inert
from app.formats.entry_parts import Part
from app.view import ToolCall, document, own_line
from app.view.cells import stable_width, width
from app.view.line import wrap
from tests.cases import cases


def lines(*parts, cells=20):
    return [line for batch in document(parts, cells) for line in batch]


def texts(*parts, cells=20):
    return [line.text for line in lines(*parts, cells=cells)]


def test_words_that_fit_are_not_cut():
    assert texts(Part("text", "", "the quick brown fox jumps over")) == ["the quick brown fox", "jumps over"]


def test_blank_lines_and_indentation_stay():
    assert texts(Part("tool_result", "", "a\n\n    b"))[1:] == ["a", "", "    b"]


def test_lines_above_an_image_come_before_it_is_decoded():
    image = EmbeddedImage("image/png", "AAAA")
    calls = []

    def draw(requested):
        calls.append((requested, [line.text for batch in batches for line in batch]))
        return [own_line("drawn", "text")]

    parts = [
        Part("text", "", "above"),
        Part("image", "image", "a png", image=image),
        Part("text", "", "below"),
    ]
    batches = []
    # not extend, because each batch must be in the list before the next one is requested
    for batch in document(parts, 40, draw):
        batches += [batch]
    assert calls == [(image, ["above", "", "─ image ", "a png"])]
    assert [line.text for line in batches[-1]] == ["drawn", "", "below"]
    assert "drawn" not in texts(*parts, cells=40)


def test_parts_have_headings_and_blank_lines_between_them():
    parts = [
        Part("thinking", "", "hm"),
        Part("text", "", "yes"),
        Part("tool_call", "bash", "ls"),
        Part("meta", "", "id: x"),
    ]
    assert texts(*parts, cells=40) == [
        "─ thinking ",
        "hm",
        "",
        "yes",
        "",
        "─ tool call: bash ",
        "ls",
        "",
        "id: x",
    ]


def test_markdown_and_code_are_drawn_as_in_a_transcript():
    text = "# Head\nplain **bold**\n```python\ndef f():\n```"
    head, blank, plain, _, language, code = lines(Part("text", "", text), cells=40)
    assert (head.spans, blank.text) == ([("Head", "heading")], "")
    assert plain.spans == [("plain ", "text"), ("bold", "bold")]
    assert language.text == "  python"
    assert code.spans[:2] == [("│ ", "border"), ("def", "syntax-keyword")]
    assert code.scrolls


def test_a_prompt_is_shown_as_it_was_written():
    [batch] = document([Part("text", "", "# fix **it**\n- now")], 40, is_prompt=True)
    assert [line.text for line in batch] == ["# fix **it**", "- now"]


@cases(
    ("name", "arguments", "parts", "shown"),
    [
        (
            "bash",
            {"command": "ls\npwd", "timeout": 5},
            [Part("tool_result", "bash", "a b")],
            ["ls", "pwd", "timeout: 5", "────────────", "a b"],
        ),
        (
            "write",
            {"path": "a.py", "content": "x = 1\n"},
            [Part("tool_result", "write", "ok")],
            ["path: a.py", "x = 1", "────────────", "ok"],
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{"oldText": "a\nb", "newText": "a\nB"}]},
            [Part("tool_result", "edit", "ok")],
            ["path: a.py", "  a", "− b", "+ B", "────────────", "ok"],
        ),
        (
            "edit",
            {"path": "a.py", "old_string": "b", "new_string": "B", "all": True},
            [Part("tool_result", "edit", "ok"), Part("diff", "diff", " 8 a\n-9 b\n+9 B")],
            [
                "path: a.py",
                "all: true",
                "────────────",
                "ok",
                "",
                "─ diff ",
                "   8   a",
                "   9 − b",
                "   9 + B",
            ],
        ),
        ("odd", ["x", 1], [Part("error", "odd", "no")], ["- x", "- 1", "────────────", "no"]),
    ],
)
def test_a_tool_entry_shows_its_input_a_rule_and_its_output(name, arguments, parts, shown):
    batches = document(parts, 40, call=ToolCall(name, arguments))
    assert [line.text for batch in batches for line in batch] == shown


def test_words_of_leafmark_are_no_hits():
    raw = Part("tool_call", "bash", "x", value={"path": "path", "command": "result"})
    drawn = [line.drawn(("path", "bash", "call", "result"), 0) for line in lines(raw, cells=40)]
    assert drawn == [
        [("─ tool call: bash ", "section")],
        [("result", "match")],
        [("path: ", "argument"), ("path", "match")],
    ]


def test_a_carriage_return_before_a_newline_is_not_shown():
    assert texts(Part("tool_result", "", "a\r\nb\r\n\r\nc\rd"), cells=20)[1:] == ["a", "b", "", "c␍d"]


@given(st.text(max_size=300), st.integers(4, 30))
@example("\r\n", 4)
def test_lines_fit_and_hold_the_whole_text(text, cells):
    wrapped = texts(Part("tool_result", "", text), cells=cells)[1:]
    assert all(width(line) <= cells for line in wrapped)
    assert not any("\n" in line or "\x1b" in line for line in wrapped)
    assert "".join("".join(wrapped).split()) == "".join(stable_width(inert(text)).split())


@given(
    st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs", "Cc")), max_size=100),
    st.integers(4, 30),
)
def test_wrapping_drops_only_blanks(text, cells):
    assert "".join("".join(wrap(text, cells)).split()) == "".join(text.split())


def test_a_huge_line_comes_in_batches_and_is_complete():
    batches = list(document([Part("tool_result", "", "y" * 3_000_000)], 100))
    assert len(batches) > 10
    assert (
        sum(len(line.text) for batch in batches for line in batch[0:] if set(line.text) <= {"y"}) == 3_000_000
    )
