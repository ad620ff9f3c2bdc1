"""The one writer (FORMATS 2.0; DESIGN, invariants): every byte that leafmark puts into an agent's file.

Two of our own processes keep out of each other's way by a lock on the file itself, which leaves no trace. The
agents know no lock that is safe to take, so what they do in between shows in the file's size and times: it is
looked at again, under the lock, just before the write.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from typing import TYPE_CHECKING, NoReturn

from app.sessions.asked import taken
from app.sessions.errors import (
    AlreadyThere,
    Changed,
    DiskFull,
    NoPath,
    NotAFile,
    NotThere,
    ReadOnlyFolder,
    Unreadable,
    WriteFailed,
)
from app.sessions.storage import own_growth
from app.sessions.storage.storage import Signature

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

_BINARY: int = getattr(os, "O_BINARY", 0)
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
NEW_MODE = 0o600
"""Of new files: what a person said to a model is nobody else's business."""


class FileStorage:
    """Sessions on disk."""

    def read(self, path: str, start: int = 0) -> tuple[bytes, Signature]:
        """As `SessionStorage.read`."""
        with self._opened(path, os.O_RDONLY) as descriptor:
            try:
                status = os.fstat(descriptor)
                os.lseek(descriptor, start, os.SEEK_SET)
                pieces = []
                left = status.st_size - start
                # What is appended while it is read belongs to the next look.
                while left > 0 and (piece := os.read(descriptor, left)):
                    pieces.append(piece)
                    left -= len(piece)
            except OSError as error:
                raise Unreadable(path, 0, f"cannot be read: {error.strerror or error}") from None
            return b"".join(pieces), _signature(status)

    def signature(self, path: str) -> Signature | None:
        """As `SessionStorage.signature`."""
        try:
            return _signature(os.stat(path))
        except (OSError, ValueError):
            return None

    def append(self, path: str, line: bytes, expected: Signature, *, keep_time: bool = False) -> Signature:
        """As `SessionStorage.append`."""
        with self._locked(path, os.O_RDWR | os.O_APPEND, expected) as descriptor:
            before = os.fstat(descriptor)
            if before.st_size and os.pread(descriptor, 1, before.st_size - 1) != b"\n":
                line = b"\n" + line
            own_growth.adding(before.st_ino, before.st_size, line)
            self._write(path, descriptor, line, before.st_size)
            self._settle(path, descriptor)
            if keep_time:
                with contextlib.suppress(OSError):  # not our file: the time is a courtesy
                    os.utime(descriptor, ns=(before.st_atime_ns, before.st_mtime_ns))
            return _signature(os.fstat(descriptor))

    def create(self, path: str, data: bytes) -> Signature:
        """As `SessionStorage.create`."""
        try:
            taken(path)
        except NoPath as error:
            raise WriteFailed(path, f"cannot be written: it {error.reason}", errno.EINVAL) from None
        folder = os.path.dirname(path)
        try:
            os.makedirs(folder, exist_ok=True)
        except FileExistsError:  # something else is in the place of the folder, and not of the session
            refused(path, NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
        except OSError as error:
            refused(path, error)
        temporary = self._temporary(path, data, NEW_MODE)
        with self._dropped_on_failure(temporary, path):
            self._move_in(temporary, path)
        self._sync_folder(folder)
        return _signature(os.stat(path))

    def replace(self, path: str, data: bytes, expected: Signature) -> Signature:
        """As `SessionStorage.replace`."""
        with self._locked(path, os.O_RDWR, expected) as descriptor:
            target = os.path.realpath(path)
            mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
            temporary = self._temporary(target, data, mode)
            with self._dropped_on_failure(temporary, path):
                os.replace(temporary, target)
            self._sync_folder(os.path.dirname(target))
            return _signature(os.stat(target))

    def overwrite(self, path: str, data: bytes, expected: Signature) -> Signature:
        """As `SessionStorage.overwrite`."""
        with self._locked(path, os.O_RDWR, expected) as descriptor:
            before = os.pread(descriptor, len(data), 0)
            try:
                if os.pwrite(descriptor, data, 0) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(descriptor)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.pwrite(descriptor, before, 0)
                refused(path, error)
            return _signature(os.fstat(descriptor))

    # inside

    @contextlib.contextmanager
    def _opened(self, path: str, flags: int) -> Iterator[int]:
        try:
            # Not waiting: a named pipe in the place of a session must not hang us.
            descriptor = os.open(path, flags | _BINARY | _NO_WAIT)
        except (FileNotFoundError, NotADirectoryError):
            raise NotThere(path, 0, "no such file") from None
        except IsADirectoryError:
            raise NotAFile(path, 0, "is a folder") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            if flags & os.O_RDWR and isinstance(error, OSError):
                refused(path, error)
            raise Unreadable(path, 0, f"cannot be read: {reason}") from None
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise NotAFile(path, 0, "is a folder" if stat.S_ISDIR(mode) else "is no regular file")
            yield descriptor
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _locked(self, path: str, flags: int, expected: Signature) -> Iterator[int]:
        with self._opened(path, flags) as descriptor:
            if fcntl is not None:
                # Freed with the descriptor, also when the process is killed.
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            there = self.signature(path)
            if _signature(os.fstat(descriptor)) != expected or there != expected:
                raise Changed(path)
            yield descriptor

    def _write(self, path: str, descriptor: int, line: bytes, size: int) -> None:
        try:
            written = os.write(descriptor, line)
        except OSError as error:
            refused(path, error)
        if written < len(line):
            # The disk is full. A line that is half there would be everybody's trouble: take it off again.
            self._take_back(descriptor, size, written)
            refused(path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    def _settle(self, path: str, descriptor: int) -> None:
        try:
            os.fsync(descriptor)
        except OSError as error:
            # Nobody can say what reached the disk; what we wrote is whole in the file as everybody sees it.
            refused(path, error)

    def _take_back(self, descriptor: int, size: int, written: int) -> None:
        """Cut off `written` bytes of ours, unless somebody has appended after them."""
        with contextlib.suppress(OSError):
            if os.fstat(descriptor).st_size == size + written:
                os.ftruncate(descriptor, size)

    def _temporary(self, path: str, data: bytes, mode: int) -> str:
        """A file of `data` beside `path`, on disk; its name is no session's."""
        temporary = ""
        try:
            # The session's own name may be as long as a name can be.
            descriptor, temporary = tempfile.mkstemp(
                prefix=".", suffix=".leafmark", dir=os.path.dirname(path)
            )
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
        except OSError as error:
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            refused(path, error)
        return temporary

    def _move_in(self, temporary: str, path: str) -> None:
        """Give `temporary` the name `path`, which must be free."""
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without hard links: take the name first, then put the file there.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, NEW_MODE))
            try:
                os.replace(temporary, path)
            except OSError:
                os.unlink(path)
                raise
        else:
            os.unlink(temporary)

    @contextlib.contextmanager
    def _dropped_on_failure(self, temporary: str, path: str) -> Iterator[None]:
        """Moving `temporary` to `path`: where that fails, it goes and the failure is told."""
        try:
            yield
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            refused(path, error)

    def _sync_folder(self, folder: str) -> None:
        with contextlib.suppress(OSError):  # not every system opens folders
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _signature(status: os.stat_result) -> Signature:
    return Signature(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def refused(path: str, error: OSError) -> NoReturn:
    """Raise what the system said to a write at `path` as the `WriteFailed` of its kind."""
    code = error.errno or 0
    reason = f"cannot be written: {error.strerror or error}"
    if code == errno.EEXIST:
        raise AlreadyThere(path, "is there already", code) from None
    kind = ReadOnlyFolder if code in _FORBIDDEN else DiskFull if code in _FULL else WriteFailed
    raise kind(path, reason, code) from None
