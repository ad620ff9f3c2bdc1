"""Restoring a session from oh-my-pi's archive to where oh-my-pi lists it
(formats/README.md, "Archive of oh-my-pi"). oh-my-pi itself cannot do that.
"""

from __future__ import annotations

import contextlib
import filecmp
import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import IO

from app.actions.safe_move import already_there, move
from app.formats.errors import SessionError
from app.sessions.errors import AlreadyThere, Changed, NotThere, Unreadable
from app.sessions.manager.change import Change, announce
from app.sessions.storage.file_storage import refused
from app.sessions.storage.temporary import new_copy
from app.sessions.summaries.quick_summary import quick_summary
from app.stores.archive import PACKED, Archived

_CHUNK = 1 << 20
"""Bytes that are decompressed at once."""


class DamagedArchive(Unreadable):
    """The archived file cannot be decompressed completely; it stays where it is."""


def unarchive(archived: Archived) -> Change:
    """Decompress a session to `archived.target`, move its folder of artifacts there, and remove it from the
    archive.

    The archived file is removed last, after all else is on disk. If that is interrupted, nothing is lost, and
    another call completes it. The archive does not keep the time of the session's file. The new file gets the
    time of the last message, so that the session has its old position in oh-my-pi's list and for `omp -c`.

    :return: the change: `before` is the archived file, `after` the session's file. `note` says why the
        archived file could not be removed.
    :raises AlreadyThere: another file or folder is at the path of the session or of its artifacts.
    :raises NotThere: it is not in the archive any more.
    :raises Changed: another file has taken its place since it was listed.
    :raises DamagedArchive: it cannot be decompressed.
    :raises Unreadable: it cannot be read.
    :raises WriteFailed: the system refused; nothing has changed.
    """
    packed, target = archived.path, archived.target
    packed_artifacts = os.path.splitext(packed[: -len(PACKED)])[0]
    artifacts = os.path.splitext(target)[0]
    if os.path.lexists(packed_artifacts) and os.path.lexists(artifacts):
        raise already_there(artifacts)
    # Opened first: if the file is missing, no folder is made.
    with _open(packed) as source:
        status = os.fstat(source.fileno())
        if (status.st_size, status.st_mtime_ns // 1_000_000) != (archived.size, archived.mtime_ms):
            raise Changed(packed)
        change = Change(
            "file",
            target,
            entry_id="",
            before=packed,
            after=target,
            agent=archived.agent,
            session_id=archived.id,
            after_id=archived.id,
        )
        announce(change)
        new_folders = _missing_folders(os.path.dirname(target))
        try:
            is_new = _unpack(archived, source)
            if os.path.lexists(packed_artifacts):
                try:
                    move(packed_artifacts, artifacts)
                except SessionError:
                    if is_new:
                        os.unlink(target)
                    raise
        except SessionError:
            with contextlib.suppress(OSError):
                for folder in new_folders:
                    os.rmdir(folder)
            raise
    return replace(change, note=_remove_packed(packed))


def damage(packed: str) -> str:
    """Why an archived file cannot be restored, "" if it can. The whole file is decompressed."""
    try:
        with _open(packed) as source:
            for _ in _chunks(packed, source):
                pass
    except SessionError as error:
        return error.reason
    return ""


def _missing_folders(folder: str) -> list[str]:
    """`folder` and its ancestors that do not exist, the deepest first."""
    missing = []
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _unpack(archived: Archived, source: IO[bytes]) -> bool:
    """Write the decompressed session to its old path. False: it is there already, because an earlier restore
    was interrupted.
    """
    target, temporary = archived.target, ""
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        descriptor, temporary = new_copy(os.path.dirname(target))
        with os.fdopen(descriptor, "wb") as file:
            for data in _chunks(archived.path, source):
                file.write(data)
            file.flush()
            os.fsync(descriptor)
        _set_time(temporary, archived)
        try:
            move(temporary, target)
        except AlreadyThere:
            if os.path.islink(target) or not filecmp.cmp(temporary, target, shallow=False):
                raise
            return False
    except OSError as error:
        refused(target, error)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return True


def _chunks(packed: str, source: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=source) as unpacked:
        size = 0
        while data := _next_chunk(packed, unpacked):
            size += len(data)
            yield data
    if not size:
        raise DamagedArchive(packed, 0, "cannot be unpacked: there is nothing in it")


def _open(packed: str) -> IO[bytes]:
    try:
        return open(packed, "rb")
    except (FileNotFoundError, NotADirectoryError):
        raise NotThere(packed, 0, "is not in the archive any more") from None
    except OSError as error:
        raise Unreadable(packed, 0, f"cannot be read: {error.strerror}") from None


def _next_chunk(packed: str, unpacked: gzip.GzipFile) -> bytes:
    try:
        return unpacked.read(_CHUNK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DamagedArchive(packed, 0, f"cannot be unpacked: {error}") from None
    except OSError as error:
        raise Unreadable(packed, 0, f"cannot be read: {error.strerror}") from None


def _set_time(path: str, archived: Archived) -> None:
    """Give the new file the time of its last message, or of the archived file if that is unknown."""
    summary = quick_summary(path, (archived.agent,), archived.mtime_ms)
    time_ns = (archived.mtime_ms if summary is None else summary.modified) * 1_000_000
    os.utime(path, ns=(time_ns, time_ns))


def _remove_packed(packed: str) -> str:
    """Remove the file from the archive; return why it could not be removed, "" if it is gone."""
    try:
        os.unlink(packed)
    except FileNotFoundError:
        pass  # another leafmark removed it at the same time
    except OSError as error:
        return f"it is in the archive as well, for that cannot be changed: {error.strerror}"
    return ""
