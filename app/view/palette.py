"""The colours and attributes of the named styles, and leafmark's dark and light theme.

One table serves the first frame, which is drawn before Textual is imported, the Textual theme and the
widgets, so that the first and the second picture are the same. Styles that carry meaning also differ by a
character on screen.
"""

from __future__ import annotations

from collections.abc import Mapping

DARK: dict[str, str] = {
    "background": "#10141b",
    "surface": "#10141b",
    "panel": "#19202b",
    "cursor": "#25344f",
    "cursor-idle": "#1f2735",
    "mark": "#4a3c14",
    "border": "#3a465c",
    "focus": "#82aaff",
    "text": "#d5dcea",
    "dim": "#929eb4",
    "faint": "#929eb4",
    "hint": "#929eb4",
    "blue": "#82aaff",
    "green": "#8fd080",
    "yellow": "#e8bd66",
    "red": "#ff8b8f",
    "purple": "#c3a6ff",
    "cyan": "#74cbdc",
    "orange": "#f2a477",
    "added-ground": "#16281f",
    "removed-ground": "#2e1b21",
}
LIGHT: dict[str, str] = {
    "background": "#fbfaf7",
    "surface": "#fbfaf7",
    "panel": "#f0eee8",
    "cursor": "#cfdcf7",
    "cursor-idle": "#e6e6e6",
    "mark": "#fbe3a0",
    "border": "#b4b8c1",
    "focus": "#1f4fb8",
    "text": "#1f242c",
    "dim": "#545b68",
    "faint": "#545b68",
    "hint": "#545b68",
    "blue": "#1f4fb8",
    "green": "#1d6426",
    "yellow": "#6f4e00",
    "red": "#a81f19",
    "purple": "#5b33a3",
    "cyan": "#085a69",
    "orange": "#8f400a",
    "added-ground": "#e2f2e0",
    "removed-ground": "#fbe5e2",
}
THEMES: dict[str, dict[str, str]] = {"dark": DARK, "light": LIGHT}
"""The themes by name. `app.view.themes` adds the others when one of them is chosen."""

# style -> (colour name, attributes)
STYLES: dict[str, tuple[str, str]] = {
    "text": ("text", ""),
    "ground": ("background", ""),
    "dim": ("dim", ""),
    "faint": ("faint", ""),
    "hint": ("hint", ""),
    "strong": ("text", "bold"),
    "brand": ("blue", "bold"),
    "border": ("border", ""),
    "border-focus": ("focus", ""),
    "border-title": ("dim", ""),
    "border-title-focus": ("focus", "bold"),
    "key": ("blue", "bold"),
    "group": ("cyan", "bold"),
    "count": ("dim", ""),
    "title": ("text", ""),
    "derived": ("dim", "italic"),
    "name": ("text", "bold"),
    "agent": ("dim", ""),
    "agent-pi": ("blue", ""),
    "agent-omp": ("purple", ""),
    "agent-claude": ("orange", ""),
    "agent-codex": ("green", ""),
    "agent-indusagi": ("cyan", ""),
    "agent-agent": ("yellow", ""),
    "age": ("dim", ""),
    "messages": ("dim", ""),
    "branches": ("purple", ""),
    "labels": ("orange", ""),
    "live": ("green", "bold"),
    "maybe": ("yellow", ""),
    "fork": ("purple", ""),
    "pointer": ("focus", "bold"),
    "pin": ("yellow", ""),
    "marked": ("yellow", "bold"),
    "match": ("yellow", "bold underline"),
    "user": ("blue", "bold"),
    "assistant": ("text", ""),
    "tool": ("dim", ""),
    "bash": ("cyan", ""),
    "custom": ("purple", ""),
    "compaction": ("orange", ""),
    "summary": ("orange", ""),
    "meta": ("dim", ""),
    "system": ("dim", ""),
    "unknown": ("yellow", ""),
    "error": ("red", ""),
    "label": ("orange", "bold"),
    "leaf": ("green", "bold"),
    "path": ("focus", "bold"),
    "gutter": ("dim", ""),
    "warning": ("yellow", ""),
    "heading": ("cyan", "bold"),
    "code": ("purple", ""),
    "quote": ("dim", "italic"),
    "thinking": ("dim", "italic"),
    "call": ("cyan", ""),
    "result": ("dim", ""),
    "bold": ("text", "bold"),
    "section": ("focus", "bold"),
    "emphasis": ("text", "italic"),
    "link": ("blue", "underline"),
    "bullet": ("cyan", "bold"),
    "argument": ("cyan", ""),
    "added": ("green", ""),
    "removed": ("red", ""),
    "hunk": ("purple", ""),
    "syntax": ("text", ""),
    "syntax-keyword": ("purple", ""),
    "syntax-name": ("blue", ""),
    "syntax-string": ("green", ""),
    "syntax-number": ("orange", ""),
    "syntax-comment": ("dim", "italic"),
    "file": ("text", "bold"),
}

