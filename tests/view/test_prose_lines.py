"""Markdown as lines: their look, their complete text, and the code that can be copied from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.text import inert
from app.view.cells import stable_width, width
from app.view.document_line import mark_prose
from app.view.line import plain_text
from app.view.markdown import MOST_ROWS, prose_lines
from app.view.palette import STYLES

LINES = r"""# head
- item *one*
  1. nested
> quote
| a | b |
|-|:-:|
| x\|y | `z` |
a|b
```py
```
````
~~~ diff
~~~
+new
-old
***
[a](b)
**bold
over** it
"""
MARKDOWN = st.lists(st.sampled_from(LINES.split("\n")) | st.text(max_size=40), max_size=14).map("\n".join)


def texts(text, cells=20):
    return [line.text for line in prose_lines(text, cells)]


def blocks(text):
    return [line.block for line in prose_lines(text, 40) if line.block is not None]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("- one two three four five", ["- one two three four", "  five"]),
        ("  12) one two three four", ["  12) one two three", "      four"]),
        ("> one two three four five", ["> one two three four", "> five"]),
        ("   one two three four five", ["   one two three", "   four five"]),
        ("```\nx = 1      # far behind\n```", ["```", "x = 1      # far beh", "ind", "```"]),
        ("see\n---\nrest", ["see", "---", "rest"]),
        (" " * 15 + "deep down", [" " * 15 + "deep", "down"]),
    ],
)
def test_wrapped_lines_are_indented_by_their_kind(text, lines):
    assert texts(text) == lines


def test_inline_markup_continues_on_the_next_line():
    first, second = prose_lines("a **strong and long** word", 14)
    assert first.spans == [("a ", "text"), ("**strong and", "bold")]
    assert second.spans == [("long**", "bold"), (" word", "text")]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("*a* _b_", [("*a*", "emphasis"), (" ", "text"), ("_b_", "emphasis")]),
        ("snake_case_name 2*3*4", [("snake_case_name 2*3*4", "text")]),
        ("[x](u://y)", [("[x]", "link"), ("(u://y)", "dim")]),
        ("go https://a.b/c_d_e", [("go ", "text"), ("https://a.b/c_d_e", "link")]),
        ("``a`b``", [("``a`b``", "code")]),
        ("***x***", [("***x***", "bold")]),
    ],
)
def test_inline_markup(text, marked):
    assert mark_prose(text) == marked


def test_a_table_has_columns():
    assert texts("| name | n |\n|---|---|\n| a | 1 |\n| longer | **2** |\n\nend", 40) == [
        "name   │ n    ",
        "═══════┼══════",
        "a      │ 1    ",
        "longer │ **2**",
        "",
        "end",
    ]


def test_the_widest_cells_of_a_wide_table_are_wrapped():
    assert texts("a | b\n-|-\nx | one two three four five six\ny | 1", 20) == [
        "a │ b               ",
        "══┼═════════════════",
        "x │ one two three   ",
        "  │ four five six   ",
        "──┼─────────────────",
        "y │ 1               ",
    ]


def test_a_table_with_too_many_columns_is_shown_row_by_row():
    rows = "|alpha12|beta123|gamma12|\n|-|-|-|\n|1234567|2|3|\n|4|5|6|"
    assert texts(rows, 16) == [
        "alpha12: 1234567",
        "beta123: 2",
        "gamma12: 3",
        "──────",
        "alpha12: 4",
        "beta123: 5",
        "gamma12: 6",
    ]


def test_a_long_table_has_its_head_once_and_all_its_rows():
    rows = "\n".join(f"| {number} | x |" for number in range(2 * MOST_ROWS))
    table_lines = texts(f"| n | what |\n|---|---|\n{rows}\nend", 40)
    assert sum("what" in line for line in table_lines) == 1
    assert [line.split(" ")[0] for line in table_lines[2:-1]] == [
        str(number) for number in range(2 * MOST_ROWS)
    ]
    assert table_lines[-1] == "end"


def test_a_line_with_a_bar_is_not_a_table():
    assert texts("a | b\nc") == ["a | b", "c"]
    assert texts("a | b") == ["a | b"]
    assert texts("```\n|a|b|\n|-|-|\n```") == ["```", "|a|b|", "|-|-|", "```"]


def test_code_can_be_copied_as_it_was_written():
    windows = "see\r\n```py title=x\r\nif x:\r\n\tpass\r\n```\r\n"
    code_blocks = blocks(windows + "1. then\n\n   ````\n   ```\n   a\x1b[2J\n   ````\n~~~\nopen")
    assert [block.name for block in code_blocks] == ["py", "", ""]
    assert [block.source for block in code_blocks] == ["if x:\n\tpass", "```\na\x1b[2J", "open"]


def test_an_empty_block():
    assert [block.source for block in blocks("```\n```\nafter")] == [""]


def test_a_line_with_backticks_behind_the_name_is_not_a_fence():
    assert blocks("```x``` is code") == []


def test_a_diff_in_a_fence_has_styles():
    styles = {line.text: line.style for line in prose_lines("```diff\n+a\n-b\n@@ c\n d\n```\n+e", 40)}
    assert (styles["+a"], styles["-b"], styles["@@ c"], styles["+e"]) == ("added", "removed", "hunk", "text")


@given(MARKDOWN, st.integers(4, 40))
def test_lines_fit_are_inert_and_hold_every_word(text, cells):
    prose = list(prose_lines(text, cells))
    for line in prose:
        assert width(line.text) <= cells
        assert plain_text(line.spans) == line.text
        assert all(style in STYLES for _, style in line.spans)
        assert inert(line.text) == line.text
        assert "\n" not in line.text
    shown = "".join("".join(line.text for line in prose).split())
    for char in "".join(stable_width(inert(text)).split()):
        if char not in "|-:>":
            assert char in shown


@given(st.text(st.sampled_from("*_`~[]()!ahtps:/ "), max_size=120))
def test_inline_markup_keeps_all_text_with_unclosed_marks(text):
    assert plain_text(mark_prose(text)) == text
