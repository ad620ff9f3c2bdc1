"""Messages that the services post to the screen.

They are facts, in the past tense. A message that answers a request has the generation of the request, so that
a late answer can be dropped. "Raw" text has not been made inert.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

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
    from app.sessions.tree.entry_ref import EntryRef
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


class CatalogLoaded(Message):
    """The catalog was read.

    model    the list of its sessions, ready to be shown
    places   (agents, folder, state) of each store
    cold     the catalog had no sessions at launch
    """

    def __init__(self, model: ListModel, places: Sequence[tuple[str, str, str]], cold: bool) -> None:
        self.model = model
        self.places = places
        self.cold = cold
        super().__init__()


class SessionsChanged(Message):
    """Sessions were added, changed or removed on disk.

    changed       the rows of new and changed sessions
    removed       the paths of sessions that do not exist any more
    done, total   numbers of files: those read so far, and all that are to be read
    looked        the requested rescan of every store is complete
    unread        numbers of files and of folders that cannot be read
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
    """The present state of the stores, as in `CatalogLoaded.places`."""

    def __init__(self, places: Sequence[tuple[str, str, str]]) -> None:
        self.places = places
        super().__init__()


class TagsRead(Message):
    """The tags and notes of all sessions were read."""

    def __init__(self, taggings: Taggings) -> None:
        self.taggings = taggings
        super().__init__()


class PinsRead(Message):
    """The sessions that are pinned: (agent, id)."""

    def __init__(self, pins: frozenset[tuple[str, str]]) -> None:
        self.pins = pins
        super().__init__()


class WorkingFoldersFound(Message):
    """Working folders of sessions that are the current folder under another path."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = folders
        super().__init__()


class MissingFound(Message):
    """Folders and agents are missing that resuming needs.

    folders   working folders of sessions that are gone
    agents    names of agents that are not installed
    """

    def __init__(self, folders: frozenset[str], agents: frozenset[str]) -> None:
        self.folders = folders
        self.agents = agents
        super().__init__()


class SubagentsRead(Message):
    """The rows of the sub-agents' sessions, read from the ends of their files only."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        super().__init__()


class ListStateNotSaved(Message):
    """The state of the list could not be saved for the next run; `reason` is the system's error message."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class CacheNotSaved(Message):
    """Some of what was read could not be written to the cache.

    reason   one line; "" once everything is written again
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class ServiceFailed(Message):
    """A service failed with an unexpected error; the application shows it."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class IndexFailed(Message):
    """The index thread ended with an error: the list is not kept current any more."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class StatesFound(Message):
    """The sessions that agents may have open.

    states    ``live`` or ``maybe``, by path
    reasons   the evidence for each state, by path
    """

    def __init__(self, states: Mapping[str, str], reasons: Mapping[str, str]) -> None:
        self.states = states
        self.reasons = reasons
        super().__init__()


# The session under the cursor: its tree, its branches, an entry.


class TreeOpened(Message):
    """A session's tree was read, or only the end of a long one: then the whole tree follows.

    again   the same session was read anew because its file changed or moved
    """

    def __init__(self, generation: int, path: str, view: TreeView, again: bool) -> None:
        self.generation = generation
        self.path = path
        self.view = view
        self.again = again
        super().__init__()


class RowsRead(Message):
    """The texts of some rows of the tree were read.

    more   further rows of the same generation follow
    """

    def __init__(self, generation: int, more: bool) -> None:
        self.generation = generation
        self.more = more
        super().__init__()


class TreeGrew(Message):
    """Lines were appended to the session whose tree is shown.

    nodes    the new entries
    leaf     the leaf of the whole tree
    faults   the new lines that are no entries
    torn     the unfinished last line of the file
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
    """The branches of the tree were added up, and its problems counted.

    faults   the number of problems
    """

    def __init__(self, generation: int, table: BranchTable, faults: int) -> None:
        self.generation = generation
        self.table = table
        self.faults = faults
        super().__init__()


class EntryRead(Message):
    """Lines of an entry were read.

    more    they continue the lines of the previous message of the same generation
    parts   the parts of the whole entry, in the first message; empty in the others
    facts   the details in the rule, in the first message; None if it is no entry
    """

    def __init__(
        self,
        generation: int,
        lines: list[DocumentLine],
        more: bool,
        parts: Sequence[EntryPart] = (),
        facts: EntryFacts | None = None,
    ) -> None:
        self.generation = generation
        self.lines = lines
        self.more = more
        self.parts = parts
        self.facts = facts
        super().__init__()


class ImageDecoded(Message):
    """An image of the entry can be drawn now, or has a problem. It follows the last ``EntryRead``."""

    def __init__(self, generation: int, drawing: Drawing) -> None:
        self.generation = generation
        self.drawing = drawing
        super().__init__()


# Search, in all sessions and in the entries of one session.


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
    """

    def __init__(
        self,
        query: str,
        paths: frozenset[str],
        words: Sequence[str],
        *,
        done: bool,
        notes: Sequence[str] = (),
        unknown: Sequence[str] = (),
        instead: Mapping[str, Sequence[str]] | None = None,
        refused: str = "",
        faults: Sequence[tuple[int, int]] = (),
        hits: Mapping[str, Hit] | None = None,
        order: Sequence[str] = (),
        everywhere: bool = False,
        leaves_tools: bool = False,
    ) -> None:
        self.query = query
        self.paths = paths
        self.words = words
        self.done = done
        self.notes = notes
        self.unknown = unknown
        self.instead = {} if instead is None else instead
        self.refused = refused
        self.faults = faults
        self.hits = {} if hits is None else hits
        self.order = order
        self.everywhere = everywhere
        self.leaves_tools = leaves_tools
        super().__init__()


