"""What the keys of the tree do to its folds and its cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view import tree_moves
from app.widgets.tree_rows import TreeRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions.tree.tree import Node
    from app.view.damaged_rows import DamagedLine
    from app.view.segments import TreeRow


class TreeKeys(TreeRows):
    """Moves and folds; :class:`app.widgets.entry_tree.EntryTree` shows the tree."""

    @property
    def node(self) -> Node | None:
        """The entry under the cursor."""
        return self.view.node(self.cursor) if self.view else None

    @property
    def row(self) -> TreeRow | None:
        """The row under the cursor, where it is an entry's."""
        return self.view.row(self.cursor) if self.view is not None and self.node is not None else None

    @property
    def damaged(self) -> DamagedLine | None:
        """The line under the cursor that is no entry; None where the cursor is on an entry, or on nothing."""
        return self.view.damaged(self.cursor) if self.view else None

    def folds_changed(self) -> None:
        """Rows came or went; the cursor stays on its entry, or on the row that stands for it."""
        raise NotImplementedError

    def go_to(self, node: Node) -> None:
        """Put the cursor on an entry that the filter shows; unfold what hides it."""
        if self.view is None:
            return
        folded = len(self.view.folded)
        self.view.unfold_to(node)
        if len(self.view.folded) != folded:
            self.folds_changed()
        place = self.view.index_of(node)
        if place is not None:
            self.move_to(place)

    # folds

    def action_toggle_fold(self) -> None:
        row = self.row
        if row is not None and row.foldable:
            self._fold(row.node, not row.folded)

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

    # arrows, as in a file manager

    def action_open_or_enter(self) -> None:
        row = self.row
        if row is not None and row.folded:
            self._fold(row.node, False)
        else:
            self._go(tree_moves.child_row)

    def action_close_or_climb(self) -> None:
        row = self.row
        if row is None or self.view is None:
            return
        if row.foldable and not row.folded:
            self._fold(row.node, True)
        elif not row.first:
            self.move_to(self.view.stretch_at(self.cursor).start)
        else:
            self._go(tree_moves.parent_row)

    # as in pi

    def action_fold_or_up(self) -> None:
        row = self.row
        if row is not None and row.foldable and not row.folded:
            self._fold(row.node, True)
        else:
            self._go(tree_moves.segment_above)

    def action_unfold_or_down(self) -> None:
        row = self.row
        if row is not None and row.folded:
            self._fold(row.node, False)
        else:
            self._go(tree_moves.segment_below)

    def action_cursor_up(self) -> None:
        self.move_to(self.cursor - 1 if self.cursor else self.rows - 1)

    def action_cursor_down(self) -> None:
        self.move_to(self.cursor + 1 if self.cursor < self.rows - 1 else 0)

    # other moves

    def action_previous_turn(self) -> None:
        self._go(tree_moves.turn, -1)

    def action_next_turn(self) -> None:
        self._go(tree_moves.turn, 1)

    def action_go_branch_point(self, step: int) -> None:
        self._go(tree_moves.branch_point, step)

    def action_go_parent(self) -> None:
        self._go(tree_moves.parent_row)

    def _go(self, move: Callable[..., int | None], *step: int) -> None:
        if self.view is not None and self.view.count:
            place = move(self.view, self.cursor, *step)
            if place is not None:
                self.move_to(place)

    def action_go_label(self, step: int) -> None:
        if self.view is not None:
            node = tree_moves.labelled(self.view, self.node, step)
            if node is not None:
                self._show(node)

    def _show(self, node: Node) -> None:
        """Go to an entry that the filter may hide."""
        raise NotImplementedError

    def action_next_hit(self, step: int) -> None:
        if self.view is not None and self.hits is not None:
            node = self.hits.next(self.view, self.node, step)
            if node is not None:
                self.go_to(node)
