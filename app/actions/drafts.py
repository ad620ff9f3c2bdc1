"""Texts that were left for an agent's editor, taken back (issue 6 "Branch navigation")."""

from __future__ import annotations

import contextlib
import os

from app.actions.moving import beside, move
from app.sessions.errors import AlreadyThere, NotThere, SessionError
from app.sessions.file_storage import FileStorage


def as_draft(text: str) -> bytes:
    """The bytes of a draft."""
    return text.encode("utf-8", "replace")


def drop_draft(draft: str, text: str) -> str:
    """Delete the draft at the path `draft` where it says `text` and nothing else.

    It is put aside first: what comes to its place meanwhile is not touched, and another text goes back.

    :return: why it was not deleted, "" where it was.
    """
    storage, data = FileStorage(), as_draft(text)
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
    descriptor, aside = beside(draft)
    os.close(descriptor)
    try:
        os.replace(draft, aside)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise
    return aside
