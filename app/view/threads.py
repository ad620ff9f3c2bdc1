"""Forks under their parents: the order of the sessions of one project.

Roots and children come by the newest activity anywhere below them (PARITY 5, "Listing"); a parent that is not
in the project makes a root. ``parent_session`` is a path or an id, whichever its agent wrote (FORMATS 1.1,
1.2).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row

# characters of the lines of a fork's ancestors; a fork of a fork of a fork shows its nearest ones
DEEPEST = 12


class ThreadRow:
    """One session in its thread: ``prefix`` holds the connectors, ``depth`` is 0 for a root."""

    __slots__ = ("depth", "prefix", "row")

    def __init__(self, row: Row, depth: int, prefix: str) -> None:
        self.row = row
        self.depth = depth
        self.prefix = prefix


def thread(rows: Sequence[Row]) -> list[ThreadRow]:
    """The sessions of one project in threaded order. Loops of parents are cut; every row comes once."""
    parents = _parents(rows)
    if not parents:
        return [ThreadRow(row, 0, "") for row in sorted(rows, key=_newest_first)]
    children: dict[int, list[int]] = {}
    roots: list[int] = []
    for at in range(len(rows)):
        parent = parents.get(at)
        if parent is None:
            roots.append(at)
        else:
            children.setdefault(parent, []).append(at)
    order = _post_order(roots, children)
    newest = [row.modified or 0 for row in rows]
    for at in reversed(order):
        for child in children.get(at, ()):
            newest[at] = max(newest[at], newest[child])

    def rank(at: int) -> tuple[int, str]:
        return -newest[at], rows[at].path

    threaded: list[ThreadRow] = []
    stack: list[tuple[int, int, str, str]] = [(at, 0, "", "") for at in sorted(roots, key=rank, reverse=True)]
    while stack:
        at, depth, prefix, below = stack.pop()
        threaded.append(ThreadRow(rows[at], depth, prefix))
        family = sorted(children.get(at, ()), key=rank, reverse=True)
        below = below[-DEEPEST:]
        for place, child in enumerate(family):
            last = place == 0
            line, past = ("└ ", "  ") if last else ("├ ", "│ ")
            stack.append((child, depth + 1, below + line, below + past))
    return threaded


def _newest_first(row: Row) -> tuple[int, str]:
    return -(row.modified or 0), row.path


def _parents(rows: Sequence[Row]) -> dict[int, int]:
    """Index of a row -> index of its parent, without loops.

    A parent is found by its path, else by its id, else by its file name: agents move their folders.
    """
    if not any(row.parent_session for row in rows):
        return {}
    places: dict[str, int] = {}
    for at, row in enumerate(rows):
        places.setdefault(row.path, at)
        places.setdefault(row.id, at)
        places.setdefault(os.path.basename(row.path), at)
    parents: dict[int, int] = {}
    for at, row in enumerate(rows):
        named = row.parent_session
        if not named:
            continue
        parent = places.get(named)
        if parent is None and os.sep in named:
            parent = places.get(os.path.basename(named))
        if parent is not None and parent != at:
            parents[at] = parent
    _cut_loops(parents)
    return parents


def _cut_loops(parents: dict[int, int]) -> None:
    walked: dict[int, int] = {}
    for start in list(parents):
        at = start
        while at in parents and at not in walked:
            walked[at] = start
            at = parents[at]
        if at in parents and walked[at] == start:
            del parents[at]


def _post_order(roots: list[int], children: dict[int, list[int]]) -> list[int]:
    order: list[int] = []
    stack = list(roots)
    while stack:
        at = stack.pop()
        order.append(at)
        stack.extend(children.get(at, ()))
    return order
