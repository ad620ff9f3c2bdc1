"""The cache folder as a whole: where it is and how large, and forgetting it (`leafmark index`)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.index.catalog.catalog import Catalog
from app.index.catalog.catalog_file import SHARED_JOURNAL, forget, journal_of, no_folder, text_in
from app.index.row import SCHEMA, catalog_in
from app.index.text import table
from app.index.text.segment import SUFFIX
from app.index.text.store import sizes_in

if TYPE_CHECKING:
    import sqlite3


@dataclass(slots=True)
class Where:
    """What is kept, and where. Sizes are in bytes; those of what another version keeps beside it are not
    counted.

    catalog        the file of the rows; `catalog_bytes` with what SQLite keeps beside it
    text           the folder of the texts, with `segments` files of `text_bytes`; `dead_bytes` of them belong
                   to no session any more and go when they are more than half
    sessions       how many sessions are stored, of all stores; `without_text`: of so many the text is not
                   kept, a search reads their files
    network        the folder is on a network share: SQLite's rollback journal is used, which works there
    note           None, or one line that says why the catalog could not be asked: what it knows is 0 then
    """

    folder: str
    catalog: str
    catalog_bytes: int
    text: str
    segments: int
    text_bytes: int
    dead_bytes: int
    sessions: int
    without_text: int
    network: bool
    note: str | None


def where(cache_folder: str, catalog: Catalog | None = None) -> Where:
    """What the cache folder holds; nothing is made that is not there. Raises nothing.

    :param catalog: that in the folder, for somebody who has one; it is closed afterwards.
    """
    path = catalog_in(cache_folder)
    sizes = sizes_in(text_in(cache_folder))
    total = sum(sizes.values())
    sessions = texts = live = 0
    why = no_folder(cache_folder)
    note = f"nothing is kept: {cache_folder}: {why}" if why else None
    if os.path.isfile(path):
        catalog = catalog or Catalog(cache_folder, [])
        try:
            counts = catalog.run(_counts)
        finally:
            catalog.close()
        if counts is None:
            note = f"it is not known what is in it: {path}: another process has it locked"
            live = total
        else:
            sessions, texts, live = counts
    return Where(
        folder=cache_folder,
        catalog=path,
        catalog_bytes=sum(_size(path + ending) for ending in ("", "-wal", "-shm")),
        text=os.path.join(cache_folder, f"text-{SCHEMA}"),
        segments=len(sizes),
        text_bytes=total,
        dead_bytes=max(0, total - live),
        sessions=sessions,
        without_text=max(0, sessions - texts),
        network=not why and journal_of(cache_folder) == SHARED_JOURNAL,
        note=note,
    )


def rebuild(cache_folder: str) -> None:
    """Forget everything that this version keeps; the next scan reads all files. What other versions keep
    stays.

    A browser that is open finds out at its next look at all files.

    :raises OSError: it cannot be deleted.
    """
    forget(cache_folder)
    _unlink(os.path.join(cache_folder, f"newest-{SCHEMA}"))
    folder = text_in(cache_folder)
    for name in sizes_in(folder):
        _unlink(os.path.join(folder, name + SUFFIX))


def _counts(connection: sqlite3.Connection) -> tuple[int, int, int]:
    sessions, texts = connection.execute(
        "SELECT count(*), count(spans) FROM sessions WHERE listed"
    ).fetchone()
    return sessions, texts, sum(used.live for used in table.segments(connection).values())


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except (OSError, ValueError):
        return 0


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
