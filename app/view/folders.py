"""How folders are written on screen."""

from __future__ import annotations

from app.formats.text import one_line
from app.places import below_home


def tilde(path: str, home: str) -> str:
    """The folder with the home folder as ``~``, inert; ``(no folder)`` for an empty one."""
    if not path:
        return "(no folder)"
    short = below_home(path, home)
    return one_line("~" + path[short:] if short else path, 1_000)