# For terminals with at most sixteen colours: the colours of the terminal that can be read on its own
# background. The cursor is shown by attributes, which need no colour.
SIXTEEN: dict[str, dict[str, int]] = {
    "dark": {
        "blue": 6,
        "focus": 6,
        "green": 2,
        "yellow": 3,
        "red": 1,
        "purple": 5,
        "cyan": 6,
        "orange": 3,
    },
    "light": {"blue": 4, "focus": 4, "green": 2, "red": 1, "purple": 5, "cyan": 6, "orange": 1},
}
GROUNDS = ("background", "surface", "panel", "added-ground", "removed-ground", "mark")
UNDERLINED = ("cursor-idle",)


def few_colours(
    attributes: str, colour: str, ground: str, theme: Mapping[str, str], *, sixteen: bool
) -> tuple[str, str, str]:
    """A look for a terminal with few colours or none: its attributes, and the codes of both colours.

    :param colour: ``#rrggbb``. A colour that is not in the theme is taken for that of text.
    :param ground: the background, ``#rrggbb``. One that is not in the theme is taken for a highlight if it
        differs enough from the theme's.
    :param sixteen: the terminal has sixteen colours.
    """
    names = attributes.split()
    if ground in [theme[name] for name in UNDERLINED]:
        names.append("underline")
    elif _stands_out(ground, theme):
        names.append("reverse")
    if not sixteen:
        return " ".join(dict.fromkeys(names)), "", ""
    numbers = SIXTEEN["dark" if is_dark(theme) else "light"]
    number = next((number for name, number in numbers.items() if theme[name] == colour), None)
    # in reverse, the colour of a piece of text would become the background of a part of the row
    code = "39" if number is None or "reverse" in names else f"3{number}"
    return " ".join(dict.fromkeys(names)), code, ""


_FAR = 30
"""Mean difference of the three numbers from the theme's background above which a background is a
highlight.
"""


def _stands_out(ground: str, theme: Mapping[str, str]) -> bool:
    """Whether a background is a highlight: a cursor, a thumb, a selection."""
    if ground in [theme[name] for name in GROUNDS]:
        return False
    if ground in theme.values():
        return True
    pairs = zip(rgb(ground), rgb(theme["background"]), strict=True)
    return sum(abs(one - other) for one, other in pairs) > 3 * _FAR


def rgb(colour: str) -> tuple[int, int, int]:
    """The three numbers of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def is_dark(theme: Mapping[str, str]) -> bool:
    """Whether the background of a theme is dark."""
    return luminance(theme["background"]) < 0.18


def luminance(colour: str) -> float:
    """The relative luminance of a colour, from 0 to 1, as the guidelines for web content define it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (number / 255 for number in rgb(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21, as the guidelines for web content define it."""
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def eight_bit(colour: str) -> int:
    """The nearest colour of a terminal's 256, as Textual finds it: a grey from the ramp if there is hardly
    any hue, else a colour of the cube.
    """
    red, green, blue = (part / 255 for part in rgb(colour))
    high, low = max(red, green, blue), min(red, green, blue)
    light = (high + low) / 2
    spread = high - low
    saturation = spread / (2 - high - low if light > 0.5 else high + low) if spread else 0.0
    if saturation < 0.15:
        grey = round(light * 25)
        return 16 if grey == 0 else 231 if grey == 25 else 231 + grey
    steps = [
        part * 255 / 95 if part * 255 < 95 else 1 + (part * 255 - 95) / 40 for part in (red, green, blue)
    ]
    return 16 + 36 * round(steps[0]) + 6 * round(steps[1]) + round(steps[2])


_OWN_GROUNDS = {"match": "mark"}


def ground_of(name: str, background: str) -> str:
    """The name of the background of a style on a row with this background: some styles have their own."""
    return _OWN_GROUNDS.get(name, background)


def style_of(name: str, theme: Mapping[str, str]) -> tuple[str, str]:
    """A style's colour as ``#rrggbb`` and its attributes, space separated.

    :raises KeyError: there is no such style.
    """
    colour, attributes = STYLES[name]
    return theme[colour], attributes
