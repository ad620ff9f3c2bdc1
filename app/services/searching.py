"""Searches in the background: what is typed last is looked for, and what was looked for before is dropped."""

from __future__ import annotations

import time

from app.messages import SearchFound
from app.services.latest import Latest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from app.index.index import Index

POST_SECONDS = 0.05
"""What is found is posted no closer together than this, after the first page and before the last."""


class Searching:
    """Asks the index; never touches a widget."""

    def __init__(
        self,
        index: Callable[[], Index | None],
        post: Callable[[Message], object],
        failed: Callable[[BaseException], None],
    ) -> None:
        """:param index: the index to ask, None while there is none yet: then nothing is posted, and the
            question is to be put again.
        :param post: where `SearchFound` goes.
        """
        self._index = index
        self._post = post
        self._latest = Latest("search", failed)
        self._ready = False

    def ask(self, text: str) -> None:
        """Look for what matches the query `text`; an empty one only drops the last one."""
        self._latest.ask(lambda overtaken: self._search(text, overtaken))

    def prepare(self) -> None:
        """Make ready for the first question, unless one has been asked."""
        if not self._ready:
            self._latest.ask(lambda overtaken: self._prepare())

    def stop(self) -> None:
        """Ask nothing more."""
        self._latest.stop()

    def _search(self, text: str, overtaken: Callable[[], bool]) -> None:
        index = self._index()
        if index is None or not text.strip():
            return
        self._ready = True
        from app.formats.fold import fold
        from app.index.query.query import REGEX, QueryError

        try:
            search = index.query(text)
        except QueryError as error:
            self._post(SearchFound(text, frozenset(), (), done=True, refused=error.message))
            return
        words = tuple(
            word
            for term in search.query.terms
            if not term.negated and term.kind != REGEX
            for word in fold(term.text).split()
        )
        paths: set[str] = set()
        posted = 0.0
        for page in search:
            if overtaken():
                search.cancel()
                return
            paths.update(hit.path for hit in page.hits)
            if page.done or time.monotonic() - posted >= POST_SECONDS:
                notes = tuple(note.message for note in page.notes)
                self._post(SearchFound(text, frozenset(paths), words, done=page.done, notes=notes))
                posted = time.monotonic()

    def _prepare(self) -> None:
        index = self._index()
        if index is not None:
            self._ready = True
            index.prepare()
