"""Makes the text of a whole transcript for another program, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.export.choice import MARKDOWN, Choice
from app.formats.text import inert
from app.messages import TranscriptMade
from app.services.background import BackgroundService, GilYielder
from app.sessions.errors import SessionError
from app.view.notifications import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup


class TranscriptText(BackgroundService):
    """Posts ``TranscriptMade`` for the newest request, unless it is cancelled."""

    thread_name = "transcript-text"

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup

    def make(self, row: Row, kind: str) -> None:
        """Make the text of the active path, as Markdown, with everything that the session has.

        :param kind: the program that gets it: "pager" or "editor".
        """
        self._start_request(
            lambda generation, is_stale: self._make(
                generation, row, kind, lambda: is_stale() or generation != self.generation
            )
        )

    def cancel(self) -> None:
        """Drop the request."""
        self.generation += 1

    def _make(self, generation: int, row: Row, kind: str, is_stale: Callable[[], bool]) -> None:
        # Imported here, in the thread: few runs need it, and loading it would delay the first key.
        from app.export.exporter import Surroundings, open_export

        setup, yielder = self._setup, GilYielder(is_stale)
        surroundings = Surroundings(setup.stores, setup.agent_env, setup.home, setup.now_ms())
        texts: list[str] = []
        reason = ""
        try:
            for piece in open_export(row.path, (row.agent,), MARKDOWN, Choice(), surroundings).pieces():
                if not yielder.keep_going():
                    return
                text = piece.decode()
                texts.append(inert(text) if kind == "pager" else text)
        except (SessionError, OSError) as error:
            reason = reason_of(error)
        self._post(TranscriptMade(generation, kind, "" if reason else "".join(texts), reason))
