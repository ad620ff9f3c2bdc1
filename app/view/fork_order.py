"""Forks: which session is a fork of which, and the order of sessions in threads.

``parent_session`` of a fork is a path or an id, as its agent wrote it (formats/README.md, "Headers").

A copy may name no parent (formats/README.md, "Lines of Claude Code").

In a thread, forks stand under their parents. Roots and children are sorted by the newest activity in their
subtree; with pins first, a subtree with a pinned session precedes the others. A fork whose parent is not
among the sessions is a root. The results depend on the sessions alone, not on their order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from app.index.row import Row
from app.stores import agent_named


def parents_of(rows: Iterable[Row]) -> dict[str, str | None]:
    """The parent of each fork: found by path, else by id, else by file name, since agents move their folders.

    If several sessions have the id or the name, the parent is one in the folder of the fork, then the one
    whose path has the longest end in common with the path that the fork names, then the first by path.

    :param rows: all sessions, with different paths.
    :return: path of a fork -> path of its parent; None if the parent is not among the sessions.
    """
    by_path = {row.path: row for row in rows}
    parents: dict[str, str | None] = {}
    unresolved: list[Row] = []
    for row in by_path.values():
        if row.parent_session:
            if row.parent_session in by_path:
                parents[row.path] = row.parent_session if row.parent_session != row.path else None
            else:
                unresolved.append(row)
    if unresolved:
        by_name = _by_id_and_file_name(by_path.values())
        for fork in unresolved:
            parents[fork.path] = _parent_by_name(fork, by_name)
    _add_copies(parents, by_path.values())
    return parents


def _add_copies(parents: dict[str, str | None], rows: Iterable[Row]) -> None:
    """Add the parents of sessions that name none: the one that went on in it, else that of the sessions with
    the same first entry whose newest message is the oldest.
    """
    copies: dict[tuple[str, str], list[Row]] = {}
    continued = {(row.agent, row.continued_in): row for row in rows if row.continued_in}
    for row in rows:
        if not row.first_id or parents.get(row.path):
            continue
        source = continued.get((row.agent, row.id))
        if source is not None and source is not row:
            parents[row.path] = source.path
        elif not row.parent_session:
            copies.setdefault((row.agent, row.first_id), []).append(row)
    for family in copies.values():
        if len(family) > 1:
            source = min(family, key=lambda row: (row.modified, row.path))
            parents.update((row.path, source.path) for row in family if row is not source)


def newer_of(row: Row, rows: Iterable[Row]) -> Row | None:
    """The session in which the agent went on with the one of `row`; None if it did not, or that is gone."""
    if not row.continued_in:
        return None
    return next((each for each in rows if (each.agent, each.id) == (row.agent, row.continued_in)), None)


def count_dependents(chosen: Iterable[Row], rows: Iterable[Row]) -> int:
    """The number of `dependents_of` some sessions."""
    return len(dependents_of(chosen, rows))


def dependents_of(chosen: Iterable[Row], rows: Iterable[Row]) -> list[Row]:
    """The sessions that go on from one of `chosen`, and that their agent cannot open without it. One
    that repeats what is before is among them, because rows do not tell.

    :param rows: all sessions; those of `chosen` do not count.
    """
    chosen = list(chosen)
    paths = {row.path for row in chosen}
    ids = {(row.agent, row.id) for row in chosen if agent_named(row.agent).forks_need_parent}
    return [
        row
        for row in (rows if ids else ())
        if (row.agent, row.parent_session) in ids and not row.spawned and row.path not in paths
    ]


def _by_id_and_file_name(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Sessions by id and by file name; one whose id is its file name is listed once."""
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        for name in {row.id, _file_name(row.path)}:
            by_name.setdefault(name, []).append(row)
    return by_name


def _parent_by_name(fork: Row, by_name: dict[str, list[Row]]) -> str | None:
    named = fork.parent_session or ""
    for name in (named, _file_name(named)):
        candidates = [row for row in by_name.get(name, ()) if row is not fork]
        if candidates:
            return min(candidates, key=_unlikeness(fork)).path
    return None


