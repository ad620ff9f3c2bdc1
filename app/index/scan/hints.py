"""Hints about changed files, from the events of the system and from polling. Hints may be wrong: they only
say what to check.

All files are polled if the system reports no events. Otherwise, only linked files are: a session file may be
a link to a file elsewhere, or may have a second name in another folder, and the system does not report a
change by another name than that in the folder of a store.
"""

from __future__ import annotations

import heapq
import os
import time
from typing import TYPE_CHECKING

from app.index.row import signature_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from app.index.row import Signature
    from app.stores.base import Store

HOT_FILES = 64
"""The number of files with the newest times that are checked each time, and of files that changed last."""

TURN_FILES = 32
"""The number of other files that are checked each time, in turn, because the time of a file may be wrong. In
a store of a few hundred files that is polled, each file has its turn once a second.
"""

_AHEAD_NS = 24 * 3600 * 10**9
"""Nanoseconds. A time of a file that is further in the future is wrong."""


class Hints:
    """The changes that a watch has noticed.

    paths   session files that may be new, changed or removed
    walk    folders may be new or removed, so that a walk is needed to find the changed files
    count   the number of events
    """

    __slots__ = ("count", "paths", "walk")

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.walk = False
        self.count = 0


def hints_of(paths: Iterable[str], stores: Sequence[Store], known: Container[str]) -> Hints:
    """Return the hints for changed paths.

    :param known: the paths of the known session files.
    """
    hints = Hints()
    for path in paths:
        hints.count += 1
        if path in known:
            hints.paths.add(path)
        elif "\ufffd" in path:
            # The watcher has replaced bytes that are not UTF-8, so that the real name is unknown.
            hints.walk = True
        else:
            for store in stores:
                _add_unknown(path, store, known, hints)
    return hints


def _add_unknown(path: str, store: Store, known: Container[str], hints: Hints) -> None:
    """Add the hint of an unknown path for one store. Paths below the folders of the store give none."""
    if path == store.root:
        hints.walk = True
    elif not path.startswith(store.root + os.sep):
        return
    elif store.may_list(path) and not os.path.isdir(path):
        folder = os.path.dirname(path)
        if any(folder + suffix in known for suffix in store.suffixes):
            return  # the folder has the artifacts of the session beside it
        if folder != store.root and os.path.islink(folder):
            # Only a walk decides which name of a linked folder is used.
            hints.walk = True
        else:
            hints.paths.add(path)
    elif path[len(store.root) :].count(os.sep) <= store.depth and not os.path.isfile(path):
        # The folder is new, or a folder was removed: a walk finds the files that were in it.
        hints.walk = True


class PolledFiles:
    """Checks files for changes: each time those with the newest times and those that changed last, which are
    usually the same, and the others in turn. One thread uses it.
    """

    def __init__(self, known: Mapping[str, Signature], *, seeks_moved: bool = False) -> None:
        """:param known: path -> signature of the file when it was read. This class does not change it.
        :param seeks_moved: ask for a walk when a file is gone, which finds it at its new place in the same
            step.
        """
        self._known = known
        self._seeks_moved = seeks_moved
        self._paths: dict[str, None] = {}
        self._all: list[str] = []
        self._next = 0
        self._newest: list[str] = []
        # The files that were seen to change, the latest change last.
        self._changed: dict[str, None] = {}
        # The state for which a hint was given: an unreadable file gets one hint only.
        self._hinted: dict[str, tuple[int, int, int] | None] = {}

    def walked(self, paths: Iterable[str]) -> None:
        """Take note of all files to check, which a walk has found."""
        self._paths = dict.fromkeys(paths)
        self._hinted.clear()
        self._choose()

    def met(self, path: str, status: os.stat_result) -> None:
        """Add a file if it is linked.

        :param status: of the file that the path leads to.
        """
        if path in self._paths or not (status.st_nlink > 1 or os.path.islink(path)):
            return
        self._paths[path] = None
        if status.st_nlink > 1:
            # The file has several names, and may be changed by any of them.
            inode = signature_of(status)[0]
            self._paths.update(
                {name: None for name, signature in self._known.items() if signature[0] == inode}
            )
        self._choose()

    def look(self, hints: Hints) -> None:
        """Check at most twice `HOT_FILES` and `TURN_FILES` files, and add the changes to `hints`."""
        begin, end = self._next, self._next + TURN_FILES
        self._next = end if end < len(self._all) else 0
        for path in dict.fromkeys((*self._newest, *self._changed, *self._all[begin:end])):
            known = self._known.get(path)
            state = None
            is_gone = False
            try:
                state = signature_of(os.stat(path))[:3]
            except OSError as error:
                is_gone = isinstance(error, FileNotFoundError)
            if state == (known[:3] if known else None) or self._hinted.get(path, ()) == state:
                continue
            self._hinted[path] = state
            hints.count += 1
            if is_gone and self._seeks_moved:
                hints.walk = True
            else:
                hints.paths.add(path)
                self._note_changed(path)

    def _choose(self) -> None:
        latest = time.time_ns() + _AHEAD_NS

        def written(path: str) -> int:
            # A file with a time in the future is not being written, because a write sets the current time. If
            # the time is in the near future, the change time says when it was set.
            _, _, mtime, ctime = self._known.get(path, (0, 0, 0, 0))
            return min(mtime, ctime) if mtime <= latest else 0

        self._all = [*self._paths]
        self._newest = heapq.nlargest(HOT_FILES, self._all, key=written)
        self._changed = {path: None for path in self._changed if path in self._paths}

    def _note_changed(self, path: str) -> None:
        self._changed.pop(path, None)
        self._changed[path] = None
        if len(self._changed) > HOT_FILES:
            del self._changed[next(iter(self._changed))]
