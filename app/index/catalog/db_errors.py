"""Why the catalog's file cannot be used, in the system's words: SQLite says no more than that it is so."""

from __future__ import annotations

import errno
import os
import sqlite3

from app.index.catalog.database import code_of

_NOTHING_LEFT = 64 << 10
"""SQLite makes room in steps of half as much, and calls it an error of the disk where it gets none."""

_NOT_OPENED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY)


def is_full(path: str, error: Exception) -> bool:
    """Whether `error`, which came up when the file at `path` was written, is that its disk is full."""
    code = code_of(error)
    if code != sqlite3.SQLITE_IOERR or not hasattr(os, "statvfs"):
        return code == sqlite3.SQLITE_FULL
    try:
        disk = os.statvfs(os.path.dirname(path))
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _NOTHING_LEFT


def why(path: str, error: Exception) -> str:
    """The reason for `error`, which came up when the file at `path` was opened or written.

    The file is not opened for it: whoever closes it lets go of SQLite's locks on it.
    """
    if is_full(path, error):
        return "database or disk is full"
    folder = os.path.dirname(path)
    if code_of(error) in _NOT_OPENED and os.path.isdir(folder):
        if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
            return os.strerror(errno.EROFS)
        # It writes other files beside this one.
        if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
            return os.strerror(errno.EACCES)
    return str(error)
