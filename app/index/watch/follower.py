"""Follows the stores: reads the files for which a watch gives hints."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.index.network_mounts import is_silent
from app.index.scan.retry import TIMES
from app.index.watch.polling import PollWatch, has_little_address_space
from app.index.watch.watch import NativeWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from app.index.scan.deltas import OnDelta
    from app.index.scan.scan import Scanner
    from app.index.watch.watch import Watch
    from app.stores.base import Store

_WAIT_SECONDS = 0.2
# All files are checked again some time after new folders or a burst of changes: when 900 files in 300 new
# folders came at once, the system reported only a part of them.
_SETTLE_SECONDS = 1.0
_BURST = 100
# Walks because of hints leave this much of the time to other work.
_REST_SECONDS = 0.2
_REST_SHARE = 8


class Follower:
    """Follows `stores` in one thread, after `scanner` has scanned them once."""

    def __init__(self, scanner: Scanner, stores: Sequence[Store], *, poll: bool) -> None:
        """:param poll: poll, and do not use the notices of the system."""
        self.note: str | None = None
        self._scanner = scanner
        self._stores = stores
        self._poll = poll
        self._walk_at = 0.0
        self._rested_at = 0.0
        self._settled_at = 0.0
        self._asked: list[Callable[[], object]] = []
        # The number of consecutive walks that have not restored the lost rows.
        self._in_vain = 0

    def run(
        self,
        on_delta: OnDelta,
        stop: Event,
        rescan: Event,
        asked: Callable[[], list[Callable[[], object]]] = list,
    ) -> None:
        """Follow the stores until `stop` is set.

        :param rescan: set by another thread to request a check of all files.
        :param asked: returns the callbacks for the end of that check that were added since its last call.
        """
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
                        continue
                    if stop.is_set():
                        break
                    if hints.paths:
                        self._scanner.refresh(hints.paths, on_delta, stop)
                    if self._scanner.is_behind and self._in_vain <= TIMES:
                        hints.walk = True
                    if rescan.is_set():
                        rescan.clear()
                        self._asked += asked()
                        hints.walk = True
                    if hints.walk:
                        self._walk_soon()
                    elif hints.count >= _BURST:
                        self._settle()
                if time.monotonic() >= self._walk_at:
                    self._walk(watch, on_delta, stop)
        finally:
            watch.close()

    def _watch(self) -> Watch:
        """The best watch that works here. The first walk, after it is started, finds earlier changes."""
        if self._poll:
            return PollWatch(self._stores, self._scanner.known)
        if any(is_silent(store.root) for store in self._stores):
            return self._polling("the file system does not report changes")
        if has_little_address_space():
            return self._polling("this process may use little memory")
        try:
            scanner = self._scanner
            return NativeWatch(self._stores, scanner.known, scanner.linked_files, self._passed_over)
        except (ImportError, OSError) as error:
            return self._polling(str(error))

    def _passed_over(self) -> list[str]:
        return [path for path, _ in self._scanner.complaints]

    def _polling(self, reason: str) -> Watch:
        self.note = f"changes are looked for, not reported: {reason}"
        return PollWatch(self._stores, self._scanner.known)

    def _walk(self, watch: Watch, on_delta: OnDelta, stop: Event) -> None:
        started = time.monotonic()
        callbacks, self._asked = self._asked, []
        self._scanner.scan(on_delta, stop, gentle=True)
        self._in_vain = self._in_vain + 1 if self._scanner.is_behind else 0
        for callback in callbacks:
            callback()
        ended = time.monotonic()
        took = self._scanner.walk_seconds
        watch.walked(took)
        self._rested_at = ended + max(_REST_SECONDS, _REST_SHARE * took)
        self._walk_at = ended + watch.idle_walk_seconds
        if self._settled_at > started:
            self._walk_at = min(self._walk_at, max(self._settled_at, self._rested_at))

    def _walk_soon(self) -> None:
        self._settle()
        self._walk_at = min(self._walk_at, self._rested_at)

    def _settle(self) -> None:
        self._settled_at = time.monotonic() + _SETTLE_SECONDS
        self._walk_at = min(self._walk_at, max(self._settled_at, self._rested_at))
