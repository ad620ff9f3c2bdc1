"""A request for the transcript of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.tree.entry_ref import EntryRef


class Request(NamedTuple):
    """A transcript to read.

    path, agents   the session
    cells          the width of a line
    rows           lines to read on each side of the entry that the reading begins with
    hit, words     the entry with a hit, and the words of the query, folded
    entries        the number of entries of a session without branches; None if it is not known
    now_ms         milliseconds since the epoch, for the times of today
    through        another entry that the path leads through; None if `hit` says which path
    """

    path: str
    agents: tuple[str, ...]
    cells: int
    rows: int
    hit: EntryRef | None = None
    words: Sequence[str] = ()
    entries: int | None = None
    now_ms: int = 0
    through: EntryRef | None = None
