"""Read facts about the terminal from the environment: its colours, its characters, and how it draws images.
Spell text in ASCII for a terminal that draws nothing else.

The terminal itself is not queried: an answer would take a moment, might not come, and would arrive among the
keys.
The ASCII spelling takes as many cells as the text, and each character that carries a meaning on leafmark's
screens has a spelling of its own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import cache

from app.view.cells import char_width, graphemes

_OWN = "…·─│├└╭╮╰╯❯▸▾→←●◐★✓"
_FAR_APART = "é…❯漢\U0001f600"


def colour_depth(env: Mapping[str, str]) -> int:
    """Bits of colour of the terminal, found as Textual finds them: 24, 8 or 4; 0 for none."""
    if env.get("NO_COLOR"):
        return 0
    if env.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return 24
    name = env.get("TERM", "").strip().lower()
    if name == "xterm-kitty" or name.endswith("-256color"):
        return 8
    return 4


def can_place_text(env: Mapping[str, str]) -> bool:
    """Whether the terminal can place text. A terminal without a name is taken for one that can: nearly all in
    use can, and Textual asks for no name.
    """
    return env.get("TERM") not in ("dumb", "unknown")


def is_ascii_terminal(env: Mapping[str, str]) -> bool:
    """Whether the locale has ASCII characters only: C or POSIX."""
    named = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    if named == "C.UTF-8" and not env.get("LC_ALL"):
        # Python itself sets it in place of C
        named = env.get("LANG") or named
    return named in ("C", "POSIX")


def encodes_own_glyphs(encoding: str) -> bool:
    """Whether an encoding has the characters of leafmark's own screens."""
    return can_encode(_OWN, encoding)


def encodes_all(encoding: str) -> bool:
    """Whether an encoding has all characters, as UTF-8 has."""
    return can_encode(_FAR_APART, encoding)


def speller(encoding: str, *, ascii_only: bool) -> Callable[[str], str] | None:
    """The function that spells a text so that it can be drawn, in as many cells; None if no text has to be
    spelt.

    :param encoding: the encoding of the output. Characters that it lacks are spelt in ASCII.
    :param ascii_only: spell all characters in ASCII.
    """
    if ascii_only:
        return ascii_text
    if encodes_all(encoding):
        return None
    return lambda text: spelled_for(text, encoding)


def can_encode(text: str, encoding: str) -> bool:
    """Whether an encoding has every character of `text`."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


_SIGNS = dict(
    zip(
        "…·─│├└┌┐┘┴┬┤┼╭╮╰╯═║╞╡━┃❯›▸▾→←↑↓↳⊟⊞•●◐◆★✓✗“”‘’–—×▁▂▃▄▅▆▇█▌▐‹≡‖Ψ−⌫■†",
        "~.-||`+++++++++++=|||=|>>>v><^v>=+*o~#^+x\"\"''--x########||<=|Y-dkg",
        strict=True,
    )
)


@cache
def _spell(char: str) -> str:
    """The ASCII spelling of a character."""
    if char in _SIGNS:
        return _SIGNS[char]
    cells = char_width(char)
    if not cells:
        return ""
    plain = [part for part in unicodedata.normalize("NFKD", char) if part.isascii()]
    if len(plain) == 1 and cells == 1 and plain[0].isprintable():
        return plain[0]
    return "?" * cells


def ascii_text(text: str) -> str:
    """``text`` in ASCII: letters without their accents, and "?" for each cell without another spelling."""
    if text.isascii():
        return text
    spelled = []
    for piece, cells in graphemes(text):
        plain = "".join(char if char.isascii() else _spell(char) for char in piece)
        # a symbol with the emoji style is wider than its character
        spelled.append(plain if len(plain) == cells else plain[:cells].ljust(cells, "?"))
    return "".join(spelled)


def ascii_lines(text: str) -> str:
    """`ascii_text` of lines; their escape sequences for colours stay."""
    return _apart(text, ascii_text)


def spelled_for(text: str, encoding: str) -> str:
    """Lines in which the characters that `encoding` lacks are spelt in ASCII."""
    if can_encode(text, encoding):
        return text

    def spell(part: str) -> str:
        return "".join(
            piece if can_encode(piece, encoding) else ascii_text(piece) for piece, _ in graphemes(part)
        )

    return _apart(text, spell)


def _apart(text: str, spell: Callable[[str], str]) -> str:
    """Spell the parts between line ends and escape characters. These would be taken for marks on other
    characters.
    """
    lines = text.split("\n")
    return "\n".join("\x1b".join(map(spell, line.split("\x1b"))) for line in lines)


BLOCKS, KITTY, NONE = "blocks", "kitty", ""
AUTO, OFF = "auto", "off"
IMAGE_SETTINGS = (AUTO, OFF, BLOCKS, KITTY)
"""The values of the setting."""


def image_method(setting: str, env: Mapping[str, str], *, ascii_only: bool = False) -> str:
    """`KITTY`, `BLOCKS` or `NONE`.

    :param setting: one of `IMAGE_SETTINGS`. Without colours, no setting draws images.
    :param env: the environment of the terminal.
    :param ascii_only: the screen is drawn in ASCII.
    """
    if ascii_only or "NO_COLOR" in env or setting == OFF:
        return NONE
    if setting != AUTO:
        return setting
    if _is_kitty(env):
        return KITTY
    return BLOCKS if _has_colours(env) else NONE


def _is_kitty(env: Mapping[str, str]) -> bool:
    """Whether the terminal knows placeholders. A multiplexer does not pass them on, and other terminals that
    were started from kitty inherit KITTY_WINDOW_ID.
    """
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "")
    if any(env.get(name) for name in ("TMUX", "STY", "ZELLIJ")) or term.startswith(("screen", "tmux")):
        return False
    if program == "ghostty" or term in ("xterm-kitty", "xterm-ghostty"):
        return True
    return bool(env.get("KITTY_WINDOW_ID")) and program in ("", "kitty") and term.startswith("xterm")


def _has_colours(env: Mapping[str, str]) -> bool:
    """Whether the terminal has at least 256 colours, by the usual names."""
    if env.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return True
    return env.get("TERM", "").endswith(("256color", "-direct", "kitty", "ghostty"))
