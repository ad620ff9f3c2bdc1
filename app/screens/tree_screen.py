"""The actions on entries of the tree: branch, label, fork, compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on

from app.actions import row_actions
from app.dialogs.compare import CompareDialog
from app.dialogs.lists import LabelAnswer, LabelsDialog
from app.dialogs.questions import FolderDialog
from app.messages import (
    ActionsDone,
    BranchesCompared,
    DraftLeft,
    OutlineMade,
    PointsFound,
    SummaryMade,
)
from app.screens.asking_screen import RowEdit
from app.screens.branch_flow import GoingOn
from app.screens.picking_screen import PickingScreen
from app.screens.trashing_screen import title_of
from app.services.branch_jobs import WHAT, BranchJobs
from app.view.prompts import named_question
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.geometry import Region

    from app.index.row import Row


class TreeScreen(PickingScreen):
    """Acts on the entry under the tree's cursor."""

    _comparing: CompareDialog | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._branch_jobs = BranchJobs(self.setup, self.post_message, self.service_failed)
        self._going_on = GoingOn(self, self._branch_jobs, self.action_compare)

    def on_unmount(self) -> None:
        self._branch_jobs.stop()

    # going on

    def action_go_on(self) -> None:
        """Ask how to go on from the entry under the cursor."""
        picked = self._picked()
        if picked is not None:
            self._going_on.begin(picked.row, picked.entry_id)

    def check_plan(self) -> None:
        super().check_plan()
        self._going_on.look_again()

    @on(PointsFound)
    def _points_found(self, event: PointsFound) -> None:
        self._going_on.found(event)

    @on(OutlineMade)
    def _outline_made(self, event: OutlineMade) -> None:
        self._going_on.summary.outlined(event.text)

    @on(SummaryMade)
    def _summary_made(self, event: SummaryMade) -> None:
        self._going_on.summary.made(event)

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
        meant = StableSelection(self.model, [row])

        def where() -> Region | None:
            view, there = tree.view, meant.row
            # while a session that was moved is being read anew, its tree is that of before
            paths = (there.path, row.path) if there is not None else ()
            node = view.tree.find(entry_id, -1) if view is not None and view.tree.path in paths else None
            return tree.row_region(node) if node is not None else None

        def edited(text: str) -> None:
            if text.strip() != label:
                self.once_there(
                    meant,
                    lambda rows: self._label(rows[0], entry_id, text.strip()),
                    lost=f": “{text}” is not written",
                )

        self.edit(
            tree,
            RowEdit(
                label,
                "a label; nothing takes it off",
                lambda cells: named_question("Label in", row.title, cells),
                "label it",
                where,
                lambda: "" if meant.row is not None else f"{title_of(row)} is gone",
            ),
            edited,
        )

    def _label(self, row: Row, entry_id: str, text: str) -> None:
        self.act("label", [row], lambda *about: row_actions.label(*about, entry=entry_id, text=text))

    def action_show_labels(self) -> None:
        """List the labels of this session, or of all."""
        row, rows = self.side.list.row, self.model.rows()
        labelled_rows = [each for each in rows if each.labels]
        meant = StableSelection(self.model, labelled_rows) if labelled_rows else None

        def answered(answer: LabelAnswer | None) -> None:
            if answer is None or meant is None:
                return
            labelled = answer.labelled

            def do(rows: Sequence[Row]) -> None:
                if answer.what == "go":
                    self.go_to_entry(rows[0].path, labelled.entry_id)
                elif answer.what == "clear":
                    self._label(rows[0], labelled.entry_id, "")
                else:
                    self.edit_label(rows[0], labelled.entry_id, labelled.label)

            self.once_there(meant.only(labelled.row.path), do)

        path = row.path if row is not None else ""
        self.app.push_screen(LabelsDialog(rows, path, self.setup.now_ms()), answered)

    # forks

    def action_fork_here(self) -> None:
        """Make a new session of the path to the entry under the cursor."""
        picked = self._picked()
        if picked is not None:
            entry = picked.entry_id
            self.act("fork", [picked.row], lambda *about: row_actions.fork_at_entry(*about, entry=entry))

    def action_fork_here_to(self) -> None:
        """The same in a folder that is asked for."""
        picked = self._picked()
        if picked is None:
            return
        entry = picked.entry_id
        meant = StableSelection(self.model, [picked.row])

        def chosen(folder: str | None) -> None:
            if folder is not None:
                self.once_there(
                    meant,
                    lambda rows: self.act(
                        "fork", rows, lambda *about: row_actions.fork_at_entry(*about, entry=entry, to=folder)
                    ),
                )

        self.app.push_screen(
            FolderDialog("the new session's folder", self.setup.here[0], self.setup.home), chosen
        )

    # comparing

    def action_compare(self) -> None:
        """The active path beside the branch of the entry under the cursor."""
        shown = self._shown()
        if shown is None:
            return
        offset = shown[1].offset
        meant = StableSelection(self.model, [shown[0]])
        self._comparing = CompareDialog(
            lambda at: self._branch_jobs.compare(meant.row or meant.first, offset, at)
        )
        self.app.push_screen(self._comparing)

    @on(BranchesCompared)
    def _branches_compared(self, event: BranchesCompared) -> None:
        if self._comparing is not None and self._comparing.is_attached:
            self._comparing.show(event)
