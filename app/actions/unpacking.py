"""Unpacking whole files that are compressed with gzip: kept copies of sessions, and oh-my-pi's archive."""

from __future__ import annotations

import contextlib
import filecmp
import os
import stat
from collections.abc import Iterator

from app.actions.safe_move import move
from app.formats.errors import SessionError
from app.formats.packed import chunks
from app.sessions.errors import AlreadyThere, NotAFile, NotThere, Unreadable
from app.sessions.storage.file_storage import refused
from app.sessions.storage.temporary import new_copy

_READ = os.O_RDONLY | os.O_NONBLOCK


class DamagedCopy(Unreadable):
    """A compressed file cannot be unpacked completely; it stays where it is."""


@contextlib.contextmanager
def opened_file(path: str) -> Iterator[int]:
    """Open a regular file for reading, and yield its descriptor. A pipe or a device is refused at once.

    :raises NotThere, NotAFile, Unreadable: it is no file that can be read.
    """
    try:
        descriptor = os.open(path, _READ)
    except (FileNotFoundError, NotADirectoryError):
        raise NotThere(path, 0, "no such file") from None
    except (OSError, ValueError) as error:
        raise Unreadable(path, 0, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotAFile(path, 0, "is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def damage(packed: str) -> str:
    """Why a compressed file cannot be unpacked, "" if it can. All of it is read."""
    try:
        with opened_file(packed) as descriptor:
            for _ in _intact_chunks(packed, descriptor):
                pass
    except SessionError as error:
        return error.reason
    return ""


def unpack(packed: str, target: str, mtime_ns: int, made: list[str]) -> None:
    """Unpack a file to `target`. It may be there with the same content: an earlier attempt was interrupted.

    :param mtime_ns: the modification time of the new file in nanoseconds.
    :param made: gets the folders and the file that were made.
    :raises NotThere, NotAFile, Unreadable, DamagedCopy: of the compressed file.
    :raises AlreadyThere: another file is there.
    :raises WriteFailed: the system refused.
    """
    with opened_file(packed) as source:
        temporary = ""
        try:
            make_folders(os.path.dirname(target), made)
            descriptor, temporary = new_copy(os.path.dirname(target))
            with open(descriptor, "wb") as file:
                for data in _intact_chunks(packed, source):
                    file.write(data)
                file.flush()
                os.fsync(descriptor)
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
            move(temporary, target)
            made.append(target)
        except AlreadyThere:
            if os.path.islink(target) or not filecmp.cmp(temporary, target, shallow=False):
                raise
        except OSError as error:
            refused(target, error)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def make_folders(folder: str, made: list[str]) -> None:
    """Make a folder and those above it, for this user alone.

    :param made: gets the folders that were made.
    """
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another thread or process made it
            os.mkdir(each, 0o700)
            made.append(each)


def remove_made(made: list[str]) -> None:
    """Remove the files and empty folders that were made before an error."""
    for each in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(each) if os.path.isdir(each) else os.unlink(each)


def _intact_chunks(packed: str, descriptor: int) -> Iterator[bytes]:
    try:
        yield from chunks(packed, descriptor)
    except OSError as error:
        raise DamagedCopy(packed, 0, error.strerror or str(error)) from None
