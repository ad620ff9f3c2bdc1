"""Locks on small files that several programs change: oh-my-pi's own locks, and leafmark's.

Every lock is released when its process ends, in whatever way.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from app.small_files import read_small, refuse_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

PATIENCE = 5.0
"""Seconds to wait for another program. oh-my-pi waits as long, and holds its lock for milliseconds."""

_RETRY_SECONDS = 0.02
WRITERS_WAIT_SECONDS = 0.5
"""Seconds that oh-my-pi waits for another program that writes the same session. A lock file without a process
id that is older than this is left from a program that was killed.
"""
_PUBLISH_RETRY_SECONDS = 0.002
# oh-my-pi's seeds: "OMP-LOCK" and "PI-FILEL" in ASCII.
_HIGH_SEED = 0x4F4D_502D_4C4F_434B
_LOW_SEED = 0x5049_2D46_494C_454C


class Busy(OSError):
    """Another program still holds the lock. `pid` is its process, None if unknown."""

    def __init__(self, path: str, pid: int | None = None) -> None:
        super().__init__(errno.EAGAIN, "another program is changing it", path)
        self.pid = pid


def lock_descriptor(descriptor: int) -> bool:
    """Lock an open file for this process, until the descriptor is closed; False if another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # some network file systems have no locks
    return True


@contextmanager
def file_lock(path: str, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a lock by `flock` on a file that is only a lock. The file is created if necessary, and stays.

    On file systems without locks, several processes can hold it at the same time.

    :param path: the lock file; its folder must exist.
    :param patience: seconds to wait for another process.
    :raises Busy: another process holds the lock.
    :raises OSError: the file cannot be opened.
    """
    refuse_link(path)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        _wait_for(lambda: lock_descriptor(descriptor), path, patience)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def socket_lock(path: str, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock that oh-my-pi takes on Linux: a socket with an abstract name, which creates no file.

    Parameters and errors are those of `file_lock`.
    """
    import socket  # imported here because the first frame loads this module

    def attempt() -> bool:
        try:
            bound.bind(f"\0{lock_name(path)}")
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
        return True

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        _wait_for(attempt, path, patience)
        yield


@contextmanager
def publish_lock(path: str, patience: float = WRITERS_WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock with which oh-my-pi writes the session at `path`, for milliseconds
    (formats/README.md, "Locks of oh-my-pi").

    It is the file `.<name>.lock` beside the session, which contains a process id and a time. On Linux, a
    `socket_lock` is taken around it. Elsewhere, this gate of oh-my-pi would leave a file, so only the lock
    file is used, which oh-my-pi takes as well. A lock file whose process has ended, or one without a process
    id that is older than half a second, is replaced, as oh-my-pi does.

    :param patience: seconds to wait for another program.
    :raises Busy: another program holds the lock.
    :raises OSError: the file cannot be written.
    """
    lock = publish_lock_path(path)
    with ExitStack() as outer:
        try:
            if sys.platform == "linux":
                try:
                    outer.enter_context(socket_lock(lock + ".os", patience))
                except Busy:
                    raise
                except OSError:
                    pass  # no abstract sockets here: only the lock file is used
            _wait_for(lambda: _write_lock(lock), lock, patience, _PUBLISH_RETRY_SECONDS)
        except Busy:
            raise Busy(lock, publish_lock_holder(lock)) from None
        try:
            yield
        finally:
            with suppress(OSError):  # others replace the lock file when this process has ended
                os.unlink(lock)


def _write_lock(path: str) -> bool:
    """Create a lock file of this process; False if there is one."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        _remove_stale(path)
        return False
    record = b"%d:%d\n" % (os.getpid(), time.time_ns() // 1_000_000)
    try:
        try:
            if os.write(descriptor, record) < len(record):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        finally:
            os.close(descriptor)
    except OSError:
        os.unlink(path)
        raise
    # Another program may have replaced the file before it had its content.
    return _read(path) == record


def _remove_stale(path: str) -> None:
    content = _read(path)
    pid = _pid_in(content)
    try:
        if pid is not None:
            is_stale = not is_alive(pid)
        else:
            is_stale = time.time() - os.stat(path).st_mtime > WRITERS_WAIT_SECONDS
        if is_stale and _read(path) == content:
            os.unlink(path)
    except FileNotFoundError:
        pass


def publish_lock_path(path: str) -> str:
    """The lock file of `publish_lock` for the session at `path`."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(folder, f".{name}.lock")


def publish_lock_holder(lock: str) -> int | None:
    """The running process that holds the lock file `lock`; None if there is none."""
    pid = _pid_in(_read(lock))
    return pid if pid is not None and is_alive(pid) else None


def abandoned_locks(folder: str) -> list[str]:
    """The lock files of sessions in `folder` whose process has ended; none if the folder cannot be read."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    locks = [os.path.join(folder, name) for name in names if name[0] == "." and name.endswith(".jsonl.lock")]
    return [lock for lock in locks if (pid := _pid_in(_read(lock))) is not None and not is_alive(pid)]


def is_alive(pid: int) -> bool:
    """Whether a process with this id is running; True if it is unknown."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _read(path: str) -> bytes:
    """The content of a lock file; empty if it cannot be read."""
    try:
        return read_small(path, 256)
    except OSError:
        return b""


def _pid_in(content: bytes) -> int | None:
    pid, colon, stamp = content.strip().partition(b":")
    if not (colon and pid.isdigit() and stamp.isdigit()):
        return None
    return int(pid) if 0 < len(pid) < 12 and int(pid) > 0 else None


def omp_lock(path: str, patience: float = PATIENCE) -> AbstractContextManager[None]:
    """The lock with which oh-my-pi changes the file at `path` (formats/README.md, "Pins of oh-my-pi").

    Its name depends on the path as oh-my-pi writes it: absolute, with links not resolved. Another path of the
    same file is another lock.

    :param patience: seconds to wait for another program.
    :raises Busy, OSError: when it is entered, as `file_lock`.
    """
    lock = os.path.abspath(path) + ".lock"
    return socket_lock(lock, patience) if sys.platform == "linux" else file_lock(lock, patience)


def lock_name(path: str) -> str:
    """The name of the socket for a lock's path."""
    # Not at the top: the first rows need this module, and no lock.
    from xxhash import xxh64_hexdigest

    data = os.fsencode(path)
    return f"omp-file-lock-{xxh64_hexdigest(data, _HIGH_SEED)}{xxh64_hexdigest(data, _LOW_SEED)}"


def _wait_for(attempt: Callable[[], bool], path: str, patience: float, pause: float = _RETRY_SECONDS) -> None:
    """Repeat `attempt` until it succeeds.

    :raises Busy: it did not succeed for `patience` seconds.
    """
    until = time.monotonic() + patience
    while not attempt():
        if time.monotonic() >= until:
            raise Busy(path)
        time.sleep(pause)
