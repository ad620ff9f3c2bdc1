"""The catalog's file as one of a folder: how it is written there, and putting it aside."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from app.index.row import SCHEMA, catalog_in
from app.paths import make_own_folders

if TYPE_CHECKING:
    from app.stores.locks import FileLock

LOCAL_JOURNAL, SHARED_JOURNAL = "WAL", "DELETE"
"""SQLite's names for how a file on this machine's disks and one on a network share are written."""


def text_in(folder: str) -> str:
    """The folder of the texts in a cache folder. Of one that can be none it is where nothing can be: so all
    that is tried there fails as it does where nothing may be written.
    """
    return os.path.join(os.devnull if no_folder(folder) else folder, f"text-{SCHEMA}")


def make_folder(folder: str) -> None:
    """Make the cache folder, for this user alone.

    :raises OSError: it cannot be made; no file system takes that for a path.
    """
    reason = no_folder(folder)
    if reason:
        raise OSError(errno.EINVAL, reason, folder)
    make_own_folders(folder)


def no_folder(folder: str) -> str:
    """Why no file system takes `folder` for a path, "" where one may."""
    try:
        return "is no path: there is a NUL in it" if b"\0" in os.fsencode(folder) else ""
    except UnicodeEncodeError:
        return "is no path: there is half a character in it"


def journal_of(folder: str) -> str:
    """How to write a file in this folder. On a network share the faster way does not work: it needs memory
    that all who use the file have in common.
    """
    from app.index.network_mounts import is_silent

    return SHARED_JOURNAL if is_silent(folder) else LOCAL_JOURNAL


def forget(folder: str) -> None:
    """Delete the catalog in a folder. Whoever has it open finds out with `Database.look`.

    :raises OSError: it cannot be deleted.
    """
    path = catalog_in(folder)
    reason = no_folder(folder)
    if reason:
        raise OSError(errno.EINVAL, reason, folder)
    if not os.path.isdir(folder):
        return
    with alone(folder):
        if os.path.exists(path):
            put_aside(path)
        if os.path.exists(path + ".bad"):
            os.unlink(path + ".bad")


def put_aside(path: str) -> None:
    """Have the file at `path` out of the way, for who is `alone`.

    :raises OSError: it is still there.
    """
    # Renamed and not deleted: a deleted file's inode number would be given to the new one.
    os.replace(path, path + ".bad")
    for leftover in (path + "-wal", path + "-shm"):
        if os.path.exists(leftover):
            os.unlink(leftover)


def alone(folder: str) -> FileLock:
    """The lock of whoever puts the catalog in a folder aside."""
    from app.stores.locks import FileLock

    return FileLock(os.path.join(folder, "catalog.lock"))
