"""Which entry of which session is meant, and going to others: to what is wrong in the session, to the session
that it is a fork of, to any entry of any session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.dialogs.lists import ProblemsDialog
from app.messages import HitLocated
from app.screens.sessions_screen import SessionsScreen
from app.view.problems import problems_of
from app.widgets.entry_pane import EntryPane
from app.widgets.entry_tree import EntryTree

if TYPE_CHECKING:
    from app.index.row import Row
    from app.sessions.tree.node import Node
    from app.view.problems import TreeProblem


class _Picked(NamedTuple):
    """An entry that can be acted on."""

    row: Row
    node: Node
    entry_id: str


class PickingScreen(SessionsScreen):
    """Knows the entry under the tree's cursor, and puts the cursor on another."""

    def focus_tree(self) -> None:
        """Give the tree the keys."""
        raise NotImplementedError

    def show_entry(self, place: HitLocated) -> None:
        """Put the tree's cursor on an entry of the session that is shown, once its tree is there."""
        raise NotImplementedError

    @property
    def entry_tree(self) -> EntryTree:
        """The tree."""
        return self.query_one("#tree", EntryTree)

    # which entry

    def _picked(self) -> _Picked | None:
        """The entry under the tree's cursor; None, and why is said, where nothing can be done to it."""
        shown = self._shown()
        if shown is None:
            return None
        row, node = shown
        if node.id is None:
            self.complain(f"entries of {row.agent} have no ids: nothing can be done to one of them")
            return None
        return _Picked(row, node, node.id)

    def _shown(self) -> tuple[Row, Node] | None:
        """The session under the list's cursor and the entry under the tree's; None where there is none, and
        while the tree is still that of another session, whose entries may have the same ids. Why is said.
        """
        row, node, damaged = self._shown_row(), self.entry_tree.node, self.entry_tree.damaged
        if row is None:
            return None
        if damaged is not None:
            self.complain(f"{damaged.place} is no entry: nothing can be done to it but to read and copy it")
        return None if node is None else (row, node)

    def _shown_row(self) -> Row | None:
        """The session under the list's cursor, where the tree's cursor is on something of it."""
        row, view = self.side.list.row, self.entry_tree.view
        if row is None or view is None or self.entry_tree.spot is None:
            return None
        if view.tree.path != row.path:
            self.complain("the session is still being read")
            return None
        return row

    def action_copy_entry(self) -> None:
        """Copy the text of what is under the cursor."""
        if self._shown_row() is not None:
            self.query_one("#entry", EntryPane).action_copy_text()

    # another session

    def go_to_entry(self, path: str, entry_id: str | None) -> None:
        """Go to an entry of any session."""
        if self.side.box.value:
            self.side.drop()
        if not self._list_session(path):
            self.complain(f"{path} is not among the sessions any more")
            return
        self.focus_tree()
        if entry_id is not None:
            self.show_entry(HitLocated(path, "", entry_id, -1, (), ""))

    def _list_session(self, path: str) -> bool:
        """Put the list's cursor on a session, and show more of them where it is left out. False where there
        is no such session.
        """
        if self.side.list.go_to(path):
            return True
        if self.model.row_at(path) is None:
            return False
        now = self.model.arrangement
        wide = now.changed(scope="all", named_only=False, agent="")
        for arrangement in (wide, wide.changed(hidden=True)):
            self.side.show_arrangement(arrangement)
            if self.side.list.go_to(path):
                self.notify("More sessions are listed now: it was not among them", markup=False)
                return True
        self.side.show_arrangement(now)
        return False

    def action_other_end(self) -> None:
        """Go to the session that this one is a fork of, at the same entry where that is there; else to the
        next fork of it.
        """
        row, node = self.side.list.row, self.entry_tree.node
        if row is None:
            return
        parent, forks = self.model.family(row.path)
        other = parent or next(iter(forks), None)
        if other is None:
            missing = "the session it was forked from is not here" if row.parent_session else "no fork"
            self.notify(f"Nowhere to go: {missing}", markup=False)
            return
        self.go_to_entry(other.path, node.id if node is not None else None)

    # problems

    def action_show_problems(self) -> None:
        """List what is wrong with the session that is shown."""
        row, view = self.side.list.row, self.entry_tree.view
        if row is None or view is None or view.tree.path != row.path:
            return
        if not view.tree.is_whole:
            self.complain("the session is still being read")
            return
        faults = problems_of(view.tree)
        if not faults:
            self.notify("Nothing is wrong with this session", markup=False)
            return
        path = row.path

        def answered(fault: TreeProblem | None) -> None:
            shown = self.entry_tree.view
            if fault is None or shown is None or shown.tree.path != path:
                return
            if fault.damaged is not None:
                if not self.entry_tree.show_damaged(fault.damaged):
                    self.complain(f"{fault.damaged.place} is another by now")
                return
            if fault.node is None:
                return
            if self.entry_tree.open_at(fault.node.id, fault.node.offset) is None:
                self.complain("the entry has gone: the file was written anew")

        self.app.push_screen(ProblemsDialog(faults), answered)