def _unlikeness(fork: Row) -> Callable[[Row], tuple[bool, int, str]]:
    """The sort key that puts the likeliest parent of a fork first."""
    named = (fork.parent_session or "").split(os.sep)

    def key(row: Row) -> tuple[bool, int, str]:
        common = 0
        for part, other in zip(reversed(named), reversed(row.path.split(os.sep)), strict=False):
            if part != other:
                break
            common += 1
        return row.cwd != fork.cwd, -common, row.path

    return key


def _file_name(path: str) -> str:
    return path.rpartition(os.sep)[2]


MAX_INDENT = 12
"""Characters of the connectors of a fork's ancestors; a deeper fork shows its nearest ancestors and its
level.
"""

Rank = tuple[int, int, str]
"""Sort key of a session: 0 for a pinned one that comes first, else 1; newest activity in ms, negative; path.
"""


Place = tuple[str, int, str]
"""A session in its thread: its path, its depth (0 for a root), and the connectors before its title. A class
would double the time for ten thousand sessions, in which the screen waits.
"""


def in_threads(ranks: Mapping[str, Rank], parents: Mapping[str, str]) -> list[Place]:
    """Sessions in order, each once. A cycle of parents is cut at the session that is the first by path.

    :param ranks: path -> rank of every session.
    :param parents: path of a fork -> path of its parent; both are among the sessions.
    """
    parents = _without_cycles(parents)
    if not parents:
        return [(path, 0, "") for path in sorted(ranks, key=ranks.__getitem__)]
    children: dict[str, list[str]] = {}
    for path, parent in parents.items():
        children.setdefault(parent, []).append(path)
    roots = [path for path in ranks if path not in parents]
    best = dict(ranks)
    for path in reversed(_parents_first([root for root in roots if root in children], children)):
        pinned, newest, _ = best[path]
        for child in children[path]:
            pinned, newest = min(pinned, best[child][0]), min(newest, best[child][1])
        best[path] = pinned, newest, path
    for family in children.values():
        family.sort(key=best.__getitem__, reverse=True)
    places: list[Place] = []
    for root in sorted(roots, key=best.__getitem__):
        if root in children:
            places += _thread(root, children)
        else:
            places.append((root, 0, ""))
    return places


def _thread(root: str, children: Mapping[str, list[str]]) -> list[Place]:
    """The places of a thread from top to bottom.

    :param children: of each parent, in reversed order.
    """
    places: list[Place] = []
    first: Place = (root, 0, "")
    stack = [(first, "")]
    while stack:
        place, indent = stack.pop()
        places.append(place)
        path, depth, _ = place
        indent = indent[-MAX_INDENT:]
        before_child = indent
        if 2 * depth > MAX_INDENT:
            # As in the tree, a mark stands for the levels left out. Without the number, a child would look
            # like a sibling.
            mark = f"…{depth + 1} "
            before_child = mark + indent[len(mark) :]
        for position, child in enumerate(children.get(path, ())):
            connector, below = ("└ ", "  ") if position == 0 else ("├ ", "│ ")
            stack.append(((child, depth + 1, before_child + connector), indent + below))
    return places


def _without_cycles(parents: Mapping[str, str]) -> dict[str, str]:
    acyclic = dict(parents)
    visited_from: dict[str, str] = {}
    for start in parents:
        path = start
        while path in acyclic and path not in visited_from:
            visited_from[path] = start
            path = acyclic[path]
        if path in acyclic and visited_from[path] == start:
            cycle = [path]
            while acyclic[cycle[-1]] != path:
                cycle.append(acyclic[cycle[-1]])
            del acyclic[min(cycle)]
    return acyclic


def _parents_first(roots: list[str], children: Mapping[str, list[str]]) -> list[str]:
    """The sessions that have children, each after its own parent."""
    order: list[str] = []
    stack = roots
    while stack:
        path = stack.pop()
        order.append(path)
        stack.extend(child for child in children[path] if child in children)
    return order
