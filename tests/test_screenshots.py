"""The pictures of the README: each exists as SVG and PNG, and tidying does not change how it looks."""

from __future__ import annotations

import io
import re

from rich.console import Console
from rich.text import Text

from tests.screenshots import SHOTS, TARGET
from tests.svg import tidy

RECTANGLE = re.compile(
    r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*?/>'
)


def test_every_picture_exists_as_svg_and_as_png_and_the_tour_as_gif() -> None:
    expected = {f"{name}.{ending}" for name, *_ in SHOTS for ending in ("svg", "png")} | {"tour.gif"}
    assert {path.name for path in TARGET.iterdir()} == expected


def test_no_picture_loads_anything_from_the_web() -> None:
    for path in TARGET.glob("*.svg"):
        assert not re.search(r"url\((?!#)|href|@import", path.read_text(encoding="utf-8")), path


def test_a_tidy_picture_has_the_same_colours_and_text() -> None:
    raw = _picture()
    tidied = tidy(raw)
    assert len(tidied) < len(raw)
    assert len(RECTANGLE.findall(tidied)) < len(RECTANGLE.findall(raw)) / 2
    for y in (5.0, 30.0, 55.0):
        for x in range(3, 240, 6):
            assert _colour(tidied, x, y) == _colour(raw, x, y) != "", (x, y)
    words = re.findall(r">([^<\s]+)</text>", tidied)
    assert words == [word.replace("&#160;", "\xa0") for word in re.findall(r">([^<\s]+)</text>", raw)] != []


def _picture() -> str:
    """Return the SVG of three rows of twenty cells with many segments of few colours."""
    console = Console(
        record=True, width=20, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for row in range(3):
        text = Text()
        for column in range(20):
            background = "#101010" if column < 14 or row == 1 else "#402020"
            text.append("abc d"[column % 5], style=f"#8{column % 3}8080 on {background}")
        console.print(text)
    return console.export_svg(title="picture")


def _colour(svg: str, x: float, y: float) -> str:
    """Return the background colour at a point."""
    colour = ""
    for fill, left, top, width, height in RECTANGLE.findall(svg):
        if float(left) <= x < float(left) + float(width) and float(top) <= y < float(top) + float(height):
            colour = fill
    return colour
