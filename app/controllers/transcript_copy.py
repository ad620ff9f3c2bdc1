"""Opens a copy of a session's transcript in the user's editor or pager."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from app.export.choice import MARKDOWN, Choice
from app.formats.text import inert
from app.services.background import GilYielder, in_background
from app.sessions.errors import SessionError
from app.view.notifications import quoted, reason_of

if TYPE_CHECKING:
    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.setup import Setup

PATIENCE = 0.3
"""Seconds after which the status line says that the session is being read."""
MOST_SECONDS = 600.0
"""Seconds for which it says so at most."""
READING = "Reading… Esc cancels"


@dataclass(eq=False, repr=False)
class TranscriptCopy:
    """Makes the text of one transcript at a time, and opens it."""

    _host: DialogHost
    _messages: StatusMessages
    _setup: Setup

    def __post_init__(self) -> None:
        # drops the text that is being made; None while none is
        self._cancelled: Event | None = None

    def open(self, row: Row | None, kind: str) -> None:
        """Open the transcript of a session in the "pager" or the "editor"."""
        if row is None:
            self._messages.show("No transcript to open: move to a session")
            return
        self.cancel()
        self._cancelled = cancelled = Event()
        self._host.start(self._open(row, kind, cancelled))
        self._host.set_timer(PATIENCE, lambda: self._say(cancelled))

    def cancel(self) -> bool:
        """Drop the text that is being made. False: there is none."""
        if self._cancelled is None:
            return False
        self._cancelled.set()
        self._end()
        return True

    def stop(self) -> None:
        """End the thread that makes the text."""
        if self._cancelled is not None:
            self._cancelled.set()

    async def _open(self, row: Row, kind: str, cancelled: Event) -> None:
        text = reason = ""
        try:
            text = await in_background(lambda: _text_of(row, kind, self._setup, cancelled))
        except (SessionError, OSError) as error:
            reason = reason_of(error)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        if cancelled.is_set():
            return
        self._end()
        if reason:
            self._messages.complain(f"Not opened: {reason} – {quoted(row.title)}")
        else:
            self._host.open_in_program(kind, text, self._setup.env)

    def _say(self, cancelled: Event) -> None:
        if self._cancelled is cancelled:
            self._messages.show(READING, MOST_SECONDS)

    def _end(self) -> None:
        self._cancelled = None
        self._messages.withdraw(READING)


def _text_of(row: Row, kind: str, setup: Setup, cancelled: Event) -> str:
    """The active path as Markdown, with everything that the session has; inert for a pager. It ends early
    when it is cancelled.
    """
    # Imported here, in the thread: few runs need it, and loading it would delay the first key.
    from app.export.exporter import Surroundings, open_export

    surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms(), setup.prices)
    yielder = GilYielder(cancelled.is_set)
    texts: list[str] = []
    for piece in open_export(row.path, (row.agent,), MARKDOWN, Choice(), surroundings).pieces:
        if not yielder.keep_going():
            break
        texts.append(inert(piece.decode()) if kind == "pager" else piece.decode())
    return "".join(texts)
