"""The whole screen with the terminal's own colours, for terminals that have few, and for users who want none
(NO_COLOR).

Textual would paint shades of grey, or the nearest of sixteen colours: over a terminal of the other brightness
as well, and not as the first frame has it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter, Monochrome

from app.view.palette import THEMES, few_colours

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from textual.app import App
    from textual.color import Color

_DEFAULT = RichColor.default()


def filters_of(app: App[Any], bits: int) -> list[LineFilter]:
    """Those of an application, so that it goes on as the first frame has begun.

    :param bits: of colour. Textual takes none where NO_COLOR is empty as well, which says nothing.
    """
    others = [each for each in app._filters if not isinstance(each, Monochrome)]
    if bits >= 8:
        return others
    return [*others, FewColours(lambda: app.theme.removeprefix("leafmark-"), sixteen=bits > 0)]


class FewColours(LineFilter):
    """Tells with attributes what is told with colours elsewhere, as the first frame does."""

    def __init__(self, theme: Callable[[], str], *, sixteen: bool) -> None:
        """:param theme: the palette's name for the theme that is on.
        :param sixteen: there are that many colours; else none.
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


@lru_cache(maxsize=2_048)
def _plain(style: Style, theme: str, sixteen: bool) -> Style:
    colours = THEMES[theme]
    ground = _spelled(style.bgcolor) or colours["background"]
    attributes, code, _ = few_colours("", _spelled(style.color), ground, colours, sixteen=sixteen)
    is_turned = ("reverse" in attributes) != bool(style.reverse)
    colour = _DEFAULT if is_turned or not code or code == "39" else RichColor.from_ansi(int(code) - 30)
    # added to what it was: whom a click on it is for stays
    return style + Style(
        color=colour,
        bgcolor=_DEFAULT,
        reverse=is_turned,
        underline=True if "underline" in attributes else None,
    )


def _spelled(colour: RichColor | None) -> str:
    """As ``#rrggbb``; "" where it is none of ours."""
    if colour is None or colour.triplet is None:
        return ""
    return colour.triplet.hex
