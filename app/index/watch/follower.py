"""Follows the stores: notices changes of files, and reads the files.

The notices of the operating system are only hints (`index.scan.hints`); the follower decides what to read.
The measurements behind the numbers, and the reason against polling by watchfiles, are in
tests/benchmarks/README.md, "Watching".
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from app.index.network_mounts import is_silent
from app.index.scan.hints import Hints, hints_of
from app.index.scan.retry import TIMES
from app.index.watch.polling import PollWatch, has_little_address_space

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Sequence
    from threading import Event

    from watchfiles._rust_notify import RustNotify

    from app.index.row import Signature
    from app.index.scan.deltas import OnDelta
    from app.index.scan.hints import PolledFiles
    from app.index.scan.scan import Scanner
    from app.stores.base import Store

LOOK_SECONDS = 0.3
"""The shortest time in seconds between two checks of the linked files, and of the names beside sessions."""

_WAIT_SECONDS = 0.2
# All files are checked again some time after new folders or a burst of changes: when 900 files in 300 new
# folders came at once, the system reported only a part of them.
_SETTLE_SECONDS = 1.0
_BURST = 100
# Walks because of hints leave this much of the time to other work.
_REST_SECONDS = 0.2
_REST_SHARE = 8

_DEBOUNCE_MS = 50
# Each step wakes the thread, and these wake-ups are most of the cost of an idle screen. Steps are long while
# nothing changes, and short after a change, because more changes are likely then.
_STEP_MS = 10
_QUIET_STEP_MS = 60
_QUIET_SECONDS = 2.0

SELDOM_SECONDS = 60.0
"""Seconds between two walks while nothing happens. They find the changes that the system has not reported,
and take 0.15 % of a core with ten thousand sessions.
"""

_Identity = tuple[int, int, int]
"""Device, inode and mode of a folder. A folder that may not be read gives no notices and no error."""


class NativeWatch:
    """Watches all store folders that exist with one recursive watch of the system.

    Files that lie elsewhere and are only linked are polled, because the system reports no changes of them
    (`scan.hints`).
    """

    idle_walk_seconds = SELDOM_SECONDS

    def __init__(
        self, stores: Sequence[Store], known: dict[str, Signature], linked_files: PolledFiles | None = None
    ) -> None:
        """:raises ImportError: watchfiles does not run here.
        :raises OSError: the system has no watches left.
        :raises UnicodeError: a store folder has a name that is not UTF-8.
        """
        self._stores = stores
        self._known = known
        self._linked_files = linked_files
        self._looked_at = 0.0
        self._roots: dict[str, _Identity] = {}
        self._notify: RustNotify | None = None
        self._quiet_at = 0.0
        self._is_stale = False
        self._open()

    def wait(self, seconds: float, stop: Event) -> Hints:
        """Return the changes, after `seconds` or soon after one. New, removed and replaced store folders are
        noticed between two waits.

        :raises OSError: the notices have ended, as they do at the change of a file whose name is not UTF-8.
        """
        hints = Hints()
        if self._is_stale or self._present() != self._roots:
            self.close()
            self._open()
            if self._notify is None:
                stop.wait(seconds)
            hints.walk = True
            return hints
        if self._linked_files is not None and time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._linked_files.look(hints)
            self._looked_at = time.monotonic()
        if hints.count:
            return hints
        if self._notify is None:
            stop.wait(seconds)
            return hints
        return self._noticed(self._notify, seconds, stop)

    def walked(self, seconds: float, *, missed: bool) -> None:
        """Take note that a walk has just seen all files, and that it took `seconds`.

        :param missed: the walk has found a change of which no hint was given: then the notices are requested
            again.
        """
        self._is_stale = self._is_stale or missed

    def close(self) -> None:
        """Stop watching."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _noticed(self, notify: RustNotify, seconds: float, stop: Event) -> Hints:
        # Imported here, as in `_open`.
        from watchfiles._rust_notify import WatchfilesRustInternalError

        step = _STEP_MS if time.monotonic() < self._quiet_at else _QUIET_STEP_MS
        try:
            changes = notify.watch(_DEBOUNCE_MS, step, max(1, int(seconds * 1000)), stop)
        except WatchfilesRustInternalError as error:
            raise OSError(str(error)) from error
        if isinstance(changes, str):
            return Hints()
        self._quiet_at = time.monotonic() + _QUIET_SECONDS
        paths = {path for _, path in changes}
        if not paths.isdisjoint(self._roots):
            # A folder that was removed and made again may even get its old inode, but its watch is gone.
            self._roots = {}
        hints = hints_of(paths, self._stores, self._known)
        # The watch follows a link to a folder only if the link was there when it began.
        self._is_stale = hints.walk and any(map(self._is_linked_folder, paths))
        return hints

    def _is_linked_folder(self, path: str) -> bool:
        return os.path.dirname(path) in self._roots and os.path.islink(path) and os.path.isdir(path)

    def _open(self) -> None:
        # Imported here: importing it takes longer than showing the first rows.
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        self._roots = self._present()
        self._is_stale = False
        if not self._roots:
            return
        try:
            self._notify = RustNotify(list(self._roots), False, False, 0, True, True)
        except FileNotFoundError:
            self._roots = {}  # a folder was deleted; the next wait watches those that exist
        except WatchfilesRustInternalError as error:
            raise OSError(str(error)) from error

    def _present(self) -> dict[str, _Identity]:
        present = {}
        for store in self._stores:
            try:
                status = os.stat(store.root)
            except (OSError, ValueError):
                continue
            if stat.S_ISDIR(status.st_mode):
                present[store.root] = (status.st_dev, status.st_ino, status.st_mode)
        return present


