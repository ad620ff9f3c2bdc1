"""Writes to the catalog's tables, each in one transaction."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, NamedTuple

from app.index.catalog import span_table
from app.index.catalog.queries import IN_COLUMNS, ROW, check_missing, check_stores, chunks, ids_of, row_of
from app.index.catalog.schema import encode, encode_compressed
from app.index.row import FIELDS, REFUSED, Reading, kind_of, refused_row, unread

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from app.index.catalog.queries import StoreRoots
    from app.index.row import Row, Signature, Span

UNUSED_MS = 60 * 24 * 3600 * 1000
"""Milliseconds without use after which the rows of a store are dropped."""

NOTED_MS = 24 * 3600 * 1000
"""Milliseconds after which the last use of a store is recorded again."""

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4

_LARGEST_INTEGER = (1 << 63) - 1
"""The largest integer that SQLite stores."""

_FIND = (
    "SELECT key, spans, first_message"
    " FROM sessions LEFT JOIN first_messages USING (key)"
    " WHERE store = (SELECT id FROM stores WHERE name = ?) AND path = ?"
)
_INSERT = (
    "INSERT INTO sessions"
    " (cwd, modified, listed, ino, size, mtime_ns, ctime_ns, row, spans, store, path)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE = (
    "UPDATE sessions SET cwd = ?, modified = ?, listed = ?, ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?,"
    " row = ?, spans = ? WHERE key = ?"
)
_UPDATE_SIGNATURE = (
    "UPDATE sessions SET ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?, listed = ?, row = ? WHERE key = ?"
)
_PUT_FIRST_MESSAGE = "REPLACE INTO first_messages VALUES (?, ?)"


class StoredReading(NamedTuple):
    """A reading as it is stored.

    root      the root of its store
    columns   of the table of sessions, without the spans, the store and the path
    """

    root: str
    columns: tuple[Any, ...]
    first_message: bytes
    spans: tuple[Span, ...] | None

    @property
    def is_refused(self) -> bool:
        """Whether the file is no session."""
        return bool(self.columns[2] == REFUSED)

    def decoded(self, path: str) -> Reading:
        """The reading of the file at `path`; its row has no first message."""
        cwd, modified, _, *others = self.columns
        return Reading(row_of({0: self.root}, 0, encode(path), cwd, modified, *others), self.spans)


def write(
    connection: sqlite3.Connection,
    pending: Mapping[str, StoredReading | None],
    stores: Mapping[str, bytes],
    is_shared: Callable[[], bool],
) -> None:
    """Store the readings by path, and remove the files whose reading is None.

    :param stores: root of a store -> its name.
    :param is_shared: whether other processes see the tables. Otherwise no spans are stored, because the next
        process that tidies deletes the texts that they refer to.
    :raises sqlite3.Error: nothing was written.
    :raises Doubt: nothing was written, because the stored rows are damaged.
    """
    connection.execute("BEGIN IMMEDIATE")
    changes = span_table.SpanChanges(connection)
    stores_texts = is_shared()
    store_ids: dict[bytes, int] = {}
    missing = []
    for path, reading in pending.items():
        if reading is None:
            if not _remove(connection, changes, path, stores):
                missing.append(encode(path))
            continue
        name = stores[reading.root]
        record = connection.execute(_FIND, (name, encode(path))).fetchone()
        key, spans_before, message_before = record or (None, None, None)
        columns = (*reading.columns, changes.change(spans_before, reading.spans if stores_texts else None))
        if record:
            connection.execute(_UPDATE, (*columns, key))
        else:
            if name not in store_ids:
                store_ids[name] = _store_id(connection, name)
            cursor = connection.execute(_INSERT, (*columns, store_ids[name], encode(path)))
            key = cursor.lastrowid
        if reading.first_message != message_before:
            connection.execute(_PUT_FIRST_MESSAGE, (key, reading.first_message))
    if missing:
        ids = [
            number
            for number, name in connection.execute("SELECT id, name FROM stores")
            if name in stores.values()
        ]
        check_missing(connection, ids, missing)
    changes.close()
    connection.execute("COMMIT")


def mark(connection: sqlite3.Connection, roots: StoreRoots, signatures: Mapping[str, Signature]) -> list[Row]:
    """Change only the signatures of the sessions among some files.

    :param signatures: by path.
    :return: their rows as they are stored now, without first messages.
    :raises sqlite3.Error: nothing was written.
    """
    rows = []
    connection.execute("BEGIN IMMEDIATE")
    for paths in chunks([encode(path) for path in signatures]):
        records = connection.execute(
            f"SELECT key, {ROW} FROM sessions"
            f" WHERE listed AND store IN ({ids_of(roots)}) AND path IN ({','.join('?' * len(paths))})",
            paths,
        )
        for key, *stored in records.fetchall():
            row = row_of(roots, *stored)
            row.signature = signatures[row.path]
            connection.execute(_UPDATE_SIGNATURE, (*row.signature, kind_of(row), _blob(row), key))
            rows.append(row)
    connection.execute("COMMIT")
    return rows


def drop_unused_stores(connection: sqlite3.Connection, ids: str, now_ms: int) -> None:
    """Record that some stores are in use, and drop the rows of stores that were not used for `UNUSED_MS`.

    :param ids: the ids of the stores in use for `IN (...)`.
    :raises sqlite3.Error: nothing was written.
    """
    # Most runs write nothing here, because recording once a day is enough.
    if not connection.execute(
        f"SELECT 1 FROM stores WHERE id IN ({ids}) AND NOT used_ms BETWEEN ? AND ? LIMIT 1",
        (now_ms - NOTED_MS + 1, now_ms),
    ).fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"UPDATE stores SET used_ms = ? WHERE id IN ({ids})", (now_ms,))
    connection.execute("DELETE FROM stores WHERE used_ms < ?", (now_ms - UNUSED_MS,))
    if connection.execute("SELECT changes()").fetchone()[0]:
        connection.execute("DELETE FROM sessions WHERE store NOT IN (SELECT id FROM stores)")
        connection.execute("DELETE FROM first_messages WHERE key NOT IN (SELECT key FROM sessions)")
        span_table.recount(connection)
    connection.execute("COMMIT")


def encode_reading(reading: Reading) -> StoredReading:
    """A reading as it is stored. One that SQLite cannot store is replaced by that of a refused file, because
    one file must not keep the others from being stored.
    """
    try:
        return _encode(reading)
    except (ValueError, OverflowError, TypeError) as error:
        row = reading.row
        reason = f"cannot be stored: {error}"
        return _encode(Reading(refused_row(row.path, row.store, unread((0, 0, 0, 0)), reason)))


def _encode(reading: Reading) -> StoredReading:
    """:raises ValueError: a number needs more than 64 bits, or a value has a type that cannot be stored."""
    row = reading.row
    if not all(-_LARGEST_INTEGER <= number <= _LARGEST_INTEGER for number in (row.modified, *row.signature)):
        raise ValueError("a number needs more than 64 bits")
    columns = (encode(row.cwd), row.modified, kind_of(row), *row.signature, _blob(row))
    return StoredReading(row.store, columns, encode_compressed(row.first_message), reading.spans)


def _blob(row: Row) -> bytes:
    """The fields of a row but path and store. Those that are stored elsewhere are empty."""
    values = tuple(
        "" if field == "first_message" else None if field in IN_COLUMNS else value
        for field, value in zip(FIELDS, row.values(), strict=True)
        if field not in ("path", "store")
    )
    return marshal.dumps(values, _MARSHAL_VERSION)


def _remove(
    connection: sqlite3.Connection, changes: span_table.SpanChanges, path: str, stores: Mapping[str, bytes]
) -> bool:
    """Remove a file from all stores. Return whether it was stored."""
    was_stored = False
    for name in stores.values():
        record = connection.execute(_FIND, (name, encode(path))).fetchone()
        if record:
            was_stored = True
            key, spans, _ = record
            changes.change(spans, None)
            connection.execute("DELETE FROM first_messages WHERE key = ?", (key,))
            connection.execute("DELETE FROM sessions WHERE key = ?", (key,))
    return was_stored


def _store_id(connection: sqlite3.Connection, name: bytes) -> int:
    """The id of a store, which is inserted if necessary. It counts as used until `drop_unused_stores`."""
    record = connection.execute("SELECT id FROM stores WHERE name = ?", (name,)).fetchone()
    if record:
        return int(record[0])
    check_stores(connection)
    cursor = connection.execute("INSERT INTO stores (name, used_ms) VALUES (?, ?)", (name, 1 << 60))
    return cursor.lastrowid or 0
