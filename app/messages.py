"""Messages that the services post to the screen.

They are facts, in the past tense. A message that answers a request has the generation of the request, so that
a late answer can be dropped. "Raw" text has not been made inert.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from app.sessions.tree.entry_ref import EntryRef

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.actions.branch_options import BranchOptions
    from app.actions.compare import Comparison
    from app.actions.history import HistoryStep
    from app.actions.resume import Plan
    from app.actions.undo_steps import JournalAction
    from app.export.to_file import Exported
    from app.formats.entry_parts import Part as EntryPart
    from app.formats.header import Fault
    from app.index.row import Row
    from app.index.search.results import Hit
    from app.index.statistics import Statistics
    from app.sessions.manager.change import Change
    from app.sessions.tree.labelled import LabelledEntry
    from app.sessions.tree.node import Node
    from app.stores.live import Verdict
    from app.stores.tags import Taggings
    from app.view.branch_table import BranchTable
    from app.view.document_line import DocumentLine
    from app.view.entry_details import EntryFacts
    from app.view.hit_line import HitExcerpt
    from app.view.image_lines import Drawing
    from app.view.list_model import ListModel
    from app.view.notifications import ActionProgress
    from app.view.places import PlaceRow
    from app.view.project_overview import ProjectOverview
    from app.view.transcript_block import Block, Part
    from app.view.transcript_outline import Hits, Outline
    from app.view.tree_view import TreeView


# The list of sessions.


class ScreenReady(Message):
    """The browser's panes are mounted and the session list has the focus."""


@dataclass(eq=False, repr=False)
class CatalogLoaded(Message):
    """The catalog was read.

    model    the list of its sessions, ready to be shown
    places   (agents, folder, state) of each store
    cold     the catalog had no sessions at launch
    """

    model: ListModel
    places: Sequence[tuple[str, str, str]]
    cold: bool


@dataclass(eq=False, repr=False)
class SessionsChanged(Message):
    """Sessions were added, changed or removed on disk.

    changed       the rows of new and changed sessions
    removed       the paths of sessions that do not exist any more
    done, total   numbers of files: those read so far, and all that are to be read
    looked        the requested rescan of every store is complete
    unread        numbers of files and of folders that cannot be read
    """

    changed: Sequence[Row]
    removed: Sequence[str]
    done: int
    total: int
    _: KW_ONLY
    looked: bool = False
    unread: tuple[int, int] = (0, 0)


@dataclass(eq=False, repr=False)
class PlacesFound(Message):
    """The present state of the stores, as in `CatalogLoaded.places`."""

    places: Sequence[tuple[str, str, str]]


@dataclass(eq=False, repr=False)
class PinsRead(Message):
    """The sessions that are pinned, (agent, id), and the tags and notes of all sessions were read."""

    pins: frozenset[tuple[str, str]]
    taggings: Taggings


@dataclass(eq=False, repr=False)
class JournalRead(Message):
    """The journal was read: whether something can be undone, and whether something can be redone."""

    can_undo: bool
    can_redo: bool


@dataclass(eq=False, repr=False)
class WorkingFoldersFound(Message):
    """Working folders of sessions that are the current folder under another path."""

    folders: Sequence[str]


@dataclass(eq=False, repr=False)
class MissingFound(Message):
    """Folders and agents are missing that resuming needs.

    folders   working folders of sessions that are gone
    agents    names of agents that are not installed
    """

    folders: frozenset[str]
    agents: frozenset[str]


@dataclass(eq=False, repr=False)
class SubagentsRead(Message):
    """The rows of the sub-agents' sessions, read from the ends of their files only."""

    rows: Sequence[Row]


@dataclass(eq=False, repr=False)
class ListStateNotSaved(Message):
    """The state of the list could not be saved for the next run; `reason` is the system's error message."""

    reason: str


@dataclass(eq=False, repr=False)
class CacheNotSaved(Message):
    """Some of what was read could not be written to the cache.

    reason   one line; "" once everything is written again
    """

    reason: str


