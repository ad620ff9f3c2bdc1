"""The tables of the catalog's file, and how they are made."""

from __future__ import annotations

import sqlite3
import time

from app.index.catalog.catalog_file import LOCAL_JOURNAL
from app.index.catalog.database import BUSY, BUSY_SECONDS, Doubt, code_of, version_of
from app.index.row import SCHEMA

PAGE_BYTES = 8192
"""What is stored of a session does not fill SQLite's usual pages well, and of larger ones more has to be
written for one more entry (bars 13 and 9).
"""

TABLES = """
CREATE TABLE stores (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, used_ms INTEGER NOT NULL);
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, store INTEGER NOT NULL, path BLOB NOT NULL, cwd BLOB NOT NULL,
    modified INTEGER NOT NULL, listed INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, spans BLOB, row BLOB NOT NULL,
    UNIQUE (store, path));
CREATE TABLE readings (
    key INTEGER PRIMARY KEY, offset INTEGER NOT NULL, fingerprint BLOB NOT NULL, cut INTEGER NOT NULL,
    state BLOB NOT NULL);
CREATE TABLE lasting (
    key INTEGER PRIMARY KEY, first_message BLOB NOT NULL, stamp BLOB NOT NULL, state BLOB NOT NULL);
CREATE TABLE segments (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, live INTEGER NOT NULL, reach INTEGER NOT NULL);
CREATE TABLE projects (stores TEXT PRIMARY KEY, counted BLOB NOT NULL);
CREATE INDEX listing ON sessions (cwd, modified, store, listed);
CREATE INDEX textless ON sessions (store) WHERE listed AND spans IS NULL;
"""


def make(connection: sqlite3.Connection, journal: str = LOCAL_JOURNAL, seconds: float = BUSY_SECONDS) -> None:
    """Make the tables in an empty database; Doubt when it is not empty. Several processes may try at once.

    :param journal: the file remembers it.
    :param seconds: so long is waited for the others.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute(f"PRAGMA journal_mode = {journal}")
            connection.execute("BEGIN IMMEDIATE")
            break
        except sqlite3.OperationalError as error:
            # The change to WAL does not wait for the lock by itself.
            if code_of(error) not in BUSY or time.monotonic() >= until:
                raise
            time.sleep(0.02)
    try:
        version = version_of(connection)
        if version != SCHEMA:
            if version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise Doubt(f"schema {version}, not {SCHEMA}")
            for statement in TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
