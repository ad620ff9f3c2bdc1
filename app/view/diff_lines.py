"""Differences, told by the character that each line begins with and by colour."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.view.document_line import DocumentLine
from app.view.source_lines import lines_in, pieces
from app.view.wrapping import cuts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOOK = 4_000
"""Characters at the beginning of a text that tell whether it is a diff."""
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
    """Whether a text looks like one, by its beginning."""
    return _SIGN.search(text, 0, LOOK) is not None


def diff_style(line: str) -> str:
    """The style of one line of a diff."""
    if line.startswith(_FILE):
        return "file"
    return STYLES.get(line[:1], "result")


def diff_lines(text: str, cells: int) -> Iterator[DocumentLine]:
    """The lines of a diff. What does not fit goes on behind the same sign and an ellipsis."""
    for begin, end in lines_in(text):
        style = ""
        for line in pieces(text, begin, end):
            # a huge line comes in pieces, which belong to the first
            style = style or diff_style(line)
            sign = line[:1] if style in ("added", "removed") else " "
            for at, (start, stop) in enumerate(cuts(line, cells, len(sign + MORE))):
                yield DocumentLine(sign + MORE + line[start:stop] if at else line[start:stop], style)


def replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines that were replaced by others, each with its sign: "-", "+", or " " for those at both ends that
    are the same.
    """
    same = 0
    least = min(len(old), len(new))
    while same < least and old[same] == new[same]:
        same += 1
    after = 0
    while after < least - same and old[-1 - after] == new[-1 - after]:
        after += 1
    for sign, lines in (
        (" ", old[:same]),
        ("-", old[same : len(old) - after]),
        ("+", new[same : len(new) - after]),
        (" ", old[len(old) - after :]),
    ):
        for line in lines:
            yield sign, line
