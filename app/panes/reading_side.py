"""The right side of the browser: the tree of one session over the entry under the tree's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.events import DescendantFocus

from app.panes.entry_side import EntrySide, Place
from app.panes.tree_side import TreeSide
from app.widgets.entry_pane import EntryPane
from app.widgets.line_list import CursorDebounce, LineList

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

    from app.index.row import Row
    from app.messages import HitLocated
    from app.sessions.tree.node import Node
    from app.setup import Setup


class ReadingSide(Vertical):
    """Shows the session that it is told to, follows it, and goes to what was found in it.

    entry_tree   the tree
    """

    # all of it is covered
    BLANK = True

    def __init__(
        self,
        setup: Setup,
        *,
        ascii_only: bool = False,
        images: str = "",
        id: str,
    ) -> None:
        """:param ascii_only: draw with ASCII characters.
        :param images: how images are drawn (`image_method`).
        """
        super().__init__(id=id)
        self._row: Row | None = None
        self._opened = ""
        self._timer: Timer | None = None
        self._debounce = CursorDebounce()
        self._tree_side = TreeSide(
            now_ms=setup.now_ms,
            ascii_only=ascii_only,
            shown=self._tree_shown,
            searched=self._searched,
            id="tree-pane",
        )
        self._entry_side = EntrySide(setup, self._place, images=images, id="entry-pane")
        self.entry_tree = self._tree_side.entry_tree
        self._entry = self._entry_side.entry
        # the hit in the session that is shown; `_wanted` until the cursor is there
        self._hit: HitLocated | None = None
        self._wanted: HitLocated | None = None

    def compose(self) -> ComposeResult:
        yield self._tree_side
        yield self._entry_side

    @property
    def has_entry(self) -> bool:
        """Whether there is an entry under the tree's cursor."""
        return self.entry_tree.node is not None

    @property
    def has_text(self) -> bool:
        """Whether there is something to read under the tree's cursor: an entry, or a line that is none."""
        return self.entry_tree.spot is not None

    @property
    def knows_branches(self) -> bool:
        """Whether it is known what the branches of the tree that is shown come to."""
        return self._tree_side.knows_branches

    def tell_age(self) -> None:
        """The clock has moved on."""
        self._entry_side.tell_age()

    # which session

    def show(self, row: Row | None, *, again: bool = False) -> None:
        """Show a session, in a burst of them the one on which the cursor rests; None shows nothing.

        :param again: it is the one that was shown, at another place: the cursor stays on its entry.
        """
        if self._timer is not None:
            self._timer.stop()
        self._tree_side.remember_entry()
        if self._hit is not None and (row is None or self._hit.path != row.path):
            self.forget_hit()
        self._row = row
        if row is None:
            self._opened = ""
            self._tree_side.close()
        elif row.path != self._opened:
            wait = self._debounce.delay()
            if wait:
                self._timer = self.set_timer(wait, lambda: self._open(again))
            else:
                self._open(again)

    def _open(self, again: bool) -> None:
        row = self._row
        if row is not None:
            self._opened = row.path
            self._tree_side.open(row, again=again)

    async def follow(self, row: Row) -> None:
        """The file of a session changed: if it is the one that is shown, show what came, which is usually
        done at the end of this.
        """
        if row.path == self._opened:
            self._row = row
            await self._tree_side.follow(row)

    def retry(self) -> None:
        """Read the session again if it could not be read."""
        if self.entry_tree.view is None and self._row is not None:
            self._open(again=False)

    # the hit in the session

    def open_at(self, hit: HitLocated) -> None:
        """Put the tree's cursor on what was found in the session that is shown, as soon as its tree is
        there, and mark the words in its entry.
        """
        if self._row is None or hit.path != self._row.path:
            return
        if not hit.is_entry and not hit.words:
            self.forget_hit()
            return
        before, self._hit = self._hit, hit
        self._entry.mark(tuple(hit.words))
        is_known = before is not None and (before.entry_id, before.offset) == (hit.entry_id, hit.offset)
        if not (hit.again and is_known):
            self._wanted = hit if hit.is_entry else None
            self._go_to_hit()
        self._tree_side.say_where(hit.where)

    def forget_hit(self) -> None:
        """Nothing is looked for any more: nothing is marked, and the cursor stays where it is."""
        self._hit = self._wanted = None
        self._entry_side.seek_no_more()
        self._entry.mark(())
        self._tree_side.say_where("")

    def _go_to_hit(self) -> None:
        hit, view = self._wanted, self.entry_tree.view
        if hit is None or view is None or view.tree.path != hit.path:
            return
        node = self.entry_tree.open_at(hit.entry_id, hit.offset)
        if node is None:
            if view.tree.is_whole:
                self._wanted = None
            return
        self._wanted = None
        # If the cursor was there already, no message requests the entry.
        self._entry_moved()

    # the search in the tree

    @property
    def is_searching(self) -> bool:
        """Whether letters are typed into the line above the tree."""
        return self._tree_side.finding.has_keys

    def open_search(self) -> None:
        """Search the entries of the tree."""
        self._tree_side.finding.open()

    def drop_search(self) -> bool:
        """End the search in the tree. False where there is none."""
        return self._tree_side.drop_search()

    @on(DescendantFocus)
    def _prepare_search(self) -> None:
        """Who is in the tree, or beside it, may search in it next."""
        if self.has_focus_within:
            self._tree_side.finding.prepare()

    def _tree_shown(self) -> None:
        self._prepare_search()
        self._go_to_hit()

    def _searched(self) -> None:
        words = self._tree_side.finding.words
        self._entry.mark(words or (tuple(self._hit.words) if self._hit is not None else ()))
        self._tree_side.head()

    # the entry under the tree's cursor

    def _place(self) -> Place | None:
        spot, node, view, hits = (
            self.entry_tree.spot,
            self.entry_tree.node,
            self.entry_tree.view,
            self.entry_tree.hits,
        )
        if spot is None or view is None:
            return None
        if node is None:
            return Place(view.tree, spot, has_match=False)
        is_hit = self._hit is not None and _is_at(node, self._hit)
        return Place(view.tree, node, is_hit or (hits is not None and hits.has(node)))

    @on(LineList.Moved, "#tree")
    def _entry_moved(self) -> None:
        self._tree_side.head()
        self._entry_side.show_soon(runs=self.entry_tree.follows)

    @on(EntryPane.NeighbourAsked)
    def _neighbour_asked(self, event: EntryPane.NeighbourAsked) -> None:
        self.entry_tree.move_to(self.entry_tree.cursor + event.step)


def _is_at(node: Node, hit: HitLocated) -> bool:
    """Whether what was found is in this entry."""
    if hit.offset >= 0 and node.offset != hit.offset:
        return False
    return hit.is_entry and hit.entry_id in (None, node.id)
