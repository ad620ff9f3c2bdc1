"""Lists the session files with their signatures, from directory entries alone, without opening files.

The first frame and a printed list load this module, so it imports no heavy library.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from typing import TYPE_CHECKING

from app.index.row import marked, signature
from app.stores.layout import reason, session_files
from app.stores.names import name_of, read_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from app.index.row import Signature
    from app.index.worker_pool import WorkerPool
    from app.stores.base import Store
    from app.stores.layout import Complaint, File

# A walk beside the screen pauses after this number of files, so that other threads can run.
_CHUNK_FILES = 200
_PAUSE_SECONDS = 0.002

WORKERS_FROM_BYTES = 16_000_000
"""The number of bytes to read from which on workers save more time than starting them takes."""


class WalkResult:
    """The result of a walk.

    complaints     (path, reason) of the files and folders that were passed over or could not be read
    workers        processes for reading the files, started during the walk; None if there are none
    linked_files   paths of the files that may be written under another name: links, and files with several
                   names; None if they are not followed
    names          root of a store -> the names that its agent keeps beside its sessions
    """

    __slots__ = ("_files", "_folders", "complaints", "linked_files", "names", "workers")

    def __init__(self, *, followed: bool) -> None:
        self.complaints: list[Complaint] = []
        self.workers: WorkerPool | None = None
        self.linked_files: list[str] | None = [] if followed else None
        self.names: dict[str, Mapping[str, str]] = {}
        # For each folder: (name, inode, size, mtime_ns, marked ctime_ns) of its session files.
        self._folders: list[tuple[Store, str, list[tuple[str, int, int, int, int]]]] = []
        self._files: dict[str, tuple[Signature, Store]] | None = None

    def add(self, store: Store, folder: str, files: Sequence[File]) -> None:
        """Add a folder that the store lists, and its session files."""
        records = [
            (entry.name, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            for entry, status in files
        ]
        if names := self.names.get(store.root):
            records = [
                (name, ino, size, mtime_ns, marked(ctime_ns, name_of(store, names, name)))
                for name, ino, size, mtime_ns, ctime_ns in records
            ]
        self._folders.append((store, folder, records))
        self._files = None
        if self.linked_files is not None:
            self.linked_files += [
                entry.path for entry, status in files if status.st_nlink > 1 or entry.is_symlink()
            ]

    @property
    def files(self) -> dict[str, tuple[Signature, Store]]:
        """Path -> (signature, the first store that lists the file)."""
        files = self._files
        if files is None:
            files = self._files = {}
            for store, folder, records in self._folders:
                prefix = os.path.join(folder, "")
                for name, ino, size, mtime_ns, ctime_ns in records:
                    path = prefix + name
                    if path not in files:
                        files[path] = (signature(ino, size, mtime_ns, ctime_ns), store)
        return files

    @property
    def size(self) -> int:
        """The total size of the files in bytes."""
        return sum([record[2] for _, _, records in self._folders for record in records])

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


def walk(
    stores: Sequence[Store],
    gentle: bool = False,
    when_much: Callable[[], WorkerPool | None] | None = None,
    *,
    pauses: bool = True,
) -> WalkResult:
    """Find the session files of the stores. Raise nothing.

    :param gentle: pause now and then, so that the thread of the screen can run; also find linked files.
    :param when_much: starts the workers; called once, as soon as there is enough to read for them.
    :param pauses: whether to pause at all.
    """
    result = WalkResult(followed=gentle)
    count = size = 0
    for store in stores:
        if names := read_names(store.names):
            result.names[store.root] = names
        try:
            for folder, files in session_files(store, result.complaints):
                result.add(store, folder, files)
                count += len(files)
                if when_much is not None:
                    size += sum([status.st_size for _, status in files])
                    if is_much(size):
                        result.workers, when_much = when_much(), None
                if gentle and pauses and count >= _CHUNK_FILES:
                    count = 0
                    time.sleep(_PAUSE_SECONDS)
        except OSError as error:
            # The root was removed during the walk.
            result.complaints.append((store.root, reason(error)))
        except ValueError:
            # The path, from a variable, has a NUL, so that there is no such folder.
            result.complaints.append((store.root, "not a path"))
    return result


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
