"""Make Rich's SVG of a screen smaller, remove its links to the web, and draw it as PNG."""

from __future__ import annotations

import re
from pathlib import Path

FONTS = Path("/usr/share/fonts/truetype")
_FAMILY = "Fira Code, DejaVu Sans Mono, Menlo, Consolas, monospace"
_PNG_FAMILY = "DejaVu Sans Mono, FreeMono, Symbola, WenQuanYi Micro Hei Mono, monospace"
_NUMBER = r'"([\d.]+)"'
_RECTANGLE = re.compile(
    rf'<rect fill="([^"]*)" x={_NUMBER} y={_NUMBER} width={_NUMBER} height="([\d.]+)"'
    ' shape-rendering="crispEdges"/>'
)
_RECTANGLES = re.compile(rf"(?:{_RECTANGLE.pattern})+")


def tidy(svg: str) -> str:
    """Return the same picture in less than half the bytes: no fonts from the web (a picture in a page must
    not load any), one rectangle for neighbours of one colour, short names.

    The names are the same in every picture: two of them in one page have to be two `img` elements.
    """
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg).replace("Fira Code, monospace", _FAMILY)
    svg = re.sub(r"\bterminal-\d+", "t", svg).replace("&#160;", "\N{NO-BREAK SPACE}")
    svg = _RECTANGLES.sub(_joined, svg)
    return re.sub(r"\s*\n\s*", "\n", svg).strip() + "\n"


def _joined(run: re.Match[str]) -> str:
    """Return a run of rectangles in which neighbours of one colour are joined."""
    parts: list[str] = []
    fill, left, top, right, height = "", 0.0, "", 0.0, ""

    def draw() -> None:
        if right > left:
            parts.append(
                f'<rect fill="{fill}" x="{left:g}" y="{top}" width="{right - left:g}" height="{height}"/>'
            )

    for rectangle in _RECTANGLE.finditer(run[0]):
        x, width = float(rectangle[2]), float(rectangle[4])
        if (rectangle[1], rectangle[3], rectangle[5]) != (fill, top, height) or abs(x - right) > 0.1:
            draw()
            fill, left, top, height = rectangle[1], x, rectangle[3], rectangle[5]
        right = x + width
    draw()
    return '<g shape-rendering="crispEdges">' + "".join(parts) + "</g>"


def as_png(svg: str) -> bytes:
    """Return the tidy picture as PNG, in a font of this machine."""
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg.replace(_FAMILY, _PNG_FAMILY).replace("arial", "DejaVu Sans"),
            font_dirs=[str(FONTS)],
            font_family="DejaVu Sans Mono",
            monospace_family="DejaVu Sans Mono",
        )
    )
