"""Lists the session files with their signatures.

On the fast path: only directory entries are read here, never contents.
"""

from __future__ import annotations

import errno
import marshal
import os
import stat
import time
from typing import TYPE_CHECKING

from app.index.row import signature
from app.stores.layout import reason, session_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.index.row import Signature
    from app.index.worker_pool import WorkerPool
    from app.stores.base import Store
    from app.stores.layout import Complaint, File

# A walk beside the screen releases the interpreter after this number of files.
_CHUNK = 200
_BREATH_SECONDS = 0.002

WORKERS_FROM_BYTES = 16_000_000
"""With fewer bytes to read, starting workers costs more than they save."""

_MARSHAL_VERSION = 2  # from 3 on, the same values may be spelled in two ways


class WalkResult:
    """The result of a walk.

    complaints   (path, reason) of what was passed over, folders that could not be read among them
    workers      processes for reading the files, started during the walk; None if none were requested
    linked_files paths of the files that may be written under another name: links, and files with several
                 names; None if they are not followed
    """

    __slots__ = ("_files", "_folders", "complaints", "linked_files", "workers")

    def __init__(self, *, followed: bool = False) -> None:
        self.complaints: list[Complaint] = []
        self.workers: WorkerPool | None = None
        self.linked_files: list[str] | None = [] if followed else None
        # For each folder: (name, inode, size, mtime_ns, ctime_ns) of its session files.
        self._folders: list[tuple[Store, str, list[tuple[str, int, int, int, int]]]] = []
        self._files: dict[str, tuple[Signature, Store]] | None = None

    def add(self, store: Store, folder: str, files: Sequence[File]) -> None:
        """Add a folder that the store lists, and its session files."""
        seen = [
            (entry.name, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            for entry, status in files
        ]
        self._folders.append((store, folder, seen))
        self._files = None
        if self.linked_files is not None:
            self.linked_files += [
                entry.path for entry, status in files if status.st_nlink > 1 or entry.is_symlink()
            ]

    @property
    def files(self) -> dict[str, tuple[Signature, Store]]:
        """path -> (signature, the store that lists it); the first of the stores that do."""
        found = self._files
        if found is None:
            found = self._files = {}
            for store, folder, seen in self._folders:
                below = os.path.join(folder, "")
                for name, ino, size, mtime_ns, ctime_ns in seen:
                    path = below + name
                    if path not in found:
                        found[path] = (signature(ino, size, mtime_ns, ctime_ns), store)
        return found

    @property
    def size(self) -> int:
        """How many bytes there are in the files."""
        return sum([file[2] for _, _, seen in self._folders for file in seen])

    def record(self) -> bytes:
        """The files and what tells that they changed. Another walk has the same record when it finds the same
        files unchanged, in the same order, which a folder keeps until something in it changes.
        """
        return b"".join(
            [marshal.dumps((folder, seen), _MARSHAL_VERSION) for _, folder, seen in self._folders]
        )

    def gone(self, paths: Iterable[str]) -> list[str]:
        """Those of `paths` that were not found and are really no more.

        A file below a folder that cannot be read at the moment is not: nothing vanishes from the list because
        a disk or a right is away for a while.
        """
        unread = {path for path, _ in self.complaints}
        return [
            path
            for path in paths
            if path not in self.files and not (_touches(path, unread) and _may_be_there(path))
        ]


def is_much(size: int) -> bool:
    """Whether to read so many bytes is worth starting workers."""
    return size >= WORKERS_FROM_BYTES


def walk(
    stores: Sequence[Store], gentle: bool = False, when_much: Callable[[], WorkerPool | None] | None = None
) -> WalkResult:
    """Look at every file of the stores. Raises nothing.

    :param gentle: let other threads go first now and then; for walks beside the screen.
    :param when_much: starts the workers of what is found, as soon as there is enough for them.
    """
    found = WalkResult(followed=gentle)
    looked_at = size = 0
    for store in stores:
        try:
            for folder, files in session_files(store, found.complaints):
                found.add(store, folder, files)
                looked_at += len(files)
                if when_much is not None:
                    size += sum([status.st_size for _, status in files])
                    if is_much(size):
                        found.workers, when_much = when_much(), None
                if gentle and looked_at >= _CHUNK:
                    looked_at = 0
                    time.sleep(_BREATH_SECONDS)
        except OSError as error:
            # The root vanished in the middle of the walk.
            found.complaints.append((store.root, reason(error)))
        except ValueError:
            # A variable gave a path that cannot be one (a NUL in it); it holds nothing.
            found.complaints.append((store.root, "not a path"))
    return found


def store_of(path: str, stores: Sequence[Store]) -> Store | None:
    """The store that would list a session file at `path`, judged by its place and name alone."""
    folder = os.path.dirname(path)
    folders = folder, os.path.dirname(folder)
    for store in stores:
        if store.root in folders and path.endswith(store.suffixes):
            return store
    return None


def status_of(path: str) -> os.stat_result | None:
    """The status of the file at `path`; None if there is no regular file.

    :raises OSError: the status cannot be read at the moment.
    """
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        # What leads back to itself leads nowhere.
        if error.errno == errno.ELOOP:
            return None
        raise
    return status if stat.S_ISREG(status.st_mode) else None


def _touches(path: str, unread: set[str]) -> bool:
    """True when `path` or a folder above it is among `unread`."""
    while unread:
        if path in unread:
            return True
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return False


def _may_be_there(path: str) -> bool:
    try:
        return status_of(path) is not None
    except OSError:
        return True
