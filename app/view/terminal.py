"""What the environment says of the terminal: its colours, and whether it draws more than ASCII."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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


def is_ascii_terminal(env: Mapping[str, str]) -> bool:
    """Whether the locale is one without any other characters: C or POSIX."""
    named = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    if named == "C.UTF-8" and not env.get("LC_ALL"):
        # Python itself sets it in place of C
        named = env.get("LANG") or named
    return named in ("C", "POSIX")
