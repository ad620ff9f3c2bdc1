"""The catalog in memory, where its file cannot be used: with all that can still be read of it."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from app.index.catalog.database import Doubt, version_of
from app.index.row import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")


def new() -> sqlite3.Connection:
    """A database in memory, in which nothing is."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def empty() -> sqlite3.Connection:
    """A catalog in memory, of no file yet."""
    from app.index.catalog.tables import make

    memory = new()
    make(memory)
    return memory


def copy_of(file: sqlite3.Connection) -> sqlite3.Connection | None:
    """All that a file holds; None where that cannot be read, or is no catalog."""
    memory = new()
    try:
        # A copy in memory cannot change it.
        (page_size,) = file.execute("PRAGMA page_size").fetchone()
        memory.execute(f"PRAGMA page_size = {page_size}")
        # What is being read nobody locks: the copy would wait for that without an end.
        file.execute("BEGIN")
        file.execute("SELECT 1 FROM sqlite_master").fetchone()
        file.backup(memory)
        (version,) = memory.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        version = None
    finally:
        if file.in_transaction:
            file.execute("ROLLBACK")
    if version != SCHEMA:
        memory.close()
        return None
    return memory


def peek(path: str, question: Callable[[sqlite3.Connection], Result]) -> Result | None:
    """What the catalog's file at `path` says by now; None where it cannot be read."""
    for opened in (_opened, as_left):
        file = None
        try:
            file = opened(path)
            if file is not None and version_of(file) == SCHEMA:
                return question(file)
        except (sqlite3.Error, Doubt):
            # On a full disk SQLite may not find the room for what it keeps beside the file.
            pass
        finally:
            if file is not None:
                file.close()
    return None


def _opened(path: str) -> sqlite3.Connection | None:
    if not os.path.isfile(path):
        return None
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


def as_left(path: str) -> sqlite3.Connection | None:
    """A catalog's file as its last user left it, for where nothing may be written beside it; None where it is
    not complete without what lies beside it.
    """
    try:
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            return None
        if not os.path.getsize(path):
            return None
    except (OSError, ValueError):  # gone; no path at all
        return None
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        return sqlite3.connect(f"file:{name}?immutable=1", uri=True, check_same_thread=False)
    except (sqlite3.Error, ValueError):
        return None
