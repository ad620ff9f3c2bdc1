"""Files of which the system gives no notice: what is written to them is written by another way.

A session file may be a link to one that lies anywhere, or have a second name in another folder. The notices
are about names in the folders of the stores, so such files are looked at by ourselves, as polling looks at
all.
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
"""So long it is at least from one look to the next."""

HOT_FILES = 64
"""So many of them with the newest times are looked at each time."""

TURN_FILES = 64
"""So many of the others besides, the next ones each time: a copy of a whole store by hard links has as many
as there are sessions. Of more than some four thousand the oldest wait for the turn that all have
(`watch.turns`).
"""


class LinkedFiles:
    """The files of `known` that may change without a notice. Used by one thread."""

    def __init__(self, known: Mapping[str, Signature]) -> None:
        """:param known: path -> signature of what was read; read here and never changed."""
        self._known = known
        self._paths: dict[str, None] = {}
        self._hot: list[str] = []
        self._others: list[str] = []
        self._next = 0
        # What a hint was given for: the file may be one that cannot be read, and is asked for once.
        self._hinted: dict[str, tuple[int, int, int] | None] = {}

    def walked(self, paths: Iterable[str]) -> None:
        """These are all that a walk has met."""
        self._paths = dict.fromkeys(paths)
        self._hinted.clear()
        self._choose()

    def met(self, path: str, status: os.stat_result) -> None:
        """A file has been looked at: it may be one of them.

        :param status: of the file that the path leads to.
        """
        if path in self._paths or not (status.st_nlink > 1 or os.path.islink(path)):
            return
        self._paths[path] = None
        if status.st_nlink > 1:
            # It got a second name, and so did the file that has the first.
            inode = signature_of(status)[0]
            self._paths.update({other: None for other, known in self._known.items() if known[0] == inode})
        self._choose()

    def look(self, hints: Hints) -> None:
        """Look once, at no more than `HOT_FILES` and `TURN_FILES`, and add to `hints` what has changed."""
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
                seen = None
            else:
                seen = signature_of(status)[:3]
                if known is not None and known[:3] == seen:
                    continue
            if self._hinted.get(path, ()) == seen:
                continue
            self._hinted[path] = seen
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
