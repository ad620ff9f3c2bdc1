"""The text store as a scan sees it: keeps texts, says what is missing, and has what is dead thrown away."""

from __future__ import annotations

import os
import time
from threading import Event
from typing import TYPE_CHECKING

from app.index.text import table
from app.index.text.locks import FREE, TAKEN, lock, unlock
from app.index.text.segment import SMALL_BYTES, SUFFIX, Writer, begins_well, is_name, spoil
from app.index.text.spans import MOST, bytes_of, joined, scattered
from app.paths import make_own_folders

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager

    from app.index.catalog.catalog import Catalog
    from app.index.row import Signature
    from app.index.text.segment import Kept, Span
    from app.index.text.table import Used

LOCK = "lock"
_PATIENCE_SECONDS = 2.0
_TICK_SECONDS = 0.01

# What a store of texts takes of the disk compared with the sessions (bar 13), and what is left to others.
_SHARE = 0.15
_SPARED_BYTES = 64 << 20


class TextStore:
    """The texts of a catalog. Used by the thread that scans; segments are held until `close`.

    folder      where the segments lie
    is_untidy   whether `lost` has met what is worth throwing away, for the first time
    """

    def __init__(self, catalog: Catalog) -> None:
        self.folder = catalog.text_folder
        self.is_untidy = False
        self._catalog = catalog
        self._writer = Writer(self.folder, self._left)
        self._why: str | None = None
        self._lock = -1
        self._asked = False
        self._taken_back = False
        self._has_told = False

    @property
    def note(self) -> str | None:
        """One line why texts are not kept, else None."""
        return self._why

    @property
    def keep(self) -> Callable[[bytes], Kept] | None:
        """What puts a text away (see `Writer.keep`); None where the catalog would not remember where."""
        return None if self._catalog.in_memory else self._writer.keep

    def writing(self) -> AbstractContextManager[None]:
        """While texts are put away and not yet in the catalog: nobody deletes or moves segments meanwhile."""
        return _Writing(self._hold, self._let_go)

    def spans(self, before: Iterable[Span] | None, kept: Kept) -> tuple[Span, ...] | None:
        """Where a session's text lies now; None: not all of it is kept.

        :param before: where that lies which was said before; nowhere, when the file was read whole.
        :param kept: what became of the new text.
        """
        if isinstance(kept, str):
            self._why = self._why or kept
            return None
        if kept is None or before is None:
            return None
        spans = joined((*before, *kept))
        if len(spans) <= MOST:
            return spans
        at = scattered(spans)
        data = bytes_of(self.folder, spans[at:])
        if data is None:
            return None
        again = self._writer.keep(data)
        # No room to have them together: apart they are as good.
        return spans if isinstance(again, str) else joined((*spans[:at], *again))

    def lost(self, files: Mapping[str, tuple[Signature, object]]) -> set[str]:
        """The paths of sessions whose text should be here and is not: their files are to be read again.

        :param files: those that there are, as a walk found them.
        """
        if self._catalog.in_memory:
            if self._catalog.is_full and not self._taken_back:
                # Who follows files tidies when something was thrown away, and here that was what is new.
                self.tidy(Event())
            return set()
        if self._lock >= 0 and not _is_at(self._lock, os.path.join(self.folder, LOCK)):
            # Somebody has deleted the folder: others would not see that we hold it.
            os.close(self._lock)
            self._lock = -1
        lost = self._catalog.run(self._missing) or set()
        if not self._asked:
            # What could not be kept is tried again once: a disk is not full for ever.
            self._asked = True
            without = (self._catalog.run(self._without) or set()) & files.keys()
            if without and self._has_room(sum([files[path][0][1] for path in without])):
                lost |= without
        return lost

    def tidy(self, stop: Event, gentle: bool = False) -> None:
        """Throw away what is dead, if nobody else writes now.

        :param stop: set by another thread to end soon.
        :param gentle: leave room for the thread of the screen.
        """
        self.is_untidy = False
        if not os.path.isdir(self.folder):
            return
        from app.index.text.compact import compact, take_back

        if not self._hold(alone=True):
            return
        try:
            # What is dead in our own segment goes too; what is left of it is taken on again.
            self._writer.close()
            if self._catalog.in_memory:
                # On a disk that is full, what was put away before that showed would stay for ever.
                take_back(self.folder, self._catalog)
                self._taken_back = True
            elif compact(self.folder, self._catalog, stop, gentle):
                self._asked = False
        finally:
            self._let_go()

    def close(self) -> None:
        """Let go of everything; what is put away later begins anew."""
        self._writer.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _hold(self, alone: bool = False) -> bool:
        """Take the lock of the folder, with others or alone; False when it cannot be had."""
        try:
            if self._lock < 0:
                if self._catalog.in_memory and not alone:
                    return False
                make_own_folders(os.path.dirname(self.folder), self.folder)
                self._lock = os.open(os.path.join(self.folder, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            # The first text to be kept will say why.
            return False
        said = lock(self._lock, shared=not alone)
        if said == TAKEN and not alone:
            # Somebody tidies. Should that take long, at worst a file has to be read again.
            until = time.monotonic() + _PATIENCE_SECONDS
            while said == TAKEN and time.monotonic() < until:
                time.sleep(_TICK_SECONDS)
                said = lock(self._lock, shared=True)
        return said == FREE

    def _let_go(self) -> None:
        if self._catalog.is_behind:
            # What others would take for nobody's is ours, once it can be stored.
            lock(self._lock, shared=True)
        else:
            unlock(self._lock)

    def _left(self) -> list[tuple[str, int]]:
        """Segments that may be taken on, with how long each must be; those of others that run are refused."""
        used = self._catalog.run(table.segments) or {}
        small = [
            (used[name].reach, name)
            for name, size in sizes_in(self.folder).items()
            if name in used and size < SMALL_BYTES
        ]
        return [(name, reach) for reach, name in sorted(small)]

    def _missing(self, connection: sqlite3.Connection) -> set[str]:
        sizes = sizes_in(self.folder)
        used = table.segments(connection)
        for name in [name for name in used.keys() & sizes.keys() if not begins_well(self.folder, name)]:
            # Written over by somebody. Whoever appends to it would go on doing so.
            del sizes[name]
            spoil(self.folder, name)
        # Once: where there is no room for a copy, each look at all files would try again.
        self.is_untidy = not self._has_told and _is_much_dead(used, sizes)
        self._has_told = self._has_told or self.is_untidy
        damaged = {name for name, known in used.items() if sizes.get(name, -1) < known.reach}
        if not damaged:
            return set()
        return table.paths_with(
            connection,
            self._catalog.ids(connection),
            lambda spans: any(
                name in damaged and start + length > sizes.get(name, -1) for name, start, length in spans
            ),
        )

    def _without(self, connection: sqlite3.Connection) -> set[str]:
        return table.paths_without(connection, self._catalog.ids(connection))

    def _has_room(self, size: int) -> bool:
        """Whether the text of so many bytes of sessions will fit on the disk."""
        if not hasattr(os, "statvfs"):
            return True
        try:
            make_own_folders(os.path.dirname(self.folder), self.folder)
            disk = os.statvfs(self.folder)
        except OSError:
            return False
        writable = os.access(self.folder, os.W_OK)
        return writable and disk.f_bavail * disk.f_frsize > size * _SHARE + _SPARED_BYTES


class _Writing:
    """A lock that is held for a while, if it can be had. One made of a generator takes as long as a look at
    two files, and it is taken for each line that an agent writes.
    """

    __slots__ = ("_held", "_hold", "_let_go")

    def __init__(self, hold: Callable[[], bool], let_go: Callable[[], None]) -> None:
        self._hold = hold
        self._let_go = let_go

    def __enter__(self) -> None:
        self._held = self._hold()

    def __exit__(self, *_: object) -> None:
        if self._held:
            self._let_go()


def sizes_in(folder: str) -> dict[str, int]:
    """The segments in a folder and their sizes; none where there is no folder."""
    sizes = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name.removesuffix(SUFFIX)
                try:
                    if name != entry.name and is_name(name) and entry.is_file():
                        sizes[name] = entry.stat().st_size
                except OSError:
                    pass  # deleted just now
    except OSError:
        pass
    return sizes


def _is_much_dead(used: Mapping[str, Used], sizes: Mapping[str, int]) -> bool:
    """Whether to tidy would change anything."""
    if all(name in used and size <= 2 * used[name].live for name, size in sizes.items()):
        return False
    from app.index.text.compact import victims

    return not sizes.keys() <= used.keys() or bool(victims(used, sizes))


def _is_at(descriptor: int, path: str) -> bool:
    """Whether an open file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False
