"""Forty ways to use the screen: words of the command line, and keys. A key of several letters is a name."""

from __future__ import annotations

from typing import NamedTuple

SIZES = ((80, 24), (120, 40))


class Tour(NamedTuple):
    """What is started, and the keys that are pressed once it is ready."""

    words: tuple[str, ...]
    keys: tuple[str, ...]


def tour(words: str, keys: str = "") -> Tour:
    """:param keys: separated by blanks; a part that begins with a quote is typed letter by letter."""
    pressed: list[str] = []
    for part in keys.split():
        pressed += (
            [("space" if key == "_" else key) for key in part[1:]]
            if part[0] == '"' and len(part) > 1
            else [part]
        )
    return Tour(tuple(words.split()), tuple(pressed))


TOURS = {
    "first look": tour(""),
    "down": tour("", "down down down"),
    "last row": tour("", "G"),
    "tree": tour("", "t"),
    "tree, all entries": tour("", "t ctrl+a"),
    "tree, user only": tour("", "t ctrl+u"),
    "tree, labelled": tour("", "t ctrl+l"),
    "tree, folded": tour("", "t -"),
    "tree, first row": tour("", "t home"),
    "tree, next branch point": tour("", "t home b"),
    "tree, next label": tour("", "t home m"),
    "tree, label times": tour("", "t home m T"),
    "tree, search": tour("", 't / "redis enter n'),
    "transcript": tour("", "v"),
    "entry, details": tour("", "t i"),
    "entry, raw": tour("", "t r"),
    "transcript, previous prompt": tour("", "tab ["),
    "label dialog": tour("", "t L"),
    "label written": tour("", 't L "here enter'),
    "go on dialog": tour("", "t home down enter"),
    "compare": tour("", "t home b down C"),
    "labels of all": tour("", "'"),
    "help": tour("", "?"),
    "palette": tour("", 'ctrl+k "label'),
    "search": tour("", '/ "redis'),
    "search, nothing": tour("", '/ "zzzz'),
    "search, filter": tour("", '/ "agent:omp enter'),
    "tree, next filters": tour("", "t ctrl+o ctrl+o"),
    "rename asked": tour("", "ctrl+r"),
    "trash asked": tour("", "ctrl+d"),
    "marked": tour("", "down space space"),
    "pinned": tour("", "down down p"),
    "one order": tour("", "O"),
    "two lines each": tour("", "D"),
    "scope": tour("", "s"),
    "light": tour("--theme light", "down t"),
    "list alone": tour("", "1 1"),
    "demo": tour("--demo", "down down"),
    "demo tree": tour("--demo", "t home"),
    "selector": tour("resume"),
    "selector, search and preview": tour("resume", '"redis tab tab tab'),
}
