"""Describe a write, with everything that its undo needs.

An undo is always one more write, never an erased line.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Change:
    """One write to a session, or one move of it.

    :param kind: what changed: "entry" for one more entry and nothing else, "file" for a new session file;
        "rewrite" for entries that were replaced, and "move" for a session that got another working folder and
        the path that goes with it; "trash", "restore" and "delete" for a session that was trashed, restored
        or deleted for good; "keep" for a copy of leafmark's own.
    :param path: the file that was written, "" for a session in memory; for a move, where the session was or
        is among the agent's.
    :param entry_id: the entry that was written, "" if none was.
    :param before: the label, name, leaf, pin, tags or note before; None for none. For a file: the session
        that was left, or the file itself if it was there before. For a move: where the session was. For a
        copy: its path, if there was one.
    :param after: the same after the change; None if a moved session is nowhere, or its place is unknown.
    :param target_id: the entry whose label changed, or the new leaf (None: before all entries); for a new
        file its leaf.
    :param agent: the agent whose session it is.
    :param session_id: the session that changed, or that the new file was made from ("" for none).
    :param after_id: the id of the session in a new file.
    :param note: a remark for the user, "" for none.
    :param prompt: the text of the selected user message, if the leaf went to its parent: the user edits it
        and sends it again. "" for a message of images alone, None for every other change.
    :param draft: the text that was written for the agent's editor with it, "" for none.
    :param draft_folder: whether the folder of the draft was made for it.
    :param moves: for a move, where each thing was and where it is now ("": nowhere, or unknown): first the
        session's file, then its folder of artifacts.
    :param source_agent: for a file, the agent of the session that it was made from, if that was handed over;
        else "".
    :param lines: the lines that were replaced: the id of the entry ("" for the header), and its line before
        and after, as UTF-8 with surrogates for bytes that are not. For a restore, the lines that were
        appended with it, and for the move to the trash that undoes it, those that were taken off ("" before
        or after). For tags, the note before and after if it was changed with them.
    """

    kind: Literal[
        "entry",
        "label",
        "name",
        "leaf",
        "file",
        "rewrite",
        "move",
        "trash",
        "restore",
        "delete",
        "pin",
        "tags",
        "note",
        "keep",
    ]
    path: str
    entry_id: str
    before: str | None = None
    after: str | None = None
    target_id: str | None = None
    agent: str = ""
    session_id: str = ""
    after_id: str | None = None
    note: str = ""
    prompt: str | None = None
    draft: str = ""
    draft_folder: bool = False
    moves: tuple[tuple[str, str], ...] = ()
    lines: tuple[tuple[str, str, str], ...] = ()
    source_agent: str = ""

    @property
    def is_nothing(self) -> bool:
        """Whether nothing was written or moved, because everything was so before."""
        if self.entry_id or self.moves or self.lines or self.draft:
            return False
        return self.before == self.after


_listener: ContextVar[Callable[[Change], object] | None] = ContextVar("listener", default=None)


@contextmanager
def announced_to(listener: Callable[[Change], object]) -> Iterator[None]:
    """In this context, call `listener` with each change of this thread directly before its first byte is
    written.

    A change that is tried again, because another process wrote first, is announced again. If a process is
    killed, the files show whether the last announced change happened.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def announce(change: Change) -> None:
    """Tell the listener, if there is one, that `change` is about to be made."""
    listener = _listener.get()
    if listener is not None:
        listener(change)
