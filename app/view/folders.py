"""How folders are written on screen."""

from __future__ import annotations

import os

from app.formats.text import one_line


def tilde(path: str, home: str) -> str:
    """The folder with the home folder as ``~``, inert; ``(no folder)`` for an empty one."""
    if not path:
        return "(no folder)"
    if home and home != "/":
        if path == home:
            return "~"
        if path.startswith(home.rstrip(os.sep) + os.sep):
            path = "~" + path[len(home.rstrip(os.sep)) :]
    return one_line(path, 1_000)
