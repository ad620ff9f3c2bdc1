"""Deleting a session for good, where there is no trash."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from app.actions.removable import removable
from app.sessions.errors import NotThere
from app.sessions.manager.change import Change
from app.sessions.storage.file_storage import refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.stores.base import Store


def delete_for_good(
    path: str, env: Mapping[str, str], store: Store | None = None, *, anyway: bool = False
) -> Change:
    """Delete the session at `path` and its folder of artifacts. Nothing brings them back: ask before, and
    only where `trash` said `NoTrash`.

    :param env: the environment by which agents find their sessions.
    :param store: where the session was found; the one that `env` leads to where None.
    :param anyway: also where a running agent may have it open, for all that is known
        (formats/README.md, "Detecting a running agent").
    :return: what was done; `note` says so where the folder of artifacts could not be deleted.
    :raises LiveSession: a running agent has it open; the process is named.
    :raises NotThere: it is gone: another was quicker.
    :raises SessionError: nothing was deleted; the class says why.
    """
    note = ""
    with removable(path, env, store, anyway) as session:
        moves = [(session.path, "")]
        try:
            os.unlink(session.path)
        except FileNotFoundError:
            raise NotThere(session.path, 0, "no such file") from None
        except OSError as error:
            refused(session.path, error)
        if session.artifacts:
            try:
                _delete_folder(session.artifacts)
                moves.append((session.artifacts, ""))
            except OSError as error:
                note = f"{session.artifacts}: cannot be deleted: {error.strerror or error}"
    return Change(
        "delete",
        session.path,
        entry_id="",
        before=session.path,
        agent=session.header.agent,
        session_id=session.header.id,
        note=note,
        moves=tuple(moves),
    )


def _delete_folder(folder: str) -> None:
    if os.path.islink(folder):
        os.unlink(folder)  # what it leads to lies elsewhere, and may be somebody else's
    else:
        shutil.rmtree(folder)
