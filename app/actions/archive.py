"""Restoring a session from oh-my-pi's archive to where oh-my-pi lists it
(formats/README.md, "Archive of oh-my-pi"). oh-my-pi itself cannot do that.
"""

from __future__ import annotations

import os
from dataclasses import replace

from app.actions.safe_move import already_there, move
from app.actions.unpacking import opened_file, remove_made, unpack
from app.formats.errors import SessionError
from app.sessions.errors import Changed
from app.sessions.manager.change import Change, announce
from app.sessions.storage.file_storage import refused
from app.sessions.summaries.quick_summary import quick_summary
from app.stores.archive import PACKED, Archived


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
    :raises DamagedCopy, Unreadable: it cannot be unpacked or read.
    :raises WriteFailed: the system refused; nothing has changed.
    """
    packed, target = archived.path, archived.target
    packed_artifacts = os.path.splitext(packed[: -len(PACKED)])[0]
    artifacts = os.path.splitext(target)[0]
    if os.path.lexists(packed_artifacts) and os.path.lexists(artifacts):
        raise already_there(artifacts)
    with opened_file(packed) as source:
        status = os.fstat(source)
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
    made: list[str] = []
    try:
        unpack(packed, target, archived.mtime_ms * 1_000_000, made)
        summary = quick_summary(target, (archived.agent,), archived.mtime_ms)
        if summary is not None:
            os.utime(target, ns=(summary.modified * 1_000_000,) * 2)
        if os.path.lexists(packed_artifacts):
            move(packed_artifacts, artifacts)
    except (SessionError, OSError) as error:
        remove_made(made)
        if isinstance(error, SessionError):
            raise
        refused(target, error)
    return replace(change, note=_remove_packed(packed))


def _remove_packed(packed: str) -> str:
    """Remove the file from the archive; return why it could not be removed, "" if it is gone."""
    try:
        os.unlink(packed)
    except FileNotFoundError:
        pass  # another leafmark removed it at the same time
    except OSError as error:
        return f"it is in the archive as well, for that cannot be changed: {error.strerror}"
    return ""
