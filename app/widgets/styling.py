"""The named styles of ``app.view.palette`` as Rich styles."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from app.view.cells import width
from app.view.palette import THEMES, style_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.view.line import Span


@lru_cache(maxsize=512)
def rich_style(name: str, theme: str, background: str) -> Style:
    """A named style on a named background colour of a theme."""
    colours = THEMES[theme]
    colour, attributes = style_of(name, colours)
    flags = attributes.split()
    return Style(
        color=colour,
        bgcolor=colours[background],
        bold="bold" in flags or None,
        italic="italic" in flags or None,
        underline="underline" in flags or None,
    )


@lru_cache(maxsize=8)
def _blank(theme: str) -> Style:
    return Style(bgcolor=THEMES[theme]["background"])


def strip(line: Iterable[Span], theme: str, background: str = "background", cells: int = 0) -> Strip:
    """A line of the view as a strip of the terminal library.

    :param cells: how wide the strip is at least; what the line does not fill has the plain background.
    """
    segments = []
    filled = 0
    for text, style in line:
        segments.append(Segment(text, rich_style(style, theme, background)))
        filled += width(text)
    if filled < cells:
        segments.append(Segment(" " * (cells - filled), _blank(theme)))
        filled = cells
    return Strip(segments, filled)