class ExcerptsFound(Message):
    """The reasons why sessions are hits: path -> excerpt."""

    def __init__(self, excerpts: Mapping[str, HitExcerpt]) -> None:
        self.excerpts = excerpts
        super().__init__()


class HitsCounted(Message):
    """The numbers of hits in the sessions that a search found.

    query   the query
    counts  the number by the path of the session; there may be more if they are not `exact`
    """

    def __init__(self, query: str, counts: Mapping[str, int], *, exact: bool) -> None:
        self.query = query
        self.counts = counts
        self.exact = exact
        super().__init__()


class ValuesCollected(Message):
    """The values that sessions have are known for completions."""


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
        snippet: str = "",
        ranges: tuple[tuple[int, int], ...] = (),
        tools: bool = True,
    ) -> None:
        self.path = path
        self.query = query
        self.snippet = snippet
        self.ranges = ranges
        self.entry_id = entry_id
        self.offset = offset
        self.words = words
        self.where = where
        self.again = again
        self.tools = tools
        super().__init__()

    @property
    def is_entry(self) -> bool:
        """Whether an entry matched, so that the cursor can go to it."""
        return self.offset >= 0 or self.entry_id is not None


class EntriesFound(Message):
    """A search in the tree found more entries.

    done     the search has ended
    reason   why it ended before the last entry, raw; "" if it did not
    """

    def __init__(self, generation: int, nodes: Sequence[Node], *, done: bool, reason: str = "") -> None:
        self.generation = generation
        self.nodes = nodes
        self.done = done
        self.reason = reason
        super().__init__()


# A transcript.


class TranscriptRead(Message):
    """A part of a session's transcript was read."""

    def __init__(self, generation: int, part: Part) -> None:
        self.generation = generation
        self.part = part
        super().__init__()


class BlockRead(Message):
    """A block of a transcript was read whole, with its texts.

    entry    the entry with the block; `index` is the number of the block in its turn
    wanted   "lines", "text" or "code"
    block    None if it could not be read; `reason` says why
    """

    def __init__(
        self,
        generation: int,
        entry: EntryRef,
        index: int,
        wanted: str,
        block: Block | None,
        reason: str = "",
    ) -> None:
        self.generation = generation
        self.entry = entry
        self.index = index
        self.wanted = wanted
        self.block = block
        self.reason = reason
        super().__init__()


class OutlineRead(Message):
    """The prompts and branches of a transcript were read."""

    def __init__(self, generation: int, path: str, outline: Outline) -> None:
        self.generation = generation
        self.path = path
        self.outline = outline
        super().__init__()


class TranscriptHits(Message):
    """A search in a session has ended."""

    def __init__(self, generation: int, path: str, hits: Hits) -> None:
        self.generation = generation
        self.path = path
        self.hits = hits
        super().__init__()


class TranscriptFailed(Message):
    """A session's transcript could not be read."""

    def __init__(self, generation: int, reason: str) -> None:
        self.generation = generation
        self.reason = reason
        super().__init__()


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


class ActionsDone(Message):
    """An action has ended.

    what       the name of the action, as it was requested; "undo" for an undo, "redo" for a redo
    outcomes   one for each session; empty if there was nothing to undo or redo
    notes      remarks for the user; raw
    of         the number of sessions of an action that was stopped before its end; else 0
    """

    def __init__(self, what: str, outcomes: Sequence[Outcome], notes: Sequence[str], *, of: int = 0) -> None:
        self.what = what
        self.outcomes = outcomes
        self.notes = notes
        self.of = of
        super().__init__()


class ActionsProgressed(Message):
    """An action on several sessions has made progress; None: it has ended."""

    def __init__(self, progress: ActionProgress | None) -> None:
        self.progress = progress
        super().__init__()


