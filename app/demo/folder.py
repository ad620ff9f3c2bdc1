"""The throw-away folder that the example sessions are written to.

It goes with the run that made it. A run that is killed cannot remove its own; the next one that makes such a
folder does: the lock that a run holds on its own ends with the process, however that ends, also when it
becomes another program.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile

PREFIX = "leafmark-demo-"
LOCK = "leafmark-demo.lock"
"""A file in the folder: only a folder that has one is ours to remove."""

_NAME = re.compile(re.escape(PREFIX) + r"\w{8}")
_TRIES = 20


class DemoFolder:
    """A new folder below the system's folder for temporary files; those of runs that are gone are removed
    first. OSError when it cannot be made.

    path   where it is
    """

    __slots__ = ("_lock", "path")

    def __init__(self) -> None:
        sweep(tempfile.gettempdir())
        self.path, self._lock = _make()

    def remove(self) -> None:
        """Remove it, and all that is in it; what cannot be removed stays. Doing it again does nothing."""
        if self._lock >= 0:
            with contextlib.suppress(OSError):
                _remove(self.path)
            os.close(self._lock)
            self._lock = -1


def sweep(parent: str) -> None:
    """Remove the demo folders in `parent` whose run is gone: this user's, with a lock that nobody holds. Of
    anything else nothing is touched. Raises nothing.
    """
    try:
        names = os.listdir(parent)
    except OSError:
        return
    for name in filter(_NAME.fullmatch, names):
        folder = os.path.join(parent, name)
        if _is_own(folder):
            _remove_if_left(folder)


def _is_own(folder: str) -> bool:
    """Whether it is a folder, and no link to one, that this user made for no one else."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    # there is no `getuid` where there are no locks of this kind either
    mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return mine and stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o700


def _remove_if_left(folder: str) -> None:
    try:
        lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return
    try:
        _take(lock)
        _remove(folder)
    except (OSError, ImportError):
        return  # its run is there, or cannot be asked for
    finally:
        os.close(lock)


def _remove(folder: str) -> None:
    """The lock goes last: whoever is killed on the way leaves a folder that can be told from any other.

    It gets another such name first: threads and workers that still read it would put files into what is being
    emptied, and it would stay. One that makes its folders anew is waited out.
    """
    for _ in range(_TRIES):
        aside = os.path.join(os.path.dirname(folder), PREFIX + os.urandom(4).hex())
        try:
            os.rename(folder, aside)
        except OSError:
            aside = folder
        for name in os.listdir(aside):
            if name != LOCK:
                shutil.rmtree(os.path.join(aside, name), ignore_errors=True)
        shutil.rmtree(aside, ignore_errors=True)
        if not os.path.lexists(folder):
            break


def _make() -> tuple[str, int]:
    """A new folder and the descriptor that holds its lock."""
    for _ in range(_TRIES):
        folder = tempfile.mkdtemp(prefix=PREFIX)
        path = os.path.join(folder, LOCK)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _take(lock)
        except BlockingIOError:
            pass  # a run that sweeps has come between, and removes it
        except (OSError, ImportError):
            return folder, lock  # no locks here: nobody can sweep either
        else:
            if os.path.exists(path):
                return folder, lock
        os.close(lock)
    raise FileExistsError(f"other runs keep removing what is made in {tempfile.gettempdir()}")


def _take(descriptor: int) -> None:
    """Lock an open file until it is closed. BlockingIOError: another process has the lock; OSError or
    ImportError: there are no locks here.
    """
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
