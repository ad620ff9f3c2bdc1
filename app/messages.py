"""Messages that the services post to the screen: what streams, and what several places hear. A request with
one answer is awaited instead (`app.services.background`).

They are facts, in the past tense. A message that belongs to a request has the generation of the request, so
that a late one can be dropped. "Raw" text has not been made inert.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.actions.outcome import Outcome
    from app.formats.entry_parts import Part as EntryPart
    from app.formats.header import Fault
    from app.index.row import Row
    from app.index.search.results import Hit
    from app.sessions.tree.node import Node
    from app.view.document_line import DocumentLine
    from app.view.entry_details import EntryFacts
    from app.view.image_lines import Drawing
    from app.view.list_model import ListModel
    from app.view.notifications import ActionProgress
    from app.view.tree_view import TreeView


# The list of sessions.


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


class TouchedFilesRead(Message):
    """The files that sessions touched are known, or have changed: queries for them have other answers."""


@dataclass(eq=False, repr=False)
class CacheNotSaved(Message):
    """Some of what was read could not be written to the cache.

    reason   one line; "" once everything is written again
    """

    reason: str


@dataclass(eq=False, repr=False)
class IndexRenewed(Message):
    """The index was damaged, or of another version, and is made anew; or sessions may be deleted by their
    agent, or could not be kept.

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


# The session under the cursor: its tree, its branches, an entry.


@dataclass(eq=False, repr=False)
class TreeOpened(Message):
    """A session's tree was read, or only the end of a long one: then the whole tree follows.

    view     None if the session could not be read
    again    the same session was read anew because its file changed or moved
    reason   why it could not be read, raw
    """

    generation: int
    view: TreeView | None
    again: bool = False
    reason: str = ""


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
    sort           the order that the query names (`sort:`); "" for none
    provisional    the order may still change
    loosened       no session has all words: these have some
    deleted        those of the sessions whose files are gone
    hidden         the query asks for sub-agents or empty sessions
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
    sort: str = ""
    provisional: bool = False
    loosened: bool = False
    deleted: Sequence[Row] = ()
    hidden: bool = False


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


# Actions on sessions and entries, and resuming a session.


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
