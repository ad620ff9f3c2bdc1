"""The places beside the list of sessions: the history, the trash and the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.dialogs.history import HistoryDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.history import HistoryStep
    from app.controllers.dialog_host import DialogHost
    from app.controllers.toasts import Toasts
    from app.index.row import Row
    from app.messages import ActionsDone
    from app.panes.sessions_pane import SessionsPane
    from app.services.action_runner import ActionRunner
    from app.setup import Setup


class Places:
    """Opens the dialogs of the places, and does what is chosen there."""

    def __init__(
        self,
        host: DialogHost,
        toasts: Toasts,
        pane: SessionsPane,
        runner: ActionRunner,
        setup: Setup,
        *,
        go_to: Callable[[Row], None],
    ) -> None:
        """:param runner: runs the actions and posts their results; call `done` with them.
        :param go_to: moves the cursor to a session of the list.
        """
        self._host = host
        self._toasts = toasts
        self._pane = pane
        self._runner = runner
        self._setup = setup
        self._go_to = go_to
        self._history: HistoryDialog | None = None

    def show_history(self) -> None:
        """List what was done and undone."""
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
                    self._go_to(row)
                    return
        self._toasts.warn("Its session is not in the list: it was trashed, or is gone")

    def done(self, event: ActionsDone) -> None:
        """An action has ended, maybe one of the history."""
        if self._history is not None:
            self._history.reload()

    def sessions_changed(self) -> None:
        """The rows of sessions have changed, by which the history tells what can be undone."""
        if self._history is not None:
            self._history.reload()
