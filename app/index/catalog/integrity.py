"""Whether the parts of the catalog's file say the same, where one of them was damaged so that SQLite does not
notice.

What is stored of a file is found by its path in an index, and all of them are listed from the table. When the
two differ in a path, a file would stay listed that nobody can remove, or be stored a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.catalog.database import Doubt, decode, encode
from app.index.catalog.stored import ROW, ids_of, row_of
from app.index.row import kind_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from app.index.catalog.stored import Roots


def check_missing(connection: sqlite3.Connection, stores: Iterable[int], paths: Iterable[bytes]) -> None:
    """Nothing was found of these files although something had been read of them: another process may have
    removed it. To be asked then only, for the whole table is read.

    :param stores: the numbers of the stores at hand.
    :param paths: as they are stored.
    :raises Doubt: the table has one of them all the same.
    """
    missing = set(paths)
    listed = f"SELECT path FROM sessions NOT INDEXED WHERE store IN ({ids_of(stores)})"
    for (path,) in connection.execute(listed):
        if path in missing:
            raise Doubt(f"what is listed cannot be found: {decode(path)}")


def check_stores(connection: sqlite3.Connection) -> None:
    """To be asked before a store is given a number: the rows of one that was lost would be its own.

    :raises Doubt: there are rows of a store that is not listed.
    """
    if connection.execute("SELECT 1 FROM sessions WHERE store NOT IN (SELECT id FROM stores)").fetchone():
        raise Doubt("rows of a store that is not listed")


def check_all(connection: sqlite3.Connection, roots: Roots) -> None:
    """Compare all indexes with their tables, and what is stored of a row beside it with the row. It takes as
    long as to read the whole file.

    :raises Doubt: something differs.
    """
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise Doubt(f"the tables are damaged: {found}")
    check_stores(connection)
    for cwd, modified, listed, ino, size, mtime_ns, ctime_ns, *stored in connection.execute(
        f"SELECT cwd, modified, listed, ino, size, mtime_ns, ctime_ns, {ROW}"
        f" FROM sessions NOT INDEXED WHERE store IN ({ids_of(roots)})"
    ):
        row = row_of(roots, *stored)
        beside = (encode(row.cwd), row.modified, kind_of(row), *row.signature)
        if beside != (cwd, modified, listed, ino, size, mtime_ns, ctime_ns):
            raise Doubt(f"a row and what is stored beside it differ: {row.path}")
