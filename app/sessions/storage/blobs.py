"""Blobs: what omp keeps beside its sessions instead of in them (formats/README.md, "oh-my-pi").

A blob is a file named by the SHA-256 of its bytes, in lower-case hex and without an extension. An entry holds
`blob:sha256:<hex>` in its place. omp also makes `<hex>.png` and the like for programs that open files by
their extension; nothing is ever read back through those, so they are not made here.
"""

from __future__ import annotations

import hashlib
import os
import stat

from app.small_files import write_whole

PREFIX = "blob:sha256:"

_HEX = frozenset("0123456789abcdef")
_HEX_LENGTH = 64
# Neither through a link out of the folder, nor into the wait for somebody to write to a pipe.
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def parse_ref(ref: str) -> str | None:
    """The 64 hex digits of `ref`; None where it is anything but a prefix and 64 digits in lower case.

    Every name of a file in the store comes from here, so none leads out of its folder.
    """
    digits = ref.removeprefix(PREFIX)
    whole = len(ref) == len(PREFIX) + _HEX_LENGTH and len(digits) == _HEX_LENGTH
    return digits if whole and _HEX.issuperset(digits) else None


class BlobStore:
    """The blobs in `folder`, which need not exist before something is put there.

    Safe for several processes and threads at once: a blob appears whole or not at all.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Keep `data`, on the disk when this returns, and give back the reference to it.

        A blob that is there already is not written again, unless what is there is not these bytes: then a
        crash has cut it short, and it is replaced.

        :raises OSError: it cannot be written. Nothing is left behind.
        """
        digits = hashlib.sha256(data).hexdigest()
        path = os.path.join(self.folder, digits)
        if _read(path) != data:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            write_whole(path, data, 0o600, fsync=True)
            _sync(self.folder)
        return PREFIX + digits

    def get(self, ref: str) -> bytes | None:
        """The bytes that `ref` stands for; None where they are not to be had.

        That is where `ref` is no reference, where there is no such blob or it cannot be read, and where what
        is there are other bytes. Links and whatever else is no plain file are not followed.
        """
        digits = parse_ref(ref)
        if digits is None:
            return None
        data = _read(os.path.join(self.folder, digits))
        if data is None or hashlib.sha256(data).hexdigest() != digits:
            return None
        return data


def _read(path: str) -> bytes | None:
    """What is in the plain file at `path`; None where there is none that can be read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _sync(folder: str) -> None:
    """Make the names in `folder` last, where the system can: the blob itself is on the disk already."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
