"""The tree of the session under the cursor: its rows, folds, filter and hits, with a cursor that stays on its
entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from app.view import tree_navigation
from app.view.formatting import age, clock
from app.view.glyphs import ASCII, UNICODE
from app.view.line import fit_line
from app.view.problems import SHOWN_IN, DamagedLine
from app.view.tree_filter import TREE_FILTERS, filter_nodes, shows
from app.view.tree_row import render_damaged_row, render_tree_row
from app.view.tree_view import ANEW
from app.widgets.commands import bindings_of
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType
    from textual.geometry import Region

    from app.formats.header import Fault
    from app.sessions.tree.node import Node
    from app.view.hit_line import HitPlace
    from app.view.line import Line, Ranges
    from app.view.tree_layout import TreeRow
    from app.view.tree_navigation import TreeHits
    from app.view.tree_view import TreeView

PAGES_AHEAD = 4
"""Pages before and behind the page in view whose rows' text is read ahead."""


class EntryTree(LineList):
    """Entries as a tree, or a message in place of rows. The cursor stays on its entry, or follows the leaf.

    view         the rows; None while there is no tree
    message      the sentence in place of rows; "" for none
    hits         the result of a search in the tree; None without a search
    hit          the hit in this session of a search of all sessions; None without one
    tree_filter  the filter
    is_behind    the last message in the file is on another branch than the leaf (`Summary.is_behind`)
    came         the number of entries that were appended since the cursor left the leaf
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("tree")]

    @dataclass(eq=False, repr=False)
    class RowsWanted(Message):
        """The text of these entries' rows is to be read, in this order: the rows are in view or near."""

        nodes: list[Node]

    @dataclass(eq=False, repr=False)
    class HitAsked(Message):
        """The user wants the next hit (1) or the previous one (-1)."""

        step: int

    class FilterChanged(Message):
        """The filter has changed, or whether the times of labels are shown."""

    def __init__(
        self, *, now_ms: Callable[[], int] = lambda: 0, ascii_only: bool = False, id: str | None = None
    ) -> None:
        """:param now_ms: milliseconds since the epoch, for the times of labels.
        :param ascii_only: draw with ASCII characters.
        """
        super().__init__(id=id)
        self.view: TreeView | None = None
        self.hits: TreeHits | None = None
        self.hit: HitPlace | None = None
        self.message = ""
        self.label_times = False
        self.tree_filter = TREE_FILTERS[0]
        self.came = 0
        self._now_ms = now_ms
        self._glyphs = ASCII if ascii_only else UNICODE
        self.is_behind = False
        # the last message in the file if the leaf was left behind, and how much later it is
        self._newer: tuple[Node | None, str] = (None, "")
        # the row of the leaf
        self._leaf_row: int | None = None
        # `RowsWanted` was posted and is not answered yet
        self._rows_requested = False
        # the filter to return to, after another one had to be set for an entry that it hides
        self._left_filter: str | None = None
        # the filter before all entries were shown
        self._filter_before = TREE_FILTERS[0]
        # the leaf is before all entries, and the cursor goes to the first new one
        self._awaits_leaf = False
        # the entry of the cursor, which a filter may hide, and the one that was posted last
        self._entry: Node | DamagedLine | None = None
        self._posted: Node | DamagedLine | None = None

    @property
    def has_cursor(self) -> bool:
        return self.view is not None and not self.message

    @property
    def node(self) -> Node | None:
        """The entry under the cursor."""
        return self.view.node(self.cursor) if self.view else None

    @property
    def damaged(self) -> DamagedLine | None:
        """The damaged line under the cursor; None if the cursor is on an entry, or on nothing."""
        return self.view.damaged(self.cursor) if self.view else None

    @property
    def spot(self) -> Node | DamagedLine | None:
        """The entry or damaged line under the cursor."""
        return self.node or self.damaged

    @property
    def is_at_hit(self) -> bool:
        """Whether a search has a hit in the entry under the cursor."""
        node, hit = self.node, self.hit
        if node is None:
            return False
        if hit is not None and self._has_hit(hit, node):
            return True
        return self.hits is not None and self.hits.has(node)

    @property
    def row(self) -> TreeRow | None:
        """The row under the cursor, if it is an entry."""
        return self.view.row(self.cursor) if self.view is not None and self.node is not None else None

    @property
    def follows(self) -> bool:
        """Whether the cursor follows the leaf. It does so while it is on the leaf; if the leaf has no row,
        until the user moves the cursor.
        """
        return self._awaits_leaf if self._leaf_row is None else self.cursor == self._leaf_row

    @property
    def is_at_leaf(self) -> bool:
        """Whether the cursor is on the leaf itself, and not on the entry that stands for a hidden leaf."""
        return self.view is not None and self.node is not None and self.node is self.view.tree.leaf

    # drawing

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if self.view is None or self.message:
            return fit_line([(" " + self.message, "dim")], cells)
        damaged = self.view.damaged(index)
        if damaged is not None:
            return render_damaged_row(damaged, cells, selected=selected, glyphs=self._glyphs)
        row = self.view.row(index)
        is_prompt = row.node.role == "user"
        is_open = is_prompt and self.view.is_open_turn(index)
        turn = self.view.turn_of(row.node) if is_prompt and not is_open else None
        self._prefetch(self.view, index, row.node, turn.answer if turn is not None else None)
        return render_tree_row(
            row,
            cells,
            selected=selected,
            active=row.node.index in self.view.active,
            leaf=index == self._leaf_row,
            glyphs=self._glyphs,
            words=self._words_in(row.node),
            excerpt=self._excerpt_in(row.node),
            hit=self.hits is not None and self.hits.has(row.node),
            label_time=self._label_time(self.view, row.node),
            note=self._note_of(index, row.node),
            time=clock(row.node.timestamp) if is_prompt else "",
            turn=turn,
            open_turn=is_open,
        )

    def _note_of(self, index: int, node: Node) -> str:
        """The remark about a leaf that was left behind, and about the last message in the file."""
        last, later = self._newer
        if last is None or not (node is last or index == self._leaf_row):
            return ""
        which = "newer than the leaf" if node is last else "newer messages on another branch"
        return f"{which} ({later})" if later else which

    def _words_in(self, node: Node) -> Sequence[str]:
        """The words that the row of an entry highlights."""
        if self.hits is not None:
            return self.hits.words
        return self.hit.words if self.hit is not None and self._has_hit(self.hit, node) else ()

    def _excerpt_in(self, node: Node) -> tuple[str, Ranges] | None:
        """The text around the hit of a search of all sessions; None if the entry is not that hit."""
        hit = self.hit
        if hit is None or not hit.snippet or not self._has_hit(hit, node):
            return None
        return hit.snippet, hit.ranges

    @staticmethod
    def _has_hit(hit: HitPlace, node: Node) -> bool:
        return hit.is_entry and hit.offset in (-1, node.offset) and hit.entry_id in (None, node.id)

    def _label_time(self, view: TreeView, node: Node) -> str:
        time_ms = view.tree.label_time(node) if self.label_times else None
        return "" if time_ms is None else age(time_ms, self._now_ms())

    def update_ages(self) -> None:
        """Draw the ages of the labels anew, if they are shown."""
        if self.label_times:
            self.redraw_rows()

    def row_region(self, node: Node) -> Region | None:
        """The screen region of an entry's row; None if it is not in view."""
        return self.region_of(self._own_row(node))

    def edit_region(self, node: Node) -> Region | None:
        """The region in which the label of an entry is edited; None if it is not in view."""
        return self.edit_region_of(self._own_row(node))

    def _own_row(self, node: Node) -> int | None:
        """The row of an entry, and not of one that stands for it."""
        index = self.view.index_of(node) if self.view is not None else None
        return index if index is not None and self.view and self.view.node(index) is node else None

    @property
    def beginning(self) -> str:
        """The line above the rows if the leaf is before all of them; "" otherwise."""
        begins = self.view is not None and self.view.begins_anew and self._leaf_row is None
        return f"{self._glyphs.leaf}: {ANEW} here" if begins else ""

    # the text of rows, which is read in a thread

    def _prefetch(self, view: TreeView, index: int, node: Node, answer: Node | None) -> None:
        """Request the text of rows one page before they scroll into view."""
        if self._rows_requested:
            return
        page = max(1, self.size.height)
        nodes = (node, answer, view.node(index - page), view.node(index + page))
        if any(near is not None and near.row_text is None for near in nodes):
            self._rows_requested = True
            self.call_later(self._request_rows, index)

    def _request_rows(self, index: int) -> None:
        view = self.view
        if view is None:
            return
        page = max(1, self.size.height)
        middle = min(self.scroll_offset.y + page // 2, view.count - 1)
        # The row that was drawn may be far from the rows in view; without it, it would be requested again.
        near = view.with_answers([*view.nodes_around(middle, page), *view.nodes_around(index, page)])
        nodes = (*near, *view.nodes_around(middle, PAGES_AHEAD * page))
        unread = list(dict.fromkeys(node for node in nodes if node.row_text is None))
        if unread:
            self.post_message(self.RowsWanted(unread))
        else:
            self.rows_read(more=False)

    def rows_read(self, *, more: bool) -> None:
        """The text of some rows was read.

        :param more: other requested rows follow.
        """
        self._rows_requested = more
        self.redraw_rows()

    # the tree that is shown

    def show_tree(self, view: TreeView) -> None:
        """Show a tree that was just opened, with the cursor on its leaf."""
        self._set_view(view)
        self._entry = view.leaf
        self.came = 0
        self._rows_changed(follow=True)

    def _set_view(self, view: TreeView) -> None:
        before = self.view
        if before is not None and before.kept is not None and before.tree.path == view.tree.path:
            # The same session, read again, or read to its beginning.
            view.keep(view.tree.find(before.kept.id, before.kept.offset))
        self.view, self.message = view, ""
        self._rows_requested = False

    def show_message(self, message: str) -> None:
        """Show a sentence in place of a tree."""
        self.view, self.message, self._leaf_row = None, message, None
        self.came, self._awaits_leaf = 0, False
        self._entry = self._posted = None
        self.set_rows(1 if message else 0, 0)
        self.post_message(self.Moved(self))

    def replace_tree(self, view: TreeView, entry_id: str | None, follow: bool) -> None:
        """Show the same session, read again. A cursor on a damaged line stays there if the line still exists.

        :param entry_id: the entry for the cursor.
        :param follow: the cursor follows the leaf.
        """
        damaged = self.damaged
        self._set_view(view)
        if damaged is not None and view.index_of_damaged(damaged) is not None:
            self._entry = damaged
            self._rows_changed(follow=False)
            return
        node = view.tree.by_id.get(entry_id) if entry_id is not None else None
        self._entry = node
        if node is not None:
            view.unfold_to(node)
        self._rows_changed(follow=follow or node is None)

    def complete_tree(self, view: TreeView) -> None:
        """Show the whole of a session of which the end is shown; the cursor stays on its entry and line."""
        entry, posted, follow = self._entry, self._posted, self.follows or self.node is None
        self._set_view(view)
        # The end of a session has no damaged lines for the cursor.
        if entry is not None and not isinstance(entry, DamagedLine) and entry.id is not None:
            self._entry = node = view.tree.by_id.get(entry.id)
            if node is not None:
                view.unfold_to(node)
        if posted is not None and not isinstance(posted, DamagedLine) and posted.id is not None:
            same = view.tree.by_id.get(posted.id)
            if same is not None and same.offset == posted.offset:
                # It is the same entry, so it is not read again.
                self._posted = same
        self._rows_changed(follow=follow, keep=not follow, keep_offset=True)

    def extend(
        self, nodes: list[Node], leaf: Node | None, faults: Sequence[Fault] = (), torn: Fault | None = None
    ) -> None:
        """Show the entries that were appended to the file."""
        if self.view is None:
            return
        follow = self.follows
        self.view.extend(nodes, leaf, faults, torn)
        if not follow:
            self.came += len(filter_nodes(self.tree_filter, nodes, leaf))
        self._rows_changed(follow=follow)

    def _rows_changed(self, *, follow: bool, keep: bool = False, keep_offset: bool = False) -> None:
        """Show the view's new rows.

        :param follow: move the cursor to the leaf.
        :param keep: the cursor's entry stays the same, even if the filter hides it.
        :param keep_offset: the cursor stays on its line of the screen.
        """
        view = self.view
        if view is None:
            return
        self._leaf_row = view.leaf_row()
        self._newer = self._newer_row(view) if self.is_behind else (None, "")
        row = self._leaf_row if follow else self._entry_row(view)
        self._awaits_leaf = (follow or self._awaits_leaf) and self._leaf_row is None and view.begins_anew
        if row is None:
            row = 0 if self._awaits_leaf else view.count - 1
        if row == self._leaf_row:
            self.came = 0
        self.message = "" if view.rows else _empty_message(view)
        self.set_rows(view.rows or 1, row, keep_offset=keep_offset)
        if not keep:
            self._entry = self.spot
        if self.spot != self._posted:
            self._posted = self.spot
            self.post_message(self.Moved(self))

    @staticmethod
    def _newer_row(view: TreeView) -> tuple[Node | None, str]:
        """As `TreeView.newer`, with the prompt in place of an entry that a folded turn hides."""
        last, later = view.newer()
        row = view.index_of(last)
        node = view.node(row) if row is not None else None
        return (last if node is None or node.index in view.active else node), later

    def _entry_row(self, view: TreeView) -> int | None:
        entry = self._entry
        return view.index_of_damaged(entry) if isinstance(entry, DamagedLine) else view.index_of(entry)

    def folds_changed(self) -> None:
        """Show the rows after a fold has changed; the cursor stays on its entry, or on the row that hides
        it.
        """
        self._rows_changed(follow=False)

    # the cursor

    def move_to(self, index: int) -> None:
        super().move_to(index)
        self._awaits_leaf = False
        self._entry = self._posted = self.spot
        if self.follows:
            self.came = 0

    def go_to(self, node: Node) -> None:
        """Move the cursor to an entry that the filter shows, and unfold the rows that hide it."""
        if self.view is None:
            return
        if self.view.unfold_to(node):
            self.folds_changed()
        row = self.view.index_of(node)
        if row is not None:
            self.move_to(row)

    def open_at(self, entry_id: str | None, offset: int) -> Node | None:
        """Move the cursor to an entry; unfold the rows that hide it, and add its row if the filter hides it.

        :param offset: where its line begins in the file; -1 if only its id is known.
        :return: the entry; None if it is not in the tree.
        """
        view = self.view
        node = view.tree.find(entry_id, offset) if view is not None else None
        if view is None or node is None:
            return None
        self._show(node)
        return node

    def _show(self, node: Node) -> None:
        """Move the cursor to an entry that a fold or the filter may hide. The filter stays, and only the row
        of this entry is added.
        """
        view = self.view
        if view is None:
            return
        kept = view.kept
        view.keep(None if shows(self.tree_filter, node, view.leaf) else node)
        self._entry = node
        view.unfold_to(node)
        self._rows_changed(follow=False)
        if view.kept is not kept:
            self.post_message(self.FilterChanged())

    def show_damaged(self, line: DamagedLine) -> bool:
        """Move the cursor to a damaged line and leave a filter that hides it. False: the line is gone."""
        view = self.view
        if view is None or view.damage.find(line) is None:
            return False
        if self.tree_filter not in SHOWN_IN:
            self._leave_filter(TREE_FILTERS[0])
        self._entry = line
        self._rows_changed(follow=False)
        return True

    # search

    def search_for(self, hits: TreeHits | None) -> None:
        """Mark the hits of a search; None ends it. A new search unfolds the branches, as in pi; a turn is
        unfolded when the cursor goes to a hit in it.
        """
        self.hits = hits
        if self.view is not None and hits is not None and self.view.folded:
            self.view.unfold_branches()
            self.folds_changed()
        self.redraw_rows()

    def found_more(self, origin: Node | None) -> None:
        """Mark more hits.

        :param origin: the cursor moves to the first hit behind this entry; None leaves the cursor.
        """
        if self.view is not None and self.hits is not None and origin is not None:
            node = self.hits.first(self.view, origin)
            if node is not None:
                self.go_to(node)
        self.redraw_rows()

    def action_next_hit(self, step: int) -> None:
        self.post_message(self.HitAsked(step))

    # filters

    def set_filter(self, tree_filter: str) -> None:
        """Set the filter. The cursor goes to the nearest ancestor in the list, and returns with its entry."""
        self.tree_filter, self._left_filter = tree_filter, None
        if self.view is not None and self.view.tree_filter != tree_filter:
            self.view.set_filter(tree_filter, None if isinstance(self._entry, DamagedLine) else self._entry)
            self._rows_changed(follow=False, keep=True)
        self.post_message(self.FilterChanged())

    def _leave_filter(self, tree_filter: str) -> None:
        """Set another filter for an entry that is to be shown, until `back_to_filter`."""
        if tree_filter != self.tree_filter:
            left = self._left_filter or self.tree_filter
            self.set_filter(tree_filter)
            self._left_filter = left

    def back_to_filter(self) -> None:
        """Return to the filter that the user chose: another session is to be shown."""
        if self._left_filter is not None:
            self.tree_filter, self._left_filter = self._left_filter, None

    def action_set_filter(self, tree_filter: str) -> None:
        self.set_filter(TREE_FILTERS[0] if tree_filter == self.tree_filter else tree_filter)

    def action_cycle_filter(self, step: int) -> None:
        self.set_filter(TREE_FILTERS[(TREE_FILTERS.index(self.tree_filter) + step) % len(TREE_FILTERS)])

    def action_toggle_hidden(self) -> None:
        """Show every entry, or return to the filter before."""
        if self.tree_filter == "all":
            self.set_filter(self._filter_before)
        else:
            self._filter_before = self.tree_filter
            self.set_filter("all")

    def action_toggle_label_times(self) -> None:
        self.label_times = not self.label_times
        self.redraw_rows()
        self.post_message(self.FilterChanged())

    # folds

    def action_toggle_fold(self) -> None:
        row = self.row
        if self._unfold() or self._fold_turn():
            return
        if row is not None and row.foldable:
            self._fold(row.node, True)

    def _unfold(self) -> bool:
        """Unfold the branch or the turn of the row under the cursor. False: neither is folded."""
        row, view = self.row, self.view
        if row is None or view is None:
            return False
        if row.folded:
            self._fold(row.node, False)
        elif row.node.index in view.folded_turns:
            view.fold_turn(row.node, False)
            self.folds_changed()
        else:
            return False
        return True

    def _fold_turn(self) -> bool:
        """Fold the turn of the prompt under the cursor. False: it is no prompt, or it is folded."""
        view, node = self.view, self.node
        if view is None or node is None or not view.is_open_turn(self.cursor):
            return False
        view.fold_turn(node, True)
        self.folds_changed()
        return True

    def _fold(self, node: Node, folded: bool) -> None:
        if self.view is not None:
            self.view.fold(node, folded)
            self.folds_changed()

    def action_close_all(self) -> None:
        if self.view is not None:
            self.view.fold_others()
            self.folds_changed()

    def action_open_all(self) -> None:
        if self.view is not None:
            self.view.unfold_all()
            self.folds_changed()

    # keys that move the cursor

    def action_open_or_enter(self) -> None:
        if not self._unfold():
            self._go(tree_navigation.child_row)

    def action_close_or_climb(self) -> None:
        row = self.row
        if row is None or self.view is None or self._fold_turn():
            return
        if row.foldable and not row.folded:
            self._fold(row.node, True)
        elif not row.first:
            start = self.view.segment_at(self.cursor).start
            prompt = None if row.node.role == "user" else self.view.index_of(self.view.prompt_of(row.node))
            self.move_to(start if prompt is None else max(start, prompt))
        else:
            self._go(tree_navigation.parent_row)

    def action_fold_or_up(self) -> None:
        row = self.row
        if row is not None and row.foldable and not row.folded:
            self._fold(row.node, True)
        else:
            self._go(tree_navigation.segment_above)

    def action_unfold_or_down(self) -> None:
        row = self.row
        if row is not None and row.folded:
            self._fold(row.node, False)
        else:
            self._go(tree_navigation.segment_below)

    def action_cursor_up(self) -> None:
        self.move_to(self.cursor - 1 if self.cursor else self.rows - 1)

    def action_cursor_down(self) -> None:
        self.move_to(self.cursor + 1 if self.cursor < self.rows - 1 else 0)

    def action_previous_turn(self) -> None:
        self._go(tree_navigation.turn, -1)

    def action_next_turn(self) -> None:
        self._go(tree_navigation.turn, 1)

    def action_go_branch_point(self, step: int) -> None:
        self._go(tree_navigation.branch_point, step)

    def action_go_parent(self) -> None:
        self._go(tree_navigation.parent_row)

    def _go(self, move: Callable[..., int | None], *step: int) -> None:
        if self.view is not None and self.view.count:
            row = move(self.view, self.cursor, *step)
            if row is not None:
                self.move_to(row)

    def action_go_label(self, step: int) -> None:
        if self.view is not None:
            node = tree_navigation.labelled(self.view, self.node, step)
            if node is not None:
                self._show(node)

    def action_go_leaf(self) -> None:
        if self._leaf_row is not None:
            self.move_to(self._leaf_row)
        elif self.view is not None and self.view.begins_anew:
            self._awaits_leaf, self.came = True, 0
            self.notify(f"The leaf is before all entries: {ANEW}", markup=False)


def _empty_message(view: TreeView) -> str:
    """The message in place of a tree without rows."""
    if not view.tree.entries and not view.damage:
        return "no entries yet"
    return f"no entry passes the filter “{view.tree_filter}”; Ctrl+A shows all"
