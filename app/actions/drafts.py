"""Texts that are left for an agent's editor, and taken back."""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from app.actions.moving import beside, move
from app.sessions.errors import AlreadyThere, NotThere, SessionError
from app.sessions.storage.file_storage import FileStorage


class Left(NamedTuple):
    """What leaving a draft did.

    :param is_written: it was written just now; else it was there already, or there was nothing to write.
    :param made_folder: the folder that it lies in was made for it.
    """

    is_written: bool = False
    made_folder: bool = False


def leave_draft(draft: str, text: str) -> Left:
    """Write `text` as a draft to the path `draft`; nothing where either is "".

    :raises AlreadyThere: the user has another draft there, which is not sent yet; it is untouched.
    :raises WriteFailed: it cannot be written.
    """
    if not draft or not text:
        return Left()
    storage, data = FileStorage(), _bytes(text)
    made_folder = _make_folder(os.path.dirname(draft))
    try:
        storage.create(draft, data)
    except AlreadyThere:
        if storage.read(draft)[0] != data:
            raise AlreadyThere(draft, "another draft is there, which has not been sent") from None
        return Left()
    except SessionError:
        if made_folder:
            _drop_folder(os.path.dirname(draft))
        raise
    return Left(is_written=True, made_folder=made_folder)


def drop_draft(draft: str, text: str, *, with_folder: bool = False) -> str:
    """Delete the draft at the path `draft` where it says `text` and nothing else.

    It is put aside first: what comes to its place meanwhile is not touched, and another text goes back.

    :param with_folder: the folder was made for it, and goes as well where nothing is in it any more.
    :return: why the draft was not deleted, "" where it was.
    """
    kept = _drop(draft, text)
    if with_folder:
        _drop_folder(os.path.dirname(draft))
    return kept


def _drop(draft: str, text: str) -> str:
    storage, data = FileStorage(), _bytes(text)
    try:
        if storage.read(draft)[0] != data:
            return f"{draft} holds another text by now: it stays"
        aside = _aside(draft)
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


def _aside(draft: str) -> str:
    # Not a copy: while the text has that name, it is nowhere else.
    descriptor, aside = beside(draft, "draft")
    os.close(descriptor)
    try:
        os.replace(draft, aside)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise
    return aside


def _make_folder(folder: str) -> bool:
    """Whether it was made just now; what keeps it from being made shows when it is needed."""
    try:
        os.mkdir(folder)
    except (OSError, ValueError):
        return False
    return True


def _drop_folder(folder: str) -> None:
    """Remove the folder if it is empty."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
