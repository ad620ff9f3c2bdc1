"""Why the catalog's file cannot be used, in the system's words: SQLite says no more than that it is so."""

from __future__ import annotations

import _sqlite3 as sqlite3
import errno
import os

from app.index.database import code_of

_NOT_OPENED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY)


def why(path: str, error: Exception) -> str:
    """The reason for `error`, which came up when the file at `path` was opened or written.

    The file is not opened for it: whoever closes it lets go of SQLite's locks on it.
    """
    folder = os.path.dirname(path)
    if code_of(error) in _NOT_OPENED and os.path.isdir(folder):
        if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
            return os.strerror(errno.EROFS)
        # It writes other files beside this one.
        if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
            return os.strerror(errno.EACCES)
    return str(error)
