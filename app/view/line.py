"""A line of the screen before there is a screen: pieces of text, each with the name of a style.

``app.view.palette`` says what a style looks like; a piece's text is inert and has no newline.
"""

from __future__ import annotations

from app.view.cells import cut, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[str, str]
Line = list[Span]


def line_width(line: Iterable[Span]) -> int:
    """Cells that the line takes."""
    return sum(width(text) for text, _ in line)


def fit_line(line: Iterable[Span], cells: int, pad_style: str = "text") -> Line:
    """The line cut or padded to exactly ``cells``; a cut is marked by an ellipsis."""
    fitted: Line = []
    left = cells
    pieces = list(line)
    for at, (text, style) in enumerate(pieces):
        size = width(text)
        if size <= left:
            fitted.append((text, style))
            left -= size
            continue
        kept = cut(text, left - 1) if left > 0 else ""
        if left > 0:
            kept += "…"
        elif at and fitted:
            last, last_style = fitted.pop()
            kept, style = cut(last, width(last) - 1) + "…", last_style
            left += width(last)
        fitted.append((kept, style))
        left -= width(kept)
        break
    if left > 0:
        fitted.append((" " * left, pad_style))
    return fitted


def plain(line: Iterable[Span]) -> str:
    """The text of the line alone."""
    return "".join(text for text, _ in line)
