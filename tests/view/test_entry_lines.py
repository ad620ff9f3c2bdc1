"""Tool calls, diffs and copied text: the parts of an entry that are not prose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.formats import inert
from app.formats.entry_parts import Part, entry_parts, layout_fields
from app.view import (
    STYLES,
    CodeBlock,
    DocumentLine,
    block_title,
    copy_warning,
    document,
    field_lines,
    file_suffix,
    full_text,
    main_text,
    next_shift,
    text_size,
)
from app.view.cells import width
from tests.cases import cases

BATCH = 250  # lines

DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ def f\n-old\n+new\n same\n"


def arguments(value, cells=30):
    return list(field_lines(layout_fields(value), cells))


def texts(lines):
    return [line.text.rstrip() for line in lines]


def test_arguments_are_names_and_values():
    lines = arguments({"path": "a.py", "limit": 5, "opts": {"deep": True}})
    assert texts(lines) == ["path: a.py", "limit: 5", "opts:", "  deep: true"]
    assert lines[0].spans == [("path: ", "argument"), ("a.py", "text")]


def test_a_text_of_several_lines_stands_below_its_name_and_can_be_copied():
    (path, content, *content_lines) = arguments({"path": "a", "content": "def f():\n\treturn\n"})
    assert texts([content, *content_lines]) == ["content:", "  def f():", "      return", ""]
    assert path.block is None
    assert content.block.name == "content"
    assert content.block.source == "def f():\n\treturn\n"
    assert not any(line.block for line in content_lines)


def test_a_long_command_is_wrapped_and_can_be_copied():
    lines = arguments({"command": "pytest -q tests/view tests/ui"}, cells=24)
    assert texts(lines) == ["command: pytest -q", "  tests/view tests/ui"]
    assert lines[0].block.source == "pytest -q tests/view tests/ui"


def drawn(*parts):
    """The lines below the title of a part, without those about the entry."""
    lines = [line for batch in document(parts, 60) for line in batch]
    ends = [number for number, line in enumerate(lines) if not line.text]
    return lines[1 : ends[-1] if ends else None]


def replaced(old, new):
    """The lines of a call that replaces a text, each with its sign."""
    call = {"type": "toolCall", "name": "edit", "arguments": {"oldText": old, "newText": new}}
    message = {"role": "assistant", "content": [call]}
    parts = entry_parts({"type": "message", "id": "x", "message": message})
    return [(line.text[0], line.text[2:]) for line in drawn(*parts)]


@cases(
    ("old", "new", "signs"),
    [
        ("", "a b", "++"),
        ("a b", "", "−−"),
        ("a b", "a c b", " + "),
        ("a a", "a a a", "  +"),
        ("x a", "y a", "−+ "),
    ],
)
def test_equal_lines_at_both_ends_are_shown_once(old, new, signs):
    old, new = old.replace(" ", "\n"), new.replace(" ", "\n")
    assert "".join(sign for sign, _ in replaced(old, new)) == signs


LETTERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)


@given(LETTERS, LETTERS)
def test_the_difference_contains_both_texts(old, new):
    difference = replaced("\n".join(old), "\n".join(new))
    assert [line for sign, line in difference if sign in " −"] == old
    assert [line for sign, line in difference if sign in " +"] == new


def test_lines_of_a_diff_have_signs_numbers_and_styles():
    lines = drawn(Part("tool_result", "bash", DIFF))
    assert [line.text for line in lines] == [
        *DIFF.split("\n")[:4],
        "   1 − old",
        "   1 + new",
        "   2   same",
    ]
    assert [line.spans[-1][1] for line in lines] == [*["hunk"] * 4, "removed", "added", "result"]
    assert [line.ground for line in lines[4:]] == ["removed-ground", "added-ground", ""]


def test_code_scrolls_sideways_as_far_as_the_longest_line_and_its_marks_stay():
    lines = [
        DocumentLine([("│ ", "border"), ("0123456789abcdef", "syntax")], own=1, scrolls=True),
        DocumentLine([("│ ", "border"), ("短い", "syntax"), ("行", "code")], own=1, scrolls=True),
        DocumentLine([("prose that is longer than ten cells", "text")]),
    ]
    assert [next_shift(lines, 10, shift, 1) for shift in (0, 5, 8, 9)] == [5, 8, 8, 9]
    assert [next_shift(lines, 10, shift, -1) for shift in (8, 3)] == [3, 0]
    assert next_shift(lines[2:], 10, 0, 1) == 0
    assert lines[0].drawn(("fgh", "def"), 8) == [
        ("│ ", "border"),
        ("…", "dim"),
        ("9abc", "syntax"),
        ("def", "match"),
    ]
    assert lines[1].drawn((), 2) == [("│ ", "border"), ("…", "dim"), (" ", "syntax"), ("行", "code")]
    assert lines[2].drawn((), 8) == lines[2].spans


@cases(
    ("text", "expected"),
    [
        (DIFF, True),
        ("ok\n@@ -1,2 +3 @@\n", True),
        ("*** Begin Patch\n*** Update File: x", True),
        ("- a\n+ b", False),
        ("mail@@example", False),
        ("x" * 5_000 + "\n" + DIFF, False),
    ],
)
def test_a_diff_is_recognised_by_its_beginning(text, expected):
    assert ("hunk" in styles_of(Part("tool_result", "bash", text))) is expected


def styles_of(*parts):
    return {style for batch in document(parts, 40) for line in batch for _, style in line.spans}


def test_tool_output_that_is_a_diff_is_shown_as_one():
    assert {"added", "removed", "hunk"} <= styles_of(Part("tool_result", "bash", DIFF))
    assert "added" not in styles_of(Part("error", "bash", DIFF))
    assert "added" in styles_of(Part("diff", "diff", "+1 x"))


HOSTILE = "a\x1b[2J\u202e\ud83d\x9b1m\r\n\u2028\tb|\x07日本 `x` **y** + - @@ x @@"
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=60) | st.just(HOSTILE) | st.just(DIFF),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["oldText", "newText", "command", HOSTILE]), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(VALUES, st.integers(4, 50))
def test_any_tool_call_fits_and_is_inert(value, cells):
    call = {"type": "toolCall", "name": HOSTILE, "arguments": value}
    result = {"role": "toolResult", "toolName": HOSTILE, "details": {"diff": HOSTILE, "x": value}}
    for message in ({"role": "assistant", "content": [call]}, {**result, "content": HOSTILE}):
        for batch in document(entry_parts({"type": "message", "id": HOSTILE, "message": message}), cells):
            assert len(batch) <= BATCH
            for line in batch:
                assert width(line.text) <= max(cells, 8) or line.scrolls
                assert inert(line.text) == line.text
                assert "\n" not in line.text
                assert all(style in STYLES for _, style in line.spans)


# copied text


def test_the_main_text_of_an_entry():
    answer = [
        Part("thinking", "", "hm"),
        Part("text", "", "a"),
        Part("text", "", "b"),
        Part("meta", "", "id: 1"),
    ]
    assert main_text(answer) == "a\n\nb"
    assert main_text([Part("thinking", "", "hm"), Part("tool_call", "bash", "ls")]) == "ls"
    assert main_text([Part("thinking", "", "hm"), Part("meta", "", "id: 1")]) == "hm"
    assert main_text([Part("meta", "", "id: 1")]) == "id: 1"
    assert main_text([]) == ""


def test_the_full_text_of_an_entry_and_the_suffix_of_its_file():
    text = [Part("text", "", "a\x1b"), Part("details", "details", "x: 1"), Part("meta", "", "id: 1")]
    assert full_text(text) == "a\x1b"
    assert full_text([Part("thinking", "", "hm"), *text]) == (
        "── thinking ──\nhm\n\na\x1b\n\n── details ──\nx: 1\n\nid: 1\n"
    )
    assert file_suffix(text, raw=False) == ".md"
    assert file_suffix([Part("raw", "", "{}")], raw=True) == ".json"
    assert file_suffix([Part("tool_result", "bash", "x")], raw=False) == ".txt"


def test_the_size_of_a_text_and_the_title_of_a_block():
    assert [text_size(text) for text in ("a", "abc", "a\nb", "a\nb\n")] == [
        "1 character",
        "3 characters",
        "2 lines",
        "2 lines",
    ]
    assert block_title(1, [CodeBlock("a"), CodeBlock("b", "py")]) == "Code block 2 of 2 (py)"
    assert block_title(0, [CodeBlock("a")]) == "Code block 1 of 1"


@cases(
    ("env", "warning"),
    [
        ({"TERM_PROGRAM": "Apple_Terminal"}, "takes no copies"),
        ({"TMUX": "/tmp/x", "TERM_PROGRAM": "tmux"}, "tmux"),
        ({"STY": "1"}, "screen"),
        ({"TERM": "xterm-kitty"}, ""),
        ({"TERM_PROGRAM": "WezTerm"}, ""),
        ({}, "OSC 52"),
    ],
)
def test_the_warning_about_a_copy_depends_on_the_terminal(env, warning):
    assert (warning in copy_warning("x", env)) if warning else copy_warning("x", env) == ""


def test_a_long_text_has_a_warning():
    assert copy_warning("x" * 100_000, {"TERM": "xterm-kitty"}) == "if the terminal takes so long a text"
