"""What is done to entries from the tree: labels, going on, forks, comparing, and going from one session of a
lineage to another.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from textual import on

from app.actions import on_entries
from app.messages import (
    ActionsDone,
    BranchesCompared,
    DraftLeft,
    HitPlaced,
    OutlineMade,
    PointsFound,
    SummaryMade,
)
from app.screens.questions import RowEditor
from app.screens.sessions_screen import SessionsScreen
from app.services.going import WHAT, Going
from app.view.tree_faults import faults_of
from app.widgets.entry_pane import EntryPane
from app.widgets.entry_tree import EntryTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.index.row import Row
    from app.screens.comparing import CompareDialog
    from app.screens.going_on import GoingOn
    from app.screens.labels_dialog import LabelAnswer
    from app.services.following import Following
    from app.services.indexing import Indexing
    from app.sessions.tree import Node
    from app.settings import Settings
    from app.setup import Setup
    from app.view.session_list import SessionList
    from app.view.tree_faults import TreeFault


class _Picked(NamedTuple):
    """An entry that can be acted on."""

    row: Row
    node: Node
    entry_id: str


class TreeScreen(SessionsScreen):
    """Acts on the entry under the tree's cursor."""

    def __init__(
        self,
        setup: Setup,
        model: SessionList,
        settings: Settings,
        indexing: Indexing | Following | None = None,
    ) -> None:
        """See `SessionsScreen`."""
        super().__init__(setup, model, settings, indexing)
        self._going = Going(setup, self.post_message, self.service_failed)
        self._comparing: CompareDialog | None = None

    def on_unmount(self) -> None:
        self._going.stop()

    @cached_property
    def _going_on(self) -> GoingOn:
        # As the other dialogs, it comes with its first use: imports hold up the first key.
        from app.screens.going_on import GoingOn

        return GoingOn(self, self._going)

    def focus_tree(self) -> None:
        """Give the tree the keys."""
        raise NotImplementedError

    def show_entry(self, place: HitPlaced) -> None:
        """Put the tree's cursor on an entry of the session that is shown, once its tree is there."""
        raise NotImplementedError

    @property
    def entry_tree(self) -> EntryTree:
        """The tree."""
        return self.query_one("#tree", EntryTree)

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

    # going on

    def action_go_on(self) -> None:
        """Ask how to go on from the entry under the cursor."""
        picked = self._picked()
        if picked is not None:
            self._going_on.begin(picked.row, picked.entry_id)

    @on(PointsFound)
    def _points_found(self, event: PointsFound) -> None:
        self._going_on.found(event)

    @on(OutlineMade)
    def _outline_made(self, event: OutlineMade) -> None:
        self._going_on.outlined(event.text)

    @on(SummaryMade)
    def _summary_made(self, event: SummaryMade) -> None:
        self._going_on.summarised(event)

    @on(DraftLeft)
    def _draft_left(self, event: DraftLeft) -> None:
        if event.reason:
            self.complain(event.reason)
        else:
            self.notify("The text is on the clipboard, and a draft for who continues there", markup=False)

    def acted(self, event: ActionsDone) -> None:
        if event.what == WHAT and event.outcomes:
            self._going_on.done(event.outcomes[0])

    # labels

    def action_label(self) -> None:
        """Edit the label of the entry under the cursor, in its row."""
        picked = self._picked()
        if picked is not None:
            self.edit_label(picked.row, picked.entry_id, picked.node.label or "")

    def edit_label(self, row: Row, entry_id: str, label: str) -> None:
        """Edit a label; in the entry's row where that is in sight."""
        tree = self.entry_tree
        node = tree.node
        region = tree.row_region(node) if node is not None and node.id == entry_id else None

        def edited(text: str | None) -> None:
            if text is not None and text.strip() != label:
                self._label(row, entry_id, text.strip())

        self.app.push_screen(RowEditor(label, region or tree.region, "a label; nothing takes it off"), edited)

    def _label(self, row: Row, entry_id: str, text: str) -> None:
        self.act("label", [row], lambda *about: on_entries.label(*about, entry=entry_id, text=text))

    def action_show_labels(self) -> None:
        """List the labels of this session, or of all."""
        from app.screens.labels_dialog import LabelsDialog

        row = self.side.list.row

        def answered(answer: LabelAnswer | None) -> None:
            if answer is None:
                return
            labelled = answer.labelled
            if answer.what == "go":
                self.go_to_entry(labelled.row.path, labelled.entry_id)
            elif answer.what == "clear":
                self._label(labelled.row, labelled.entry_id, "")
            else:
                self.edit_label(labelled.row, labelled.entry_id, labelled.label)

        path = row.path if row is not None else ""
        self.app.push_screen(LabelsDialog(self.model.rows(), path, self.setup.now_ms()), answered)

    def go_to_entry(self, path: str, entry_id: str | None) -> None:
        """Go to an entry of any session."""
        if self.side.box.value:
            self.side.drop()
        if not self._list_session(path):
            self.complain(f"{path} is not among the sessions any more")
            return
        self.focus_tree()
        if entry_id is not None:
            self.show_entry(HitPlaced(path, "", entry_id, -1, (), ""))

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

    # what is wrong

    def action_show_problems(self) -> None:
        """List what is wrong with the session that is shown."""
        from app.screens.problems_dialog import ProblemsDialog

        row, view = self.side.list.row, self.entry_tree.view
        if row is None or view is None or view.tree.path != row.path:
            return
        if not view.tree.is_whole:
            self.complain("the session is still being read")
            return
        faults = faults_of(view.tree)
        if not faults:
            self.notify("Nothing is wrong with this session", markup=False)
            return
        path = row.path

        def answered(fault: TreeFault | None) -> None:
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

    # forks

    def action_fork_here(self) -> None:
        """Make a new session of the path to the entry under the cursor."""
        picked = self._picked()
        if picked is not None:
            entry = picked.entry_id
            self.act("fork", [picked.row], lambda *about: on_entries.fork(*about, entry=entry))

    def action_fork_here_to(self) -> None:
        """The same in a folder that is asked for."""
        from app.screens.dialogs import FolderDialog

        picked = self._picked()
        if picked is None:
            return
        row, entry = picked.row, picked.entry_id

        def chosen(folder: str | None) -> None:
            if folder is not None:
                self.act("fork", [row], lambda *about: on_entries.fork(*about, entry=entry, to=folder))

        self.app.push_screen(
            FolderDialog("the new session's folder", self.setup.here[0], self.setup.home), chosen
        )

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

    # comparing

    def action_compare(self) -> None:
        """The active path beside the branch of the entry under the cursor."""
        from app.screens.comparing import CompareDialog

        shown = self._shown()
        if shown is None:
            return
        row, offset = shown[0], shown[1].offset
        self._comparing = CompareDialog(lambda at: self._going.compare(row, offset, at))
        self.app.push_screen(self._comparing)

    @on(BranchesCompared)
    def _branches_compared(self, event: BranchesCompared) -> None:
        if self._comparing is not None and self._comparing.is_attached:
            self._comparing.show(event)

    # copying

    def action_copy_entry(self) -> None:
        """Copy the text of what is under the cursor."""
        if self._shown_row() is not None:
            self.query_one("#entry", EntryPane).action_copy_text()
