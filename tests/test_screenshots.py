"""The pictures of the README: each exists as SVG and PNG, and loads nothing."""

from __future__ import annotations

import re

from tests.screenshots import SHOTS, TARGET


def test_every_picture_exists_as_svg_and_as_png_and_the_tour_as_gif() -> None:
    expected = {f"{name}.{ending}" for name, *_ in SHOTS for ending in ("svg", "png")} | {"tour.gif"}
    assert {path.name for path in TARGET.iterdir()} == expected


def test_no_picture_loads_anything_from_the_web() -> None:
    for path in TARGET.glob("*.svg"):
        assert not re.search(r"url\((?!#)|href|@import", path.read_text(encoding="utf-8")), path
