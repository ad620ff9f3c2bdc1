"""A new file that is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import IO

from app.small_files import rename_exclusively

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Target:
    """The file to be made.

    path   its path
    force  replace a file that is there
    kept   files and folders of agents, absolute: no file there is replaced
    """

    def __init__(self, path: str, *, force: bool, kept: Iterable[str] = ()) -> None:
        self.path = path
        self.force = force
        self.kept = tuple(kept)

    def check(self) -> None:
        """Fail early if the file cannot get its name.

        :raises FileExistsError: something is there, and `force` is off.
        :raises OSError: something is there that is not replaced: a folder, a device or a file of an agent.
        """
        try:
            mode = os.lstat(self.path).st_mode
        except OSError:
            return
        if os.path.isdir(self.path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        if not self.force:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.path)
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            raise OSError(errno.EINVAL, "not a regular file", self.path)
        folder, name = os.path.split(self.path)
        place = os.path.join(os.path.realpath(folder), name)
        for kept in map(os.path.realpath, self.kept):
            if place == kept or place.startswith(os.path.join(kept, "")):
                raise OSError(errno.EINVAL, "a session of an agent, which is never replaced", self.path)

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
