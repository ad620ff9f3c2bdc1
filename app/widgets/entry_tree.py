"""The tree of the session under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.geometry import Region
from textual.message import Message

from app.view.ages import clock
from app.view.line import fit_line
from app.view.tree_damage import SHOWN_IN, DamagedLine, render_damaged_row
from app.view.tree_faults import is_root
from app.view.tree_filter import MODES, chosen, shows
from app.view.tree_row import ASCII, UNICODE, render_tree_row
from app.widgets.bindings import bindings_of
from app.widgets.tree_keys import TreeKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from app.formats.header import Fault
    from app.sessions.tree import Node
    from app.view.line import Line
    from app.view.tree_search import TreeHits
    from app.view.tree_view import TreeView

# screens on either side of the one that is shown, of which the text of the rows is read too
AHEAD = 4


class EntryTree(TreeKeys):
    """Entries as a tree, with a cursor that stays on its entry, or on the leaf while it follows."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("tree")]

    class EntryAsked(Message):
        """The user wants to read the entry under the cursor."""

    class FilterChanged(Message):
        """Another filter is on, or the times of labels are shown or no longer."""

    class RowsWanted(Message):
        """The rows of these entries are on the screen or near it and not read; the first are wanted first."""

        def __init__(self, nodes: list[Node]) -> None:
            self.nodes = nodes
            super().__init__()

    def __init__(
        self, *, now_ms: Callable[[], int] = lambda: 0, ascii_only: bool = False, id: str | None = None
    ) -> None:
        """:param now_ms: milliseconds since the epoch, beside which label times are told.
        :param ascii_only: draw with plain characters.
        """
        super().__init__(id=id)
        self.view: TreeView | None = None
        self.hits: TreeHits | None = None
        self.mode = MODES[0]
        self.message = ""
        self.label_times = False
        # entries that came since the cursor was on the leaf
        self.came = 0
        self._now_ms = now_ms
        self._glyphs = ASCII if ascii_only else UNICODE
        # what the cursor belongs on, which a filter may hide, and what was last told of
        self._entry: Node | DamagedLine | None = None
        self._told: Node | DamagedLine | None = None
        self._leaf_row: int | None = None
        # somebody was asked for the text of rows
        self._asked = False

    # what is shown

    @property
    def follows(self) -> bool:
        """Whether the cursor is on the leaf, and so goes along with it."""
        return self._leaf_row is not None and self.cursor == self._leaf_row

    def show_tree(self, view: TreeView) -> None:
        """Show a tree that was just opened, the cursor on its leaf."""
        self._take(view)
        self._entry = view.leaf
        self.came = 0
        self._rows_changed(follow=True)

    def _take(self, view: TreeView) -> None:
        self.view, self.message = view, ""
        self._asked = False

    def show_message(self, message: str) -> None:
        """Show a sentence in place of a tree."""
        self.view, self.message, self._leaf_row = None, message, None
        self.came = 0
        self._entry = self._told = None
        self.set_rows(1 if message else 0, 0)
        self.post_message(self.Moved(self))

    def replace_tree(self, view: TreeView, entry_id: str | None, follow: bool) -> None:
        """Show the same session, read anew; the cursor stays on the entry with this id, or follows the
        leaf. On a line that is no entry it stays as long as that is there.
        """
        damaged = self.damaged
        self._take(view)
        if damaged is not None and view.index_of_damaged(damaged) is not None:
            self._entry = damaged
            self._rows_changed(follow=False)
            return
        self._entry = view.tree.by_id.get(entry_id) if entry_id is not None else None
        self._rows_changed(follow=follow or self._entry is None)

    def complete_tree(self, view: TreeView) -> None:
        """Show the whole of a session of which the end is shown; the cursor stays on its entry and line."""
        entry, told, follow = self._entry, self._told, self.follows or self.node is None
        self._take(view)
        # of a session of which the end is shown, the cursor is on entries only
        if entry is not None and not isinstance(entry, DamagedLine) and entry.id is not None:
            self._entry = view.tree.by_id.get(entry.id)
        if told is not None and not isinstance(told, DamagedLine) and told.id is not None:
            same = view.tree.by_id.get(told.id)
            if same is not None and same.offset == told.offset:
                # it is the entry that was told of: nobody has to read it again
                self._told = same
        self._rows_changed(follow=follow, keep=not follow, keep_offset=True)

    def extend(
        self, nodes: list[Node], leaf: Node | None, faults: Sequence[Fault] = (), torn: Fault | None = None
    ) -> None:
        """Show what was appended to the file, see `TreeView.extend`."""
        if self.view is None:
            return
        follow = self.follows
        self.view.extend(nodes, leaf, faults, torn)
        if not follow:
            self.came += len(chosen(self.mode, nodes, leaf))
        self._rows_changed(follow=follow)

    def _rows_changed(self, *, follow: bool, keep: bool = False, keep_offset: bool = False) -> None:
        """:param keep: what the cursor belongs on stays the same, whether it is shown or not.
        :param keep_offset: the cursor stays on its line of the screen.
        """
        view = self.view
        if view is None:
            return
        self._leaf_row = view.leaf_row()
        place = self._leaf_row if follow else self._place(view)
        if place is None:
            place = view.count - 1
        if place == self._leaf_row:
            self.came = 0
        self.message = "" if view.rows else _nothing(view)
        self.set_rows(view.rows or 1, place, keep_offset=keep_offset)
        if not keep:
            self._entry = self.spot
        if self.spot != self._told:
            self._told = self.spot
            self.post_message(self.Moved(self))

    @property
    def spot(self) -> Node | DamagedLine | None:
        """What the cursor is on: an entry, or a line that is none."""
        return self.node or self.damaged

    def _place(self, view: TreeView) -> int | None:
        entry = self._entry
        return view.index_of_damaged(entry) if isinstance(entry, DamagedLine) else view.index_of(entry)

    def folds_changed(self) -> None:
        self._rows_changed(follow=False)

    def move_to(self, index: int) -> None:
        super().move_to(index)
        self._entry = self._told = self.spot
        if self.follows:
            self.came = 0

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if self.view is None or self.message:
            return fit_line([(" " + self.message, "dim")], cells)
        damaged = self.view.damaged(index)
        if damaged is not None:
            return render_damaged_row(damaged, cells, selected=selected, glyphs=self._glyphs)
        row = self.view.row(index)
        self._look_ahead(self.view, index, row.node)
        return render_tree_row(
            row,
            cells,
            selected=selected,
            active=row.node.index in self.view.active,
            leaf=index == self._leaf_row,
            glyphs=self._glyphs,
            words=self.hits.words if self.hits is not None else (),
            hit=self.hits is not None and self.hits.has(row.node),
            label_time=self._label_time(self.view, row.node),
            another_root=is_root(row.node) and row.node is not self.view.first_root,
        )

    def _label_time(self, view: TreeView, node: Node) -> str:
        given = view.tree.label_time(node) if self.label_times else None
        return "" if given is None else clock(given, self._now_ms())

    def row_region(self, node: Node) -> Region | None:
        """Where the row of an entry is on the screen; None when it is not in sight."""
        index = self.view.index_of(node) if self.view is not None else None
        inside = self.scrollable_content_region
        if index is None or self.view is None or self.view.node(index) is not node:
            return None
        y = index - self.scroll_offset.y
        return Region(inside.x, inside.y + y, inside.width, 1) if 0 <= y < inside.height else None

    def _look_ahead(self, view: TreeView, index: int, node: Node) -> None:
        """Ask for the text of rows a screen before they come into sight."""
        if self._asked:
            return
        page = max(1, self.size.height)
        near = (node, view.node(index - page), view.node(index + page))
        if any(one is not None and one.said is None for one in near):
            self._asked = True
            self.call_later(self._ask, index)

    def _ask(self, index: int) -> None:
        view = self.view
        if view is None:
            return
        page = max(1, self.size.height)
        middle = min(self.scroll_offset.y + page // 2, view.count - 1)
        # The row that was drawn need not be near what is in sight; without it, it would be asked for again.
        nodes = (*view.nodes_around(middle, AHEAD * page), *view.nodes_around(index, page))
        wanted = list(dict.fromkeys(node for node in nodes if node.said is None))
        if wanted:
            self.post_message(self.RowsWanted(wanted))
        else:
            self.rows_read(more=False)

    def rows_read(self, *, more: bool) -> None:
        """The text of some rows is there now, and of more soon."""
        self._asked = more
        self._redraw_changed()

    @property
    def has_cursor(self) -> bool:
        return self.view is not None and not self.message

    def open_at(self, entry_id: str | None, offset: int) -> Node | None:
        """Put the cursor on an entry: unfold what hides it, and leave a filter that does.

        :param offset: where its line begins in the file; -1 where only its id is known.
        :return: the entry; None where it is not among those that are there.
        """
        view = self.view
        node = view.tree.find(entry_id, offset) if view is not None else None
        if view is None or node is None:
            return None
        self._show(node)
        return node

    def _show(self, node: Node) -> None:
        view = self.view
        if view is None:
            return
        mode = next((mode for mode in (self.mode, MODES[0]) if shows(mode, node, view.leaf)), "all")
        if mode != self.mode:
            self.set_mode(mode)
        self._entry = node
        view.unfold_to(node)
        self._rows_changed(follow=False)

    def show_damaged(self, line: DamagedLine) -> bool:
        """Put the cursor on a line that is no entry, and leave a filter that hides it. False where it is not
        there any more.
        """
        view = self.view
        if view is None or view.damage.find(line) is None:
            return False
        if self.mode not in SHOWN_IN:
            self.set_mode(MODES[0])
        self._entry = line
        self._rows_changed(follow=False)
        return True

    # what is searched for

    def search_for(self, hits: TreeHits | None) -> None:
        """Mark these entries; None ends the search. Folds are dropped when another one begins, as in pi."""
        self.hits = hits
        if self.view is not None and hits is not None and self.view.folded:
            self.view.unfold_all()
            self.folds_changed()
        self._redraw_changed()

    def found_more(self, origin: Node | None) -> None:
        """More entries were found: mark them, and put the cursor on the first behind ``origin``; where
        ``origin`` is None it stays.
        """
        if self.view is not None and self.hits is not None and origin is not None:
            node = self.hits.first(self.view, origin)
            if node is not None:
                self.go_to(node)
        self._redraw_changed()

    # filters

    def set_mode(self, mode: str) -> None:
        """Another filter; the cursor goes to the nearest shown ancestor and comes back with the entry."""
        self.mode = mode
        if self.view is not None and self.view.mode != mode:
            self.view.set_mode(mode)
            self._rows_changed(follow=False, keep=True)
        self.post_message(self.FilterChanged())

    def action_set_filter(self, mode: str) -> None:
        self.set_mode(MODES[0] if mode == self.mode else mode)

    def action_toggle_label_times(self) -> None:
        self.label_times = not self.label_times
        self.redraw_rows()
        self.post_message(self.FilterChanged())

    def action_cycle_filter(self, step: int) -> None:
        self.set_mode(MODES[(MODES.index(self.mode) + step) % len(MODES)])

    # other moves

    def action_show_entry(self) -> None:
        if self.spot is not None:
            self.post_message(self.EntryAsked())

    def action_go_leaf(self) -> None:
        if self._leaf_row is not None:
            self.move_to(self._leaf_row)


def _nothing(view: TreeView) -> str:
    """What a tree without a row says."""
    if not view.tree.entries and not view.damage:
        return "no entries yet"
    return f"no entry passes the filter “{view.mode}”; Ctrl+A shows all"
