"""What can be typed next in the line of the search."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.services.latest import LatestOnlyWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.query.vocabulary import Vocabulary
    from app.index.row import Row

AS_NEW_AS = 10.0
"""Seconds after which the values that sessions have are looked for again."""

NAMES_FROM = 2
"""So many letters of a filter's name are typed before the rest is offered: one alone may begin any word."""


class Completing:
    """Completes the last word; collects the values of the sessions in a thread. Never touches a widget."""

    def __init__(
        self, rows: Callable[[], Sequence[Row]], home: str, failed: Callable[[BaseException], None]
    ) -> None:
        """:param rows: the sessions, called in the caller's thread.
        :param home: the folder that is typed as `~`.
        """
        self._rows = rows
        self._home = home
        self._latest = LatestOnlyWorker("complete", failed)
        self._vocabulary: Vocabulary | None = None
        self._made = -AS_NEW_AS

    def prepare(self) -> None:
        """See that the values are known soon, and not old."""
        if monotonic() - self._made >= AS_NEW_AS:
            self._made = monotonic()
            rows = self._rows()
            self._latest.ask(lambda overtaken: self._collect(rows))

    def completed(self, text: str) -> tuple[str, bool]:
        """`text` with its last word completed by the likeliest of what may stand there; "" where there is
        nothing to add to it. And whether that word is surely a filter, with its colon typed: one without may
        be any word that begins as a filter's name does.
        """
        self.prepare()
        last = text.rpartition(" ")[2]
        if len(last) < NAMES_FROM:
            return "", False
        from app.index.query.complete import complete
        from app.index.query.tokens import tokens

        for candidate in complete(text, len(text), self._vocabulary):
            whole = candidate.applied(text)
            if whole != text:
                return whole, ":" in text[tokens(text)[-1].start :]
        return "", False

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _collect(self, rows: Sequence[Row]) -> None:
        # The first key does not wait for it.
        import app.index.query.complete  # noqa: F401
        from app.index.query.vocabulary import vocabulary

        newest_first = sorted(rows, key=lambda row: -row.modified)
        self._vocabulary = vocabulary(newest_first, self._home)
