"""Locks between processes that share a folder: they end with the process, however it ends.

Where a file system or a system knows no such locks, nothing is ever deleted or moved because nobody holds it.
"""

from __future__ import annotations

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

FREE, TAKEN, UNKNOWN = "free", "taken", "unknown"
"""What became of an attempt: the lock is ours; another holds it; nobody can tell."""


def lock(descriptor: int, *, shared: bool = False) -> str:
    """Try to lock an open file, without waiting; a lock that is held already is changed to this kind.

    :param shared: others may hold it so too.
    :return: `FREE`, `TAKEN` or `UNKNOWN`.
    """
    if fcntl is None:
        return UNKNOWN
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return TAKEN
    except OSError:
        # Some network file systems have none.
        return UNKNOWN
    return FREE


def unlock(descriptor: int) -> None:
    """Let go of the lock; the file stays open."""
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        except OSError:
            pass  # where there was none to be had
