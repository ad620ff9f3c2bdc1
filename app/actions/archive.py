"""Bringing a session back from oh-my-pi's cold archive, to where oh-my-pi lists it
(formats/README.md, "oh-my-pi"). oh-my-pi itself has no way back.
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

from app.actions.safe_move import already_there, create_beside, move
from app.formats.errors import SessionError
from app.sessions.errors import AlreadyThere, Changed, NotThere, Unreadable
from app.sessions.manager.change import Change, announce
from app.sessions.storage.file_storage import refused
from app.sessions.summaries.quick_summary import quick_summary
from app.stores.archive import PACKED, Archived

_CHUNK = 1 << 20


class DamagedArchive(Unreadable):
    """The packed session cannot be unpacked completely; it stays where it is."""


def unarchive(archived: Archived) -> Change:
    """Unpack a session to `archived.target`, with its folder of artifacts, and take it out of the archive.

    The packed file is removed last, when all else is on disk: whatever happens before, nothing is lost, and
    asking again finishes it. The archive does not keep the file's time: the new one has that of the session's
    last message, so that oh-my-pi's list and `omp -c` see it where it was.

    :return: what was done: `before` is the packed file, `after` the session's. `note` says what stayed.
    :raises AlreadyThere: another file, or a folder of artifacts, is where one would go.
    :raises NotThere: it is not in the archive any more.
    :raises Changed: another file has taken its place since it was listed.
    :raises DamagedArchive: it cannot be unpacked.
    :raises Unreadable: it cannot be read.
    :raises WriteFailed: the system refused; nothing has changed.
    """
    packed, target = archived.path, archived.target
    packed_artifacts = os.path.splitext(packed[: -len(PACKED)])[0]
    artifacts = os.path.splitext(target)[0]
    if os.path.lexists(packed_artifacts) and os.path.lexists(artifacts):
        raise already_there(artifacts)
    # First of all: of what is not there nothing is made, no folder either.
    with _opened(packed) as source:
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
        new = _missing(os.path.dirname(target))
        try:
            is_ours = _put(archived, source)
            if os.path.lexists(packed_artifacts):
                try:
                    move(packed_artifacts, artifacts)
                except SessionError:
                    if is_ours:
                        os.unlink(target)
                    raise
        except SessionError:
            with contextlib.suppress(OSError):
                for made in new:
                    os.rmdir(made)
            raise
    return replace(change, note=_remove_packed(packed))


def damage(packed: str) -> str:
    """Why a file of the archive could not be brought back, "" where it could. It is unpacked to its end."""
    try:
        with _opened(packed) as source:
            for _ in _chunks(packed, source):
                pass
    except SessionError as error:
        return error.reason
    return ""


def _missing(folder: str) -> list[str]:
    """The folders that have to be made for it to be there, itself first."""
    found = []
    while folder and not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def _put(archived: Archived, source: IO[bytes]) -> bool:
    """Put the unpacked session at its old path. False where it was there before, from a time when somebody
    was stopped half-way.
    """
    target, temporary = archived.target, ""
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        descriptor, temporary = create_beside(target)
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
    """The unpacked bytes, piece by piece."""
    with gzip.GzipFile(fileobj=source) as unpacked:
        size = 0
        while data := _next(packed, unpacked):
            size += len(data)
            yield data
    if not size:
        raise DamagedArchive(packed, 0, "cannot be unpacked: there is nothing in it")


def _opened(packed: str) -> IO[bytes]:
    try:
        return open(packed, "rb")
    except (FileNotFoundError, NotADirectoryError):
        raise NotThere(packed, 0, "is not in the archive any more") from None
    except OSError as error:
        raise Unreadable(packed, 0, f"cannot be read: {error.strerror}") from None


def _next(packed: str, unpacked: gzip.GzipFile) -> bytes:
    try:
        return unpacked.read(_CHUNK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DamagedArchive(packed, 0, f"cannot be unpacked: {error}") from None
    except OSError as error:
        raise Unreadable(packed, 0, f"cannot be read: {error.strerror}") from None


def _set_time(path: str, archived: Archived) -> None:
    """Give the new file the time of its last message, or where that cannot be told, of the packed one."""
    told = quick_summary(path, (archived.agent,), archived.mtime_ms)
    time_ns = (archived.mtime_ms if told is None else told.modified) * 1_000_000
    os.utime(path, ns=(time_ns, time_ns))


def _remove_packed(packed: str) -> str:
    """Remove the packed file from the archive; return why it is still there, "" if it is gone."""
    try:
        os.unlink(packed)
    except FileNotFoundError:
        pass  # another leafmark removed it at the same time
    except OSError as error:
        return f"it is in the archive as well, for that cannot be changed: {error.strerror}"
    return ""
