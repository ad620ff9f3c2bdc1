"""Messages that the services post to the screen.

They are facts, in the past tense. A message that answers a request has the generation of the request,
so that a late answer can be dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.actions.branch_options import BranchOptions
    from app.actions.compare import Comparison
    from app.actions.resume import Plan
    from app.actions.undo import JournalAction
    from app.formats.entry_parts import Part as EntryPart
    from app.formats.header import Fault
    from app.index.row import Row
    from app.index.search.results import Hit
    from app.sessions.manager.change import Change
    from app.sessions.tree.node import Node
    from app.stores.archive import Archived
    from app.view.branch_table import BranchTable
    from app.view.document_line import DocumentLine
    from app.view.image_lines import Drawing
    from app.view.notifications import ActionProgress
    from app.view.session_list import SessionList
    from app.view.transcript import Part
    from app.view.tree_view import TreeView


# The sessions: which there are, and what is known of them.


class ScreenReady(Message):
    """The browser's panes are there and the session list has the keys."""


class CatalogLoaded(Message):
    """Every session that is known so far, as a list that is ready to be shown, and the places that are
    searched: (agents, folder, state). ``cold``: the catalog knew none at launch.
    """

    def __init__(self, model: SessionList, places: Sequence[tuple[str, str, str]], cold: bool) -> None:
        self.model = model
        self.places = places
        self.cold = cold
        super().__init__()


class SessionsChanged(Message):
    """Rows that are new or changed and paths that are gone; ``done`` of ``total`` files are read. ``looked``:
    every store has been looked at again, as was asked for. ``unread``: so many files and so many folders
    cannot be read, and nobody knows what is in them.
    """

    def __init__(
        self,
        changed: Sequence[Row],
        removed: Sequence[str],
        done: int,
        total: int,
        *,
        looked: bool = False,
        unread: tuple[int, int] = (0, 0),
    ) -> None:
        self.changed = changed
        self.removed = removed
        self.done = done
        self.total = total
        self.looked = looked
        self.unread = unread
        super().__init__()


class PlacesFound(Message):
    """The places that are searched, as `CatalogLoaded` has them, as they are now."""

    def __init__(self, places: Sequence[tuple[str, str, str]]) -> None:
        self.places = places
        super().__init__()


class PinsRead(Message):
    """The sessions that are pinned: (agent, id)."""

    def __init__(self, pins: frozenset[tuple[str, str]]) -> None:
        self.pins = pins
        super().__init__()


class WorkingFoldersFound(Message):
    """Working folders of sessions that are this folder, spelled otherwise."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = folders
        super().__init__()


class SubagentsRead(Message):
    """The sessions of sub-agents, as far as their ends tell."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        super().__init__()


class ListStateNotSaved(Message):
    """How the list is shown could not be written down; `reason` is the system's word for why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class CacheNotSaved(Message):
    """Not all that was read is kept on disk; `reason` is one line that says why, "" when all is again."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class ServiceFailed(Message):
    """Something in the background ended with an error that concerns no pane."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class IndexFailed(Message):
    """Following the stores ended with an error."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class StatesFound(Message):
    """Which sessions are live (path -> ``live`` or ``maybe``), and who holds them."""

    def __init__(self, states: Mapping[str, str], reasons: Mapping[str, str]) -> None:
        self.states = states
        self.reasons = reasons
        super().__init__()


# The session under the cursor: its tree, its branches, an entry.


class TreeOpened(Message):
    """A session's tree was read, or the end of a long one: then the whole follows. ``again`` is true when the
    same session was read anew because it changed.
    """

    def __init__(self, generation: int, path: str, view: TreeView, again: bool) -> None:
        self.generation = generation
        self.path = path
        self.view = view
        self.again = again
        super().__init__()


class RowsRead(Message):
    """What some rows of the tree say was read; ``more`` when others of the same generation follow."""

    def __init__(self, generation: int, more: bool) -> None:
        self.generation = generation
        self.more = more
        super().__init__()


class TreeGrew(Message):
    """Entries were appended to the session whose tree is shown, or lines that are none (`faults`); `torn` is
    its unfinished last line.
    """

    def __init__(
        self,
        generation: int,
        nodes: list[Node],
        leaf: Node | None,
        faults: Sequence[Fault] = (),
        torn: Fault | None = None,
    ) -> None:
        self.generation = generation
        self.nodes = nodes
        self.leaf = leaf
        self.faults = faults
        self.torn = torn
        super().__init__()


class TreeFailed(Message):
    """A session could not be read."""

    def __init__(self, generation: int, path: str, reason: str) -> None:
        self.generation = generation
        self.path = path
        self.reason = reason
        super().__init__()


