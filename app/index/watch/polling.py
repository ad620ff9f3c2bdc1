"""Watches files by polling, where the system gives no notices."""

from __future__ import annotations

import os
import resource
import time
from typing import TYPE_CHECKING

from app.index.row import STEP_NS
from app.index.scan.hints import Hints, PolledFiles
from app.stores.layout import listed_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from threading import Event

    from app.index.row import Signature
    from app.stores.base import Store

WALK_SECONDS = 30.0
"""The longest time in seconds between two walks while files are polled."""

LEAST_ADDRESS_SPACE = 1 << 30
"""Bytes. With less, leafmark polls: the library that waits for the system's notices aborts the process if its
thread gets no memory.
"""

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
        self._files = PolledFiles(known, seeks_moved=True)
        self._folders: dict[str, int] = {}
        self._turn = 0
        self._quiet_at = 0.0
        self.walked(0.0, missed=False)

    def wait(self, seconds: float, stop: Event) -> Hints:
        """Return the changes, after `seconds` or soon after one."""
        hints = Hints()
        end = time.monotonic() + seconds
        while not stop.wait(_TICK_SECONDS if time.monotonic() < self._quiet_at else _QUIET_TICK_SECONDS):
            self._files.look(hints)
            self._look_at_folders(hints)
            if hints.paths:
                self._quiet_at = time.monotonic() + _QUIET_SECONDS
            if hints.count or time.monotonic() >= end:
                break
        return hints

    def walked(self, seconds: float, *, missed: bool) -> None:
        """Take note that a walk has just seen all files, and that it took `seconds`: choose the files to
        check, and set the time until the next walk.
        """
        self.idle_walk_seconds = min(WALK_SECONDS, max(_SOONEST_WALK_SECONDS, seconds / _WALK_SHARE))
        self._files.walked(self._known)
        folders = {folder: self._folders.get(folder, -1) for folder in self._present()}
        for folder, time_ns in folders.items():
            if time_ns == -1:
                folders[folder] = _time_of(folder)
        self._folders = folders

    def close(self) -> None:
        """Have no effect: nothing is open."""

    def _present(self) -> Iterable[str]:
        """The folders to check, with those of stores that do not exist."""
        present = []
        for store in self._stores:
            try:
                present += listed_folders(store)
            except ValueError:
                present.append(store.root)  # its path is invalid
        return present

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
