"""A line of the screen before there is a screen: pieces of text, each with the name of a style.

``app.view.palette`` says what a style looks like; a piece's text is inert and has no newline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.cells import ELLIPSIS, cut, most, width

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[str, str]
Line = list[Span]


def line_width(line: Iterable[Span]) -> int:
    """Cells that the line takes."""
    return sum(width(text) for text, _ in line)


def fit_line(line: Iterable[Span], cells: int) -> Line:
    """The line cut or padded to exactly ``cells``; a cut is marked by an ellipsis, and made so that what is
    left fits in any terminal.
    """
    if cells <= 0:
        return []
    fitted: Line = []
    left = cells
    for text, style in line:
        if most(text) <= left:
            fitted.append((text, style))
            left -= width(text)
            continue
        while not left:
            # the ellipsis takes the last cell of what fitted
            text, style = fitted.pop()
            left = width(text)
        kept = cut(text, left - 1) + ELLIPSIS
        fitted.append((kept, style))
        left -= width(kept)
        break
    if left > 0:
        fitted.append((" " * left, "text"))
    return fitted


def plain(line: Iterable[Span]) -> str:
    """The text of the line alone."""
    return "".join(text for text, _ in line)
