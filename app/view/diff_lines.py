"""The lines of a diff, marked by their first character and by colour."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.view.document_line import DocumentLine, inert_pieces, line_ranges
from app.view.line import cut_ranges

LOOK = 4_000
"""Characters at the beginning of a text in which `is_diff` looks for the signs of a diff."""
# a hunk, git's head of a file, or an agent's patch
_SIGN = re.compile(r"^(@@ .*@@|diff --git |\*\*\* (Begin Patch|Update File: ))", re.MULTILINE)
_FILE = (
    "diff --git ",
    "index ",
    "--- ",
    "+++ ",
    "*** ",
    "similarity index ",
    "rename ",
    "new file mode ",
    "deleted file mode ",
)
STYLES = {"+": "added", "-": "removed", "@": "hunk", "\\": "dim"}
MORE = "…"


def is_diff(text: str) -> bool:
    """Whether a text looks like a diff, by its beginning."""
    return _SIGN.search(text, 0, LOOK) is not None


def diff_style(line: str) -> str:
    """The style of one line of a diff."""
    if line.startswith(_FILE):
        return "file"
    return STYLES.get(line[:1], "result")


def diff_lines(text: str, cells: int) -> Iterator[DocumentLine]:
    """The lines of a diff. A long line continues behind the same sign and an ellipsis."""
    for begin, end in line_ranges(text):
        style = ""
        for line in inert_pieces(text, begin, end):
            # a huge line comes in pieces, which have the style of the first one
            style = style or diff_style(line)
            sign = line[:1] if style in ("added", "removed") else " "
            for number, (start, stop) in enumerate(cut_ranges(line, cells, len(sign + MORE))):
                yield DocumentLine(sign + MORE + line[start:stop] if number else line[start:stop], style)


def replaced_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The difference of two texts as lines, each with its sign: "-", "+", or " " for equal lines at both
    ends.
    """
    same = 0
    shorter = min(len(old), len(new))
    while same < shorter and old[same] == new[same]:
        same += 1
    after = 0
    while after < shorter - same and old[-1 - after] == new[-1 - after]:
        after += 1
    for sign, lines in (
        (" ", old[:same]),
        ("-", old[same : len(old) - after]),
        ("+", new[same : len(new) - after]),
        (" ", old[len(old) - after :]),
    ):
        for line in lines:
            yield sign, line