class ExportDone(Message):
    """Sessions were exported.

    exported   one for each session that was
    failed     the others, each with the reason; raw
    of         the number of sessions of an export that was stopped before its end; else 0
    """

    def __init__(
        self, exported: Sequence[Exported], failed: Sequence[tuple[Row, str]], *, of: int = 0
    ) -> None:
        self.exported = exported
        self.failed = failed
        self.of = of
        super().__init__()


class TranscriptMade(Message):
    """The text of a transcript was made for another program.

    generation   of the request
    kind         the program: "pager" or "editor"
    text         Markdown; inert for a pager
    reason       why there is no text, raw; "" if there is one
    """

    def __init__(self, generation: int, kind: str, text: str, reason: str) -> None:
        self.generation = generation
        self.kind = kind
        self.text = text
        self.reason = reason
        super().__init__()


class EarlierFound(Message):
    """No action of this run can be undone, or redone; `earlier` is the last one of an earlier run.

    is_redo   it was undone, and can be redone
    """

    def __init__(self, earlier: JournalAction, *, is_redo: bool = False) -> None:
        self.earlier = earlier
        self.is_redo = is_redo
        super().__init__()


class PlanMade(Message):
    """The plan to resume the session at `path` was made; or, with "", the plan to start one in a project.

    in_use   how sure it is that a running agent has the session open; None if none has
    """

    def __init__(self, generation: int, path: str, plan: Plan, in_use: Verdict | None = None) -> None:
        self.generation = generation
        self.path = path
        self.plan = plan
        self.in_use = in_use
        super().__init__()


class PlanReady(Message):
    """The requested session can be started or resumed.

    note   a problem to show first, raw; "" for none
    """

    def __init__(self, plan: Plan, note: str = "") -> None:
        self.plan = plan
        self.note = note
        super().__init__()


class PointsFound(Message):
    """The options for continuing from an entry of the session of `row` were found.

    question   None if they could not be found
    reason     the error, raw; "" for none
    """

    def __init__(self, row: Row, question: BranchOptions | None, reason: str) -> None:
        self.row = row
        self.question = question
        self.reason = reason
        super().__init__()


class OutlineMade(Message):
    """The abandoned branch was outlined, as a draft of its summary."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class DraftLeft(Message):
    """A text was left as a draft for an agent's editor, unless `reason` says why it was not; raw."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class SummaryMade(Message):
    """The user's summary command has ended.

    text     the summary
    reason   why there is none, raw; "" if there is one
    """

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        self.reason = reason
        super().__init__()


class BranchesCompared(Message):
    """The active path was compared with another branch.

    comparison   both since their last common entry; None if they could not be compared
    at, of       the index of the other branch, from 0, and the number of branches
    reason       why they could not be compared, raw; "" if they were
    """

    def __init__(self, row: Row, comparison: Comparison | None, at: int, of: int, reason: str) -> None:
        self.row = row
        self.comparison = comparison
        self.at = at
        self.of = of
        self.reason = reason
        super().__init__()


# The history, the trash and the archives.


class HistoryRead(Message):
    """The journal was read: what can be redone, and what was done; the newest first."""

    def __init__(self, steps: Sequence[HistoryStep]) -> None:
        self.steps = steps
        super().__init__()


class LabelledRead(Message):
    """The labelled entries of a session were read.

    entries   id -> its text, its role or type, and its time in milliseconds since the epoch or None
    """

    def __init__(self, path: str, entries: Mapping[str, tuple[str, str, int | None]]) -> None:
        self.path = path
        self.entries = entries
        super().__init__()


class ProjectRead(Message):
    """The overview of the project under the cursor was made; it comes again with the times of the labels."""

    def __init__(self, generation: int, overview: ProjectOverview) -> None:
        self.generation = generation
        self.overview = overview
        super().__init__()


class PlaceRead(Message):
    """The sessions in the trash, or in the agents' archives, were read; the last that came there is first."""

    def __init__(self, rows: Sequence[PlaceRow]) -> None:
        self.rows = rows
        super().__init__()


class LyingSessionRead(Message):
    """The two ends of a session in the trash were read; None if it cannot be read."""

    def __init__(self, row: Row | None) -> None:
        self.row = row
        super().__init__()


class StatisticsProgressed(Message):
    """Sessions are being read for statistics: `done` of `total`."""

    def __init__(self, done: int, total: int) -> None:
        self.done = done
        self.total = total
        super().__init__()


class StatisticsMade(Message):
    """The figures of all sessions by one kind of group.

    group_by   the kind
    found      the figures
    days       day, as `date.toordinal` counts -> what a heat map shows
    """

    def __init__(self, group_by: str, found: Statistics, days: Mapping[int, float]) -> None:
        self.group_by = group_by
        self.found = found
        self.days = days
        super().__init__()
