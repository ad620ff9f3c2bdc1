"""Writes readings into the catalog's tables, in one transaction."""

from __future__ import annotations

import marshal

from app.index.database import encode
from app.index.row import FIRST_MESSAGE
from app.index.text.table import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from typing import Any

    from app.index.reading import Reading
    from app.index.text.segment import Span

    Columns = tuple[str, tuple[Any, ...], tuple[Any, ...], tuple[Span, ...] | None]

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4

_FIND = "SELECT key FROM sessions WHERE store = ? AND path = ?"
_UPDATE = (
    "UPDATE sessions SET cwd = ?, modified = ?, listed = ?, ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?,"
    " row = ? WHERE key = ?"
)
_INSERT = (
    "INSERT INTO sessions (cwd, modified, listed, ino, size, mtime_ns, ctime_ns, row, store, path)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def columns(reading: Reading) -> Columns:
    """The root of the reading's store, what goes into the tables of rows and of readings, and where the text
    lies.
    """
    row = reading.row
    values = list(row.values())
    values[FIRST_MESSAGE] = ""
    blob = marshal.dumps(tuple(values), _MARSHAL_VERSION)
    session = (encode(row.cwd), row.modified, row.refused is None, *row.signature, blob)
    stored = (encode(row.first_message), reading.offset, reading.fingerprint, reading.state)
    return row.store, session, stored, reading.spans


class Saving:
    """What is to be written: by path its columns, or None for a file that is to be forgotten."""

    def __init__(self, pending: Mapping[str, Columns | None], stores: Mapping[str, bytes]) -> None:
        """:param stores: the names of the stores at hand by their roots."""
        self._pending = pending
        self._stores = stores

    def write(self, connection: sqlite3.Connection) -> None:
        """Do it, all or nothing.

        :raises sqlite3.Error: it was not done.
        """
        connection.execute("BEGIN IMMEDIATE")
        ledger = Ledger(connection)
        ids: dict[str, int] = {}
        for path, entry in self._pending.items():
            place = encode(path)
            if entry is None:
                self._forget(connection, ledger, place)
                continue
            root, session, reading, spans = entry
            if root not in ids:
                ids[root] = self._id(connection, root)
            found = connection.execute(_FIND, (ids[root], place)).fetchone()
            if found:
                key = found[0]
                connection.execute(_UPDATE, (*session, key))
            else:
                key = connection.execute(_INSERT, (*session, ids[root], place)).lastrowid
            connection.execute("REPLACE INTO readings VALUES (?, ?, ?, ?, ?)", (key, *reading))
            ledger.put(key, spans, new=not found)
        ledger.close()
        connection.execute("COMMIT")

    def _forget(self, connection: sqlite3.Connection, ledger: Ledger, place: bytes) -> None:
        for store in self._at_hand(connection):
            found = connection.execute(_FIND, (store, place)).fetchone()
            if found:
                ledger.put(found[0], None)
                connection.execute("DELETE FROM readings WHERE key = ?", found)
                connection.execute("DELETE FROM sessions WHERE key = ?", found)

    def _at_hand(self, connection: sqlite3.Connection) -> list[int]:
        names = set(self._stores.values())
        return [number for number, name in connection.execute("SELECT id, name FROM stores") if name in names]

    def _id(self, connection: sqlite3.Connection, root: str) -> int:
        """The number of a store, given to it now if it has none; it counts as used until `tidy` says when."""
        name = self._stores[root]
        found = connection.execute("SELECT id FROM stores WHERE name = ?", (name,)).fetchone()
        if found:
            return int(found[0])
        made = connection.execute("INSERT INTO stores (name, used_ms) VALUES (?, ?)", (name, 1 << 60))
        return int(made.lastrowid or 0)
