"""A new file that is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import IO

from app.small_files import IRREGULAR, rename_exclusively

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_KEPT = "a file of an agent or of leafmark, which is never replaced"


class NotRegular(OSError):
    """A device, a pipe or this program's standard output has the name of the file to be made."""


class Target:
    """The file to be made.

    path   its path
    force  replace a file that is there
    kept   files and folders of agents and of leafmark, absolute: no file there is replaced
    """

    def __init__(self, path: str, *, force: bool, kept: Iterable[str] = ()) -> None:
        self.path = path
        self.force = force
        self.kept = tuple(kept)

    def check(self) -> None:
        """Fail early if the file cannot get its name. A link to a device or a pipe is what it leads to.

        :raises NotRegular: something other than a file is there.
        :raises FileExistsError: a file is there, and `force` is off.
        :raises OSError: something is there that is not replaced: a folder, or a file in `kept`.
        """
        try:
            status = os.lstat(self.path)
        except OSError:
            return
        with contextlib.suppress(OSError):  # a link that leads nowhere is replaced
            status = os.stat(self.path)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            raise NotRegular(errno.EINVAL, IRREGULAR, self.path)
        if _is_standard_stream(status):
            raise NotRegular(errno.EINVAL, "standard input or output leads there", self.path)
        if not self.force:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.path)
        folder, name = os.path.split(self.path)
        place = os.path.join(os.path.realpath(folder), name)
        for kept in map(os.path.realpath, self.kept):
            if place == kept or place.startswith(os.path.join(kept, "")):
                raise OSError(errno.EINVAL, _KEPT, self.path)

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
                os.fchmod(descriptor, 0o600)  # whatever the umask takes away
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


def _is_standard_stream(status: os.stat_result) -> bool:
    """Whether this process reads or writes the file as a standard stream. `/dev/stdout` is a link to such a
    file, and programs could not open it any more.
    """
    for descriptor in range(3):
        with contextlib.suppress(OSError):  # it may be closed
            if os.path.samestat(status, os.fstat(descriptor)):
                return True
    return False
