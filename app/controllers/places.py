"""The places beside the list of sessions: the history, the trash, the archive and the statistics."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.controllers.dialog_host import started
from app.panes.transcript_pane import TranscriptPane
from app.services.background import in_background

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.actions.history import HistoryStep
    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.dialogs.history import HistoryDialog
    from app.dialogs.places import PlaceAnswer
    from app.index.row import Row
    from app.panes.sessions_pane import SessionsPane
    from app.services.action_runner import ActionRunner
    from app.setup import Setup
    from app.view.arrangement import SessionSet


@dataclass(eq=False, repr=False)
class Places:
    """Opens the dialogs of the places, and does what is chosen there.

    has_archive   an agent has an archive; False until `look_for_archive` is done

    :param runner: runs the actions and posts their results; call `renew_history` then.
    :param go_to: moves the cursor to a session of the list.
    :param all_rows: returns all sessions, whatever the list shows; for any thread.
    :param is_reading: whether sessions are still being read.
    """

    _host: DialogHost
    _messages: StatusMessages
    _pane: SessionsPane
    _runner: ActionRunner
    _setup: Setup
    _: KW_ONLY
    go_to: Callable[[Row], None]
    all_rows: Callable[[], Sequence[Row]]
    is_reading: Callable[[], bool]
    ascii_only: bool

    def __post_init__(self) -> None:
        self._history: HistoryDialog | None = None
        self.has_archive = False

    def show_history(self) -> None:
        """List what was done and undone."""
        from app.dialogs.history import HistoryDialog

        runner = self._runner
        self._history = HistoryDialog(
            self._setup, self._pane.model.rows, runner.undo_earlier, runner.redo_earlier
        )
        self._host.show(self._history, self._chosen)

    def _chosen(self, step: HistoryStep | None) -> None:
        self._history = None
        if step is None:
            return
        # Imported here: the modules of the journal are loaded with the first action.
        from app.actions.history import sessions_of

        for agent, session_id in sessions_of(step):
            for row in self._pane.model.rows_with_id(session_id):
                if row.agent == agent:
                    self.go_to(row)
                    return
        self._messages.warn("Its session is not in the list: it was trashed, or is gone")

    def show_trash(self) -> None:
        """List what lies in the trash."""
        from app.dialogs.places import TRASH, PlaceDialog

        self._host.show(PlaceDialog(TRASH, self._setup, self._read), self._chosen_in_trash)

    def _read(self, row: Row) -> None:
        """Show a session in the trash; nothing is written."""
        from app.dialogs.places import ReadDialog

        pane = TranscriptPane(self._setup, id="lying")
        self._host.show(ReadDialog(pane, pane.lines, lambda: pane.show_session(row)))

    def _chosen_in_trash(self, answer: PlaceAnswer | None) -> None:
        if answer is None:
            return
        # Imported here: the modules of the trash are loaded with the first action.
        from app.actions.restore import restore
        from app.actions.trash_place import delete_trashed

        if answer.what == "delete":
            deletions = [(row.title, None, partial(delete_trashed, row.item)) for row in answer.rows]
            self._runner.run_each("delete", deletions)
        else:
            moves = [(row.title, row.item.change) for row in answer.rows]
            self._runner.run_each("restore", [(title, move, partial(restore, move)) for title, move in moves])

    def show_statistics(self) -> None:
        """Show the statistics of all sessions."""
        from app.dialogs.statistics import StatisticsDialog

        dialog = StatisticsDialog(
            self._setup, self.all_rows, ascii_only=self.ascii_only, is_reading=self.is_reading()
        )
        self._host.show(dialog, self._figure_chosen)

    def show_disk(self) -> None:
        """Show the disk space of all sessions."""
        from app.dialogs.disk import DiskDialog

        self._host.show(
            DiskDialog(self._setup, self.all_rows, ascii_only=self.ascii_only), self._figure_chosen
        )

    def _figure_chosen(self, chosen: SessionSet | None) -> None:
        """List the sessions of a figure and no others, in whatever folder and of whatever agent they are."""
        if chosen is not None:
            pane = self._pane
            before = pane.model.arrangement
            pane.drop()
            pane.show_arrangement(before.changed(scope="all", named_only=False, agent="", only=chosen))

    @started
    async def look_for_archive(self) -> None:
        """Find out whether an agent has an archive, for the go-to menu."""
        folders = [store.agent.archive(store) for store in self._setup.stores]
        self.has_archive = await in_background(lambda: any(map(os.path.isdir, filter(None, folders))))

    def show_archive(self) -> None:
        """List what agents have put into their archives."""
        from app.dialogs.places import ARCHIVE, PlaceDialog

        self._host.show(PlaceDialog(ARCHIVE, self._setup), self._chosen_in_archive)

    def _chosen_in_archive(self, answer: PlaceAnswer | None) -> None:
        if answer is not None:
            # Imported here: few users have an archive.
            from app.actions.archive import unarchive

            works = [(row.title, None, partial(unarchive, row.item)) for row in answer.rows]
            self._runner.run_each("unarchive", works)

    def renew_history(self) -> None:
        """Show the history as it is now: an action has ended, or the rows of sessions have changed, by which
        the history tells what can be undone.
        """
        if self._history is not None:
            self._history.reload()
