"""Remove the links to the web from Rich's SVG of a screen, and draw it as PNG."""

from __future__ import annotations

import re
from pathlib import Path

FONTS = Path("/usr/share/fonts/truetype")
_FAMILY = "Fira Code, DejaVu Sans Mono, Menlo, Consolas, monospace"
_PNG_FAMILY = "DejaVu Sans Mono, FreeMono, Symbola, WenQuanYi Micro Hei Mono, monospace"


def tidy(svg: str) -> str:
    """Return the same picture without fonts from the web, which a picture in a page must not load.

    The names in it are the same in every picture: two of them in one page have to be two `img` elements.
    """
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg).replace("Fira Code, monospace", _FAMILY)
    svg = re.sub(r"\bterminal-\d+", "t", svg).replace("&#160;", "\N{NO-BREAK SPACE}")
    return re.sub(r"\s*\n\s*", "\n", svg).strip() + "\n"


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
