"""The newest sessions as the files are right now, for a list that is printed once.

Usually nothing has changed since the last list. That list left its rows beside the catalog, with the record
of the walk that they were made from. A walk with the same record has the same rows, whatever has become of
the catalog since: then the catalog, which takes longer to open and compare than the files take to look at, is
not opened. With any other record, or anything odd, the catalog is brought up to date and asked.

A printed list loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import marshal
import os
from _imp import source_hash  # the only digest that no module has to be loaded for
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
"""How many rows a page holds at most."""

GOOD_MS = 24 * 3600 * 1000
"""A page is only good for so long: the catalog wants to be asked now and then, to note that it is in use."""

_LONGEST = 64 << 20
"""Bytes: the record of the walk has some sixty for each session."""

_MARSHAL_VERSION = 4

_SEED = 0x6C656166


class Page:
    """The page of `stores` in a cache folder.

    :param record: of the walk that has just looked at all their files.
    :param now_ms: the time in milliseconds.
    """

    def __init__(self, folder: str, stores: Sequence[Store], record: bytes, now_ms: int) -> None:
        self._written = catalog_in(folder) + "-wal"
        self._path = os.path.join(folder, f"newest-{SCHEMA}")
        self._key = ["\n".join(("+".join(store.agents), store.root)) for store in stores]
        self._record = record
        self._now_ms = now_ms

    def read(self, limit: int) -> tuple[list[Row], int] | None:
        """The `limit` newest sessions, newest first and without their first messages, and how many there are;
        None when the page does not tell.
        """
        try:
            key, record, checksum, told = marshal.loads(read_small(self._path, _LONGEST))
            if key != self._key or record != self._record or checksum != source_hash(_SEED, told):
                return None
            written_ms, total, blobs = marshal.loads(told)
            if not 0 <= self._now_ms - written_ms < GOOD_MS or len(blobs) < min(limit, total):
                return None
            if self._is_followed():
                return None
            return [Row(marshal.loads(blob)) for blob in blobs[:limit]], total
        except (OSError, ValueError, EOFError, TypeError):
            return None

    def _is_followed(self) -> bool:
        """Whether a browser may just have seen a file grow, which the catalog knows and a page does not
        (formats/README.md, "Detecting a running agent").
        """
        try:
            written_ms = os.stat(self._written).st_mtime_ns // 1_000_000
        except FileNotFoundError:
            # Nobody has the catalog open.
            return False
        return abs(self._now_ms - written_ms) <= GROWING_MS

    def write(self, rows: Sequence[Row], total: int) -> None:
        """Leave a page for the next one.

        :param rows: the newest sessions, newest first, just as they are in the files that the walk found.
        :param total: how many sessions there are.
        """
        blobs = [marshal.dumps(row.values(), _MARSHAL_VERSION) for row in rows[:ROWS]]
        told = marshal.dumps((self._now_ms, total, blobs), _MARSHAL_VERSION)
        content: tuple[Any, ...] = (self._key, self._record, source_hash(_SEED, told), told)
        try:
            # First prompts are nobody else's business.
            replace_file(self._path, marshal.dumps(content, _MARSHAL_VERSION), 0o600)
        except OSError:
            # The next list takes the longer way.
            pass


def look_first(stores: Sequence[Store], cache_folder: str) -> WalkResult:
    """A walk of the stores. Where nothing is kept of them yet, what is to read them comes up meanwhile."""
    if os.path.exists(catalog_in(cache_folder)):
        return walk(stores)

    def workers() -> WorkerPool | None:
        from app.index.scan.executor import start_workers

        return start_workers(stores, gentle=False)

    return walk(stores, when_much=workers)


def newest(
    stores: Sequence[Store], cache_folder: str, limit: int, now: Callable[[], int], found: WalkResult
) -> tuple[list[Row], int, str | None]:
    """The `limit` newest sessions, newest first and without their first messages; how many there are; and one
    line why nothing is kept on disk, else None. Raises nothing.

    :param now: the time in milliseconds.
    :param found: what a walk of the stores has just found.
    """
    page = Page(cache_folder, stores, found.record(), now())
    known = page.read(limit)
    if known is not None:
        if found.workers:
            # The catalog was deleted, and the page was not.
            found.workers.close()
        return *known, None
    from app.index.catalog.catalog import Catalog
    from app.index.scan.retry import make_current
    from app.index.text.store import TextStore

    catalog = Catalog(cache_folder, stores)
    text_store = TextStore(catalog)
    try:
        (rows, total), as_found = make_current(
            catalog, text_store, stores, now, found, lambda: catalog.newest(max(limit, ROWS))
        )
        note = catalog.note or text_store.note
        if as_found and catalog.untouched() and note is None:
            page.write(rows, total)
        return rows[:limit], total, note
    finally:
        catalog.close()
        text_store.close()
