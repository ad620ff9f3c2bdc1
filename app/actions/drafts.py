"""Drafts: texts that are left for an agent's editor, and deleted by undo."""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from app.actions.safe_move import move
from app.sessions.errors import AlreadyThere, NotThere, SessionError
from app.sessions.storage.file_storage import FileStorage
from app.sessions.storage.temporary import copy_name


class DraftResult(NamedTuple):
    """The result of leaving a draft.

    :param is_written: the draft was written just now; otherwise it was there already, or was empty.
    :param made_folder: the folder of the draft was made for it.
    """

    is_written: bool = False
    made_folder: bool = False


def write_draft_file(draft: str, text: str) -> DraftResult:
    """Write `text` as a draft to the path `draft`; nothing if either is "".

    :raises AlreadyThere: the user has another draft there, which is not sent yet; it is untouched.
    :raises WriteFailed: it cannot be written.
    """
    if not draft or not text:
        return DraftResult()
    storage, data = FileStorage(), _encode(text)
    made_folder = _make_folder(os.path.dirname(draft))
    try:
        storage.create(draft, data)
    except AlreadyThere:
        if storage.read(draft)[0] != data:
            raise AlreadyThere(draft, "another draft is there, which has not been sent") from None
        return DraftResult()
    except SessionError:
        if made_folder:
            _remove_folder(os.path.dirname(draft))
        raise
    return DraftResult(is_written=True, made_folder=made_folder)


def delete_draft(draft: str, text: str, *, with_folder: bool = False) -> str:
    """Delete the draft at the path `draft` if its whole content is `text`.

    The file is moved aside first: a file that takes its place meanwhile is not touched, and another text is
    moved back.

    :param with_folder: the folder was made for the draft, and is removed as well if it is empty.
    :return: why the draft was not deleted, "" if it was.
    """
    kept = _delete(draft, text)
    if with_folder:
        _remove_folder(os.path.dirname(draft))
    return kept


def _delete(draft: str, text: str) -> str:
    storage, data = FileStorage(), _encode(text)
    try:
        if storage.read(draft)[0] != data:
            return f"{draft} holds another text by now: it stays"
        aside = _move_aside(draft)
        if storage.read(aside)[0] == data:
            os.unlink(aside)
            return ""
        try:
            move(aside, draft)
        except AlreadyThere:
            return f"{draft} is another by now; what it said before is in {aside}"
        return f"{draft} holds another text by now: it stays"
    except NotThere:
        return f"{draft} is gone already: the text was taken up, or deleted"
    except SessionError as error:
        return f"the draft stays: {error}"
    except OSError as error:
        return f"the draft {draft} stays: {error.strerror or error}"


def _move_aside(draft: str) -> str:
    # Not the name of a temporary copy, which another leafmark may delete: the text is only in this file.
    aside = copy_name(os.path.dirname(draft), "draft")
    os.rename(draft, aside)
    return aside


def _make_folder(folder: str) -> bool:
    """Make the folder. False: it existed, or cannot be made; then writing the draft fails with the reason."""
    try:
        os.mkdir(folder)
    except (OSError, ValueError):
        return False
    return True


def _remove_folder(folder: str) -> None:
    """Remove the folder if it is empty."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")
