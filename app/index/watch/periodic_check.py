"""Every file and folder of the stores in its turn: what the system's notices should have told and did not is
found no later than a walk would find it that looked at all of them at once as often.

A look at a file that is known costs a third of what a walk needs for it, and between two walks there is no
moment with ten thousand of them.
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
"""So long it takes at most until each has had its turn."""

LOOK_SECONDS = 1.0
"""Looks are so far apart: many turns after each other take less time than as many by themselves."""

_TURNS_SECONDS = ROUND_SECONDS - LOOK_SECONDS

MOST = 2500
"""So many have their turn in one look, whatever held us up before."""

# What changed so long before we began was in the first walk.
_BEFORE_NS = 2 * 10**9

_State = tuple[int, int, int, int, int]
"""Of a folder: device, inode, mode, when names in it changed, when anything about it did."""

_UNSEEN: _State = (0, 0, 0, 0, 0)


class Turns:
    """Used by one thread."""

    def __init__(self, stores: Sequence[Store], known: Mapping[str, Signature]) -> None:
        """:param known: path -> signature of what was read; read here and never changed."""
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
        """All has just been looked at.

        :param passed_over: where there is something else than a session, or something that cannot be read.
        """
        before = self._folders
        self._folders = {path: before.get(path, _UNSEEN) for path in self._present()}
        self._odd = {
            path: _kind(path) for path in passed_over if path not in self._known and path not in self._folders
        }

    def look(self, hints: Hints) -> None:
        """Look at those whose turn has come, if any has, and add to `hints` what has changed."""
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
        """What has its turn in the next round, neighbours after each other: the system finds them sooner."""
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
            return  # its folder is not ours to look into any more, which is told by that
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
            # somebody may have been given a right, or lost it
            _walk(hints)
        else:
            if 0 <= time.time_ns() - state[3] < STEP_NS:
                self._folders[path] = (*state[:3], 0, state[4])
            self._look_for_new(path, hints)

    def _look_for_new(self, folder: str, hints: Hints) -> None:
        """Names have come to a folder, or gone; the files of those that have gone have their turns."""
        try:
            with os.scandir(folder) as entries:
                paths = [entry.path for entry in entries]
        except OSError:
            _walk(hints)
            return
        new = [
            path for path in paths if not (path in self._known or path in self._folders or path in self._odd)
        ]
        found = hints_of(new, self._stores, self._known)
        hints.paths |= found.paths
        hints.walk = hints.walk or found.walk
        hints.count += len(found.paths) + found.walk

    def _present(self) -> Iterable[str]:
        """The store folders and the folders in them; links too, which may come to lead to one."""
        for store in self._stores:
            try:
                with os.scandir(store.root) as entries:
                    inside = [entry.path for entry in entries if entry.is_symlink() or entry.is_dir()]
            except (OSError, ValueError):
                continue  # not there, which is noticed between two waits
            yield store.root
            yield from (path for path in inside if path not in self._known)


def _walk(hints: Hints) -> None:
    hints.walk = True
    hints.count += 1


def _state(folder: str) -> _State | None:
    """None when it is not there, or not ours to look at."""
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)


def _kind(path: str) -> tuple[int, int, int] | None:
    """What is there; None for nothing that can be looked at."""
    state = _state(path)
    return state[:3] if state else None
