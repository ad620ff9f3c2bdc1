"""Report the place and size of the cache folder, and clear it (`leafmark index`)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.index.catalog.catalog import Catalog
from app.index.catalog.catalog_file import forget, journal_of, path_problem, text_in, touched_in, words_paths
from app.index.catalog.schema import SHARED_JOURNAL
from app.index.catalog.span_table import segments
from app.index.figures_file import figures_path
from app.index.row import SCHEMA, catalog_in
from app.index.text.segment import paths_of, sizes_in

if TYPE_CHECKING:
    import sqlite3


@dataclass(slots=True)
class CacheStatus:
    """The contents of the cache folder. Sizes are in bytes and exclude the files of other versions.

    catalog        path of the catalog; `catalog_bytes` includes the files that SQLite keeps beside it
    text           folder of the texts: `segments` with `text_bytes` in total, of which `dead_bytes` belong to
                   no session any more and are removed when they are more than half. Each text is on the disk
                   twice (`index.text.segment`) and counted once.
    figures_bytes  size of the file with the figures of statistics; 0 before the first statistics
    touched_bytes  size of the file with the touched files of sessions; 0 before they are needed
    words_bytes    size of the words of tools; 0 before the screen has read them
    sessions       number of sessions that are stored, of all stores
    without_text   number of those whose text is not stored: a search reads their files
    network        whether the folder is on a network share: SQLite's rollback journal is used, which works
                   there
    note           None, or one line that says why the catalog could not be read; the numbers that it would
                   give are 0 then
    """

    folder: str
    catalog: str
    catalog_bytes: int
    text: str
    segments: int
    text_bytes: int
    dead_bytes: int
    figures_bytes: int
    touched_bytes: int
    words_bytes: int
    sessions: int
    without_text: int
    network: bool
    note: str | None


def cache_status(cache_folder: str, catalog: Catalog | None = None) -> CacheStatus:
    """Return the contents of the cache folder. Create nothing and raise nothing.

    :param catalog: the catalog of the folder, if the caller has opened it; it is closed afterwards.
    """
    path = catalog_in(cache_folder)
    sizes = sizes_in(text_in(cache_folder))
    total = sum(sizes.values())
    sessions = texts = live = 0
    why = path_problem(cache_folder)
    note = f"nothing is kept: {cache_folder}: {why}" if why else None
    if os.path.isfile(path):
        catalog = catalog or Catalog(cache_folder, [])
        try:
            sessions, texts, live = catalog.read(_counts)
        finally:
            catalog.close()
        if catalog.note and not sessions:
            note, live = catalog.note, total
    return CacheStatus(
        folder=cache_folder,
        catalog=path,
        catalog_bytes=_database_size(path),
        text=os.path.join(cache_folder, f"text-{SCHEMA}"),
        segments=len(sizes),
        text_bytes=total,
        dead_bytes=max(0, total - live),
        figures_bytes=0 if why else _size(figures_path(cache_folder)),
        touched_bytes=0 if why else _database_size(touched_in(cache_folder)),
        words_bytes=sum(map(_size, words_paths(cache_folder))),
        sessions=sessions,
        without_text=max(0, sessions - texts),
        network=not why and journal_of(cache_folder) == SHARED_JOURNAL,
        note=note,
    )


def rebuild(cache_folder: str) -> None:
    """Delete everything that this version stores; the next scan reads all files. The files of other versions
    stay.

    An open browser notices at its next look at all files.

    :raises OSError: a file cannot be deleted.
    """
    forget(cache_folder)
    _unlink(figures_path(cache_folder))
    for path in words_paths(cache_folder):
        _unlink(path)
    folder = text_in(cache_folder)
    for name in sizes_in(folder):
        for path in paths_of(folder, name):
            _unlink(path)


def _counts(connection: sqlite3.Connection) -> tuple[int, int, int]:
    sessions, texts = connection.execute(
        "SELECT count(*), count(spans) FROM sessions WHERE listed"
    ).fetchone()
    return sessions, texts, sum(used.live for used in segments(connection).values())


def _database_size(path: str) -> int:
    """The size of a file of SQLite, with those beside it."""
    return sum(_size(path + ending) for ending in ("", "-wal", "-shm"))


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
