"""Locks on the small files that several programs change: oh-my-pi's own kind, and leafmark's.

Both end with the process that holds them, however it ends, so that nobody is ever locked out for good.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from app.stores.xxh64 import xxh64

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

PATIENCE = 5.0
"""Seconds to wait for another program, as many as oh-my-pi waits; it holds its lock for milliseconds."""

_AGAIN = 0.02
# oh-my-pi's own numbers; they read "OMP-LOCK" and "PI-FILEL".
_HIGH = 0x4F4D_502D_4C4F_434B
_LOW = 0x5049_2D46_494C_454C


class Busy(OSError):
    """Another program holds the lock, and went on holding it."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EAGAIN, "another program is changing it", path)


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


def omp_lock(path: str, patience: float = PATIENCE) -> FileLock | SocketLock:
    """The lock under which oh-my-pi changes the file at `path` (FORMATS 1.2 "Pins").

    It goes by the path as oh-my-pi spells it, absolute and with its links kept: who spells it otherwise has
    another lock.
    """
    lock = os.path.abspath(path) + ".lock"
    return SocketLock(lock, patience) if sys.platform == "linux" else FileLock(lock, patience)


def lock_name(path: str) -> str:
    """The name of the socket for a lock's path."""
    data = os.fsencode(path)
    return f"omp-file-lock-{xxh64(data, _HIGH):016x}{xxh64(data, _LOW):016x}"


def _wait_for(attempt: Callable[[], bool], path: str, patience: float) -> None:
    """Try until it succeeds.

    :raises Busy: it did not for so many seconds.
    """
    until = time.monotonic() + patience
    while not attempt():
        if time.monotonic() >= until:
            raise Busy(path)
        time.sleep(_AGAIN)
