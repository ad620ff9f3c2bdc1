"""Reads what the places show, in a thread: the history, the trash and the archive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.row import provisional_row, signature_of
from app.services.background import BackgroundService, answered
from app.sessions.summaries.quick_summary import quick_summary
from app.stores import all_pins
from app.stores.archive import archived
from app.view.places import archive_row, trash_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.actions.history import HistoryStep
    from app.actions.restore import TrashedSession
    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup
    from app.view.places import PlaceRow


class PlacesReader(BackgroundService):
    """All its methods are awaited."""

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup

    @answered()
    def read_session(self, session: TrashedSession) -> Row | None:
        """Read the two ends of a session in the trash; None if it cannot be read."""
        try:
            status = os.stat(session.in_trash)
        except OSError:
            return None
        agents = (session.agent,) if session.agent else ()
        summary = quick_summary(session.in_trash, agents, status.st_mtime_ns // 1_000_000)
        if summary is None or summary.id != session.session_id:
            return None
        folder = os.path.dirname(session.in_trash)
        return provisional_row(session.in_trash, folder, summary.values(), signature_of(status))

    @answered()
    def read_trash(self) -> list[PlaceRow]:
        """Return the sessions in the trash; the last that came there is first."""
        # Imported here: the modules of the trash are loaded with the first action.
        from app.actions.restore import list_trashed
        from app.actions.trash_place import trash_facts

        setup = self._setup
        sessions = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
        return [trash_row(session, trash_facts(session), setup.home) for session in sessions]

    @answered()
    def read_archive(self) -> list[PlaceRow]:
        """Return the sessions in the agents' archives; the last that came there is first."""
        return [
            archive_row(item, self._setup.home, is_folder_gone=bool(item.cwd) and not os.path.isdir(item.cwd))
            for item in archived(self._setup.stores)
        ]

    @answered()
    def read_history(self, rows: Sequence[Row]) -> list[HistoryStep]:
        """Read the journal: what can be redone, and what was done; the newest first.

        :param rows: all sessions.
        """
        # Imported here: the modules of the journal are loaded with the first action.
        from app.actions.history import history
        from app.actions.journal import Journal

        setup = self._setup
        journal = Journal(setup.state_folder)
        return history(journal, rows, all_pins(setup.stores, setup.state_folder))
