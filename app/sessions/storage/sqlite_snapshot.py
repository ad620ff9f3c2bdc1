"""A database of another program's as it is now, without a byte written beside it.

SQLite cannot just look. A database in WAL mode that nobody has open is given a `-wal` and a `-shm` by whoever
opens it, read only or not; one that is open is locked and its `-shm` written to; `immutable=1` does not see
what is still in the `-wal`. So the files are copied, and SQLite works on the copy.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time

from app.formats.lines import open_file

_BESIDE = ("", "-wal", "-journal")
_TRIES = 10
_PAUSE_SECONDS = 0.02


class Unsettled(Exception):
    """The database did not keep still for long enough to be copied."""


def load_copy(path: str) -> sqlite3.Connection:
    """The database at `path` in memory, with all that has been committed to it.

    While it is read in, a copy lies in a folder for temporary files that only this user can look into.

    :raises OSError: it cannot be read, or the copy not be written.
    :raises sqlite3.Error: it is no database, or a damaged one.
    :raises Unsettled: it is being written to all the time.
    """
    files = _still(path)
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with tempfile.TemporaryDirectory(prefix="leafmark-") as folder:
            copy = os.path.join(folder, "copy.db")
            for suffix, data in zip(_BESIDE, files, strict=True):
                if data:
                    with open(copy + suffix, "wb") as file:
                        file.write(data)
            connection = sqlite3.connect(copy)
            try:
                connection.backup(memory)
            finally:
                connection.close()
    except BaseException:
        memory.close()
        raise
    return memory


def _still(path: str) -> list[bytes]:
    """The bytes of the database and of what lies beside it, all of one moment.

    That is when they are read twice and are the same: then nothing was written between the end of the first
    reading and the start of the second. A moment halfway through a checkpoint is as good as any, because the
    `-wal` has all of it until the next write.
    """
    before = _read_all(path)
    for _ in range(_TRIES):
        after = _read_all(path)
        if before == after:
            return after
        before = after
        time.sleep(_PAUSE_SECONDS)
    raise Unsettled(path)


def _read_all(path: str) -> list[bytes]:
    return [_read(path + suffix, needed=not suffix) for suffix in _BESIDE]


def _read(path: str, *, needed: bool) -> bytes:
    try:
        with open(path, "rb", opener=lambda name, _: open_file(name)) as file:
            return file.read()
    except FileNotFoundError:
        if needed:
            raise
        return b""
