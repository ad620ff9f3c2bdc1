"""How folders and files are written on screen."""

from __future__ import annotations

from app.formats.text import one_line
from app.paths import below_home
from app.view.cells import most, shorten, shorten_start, steady

TIME_CELLS = 17
"""Of the name of a session's file: its date, hour and minute, and that there is more."""


def tilde(path: str, home: str) -> str:
    """The folder with the home folder as ``~``, inert; ``(no folder)`` for an empty one."""
    if not path:
        return "(no folder)"
    short = below_home(path, home)
    return one_line("~" + path[short:] if short else path, 1_000)


def file_path(path: str, home: str, cells: int) -> str:
    """The path of a session's file in at most so many cells, inert and steady. Where there is no room for the
    whole, the folder and the name; then the end of the folder, which is what it is called, and the beginning
    of the name, which is its time.
    """
    whole = steady(tilde(path, home))
    if most(whole) <= cells:
        return whole
    above, _, name = whole.rpartition("/")
    folder = "…/" + above.rpartition("/")[2] if "/" in above[1:] else above
    room = cells - 1
    if most(folder) + min(most(name), TIME_CELLS) > room:
        least = max(room // 3, room - min(most(name), TIME_CELLS))
        folder = shorten_start(folder.removeprefix("…/"), least)
    return shorten(f"{folder}/{name}", max(0, cells))
