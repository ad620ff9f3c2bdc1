"""The newest rows of the list as they were printed last, for when no file has changed since.

Opening the catalog and comparing it with thousands of files takes longer than looking at the files does. So
whoever has printed a list leaves its rows beside the catalog, with the record of the walk that they are the
outcome of. A walk with the same record has the same outcome: the page is right, whatever has become of the
catalog since. Any other record, or anything odd, and there is no page.

What the walk itself does not say is beside its checksum: a row that was damaged may be one still.

A printed list loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import marshal
import os
from _imp import source_hash  # the only digest that no module has to be loaded for
from typing import TYPE_CHECKING

from app.index.row import SCHEMA, Row, catalog_in
from app.small_files import read_small, write_whole
from app.stores.live import GROWING_MS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

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
            write_whole(self._path, marshal.dumps(content, _MARSHAL_VERSION), 0o600)
        except OSError:
            # The next list takes the longer way.
            pass
