"""What the background tells of a search: in all sessions, and in the entries of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.index.search.results import Hit
    from app.sessions.tree.tree import Node


class SearchFound(Message):
    """The paths of the sessions that match `query` so far; all of them when `done`.

    words     what is to be marked, folded
    notes     what there is to say about the search; raw
    refused   why the query cannot be run, "" when it can; then nothing was looked for. Raw
    faults    what of the query this and the notes are about: where it begins, and how long it is
    hits      the best hit of each of the sessions, by path; what it says is to be looked up in a thread
    order     the paths in the search's own order
    everywhere   what tools were asked and gave back was looked through as well
    leaves_tools   it was not, and can be (`index.query.wider`)
    took_ms   since the search began
    """

    def __init__(
        self,
        query: str,
        paths: frozenset[str],
        words: Sequence[str],
        *,
        done: bool,
        notes: Sequence[str] = (),
        refused: str = "",
        faults: Sequence[tuple[int, int]] = (),
        hits: Mapping[str, Hit] | None = None,
        order: Sequence[str] = (),
        everywhere: bool = False,
        leaves_tools: bool = False,
        took_ms: int = 0,
    ) -> None:
        self.query = query
        self.paths = paths
        self.words = words
        self.done = done
        self.notes = notes
        self.refused = refused
        self.faults = faults
        self.hits = {} if hits is None else hits
        self.order = order
        self.everywhere = everywhere
        self.leaves_tools = leaves_tools
        self.took_ms = took_ms
        super().__init__()


class HitPlaced(Message):
    """Where the hit of a session is, for the query that was asked.

    entry_id   of its entry; None where that has none or what matched is no entry
    offset     where the entry's line begins in the file; -1 where what matched is no text of an entry
    words      what is to be marked in the session, folded
    where      for example "branch 2 of 3, not on the active path"; "" where there is one branch alone, or
               nobody can say
    again      the same was told before; now it is known `where` it is
    """

    def __init__(
        self,
        path: str,
        query: str,
        entry_id: str | None,
        offset: int,
        words: Sequence[str],
        where: str,
        *,
        again: bool = False,
    ) -> None:
        self.path = path
        self.query = query
        self.entry_id = entry_id
        self.offset = offset
        self.words = words
        self.where = where
        self.again = again
        super().__init__()

    @property
    def is_entry(self) -> bool:
        """Whether what was found is an entry of the session, which can be gone to."""
        return self.offset >= 0 or self.entry_id is not None


class EntriesFound(Message):
    """More entries of the tree that have all the words; ``done`` when every entry was looked at. ``reason``
    is why not all could be, raw.
    """

    def __init__(self, generation: int, nodes: Sequence[Node], *, done: bool, reason: str = "") -> None:
        self.generation = generation
        self.nodes = nodes
        self.done = done
        self.reason = reason
        super().__init__()