class BranchesRead(Message):
    """What the branches of the tree come to, and how many ``faults`` there are in it."""

    def __init__(self, generation: int, table: BranchTable, faults: int) -> None:
        self.generation = generation
        self.table = table
        self.faults = faults
        super().__init__()


class EntryRead(Message):
    """Lines of an entry; ``more`` when they come after those of the same generation that came before.
    ``parts`` are what the lines are made of, with the first of them.
    """

    def __init__(
        self, generation: int, lines: list[DocumentLine], more: bool, parts: Sequence[EntryPart] = ()
    ) -> None:
        self.generation = generation
        self.lines = lines
        self.more = more
        self.parts = parts
        super().__init__()


class ImageDecoded(Message):
    """An image of the entry whose lines came before can be drawn now, or has a problem."""

    def __init__(self, generation: int, drawing: Drawing) -> None:
        self.generation = generation
        self.drawing = drawing
        super().__init__()


# A search: in all sessions, and in the entries of one.


class SearchFound(Message):
    """The paths of the sessions that match `query` so far; all of them when `done`.

    words     what is to be marked, folded
    notes     what there is to say about the search; raw
    refused   why the query cannot be run, "" when it can; then nothing was looked for. Raw
    faults    what of the query this and the notes are about: where it begins, and how long it is
    hits      the best hit of each of the sessions, by path; what it says is to be looked up in a thread
    order     the paths in the search's own order
    everywhere   what tools were asked and gave back was looked through as well
    leaves_tools   it was not, and can be (`index.query.grammar`)
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


class HitLocated(Message):
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


# A transcript.


class TranscriptRead(Message):
    """A part of a session's transcript was read; every request is answered with at least one of these."""

    def __init__(self, generation: int, part: Part) -> None:
        self.generation = generation
        self.part = part
        super().__init__()


class TranscriptFailed(Message):
    """A session's transcript could not be read."""

    def __init__(self, generation: int, reason: str) -> None:
        self.generation = generation
        self.reason = reason
        super().__init__()


# Actions on sessions and entries, and the way into a session.


class Outcome(NamedTuple):
    """What became of one session (None: of what is none yet). `change` is None where `error` says why nothing
    was done. `undone` is the change that was, or was to be, undone.
    """

    row: Row | None
    change: Change | None
    error: Exception | None = None
    undone: Change | None = None


class ActionsDone(Message):
    """What became of the sessions that something was done to.

    what       as it was asked for; "undo" for what was taken back, without outcomes when there was nothing
    notes      what the user should know besides; raw
    of         to so many it was to be done, where it was stopped before its end; else 0
    """

    def __init__(self, what: str, outcomes: Sequence[Outcome], notes: Sequence[str], *, of: int = 0) -> None:
        self.what = what
        self.outcomes = outcomes
        self.notes = notes
        self.of = of
        super().__init__()


class ActionsProgressed(Message):
    """Something that is done to many sessions has come further; None: it has ended."""

    def __init__(self, course: ActionProgress | None) -> None:
        self.course = course
        super().__init__()


class EarlierFound(Message):
    """Nothing is left of what was done in this run that could be taken back; this was done last before."""

    def __init__(self, earlier: JournalAction) -> None:
        self.earlier = earlier
        super().__init__()


class PlanMade(Message):
    """How a session would be resumed."""

    def __init__(self, generation: int, path: str, plan: Plan) -> None:
        self.generation = generation
        self.path = path
        self.plan = plan
        super().__init__()


class PlanReady(Message):
    """What a user has asked for can be gone to: a session that was just made, or a new one. `note` is what to
    know first; raw.
    """

    def __init__(self, plan: Plan, note: str = "") -> None:
        self.plan = plan
        self.note = note
        super().__init__()


class PointsFound(Message):
    """What can be done at an entry of the session of `row`; `reason` where nothing can, raw."""

    def __init__(self, row: Row, question: BranchOptions | None, reason: str) -> None:
        self.row = row
        self.question = question
        self.reason = reason
        super().__init__()


class OutlineMade(Message):
    """What is left behind, to write a summary from."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class DraftLeft(Message):
    """A text was left for an agent's editor; ``reason`` says why it was not."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class SummaryMade(Message):
    """What the user's command has written; `reason` where it has not, raw."""

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        self.reason = reason
        super().__init__()


class BranchesCompared(Message):
    """Two branches since their common entry; the other one is number `at` of `of`. `reason` where there are
    not two, raw.
    """

    def __init__(self, row: Row, comparison: Comparison | None, at: int, of: int, reason: str) -> None:
        self.row = row
        self.comparison = comparison
        self.at = at
        self.of = of
        self.reason = reason
        super().__init__()


# The archives.


class ArchiveRead(Message):
    """What is in the archives, newest first."""

    def __init__(self, archived: Sequence[Archived]) -> None:
        self.archived = archived
        super().__init__()
