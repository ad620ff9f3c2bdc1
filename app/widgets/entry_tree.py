"""The tree of the session under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from textual.message import Message

from app.commands import key_of
from app.view.damaged_rows import SHOWN_IN, DamagedLine
from app.view.root_leaf import ANEW
from app.view.tree_filter import MODES, chosen, shows
from app.widgets.bindings import bindings_of
from app.widgets.tree_keys import TreeKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from app.formats.header import Fault
    from app.sessions.tree.tree import Node
    from app.view.tree_search import TreeHits
    from app.view.tree_view import TreeView


class Finder(Protocol):
    """Looks in the tree for words that a search of all sessions has found in it."""

    def seek(self, words: Sequence[str], step: int) -> None:
        """Mark the entries that have them, and go to the next (``step`` 1), or to the one before (-1)."""

    def seek_no_more(self) -> bool:
        """Look for them no longer. False where nobody did."""


class EntryTree(TreeKeys):
    """Entries as a tree, with a cursor that stays on its entry, or on the leaf while it follows."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("tree")]

    class EntryAsked(Message):
        """The user wants to read the entry under the cursor."""

    class FilterChanged(Message):
        """Another filter is on, or the times of labels are shown or no longer."""

    mode = MODES[0]
    # the filter that was on before another had to be, for an entry that it hides
    _left_mode: str | None = None
    # entries that came since the cursor was on the leaf
    came = 0
    # the agent begins anew, and the cursor goes to what it is told first
    _awaits_leaf = False
    # what the cursor belongs on, which a filter may hide, and what was last told of
    _entry: Node | DamagedLine | None = None
    _told: Node | DamagedLine | None = None
    finder: Finder | None = None
    # the session in which a search of all found something, and the words of it, folded
    _found_in: tuple[str, tuple[str, ...]] = "", ()

    # what is shown

    @property
    def follows(self) -> bool:
        """Whether the cursor is on the leaf, and so goes along with it; where that has no row, whether
        nobody has put it elsewhere.
        """
        return self._awaits_leaf if self._leaf_row is None else self.cursor == self._leaf_row

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
        self.came, self._awaits_leaf = 0, False
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
        self._awaits_leaf = (follow or self._awaits_leaf) and self._leaf_row is None and view.begins_anew
        if place is None:
            place = 0 if self._awaits_leaf else view.count - 1
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
        self._awaits_leaf = False
        self._entry = self._told = self.spot
        if self.follows:
            self.came = 0

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
        self._leave_mode(mode)
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
            self._leave_mode(MODES[0])
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

    def found_in(self, path: str, words: tuple[str, ...]) -> None:
        """A search of all sessions found words, which are folded, in one; none: nothing is found there any
        more. From place to place of them one goes as in a search of the tree.
        """
        if (path, words) != self._found_in:
            self._found_in = path, words
            if self.finder is not None:
                self.finder.seek_no_more()

    def action_next_hit(self, step: int) -> None:
        path, words = self._found_in
        if self.hits is not None or self.view is None:
            super().action_next_hit(step)
        elif not self.view.tree.is_whole:
            self.notify("The session is still being read", severity="warning", markup=False)
        elif words and path == self.view.tree.path and self.finder is not None:
            self.finder.seek(words, step)
        else:
            key = key_of("filter.open")
            searches = f": {key} searches the tree" if key else ""
            self.notify(f"No words are looked for here{searches}", markup=False)

    # filters

    def set_mode(self, mode: str) -> None:
        """Another filter; the cursor goes to the nearest shown ancestor and comes back with the entry."""
        self.mode, self._left_mode = mode, None
        if self.view is not None and self.view.mode != mode:
            self.view.set_mode(mode)
            self._rows_changed(follow=False, keep=True)
        self.post_message(self.FilterChanged())

    def _leave_mode(self, mode: str) -> None:
        """Another filter, for the sake of what is shown: `back_to_mode` ends that."""
        if mode != self.mode:
            left = self._left_mode or self.mode
            self.set_mode(mode)
            self._left_mode = left

    def back_to_mode(self) -> None:
        """Another session is to be shown: it gets the filter that the user chose."""
        if self._left_mode is not None:
            self.mode, self._left_mode = self._left_mode, None

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
        elif self.view is not None and self.view.begins_anew:
            self._awaits_leaf, self.came = True, 0
            self.notify(f"The leaf is before all entries: {ANEW}", markup=False)

    @property
    def beginning(self) -> str:
        """What stands above the rows where none of them can be marked as the leaf; "" elsewhere."""
        begins = self.view is not None and self.view.begins_anew and self._leaf_row is None
        return f"{self._glyphs.leaf}: {ANEW} here" if begins else ""


def _nothing(view: TreeView) -> str:
    """What a tree without a row says."""
    if not view.tree.entries and not view.damage:
        return "no entries yet"
    return f"no entry passes the filter “{view.mode}”; Ctrl+A shows all"
