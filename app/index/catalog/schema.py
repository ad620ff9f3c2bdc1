"""The tables of the catalog, and how values are stored in them."""

from __future__ import annotations

import sqlite3
import time
import zlib
from typing import TYPE_CHECKING, NamedTuple

from app.index.catalog.db_errors import BUSY, Doubt, OtherVersion, code_of
from app.index.row import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

LOCAL_JOURNAL, SHARED_JOURNAL = "WAL", "DELETE"
"""SQLite's journal modes for a file on a disk of this machine and for one on a network share."""

PAGE_BYTES = 8192
"""Sessions leave much of SQLite's default pages unused, and larger pages cost more writes for one
more entry.
"""

TABLES = """
CREATE TABLE stores (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, used_ms INTEGER NOT NULL);
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, store INTEGER NOT NULL, path BLOB NOT NULL, cwd BLOB NOT NULL,
    modified INTEGER NOT NULL, listed INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, spans BLOB, row BLOB NOT NULL,
    UNIQUE (store, path));
CREATE TABLE first_messages (key INTEGER PRIMARY KEY, first_message BLOB NOT NULL);
CREATE TABLE segments (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, live INTEGER NOT NULL, reach INTEGER NOT NULL);
CREATE INDEX listing ON sessions (cwd, modified, store, listed);
CREATE INDEX textless ON sessions (store) WHERE listed AND spans IS NULL;
"""

_RETRY_SECONDS = 0.02


class Schema(NamedTuple):
    """The tables of a database, as statements with semicolons between them, and their version."""

    tables: str
    version: int


CATALOG = Schema(TABLES, SCHEMA)


def create_tables(
    connection: sqlite3.Connection,
    journal: str = LOCAL_JOURNAL,
    patience: float = 0.0,
    schema: Schema = CATALOG,
) -> None:
    """Create the tables in an empty database. Several processes may try at the same time.

    :param journal: the journal mode, which the file remembers.
    :param patience: seconds to wait for other processes.
    :param schema: the tables.
    :raises OtherVersion: the database has another version.
    :raises Doubt: the database is not empty.
    """
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute(f"PRAGMA journal_mode = {journal}")
            connection.execute("BEGIN IMMEDIATE")
            break
        except sqlite3.OperationalError as error:
            # SQLite itself does not wait for the lock when the journal mode changes.
            if code_of(error) not in BUSY or time.monotonic() >= until:
                raise
            time.sleep(_RETRY_SECONDS)
    try:
        version = version_of(connection)
        if version != schema.version:
            if version:
                raise OtherVersion(f"schema {version}, not {schema.version}")
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise Doubt("tables without a version")
            for statement in schema.tables.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {schema.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """The schema of a database; 0 if it is empty."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


# Paths and messages may contain lone surrogates, which SQLite's text cannot.
def encode(text: str) -> bytes:
    """A text as it is stored."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The text that was stored.

    :raises Doubt: `data` is no stored text.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except (ValueError, AttributeError) as error:
        raise Doubt(f"text that cannot be read: {error}") from error


def encode_compressed(text: str) -> bytes:
    """A text as it is stored where it is long and seldom read: a tenth of the catalog is saved."""
    # More effort would take three times as long, 3 % of a cold index, and save 2 % of the text.
    return zlib.compress(encode(text), 1)


def decode_compressed(data: bytes) -> str:
    """The text that `encode_compressed` has stored.

    :raises Doubt: `data` is no stored text.
    """
    try:
        return decode(zlib.decompress(data))
    except (zlib.error, TypeError) as error:
        raise Doubt(f"text that cannot be read: {error}") from error


def expect(kind: type, values: Iterable[object]) -> None:
    """Check the type of stored values: SQLite returns a text if a bit of a number has flipped.

    :raises Doubt: a value has another type.
    """
    odd = set(map(type, values)) - {kind}
    if odd:
        raise Doubt(f"{odd.pop().__name__} where {kind.__name__} was stored")
