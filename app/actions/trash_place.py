"""The trash as a place: facts about the sessions that lie there, and deleting one of them for good."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.actions import trash_folder
from app.actions.restore import TrashedSession, is_still_there
from app.actions.trash import delete_belonging
from app.sessions.errors import NotThere
from app.sessions.manager.change import Change
from app.sessions.storage.file_storage import refused
from app.stores import artifacts_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.stores.base import Store

MOST_FILES = 2_000
"""Files of a folder of artifacts that are counted, so that a huge one does not hold up the list."""


class TrashFacts(NamedTuple):
    """Facts about a session in the trash.

    size             of its file and of its artifacts, in bytes
    artifacts        the number of files in its folder of artifacts
    is_folder_gone   its working folder does not exist any more
    is_place_taken   another file has its old path, so that it cannot be restored
    """

    size: int
    artifacts: int
    is_folder_gone: bool
    is_place_taken: bool


def trash_facts(session: TrashedSession) -> TrashFacts:
    """Look at the files of a session in the trash; nothing is raised."""
    artifacts, artifacts_size = folder_size(session.artifacts) if session.artifacts else (0, 0)
    return TrashFacts(
        session.size + artifacts_size,
        artifacts,
        bool(session.cwd) and not os.path.isdir(session.cwd),
        os.path.lexists(session.path),
    )


def delete_trashed(session: TrashedSession) -> Change:
    """Delete a session in the trash for good, with its artifacts and backups and the notes about all of them,
    and nothing else.

    Its file is deleted last: if that is interrupted, the session is still listed.

    :return: the change, of kind "delete".
    :raises NotThere: the session is not there any more, or something else has its name in the trash.
    :raises WriteFailed: the system refused.
    """
    path = session.in_trash
    if not is_still_there(session):
        raise NotThere(session.path, 0, "is not in the trash any more")
    moves = [(path, "")]
    try:
        for _, belonging in session.belongings:
            if os.path.lexists(belonging):
                delete_belonging(belonging)
                trash_folder.delete_note(belonging)
                moves.append((belonging, ""))
        os.unlink(path)
        trash_folder.delete_note(path)
    except FileNotFoundError:
        raise NotThere(session.path, 0, "is not in the trash any more") from None
    except OSError as error:
        refused(str(error.filename or path), error)
    return Change(
        "delete",
        session.path,
        entry_id="",
        before=path,
        agent=session.agent,
        session_id=session.session_id,
        moves=tuple(moves),
    )


def folder_size(folder: str) -> tuple[int, int]:
    """The number of files below a folder, and their bytes."""
    files = size = 0
    folders = [folder]
    while folders and files < MOST_FILES:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                        continue
                    files += 1
                    size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return files, size


def artifact_sizes(paths: Iterable[str], stores: Iterable[Store]) -> tuple[int, int]:
    """The number of the folders of artifacts of sessions, and the bytes in them.

    :param paths: of the sessions' files.
    """
    known = list(stores)
    folders = list(filter(None, (artifacts_folder(path, known) for path in paths)))
    return len(folders), sum(folder_size(folder)[1] for folder in folders)
