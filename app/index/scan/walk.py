"""Lists the session files with their signatures, from directory entries alone, without opening files.

The first frame and a printed list load this module, so it imports no heavy library.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from app.index.row import signature_of
from app.stores.kept import original_path
from app.stores.layout import copies, reason, session_files
from app.stores.names import name_of, read_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.row import Signature
    from app.stores.base import Store
    from app.stores.layout import Complaint, File

WORKERS_FROM_BYTES = 16_000_000
"""The number of bytes to read from which on workers save more time than starting them takes."""


class WalkResult:
    """The result of a walk.

    files          path -> (signature, the first store that lists the file)
    complaints     (path, reason) of the files and folders that were passed over or could not be read
    linked_files   paths of the files that may be written under another name: links, and files with several
                   names
    names          root of a store -> the names that its agent keeps beside its sessions
    """

    __slots__ = ("complaints", "files", "linked_files", "names")

    def __init__(self) -> None:
        self.files: dict[str, tuple[Signature, Store]] = {}
        self.complaints: list[Complaint] = []
        self.linked_files: list[str] = []
        self.names: dict[str, Mapping[str, str]] = {}

    def add(self, store: Store, files: Sequence[File]) -> None:
        """Add the session files of a folder that the store lists."""
        names = self.names.get(store.root)
        for entry, status in files:
            path = entry.path
            if path not in self.files:
                name = name_of(store, names, path) if names else ""
                self.files[path] = (signature_of(status, name), store)
            if status.st_nlink > 1 or entry.is_symlink():
                self.linked_files.append(path)

    def gone(self, paths: Iterable[str]) -> list[str]:
        """The files of `paths` that no longer exist.

        A file below a folder that cannot be read now is not among them: a session stays in the list while a
        disk is not mounted or a permission is missing.
        """
        unread = {path for path, _ in self.complaints}
        return [
            path
            for path in paths
            if path not in self.files and not (_touches(path, unread) and _may_be_there(path))
        ]


def is_much(size: int) -> bool:
    """Whether workers should be started to read this number of bytes."""
    return size >= WORKERS_FROM_BYTES


def walk(stores: Sequence[Store]) -> WalkResult:
    """Find the session files of the stores. Raise nothing."""
    result = WalkResult()
    for store in stores:
        if names := read_names(store.names):
            result.names[store.root] = names
        try:
            for _, files in session_files(store, result.complaints):
                result.add(store, files)
        except OSError as error:
            # The root was removed during the walk.
            result.complaints.append((store.root, reason(error)))
        except ValueError:
            # The path, from a variable, has a NUL, so that there is no such folder.
            result.complaints.append((store.root, "not a path"))
    for store in stores:
        _add_gone(store, result)
    return result


def _add_gone(store: Store, result: WalkResult) -> None:
    """Add the copies of sessions of the store whose files are gone. A session that only has another folder by
    now has a file of the same name.
    """
    names: set[str] = set()
    for entry in copies(store):
        original = original_path(entry.path, store.kept)
        if original in result.files or _may_be_there(original):
            continue
        names = names or {os.path.basename(path) for path in result.files}
        if os.path.basename(original) in names:
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # removed meanwhile
        if stat.S_ISREG(status.st_mode):
            name = name_of(store, result.names.get(store.root, {}), original)
            result.files[entry.path] = (signature_of(status, name), store)


def store_of(path: str, stores: Sequence[Store]) -> Store | None:
    """The store that would list a session file at `path`, by folder and name alone; None if none would."""
    return next((store for store in stores if store.may_list(path)), None)


def status_of(path: str) -> os.stat_result | None:
    """The status of the file at `path`; None if there is no regular file.

    :raises OSError: the status cannot be read at the moment.
    """
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        # A link that leads to itself leads to no file.
        if error.errno == errno.ELOOP:
            return None
        raise
    return status if stat.S_ISREG(status.st_mode) else None


def _touches(path: str, unread: set[str]) -> bool:
    """Whether `path` or a folder above it is among `unread`."""
    while unread:
        if path in unread:
            return True
        parent = os.path.dirname(path)
        if parent == path:
            break
        path = parent
    return False


def _may_be_there(path: str) -> bool:
    try:
        return status_of(path) is not None
    except OSError:
        return True
