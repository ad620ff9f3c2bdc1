"""The cached page of a list that is printed once: the newest sessions, current with the files.

Usually nothing has changed since the last list. That list stored its rows beside the catalog, with a checksum
of the record of the walk that found their files. If a new walk has the same checksum, the stored rows are
still right, and the catalog is not opened: opening and comparing it takes longer than the walk. With any
other record, or a page that cannot be used, the catalog is brought up to date and read.

A printed list loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import marshal
import os
from _imp import source_hash  # the only digest that needs no further module
from typing import TYPE_CHECKING

from app.index.row import SCHEMA, Row, catalog_in
from app.index.scan.walk import walk
from app.small_files import read_small, replace_file
from app.stores.live import GROWING_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from app.index.scan.walk import WalkResult
    from app.index.worker_pool import WorkerPool
    from app.stores.base import Store

ROWS = 100
"""The most rows that a page holds."""

GOOD_MS = 24 * 3600 * 1000
"""Milliseconds for which a page is used. Then the catalog is opened, to record that its stores are in use."""

_LONGEST = 64 << 20
"""The largest page that is read, in bytes: a hundred rows with long labels and names."""

_MARSHAL_VERSION = 4

_SEED = 0x6C656166


class Page:
    """The page of `stores` in a cache folder.

    :param record: `WalkResult.record` of the walk that has just found all their files.
    :param now_ms: the time in milliseconds since the epoch.
    """

    def __init__(self, folder: str, stores: Sequence[Store], record: bytes, now_ms: int) -> None:
        self._wal_path = catalog_in(folder) + "-wal"
        self._path = os.path.join(folder, f"newest-{SCHEMA}")
        self._key = ["\n".join(("+".join(store.agents), store.root)) for store in stores]
        # The record has about 140 bytes for each session.
        self._record = source_hash(_SEED, record)
        self._now_ms = now_ms

    def read(self, limit: int) -> tuple[list[Row], int] | None:
        """(the `limit` newest sessions, newest first, without their first messages; the number of all
        sessions); None if the page is missing, out of date or too short.
        """
        try:
            key, record, checksum, content = marshal.loads(read_small(self._path, _LONGEST))
            if key != self._key or record != self._record or checksum != source_hash(_SEED, content):
                return None
            written_ms, total, blobs = marshal.loads(content)
            if not 0 <= self._now_ms - written_ms < GOOD_MS or len(blobs) < min(limit, total):
                return None
            if self._is_followed():
                return None
            return [Row(marshal.loads(blob)) for blob in blobs[:limit]], total
        except (OSError, ValueError, EOFError, TypeError):
            return None

    def _is_followed(self) -> bool:
        """Whether a browser may just have seen a file grow, which is in the catalog and not in a page
        (formats/README.md, "Detecting a running agent").
        """
        try:
            written_ms = os.stat(self._wal_path).st_mtime_ns // 1_000_000
        except FileNotFoundError:
            # No process has the catalog open.
            return False
        return abs(self._now_ms - written_ms) <= GROWING_MS

    def write(self, rows: Sequence[Row], total: int) -> None:
        """Store the page for the next list.

        :param rows: the newest sessions, newest first, current with the files that the walk found.
        :param total: the number of all sessions.
        """
        blobs = [marshal.dumps(row.values(), _MARSHAL_VERSION) for row in rows[:ROWS]]
        content = marshal.dumps((self._now_ms, total, blobs), _MARSHAL_VERSION)
        page: tuple[Any, ...] = (self._key, self._record, source_hash(_SEED, content), content)
        try:
            # Only this user may read the file: it has first prompts.
            replace_file(self._path, marshal.dumps(page, _MARSHAL_VERSION), 0o600)
        except OSError:
            # The next list reads the catalog.
            pass


def look_first(stores: Sequence[Store], cache_folder: str) -> WalkResult:
    """Return a walk of the stores. If there is no catalog yet, start worker processes during the walk."""
    if os.path.exists(catalog_in(cache_folder)):
        return walk(stores)

    def workers() -> WorkerPool | None:
        # Imported here: a list with a catalog needs no workers.
        from app.index.scan.executor import start_workers

        return start_workers(stores, gentle=False)

    return walk(stores, when_much=workers)


def newest(
    stores: Sequence[Store], cache_folder: str, limit: int, now: Callable[[], int], found: WalkResult
) -> tuple[list[Row], int, str | None]:
    """Return (the `limit` newest sessions, newest first, without their first messages; the number of all
    sessions; one line that says why nothing is kept on disk, else None). Raise nothing.

    :param now: returns the time in milliseconds since the epoch.
    :param found: the result of `look_first`.
    """
    page = Page(cache_folder, stores, found.record(), now())
    cached = page.read(limit)
    if cached is not None:
        if found.workers:
            # The catalog was deleted, and the page was not.
            found.workers.close()
        return *cached, None
    # Imported here: a list with a page needs no catalog.
    from app.index.catalog.catalog import Catalog
    from app.index.scan.retry import make_current
    from app.index.text.store import TextStore

    catalog = Catalog(cache_folder, stores)
    text_store = TextStore(catalog)
    try:
        (rows, total), is_current = make_current(
            catalog, text_store, stores, now, found, lambda: catalog.newest(max(limit, ROWS))
        )
        note = catalog.note or text_store.note
        if is_current and catalog.untouched() and note is None:
            page.write(rows, total)
        return rows[:limit], total, note
    finally:
        catalog.close()
        text_store.close()
