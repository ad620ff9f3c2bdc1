"""Reads what the places show, in a thread: the history, and the trash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.messages import HistoryRead
from app.services.background import BackgroundService
from app.stores import all_pins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup


class PlacesReader(BackgroundService):
    """Posts ``HistoryRead``."""

    thread_name = "places"

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup

    def read_history(self, rows: Sequence[Row]) -> None:
        """Read the journal.

        :param rows: all sessions.
        """
        self._worker.submit(lambda is_stale: self._read_history(rows))

    def _read_history(self, rows: Sequence[Row]) -> None:
        # Imported here: the modules of the journal are loaded with the first action.
        from app.actions.history import history
        from app.actions.journal import Journal

        setup = self._setup
        try:
            journal = Journal(setup.state_folder)
        except OSError as error:
            self._failed(error)
            return
        self._post(HistoryRead(history(journal, rows, all_pins(setup.stores, setup.state_folder))))
