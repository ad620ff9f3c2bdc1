"""Hints about changed files, from the events of the system and from polling linked files. Hints may be wrong:
they only say what to check.

A session file may be a link to a file elsewhere, or may have a second name in another folder. The system
reports changes by names in the folders of the stores, so a change by another name is not reported. These
files are polled.
"""

from __future__ import annotations

import heapq
import os
from typing import TYPE_CHECKING

from app.index.row import signature_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from app.index.row import Signature
    from app.stores.base import Store

LOOK_SECONDS = 0.3
"""The shortest time in seconds between two checks."""

HOT_FILES = 64
"""The number of files with the newest times that are checked each time."""

TURN_FILES = 64
"""The number of the other files that are checked each time, in turn: a copy of a whole store by hard links
has as many as there are sessions.
"""


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
    folder = os.path.dirname(path)
    if path == store.root:
        hints.walk = True
    elif folder == store.root:
        if not os.path.isdir(path) and path.endswith(store.suffixes):
            hints.paths.add(path)
        elif os.path.isdir(path) or not os.path.lexists(path):
            # The folder is new, or a folder was removed: a walk finds the files that were in it.
            hints.walk = True
    elif store.depth > 1 and path.startswith(store.root + os.sep):
        if store.may_list(path):
            hints.paths.add(path)
        elif path[len(store.root) :].count(os.sep) <= store.depth and not os.path.isfile(path):
            # A folder that is new or was removed.
            hints.walk = True
    elif os.path.dirname(folder) == store.root and path.endswith(store.suffixes):
        if any(folder + suffix in known for suffix in store.suffixes):
            return  # the folder has the artifacts of the session beside it
        if os.path.islink(folder):
            # Only a walk decides which name of a linked folder is used.
            hints.walk = True
        else:
            hints.paths.add(path)


class LinkedFiles:
    """Checks the files of `known` that may change without a notice. One thread uses it."""

    def __init__(self, known: Mapping[str, Signature]) -> None:
        """:param known: path -> signature of the file when it was read. This class does not change it."""
        self._known = known
        self._paths: dict[str, None] = {}
        self._hot: list[str] = []
        self._others: list[str] = []
        self._next = 0
        # The state for which a hint was given: an unreadable file gets one hint only.
        self._hinted: dict[str, tuple[int, int, int] | None] = {}

    def walked(self, paths: Iterable[str]) -> None:
        """Take note of all linked files that a walk has found."""
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
        """Check at most `HOT_FILES` and `TURN_FILES` files, and add the changes to `hints`."""
        if not self._paths:
            return
        begin, end = self._next, self._next + TURN_FILES
        self._next = end if end < len(self._others) else 0
        for path in (*self._hot, *self._others[begin:end]):
            known = self._known.get(path)
            try:
                status = os.stat(path)
            except OSError:
                if known is None:
                    continue
                state = None
            else:
                state = signature_of(status)[:3]
                if known is not None and known[:3] == state:
                    continue
            if self._hinted.get(path, ()) == state:
                continue
            self._hinted[path] = state
            hints.paths.add(path)
            hints.count += 1

    def _choose(self) -> None:
        if len(self._paths) <= HOT_FILES:
            self._hot, self._others, self._next = [*self._paths], [], 0
            return
        known = self._known
        hot = heapq.nlargest(HOT_FILES, self._paths, key=lambda path: known[path][2] if path in known else 0)
        self._hot = hot
        self._others = [*self._paths.keys() - set(hot)]
        self._next = min(self._next, len(self._others))
