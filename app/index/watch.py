"""Two ways to notice that files changed: the system's own notices, and looking again and again.

Both only give hints (see `hints`); `follow` decides what to read. PERFORMANCE 2.6 has the measurements behind
the numbers, and why watchfiles' own polling is not used.
"""

from __future__ import annotations

import heapq
import os
import time

from app.index.hints import Hints, hints_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from threading import Event
    from typing import Protocol

    from watchfiles._rust_notify import RustNotify

    from app.index.row import Signature
    from app.stores.base import Store

    class Watch(Protocol):
        """Something that notices changes of the files in `known`, and new ones."""

        idle_walk_seconds: float

        def wait(self, seconds: float, stop: Event) -> Hints:
            """What has changed; returns after `seconds` or soon after a change. OSError: it works no more."""

        def walked(self, seconds: float) -> None:
            """All files have just been looked at, which took `seconds`."""

        def close(self) -> None:
            """Stop noticing."""


WALK_SECONDS = 30.0
"""All files are looked at this often whatever a watch says: lost notices do not stay lost."""

_DEBOUNCE_MS = 50
# Each step wakes the thread, which is most of what an idle screen costs: where nothing happens they are
# long (bar 11). Where something does, more is likely to come.
_STEP_MS = 10
_QUIET_STEP_MS = 20
_QUIET_SECONDS = 2.0

HOT_FILES = 64
"""So many are looked at in each round: those that were seen to change last, then those with the newest
clocks.
"""

TURN_FILES = 32
"""So many of all files are looked at in each round besides, the next ones each time. Clocks may be wrong: no
file has to wait for a walk because of those of others, in a store of a few hundred no longer than a second.
"""

_AHEAD_NS = 24 * 3600 * 10**9
"""No clock that is right is so far ahead of another one, wherever the files are."""

_TICK_SECONDS = 0.08
_QUIET_TICK_SECONDS = 0.1
# Each folder is looked at once in so many ticks: half a second at most.
_FOLDER_TURNS = 5
# A walk may take this share of the time when walks are what notices an old session that goes on.
_WALK_SHARE = 0.004
_SOONEST_WALK_SECONDS = 2.0
_STEP_NS = 12_000_000

_Identity = tuple[int, int]


