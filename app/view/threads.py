"""Forks under their parents: the order of the sessions of one project.

Roots and children come by the newest activity anywhere below them (PARITY 5, "Listing"); a parent that is not
in the project makes a root. ``parent_session`` is a path or an id, whichever its agent wrote (FORMATS 1.1,
1.2). What is said here depends on the sessions alone and never on the order in which they came.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.view.list_line import ListLine, Rank

# characters of the lines of a fork's ancestors; a fork of a fork of a fork shows its nearest ones
DEEPEST = 12


def names_of(line: ListLine) -> tuple[str, str, str]:
    """What a fork may call this session: path, id, file name (agents move their folders)."""
    assert line.row is not None
    return line.row.path, line.row.id, _file_name(line.row.path)


def names_asked(line: ListLine) -> tuple[str, ...]:
    """What a fork calls its parent, the surest name first; nothing for other sessions."""
    named = line.row.parent_session if line.row else None
    if not named:
        return ()
    name = _file_name(named)
    return (named,) if name == named else (named, name)


def link(forks: Iterable[ListLine], by_path: dict[str, ListLine], lines: Iterable[ListLine]) -> None:
    """Find the parents of forks: by path, else by id, else by file name; of several the first by path.

    :param lines: all lines of the group; looked through only where a path is not enough.
    """
    searched: list[ListLine] = []
    for fork in forks:
        assert fork.row is not None
        parent = by_path.get(fork.row.parent_session or "")
        fork.parent = parent if parent is not None and parent.group is fork.group else None
        if fork.parent is fork:
            fork.parent = None
        elif fork.parent is None:
            searched.append(fork)
    if not searched:
        return
    asked = {name for fork in searched for name in names_asked(fork)}
    by_id: dict[str, list[ListLine]] = {}
    by_file: dict[str, list[ListLine]] = {}
    for line in lines:
        row = line.row
        assert row is not None
        if row.id in asked:
            by_id.setdefault(row.id, []).append(line)
        file_name = row.path.rpartition(os.sep)[2]
        if file_name in asked:
            by_file.setdefault(file_name, []).append(line)
    for fork in searched:
        for name in names_asked(fork):
            others = [line for found in (by_id, by_file) for line in found.get(name, ()) if line is not fork]
            if others:
                fork.parent = min(others, key=lambda line: names_of(line)[0])
                break


def thread(lines: list[ListLine]) -> list[ListLine]:
    """The lines in threaded order, with their depth, prefix and rank. Loops of parents are cut, and every
    line comes once.

    A thread of lines (a root and what is below it) is whole here or not here at all.
    """
    parents = {line: line.parent for line in lines if line.parent is not None}
    if not parents:
        for line in lines:
            line.depth, line.prefix, line.rank = 0, "", _rank(line)
        return sorted(lines, key=_own_rank)
    _cut_loops(parents)
    children: dict[ListLine, list[ListLine]] = {}
    roots: list[ListLine] = []
    for line in lines:
        parent = parents.get(line)
        if parent is None:
            roots.append(line)
        else:
            children.setdefault(parent, []).append(line)
    ranks = {line: _rank(line) for line in lines}
    for line in reversed(_parents_first(roots, children)):
        family = children.get(line)
        if family:
            newest = min(ranks[child][0] for child in family)
            if newest < ranks[line][0]:
                ranks[line] = newest, ranks[line][1]
    threaded: list[ListLine] = []
    stack = [(root, ranks[root], 0, "", "") for root in sorted(roots, key=ranks.__getitem__, reverse=True)]
    while stack:
        line, rank, depth, prefix, below = stack.pop()
        line.rank, line.depth, line.prefix = rank, depth, prefix
        threaded.append(line)
        family = children.get(line, [])
        if len(family) > 1:
            family.sort(key=ranks.__getitem__, reverse=True)
        below = below[-DEEPEST:]
        for place, child in enumerate(family):
            last = place == 0
            mark, past = ("└ ", "  ") if last else ("├ ", "│ ")
            stack.append((child, rank, depth + 1, below + mark, below + past))
    return threaded


def _rank(line: ListLine) -> Rank:
    assert line.row is not None
    return -(line.row.modified or 0), line.row.path


def _own_rank(line: ListLine) -> Rank:
    assert line.rank is not None
    return line.rank


def _file_name(path: str) -> str:
    return path.rpartition(os.sep)[2]


def _cut_loops(parents: dict[ListLine, ListLine]) -> None:
    """Of each loop, the session that comes first by path becomes a root."""
    walked: dict[ListLine, ListLine] = {}
    for start in list(parents):
        line = start
        while line in parents and line not in walked:
            walked[line] = start
            line = parents[line]
        if line in parents and walked[line] is start:
            loop = [line]
            while parents[loop[-1]] is not line:
                loop.append(parents[loop[-1]])
            del parents[min(loop, key=lambda one: names_of(one)[0])]


def _parents_first(roots: list[ListLine], children: dict[ListLine, list[ListLine]]) -> list[ListLine]:
    order: list[ListLine] = []
    stack = list(roots)
    while stack:
        line = stack.pop()
        order.append(line)
        stack.extend(children.get(line, ()))
    return order
