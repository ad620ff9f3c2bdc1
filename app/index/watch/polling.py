"""To notice that files changed by looking again and again."""

from __future__ import annotations

import heapq
import os
import time
from typing import TYPE_CHECKING

from app.index.path_events import Hints
from app.index.row import STEP_NS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from threading import Event

    from app.index.row import Signature
    from app.stores.base import Store

WALK_SECONDS = 30.0
"""All files are looked at this often whatever a watch says: lost notices do not stay lost."""

HOT_FILES = 64
"""So many files with the newest clocks are looked at in each round, and so many that were seen to change
last. Mostly they are the same.
"""

TURN_FILES = 32
"""So many of all files are looked at in each round besides, the next ones each time. Clocks may be wrong: no
file has to wait for a walk because of those of others, in a store of a few hundred no longer than a second.
"""

LEAST_ADDRESS_SPACE = 1 << 30
"""Bytes. With less, leafmark polls: the library that waits for the system's notices aborts the process if its
thread gets no memory.
"""

_AHEAD_NS = 24 * 3600 * 10**9
"""No clock that is right is so far ahead of another one, wherever the files are."""

_TICK_SECONDS = 0.08
_QUIET_TICK_SECONDS = 0.1
_QUIET_SECONDS = 2.0
# Each folder is looked at once in so many ticks: half a second at most.
_FOLDER_TURNS = 5
# A walk may take this share of the time when walks are what notices an old session that goes on.
_WALK_SHARE = 0.004
_SOONEST_WALK_SECONDS = 2.0


def has_little_address_space() -> bool:
    """Whether this process may use less than `LEAST_ADDRESS_SPACE` (`ulimit -v`)."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE


class PollWatch:
    """Looks itself: at the newest files all the time, at every folder and every other file in turn."""

    idle_walk_seconds = _SOONEST_WALK_SECONDS

    def __init__(
        self,
        stores: Sequence[Store],
        known: dict[str, Signature],
        folders: Collection[str] | None = None,
    ) -> None:
        """:param folders: look at these and at the files in them, and nowhere else."""
        self._stores = stores
        self._known = known
        self._only = folders
        self._hot: tuple[str, ...] = ()
        # The newest last.
        self._seen: dict[str, None] = {}
        self._looked_at: tuple[str, ...] = ()
        self._all: list[str] = []
        self._next = 0
        self._folders: dict[str, int] = {}
        self._turn = 0
        self._quiet_at = 0.0
        self.walked(0.0)

    def wait(self, seconds: float, stop: Event) -> Hints:
        """See `watch.Watch`."""
        hints = Hints()
        end = time.monotonic() + seconds
        while not stop.wait(self.tick):
            self.look(hints)
            if hints.count or time.monotonic() >= end:
                break
        return hints

    @property
    def tick(self) -> float:
        """Seconds from one look to the next."""
        return _TICK_SECONDS if time.monotonic() < self._quiet_at else _QUIET_TICK_SECONDS

    def look(self, hints: Hints) -> None:
        """Look once, and add to `hints` what has changed."""
        before = len(hints.paths)
        self._look_at_files(hints)
        self._look_at_folders(hints)
        if len(hints.paths) > before:
            self._quiet_at = time.monotonic() + _QUIET_SECONDS
            self._warm(hints.paths)

    def walked(self, seconds: float) -> None:
        """See `watch.Watch`: choose anew what to look at; the next walk is due when it is worth its time."""
        self.idle_walk_seconds = min(WALK_SECONDS, max(_SOONEST_WALK_SECONDS, seconds / _WALK_SHARE))
        self._choose()
        folders = {folder: self._folders.get(folder, -1) for folder in self._present()}
        for folder, seen in folders.items():
            if seen == -1:
                folders[folder] = _time_of(folder)
        self._folders = folders

    def close(self) -> None:
        """See `watch.Watch`."""

    def _present(self) -> Iterable[str]:
        """The folders to look at, those of stores that are not there among them."""
        if self._only is not None:
            return self._only
        present = []
        for store in self._stores:
            present.append(store.root)
            try:
                with os.scandir(store.root) as entries:
                    present += [entry.path for entry in entries if entry.is_dir()]
            except (OSError, ValueError):
                continue  # not there, or the walk has said why
        return present

    def _choose(self) -> None:
        known, only = self._known, self._only
        latest = time.time_ns() + _AHEAD_NS

        def written(path: str) -> int:
            # A file whose time was set ahead is not being written: a write would have set it back. If it was
            # not set far, the time of its inode tells when that was done.
            _, _, mtime, ctime = known[path]
            return min(mtime, ctime) if mtime <= latest else 0

        self._all = [path for path in known if only is None or os.path.dirname(path) in only]
        self._hot = tuple(heapq.nlargest(HOT_FILES, self._all, key=written))
        self._warm([path for path in self._seen if path in known])

    def _warm(self, paths: Iterable[str]) -> None:
        """These have changed under our eyes, which says more than any clock."""
        for path in paths:
            self._seen.pop(path, None)
            self._seen[path] = None
        for path in [*self._seen][:-HOT_FILES]:
            del self._seen[path]
        self._looked_at = tuple(dict.fromkeys((*self._hot, *self._seen)))

    def _look_at_files(self, hints: Hints) -> None:
        begin, end = self._next, self._next + TURN_FILES
        self._next = end if end < len(self._all) else 0
        for path in (*self._looked_at, *self._all[begin:end]):
            signature = self._known.get(path)
            try:
                status = os.stat(path)
            except OSError:
                if signature is None:
                    continue
            else:
                if signature and (signature[1], signature[2]) == (status.st_size, status.st_mtime_ns):
                    continue
            hints.paths.add(path)
            hints.count += 1

    def _look_at_folders(self, hints: Hints) -> None:
        self._turn = (self._turn + 1) % _FOLDER_TURNS
        folders = list(self._folders)
        for folder in folders[self._turn :: _FOLDER_TURNS]:
            changed = _time_of(folder)
            if changed != self._folders[folder]:
                # Times move in steps: one that is so young may stand for another change too.
                young = 0 <= time.time_ns() - changed < STEP_NS
                self._folders[folder] = 0 if young else changed
                hints.walk = True
                hints.count += 1


def _time_of(folder: str) -> int:
    """When names in the folder last changed, 0 when it is not there."""
    try:
        return os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return 0