class Follower:
    """Follows `stores` in one thread, after `scanner` has scanned them once."""

    def __init__(
        self,
        scanner: Scanner,
        stores: Sequence[Store],
        rescans: deque[Callable[[], object]],
        *,
        poll: bool,
        scanned: Callable[[], object] = lambda: None,
    ) -> None:
        """:param rescans: another thread adds a callback to request a check of all files, after which it is
            called.
        :param poll: poll, and do not use the notices of the system.
        :param scanned: called after each look at all files.
        """
        self.note: str | None = None
        self._scanner = scanner
        self._stores = stores
        self._rescans = rescans
        self._poll = poll
        self._scanned = scanned
        self._walk_at = 0.0
        self._rested_at = 0.0
        self._names_at = 0.0
        self._settled_at = 0.0
        # Whether hints are the reason for the next walk. The first walk finds the changes since the scan.
        self._expects_changes = True
        # The number of consecutive walks that have not restored the lost rows.
        self._in_vain = 0

    def run(self, on_delta: OnDelta, stop: Event) -> None:
        """Follow the stores until `stop` is set."""
        watch = self._watch()
        try:
            while not stop.is_set():
                seconds = min(_WAIT_SECONDS, self._walk_at - time.monotonic())
                if seconds > 0:
                    # Changes that come during the pause of the listener are read and reported together.
                    stop.wait(min(seconds, max(0.0, self._scanner.pause())))
                    try:
                        hints = watch.wait(seconds, stop)
                    except OSError as error:
                        watch.close()
                        watch = self._polling(str(error))
                        self._walk_soon()
                        continue
                    if stop.is_set():
                        break
                    if hints.paths:
                        self._scanner.refresh(hints.paths, on_delta, stop)
                    is_behind = self._scanner.is_behind and self._in_vain <= TIMES
                    if hints.walk or is_behind or self._rescans or self._has_new_names():
                        self._walk_soon()
                    elif hints.count >= _BURST:
                        self._settle()
                if time.monotonic() >= self._walk_at:
                    self._walk(watch, on_delta, stop)
        finally:
            watch.close()

    def _has_new_names(self) -> bool:
        """Whether names beside the sessions have changed, which no watch of the sessions notices."""
        if time.monotonic() - self._names_at < LOOK_SECONDS:
            return False
        self._names_at = time.monotonic()
        return self._scanner.has_new_names()

    def _watch(self) -> NativeWatch | PollWatch:
        """The best watch that works here. The first walk, after it is started, finds earlier changes."""
        if self._poll:
            return PollWatch(self._stores, self._scanner.known)
        if any(is_silent(store.root) for store in self._stores):
            return self._polling("the file system does not report changes")
        if has_little_address_space():
            return self._polling("this process may use little memory")
        try:
            return NativeWatch(self._stores, self._scanner.known, self._scanner.linked_files)
        except (ImportError, OSError, UnicodeError) as error:
            return self._polling(str(error))

    def _polling(self, reason: str) -> PollWatch:
        self.note = f"changes are looked for, not reported: {reason}"
        return PollWatch(self._stores, self._scanner.known)

    def _walk(self, watch: NativeWatch | PollWatch, on_delta: OnDelta, stop: Event) -> None:
        started = time.monotonic()
        callbacks = [self._rescans.popleft() for _ in range(len(self._rescans))]
        has_old_changes = self._scanner.scan(on_delta, stop, gentle=True)
        missed = has_old_changes and not self._expects_changes
        self._expects_changes = self._settled_at > started
        self._in_vain = self._in_vain + 1 if self._scanner.is_behind else 0
        for callback in (*callbacks, self._scanned):
            callback()
        ended = time.monotonic()
        took = self._scanner.walk_seconds
        watch.walked(took, missed=missed)
        self._rested_at = ended + max(_REST_SECONDS, _REST_SHARE * took)
        self._walk_at = ended + watch.idle_walk_seconds
        if self._settled_at > started:
            self._walk_at = min(self._walk_at, max(self._settled_at, self._rested_at))

    def _walk_soon(self) -> None:
        self._settle()
        self._walk_at = min(self._walk_at, self._rested_at)

    def _settle(self) -> None:
        self._expects_changes = True
        self._settled_at = time.monotonic() + _SETTLE_SECONDS
        self._walk_at = min(self._walk_at, max(self._settled_at, self._rested_at))
