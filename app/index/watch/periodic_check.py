"""Checks every file and folder of the stores in turn, to find the changes that the system did not report.

Checking a known file costs a third of what a walk needs for it, and the work is spread over the whole round:
at no moment are ten thousand files checked at once.
"""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING

from app.index.path_events import hints_of
from app.index.row import STEP_NS, signature_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.path_events import Hints
    from app.index.row import Signature
    from app.stores.base import Store

ROUND_SECONDS = 30.0
"""Seconds in which every file and folder is checked once."""

LOOK_SECONDS = 1.0
"""Seconds between two groups of checks: a group takes less time than the same checks one by one."""

# All paths are checked by then, so that the last group is within the round.
_TURNS_SECONDS = ROUND_SECONDS - LOOK_SECONDS

MOST = 2500
"""The most paths that are checked in one group, also after a long pause."""

# The first walk has seen every change that is older than this.
_BEFORE_NS = 2 * 10**9

_State = tuple[int, int, int, int, int]
"""The state of a folder: device, inode, mode, modification time and change time (nanoseconds)."""

_UNSEEN: _State = (0, 0, 0, 0, 0)


class PeriodicCheck:
    """Checks files and folders in turn. One thread uses it."""

    def __init__(self, stores: Sequence[Store], known: Mapping[str, Signature]) -> None:
        """:param known: path -> signature of the file when it was read. This class does not change it."""
        self._stores = stores
        self._known = known
        self._unchanged_ns = time.time_ns() - _BEFORE_NS
        self._folders: dict[str, _State | None] = {}
        self._odd: dict[str, tuple[int, int, int] | None] = {}
        self._round: list[str] = []
        self._next = 0
        self._began = -math.inf
        self._looked_at = -math.inf

    def walked(self, passed_over: Iterable[str]) -> None:
        """Take note that a walk has just seen everything.

        :param passed_over: the paths that are no session or cannot be read.
        """
        before = self._folders
        self._folders = {path: before.get(path, _UNSEEN) for path in self._present()}
        self._odd = {
            path: _kind(path) for path in passed_over if path not in self._known and path not in self._folders
        }

    def look(self, hints: Hints) -> None:
        """Check the paths whose turn has come, and add the changes to `hints`."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        since = now - self._began
        if self._next >= len(self._round) and since >= _TURNS_SECONDS:
            self._round = self._all()
            self._next, since = 0, 0.0
            self._began = now
        due = min(len(self._round), 1 + int(len(self._round) * since / _TURNS_SECONDS), self._next + MOST)
        for path in self._round[self._next : due]:
            if path in self._known:
                self._look_at_file(path, hints)
            elif path in self._folders:
                self._look_at_folder(path, hints)
            elif path in self._odd and _kind(path) != self._odd[path]:
                self._odd[path] = _kind(path)
                _walk(hints)
        self._next = max(self._next, due)

    def _all(self) -> list[str]:
        """The paths of the next round, sorted: the system finds neighbours faster."""
        paths = self._folders.keys() | self._odd.keys() | self._known.keys()
        ordered = [path for path in self._round if path in paths]
        if len(ordered) < len(paths):
            paths.difference_update(ordered)
            ordered = sorted([*ordered, *paths])
        return ordered

    def _look_at_file(self, path: str, hints: Hints) -> None:
        try:
            if signature_of(os.stat(path)) == self._known[path]:
                return
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (OSError, ValueError):
            return  # its folder can no longer be read; the check of the folder reports that
        hints.paths.add(path)
        hints.count += 1

    def _look_at_folder(self, path: str, hints: Hints) -> None:
        before = self._folders[path]
        state = _state(path)
        if state == before:
            return
        self._folders[path] = state
        if before == _UNSEEN and state is not None and state[4] < self._unchanged_ns:
            return
        if state is None or before is None or (before != _UNSEEN and state[:3] != before[:3]):
            _walk(hints)
        elif state[3] == before[3]:
            # permissions may have changed
            _walk(hints)
        else:
            if 0 <= time.time_ns() - state[3] < STEP_NS:
                self._folders[path] = (*state[:3], 0, state[4])
            self._look_for_new(path, hints)

    def _look_for_new(self, folder: str, hints: Hints) -> None:
        """Add the new names in a folder. Removed files are found when their own turn comes."""
        try:
            with os.scandir(folder) as entries:
                paths = [entry.path for entry in entries]
        except OSError:
            _walk(hints)
            return
        new = [
            path for path in paths if not (path in self._known or path in self._folders or path in self._odd)
        ]
        new_hints = hints_of(new, self._stores, self._known)
        hints.paths |= new_hints.paths
        hints.walk = hints.walk or new_hints.walk
        hints.count += len(new_hints.paths) + new_hints.walk

    def _present(self) -> Iterable[str]:
        """The store folders and the folders in them; links too, because they may lead to a folder later."""
        for store in self._stores:
            try:
                with os.scandir(store.root) as entries:
                    inside = [entry.path for entry in entries if entry.is_symlink() or entry.is_dir()]
            except (OSError, ValueError):
                continue  # it does not exist; the watch notices that between two waits
            yield store.root
            yield from (path for path in inside if path not in self._known)


def _walk(hints: Hints) -> None:
    hints.walk = True
    hints.count += 1


def _state(folder: str) -> _State | None:
    """The state of a folder; None if it does not exist or may not be read."""
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)


def _kind(path: str) -> tuple[int, int, int] | None:
    """Device, inode and mode of a path; None if it cannot be read."""
    state = _state(path)
    return state[:3] if state else None
