"""How images can be drawn on a terminal, as far as the environment tells. The terminal itself is never asked:
an answer takes a moment, at worst does not come, and arrives among the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCKS, KITTY, NONE = "blocks", "kitty", ""
AUTO, OFF = "auto", "off"
SETTINGS = (AUTO, OFF, BLOCKS, KITTY)
"""What a user may set."""


def way_to_draw(setting: str, env: Mapping[str, str], *, ascii_only: bool = False) -> str:
    """`KITTY`, `BLOCKS` or `NONE`.

    :param setting: one of `SETTINGS`. None of them draws an image where there is no colour.
    :param env: of the user's terminal.
    :param ascii_only: the screen is drawn with plain characters.
    """
    if ascii_only or "NO_COLOR" in env or setting == OFF:
        return NONE
    if setting != AUTO:
        return setting
    if _is_kitty(env):
        return KITTY
    return BLOCKS if _has_colours(env) else NONE


def _is_kitty(env: Mapping[str, str]) -> bool:
    """Whether the terminal is one that knows placeholders. A multiplexer between lets nothing of it through,
    and KITTY_WINDOW_ID also comes down to other terminals that are started from one of kitty.
    """
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "")
    if any(env.get(name) for name in ("TMUX", "STY", "ZELLIJ")) or term.startswith(("screen", "tmux")):
        return False
    if program == "ghostty" or term in ("xterm-kitty", "xterm-ghostty"):
        return True
    return bool(env.get("KITTY_WINDOW_ID")) and program in ("", "kitty") and term.startswith("xterm")


def _has_colours(env: Mapping[str, str]) -> bool:
    """Whether there are 256 colours at least, by the words that programs go by."""
    if env.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return True
    return env.get("TERM", "").endswith(("256color", "-direct", "kitty", "ghostty"))
