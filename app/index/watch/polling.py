"""Watches files by polling, where the system gives no notices."""

from __future__ import annotations

import heapq
import os
import resource
import time
from typing import TYPE_CHECKING

from app.index.row import STEP_NS
from app.index.scan.hints import Hints
from app.stores.layout import listed_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from threading import Event

    from app.index.row import Signature
    from app.stores.base import Store

WALK_SECONDS = 30.0
"""The longest time in seconds between two walks while files are polled."""

HOT_FILES = 64
"""The number of files with the newest times that are checked each time, and of files that changed last.
Usually these are the same files.
"""

TURN_FILES = 32
"""The number of other files that are checked each time, in turn, because the time of a file may be wrong. In
a store of a few hundred files, each file has its turn once a second.
"""

LEAST_ADDRESS_SPACE = 1 << 30
"""Bytes. With less, leafmark polls: the library that waits for the system's notices aborts the process if its
thread gets no memory.
"""

_AHEAD_NS = 24 * 3600 * 10**9
"""Nanoseconds. A time of a file that is further in the future is wrong."""

_TICK_SECONDS = 0.08
_QUIET_TICK_SECONDS = 0.1
_QUIET_SECONDS = 2.0
# The number of ticks in which each folder is checked once: half a second at most.
_FOLDER_TURNS = 5
# The share of the time that walks may take. Only a walk notices a change of a session that is not checked.
_WALK_SHARE = 0.004
_SOONEST_WALK_SECONDS = 2.0


def has_little_address_space() -> bool:
    """Whether this process may use less than `LEAST_ADDRESS_SPACE` (`ulimit -v`)."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE


class PollWatch:
    """Polls: checks the newest files all the time, and every folder and every other file in turn."""

    idle_walk_seconds = _SOONEST_WALK_SECONDS

    def __init__(self, stores: Sequence[Store], known: dict[str, Signature]) -> None:
        self._stores = stores
        self._known = known
        self._hot: tuple[str, ...] = ()
        # The files that were seen to change, the latest change last.
        self._changed: dict[str, None] = {}
        # `_hot` and `_changed`, which are checked each time.
        self._looked_at: tuple[str, ...] = ()
        self._all: list[str] = []
        self._next = 0
        self._folders: dict[str, int] = {}
        self._turn = 0
        self._quiet_at = 0.0
        self.walked(0.0, missed=False)

    def wait(self, seconds: float, stop: Event) -> Hints:
        """See `follower.Watch`."""
        hints = Hints()
        end = time.monotonic() + seconds
        while not stop.wait(_TICK_SECONDS if time.monotonic() < self._quiet_at else _QUIET_TICK_SECONDS):
            self._look_at_files(hints)
            self._look_at_folders(hints)
            if hints.paths:
                self._quiet_at = time.monotonic() + _QUIET_SECONDS
                self._note_changed(hints.paths)
            if hints.count or time.monotonic() >= end:
                break
        return hints

    def walked(self, seconds: float, *, missed: bool) -> None:
        """See `follower.Watch`. Choose the files to check, and set the time until the next walk."""
        self.idle_walk_seconds = min(WALK_SECONDS, max(_SOONEST_WALK_SECONDS, seconds / _WALK_SHARE))
        self._choose()
        folders = {folder: self._folders.get(folder, -1) for folder in self._present()}
        for folder, time_ns in folders.items():
            if time_ns == -1:
                folders[folder] = _time_of(folder)
        self._folders = folders

    def close(self) -> None:
        """See `follower.Watch`."""

    def _present(self) -> Iterable[str]:
        """The folders to check, with those of stores that do not exist."""
        present = []
        for store in self._stores:
            try:
                present += listed_folders(store)
            except ValueError:
                present.append(store.root)  # its path is invalid
        return present

    def _choose(self) -> None:
        known = self._known
        latest = time.time_ns() + _AHEAD_NS

        def written(path: str) -> int:
            # A file with a time in the future is not being written, because a write sets the current time. If
            # the time is in the near future, the change time says when it was set.
            _, _, mtime, ctime = known[path]
            return min(mtime, ctime) if mtime <= latest else 0

        self._all = [*known]
        self._hot = tuple(heapq.nlargest(HOT_FILES, self._all, key=written))
        self._note_changed([path for path in self._changed if path in known])

    def _note_changed(self, paths: Iterable[str]) -> None:
        """Take note of files that were seen to change. They are checked each time from now on."""
        for path in paths:
            self._changed.pop(path, None)
            self._changed[path] = None
        for path in [*self._changed][:-HOT_FILES]:
            del self._changed[path]
        self._looked_at = tuple(dict.fromkeys((*self._hot, *self._changed)))

    def _look_at_files(self, hints: Hints) -> None:
        begin, end = self._next, self._next + TURN_FILES
        self._next = end if end < len(self._all) else 0
        for path in (*self._looked_at, *self._all[begin:end]):
            signature = self._known.get(path)
            try:
                status = os.stat(path)
            except FileNotFoundError:
                if signature is not None:
                    # The file may have moved: a walk finds it at its new place in the same step.
                    hints.walk = True
                    hints.count += 1
                continue
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
                # Times move in steps: another change within this step would have the same time.
                is_young = 0 <= time.time_ns() - changed < STEP_NS
                self._folders[folder] = 0 if is_young else changed
                hints.walk = True
                hints.count += 1


def _time_of(folder: str) -> int:
    """The modification time of a folder in nanoseconds; 0 if it does not exist."""
    try:
        return os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return 0
