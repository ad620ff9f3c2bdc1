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
    "tree": tour("", "tab"),
    "tree, all entries": tour("", "tab ctrl+a"),
    "tree, user only": tour("", "tab ctrl+u"),
    "tree, labelled": tour("", "tab ctrl+l"),
    "tree, folded": tour("", "tab -"),
    "tree, first row": tour("", "tab home"),
    "tree, next branch point": tour("", "tab home b"),
    "tree, next label": tour("", "tab home m"),
    "tree, label times": tour("", "tab home m T"),
    "tree, search": tour("", 'tab / "redis enter n'),
    "entry": tour("", "tab tab"),
    "entry, raw": tour("", "tab tab r"),
    "entry, previous": tour("", "tab tab ["),
    "label dialog": tour("", "tab L"),
    "label written": tour("", 'tab L "here enter'),
    "go on dialog": tour("", "tab home down enter"),
    "compare": tour("", "tab home b down C"),
    "labels of all": tour("", "'"),
    "help": tour("", "?"),
    "palette": tour("", 'ctrl+k "label'),
    "search": tour("", '/ "redis'),
    "search, nothing": tour("", '/ "zzzz'),
    "search, filter": tour("", '/ "agent:omp enter'),
    "tree, next filters": tour("", "tab ctrl+o ctrl+o"),
    "rename asked": tour("", "ctrl+r"),
    "trash asked": tour("", "ctrl+d"),
    "marked": tour("", "down space space"),
    "pinned": tour("", "down down p"),
    "one order": tour("", "O"),
    "two lines each": tour("", "D"),
    "scope": tour("", "s"),
    "light": tour("--theme light", "down tab"),
    "list alone": tour("", "1 1"),
    "demo": tour("--demo", "down down"),
    "demo tree": tour("--demo", "tab home"),
    "selector": tour("resume"),
    "selector, search and preview": tour("resume", '"redis tab tab tab'),
}
