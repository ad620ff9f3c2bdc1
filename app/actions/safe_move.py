"""Moves of files and folders that lose nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat

from app.sessions.errors import AlreadyThere, NotThere
from app.sessions.storage.file_storage import refused
from app.sessions.storage.temporary import copy_name
from app.small_files import rename_exclusively, sync


def move(source: str, target: str) -> None:
    """Move the file, link or folder at `source` to `target`, which must not exist.

    Bytes, permissions and times stay as they are, on another file system too. The folder of `target` is made
    if it is missing. If the move fails, everything is as it was.

    :raises NotThere: nothing is at `source`.
    :raises AlreadyThere: something is at `target`; it is left alone.
    :raises WriteFailed: the system refused.
    """
    try:
        status = os.lstat(source)
    except OSError as error:
        raise NotThere(source, 0, error.strerror or "no such file") from None
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if stat.S_ISDIR(status.st_mode):
            _move_folder(source, target)
        else:
            _move_file(source, target)
    except shutil.Error as error:
        refused(target, OSError(errno.EIO, str(error)))
    except OSError as error:
        refused(target, error)
    sync(os.path.dirname(target))


def _move_file(source: str, target: str) -> None:
    try:
        rename_exclusively(source, target)
    except FileExistsError:
        raise already_there(target) from None
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_file(source, target)
        try:
            os.unlink(source)
        except OSError:
            os.unlink(target)
            raise


def _copy_file(source: str, target: str) -> None:
    temporary = copy_name(os.path.dirname(target))
    try:
        shutil.copy2(source, temporary, follow_symlinks=False)
        if not os.path.islink(temporary):
            sync(temporary)
        rename_exclusively(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _move_folder(source: str, target: str) -> None:
    if os.path.lexists(target):
        raise already_there(target)
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):  # made by another process since the check
            raise already_there(target) from None
        if error.errno != errno.EXDEV:
            raise
    else:
        return
    temporary = copy_name(os.path.dirname(target))
    os.mkdir(temporary, 0o700)
    try:
        shutil.copytree(source, temporary, symlinks=True, dirs_exist_ok=True)
        os.rename(temporary, target)
    except (OSError, shutil.Error):
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    # The rest of the source is a copy of the folder that is complete at the target.
    shutil.rmtree(source, ignore_errors=True)


def already_there(path: str) -> AlreadyThere:
    """The error to raise if `path` exists and must not be overwritten."""
    return AlreadyThere(path, "is there already", errno.EEXIST)
