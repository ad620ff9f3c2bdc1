"""The temporary folder of the example sessions.

A run removes its folder at its end. The folder of a run that was killed is removed by the next run that
creates one: each run holds a lock on its folder, which ends with the process, also when the process executes
an agent.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
import time

PREFIX = "leafmark-demo-"
LOCK = "leafmark-demo.lock"
"""A file in the folder. Only folders with this file are removed."""

_NAME = re.compile(re.escape(PREFIX) + r"\w{8}")
_TRIES = 20
_PAUSE_SECONDS = 0.005
"""The pause before the last look at a removed folder."""


class DemoFolder:
    """A new folder in the system's folder for temporary files. Folders of runs that have ended are removed
    first.

    :raises OSError: the folder cannot be created.
    """

    __slots__ = ("_lock", "path")

    def __init__(self) -> None:
        sweep(tempfile.gettempdir())
        self.path, self._lock = _create()

    def remove(self) -> None:
        """Remove the folder with its content. Files that cannot be removed stay. A second call does
        nothing.
        """
        if self._lock >= 0:
            with contextlib.suppress(OSError):
                _remove(self.path)
            os.close(self._lock)
            self._lock = -1


def sweep(parent: str) -> None:
    """Remove the demo folders in `parent` whose run has ended: those of this user with a lock that no process
    holds. Other files are not touched, and errors are ignored.
    """
    try:
        names = os.listdir(parent)
    except OSError:
        return
    for name in filter(_NAME.fullmatch, names):
        folder = os.path.join(parent, name)
        if _is_own(folder):
            _remove_if_abandoned(folder)


def _is_own(folder: str) -> bool:
    """Whether it is a folder, and no link, that belongs to this user and only this user can access."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return (
        status.st_uid == os.getuid()
        and stat.S_ISDIR(status.st_mode)
        and stat.S_IMODE(status.st_mode) == 0o700
    )


def _remove_if_abandoned(folder: str) -> None:
    try:
        lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        _lock_file(lock)
        _remove(folder)
    except OSError:
        return  # its run has not ended, or that is unknown
    finally:
        os.close(lock)


def _remove(folder: str) -> None:
    """Remove a demo folder. The lock file is removed last, so that a folder that is only partly removed is
    still recognised.

    The folder is renamed first, because threads and workers that still use its path would create files in it.
    If one of them creates the folder again, it is removed again. A pause before the last look lets a thread
    that has already begun to create it finish.
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
            time.sleep(_PAUSE_SECONDS)
            if not os.path.lexists(folder):
                break


def _create() -> tuple[str, int]:
    """(path of a new folder, descriptor that holds its lock)"""
    for _ in range(_TRIES):
        folder = tempfile.mkdtemp(prefix=PREFIX)
        path = os.path.join(folder, LOCK)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock_file(lock)
        except BlockingIOError:
            pass  # another run sweeps at this moment, and removes the folder
        except OSError:
            return folder, lock  # without locks, no run can sweep
        else:
            if os.path.exists(path):
                return folder, lock
        os.close(lock)
    raise FileExistsError(f"other runs keep removing what is made in {tempfile.gettempdir()}")


def _lock_file(descriptor: int) -> None:
    """Lock an open file until it is closed.

    :raises BlockingIOError: another process has the lock.
    :raises OSError: the system has no such locks.
    """
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
