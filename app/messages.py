"""What the background tells the screen. Facts, in the past tense; every one that answers a request carries
the request's generation, so that a late answer is dropped.
"""

from __future__ import annotations

from textual.message import Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.actions.resume import Plan
    from app.index.row import Row
    from app.sessions.tree import Node
    from app.view.entry_document import DocumentLine
    from app.view.session_list import SessionList
    from app.view.tree_view import TreeView


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
    """Rows that are new or changed and paths that are gone; ``done`` of ``total`` files are read."""

    def __init__(self, changed: Sequence[Row], removed: Sequence[str], done: int, total: int) -> None:
        self.changed = changed
        self.removed = removed
        self.done = done
        self.total = total
        super().__init__()


class SearchFound(Message):
    """The paths of the sessions that match `query` so far; all of them when `done`.

    words     what is to be marked, folded
    notes     what there is to say about the search; raw
    refused   why the query cannot be run, "" when it can; then nothing was looked for. Raw
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
    ) -> None:
        self.query = query
        self.paths = paths
        self.words = words
        self.done = done
        self.notes = notes
        self.refused = refused
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
    """Entries were appended to the session whose tree is shown."""

    def __init__(self, generation: int, nodes: list[Node], leaf: Node | None) -> None:
        self.generation = generation
        self.nodes = nodes
        self.leaf = leaf
        super().__init__()


class TreeFailed(Message):
    """A session could not be read."""

    def __init__(self, generation: int, path: str, reason: str) -> None:
        self.generation = generation
        self.path = path
        self.reason = reason
        super().__init__()


class EntryRead(Message):
    """Lines of an entry; ``more`` when they come after those of the same generation that came before."""

    def __init__(self, generation: int, lines: list[DocumentLine], more: bool) -> None:
        self.generation = generation
        self.lines = lines
        self.more = more
        super().__init__()


class PlanMade(Message):
    """How a session would be resumed, and who has it open now (empty: nobody who is known)."""

    def __init__(self, generation: int, path: str, plan: Plan, holder: str) -> None:
        self.generation = generation
        self.path = path
        self.plan = plan
        self.holder = holder
        super().__init__()
