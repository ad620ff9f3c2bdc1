"""The sessions that a completion offers, from the stored catalog alone: nothing is scanned or written."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from urllib.parse import quote

from app.index.catalog.catalog import Catalog
from app.index.catalog.db_errors import Doubt
from app.index.catalog.queries import ROW, ids_of, newest, newest_first, row_of
from app.index.catalog.schema import encode
from app.index.row import Row, catalog_in
from app.stores.base import Store

SECONDS = 0.05
"""Seconds to wait for another process that writes the catalog."""
MOST_SESSIONS = 200
"""Sessions that are offered. Typing another character is quicker than reading a longer list."""


def sessions_with_id(beginning: str, stores: Sequence[Store], cache_folder: str) -> list[Row]:
    """The stored sessions whose id begins so, the newest first; at most `MOST_SESSIONS`. None if there is no
    catalog, or it cannot be read now.

    :param beginning: "" for the newest sessions.
    """
    path = catalog_in(cache_folder)
    if not os.path.isfile(path):
        return []
    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=SECONDS)
        try:
            roots = Catalog(cache_folder, stores).roots(connection)
            if not beginning:
                return newest(connection, roots, MOST_SESSIONS)[0]
            # The id is somewhere in the bytes of the row, so that few rows are decoded.
            records = connection.execute(
                f"SELECT {ROW} FROM sessions NOT INDEXED"
                f" WHERE listed AND store IN ({ids_of(roots)}) AND instr(row, ?)",
                (encode(beginning),),
            )
            rows = [row_of(roots, *record) for record in records]
            return newest_first([row for row in rows if row.id.startswith(beginning)])[:MOST_SESSIONS]
        finally:
            connection.close()
    except (sqlite3.Error, Doubt, OSError):
        return []
