"""A new file that is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import IO

from app.small_files import rename_exclusively

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Target:
    """The file to be made.

    path   its path
    force  replace what is there
    """

    def __init__(self, path: str, *, force: bool) -> None:
        self.path = path
        self.force = force

    def check(self) -> None:
        """Fail early if the file cannot get its name.

        :raises FileExistsError: something is there, and `force` is off, or it is a folder.
        """
        if os.path.isdir(self.path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        if not self.force and os.path.lexists(self.path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.path)

    @contextlib.contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """A file of mode 0600 with a temporary name beside the target. It is removed if the body fails, and
        gets its name at the end of the body.

        :raises OSError: it cannot be written; `filename` is the target.
        """
        folder, name = os.path.split(self.path)
        # Hidden, and no longer than a name may be.
        temporary = os.path.join(folder, f".{name[:40]}.{os.urandom(8).hex()}.tmp")
        try:
            descriptor = os.open(temporary, _CREATE, 0o600)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None
        try:
            with open(descriptor, "w+b") as file:
                yield file
                file.flush()
                os.fsync(descriptor)
            if self.force:
                os.replace(temporary, self.path)
            else:
                rename_exclusively(temporary, self.path)
        except FileExistsError:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.path) from None
        except OSError as error:
            if error.filename is None or error.filename == temporary:
                raise OSError(error.errno, error.strerror, self.path) from None
            raise
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
