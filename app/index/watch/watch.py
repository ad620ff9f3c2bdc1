"""Watches the store folders by the notices of the operating system.

The notices are only hints (`index.path_events`); `follower` decides what to read. The measurements behind the
numbers, and the reason against polling by watchfiles, are in tests/benchmarks/README.md, "Watching".
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from app.index.path_events import Hints, hints_of
from app.index.scan.symlinks import LOOK_SECONDS
from app.index.watch.periodic_check import PeriodicCheck
from app.index.watch.polling import WALK_SECONDS, PollWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from threading import Event
    from typing import Protocol

    from watchfiles._rust_notify import RustNotify

    from app.index.row import Signature
    from app.index.scan.symlinks import LinkedFiles
    from app.stores.base import Store

    class Watch(Protocol):
        """Something that notices changes of the files in `known`, and new ones."""

        idle_walk_seconds: float

        def wait(self, seconds: float, stop: Event) -> Hints:
            """Return the changes, after `seconds` or soon after one.

            :raises OSError: watching has stopped.
            """

        def walked(self, seconds: float) -> None:
            """Take note that a walk has just seen all files, and that it took `seconds`."""

        def close(self) -> None:
            """Stop watching."""


_DEBOUNCE_MS = 50
# Each step wakes the thread, and these wake-ups are most of the cost of an idle screen. Steps are long while
# nothing changes, and short after a change, because more changes are likely then.
_STEP_MS = 10
_QUIET_STEP_MS = 60
_QUIET_SECONDS = 2.0

_SOONEST_SECONDS = 1.0
"""The shortest time before the notices are restarted after a file name has ended them. It grows each time
they end at once.
"""

SELDOM_SECONDS = 120.0
"""Seconds between two walks while nothing happens. `periodic_check` has checked every file and folder by
then, but a walk also checks the catalog.
"""

_Identity = tuple[int, int, int]
"""Device, inode and mode of a folder. A folder that may not be read gives no notices and no error."""


class NativeWatch:
    """Watches all store folders that exist with one recursive watch of the system.

    That watch ends at the first change of a file whose name is not UTF-8. From then on each folder is watched
    by itself, and folders with such names are polled. Files that lie elsewhere and are only linked are polled
    too, because the system reports no changes of them (`scan.symlinks`).
    """

    idle_walk_seconds = SELDOM_SECONDS

    def __init__(
        self,
        stores: Sequence[Store],
        known: dict[str, Signature],
        linked_files: LinkedFiles | None = None,
        passed_over: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """:param passed_over: gives the paths that the last walk passed over, see `PeriodicCheck`.
        :raises ImportError: watchfiles does not run here.
        :raises OSError: the system has no watches left.
        """
        self._stores = stores
        self._known = known
        self._linked_files = linked_files
        self._passed_over = passed_over
        self._periodic_check = PeriodicCheck(stores, known)
        self._looked_at = 0.0
        self._roots: dict[str, _Identity] = {}
        self._notify: RustNotify | None = None
        self._quiet_at = 0.0
        # True after the first name that is not UTF-8.
        self._is_careful = False
        self._poll: PollWatch | None = None
        self._polls_roots = False
        self._is_stale = False
        self._opened_at = 0.0
        self._pause = 0.0
        self._open()

    def wait(self, seconds: float, stop: Event) -> Hints:
        """See `Watch`. New, removed and replaced store folders are noticed between two waits."""
        if self._present() != self._roots or (self._is_stale and self._is_rested()):
            self.close()
            self._open()
            if self._notify is None and self._poll is None:
                stop.wait(seconds)
            hints = Hints()
            hints.walk = True
            return hints
        hints = Hints()
        self._periodic_check.look(hints)
        if hints.walk:
            # The system has not reported this change, and may not report changes inside either.
            self._roots = {}
        if self._linked_files is not None and time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._linked_files.look(hints)
            self._looked_at = time.monotonic()
        if hints.count:
            return hints
        if self._notify is None:
            if self._poll is not None:
                return self._poll.wait(seconds, stop)
            stop.wait(seconds)
            return Hints()
        if self._poll is None:
            return self._noticed(self._notify, seconds, stop)
        # Alternate between notices and polling.
        end = time.monotonic() + seconds
        while True:
            hints = self._noticed(self._notify, self._poll.tick, stop)
            self._poll.look(hints)
            if hints.walk and self._polls_roots:
                self._is_stale = True
            if hints.count or stop.is_set() or time.monotonic() >= end:
                return hints

    def walked(self, seconds: float) -> None:
        """See `Watch`."""
        self._periodic_check.walked(self._passed_over())
        if self._poll is not None:
            self._poll.walked(seconds)

    def close(self) -> None:
        """See `Watch`."""
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
            if "decode" not in str(error):
                raise OSError(str(error)) from error
            return self._ended()
        if isinstance(changes, str):
            return Hints()
        self._quiet_at = time.monotonic() + _QUIET_SECONDS
        paths = {path for _, path in changes}
        if not paths.isdisjoint(self._roots):
            # A folder that was removed and made again may even get its old inode, but its watch is gone.
            self._roots = {}
        hints = hints_of(paths, self._stores, self._known)
        if hints.walk and (self._is_careful or any(map(self._is_linked_folder, paths))):
            # A new folder needs its own watch if each folder is watched by itself, or if it is a link.
            self._is_stale = True
        return hints

    def _is_linked_folder(self, path: str) -> bool:
        return os.path.dirname(path) in self._roots and os.path.islink(path) and os.path.isdir(path)

    def _ended(self) -> Hints:
        """End the notices after a name that is not UTF-8. The system does not say which file has it."""
        now = time.monotonic()
        # A file that is made and removed again and again may never exist when it is checked.
        is_soon = self._is_careful and now - self._opened_at < 2 * max(self._pause, _SOONEST_SECONDS)
        self._pause = min(WALK_SECONDS, max(_SOONEST_SECONDS, 2 * self._pause)) if is_soon else 0.0
        self._opened_at = now
        self._is_careful = self._is_stale = True
        self.close()
        if self._pause:
            # The folders are polled until the notices are restarted.
            self._poll = PollWatch(self._stores, self._known)
        hints = Hints()
        hints.walk = True
        hints.count = 1
        return hints

    def _is_rested(self) -> bool:
        return time.monotonic() - self._opened_at >= self._pause

    def _open(self) -> None:
        # Imported here: importing it takes longer than showing the first rows.
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        self._roots = self._present()
        self._poll = None
        self._is_stale = False
        self._opened_at = time.monotonic()
        if not self._roots:
            return
        self._is_careful = self._is_careful or not all(map(_is_text, self._roots))
        paths = list(self._roots)
        if self._is_careful:
            paths, strange = _parted(self._roots)
            self._poll = PollWatch(self._stores, self._known, strange) if strange else None
            self._polls_roots = not strange.isdisjoint(self._roots)
            if not paths:
                return
        try:
            self._notify = RustNotify(paths, False, False, 0, not self._is_careful, True)
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


def _parted(roots: Iterable[str]) -> tuple[list[str], set[str]]:
    """(folders that the system can watch, folders that it cannot), of the store folders and the folders in
    them. It cannot watch a folder whose name, or the name of a file in it, is not UTF-8.
    """
    plain: set[str] = set()
    strange: set[str] = set()
    for root in roots:
        folders = [root]
        for number, folder in enumerate(folders):
            is_plain = _is_text(folder)
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir():
                            if not number:
                                folders.append(entry.path)
                        elif not _is_text(entry.name):
                            is_plain = False
            except OSError:
                continue  # it was removed, or the walk reports the reason
            (plain if is_plain else strange).add(folder)
    return list(plain), strange


def _is_text(name: str) -> bool:
    """Whether a name of the file system is valid UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
