"""The catalog in memory, where its file cannot be used: with all that can still be read of it."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from app.index.row import SCHEMA


def new() -> sqlite3.Connection:
    """A database in memory, in which nothing is."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def copy_of(file: sqlite3.Connection) -> sqlite3.Connection | None:
    """All that a file holds; None where that cannot be read, or is no catalog."""
    memory = new()
    try:
        # A copy in memory cannot change it.
        (page_size,) = file.execute("PRAGMA page_size").fetchone()
        memory.execute(f"PRAGMA page_size = {page_size}")
        file.backup(memory)
        (version,) = memory.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        version = None
    if version != SCHEMA:
        memory.close()
        return None
    return memory


def as_left(path: str) -> sqlite3.Connection | None:
    """A catalog's file as its last user left it, for where nothing may be written beside it; None where it is
    not complete without what lies beside it.
    """
    try:
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            return None
        if not os.path.getsize(path):
            return None
    except OSError:
        return None
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        return sqlite3.connect(f"file:{name}?immutable=1", uri=True, check_same_thread=False)
    except (sqlite3.Error, ValueError):
        return None
