"""Themes besides leafmark's dark and light: a high-contrast one, some of Textual's, and those of users.

Each is made from eight colours. Only those of Textual's themes are here whose text can be read on the ground
and on the selected row (contrast 4.5) and whose other colours can be told from both (contrast 3); a test
measures it. Loading this module takes time that the first frame with another theme does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.view.palette import DARK, LIGHT, THEMES, contrast, is_dark, rgb

BASE = ("background", "text", "blue", "purple", "cyan", "green", "yellow", "red")
"""The colours from which the others are made."""
HIGH_CONTRAST = {
    "background": "#000000",
    "text": "#ffffff",
    "blue": "#8cc8ff",
    "purple": "#e0b0ff",
    "cyan": "#6ff2ff",
    "green": "#7dff7d",
    "yellow": "#ffe14d",
    "red": "#ff9c9c",
    "dim": "#d8d8d8",
    "border": "#ffffff",
}
TEXTUAL = {
    "atom-one-dark": "#282c34 #abb2bf #61afef #c678dd #a378c2 #62f062 #deb25b #f06262",
    "catppuccin-frappe": "#303446 #c6d0f5 #ca9ee6 #ef9f76 #f4b8e4 #a6d189 #e5c890 #e78284",
    "catppuccin-macchiato": "#24273a #cad3f5 #c6a0f6 #f5a97f #f5bde6 #a6da95 #eed49f #ed8796",
    "catppuccin-mocha": "#181825 #cdd6f4 #f5c2e7 #cba6f7 #fab387 #abe9b3 #fae3b0 #f28fad",
    "dracula": "#282a36 #f8f8f2 #bd93f9 #ff79c6 #ff79c6 #50fa7b #ffb86c #ff5555",
    "gruvbox": "#282828 #fbf1c7 #85a598 #a89a85 #fabd2f #b8bb26 #fe8019 #fb4934",
    "monokai": "#272822 #d6d6d6 #ae81ff #f92672 #66d9ef #a6e22e #fd971f #f92672",
    "rose-pine": "#191724 #e0def4 #c4a7e7 #ebbcba #ebbcba #9ccfd8 #f6c177 #eb6f92",
    "rose-pine-moon": "#232136 #e0def4 #c4a7e7 #3e8fb0 #ea9a97 #9ccfd8 #f6c177 #eb6f92",
    "tokyo-night": "#1a1b26 #a9b1d6 #bb9af7 #7aa2f7 #ff9e64 #9ece6a #e0af68 #f7768e",
}
"""The name of a theme of Textual -> its own colours, in the order of `BASE`."""
BUNDLED = ("dark", "light", "high-contrast", *TEXTUAL)
"""The names of all themes that come with leafmark, in the order of the list."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class WrongTheme(ValueError):
    """A user's theme that cannot be used; the text says why."""


def load_bundled(name: str) -> bool:
    """Put a theme that comes with leafmark into `THEMES`, if it is not there; False if there is none."""
    if name == "high-contrast":
        THEMES.setdefault(name, complete(HIGH_CONTRAST))
    elif name in TEXTUAL:
        THEMES.setdefault(name, complete(dict(zip(BASE, TEXTUAL[name].split(), strict=True))))
    return name in THEMES


def user_theme(table: Mapping[str, object]) -> dict[str, str]:
    """The colours of a theme in a user's file.

    :param table: names of the palette and their colours as ``#rrggbb``.
    :raises WrongTheme: a name is unknown, a value is no colour, or the text cannot be read.
    """
    for name, value in table.items():
        if name not in DARK:
            raise WrongTheme(f"{name} is not a colour of a theme ({', '.join(DARK)})")
        if not isinstance(value, str) or not _COLOUR.fullmatch(value):
            raise WrongTheme(f'{name} must be a colour such as "#82aaff"')
    colours = complete({name: str(value).lower() for name, value in table.items()})
    for ground in ("background", "cursor"):
        if contrast(colours["text"], colours[ground]) < 4.5:
            raise WrongTheme(f"text cannot be read on {ground}: their contrast is below 4.5")
    return colours


def complete(given: Mapping[str, str]) -> dict[str, str]:
    """All colours of a theme.

    :param given: some of them, as ``#rrggbb``. Those of `BASE` that are missing are leafmark's own, and the
        others are mixed.
    """
    own = LIGHT if "background" in given and not is_dark(given) else DARK
    base = {name: given.get(name, own[name]) for name in BASE}
    ground, text, blue = base["background"], base["text"], base["blue"]
    cursor = given.get("cursor", mix(ground, blue, 0.14))
    idle = mix(ground, text, 0.1)
    dim = next(
        (
            colour
            for colour in (mix(ground, text, part / 100) for part in range(50, 100, 2))
            if min(contrast(colour, cursor), contrast(colour, idle)) >= 4.5
        ),
        text,
    )
    dim = given.get("dim", dim)
    mixed = {
        "background": ground,
        "surface": ground,
        "panel": mix(ground, text, 0.05),
        "cursor": cursor,
        "cursor-idle": idle,
        "mark": mix(ground, base["yellow"], 0.2),
        "border": mix(ground, text, 0.25),
        "focus": blue,
        "dim": dim,
        "faint": dim,
        "hint": dim,
        "orange": mix(base["yellow"], base["red"], 0.35),
        "added-ground": mix(ground, base["green"], 0.12),
        "removed-ground": mix(ground, base["red"], 0.14),
    }
    return {name: {**base, **mixed, **given}[name] for name in DARK}


def mix(colour: str, other: str, part: float) -> str:
    """A colour between two, as ``#rrggbb``.

    :param part: how much of `other` it has, from 0 to 1.
    """
    pairs = zip(rgb(colour), rgb(other), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * part):02x}" for one, two in pairs)
