"""The named styles of ``app.view.palette`` as Rich styles."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.color import Color, ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from app.view.cells import width
from app.view.palette import THEMES, ground_of, rgb, style_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from app.view.line import Span


class ImageStyle(Style):
    """The style of the cells of an image that the terminal draws: their colour is the number of the image.
    Dimming, as by a dialog, changes only their background.
    """

    def clear_meta_and_links(self) -> Style:  # type: ignore[override]  # it is cached there
        return self

    def __add__(self, style: Style | None) -> Style:
        return _image_style(self.color, super().__add__(style).bgcolor)


@lru_cache(maxsize=512)
def _image_style(colour: Color | None, background: Color | str | None) -> Style:
    return ImageStyle(color=colour, bgcolor=background)


def _numbered(name: str) -> Color:
    """A colour of 256 by its number, with a triplet: Textual replaces a colour without one by a true colour,
    which the terminal would take for the number of another image.
    """
    return Color.parse(name)._replace(triplet=ColorTriplet(0, 0, 0))


def theme_name(widget: Widget) -> str:
    """The palette's name of the current theme."""
    name = widget.app.theme.removeprefix("leafmark-")
    return name if name in THEMES else "dark"


@lru_cache(maxsize=512)
def rich_style(name: str, theme: str, background: str) -> Style:
    """A named style on a named background colour of a theme."""
    colours = THEMES[theme]
    if name.startswith("color("):
        return _image_style(_numbered(name), colours[background])
    colour, attributes = style_of(name, colours)
    flags = attributes.split()
    return Style(
        color=colour,
        bgcolor=colours[ground_of(name, background)],
        bold="bold" in flags or None,
        italic="italic" in flags or None,
        underline="underline" in flags or None,
    )


@lru_cache(maxsize=8_192)
def pixel_style(name: str, below: str) -> Style:
    """The style of a cell with two pixels, one above the other.

    :param name: "#rrggbb #rrggbb", or "#rrggbb" for the upper pixel alone.
    :param below: the colour of a lower pixel that `name` does not give.
    """
    upper, _, lower = name.partition(" ")
    return Style.from_color(_colour(upper), _colour(lower or below))


@lru_cache(maxsize=8_192)
def _colour(spelled: str) -> Color:
    # Rich's parser would take longer than the rest of the drawing.
    return Color(spelled, ColorType.TRUECOLOR, triplet=ColorTriplet(*rgb(spelled)))


@lru_cache(maxsize=8)
def _blank(theme: str) -> Style:
    return Style(bgcolor=THEMES[theme]["background"])


def strip(line: Iterable[Span], theme: str, background: str = "background", cells: int = 0) -> Strip:
    """A line of the view as a strip of Textual.

    :param cells: the least width; the cells behind the line have the plain background.
    """
    styled = [(text, _style(name, theme, background)) for text, name in line if text]
    # Spans of one style are joined: each segment is sent to the terminal with its whole style.
    segments = [
        Segment("".join([text for text, _ in spans]), style)
        for style, spans in groupby(styled, itemgetter(1))
    ]
    filled = sum(width(segment.text) for segment in segments)
    if filled < cells:
        segments.append(Segment(" " * (cells - filled), _blank(theme)))
        filled = cells
    return Strip(segments, filled)


def with_images(drawn: Strip) -> Strip:
    """Restore the `ImageStyle` of a strip's image cells, which is lost if it was added to another style."""
    if not any(map(_is_image, drawn)):
        return drawn
    segments = [_with_image_style(segment) if _is_image(segment) else segment for segment in drawn]
    return Strip(segments, drawn.cell_length)


def _is_image(segment: Segment) -> bool:
    colour = segment.style.color if segment.style is not None else None
    # All other colours are true colours.
    return colour is not None and colour.type == ColorType.EIGHT_BIT


def _with_image_style(segment: Segment) -> Segment:
    style = segment.style or Style()
    return Segment(segment.text, _image_style(style.color, style.bgcolor))


def _style(name: str, theme: str, background: str) -> Style:
    if name[0] == "#":
        return pixel_style(name, THEMES[theme][background])
    return rich_style(name, theme, background)