@dataclass(eq=False, repr=False)
class IndexRenewed(Message):
    """The index was damaged, or of another version: it is made anew.

    reason   one line
    """

    reason: str


@dataclass(eq=False, repr=False)
class ServiceFailed(Message):
    """A service failed with an unexpected error; the application shows it."""

    reason: str


@dataclass(eq=False, repr=False)
class IndexFailed(Message):
    """The index thread ended with an error: the list is not kept current any more."""

    reason: str


@dataclass(eq=False, repr=False)
class StatesFound(Message):
    """The sessions that agents may have open.

    states    ``live`` or ``maybe``, by path
    reasons   the evidence for each state, by path
    """

    states: Mapping[str, str]
    reasons: Mapping[str, str]


# The session under the cursor: its tree, its branches, an entry.


@dataclass(eq=False, repr=False)
class TreeOpened(Message):
    """A session's tree was read, or only the end of a long one: then the whole tree follows.

    again   the same session was read anew because its file changed or moved
    """

    generation: int
    view: TreeView
    again: bool


@dataclass(eq=False, repr=False)
class RowsRead(Message):
    """The texts of some rows of the tree were read.

    more   further rows of the same generation follow
    """

    generation: int
    more: bool


@dataclass(eq=False, repr=False)
class TreeGrew(Message):
    """Lines were appended to the session whose tree is shown.

    nodes    the new entries
    leaf     the leaf of the whole tree
    faults   the new lines that are no entries
    torn     the unfinished last line of the file
    """

    generation: int
    nodes: list[Node]
    leaf: Node | None
    faults: Sequence[Fault] = ()
    torn: Fault | None = None


@dataclass(eq=False, repr=False)
class TreeFailed(Message):
    """A session could not be read."""

    generation: int
    reason: str


@dataclass(eq=False, repr=False)
class BranchesRead(Message):
    """The branches of the tree were added up, and its problems counted.

    faults   the number of problems
    """

    generation: int
    table: BranchTable
    faults: int


@dataclass(eq=False, repr=False)
class EntryRead(Message):
    """Lines of an entry were read.

    more    they continue the lines of the previous message of the same generation
    parts   the parts of the whole entry, in the first message; empty in the others
    facts   the details in the rule, in the first message; None if it is no entry
    """

    generation: int
    lines: list[DocumentLine]
    more: bool
    parts: Sequence[EntryPart] = ()
    facts: EntryFacts | None = None


@dataclass(eq=False, repr=False)
class ImageDecoded(Message):
    """An image of the entry can be drawn now, or has a problem. It follows the last ``EntryRead``."""

    generation: int
    drawing: Drawing


# Search, in all sessions and in the entries of one session.


@dataclass(eq=False, repr=False)
class SearchFound(Message):
    """A page of the results of `query`, with all results so far.

    paths          the sessions that match
    words          the texts to highlight, folded
    done           the results are complete
    notes          remarks about the search, without those of the next two; raw
    unknown        words that look like filters and are none (`index.query.grammar.unknown_filters`); raw
    instead        term that nothing matches -> the other spellings that were searched for; raw
    refused        why the query is invalid, raw; "" if it is valid
    faults         (position, length) in the query of each note, or of the invalid part
    hits           the best hit of each session, by path; call `Hit.look_up` in a thread
    order          the paths in the order of the search
    everywhere     tool calls and output were searched as well
    leaves_tools   they were not searched but can be (`index.query.grammar.leaves_tools`)
    deleted        those of the sessions whose files are gone
    """

    query: str
    paths: frozenset[str]
    words: Sequence[str]
    _: KW_ONLY
    done: bool
    notes: Sequence[str] = ()
    unknown: Sequence[str] = ()
    instead: Mapping[str, Sequence[str]] = field(default_factory=dict)
    refused: str = ""
    faults: Sequence[tuple[int, int]] = ()
    hits: Mapping[str, Hit] = field(default_factory=dict)
    order: Sequence[str] = ()
    everywhere: bool = False
    leaves_tools: bool = False
    deleted: Sequence[Row] = ()


