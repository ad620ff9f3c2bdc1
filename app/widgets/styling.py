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
from app.view.palette import THEMES, rgb, style_of

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """A colour of the palette, by its number and nothing else. Textual puts a true colour in the place of
    those that have no triplet; to the terminal it would be that of another image, or of none.
    """
    return Color.parse(name)._replace(triplet=ColorTriplet(0, 0, 0))


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
        bgcolor=colours[background],
        bold="bold" in flags or None,
        italic="italic" in flags or None,
        underline="underline" in flags or None,
    )


@lru_cache(maxsize=8_192)
def pixel_style(name: str, below: str) -> Style:
    """The style of two pixels, `#rrggbb #rrggbb`; the lower one is `below` where there is but one."""
    upper, _, lower = name.partition(" ")
    return Style.from_color(_colour(upper), _colour(lower or below))


@lru_cache(maxsize=8_192)
def _colour(spelled: str) -> Color:
    # Parsing the colour by Rich would take longer than everything else.
    return Color(spelled, ColorType.TRUECOLOR, triplet=ColorTriplet(*rgb(spelled)))


@lru_cache(maxsize=8)
def _blank(theme: str) -> Style:
    return Style(bgcolor=THEMES[theme]["background"])


def strip(line: Iterable[Span], theme: str, background: str = "background", cells: int = 0) -> Strip:
    """A line of the view as a strip of the terminal library.

    :param cells: how wide the strip is at least; what the line does not fill has the plain background.
    """
    looks = [(text, _look(style, theme, background)) for text, style in line if text]
    # Each segment is sent to the terminal with the whole of its style.
    segments = [
        Segment("".join([text for text, _ in pieces]), look) for look, pieces in groupby(looks, itemgetter(1))
    ]
    filled = sum(width(segment.text) for segment in segments)
    if filled < cells:
        segments.append(Segment(" " * (cells - filled), _blank(theme)))
        filled = cells
    return Strip(segments, filled)


def with_images(drawn: Strip) -> Strip:
    """A strip whose cells of images are known for such again after other styles were put below theirs."""
    if not any(map(_is_of_image, drawn)):
        return drawn
    return Strip([_of_image(each) if _is_of_image(each) else each for each in drawn], drawn.cell_length)


def _is_of_image(segment: Segment) -> bool:
    colour = segment.style.color if segment.style is not None else None
    # all others are true ones
    return colour is not None and colour.type == ColorType.EIGHT_BIT


def _of_image(segment: Segment) -> Segment:
    style = segment.style or Style()
    return Segment(segment.text, _image_style(style.color, style.bgcolor))


def _look(name: str, theme: str, background: str) -> Style:
    if name[0] == "#":
        return pixel_style(name, THEMES[theme][background])
    return rich_style(name, theme, background)
