"""Marks sessions whose files are out of reach: their rows stay as they are, their signatures say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.catalog.database import encode
from app.index.catalog.projects import FORGET
from app.index.catalog.stored import ROW, ids_of, row_of
from app.index.catalog.writes import blob_of
from app.index.row import kind_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from app.index.row import Row, Signature

_MANY = 400  # names in one query; SQLite's oldest limit is 999

_UPDATE = (
    "UPDATE sessions SET ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?, listed = ?, row = ? WHERE key = ?"
)


def mark(
    connection: sqlite3.Connection, roots: Mapping[int, str], signatures: Mapping[str, Signature]
) -> list[Row]:
    """Give the sessions among some files other signatures, and nothing else.

    :param roots: of the stores at hand, by their numbers.
    :param signatures: by path.
    :return: their rows as they are stored now, without first messages.
    :raises sqlite3.Error: it was not done.
    """
    wanted = [encode(path) for path in signatures]
    rows = []
    connection.execute("BEGIN IMMEDIATE")
    # one that is out of reach is not taken for empty
    connection.execute(FORGET)
    for start in range(0, len(wanted), _MANY):
        some = wanted[start : start + _MANY]
        found = connection.execute(
            f"SELECT key, {ROW} FROM sessions"
            f" WHERE listed AND store IN ({ids_of(roots)}) AND path IN ({','.join('?' * len(some))})",
            some,
        )
        for key, *stored in found.fetchall():
            row = row_of(roots, *stored)
            row.signature = signatures[row.path]
            connection.execute(_UPDATE, (*row.signature, kind_of(row), blob_of(row), key))
            rows.append(row)
    connection.execute("COMMIT")
    return rows