@dataclass(eq=False, repr=False)
class ExcerptsFound(Message):
    """The reasons why sessions are hits: path -> excerpt."""

    excerpts: Mapping[str, HitExcerpt]


@dataclass(eq=False, repr=False)
class HitsCounted(Message):
    """The numbers of hits in the sessions that a search found.

    query   the query
    counts  the number by the path of the session; there may be more if they are not `exact`
    """

    query: str
    counts: Mapping[str, int]
    _: KW_ONLY
    exact: bool


class ValuesCollected(Message):
    """The values that sessions have are known for completions."""


@dataclass(eq=False, repr=False)
class HitLocated(Message):
    """The entry of a session's hit was found.

    entry_id   the id of the entry; None if it has none, or if no entry matched
    offset     the offset of the entry's line in the file; -1 if no text of an entry matched
    words      the texts to highlight in the session, folded
    where      for example "branch 2 of 3, not on the active path", or a prompt that the session itself does
               not have; "" if the session has one branch, or if the branch is not known
    again      an earlier message had the same hit without `where`
    snippet    one inert line around the hit; ``ranges``: the (start, end) of the matches in it
    tools      the search covers tool calls and their output
    """

    path: str
    query: str
    entry_id: str | None
    offset: int
    words: Sequence[str]
    where: str
    _: KW_ONLY
    again: bool = False
    snippet: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
    tools: bool = True

    @property
    def entry(self) -> EntryRef | None:
        """The entry; None if none matched, so that the cursor can go nowhere."""
        return EntryRef(self.entry_id, self.offset) if self.is_entry else None

    @property
    def is_entry(self) -> bool:
        """Whether an entry matched."""
        return self.offset >= 0 or self.entry_id is not None


@dataclass(eq=False, repr=False)
class EntriesFound(Message):
    """A search in the tree found more entries.

    done     the search has ended
    reason   why it ended before the last entry, raw; "" if it did not
    """

    generation: int
    nodes: Sequence[Node]
    _: KW_ONLY
    done: bool
    reason: str = ""


# A transcript.


@dataclass(eq=False, repr=False)
class TranscriptRead(Message):
    """A part of a session's transcript was read."""

    generation: int
    part: Part


@dataclass(eq=False, repr=False)
class BlockRead(Message):
    """A block of a transcript was read whole, with its texts.

    entry    the entry with the block; `index` is the number of the block in its turn
    wanted   "lines", "text" or "code"
    block    None if it could not be read; `reason` says why
    """

    generation: int
    entry: EntryRef
    index: int
    wanted: str
    block: Block | None
    reason: str = ""


@dataclass(eq=False, repr=False)
class OutlineRead(Message):
    """The prompts and branches of a transcript were read."""

    generation: int
    path: str
    outline: Outline


@dataclass(eq=False, repr=False)
class TranscriptHits(Message):
    """A search in a session has ended."""

    generation: int
    path: str
    hits: Hits


@dataclass(eq=False, repr=False)
class TranscriptFailed(Message):
    """A session's transcript could not be read."""

    generation: int
    reason: str


# Actions on sessions and entries, and resuming a session.


class Outcome(NamedTuple):
    """The result of an action on one session.

    row      the session; None if it is not in the list
    change   None if the action failed
    error    why it failed
    undone   for an undo or a redo: the change to be undone, or the undone one
    title    the raw title of a session that is not in the list; "" if it is unknown
    """

    row: Row | None
    change: Change | None
    error: Exception | None = None
    undone: Change | None = None
    title: str = ""


@dataclass(eq=False, repr=False)
class ActionsDone(Message):
    """An action has ended.

    what       the name of the action, as it was requested; "undo" for an undo, "redo" for a redo
    outcomes   one for each session; empty if there was nothing to undo or redo
    notes      remarks for the user; raw
    of         the number of sessions of an action that was stopped before its end; else 0
    """

    what: str
    outcomes: Sequence[Outcome]
    notes: Sequence[str]
    _: KW_ONLY
    of: int = 0


@dataclass(eq=False, repr=False)
class ActionsProgressed(Message):
    """An action on several sessions has made progress; None: it has ended."""

    progress: ActionProgress | None


