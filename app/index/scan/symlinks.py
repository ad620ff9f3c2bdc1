"""Linked session files, whose changes the system may not report.

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
    from collections.abc import Iterable, Mapping

    from app.index.path_events import Hints
    from app.index.row import Signature

LOOK_SECONDS = 0.3
"""The shortest time in seconds between two checks."""

HOT_FILES = 64
"""The number of files with the newest times that are checked each time."""

TURN_FILES = 64
"""The number of the other files that are checked each time, in turn: a copy of a whole store by hard links
has as many as there are sessions.
"""


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
