"""Removes garbage from the text store: deletes segments without references, and copies the live text of
others.

A process that is killed at any moment loses no text. Copied text is on the disk before one transaction
changes its spans, and the old segment is deleted after that. A kill in between leaves a segment without
references. A process that has an old segment open can go on reading it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.catalog.span_table import SpanChanges, all_spans, joined, segments
from app.index.text.segment import (
    FREE,
    FULL_BYTES,
    SMALL_BYTES,
    Segment,
    delete_files,
    lock,
    path_of,
    read_spans,
    sizes_in,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.catalog.span_table import Usage
    from app.index.row import Span

    Move = tuple[int, bytes, tuple[Span, ...] | None]
    """(key of a session, its stored spans, its new spans; None if the text is missing)"""

WORTH_BYTES = 256 << 10
"""The least garbage, in bytes, for which a segment is copied."""

MANY = 8
"""The most small segments; if there are more, they are merged, because a search reads each segment."""


def compact(folder: str, catalog: Catalog, stop: Event) -> None:
    """Delete and copy segments. This process must hold the lock of the folder alone.

    :param stop: set by another thread to end after the current copy.
    """
    usage = catalog.read(segments)
    if catalog.in_memory or catalog.is_behind:
        return
    sizes = sizes_in(folder)
    for name in sizes.keys() - usage.keys():
        _delete(folder, name)
    for group in groups(victims(usage, sizes), usage):
        if stop.is_set():
            break
        _Copying(folder, catalog).move(group)


def victims(usage: Mapping[str, Usage], sizes: Mapping[str, int]) -> list[str]:
    """The segments to be copied: those that are damaged or more than half garbage, and the small ones if
    there are more than `MANY`.

    :param sizes: name -> size in bytes of the existing segments.
    """
    existing = [name for name in usage if name in sizes]
    small = [name for name in existing if sizes[name] < SMALL_BYTES]
    too_many = set(small if len(small) > MANY else ())
    return sorted(
        name
        for name in existing
        if name in too_many
        or sizes[name] < usage[name].reach
        or sizes[name] - usage[name].live > max(usage[name].live, WORTH_BYTES)
    )


def groups(names: Sequence[str], usage: Mapping[str, Usage]) -> list[list[str]]:
    """The segments in groups whose live text fits into one segment, which limits how long others have to
    wait.
    """
    all_groups: list[list[str]] = []
    free_bytes = 0
    for name in names:
        if usage[name].live > free_bytes or not all_groups:
            all_groups.append([])
            free_bytes = FULL_BYTES
        all_groups[-1].append(name)
        free_bytes -= usage[name].live
    return all_groups


class _Copying:
    """Copies the live text of some segments into a new one."""

    def __init__(self, folder: str, catalog: Catalog) -> None:
        self._folder = folder
        self._catalog = catalog
        self._locked: dict[str, int] = {}
        self._target: Segment | None = None

    def move(self, names: Sequence[str]) -> None:
        """Copy the segments that have no writer."""
        try:
            for name in names:
                descriptor = _open_locked(self._folder, name)
                if descriptor is not None:
                    self._locked[name] = descriptor
            if self._locked:
                self._move()
        except OSError:
            # There is no room for a copy: all segments stay as they are.
            self._drop_target()
        finally:
            for descriptor in self._locked.values():
                os.close(descriptor)
            if self._target is not None:
                self._target.close()

    def _move(self) -> None:
        moves = self._copy(self._catalog.read(all_spans))
        if self._target is not None:
            self._target.sync()

        def work(connection: sqlite3.Connection) -> set[str]:
            connection.execute("BEGIN IMMEDIATE")
            changes = SpanChanges(connection)
            for key, before, spans in moves:
                changes.replace(key, before, spans)
            changes.close()
            connection.execute("COMMIT")
            return set(segments(connection))

        used = self._catalog.write(work)
        if used is None or self._catalog.in_memory:
            self._drop_target()
            return
        for name in self._locked.keys() - used:
            delete_files(self._folder, name)

    def _copy(self, texts: Sequence[tuple[int, bytes, tuple[Span, ...]]]) -> list[Move]:
        moves: list[Move] = []
        for key, before, spans in texts:
            if not any(span[0] in self._locked for span in spans):
                continue
            copied: list[Span] = []
            for span in spans:
                if span[0] not in self._locked:
                    copied.append(span)
                    continue
                data = read_spans(self._folder, [span])
                if data is None:
                    break
                if self._target is None:
                    self._target = Segment.make(self._folder)
                copied.append(self._target.append(data))
            is_complete = len(copied) == len(spans)
            moves.append((key, before, joined(copied) if is_complete else None))
        return moves

    def _drop_target(self) -> None:
        if self._target is not None:
            self._target.spoil()


def _open_locked(folder: str, name: str) -> int | None:
    """Open a segment and lock it; None if it has a writer.

    :raises OSError: it cannot be opened.
    """
    descriptor = os.open(path_of(folder, name), os.O_RDWR)
    if lock(descriptor) == FREE:
        return descriptor
    os.close(descriptor)
    return None


def _delete(folder: str, name: str) -> None:
    """Delete a segment, unless it has a writer."""
    try:
        descriptor = _open_locked(folder, name)
    except FileNotFoundError:
        # A segment without this file has no writer.
        delete_files(folder, name)
        return
    except OSError:
        return
    if descriptor is not None:
        delete_files(folder, name)
        os.close(descriptor)
