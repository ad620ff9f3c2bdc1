"""Reads the files that leafmark keeps compressed with gzip as if they were not: an opened one is unpacked to
a file without a name, so that every reader of sessions finds its offsets.
"""

from __future__ import annotations

import errno
import os
import threading
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKED = ".gz"
"""The suffix of a compressed file."""
CHUNK = 1 << 20
"""Bytes that are read, or unpacked, at once."""
_MOST_OPEN = 8
"""Unpacked files that stay open, because a screen reads the parts of a session one by one."""

_Key = tuple[str, int, int, int]
_open: dict[_Key, int] = {}
_lock = threading.Lock()


def stem_of(path: str) -> str:
    """The path of a session without its suffix, and that of its folder of artifacts."""
    return os.path.splitext(path.removesuffix(PACKED))[0]


def unpacked(path: str, descriptor: int) -> int:
    """A new descriptor of the content of a compressed file. Read it by offset: several share a position.

    :param descriptor: of the compressed file, at its beginning.
    :raises OSError: it is damaged, or there is no room to unpack it.
    """
    status = os.fstat(descriptor)
    key = (path, status.st_ino, status.st_size, status.st_mtime_ns)
    with _lock:
        if key not in _open:
            while len(_open) >= _MOST_OPEN:
                os.close(_open.pop(next(iter(_open))))
            _open[key] = _unpack(path, descriptor)
        return os.dup(_open[key])


def _unpack(path: str, descriptor: int) -> int:
    import tempfile  # imported here because the first frame loads this module

    folder: str | None = os.path.dirname(path)
    while True:
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                for data in chunks(path, descriptor):
                    file.write(data)
                file.flush()
                return os.dup(file.fileno())
        except OSError as error:
            if folder is None or error.errno == errno.EIO:
                raise
            # It is read-only, or the disk is full: that of the system is another one, perhaps.
            folder = None
            os.lseek(descriptor, 0, os.SEEK_SET)


def unpacked_size(path: str) -> int:
    """The bytes of the content of a compressed file, modulo 4 GiB, as its last four bytes have it; 0 if it
    cannot be read.
    """
    try:
        with open(path, "rb") as file:
            file.seek(-4, os.SEEK_END)
            return int.from_bytes(file.read(4), "little")
    except OSError:
        return 0


def chunks(path: str, descriptor: int) -> Iterator[bytes]:
    """The content of a compressed file, in chunks.

    :param path: for errors.
    :param descriptor: of the compressed file, at its beginning.
    :raises OSError: it is damaged.
    """
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        while not decompressor.eof:
            data = decompressor.unconsumed_tail or os.read(descriptor, CHUNK)
            if not data:
                raise _damaged(path, "it is cut off")
            if chunk := decompressor.decompress(data, CHUNK):
                yield chunk
        if decompressor.unused_data or os.read(descriptor, 1):
            raise _damaged(path, "something follows its end")
    except zlib.error as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: str, reason: str) -> OSError:
    return OSError(errno.EIO, f"the compressed file is damaged: {reason}", path)
