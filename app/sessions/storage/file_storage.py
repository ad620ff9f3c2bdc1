"""Read and write sessions on disk: every byte that leafmark adds to a session goes through here
(formats/README.md, "Rules for every write").

Two leafmarks exclude each other by a lock on the file itself, which leaves no trace. A write of an agent in
between shows in the file's size and times, which are compared again, under the lock, just before the write.
A rewrite takes oh-my-pi's own lock as well, and carries over lines that other processes append meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from typing import TYPE_CHECKING, NoReturn

from app.formats.lines import next_data, open_file, read_at
from app.formats.packed import PACKED
from app.sessions.errors import (
    AlreadyThere,
    Changed,
    DiskFull,
    LiveSession,
    NoPath,
    NotAFile,
    NotThere,
    ReadOnly,
    ReadOnlyFolder,
    SessionError,
    Unreadable,
    WriteFailed,
)
from app.sessions.storage import append_ledger, temporary
from app.sessions.storage.session_storage import Signature, path_text
from app.small_files import rename_exclusively, sync
from app.stores.locks import Busy, lock_descriptor, publish_lock_holder, publish_lock_path
from app.stores.processes import holder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_PIECE = 8 << 20
"""Bytes that are read at once; nearly all sessions are shorter."""
NEW_MODE = 0o600
"""The mode of new files: prompts are private."""
FRESH = 5.0
"""Seconds after the last change of a file until its unfinished last line is taken for abandoned."""
LARGE_BYTES = 64 << 20
"""Bytes of a file whose lines stay in it: in memory, they would take twice as much."""

LINE_WAIT = 2.0
"""Seconds to wait for another process to finish its line."""
HOLDER_WAIT = 0.5
"""Seconds to wait for another process to close a file; one that only reads a session closes it sooner."""
_LAST_WAIT = 2.0
"""The same, in seconds, for a process that opened the file in the moment of a rewrite."""
_PAUSE = 0.02
"""Seconds between two checks, and before the first one after a rewrite: by then a process that is inside of
`open` has its descriptor.
"""
_LOCK_PAUSE = 0.002
"""Seconds between two attempts to lock a file; a write takes about as long."""
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)
"""How file systems without hard links refuse one."""


class FileStorage:
    """Sessions on disk."""

    def read(self, path: str, start: int = 0) -> tuple[bytes, Signature]:
        """As `SessionStorage.read`. A crash may leave a long run of NUL bytes; only a part of it is read."""
        with self._opened(path, os.O_RDONLY) as descriptor:
            try:
                status = os.fstat(descriptor)
                pieces: list[bytes] = []
                offset, end = start, status.st_size
                # Bytes that are appended meanwhile belong to the next read.
                while offset < end and (piece := read_at(descriptor, min(_PIECE, end - offset), offset)):
                    offset += len(piece)
                    if not piece[0] and piece == bytes(len(piece)):
                        piece = piece[:1]
                        offset = min(end, next_data(descriptor, offset))
                    pieces.append(piece)
            except OSError as error:
                raise Unreadable(path, 0, f"cannot be read: {error.strerror or error}") from None
            return b"".join(pieces), signature_of(status)

    @contextlib.contextmanager
    def large(self, path: str) -> Iterator[int | None]:
        """As `SessionStorage.large`."""
        with self._opened(path, os.O_RDONLY) as descriptor:
            yield descriptor if os.fstat(descriptor).st_size > LARGE_BYTES else None

    def signature(self, path: str) -> Signature | None:
        """As `SessionStorage.signature`."""
        try:
            return signature_of(os.stat(path))
        except (OSError, ValueError):
            return None

    def append(self, path: str, line: bytes, expected: Signature, *, keep_time: bool = False) -> Signature:
        """As `SessionStorage.append`."""
        with self._locked(path, os.O_RDWR | os.O_APPEND, expected) as descriptor:
            line = self._newline_before(path, descriptor) + line
            before = os.fstat(descriptor)
            self._append(path, descriptor, line)
            try:
                os.fsync(descriptor)
            except OSError as error:
                # It is unknown what reached the disk, but every process sees the whole line in the file.
                refused(path, error)
            if keep_time:
                # Only the owner of a file can set its times.
                with contextlib.suppress(OSError):
                    os.utime(descriptor, ns=(before.st_atime_ns, before.st_mtime_ns))
            return signature_of(os.fstat(descriptor))

    def create(self, path: str, data: bytes | Iterable[bytes]) -> Signature:
        """As `SessionStorage.create`; `data` may come in pieces, which need not be in memory together."""
        try:
            path_text(path)
        except NoPath as error:
            raise WriteFailed(path, f"cannot be written: it {error.reason}", errno.EINVAL) from None
        folder = os.path.dirname(path)
        try:
            os.makedirs(folder, exist_ok=True)
        except FileExistsError:  # a file is in the place of the folder
            refused(path, NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
        except OSError as error:
            refused(path, error)
        made, _ = self._copy(path, data, NEW_MODE)
        with self._dropped_on_failure(made, path):
            rename_exclusively(made, path)
        sync(folder)
        return signature_of(os.stat(path))

    def replace(
        self, path: str, data: bytes, expected: Signature, lock: AbstractContextManager[None] | None = None
    ) -> Signature:
        """As `SessionStorage.replace`.

        A process that opened the file just before still has the old one. The old file gets a hidden name
        until no process has it open, and lines that are appended to it are appended to the new one.
        """
        target = os.path.realpath(path)
        with self._locked(path, os.O_RDWR, expected) as old:
            self._newline_before(path, old)
            before = os.fstat(old)
            self._expect_closed(path, target, before, HOLDER_WAIT)
            made, signature = self._copy(target, data, stat.S_IMODE(before.st_mode))
            with self._dropped_on_failure(made, path), self._agent_lock(path, lock):
                # Writing the copy took time.
                self._expect_closed(path, target, before, 0)
                self._expect(path, old, expected)
                kept = self._keep(target, expected.size)
                try:
                    os.replace(made, target)
                except OSError:
                    if kept:
                        os.unlink(kept)
                    raise
            sync(os.path.dirname(target))
            self._carry_over(old, before, target, kept)
        return signature

    def overwrite(self, path: str, data: bytes, expected: Signature, line: bytes = b"") -> Signature:
        """As `SessionStorage.overwrite`."""
        with self._locked(path, os.O_RDWR, expected) as descriptor, contextlib.ExitStack() as stack:
            end = -1
            if line:
                line = self._newline_before(path, descriptor) + line
                # A second descriptor, because one that appends would also append the title.
                end = stack.enter_context(self._opened(path, os.O_RDWR | os.O_APPEND))
                self._expect(path, end, expected)
            before = os.pread(descriptor, len(data), 0)
            added = 0
            try:
                # The title comes first: a kill in between leaves a title without an entry, which counts.
                if os.pwrite(descriptor, data, 0) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                if line:
                    self._append(path, end, line)
                    added = len(line)
                os.fsync(descriptor)
            except (OSError, WriteFailed) as error:
                with contextlib.suppress(OSError):
                    os.pwrite(descriptor, before, 0)
                if added:
                    temporary.cut_off(descriptor, expected.size, added)
                if isinstance(error, OSError):
                    refused(path, error)
                raise
            return signature_of(os.fstat(descriptor))

    def rename(
        self, path: str, target: str, expected: Signature, lock: AbstractContextManager[None] | None = None
    ) -> Signature:
        """As `SessionStorage.rename`. The file keeps its inode, so that a line that a process appends through
        a descriptor that it opened just before is in the file.
        """
        if os.path.islink(path):
            raise WriteFailed(path, "is not moved: it is a link", errno.ELOOP)
        with self._locked(path, os.O_RDWR, expected) as descriptor:
            self._newline_before(path, descriptor)
            status, real = os.fstat(descriptor), os.path.realpath(path)
            self._expect_closed(path, real, status, HOLDER_WAIT)
            with self._agent_lock(path, lock):
                self._expect_closed(path, real, status, 0)
                self._expect(path, descriptor, expected)
                try:
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    rename_exclusively(path, target)
                except OSError as error:
                    refused(target, error)
            signature = signature_of(os.fstat(descriptor))
        sync(os.path.dirname(target))
        sync(os.path.dirname(path))
        return signature

    def tidy(self, path: str, lock: AbstractContextManager[None] | None = None) -> None:
        """As `SessionStorage.tidy`."""
        target = os.path.realpath(path)
        folder = os.path.dirname(target)
        now_ms = int(time.time() * 1000)
        for hidden in list(temporary.temporaries(folder)):
            if hidden.session:
                self._tidy_kept(hidden, target, now_ms)
            elif hidden.is_old(now_ms):
                temporary.remove(hidden)
        if lock is not None and os.path.exists(publish_lock_path(path)):
            # A killed process left the lock, unless it is held. Taking it removes it.
            with contextlib.suppress(OSError), lock:
                pass

    # inside

    @contextlib.contextmanager
    def _opened(self, path: str, flags: int) -> Iterator[int]:
        if flags != os.O_RDONLY:
            refuse_copy(path)
        try:
            # Without waiting: a named pipe in the place of a session must not hang this process.
            descriptor = open_file(path) if path.endswith(PACKED) else os.open(path, flags | os.O_NONBLOCK)
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
        while True:
            with self._opened(path, flags) as descriptor:
                if lock_descriptor(descriptor):
                    self._expect(path, descriptor, expected)
                    yield descriptor
                    return
            # Another leafmark writes the file. The file is closed while this one waits, because the other may
            # be about to rewrite it, and refuses to if a process has it open.
            time.sleep(_LOCK_PAUSE)

    def _expect(self, path: str, descriptor: int, expected: Signature) -> None:
        """:raises Changed: the open file, or the one at `path`, is not `expected`."""
        if signature_of(os.fstat(descriptor)) != expected or self.signature(path) != expected:
            raise Changed(path)

    def _newline_before(self, path: str, descriptor: int) -> bytes:
        """Return the bytes before an appended line: a newline if the last line is unfinished and old, else
        none. If another process may be writing the last line, wait for its end.

        :raises Changed: the line was finished; the file must be read again.
        :raises LiveSession: the line was not finished in time.
        """
        status = os.fstat(descriptor)
        if _ends_with_newline(descriptor, status):
            return b""
        began = time.time()
        if abs(began - status.st_mtime) >= FRESH:
            return b"\n"
        while time.time() - began < LINE_WAIT:
            time.sleep(_PAUSE)
            if _ends_with_newline(descriptor, os.fstat(descriptor)):
                raise Changed(path)
        raise LiveSession(path, "another process is writing its last line", None)

    def _append(self, path: str, descriptor: int, line: bytes) -> None:
        """Append `line` in one write, after noting it in the ledger.

        :raises WriteFailed: the system refused; nothing of the line stays.
        """
        before = os.fstat(descriptor)
        append_ledger.note_append(before.st_ino, before.st_size, line)
        try:
            temporary.append_whole(descriptor, line, before.st_size)
        except OSError as error:
            refused(path, error)

    # rewriting

    def _expect_closed(self, path: str, target: str, status: os.stat_result, patience: float) -> None:
        """Wait until no other process has the file open or holds oh-my-pi's lock on it.

        :param target: its real path.
        :param patience: seconds to wait.
        :raises LiveSession: a process has it; it is named.
        """
        began = time.time()
        while True:
            holding = holder(target, status)
            reason = f"process {holding[0]} ({holding[1]}) has it open" if holding else ""
            pid = holding[0] if holding else publish_lock_holder(publish_lock_path(path))
            if pid is None or pid == os.getpid():
                return
            if time.time() - began >= patience:
                reason = reason or f"process {pid} has locked it"
                raise LiveSession(path, f"{reason}, and it has to be written anew", pid)
            time.sleep(_PAUSE)

    @contextlib.contextmanager
    def _agent_lock(self, path: str, lock: AbstractContextManager[None] | None) -> Iterator[None]:
        """Hold the lock of the agent's own programs, if they have one."""
        with contextlib.ExitStack() as stack:
            if lock is not None:
                try:
                    stack.enter_context(lock)
                except Busy as busy:
                    who = f"process {busy.pid}" if busy.pid else "another process"
                    raise LiveSession(path, f"{who} has locked it to write to it", busy.pid) from None
            yield

    def _keep(self, target: str, size: int) -> str:
        """Give the session a second, hidden name; "" where the file system knows no hard links."""
        kept = temporary.kept_name(target, size)
        try:
            os.link(target, kept)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return ""
        return kept

    def _carry_over(self, old: int, before: os.stat_result, target: str, kept: str) -> None:
        """Append to the new file the lines that other processes append to the old one, until none has it
        open.

        :param kept: the hidden name of the old file. It stays if a process keeps the file open, or if the
            lines cannot be written: the next write carries them over.
        """
        began, size = time.time(), before.st_size
        try:
            while True:
                time.sleep(_PAUSE)
                is_open = holder(kept or target, before, target) is not None
                size = temporary.carry_over(old, size, target, torn=not is_open)
                if not is_open:
                    break
                if time.time() - began >= _LAST_WAIT:
                    return
            if kept:
                os.unlink(kept)
            temporary.carry_over(old, size, target, torn=True)
        except OSError as error:
            if not kept:
                refused(target, error)

    def _tidy_kept(self, kept: temporary.Temporary, target: str, now_ms: int) -> None:
        """Carry over the lines of a kept file that its session lacks, and remove the file if it is old.

        :param target: the session that is being written. A kept file of another session stays while it has
            lines that the session lacks.
        """
        session = temporary.session_of(kept)
        if not session:
            return
        with contextlib.suppress(OSError, SessionError), self._opened(kept.path, os.O_RDONLY) as old:
            if not lock_descriptor(old):
                return  # the rewrite is still under way
            status = os.fstat(old)
            if os.path.samestat(status, os.stat(session)):
                temporary.remove(kept)
                return
            is_open = holder(kept.path, status, session) is not None
            size = kept.rewritten
            if session == target:
                size = temporary.carry_over(old, size, session, torn=not is_open)
            if kept.is_old(now_ms) and not is_open and size >= status.st_size:
                temporary.remove(kept)

    def _copy(self, path: str, data: bytes | Iterable[bytes], mode: int) -> tuple[str, Signature]:
        """Write `data` to a hidden file beside `path`; return its path and its signature."""
        made = ""
        try:
            descriptor, made = temporary.new_copy(os.path.dirname(path))
            try:
                for piece in (data,) if isinstance(data, bytes) else data:
                    view = memoryview(piece)
                    while view:
                        view = view[os.write(descriptor, view) :]
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
                signature = signature_of(os.fstat(descriptor))
            finally:
                os.close(descriptor)
        except OSError as error:
            if made:
                with contextlib.suppress(OSError):
                    os.unlink(made)
            refused(path, error)
        return made, signature

    @contextlib.contextmanager
    def _dropped_on_failure(self, made: str, path: str) -> Iterator[None]:
        """Remove the copy `made` if it cannot be moved to `path`, and raise the reason."""
        try:
            yield
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.unlink(made)
            if isinstance(error, OSError):
                refused(path, error)
            raise


def signature_of(status: os.stat_result) -> Signature:
    """The signature of a file with that status."""
    return Signature(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _ends_with_newline(descriptor: int, status: os.stat_result) -> bool:
    """Return whether the last line has its newline, or there is no line."""
    return not status.st_size or read_at(descriptor, 1, status.st_size - 1) == b"\n"


def refuse_copy(path: str) -> None:
    """:raises ReadOnly: the file at `path` is leafmark's copy of a session whose file is gone."""
    if path.endswith(PACKED):
        raise ReadOnly(path, 0, "the session's file is gone, and this is a copy: restore the session first")


def refused(path: str, error: OSError) -> NoReturn:
    """Raise the error of a write at `path` as the `WriteFailed` of its kind."""
    code = error.errno or 0
    reason = f"cannot be written: {error.strerror or error}"
    if code == errno.EEXIST:
        raise AlreadyThere(path, "is there already", code) from None
    kind = ReadOnlyFolder if code in _FORBIDDEN else DiskFull if code in _FULL else WriteFailed
    raise kind(path, reason, code) from None
