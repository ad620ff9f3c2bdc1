"""Writes readings into the catalog's tables, in one transaction."""

from __future__ import annotations

import marshal

from app.index.database import encode
from app.index.row import FIRST_MESSAGE
from app.index.stored import BESIDE
from app.index.text.table import Ledger
from app.sessions.halves import STAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from typing import Any

    from app.index.reading import Reading
    from app.index.row import Row
    from app.index.text.segment import Span

    Lasting = tuple[bytes, bytes, bytes]
    Columns = tuple[str, tuple[Any, ...], tuple[Any, ...], Lasting, tuple[Span, ...] | None]

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4

# What is asked for here need not be written when it is the same.
_FIND = (
    "SELECT key, spans, first_message, stamp"
    " FROM sessions LEFT JOIN lasting USING (key) LEFT JOIN texts USING (key)"
    " WHERE store = (SELECT id FROM stores WHERE name = ?) AND path = ?"
)
_UPDATE = (
    "UPDATE sessions SET cwd = ?, modified = ?, listed = ?, ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?,"
    " row = ? WHERE key = ?"
)
_INSERT = (
    "INSERT INTO sessions (cwd, modified, listed, ino, size, mtime_ns, ctime_ns, row, store, path)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)

_MANY = 8
"""So many are mostly new: then none is looked for before it turns out to be there."""


def columns(reading: Reading) -> Columns:
    """The root of the reading's store, what goes into the tables of rows, of readings and of what lasts, and
    where the text lies.
    """
    row = reading.row
    session = (encode(row.cwd), row.modified, row.refused is None, *row.signature, blob_of(row))
    said = encode(row.first_message)
    changing, lasting = reading.state or (b"", b"")
    # It stands in there, too, and is stored once.
    cut = changing.find(said) if said else -1
    if cut >= 0:
        changing = changing[:cut] + changing[cut + len(said) :]
    stored = (reading.offset, reading.fingerprint, cut, changing)
    return row.store, session, stored, (said, lasting[:STAMP], lasting), reading.spans


def blob_of(row: Row) -> bytes:
    """What is stored of a row beside its columns."""
    values = list(row.values())
    values[FIRST_MESSAGE] = ""
    return marshal.dumps(tuple(values[BESIDE:]), _MARSHAL_VERSION)


class Saving:
    """What is to be written: by path its columns, or None for a file that is to be forgotten."""

    def __init__(self, pending: Mapping[str, Columns | None], stores: Mapping[str, bytes]) -> None:
        """:param stores: the names of the stores at hand by their roots."""
        self._pending = pending
        self._stores = stores
        self._ids: dict[str, int] = {}

    def write(self, connection: sqlite3.Connection) -> None:
        """Do it, all or nothing.

        :raises sqlite3.Error: it was not done.
        """
        # It may be done a second time, in another database.
        self._ids.clear()
        connection.execute("BEGIN IMMEDIATE")
        ledger = Ledger(connection)
        many = len(self._pending) > _MANY
        for path, entry in self._pending.items():
            place = encode(path)
            if entry is None:
                self._forget(connection, ledger, place)
            elif not many or not self._insert(connection, ledger, place, entry):
                self._replace(connection, ledger, place, entry)
        ledger.close()
        connection.execute("COMMIT")

    def _insert(self, connection: sqlite3.Connection, ledger: Ledger, place: bytes, entry: Columns) -> bool:
        """Write what was read of a file that is not there yet; False where it is."""
        root, session, reading, lasting, spans = entry
        made = connection.execute(_INSERT, (*session, self._id(connection, root), place))
        if not made.rowcount:
            return False
        key = made.lastrowid
        connection.execute("REPLACE INTO readings VALUES (?, ?, ?, ?, ?)", (key, *reading))
        connection.execute("REPLACE INTO lasting VALUES (?, ?, ?, ?)", (key, *lasting))
        ledger.put(key or 0, None, spans)
        return True

    def _replace(self, connection: sqlite3.Connection, ledger: Ledger, place: bytes, entry: Columns) -> None:
        root, session, reading, lasting, spans = entry
        found = connection.execute(_FIND, (self._stores[root], place)).fetchone()
        if not found:
            self._insert(connection, ledger, place, entry)
            return
        key, before, *lasted = found
        connection.execute(_UPDATE, (*session, key))
        connection.execute("REPLACE INTO readings VALUES (?, ?, ?, ?, ?)", (key, *reading))
        if lasted != [*lasting[:2]]:
            connection.execute("REPLACE INTO lasting VALUES (?, ?, ?, ?)", (key, *lasting))
        ledger.put(key, before, spans)

    def _forget(self, connection: sqlite3.Connection, ledger: Ledger, place: bytes) -> None:
        for name in self._stores.values():
            found = connection.execute(_FIND, (name, place)).fetchone()
            if found:
                key, before, *_ = found
                ledger.put(key, before, None)
                for table in ("readings", "lasting", "sessions"):
                    connection.execute(f"DELETE FROM {table} WHERE key = ?", (key,))

    def _id(self, connection: sqlite3.Connection, root: str) -> int:
        """The number of a store, given to it now if it has none; it counts as used until `tidy` says when."""
        if root not in self._ids:
            name = self._stores[root]
            found = connection.execute("SELECT id FROM stores WHERE name = ?", (name,)).fetchone()
            if not found:
                made = connection.execute("INSERT INTO stores (name, used_ms) VALUES (?, ?)", (name, 1 << 60))
                found = (made.lastrowid or 0,)
            self._ids[root] = int(found[0])
        return self._ids[root]
