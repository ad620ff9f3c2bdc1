"""What the environment says of the terminal: whether there can be a screen, its colours, and which characters
it draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OWN = "…·─│├└╭╮╰╯❯▸▾→←●◐★✓"
_FAR_APART = "é…❯漢\U0001f600"


def depth(env: Mapping[str, str]) -> int:
    """Bits of colour that the terminal takes, found as the screen library finds it: 24, 8 or 4; 0 for
    none.
    """
    if env.get("NO_COLOR"):
        return 0
    if env.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return 24
    name = env.get("TERM", "").strip().lower()
    if name == "xterm-kitty" or name.endswith("-256color"):
        return 8
    return 4


def places_text(env: Mapping[str, str]) -> bool:
    """Whether the terminal can put text where it is told to. One of which nothing is said can: hardly any
    that is in use cannot, and the screen library asks for no name.
    """
    return env.get("TERM") not in ("dumb", "unknown")


def is_ascii_terminal(env: Mapping[str, str]) -> bool:
    """Whether the locale is one without any other characters: C or POSIX."""
    named = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    if named == "C.UTF-8" and not env.get("LC_ALL"):
        # Python itself sets it in place of C
        named = env.get("LANG") or named
    return named in ("C", "POSIX")


def draws_signs(encoding: str) -> bool:
    """Whether an encoding has the characters that leafmark's own screens are drawn with."""
    return fits(_OWN, encoding)


def draws_all(encoding: str) -> bool:
    """Whether an encoding has all characters there are, as UTF-8."""
    return fits(_FAR_APART, encoding)


def speller(encoding: str, *, ascii_only: bool) -> Callable[[str], str] | None:
    """What spells a text as it can be drawn, in as many cells; None where any text can be as it is.

    :param encoding: of what is written to the terminal. What it lacks is spelt in ASCII.
    :param ascii_only: everything is.
    """
    # nothing of it is loaded for most terminals
    if ascii_only:
        from app.view.ascii_text import ascii_text

        return ascii_text
    if draws_all(encoding):
        return None
    from app.view.ascii_text import encodable

    return lambda text: encodable(text, encoding)


def fits(text: str, encoding: str) -> bool:
    """Whether an encoding has every character of `text`."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
