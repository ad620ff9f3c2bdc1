"""The files of SQLite in the cache folder: their folder, their journal mode, and deleting them."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

from app.index.catalog.schema import LOCAL_JOURNAL, SHARED_JOURNAL
from app.index.network_mounts import is_silent
from app.index.row import SCHEMA, catalog_in
from app.paths import make_own_folders
from app.stores.locks import file_lock

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

OLDER_KEPT_MS = 7 * 24 * 3600 * 1000
"""Milliseconds without a change after which the cache of an older version is deleted."""

_VERSIONED = re.compile(
    r"(?:catalog|newest|text|figures|touched|words)-([0-9]{1,9})(?:\.db(?:-wal|-shm|\.bad)?)?"
)


def text_in(folder: str) -> str:
    """The folder of the texts in a cache folder. If the cache folder is not a valid path, it is a path that
    cannot be created, so that every use fails as in a folder that cannot be written.
    """
    return os.path.join(os.devnull if path_problem(folder) else folder, f"text-{SCHEMA}")


def touched_in(folder: str) -> str:
    """The path of the touched files in a cache folder (`index.touched_files`)."""
    return os.path.join(folder, f"touched-{SCHEMA}.db")


def words_in(folder: str) -> str:
    """The folder of the words of tools in a cache folder (`index.words`), as `text_in`."""
    return os.path.join(os.devnull if path_problem(folder) else folder, f"words-{SCHEMA}")


def words_paths(folder: str) -> list[str]:
    """The files in `words_in`, the oldest first."""
    parent = words_in(folder)
    try:
        return [os.path.join(parent, name) for name in sorted(os.listdir(parent))]
    except OSError:
        return []


def make_folder(folder: str) -> None:
    """Create the cache folder for this user alone.

    :raises OSError: it cannot be created, or is not a valid path.
    """
    _check_path(folder)
    make_own_folders(folder)


def path_problem(folder: str) -> str:
    """Why `folder` is not a valid path; "" if it is."""
    try:
        return "is no path: there is a NUL in it" if b"\0" in os.fsencode(folder) else ""
    except UnicodeEncodeError:
        return "is no path: there is half a character in it"


def journal_of(folder: str) -> str:
    """The journal mode for a file in this folder. The faster mode does not work on a network share, because
    it needs memory that all users of the file share.
    """
    return SHARED_JOURNAL if is_silent(folder) else LOCAL_JOURNAL


def drop_older(folder: str, now_ms: int) -> None:
    """Delete the caches of older versions in a folder that were not written to for `OLDER_KEPT_MS`: an older
    version may be installed as well. Files that cannot be deleted stay.
    """
    try:
        names = os.listdir(folder)
    except (OSError, ValueError):
        return
    by_schema: dict[int, list[str]] = {}
    for name in names:
        match = _VERSIONED.fullmatch(name)
        if match and int(match[1]) < SCHEMA:
            by_schema.setdefault(int(match[1]), []).append(os.path.join(folder, name))
    for paths in by_schema.values():
        try:
            if now_ms - max(os.stat(path).st_mtime_ns // 1_000_000 for path in paths) < OLDER_KEPT_MS:
                continue
            for path in paths:
                if os.path.isdir(path):
                    for name in os.listdir(path):
                        os.unlink(os.path.join(path, name))
                    os.rmdir(path)
                else:
                    os.unlink(path)
        except OSError:
            continue


def forget(folder: str) -> None:
    """Delete the catalog and the touched files in a folder. Processes that have them open notice it in
    `Database.look`.

    :raises OSError: it cannot be deleted.
    """
    path = catalog_in(folder)
    _check_path(folder)
    if os.path.isdir(folder):
        with exclusive(folder):
            for file in (path, touched_in(folder)):
                for name in (file, *_beside(file)):
                    if os.path.lexists(name):
                        os.unlink(name)


def replace_by_empty(path: str) -> None:
    """Replace the file at `path`, which no connection of this process has open, by an empty one, while
    holding the lock of `exclusive`.

    :raises OSError: it is still there.
    """
    for name in _beside(path):
        if os.path.lexists(name):
            os.unlink(name)
    # The new file exists before the old one goes, or it might get the old inode number, by which other
    # processes know what they have open.
    os.close(os.open(path + ".new", os.O_RDWR | os.O_CREAT, 0o600))
    os.replace(path + ".new", path)


def is_first_use_of(folder: str) -> bool:
    """Whether a cache folder has a catalog of another version, and nothing that this version has made."""
    try:
        matches = [match for match in map(_VERSIONED.fullmatch, os.listdir(folder)) if match is not None]
    except OSError:
        return False
    is_used = any(int(match[1]) == SCHEMA for match in matches)
    return not is_used and any(match[0].startswith("catalog") for match in matches)


def exclusive(folder: str) -> AbstractContextManager[None]:
    """The lock for deleting the catalog in a folder."""
    return file_lock(os.path.join(folder, "catalog.lock"))


def _beside(path: str) -> tuple[str, str]:
    """The files that SQLite keeps beside the one at `path`."""
    return path + "-wal", path + "-shm"


def _check_path(folder: str) -> None:
    reason = path_problem(folder)
    if reason:
        raise OSError(errno.EINVAL, reason, folder)
