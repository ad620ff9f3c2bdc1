"""Filters over everything that Textual paints, for terminals with few characters or colours."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter, Monochrome

from app.view.palette import THEMES, few_colours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.color import Color

_DEFAULT = RichColor.default()


class AsciiFilter(LineFilter):
    """Replaces the characters that the terminal cannot show."""

    def __init__(self, spell: Callable[[str], str]) -> None:
        """:param spell: gets text that is not ASCII and returns another one of the same width."""
        super().__init__()
        self._spell = spell

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(self._spell(segment.text), segment.style)
            for segment in segments
        ]


class FewColours(LineFilter):
    """Replaces colours by the terminal's own colours and attributes, as the first frame does. This is for
    terminals with few colours and for users who want none (NO_COLOR).

    Textual would paint shades of grey, or the nearest of sixteen colours, also over a terminal of the other
    brightness.
    """

    def __init__(self, theme: Callable[[], str], *, sixteen: bool) -> None:
        """:param theme: gives the palette's name of the current theme.
        :param sixteen: the terminal has sixteen colours; else it has none.
        """
        super().__init__()
        self._theme = theme
        self._sixteen = sixteen

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        theme = self._theme()
        return [
            Segment(text, None if style is None else _plain(style, theme, self._sixteen), control)
            for text, style, control in segments
        ]


def in_few_colours(filters: Sequence[LineFilter], few: FewColours | None) -> list[LineFilter]:
    """Textual's filters, with `few` in place of the one that Textual uses for terminals without colours.

    :param few: None for a terminal with many colours. Textual assumes a terminal without colours if NO_COLOR
        is set but empty, which has no meaning.
    """
    others = [line_filter for line_filter in filters if not isinstance(line_filter, Monochrome)]
    return others if few is None else [*others, few]


@lru_cache(maxsize=2_048)
def _plain(style: Style, theme: str, sixteen: bool) -> Style:
    colours = THEMES[theme]
    ground = _hex(style.bgcolor) or colours["background"]
    attributes, code, _ = few_colours("", _hex(style.color), ground, colours, sixteen=sixteen)
    is_reversed = ("reverse" in attributes) != bool(style.reverse)
    colour = _DEFAULT if is_reversed or not code or code == "39" else RichColor.from_ansi(int(code) - 30)
    # Added to the old style: the target of a click, which is in it, must stay.
    return style + Style(
        color=colour,
        bgcolor=_DEFAULT,
        reverse=is_reversed,
        underline=True if "underline" in attributes else None,
    )


def _hex(colour: RichColor | None) -> str:
    """A colour as ``#rrggbb``; "" if it is not a true colour, as those of the palette are."""
    if colour is None or colour.triplet is None:
        return ""
    return colour.triplet.hex
