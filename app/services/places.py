"""Reads what the places show, in a thread: the history, the trash and the archive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.row import provisional_row, signature_of
from app.messages import HistoryRead, LyingSessionRead, PlaceRead
from app.services.background import BackgroundService, in_thread
from app.sessions.summaries.quick_summary import quick_summary
from app.stores import all_pins
from app.stores.archive import archived
from app.view.places import archive_row, trash_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.actions.restore import TrashedSession
    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup


class PlacesReader(BackgroundService):
    """Posts ``HistoryRead``, ``PlaceRead`` and ``LyingSessionRead``."""

    thread_name = "places"

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup

    @in_thread
    def read_session(self, session: TrashedSession) -> None:
        """Read the two ends of a session in the trash, so that it can be shown."""
        try:
            status = os.stat(session.in_trash)
        except OSError:
            self._post(LyingSessionRead(None))
            return
        agents = (session.agent,) if session.agent else ()
        summary = quick_summary(session.in_trash, agents, status.st_mtime_ns // 1_000_000)
        if summary is None or summary.id != session.session_id:
            self._post(LyingSessionRead(None))
            return
        folder = os.path.dirname(session.in_trash)
        row = provisional_row(session.in_trash, folder, summary.values(), signature_of(status))
        self._post(LyingSessionRead(row))

    @in_thread
    def read_trash(self) -> None:
        """Read which sessions lie in the trash."""
        # Imported here: the modules of the trash are loaded with the first action.
        from app.actions.restore import list_trashed
        from app.actions.trash_place import trash_facts

        setup = self._setup
        sessions = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
        rows = [trash_row(session, trash_facts(session), setup.home) for session in sessions]
        self._post(PlaceRead(rows))

    @in_thread
    def read_archive(self) -> None:
        """Read the sessions in the agents' archives."""
        rows = [
            archive_row(item, self._setup.home, is_folder_gone=bool(item.cwd) and not os.path.isdir(item.cwd))
            for item in archived(self._setup.stores)
        ]
        self._post(PlaceRead(rows))

    @in_thread
    def read_history(self, rows: Sequence[Row]) -> None:
        """Read the journal.

        :param rows: all sessions.
        """
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