@dataclass(eq=False, repr=False)
class ExportDone(Message):
    """Sessions were exported.

    exported   one for each session that was
    failed     the others, each with the reason; raw
    title      the raw title of the first session that was exported; "" for none
    of         the number of sessions of an export that was stopped before its end; else 0
    """

    exported: Sequence[Exported]
    failed: Sequence[tuple[Row, str]]
    _: KW_ONLY
    title: str = ""
    of: int = 0


@dataclass(eq=False, repr=False)
class EarlierFound(Message):
    """No action of this run can be undone, or redone; `earlier` is the last one of an earlier run.

    is_redo   it was undone, and can be redone
    """

    earlier: JournalAction
    _: KW_ONLY
    is_redo: bool = False


@dataclass(eq=False, repr=False)
class PlanMade(Message):
    """The plan to resume the session at `path` was made; or, with "", the plan to start one in a project.

    in_use   how sure it is that a running agent has the session open; None if none has
    """

    generation: int
    path: str
    plan: Plan
    in_use: Verdict | None = None


@dataclass(eq=False, repr=False)
class PlanReady(Message):
    """The requested session can be started or resumed.

    note   a problem to show first, raw; "" for none
    """

    plan: Plan
    note: str = ""


@dataclass(eq=False, repr=False)
class PointsFound(Message):
    """The options for continuing from an entry of the session of `row` were found.

    question   None if they could not be found
    reason     the error, raw; "" for none
    """

    row: Row
    question: BranchOptions | None
    reason: str


@dataclass(eq=False, repr=False)
class OutlineMade(Message):
    """The abandoned branch was outlined, as a draft of its summary."""

    text: str


@dataclass(eq=False, repr=False)
class DraftLeft(Message):
    """A text was left as a draft for an agent's editor, unless `reason` says why it was not; raw."""

    reason: str


@dataclass(eq=False, repr=False)
class SummaryMade(Message):
    """The user's summary command has ended.

    text     the summary
    reason   why there is none, raw; "" if there is one
    """

    text: str
    reason: str


@dataclass(eq=False, repr=False)
class BranchesCompared(Message):
    """The active path was compared with another branch.

    reason       why they could not be compared, raw; "" if they were
    comparison   both since their last common entry; None if they could not be compared
    at, of       the index of the other branch among those beside the active one, from 0, and their number
    number       its number among all branches, as the tree counts them
    """

    row: Row
    reason: str
    comparison: Comparison | None = None
    at: int = 0
    of: int = 0
    number: int = 0


# The history, the trash and the archives.


@dataclass(eq=False, repr=False)
class HistoryRead(Message):
    """The journal was read: what can be redone, and what was done; the newest first."""

    steps: Sequence[HistoryStep]


@dataclass(eq=False, repr=False)
class LabelledRead(Message):
    """The labelled entries of a session were read, by their ids."""

    path: str
    entries: Mapping[str, LabelledEntry]


@dataclass(eq=False, repr=False)
class ProjectRead(Message):
    """The overview of the project under the cursor was made; it comes again with the times of the labels."""

    generation: int
    overview: ProjectOverview


@dataclass(eq=False, repr=False)
class PlaceRead(Message):
    """The sessions in the trash, or in the agents' archives, were read; the last that came there is first."""

    rows: Sequence[PlaceRow]


@dataclass(eq=False, repr=False)
class LyingSessionRead(Message):
    """The two ends of a session in the trash were read; None if it cannot be read."""

    row: Row | None


@dataclass(eq=False, repr=False)
class StatisticsProgressed(Message):
    """Sessions are being read for statistics: `done` of `total`."""

    done: int
    total: int


@dataclass(eq=False, repr=False)
class StatisticsMade(Message):
    """The figures of all sessions by one kind of group.

    group_by   the kind
    found      the figures
    days       day, as `date.toordinal` counts -> what a heat map shows
    unit       of these amounts
    sort       by which the groups are sorted; None for the usual order
    """

    group_by: str
    found: Statistics
    days: Mapping[int, float]
    unit: str
    sort: str | None
