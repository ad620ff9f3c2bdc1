"""Finds damage of the catalog's file that SQLite does not notice: parts of the file that contradict each
other.

Files are found by path in an index, but listed from the table. If the two differ in a path, a file would stay
listed for ever, or be stored a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.catalog.db_errors import Doubt
from app.index.catalog.queries import ROW, ids_of, row_of
from app.index.catalog.schema import decode
from app.index.row import kind_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from app.index.catalog.queries import StoreRoots


def check_missing(connection: sqlite3.Connection, stores: Iterable[int], paths: Iterable[bytes]) -> None:
    """Check that the table does not contain files that the index did not find. This reads the whole table, so
    it is used only if files are missing that should be stored; another process may have removed them.

    :param stores: the ids of the stores.
    :param paths: as they are stored.
    :raises Doubt: the table contains one of them.
    """
    missing = set(paths)
    listed = f"SELECT path FROM sessions NOT INDEXED WHERE store IN ({ids_of(stores)})"
    for (path,) in connection.execute(listed):
        if path in missing:
            raise Doubt(f"what is listed cannot be found: {decode(path)}")


def check_stores(connection: sqlite3.Connection) -> None:
    """Check that all rows belong to listed stores, before a store gets an id: it would get the rows of a
    store that was lost.

    :raises Doubt: there are rows of a store that is not listed.
    """
    if connection.execute("SELECT 1 FROM sessions WHERE store NOT IN (SELECT id FROM stores)").fetchone():
        raise Doubt("rows of a store that is not listed")


def check_all(connection: sqlite3.Connection, roots: StoreRoots) -> None:
    """Compare all indexes with their tables, and read all rows.

    :raises Doubt: something differs.
    """
    (result,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if result != "ok":
        raise Doubt(f"the tables are damaged: {result}")
    check_stores(connection)
    for listed, *stored in connection.execute(
        f"SELECT listed, {ROW} FROM sessions NOT INDEXED WHERE store IN ({ids_of(roots)})"
    ):
        row = row_of(roots, *stored)
        if kind_of(row) != listed:
            raise Doubt(f"a row and what is stored beside it differ: {row.path}")
