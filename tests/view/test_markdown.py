"""Markdown as lines: its complete text, and the code that can be copied from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.formats import inert
from app.view import STYLES, markdown_lines, written_lines
from app.view.cells import stable_width, width
from tests.cases import cases

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
[a]: http://b
![a](b)
**bold
over** it
"""
MARKDOWN = st.lists(st.sampled_from(LINES.split("\n")) | st.text(max_size=40), max_size=14).map("\n".join)


def texts(text, cells=20):
    return [line.text.rstrip() for line in markdown_lines(text, cells)]


@cases(
    ("text", "lines"),
    [
        ("- one two three four five", ["• one two three four", "  five"]),
        ("> one two three four five", ["│ one two three four", "│ five"]),
        ("a **strong and long word**", ["a strong and long", "word"]),
        ("a | b\nc", ["a | b", "c"]),
        (
            "a | b\n-|-\nx | one two three four five six\ny | 1",
            ["a │ b", "──┼─────────────────", "x │ one two three", "  │ four five six", "y │ 1"],
        ),
        (
            "|alpha12|beta123|gamma12|\n|-|-|-|\n|1234567|2|3|\n|4|5|6|",
            [
                "alpha12: 1234567",
                "beta123: 2",
                "gamma12: 3",
                "──────",
                "alpha12: 4",
                "beta123: 5",
                "gamma12: 6",
            ],
        ),
    ],
)
def test_lines_are_wrapped_by_their_kind(text, lines):
    assert texts(text, 16 if "alpha12" in text else 20) == lines


def test_code_is_as_wide_as_it_is():
    code = texts("```py\nx = 1      # far behind\n```")
    assert code == ["  py", "│ x = 1      # far behind"]


WINDOWS = "see\r\n```py title=x\r\nif x:\r\n\tpass\r\n```\r\n"


@cases("lines_of", [markdown_lines, lambda text, cells: written_lines(text, cells, "text")])
def test_code_can_be_copied_as_it_was_written(lines_of):
    def blocks(text):
        return [line.block for line in lines_of(text, 40) if line.block is not None]

    found = blocks(WINDOWS + "1. then\n\n   ````\n   ```\n   a\x1b[2J\n   ````\n~~~\nopen")
    assert [block.name for block in found] == ["py", "", ""]
    assert [block.source for block in found] == ["if x:\n\tpass", "```\na\x1b[2J", "open"]
    assert [block.source for block in blocks("```\n```\nafter")] == [""]
    assert blocks("```x``` is code") == []


@given(MARKDOWN, st.integers(8, 40))
def test_lines_fit_are_inert_and_hold_every_word(text, cells):
    shown = ""
    for line in [*markdown_lines(text, cells), *written_lines(text, cells, "text")]:
        assert width(line.text) <= cells or line.scrolls
        assert all(style in STYLES for _, style in line.spans)
        assert inert(line.text) == line.text
        assert "\n" not in line.text
    shown = "".join("".join(line.text for line in markdown_lines(text, cells)).split())
    written = "".join("".join(line.text for line in written_lines(text, cells, "text")).split())
    assert written == "".join(stable_width(inert(text)).split())
    for char in written:
        assert char in shown or not char.isalnum()
