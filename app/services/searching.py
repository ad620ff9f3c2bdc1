"""Searches in the background: what is typed last is looked for, and what was looked for before is dropped."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from app.formats.collector import Resting
from app.messages.searching import SearchFound
from app.services.query_job import Questions

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_SECONDS = 0.03
"""So long the first page is held back: most searches are done by then, and are put into the list once."""
EMPTY_SECONDS = 0.1
"""So long nothing is said of it that nothing was found yet."""
POST_SECONDS = 0.05
"""What is found is posted no closer together than this, after the first page and before the last."""
SLOWER = 1.5
"""So much longer is each pause than the one before: the more was found, the longer it takes to show it."""


class Searching(Questions):
    """Asks what matches; answers with ``SearchFound``."""

    name = "search"
    _ready = False
    _is_asked = False
    # what was asked last; how often something was, when that was first, and of which the whole was told last
    _question: tuple[str, str, bool] | None = None
    _times = _first = _told = 0

    def ask(self, text: str, *, order: str = "recent", everywhere: bool = False) -> None:
        """Look for what matches the query `text`; an empty one only drops the last one.

        The same question is asked again when sessions have changed. The search that is on comes to its end
        first: where they change all the time, none would. What was found stays until it is all known anew.

        :param order: "recent" or "relevance": how `SearchFound.order` is ordered (`Index.query`).
        :param everywhere: also in what tools were asked and gave back, where the query does not say where.
        """
        self._is_asked = bool(text.strip())
        self._times += 1
        question = text, order, everywhere
        is_new = question != self._question
        if is_new:
            self._question, self._first = question, self._times
        first, times = self._first, self._times
        self._latest.ask(
            lambda overtaken: self._search(text, order, everywhere, first, times, overtaken),
            overtakes=is_new,
        )

    def prepare(self) -> None:
        """Make ready for the first question, unless one has been asked: that would be dropped for it."""
        if not self._ready and not self._is_asked:
            self._latest.ask(self._prepare)

    def _search(
        self, text: str, order: str, everywhere: bool, first: int, times: int, overtaken: Callable[[], bool]
    ) -> None:
        index = self._index()
        if index is None or not text.strip():
            return
        self._ready = True
        from app.index.query.query import QueryError
        from app.index.query.wider import leaves_tools
        from app.index.query.words import words_of
        from app.index.search.results import HitsByPath

        begun = time.monotonic()
        try:
            search = index.query(text, order=order, all_text=everywhere, keep_going=lambda: not overtaken())
        except QueryError as error:
            refused = SearchFound(
                text,
                frozenset(),
                (),
                done=True,
                refused=error.message,
                faults=((error.position, error.length),),
                everywhere=everywhere,
            )
            self._post(refused)
            return
        words, has_more = words_of(search.query), leaves_tools(search.query)
        is_again = self._told == first
        hits = HitsByPath()
        posted, pause = begun, FIRST_SECONDS
        for page in search:
            if overtaken():
                search.cancel()
                return
            hits.add(page.hits)
            now = time.monotonic()
            if page.done:
                self._told = first
            if page.done or (not is_again and now - posted >= (pause if hits else EMPTY_SECONDS)):
                # what was posted belongs to the screen: it gets its own copies
                found = SearchFound(
                    text,
                    frozenset(hits),
                    words,
                    done=page.done and times == self._times,
                    notes=tuple(note.message for note in page.notes),
                    faults=tuple((note.position, note.length) for note in page.notes),
                    hits=hits.copy(),
                    order=tuple(hits),
                    everywhere=everywhere,
                    leaves_tools=has_more,
                    took_ms=round((now - begun) * 1000),
                )
                self._post(found)
                pause = max(POST_SECONDS, pause * SLOWER)
                posted = time.monotonic()

    def _prepare(self, overtaken: Callable[[], bool]) -> None:
        index = self._index()
        if index is not None:
            self._ready = True
            with Resting():
                index.prepare(lambda: not overtaken())
            # What was made is there to the end, and as much as ten thousand sessions.
            gc.freeze()
