"""The actions on entries of the tree: label, fork, compare, copy, problems, and going to another entry."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.actions import row_actions
from app.controllers.dialog_host import started
from app.controllers.row_prompt import RowEdit
from app.stores import agent_named
from app.view.cells import shorten
from app.view.hit_line import HitPlace
from app.view.notifications import quoted
from app.view.problems import problems_of
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.geometry import Region

    from app.controllers.dialog_host import DialogHost
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.session_actions import SessionActions
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.panes.sessions_pane import SessionsPane
    from app.services.branch_jobs import BranchJobs
    from app.sessions.tree.node import Node
    from app.setup import Setup
    from app.view.problems import TreeProblem
    from app.widgets.entry_tree import EntryTree


MOST_LABEL = 80
"""Most characters of a label."""


class TargetEntry(NamedTuple):
    """An entry that can be acted on."""

    row: Row
    node: Node
    entry_id: str


@dataclass(eq=False, repr=False)
class EntryActions:
    """Acts on the entry under the tree's cursor.

    :param jobs: compares branches.
    :param show_entry: focuses the pane with entries, and puts its cursor on an entry once that session is
        shown; with None, the list.
    :param show_tree: shows the tree, and focuses it.
    :param follow_view: puts the tree's cursor on the entry that the user looks at in a transcript; False if
        the tree does not have it.
    """

    _host: DialogHost
    _messages: StatusMessages
    _prompt: RowPrompt
    _pane: SessionsPane
    _tree: EntryTree
    _actions: SessionActions
    _jobs: BranchJobs
    _setup: Setup
    _: KW_ONLY
    show_entry: Callable[[HitPlace | None], None]
    show_tree: Callable[[], None]
    follow_view: Callable[[], bool]

    # which entry

    def target(self) -> TargetEntry | None:
        """The entry under the tree's cursor; None, and a message gives the reason, if nothing can be done to
        it.
        """
        shown = self._shown()
        if shown is None:
            return None
        row, node = shown
        if node.id is None:
            self._messages.complain(f"entries of {row.agent} have no ids: nothing can be done to one of them")
            return None
        return TargetEntry(row, node, node.id)

    def _shown(self) -> tuple[Row, Node] | None:
        """The session under the list's cursor and the entry under the tree's. None, and a message gives the
        reason, while the tree is still that of another session, whose entries may have the same ids.
        """
        row, node, damaged = self.shown_row(), self._tree.node, self._tree.damaged
        if row is None:
            return None
        if damaged is not None:
            self._messages.complain(
                f"{damaged.place[:1].upper()}{damaged.place[1:]} is no entry: it can only be read and copied"
            )
        return None if node is None else (row, node)

    def shown_row(self) -> Row | None:
        """The session under the list's cursor, if the tree's cursor is on a line of it. A message says if it
        is still being read.
        """
        is_shown = self.follow_view()
        row, view = self._pane.list.row, self._tree.view
        if row is None or view is None or self._tree.spot is None:
            return None
        if view.tree.path != row.path:
            self._messages.complain("the session is still being read")
            return None
        if not is_shown:
            self._messages.complain("No entry is under the cursor, or the tree has not read it yet")
            return None
        return row

    # labels

    def label(self) -> None:
        """Edit the label of the entry under the cursor, in its row."""
        target = self.target()
        if target is None:
            return
        why_not = agent_named(target.row.agent).why_not("label", target.row.path)
        if why_not:
            self._messages.complain(f"Not labelled: {why_not} – {quoted(target.row.title)}")
        else:
            shown = target.node.row_text.text if target.node.row_text is not None else ""
            self._host.start(self._edit_label(target.row, target.entry_id, target.node.label or "", shown))

    async def _edit_label(self, row: Row, entry_id: str, label: str, shown: str) -> None:
        from app.dialogs.labels import recent_labels

        tree, selection = self._tree, StableSelection(self._pane.model, [row])

        def region() -> Region | None:
            view, session = tree.view, selection.row
            # While a session that was moved is being read, the tree has its old path.
            paths = (session.path, row.path) if session is not None else ()
            node = view.tree.find(entry_id, -1) if view is not None and view.tree.path in paths else None
            return tree.edit_region(node) if node is not None else None

        edit = RowEdit(
            label,
            "New label",
            lambda cells: shorten("Empty removes the label.", cells),
            "save",
            region,
            "Label",
            MOST_LABEL,
            recent_labels(self._pane.model.rows(), label),
            "recent labels",
        )
        text = await self._prompt.edit(edit, tree, selection)
        if text is None or text.strip() == label:
            return
        rows = await self._prompt.rows_of(selection, lost=f': "{text}" is not written')
        self._actions.label(rows, entry_id, text.strip(), shown=shown)

    @started
    async def show_labels(self) -> None:
        """List the labels of this session, or of all."""
        from app.dialogs.labels import LabelsDialog

        row, rows = self._pane.list.row, self._pane.model.rows()
        labelled_rows = [row for row in rows if row.labels]
        selection = StableSelection(self._pane.model, labelled_rows) if labelled_rows else None
        path = row.path if row is not None else ""
        makes = row is None or not agent_named(row.agent).why_not("label", row.path)
        dialog = LabelsDialog(rows, path, self._setup.now_ms(), makes=makes)
        answer = await self._host.open(dialog)
        if answer is None or selection is None:
            return
        labelled = answer.labelled
        found = await self._prompt.rows_of(selection.only(labelled.row.path))
        if not found:
            return
        if answer.what == "go":
            self.go_to_entry(found[0].path, labelled.entry_id)
        elif answer.what == "clear":
            self._actions.label(found, labelled.entry_id, "", shown=answer.text)
        else:
            await self._edit_label(found[0], labelled.entry_id, labelled.label, answer.text)

    # forks

    def fork_here(self) -> None:
        """Fork the session at the entry under the cursor."""
        target = self.target()
        if target is not None:
            self._fork([target.row], target.entry_id, None)

    def fork_here_to(self) -> None:
        """Ask for a folder, and fork the session at the entry under the cursor into it."""
        target = self.target()
        if target is not None:
            self._host.start(self._fork_to(target))

    async def _fork_to(self, target: TargetEntry) -> None:
        selection = StableSelection(self._pane.model, [target.row])
        folder = await self._actions.ask_folder()
        if folder is not None:
            self._fork(await self._prompt.rows_of(selection), target.entry_id, folder)

    def _fork(self, rows: list[Row], entry_id: str, folder: str | None) -> None:
        self._actions.run(
            "fork", rows, lambda *about: row_actions.fork_at_entry(*about, entry=entry_id, to=folder)
        )

    # comparing

    def compare(self) -> None:
        """Show the active path beside the branch of the entry under the cursor."""
        shown = self._shown()
        if shown is None:
            return
        row, offset = shown[0], shown[1].offset
        selection = StableSelection(self._pane.model, [row])
        from app.dialogs.compare import CompareDialog

        dialog = CompareDialog(
            lambda number: self._jobs.compare(selection.row or selection.first, offset, number)
        )

        def go(entry: Node | None) -> None:
            if entry is None:
                return
            view = self._tree.view
            if view is None or view.tree.path != (selection.row or row).path:
                self._messages.complain("another session is shown by now")
            elif view.tree.find(entry.id, entry.offset) is None:
                self._messages.complain("the entry has gone: the file was written anew")
            else:
                self.show_entry(HitPlace(view.tree.path, "", entry.id, entry.offset, (), ""))

        self._host.show(dialog, go)

    # another entry

    def go_to_entry(self, path: str, entry_id: str | None) -> None:
        """Go to an entry of any session."""
        if self._pane.box.value:
            self._pane.drop()
        if not self._list_session(path):
            self._messages.complain("That session is gone")
            return
        is_entry = entry_id is not None
        self.show_entry(HitPlace(path, "", entry_id, -1, (), "") if is_entry else None)

    def _list_session(self, path: str) -> bool:
        """Put the list's cursor on a session, and show more of them if it is left out. False: it is not
        known.
        """
        pane = self._pane
        if pane.list.go_to(path):
            return True
        if pane.model.row_at(path) is None:
            return False
        before = pane.model.arrangement
        wide = before.changed(scope="all", named_only=False, agent="", only=None)
        for arrangement in (wide, wide.changed(hidden=True)):
            pane.show_arrangement(arrangement)
            if pane.list.go_to(path):
                self._messages.show("More sessions are listed now: it was not among them")
                return True
        pane.show_arrangement(before)
        return False

    def other_end(self) -> None:
        """Go to the session that this one is a fork of, at the same entry if it has it; else to the newest
        fork of this one.
        """
        row, node = self._pane.list.row, self._tree.node
        if row is None:
            return
        parent, forks = self._pane.model.family(row.path)
        other = parent or next(iter(forks), None)
        if other is None:
            missing = "the session it was forked from is not here" if row.parent_session else "no fork"
            self._messages.show(f"Nowhere to go: {missing}")
            return
        self.go_to_entry(other.path, node.id if node is not None else None)

    # problems

    def show_problems(self) -> None:
        """List the problems of the session that is shown."""
        row, view = self._pane.list.row, self._tree.view
        if row is None or view is None or view.tree.path != row.path:
            return
        if not view.tree.is_whole:
            self._messages.complain("the session is still being read")
            return
        problems = problems_of(view.tree)
        if problems:
            self._host.start(self._show_problems(problems, row.path))
        else:
            self._messages.show("This session has no damaged lines")

    async def _show_problems(self, problems: list[TreeProblem], path: str) -> None:
        from app.dialogs.session_facts import ProblemsDialog

        problem = await self._host.open(ProblemsDialog(problems))
        shown = self._tree.view
        if problem is None or shown is None or shown.tree.path != path:
            return
        self.show_tree()
        if problem.damaged is not None:
            if not self._tree.show_damaged(problem.damaged):
                self._messages.complain(f"{problem.damaged.place} is another by now")
        elif problem.node is not None and (self._tree.open_at(problem.node.id, problem.node.offset) is None):
            self._messages.complain("the entry has gone: the file was written anew")
