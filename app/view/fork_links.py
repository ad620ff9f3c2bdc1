"""Which session is a fork of which, over all folders, kept so as sessions come, go and change.

``parent_session`` is a path or an id, whichever its agent wrote
(formats/README.md, "pi"). What is said here depends
on the sessions alone and never on the order in which they came.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from app.index.row import Row
    from app.view.list_line import ListLine


class Lineage:
    """Sets ``parent`` and ``forks`` of lines. After `come` and `go` they are right when `settle` has been
    called.
    """

    __slots__ = ("_asked", "_by_path", "_names", "_unlinked")

    def __init__(self, by_path: dict[str, ListLine]) -> None:
        """:param by_path: all sessions, kept by the caller."""
        self._by_path = by_path
        # name -> the forks that call their parent so
        self._asked: dict[str, dict[ListLine, None]] = {}
        # forks whose parent has to be looked for
        self._unlinked: dict[ListLine, None] = {}
        # of all sessions, from when a path was not enough for the first time
        self._names: Names | None = None

    def come(self, lines: Sequence[ListLine]) -> None:
        """Sessions are new."""
        if self._names is not None:
            self._names.come(lines)
        if self._asked:
            for line in lines:
                for name in names_of(_row(line)):
                    for fork in self._asked.get(name, ()):
                        self._unlink(fork)
        for line in lines:
            if line.row is not None and line.row.parent_session:
                self._unlink(line)
                for name in names_asked(_row(line)):
                    self._asked.setdefault(name, {})[line] = None

    def go(self, line: ListLine) -> None:
        """A session is no more, or will come again as another."""
        if self._names is not None:
            self._names.go(line)
        for name in names_asked(_row(line)):
            forks = self._asked.get(name, {})
            forks.pop(line, None)
            if not forks:
                self._asked.pop(name, None)
        self._unlink(line)
        del self._unlinked[line]
        for fork in list(line.forks or ()):
            self._unlink(fork)

    def settle(self) -> list[ListLine]:
        """Look for the parents that have to be looked for. The forks that may have another now."""
        unlinked, self._unlinked = list(self._unlinked), {}
        if not unlinked:
            return unlinked
        for fork, parent in parents_of(unlinked, self._by_path, self._all_names).items():
            fork.parent = parent
            if parent is not None:
                if parent.forks is None:
                    parent.forks = {}
                parent.forks[fork] = None
        return unlinked

    def _all_names(self) -> Names:
        if self._names is None:
            self._names = Names(self._by_path.values())
        return self._names

    def _unlink(self, fork: ListLine) -> None:
        self._unlinked[fork] = None
        parent, fork.parent = fork.parent, None
        if parent is not None and parent.forks is not None:
            del parent.forks[fork]
            parent.forks = parent.forks or None


class Names:
    """Sessions by what a fork may call them besides their path: id and file name. To look for one does not
    take the longer the more there are.
    """

    __slots__ = ("_first", "_others")

    def __init__(self, lines: Iterable[ListLine]) -> None:
        self._first: dict[str, ListLine] = {}
        # mostly nobody else is called so
        self._others: dict[str, dict[ListLine, None]] = {}
        self.come(lines)

    def come(self, lines: Iterable[ListLine]) -> None:
        """Sessions are new."""
        first = self._first
        for line in lines:
            assert line.row is not None
            for name in names_of(line.row)[1:]:
                if first.setdefault(name, line) is not line:
                    self._others.setdefault(name, {})[line] = None

    def go(self, line: ListLine) -> None:
        """A session is no more, or is called otherwise."""
        for name in names_of(_row(line))[1:]:
            others = self._others.get(name, {})
            if self._first.get(name) is not line:
                others.pop(line, None)
            elif others:
                self._first[name], _ = others.popitem()
            else:
                del self._first[name]
            if not others:
                self._others.pop(name, None)

    def called(self, name: str) -> list[ListLine]:
        """The sessions of a name, in no order."""
        first = self._first.get(name)
        return [first, *self._others.get(name, ())] if first is not None else []


def names_of(row: Row) -> tuple[str, str, str]:
    """What a fork may call this session: path, id, file name (agents move their folders)."""
    return row.path, row.id, _file_name(row.path)


def names_asked(row: Row) -> tuple[str, ...]:
    """What a fork calls its parent, the surest name first; nothing for other sessions."""
    named = row.parent_session
    if not named:
        return ()
    name = _file_name(named)
    return (named,) if name == named else (named, name)


def parents_of(
    forks: Iterable[ListLine], by_path: Mapping[str, ListLine], names: Callable[[], Names]
) -> dict[ListLine, ListLine | None]:
    """The parents of forks: by path, else by id, else by file name. Of several one of the same folder, then
    the one whose path ends most like the one that is named, then the first by path.

    :param by_path: all sessions.
    :param names: their names; asked for only where a path is not enough.
    """
    parents: dict[ListLine, ListLine | None] = {}
    for fork in forks:
        assert fork.row is not None
        parent = by_path.get(fork.row.parent_session or "")
        parents[fork] = parent if parent is not fork else None
        if parent is not None:
            continue
        for name in names_asked(fork.row):
            others = [line for line in names().called(name) if line is not fork]
            if others:
                parents[fork] = others[0] if len(others) == 1 else min(others, key=_likeness(fork))
                break
    return parents


def _likeness(fork: ListLine) -> Callable[[ListLine], tuple[bool, int, str]]:
    assert fork.row is not None
    cwd, named = fork.row.cwd, (fork.row.parent_session or "").split(os.sep)

    def likeness(line: ListLine) -> tuple[bool, int, str]:
        row = line.row
        assert row is not None
        alike = 0
        for one, other in zip(reversed(named), reversed(row.path.split(os.sep)), strict=False):
            if one != other:
                break
            alike += 1
        return row.cwd != cwd, -alike, row.path

    return likeness


def _row(line: ListLine) -> Row:
    assert line.row is not None
    return line.row


def _file_name(path: str) -> str:
    return path.rpartition(os.sep)[2]
