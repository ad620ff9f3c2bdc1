"""The tree of the session under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message

from app.view.line import fit_line
from app.view.tree_filter import MODES, shows
from app.view.tree_row import render_tree_row
from app.widgets.bindings import bindings_of
from app.widgets.line_list import LineList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.binding import BindingType

    from app.sessions.tree import Node
    from app.view.line import Line
    from app.view.tree_view import TreeRow, TreeView

# screens on either side of the one that is shown, of which the text of the rows is read too
AHEAD = 4


class EntryTree(LineList):
    """Entries as a tree, with a cursor that stays on its entry, or on the leaf while it follows."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("tree")]

    class EntryAsked(Message):
        """The user wants to read the entry under the cursor."""

    class FilterChanged(Message):
        """Another filter is on."""

    class RowsWanted(Message):
        """The rows of these entries are on the screen or near it and not read; the first are wanted first."""

        def __init__(self, nodes: list[Node]) -> None:
            self.nodes = nodes
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: TreeView | None = None
        self.mode = MODES[0]
        self.message = ""
        # the entry that the cursor belongs on, which a filter may hide, and the one that was last told of
        self._entry: Node | None = None
        self._told: Node | None = None
        self._leaf_row: int | None = None
        # somebody was asked for the text of rows
        self._asked = False

    # what is shown

    @property
    def node(self) -> Node | None:
        """The entry under the cursor."""
        return self.view.node(self.cursor) if self.view else None

    @property
    def row(self) -> TreeRow | None:
        """The row under the cursor."""
        return self.view.row(self.cursor) if self.view is not None and self.view.count else None

    @property
    def follows(self) -> bool:
        """Whether the cursor is on the leaf, and so goes along with it."""
        return self._leaf_row is not None and self.cursor == self._leaf_row

    def show_tree(self, view: TreeView) -> None:
        """Show a tree that was just opened, the cursor on its leaf."""
        self._take(view)
        self._entry = view.leaf
        self._rows_changed(follow=True)

    def _take(self, view: TreeView) -> None:
        self.view, self.message = view, ""
        self._asked = False

    def show_message(self, message: str) -> None:
        """Show a sentence in place of a tree."""
        self.view, self.message, self._leaf_row = None, message, None
        self._entry = self._told = None
        self.set_rows(1 if message else 0, 0)
        self.post_message(self.Moved(self))

    def replace_tree(self, view: TreeView, entry_id: str | None, follow: bool) -> None:
        """Show the same session, read anew; the cursor stays on the entry with this id, or follows the
        leaf.
        """
        self._take(view)
        self._entry = view.tree.by_id.get(entry_id) if entry_id is not None else None
        self._rows_changed(follow=follow or self._entry is None)

    def complete_tree(self, view: TreeView) -> None:
        """Show the whole of a session of which the end is shown; the cursor stays on its entry and line."""
        told, follow = self._told, self.follows or self.node is None
        self._take(view)
        if self._entry is not None and self._entry.id is not None:
            self._entry = view.tree.by_id.get(self._entry.id)
        same = view.tree.by_id.get(told.id) if told is not None and told.id is not None else None
        if told is not None and same is not None and same.offset == told.offset:
            # it is the entry that was told of: nobody has to read it again
            self._told = same
        self._rows_changed(follow=follow, keep=not follow, keep_offset=True)

    def extend(self, nodes: list[Node], leaf: Node | None) -> None:
        """Show entries that were appended to the file."""
        if self.view is None:
            return
        follow = self.follows
        self.view.extend(nodes, leaf)
        self._rows_changed(follow=follow)

    def _rows_changed(self, *, follow: bool, keep: bool = False, keep_offset: bool = False) -> None:
        """:param keep: the entry that the cursor belongs on stays the same, whether it is shown or not.
        :param keep_offset: the cursor stays on its line of the screen.
        """
        view = self.view
        if view is None:
            return
        self._leaf_row = view.leaf_row()
        place = self._leaf_row if follow else view.index_of(self._entry)
        if place is None:
            place = view.count - 1
        self.message = "" if view.count else _nothing(view)
        self.set_rows(view.count or 1, place, keep_offset=keep_offset)
        if not keep:
            self._entry = self.node
        if self.node is not self._told:
            self._told = self.node
            self.post_message(self.Moved(self))

    def move_to(self, index: int) -> None:
        super().move_to(index)
        self._entry = self._told = self.node

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if self.view is None or self.message:
            return fit_line([(" " + self.message, "dim")], cells)
        row = self.view.row(index)
        self._look_ahead(self.view, index, row.node)
        return render_tree_row(
            row,
            cells,
            selected=selected,
            active=row.node.index in self.view.active,
            leaf=index == self._leaf_row,
        )

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
        mode = next((mode for mode in (self.mode, MODES[0]) if shows(mode, node, view.leaf)), "all")
        if mode != self.mode:
            self.set_mode(mode)
        self._entry = node
        view.unfold_to(node)
        self._rows_changed(follow=False)
        return node

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

    def action_cycle_filter(self, step: int) -> None:
        self.set_mode(MODES[(MODES.index(self.mode) + step) % len(MODES)])

    # folds

    def action_toggle_fold(self) -> None:
        row = self.row
        if row is None:
            return
        if row.foldable:
            self._fold(row.node, not row.folded)

    def _fold(self, node: Node, folded: bool) -> None:
        if self.view is not None:
            self.view.fold(node, folded)
            self._rows_changed(follow=False)

    def action_open_or_enter(self) -> None:
        row = self.row
        if row is None:
            return
        if row.folded:
            self._fold(row.node, False)
        else:
            self.move_to(self.cursor + 1)

    def action_close_or_climb(self) -> None:
        row = self.row
        if row is None:
            return
        if row.foldable and not row.folded:
            self._fold(row.node, True)
        else:
            self._climb()

    def _climb(self) -> None:
        assert self.view is not None
        stretch = self.view.stretch_at(self.cursor)
        if self.cursor > stretch.start:
            self.move_to(stretch.start)
        elif stretch.parent is not None:
            self.move_to(stretch.parent.start + stretch.parent.rows - 1)

    def action_unfold_or_end(self) -> None:
        row = self.row
        if row is None or self.view is None:
            return
        if row.folded:
            self._fold(row.node, False)
            return
        stretch = self.view.stretch_at(self.cursor)
        end = stretch.start + stretch.rows - 1
        self.move_to(end if self.cursor < end else self.cursor + 1)

    def action_close_all(self) -> None:
        if self.view is not None:
            self.view.fold_others()
            self._rows_changed(follow=False)

    def action_open_all(self) -> None:
        if self.view is not None:
            self.view.unfold_all()
            self._rows_changed(follow=False)

    # other moves

    def action_show_entry(self) -> None:
        if self.node is not None:
            self.post_message(self.EntryAsked())

    def action_go_leaf(self) -> None:
        if self._leaf_row is not None:
            self.move_to(self._leaf_row)

    def action_previous_turn(self) -> None:
        self._to_turn(-1)

    def action_next_turn(self) -> None:
        self._to_turn(1)

    def _to_turn(self, step: int) -> None:
        if self.view is None:
            return
        at = self.cursor + step
        while (node := self.view.node(at)) is not None:
            if node.role == "user" and node.type == "message":
                self.move_to(at)
                return
            at += step


def _nothing(view: TreeView) -> str:
    """What a tree without a row says."""
    if not view.tree.entries:
        return "no entries yet"
    return f"no entry passes the filter “{view.mode}”; Ctrl+A shows all"
