"""Keep the process running when another program truncates a file that is mapped into memory.

Reading a page of a mapping that lies beyond the end of its file raises the signal SIGBUS, which ends the
process. leafmark itself never truncates such files, but any other program may. The handler here makes the
page readable again, with zeros, and the read continues. Checksums notice the missing text of a segment
(`sessions.passages.is_intact`), and SQLite makes the index of its write-ahead log anew.
"""

from __future__ import annotations

import mmap
import os
import signal
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

_SHM_REGION = 32 << 10
"""Bytes of a mapping of SQLite's `-shm` file."""

_MOST_SHM_BYTES = 32 * _SHM_REGION
"""The index of a write-ahead log of 130,000 pages, a hundred times as many as `database` lets it have."""

_MAP_FIXED = 0x10  # on Linux and on macOS; Python has no name for it
_MAP_FAILED = -1

_mappings: WeakKeyDictionary[mmap.mmap, tuple[int, int]] = WeakKeyDictionary()
"""Mapping -> (its address, the size of its file)."""
_shm_paths: set[str] = set()
_handler: Callable[[int], None] | None = None


def guard_mapping(data: mmap.mmap, address: int) -> None:
    """Read zeros where the file of a mapping is truncated from now on.

    :param address: of its first byte in memory.
    """
    _mappings[data] = address, len(data)
    _install()


def guard_database(path: str) -> None:
    """Grow the `-shm` file of the SQLite database at `path` again when another program truncates it."""
    _shm_paths.add(path + "-shm")
    _install()


def _install() -> None:
    """Install the handler once. A signal handler of Python's own would run only after the read has ended."""
    global _handler
    if _handler is not None:
        return
    # Imported here: listing sessions needs no mapping, and ctypes takes milliseconds to load.
    import ctypes

    libc = ctypes.CDLL(None)
    libc.signal.restype = ctypes.c_void_p
    libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    libc.mmap.restype = ctypes.c_ssize_t
    libc.mmap.argtypes = (
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_ssize_t,
    )
    before: int | None = None

    def handle(number: int) -> None:
        if not (_fill_mappings(libc) or _grow_shm_files()):
            # The signal has another reason. The read is repeated, now with the handler from before.
            libc.signal(number, before)

    _handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(handle)
    before = libc.signal(signal.SIGBUS, ctypes.cast(_handler, ctypes.c_void_p))


def _fill_mappings(libc: Any) -> bool:
    """Map zeros behind the end of each file that is shorter than before. Return whether there was one."""
    is_any = False
    for data, (address, known_size) in list(_mappings.items()):
        size = data.size()
        if size < known_size:
            begin = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
            length = len(data) - begin
            if length > 0:
                result = libc.mmap(address + begin, length, mmap.PROT_READ, flags, -1, 0)
                is_any |= result != _MAP_FAILED
            _mappings[data] = address, size
    return is_any


def _grow_shm_files() -> bool:
    """Grow each guarded `-shm` file by a region. Return whether one has grown.

    Nothing is opened, because closing a file would release SQLite's locks on it.
    """
    is_any = False
    for path in _shm_paths:
        try:
            size = os.stat(path).st_size
            if size < _MOST_SHM_BYTES:
                os.truncate(path, (size // _SHM_REGION + 1) * _SHM_REGION)
                is_any = True
        except OSError:
            pass  # deleted, or not writable
    return is_any
