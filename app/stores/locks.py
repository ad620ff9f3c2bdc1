"""Locks on the small files that several programs change: oh-my-pi's own kind, and leafmark's.

Both end with the process that holds them, however it ends, so that nobody is ever locked out for good.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from typing import TYPE_CHECKING

from app.small_files import read_small
from app.stores.xxh64 import xxh64

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

PATIENCE = 5.0
"""Seconds to wait for another program, as many as oh-my-pi waits; it holds its lock for milliseconds."""

_AGAIN = 0.02
_PUBLISH_WAIT = 0.5
"""Seconds that oh-my-pi waits for another program that writes the same session, and after which a lock file
without a process id is of a program that was killed.
"""
_PUBLISH_AGAIN = 0.002
# oh-my-pi's own numbers; they read "OMP-LOCK" and "PI-FILEL".
_HIGH = 0x4F4D_502D_4C4F_434B
_LOW = 0x5049_2D46_494C_454C


class Busy(OSError):
    """Another program holds the lock, and went on holding it. `pid` is its process, None where unknown."""

    def __init__(self, path: str, pid: int | None = None) -> None:
        super().__init__(errno.EAGAIN, "another program is changing it", path)
        self.pid = pid


class FileLock:
    """The system's lock on a file that is nothing but the lock; it is made when it is not there, and stays.

    :param path: the lock's file; its folder must be there.
    :param patience: seconds to wait for it.

    Entering it raises `Busy` when it cannot be had, and OSError where the system refuses.
    Where a file system knows no such locks, or on Windows, everybody has it.
    """

    def __init__(self, path: str, patience: float = PATIENCE) -> None:
        self._path = path
        self._patience = patience
        self._descriptor = -1

    def __enter__(self) -> None:
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _wait_for(self._try, self._path, self._patience)
        except OSError:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _try(self) -> bool:
        if fcntl is None:
            return True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # some network file systems have none
        return True


class SocketLock:
    """The lock that oh-my-pi takes on Linux: a socket with a name in the kernel's own space of names.

    Nothing appears in any folder. Entering it raises as `FileLock` does.
    """

    def __init__(self, path: str, patience: float = PATIENCE) -> None:
        self._path = path
        self._patience = patience
        self._socket: socket | None = None

    def __enter__(self) -> None:
        import socket

        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            _wait_for(self._try, self._path, self._patience)
        except OSError:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        if self._socket is not None:
            self._socket.close()

    def _try(self) -> bool:
        assert self._socket is not None
        try:
            self._socket.bind(f"\0{lock_name(self._path)}")
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
        return True


class PublishLock:
    """The lock under which oh-my-pi writes the session at `path`, to be held for milliseconds.

    It is the file `.<name>.lock` beside the session, with the id of its process and a time in it. On Linux a
    `SocketLock` is taken around it. Elsewhere oh-my-pi's outer lock is a file that stays, and the lock file
    alone has to do: oh-my-pi takes both. A lock file whose process has ended, or one without a process id
    that is older than half a second, is replaced, as oh-my-pi does.

    Entering it raises `Busy` when it cannot be had, and OSError where the system refuses.
    """

    def __init__(self, path: str, patience: float = _PUBLISH_WAIT) -> None:
        self._path = publish_lock_path(path)
        self._patience = patience
        self._gate: SocketLock | None = None

    def __enter__(self) -> None:
        if sys.platform == "linux":
            gate = SocketLock(self._path + ".os", self._patience)
            try:
                gate.__enter__()
            except Busy:
                raise Busy(self._path, publish_lock_holder(self._path)) from None
            except OSError:
                pass  # no such sockets here; the file is a lock as well
            else:
                self._gate = gate
        try:
            _wait_for(self._try, self._path, self._patience, _PUBLISH_AGAIN)
        except Busy:
            self._open_gate()
            raise Busy(self._path, publish_lock_holder(self._path)) from None
        except BaseException:
            self._open_gate()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            os.unlink(self._path)
        except OSError:
            pass  # what was to be written is written; others replace the lock when this process has ended
        finally:
            self._open_gate()

    def _open_gate(self) -> None:
        if self._gate is not None:
            self._gate.__exit__()

    def _try(self) -> bool:
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            self._drop_stale()
            return False
        record = b"%d:%d\n" % (os.getpid(), time.time_ns() // 1_000_000)
        try:
            try:
                if os.write(descriptor, record) < len(record):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)
            finally:
                os.close(descriptor)
        except OSError:
            os.unlink(self._path)
            raise
        # Another program may have replaced it before the record was in it.
        return _read(self._path) == record

    def _drop_stale(self) -> None:
        content = _read(self._path)
        pid = _pid_in(content)
        try:
            if pid is not None:
                is_stale = not is_alive(pid)
            else:
                is_stale = time.time() - os.stat(self._path).st_mtime > _PUBLISH_WAIT
            if is_stale and _read(self._path) == content:
                os.unlink(self._path)
        except FileNotFoundError:
            pass


def publish_lock_path(path: str) -> str:
    """The lock file of `PublishLock` for the session at `path`."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(folder, f".{name}.lock")


def publish_lock_holder(lock: str) -> int | None:
    """The running process that has taken the lock file `lock`; None where there is none."""
    pid = _pid_in(_read(lock))
    return pid if pid is not None and is_alive(pid) else None


def abandoned_locks(folder: str) -> list[str]:
    """The lock files of sessions in `folder` whose process has ended; none where it cannot be read."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    locks = [os.path.join(folder, name) for name in names if name[0] == "." and name.endswith(".jsonl.lock")]
    return [lock for lock in locks if (pid := _pid_in(_read(lock))) is not None and not is_alive(pid)]


def is_alive(pid: int) -> bool:
    """Whether a process of that id runs, for all that is known."""
    if sys.platform == "win32":
        return True  # a signal would end it there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _read(path: str) -> bytes:
    """What stands in a lock file; nothing where it is gone or is none."""
    try:
        return read_small(path, 256)
    except OSError:
        return b""


def _pid_in(content: bytes) -> int | None:
    pid, colon, stamp = content.strip().partition(b":")
    if not (colon and pid.isdigit() and stamp.isdigit()):
        return None
    return int(pid) if 0 < len(pid) < 12 and int(pid) > 0 else None


def omp_lock(path: str, patience: float = PATIENCE) -> FileLock | SocketLock:
    """The lock under which oh-my-pi changes the file at `path` (formats/README.md, "Pins of oh-my-pi").

    It goes by the path as oh-my-pi spells it, absolute and with its links kept: who spells it otherwise has
    another lock.
    """
    lock = os.path.abspath(path) + ".lock"
    return SocketLock(lock, patience) if sys.platform == "linux" else FileLock(lock, patience)


def lock_name(path: str) -> str:
    """The name of the socket for a lock's path."""
    data = os.fsencode(path)
    return f"omp-file-lock-{xxh64(data, _HIGH):016x}{xxh64(data, _LOW):016x}"


def _wait_for(attempt: Callable[[], bool], path: str, patience: float, pause: float = _AGAIN) -> None:
    """Try until it succeeds.

    :raises Busy: it did not for so many seconds.
    """
    until = time.monotonic() + patience
    while not attempt():
        if time.monotonic() >= until:
            raise Busy(path)
        time.sleep(pause)
