"""Throws dead text away: segments that nobody refers to, and copies of what is alive in the others.

Safe at every moment: what is copied is on the disk before the one transaction that says where it lies now,
and what it was copied from is deleted after that. Whoever is killed in between leaves a segment that nobody
refers to. Whoever has an old segment open goes on reading it.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from app.index.text import table
from app.index.text.locks import FREE, lock
from app.index.text.segment import FULL_BYTES, SMALL_BYTES, Segment, path_of
from app.index.text.spans import bytes_of, joined

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.text.segment import Span
    from app.index.text.table import Used

    Move = tuple[int, bytes, tuple[Span, ...] | None]

WORTH_BYTES = 256 << 10
"""Less than this is not worth a copy."""

MANY = 8
"""With more small segments than this they are made one: a search looks into each."""

_MUCH = 4
"""Where there is no room for a copy, it is much that is dead from this part of what is alive on."""

_WORK_SECONDS = 0.01
_BREATH_SECONDS = 0.002


def compact(folder: str, catalog: Catalog, stop: Event, gentle: bool) -> bool:
    """Delete and copy what is worth it, a segment at a time. Nobody else may do so meanwhile, or write.

    :return: whether texts were missing where they should be: they are not in the catalog any more.
    """
    from app.index.text.store import sizes_in

    used = catalog.run(table.segments)
    if used is None or catalog.in_memory:
        return False
    sizes = sizes_in(folder)
    for name in sizes.keys() - used.keys():
        _delete(folder, name)
    lost = False
    for group in groups(victims(used, sizes), used):
        if stop.is_set():
            break
        lost |= _Copying(folder, catalog, gentle).move(group)
    return lost


def victims(used: Mapping[str, Used], sizes: Mapping[str, int]) -> list[str]:
    """The segments that are to be copied: more than half of each is dead, or it is damaged, or there are too
    many small ones.

    :param sizes: of the files that are there.
    """
    there = [name for name in used if name in sizes]
    small = [name for name in there if sizes[name] < SMALL_BYTES]
    many = set(small if len(small) > MANY else ())
    return sorted(
        name
        for name in there
        if name in many or sizes[name] < used[name].reach or _is_dead(used[name].live, sizes[name])
    )


def _is_dead(live: int, size: int) -> bool:
    return size - live > max(live, WORTH_BYTES)


def groups(names: Sequence[str], used: Mapping[str, Used]) -> list[list[str]]:
    """The segments in lots that make no more than one each: so much is copied before others may write."""
    found: list[list[str]] = []
    room = 0
    for name in names:
        if used[name].live > room or not found:
            found.append([])
            room = FULL_BYTES
        found[-1].append(name)
        room -= used[name].live
    return found


def take_back(folder: str, catalog: Catalog) -> None:
    """Delete what the catalog's file does not know of, without a copy and without changing the file: for
    where there is no room for either. Nobody else may delete, move or write meanwhile.

    Whoever searches knows of no text there: what is not in the file is in nobody's memory either. On a full
    disk what is alive goes with much that is dead; the next scan that finds it gone reads its files.
    """
    from app.index.text.store import sizes_in

    used = catalog.peek(table.segments)
    if used is None:
        return
    for name, size in sizes_in(folder).items():
        live, reach = (used[name].live, used[name].reach) if name in used else (0, 0)
        if not live or (catalog.is_full and reach - live > max(live // _MUCH, WORTH_BYTES)):
            _delete(folder, name)
        elif size > reach:
            _cut(folder, name, reach)


class _Copying:
    """Copies what is alive in some segments into a new one."""

    def __init__(self, folder: str, catalog: Catalog, gentle: bool) -> None:
        self._folder = folder
        self._catalog = catalog
        self._gentle = gentle
        self._held: dict[str, int] = {}
        self._target: Segment | None = None

    def move(self, names: Sequence[str]) -> bool:
        """Do it for those of the segments that nobody appends to; whether some of it could not be read."""
        try:
            for name in names:
                self._take(name)
            return bool(self._held) and self._move()
        except OSError:
            # No room for a copy: all stays as it is.
            self._drop_target()
            return False
        finally:
            for descriptor in self._held.values():
                os.close(descriptor)
            if self._target is not None:
                self._target.close()

    def _take(self, name: str) -> None:
        descriptor = os.open(path_of(self._folder, name), os.O_RDWR | getattr(os, "O_BINARY", 0))
        if lock(descriptor) == FREE:
            self._held[name] = descriptor
        else:
            os.close(descriptor)

    def _move(self) -> bool:
        moves = self._copy(self._catalog.run(table.all_texts) or [])
        if self._target is not None:
            self._target.sync()

        def work(connection: sqlite3.Connection) -> set[str]:
            connection.execute("BEGIN IMMEDIATE")
            ledger = table.Ledger(connection)
            for key, before, spans in moves:
                ledger.replace(key, before, spans)
            ledger.close()
            connection.execute("COMMIT")
            return set(table.segments(connection))

        used = self._catalog.run(work)
        if used is None or self._catalog.in_memory:
            self._drop_target()
            return False
        for name in self._held.keys() - used:
            _unlink(self._folder, name)
        return any(spans is None for _, _, spans in moves)

    def _copy(self, texts: Sequence[tuple[int, bytes, tuple[Span, ...]]]) -> list[Move]:
        moves: list[Move] = []
        breath = time.monotonic()
        for key, before, spans in texts:
            if not any(span[0] in self._held for span in spans):
                continue
            copied: list[Span] = []
            for span in spans:
                if span[0] not in self._held:
                    copied.append(span)
                    continue
                data = bytes_of(self._folder, [span])
                if data is None:
                    break
                if self._target is None:
                    self._target = Segment.make(self._folder)
                copied += self._target.append([data])
            whole = len(copied) == len(spans)
            moves.append((key, before, joined(copied) if whole else None))
            if self._gentle and time.monotonic() - breath > _WORK_SECONDS:
                time.sleep(_BREATH_SECONDS)
                breath = time.monotonic()
        return moves

    def _drop_target(self) -> None:
        if self._target is not None:
            self._target.spoil()


def _delete(folder: str, name: str) -> None:
    """Delete a segment unless somebody appends to it."""
    try:
        descriptor = os.open(path_of(folder, name), os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        return
    try:
        if lock(descriptor) == FREE:
            _unlink(folder, name)
    finally:
        os.close(descriptor)


def _cut(folder: str, name: str, size: int) -> None:
    """Cut the end off a segment unless somebody appends to it."""
    try:
        descriptor = os.open(path_of(folder, name), os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:
        return
    try:
        if lock(descriptor) == FREE and os.fstat(descriptor).st_size > size:
            os.ftruncate(descriptor, size)
    except OSError:
        # It stays as it is.
        pass
    finally:
        os.close(descriptor)


def _unlink(folder: str, name: str) -> None:
    try:
        os.unlink(path_of(folder, name))
    except OSError:
        # It is found again the next time.
        pass