class NativeWatch:
    """The system's notices, one recursive watch over all store folders that are there."""

    idle_walk_seconds = WALK_SECONDS

    def __init__(self, stores: Sequence[Store], known: dict[str, Signature]) -> None:
        """:raises ImportError: watchfiles does not run here.
        :raises OSError: the system has no watches left.
        """
        self._stores = stores
        self._known = known
        self._roots: dict[str, _Identity] = {}
        self._notify: RustNotify | None = None
        self._quiet_at = 0.0
        self._open()

    def wait(self, seconds: float, stop: Event) -> Hints:
        """See `Watch`. Store folders that come, go or are replaced are noticed between two waits."""
        if self._present() != self._roots:
            self.close()
            self._open()
            if self._notify is None:
                stop.wait(seconds)
            hints = Hints()
            hints.walk = True
            return hints
        if self._notify is None:
            stop.wait(seconds)
            return Hints()
        step = _STEP_MS if time.monotonic() < self._quiet_at else _QUIET_STEP_MS
        changes = self._notify.watch(_DEBOUNCE_MS, step, max(1, int(seconds * 1000)), stop)
        if isinstance(changes, str):
            return Hints()
        self._quiet_at = time.monotonic() + _QUIET_SECONDS
        paths = {path for _, path in changes}
        if not paths.isdisjoint(self._roots):
            # Removed and made again, a folder may even get its old inode; the watch is gone all the same.
            self._roots = {}
        return hints_of(paths, self._stores, self._known)

    def walked(self, seconds: float) -> None:
        """See `Watch`; a walk is nothing to this one."""

    def close(self) -> None:
        """See `Watch`."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _open(self) -> None:
        # Imported late: it takes longer than the first rows do (PERFORMANCE 2.3).
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        self._roots = self._present()
        if not self._roots:
            return
        try:
            self._notify = RustNotify(list(self._roots), False, False, 0, True, True)
        except FileNotFoundError:
            self._roots = {}  # gone again; the next wait sees what is there
        except WatchfilesRustInternalError as error:
            raise OSError(str(error)) from error

    def _present(self) -> dict[str, _Identity]:
        present = {}
        for store in self._stores:
            try:
                status = os.stat(store.root)
            except (OSError, ValueError):
                continue
            if os.path.isdir(store.root):
                present[store.root] = (status.st_dev, status.st_ino)
        return present


class PollWatch:
    """Looks itself: at the newest files all the time, at every folder and every other file in turn."""

    idle_walk_seconds = _SOONEST_WALK_SECONDS

    def __init__(self, stores: Sequence[Store], known: dict[str, Signature]) -> None:
        self._stores = stores
        self._known = known
        # Both with the newest last.
        self._hot: dict[str, None] = {}
        self._seen: dict[str, None] = {}
        self._all: list[str] = []
        self._next = 0
        self._folders: dict[str, int] = {}
        self._turn = 0
        self._quiet_at = 0.0
        self.walked(0.0)

    def wait(self, seconds: float, stop: Event) -> Hints:
        """See `Watch`."""
        hints = Hints()
        now = time.monotonic()
        end = now + seconds
        tick = _TICK_SECONDS if now < self._quiet_at else _QUIET_TICK_SECONDS
        while not stop.wait(tick):
            self._look_at_files(hints)
            self._look_at_folders(hints)
            if hints.count or time.monotonic() >= end:
                break
        if hints.paths:
            self._quiet_at = time.monotonic() + _QUIET_SECONDS
            self._warm(hints.paths)
        return hints

    def walked(self, seconds: float) -> None:
        """See `Watch`: choose anew what to look at; the next walk is due when it is worth its time."""
        self.idle_walk_seconds = min(WALK_SECONDS, max(_SOONEST_WALK_SECONDS, seconds / _WALK_SHARE))
        self._choose()
        folders = {}
        for store in self._stores:
            folders[store.root] = self._folders.get(store.root, -1)
            try:
                with os.scandir(store.root) as entries:
                    for entry in entries:
                        if entry.is_dir():
                            folders[entry.path] = self._folders.get(entry.path, -1)
            except (OSError, ValueError):
                continue  # not there, or the walk has said why
        for folder, seen in folders.items():
            if seen == -1:
                folders[folder] = _time_of(folder)
        self._folders = folders

    def close(self) -> None:
        """See `Watch`."""

    def _choose(self) -> None:
        known = self._known
        latest = time.time_ns() + _AHEAD_NS

        def written(path: str) -> int:
            # A file whose time was set ahead is not being written: a write would have set it back. If it was
            # not set far, the time of its inode tells when that was done.
            _, _, mtime, ctime = known[path]
            return min(mtime, ctime) if mtime <= latest else 0

        newest = heapq.nlargest(HOT_FILES, known, key=written)
        self._hot = dict.fromkeys(reversed(newest))
        self._all = list(known)
        self._warm([path for path in self._seen if path in known])

    def _warm(self, paths: Iterable[str]) -> None:
        """These have changed under our eyes, which says more than any clock."""
        for files in (self._hot, self._seen):
            for path in paths:
                files.pop(path, None)
                files[path] = None
            for path in [*files][:-HOT_FILES]:
                del files[path]

    def _look_at_files(self, hints: Hints) -> None:
        begin, end = self._next, self._next + TURN_FILES
        self._next = end if end < len(self._all) else 0
        for path in (*self._hot, *self._all[begin:end]):
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
                young = 0 <= time.time_ns() - changed < _STEP_NS
                self._folders[folder] = 0 if young else changed
                hints.walk = True
                hints.count += 1


def _time_of(folder: str) -> int:
    """When names in the folder last changed, 0 when it is not there."""
    try:
        return os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return 0
