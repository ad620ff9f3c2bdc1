"""Drops the rows of stores that nobody uses any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.catalog.projects import FORGET

if TYPE_CHECKING:
    import sqlite3

UNUSED_MS = 60 * 24 * 3600 * 1000
"""Rows of a store that nobody listed for so long are dropped."""

NOTED_MS = 24 * 3600 * 1000
"""How exact the time is at which a store was used last."""


def tidy(connection: sqlite3.Connection, ids: str, now_ms: int) -> None:
    """Note that some stores are in use, and drop what is stored of those that nobody uses any more.

    :param ids: their numbers, for `IN (...)`.
    :raises sqlite3.Error: it was not done.
    """
    # Most runs have nothing to write here: noted once a day is enough.
    if not connection.execute(
        f"SELECT 1 FROM stores WHERE id IN ({ids}) AND NOT used_ms BETWEEN ? AND ? LIMIT 1",
        (now_ms - NOTED_MS + 1, now_ms),
    ).fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"UPDATE stores SET used_ms = ? WHERE id IN ({ids})", (now_ms,))
    connection.execute("DELETE FROM stores WHERE used_ms < ?", (now_ms - UNUSED_MS,))
    if connection.execute("SELECT changes()").fetchone()[0]:
        connection.execute(FORGET)
        connection.execute("DELETE FROM sessions WHERE store NOT IN (SELECT id FROM stores)")
        for others in ("readings", "lasting"):
            connection.execute(f"DELETE FROM {others} WHERE key NOT IN (SELECT key FROM sessions)")
        from app.index.text import table

        table.forget(connection)
    connection.execute("COMMIT")
