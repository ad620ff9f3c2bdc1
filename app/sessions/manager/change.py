"""What a write did, and what takes it back: always one more write, never an erased line."""

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
        "trash", "restore" and "delete" for a session that went to the trash, came back, or is gone for good.
    :param path: the file that was written, "" for a session in memory; of a move, where the session was or is
        among the agent's.
    :param entry_id: the entry that was written, "" where none was.
    :param before: the label, name, leaf or pin before; None where there was none. Of a file: the one left.
        Of a move: where the session lay.
    :param after: the same after; None for what lies nowhere any more, or nobody knows where.
    :param target_id: the entry whose label changed, or on which the leaf was put (None: before all entries);
        of a new file its leaf.
    :param agent: the agent whose session it is.
    :param session_id: the session that changed, or that the new file was made of ("" where of none).
    :param after_id: the id of the session in a new file.
    :param note: what the user should know of it, "" for nothing.
    :param prompt: the text of the message that the user named, where the leaf went to its parent: it is to be
        edited and sent again. "" for a message of images alone, None for every other change.
    :param draft: the text that was left for the agent's editor with it, "" where none was written.
    :param draft_folder: the folder that the draft lies in was made for it.
    :param moves: of a move, where each thing was and where it is now ("": nowhere, or nobody knows): first
        the session's file, then its folder of artifacts.
    """

    kind: Literal["entry", "label", "name", "leaf", "file", "trash", "restore", "delete", "pin"]
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

    @property
    def is_nothing(self) -> bool:
        """Whether all was so before, and nothing was written or moved."""
        if self.entry_id or self.moves or self.draft or self.kind == "file":
            return False
        return self.before == self.after


_listener: ContextVar[Callable[[Change], object] | None] = ContextVar("listener", default=None)


@contextmanager
def announced_to(listener: Callable[[Change], object]) -> Iterator[None]:
    """Within this, `listener` gets each change of this thread directly before its first byte is written.

    A change that is tried again, because another process wrote first, is announced again. If a process is
    killed, the files show whether the last one that was announced happened.
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
