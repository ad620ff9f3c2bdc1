"""Opens a copy of a session's transcript in the user's editor or pager."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.notifications import quoted

if TYPE_CHECKING:
    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.messages import TranscriptMade
    from app.services.transcript_text import TranscriptText
    from app.setup import Setup

PATIENCE = 0.3
"""Seconds after which the status line says that the session is being read."""
MOST_SECONDS = 600.0
"""Seconds for which it says so at most."""


class TranscriptCopy:
    """Requests the text of a transcript, and opens it when it comes."""

    def __init__(
        self, host: DialogHost, messages: StatusMessages, service: TranscriptText, setup: Setup
    ) -> None:
        """:param service: makes the text; call `made` with its message."""
        self._host = host
        self._messages = messages
        self._service = service
        self._setup = setup
        # the session whose text is being made, and what the status line says of it
        self._row: Row | None = None
        self._said = ""

    def open(self, row: Row | None, kind: str) -> None:
        """Open the transcript of a session in the "pager" or the "editor"."""
        if row is None:
            self._messages.show("No transcript to open: move to a session")
            return
        self.cancel()
        self._row = row
        self._service.make(row, kind)
        generation = self._service.generation
        self._host.set_timer(PATIENCE, lambda: self._say(generation))

    def cancel(self) -> bool:
        """Drop the request. False: there is none."""
        if self._row is None:
            return False
        self._service.cancel()
        self._end()
        return True

    def made(self, event: TranscriptMade) -> None:
        """Open the text, or show why there is none."""
        row = self._row
        if event.generation != self._service.generation or row is None:
            return
        self._end()
        if event.reason:
            self._messages.complain(f"Not opened: {event.reason} – {quoted(row.title)}")
        else:
            self._host.open_in_program(event.kind, event.text, self._setup.env)

    def _say(self, generation: int) -> None:
        if self._row is not None and generation == self._service.generation:
            self._said = "Reading… Esc cancels"
            self._messages.show(self._said, MOST_SECONDS)

    def _end(self) -> None:
        self._row = None
        if self._said:
            self._messages.withdraw(self._said)
            self._said = ""
