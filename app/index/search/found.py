"""What a search gives: pages of hits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from app.index.query.query import Note
    from app.index.row import Row

Where = Literal["text", "name", "label", "folder", "id", "row"]


@dataclass(slots=True)
class Hit:
    """One place where a session matches; of a query without terms, the session itself (`where` is "row").

    where      what matched: a text of an entry, or what the catalog knows of the session
    kind       who says the text (`formats.kinds`); 0 for what is no text
    offset     where the entry's line begins in the file; -1 for what is no text, or not looked up
    entry_id   None where the file has no ids, or what matched is no entry
    role       the message's role as pi spells it ("user", "toolResult"), else the entry's type; "name" or
               "label" where one of those matched
    snippet    one inert line around the match; `ranges` are (start, end) in it, in characters
    timestamp  of the entry, in milliseconds since the epoch UTC
    score      the higher, the more relevant
    near       it was found by another spelling of a word that is nowhere
    """

    row: Row
    where: Where
    kind: int = 0
    offset: int = -1
    entry_id: str | None = None
    role: str = ""
    snippet: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
    timestamp: int | None = None
    score: float = 0.0
    near: bool = False

    @property
    def path(self) -> str:
        """Of the session's file."""
        return self.row.path


@dataclass(slots=True)
class Page:
    """The next hits, in the order that was asked for, and how far the search is.

    total      sessions that match so far; exact when `done`
    searched   sessions looked into, of `of`
    notes      what there is to say: near spellings that were used, files that could not be read
    """

    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    searched: int = 0
    of: int = 0
    done: bool = False
    notes: tuple[Note, ...] = ()
