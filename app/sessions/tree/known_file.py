"""By what a file is known again that was read before, though it may have grown meanwhile."""

from __future__ import annotations

import os
from typing import NamedTuple

from app.sessions.tally.summarise import fingerprint_of
from app.sessions.tree.entry_loader import Changed


class KnownFile(NamedTuple):
    """A file as far as it was read.

    file          device and inode
    end           the byte after the last newline that was read
    fingerprint   of the file up to `end`
    """

    file: tuple[int, int]
    end: int
    fingerprint: bytes

    @classmethod
    def of(cls, descriptor: int, end: int) -> KnownFile:
        """:raises OSError: the file cannot be read."""
        status = os.fstat(descriptor)
        return cls((status.st_dev, status.st_ino), end, fingerprint_of(descriptor, end))

    def size_now(self, path: str, descriptor: int) -> int:
        """How many bytes the file behind `descriptor` has now; only its beginning is not compared.

        :raises Changed: it is another file, or shorter.
        :raises OSError: it cannot be read.
        """
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != self.file or status.st_size < self.end:
            raise Changed(path)
        return status.st_size

    def recognise(self, path: str, descriptor: int) -> int:
        """How many bytes the file behind `descriptor` has now, which begins as it did.

        :raises Changed: it is another file, or was written anew.
        :raises OSError: it cannot be read.
        """
        size = self.size_now(path, descriptor)
        if fingerprint_of(descriptor, self.end) != self.fingerprint:
            raise Changed(path)
        return size


NO_FILE = KnownFile((0, 0), 0, b"")
"""Is never known again."""
