"""The last queries, which come back in an empty search line."""

from __future__ import annotations

from collections.abc import Mapping

MOST = 10
LONGEST = 500
"""Characters. A longer query, as a pasted text, does not come back."""
_KEY = "query-"


class RecentQueries:
    """The last queries, the newest first, each once; and the one that was brought back."""

    def __init__(self) -> None:
        self._queries: list[str] = []
        # the position of the query that was brought back; -1 for none
        self._shown = -1

    @property
    def is_empty(self) -> bool:
        """Whether no query was ever used."""
        return not self._queries

    def add(self, query: str) -> bool:
        """Remember a query that was used; return whether that changes anything."""
        self._shown = -1
        query = query.strip()
        if not query or len(query) > LONGEST or query == next(iter(self._queries), ""):
            return False
        self._queries = [query, *(other for other in self._queries if other != query)][:MOST]
        return True

    def older(self, text: str) -> str | None:
        """The query before the one in the search line, or the newest one for an empty line; None if there is
        none, and if the line has another text.
        """
        position = self._position(text)
        if (text and position < 0) or position + 1 >= len(self._queries):
            return None
        self._shown = position + 1
        return self._queries[self._shown]

    def newer(self, text: str) -> str | None:
        """The query after the one in the search line; "" after the newest one. None if none was brought
        back, or if the line has another text.
        """
        if self._position(text) < 0:
            return None
        self._shown -= 1
        return self._queries[self._shown] if self._shown >= 0 else ""

    def _position(self, text: str) -> int:
        """The position of the query that was brought back, if the line still has it; else -1."""
        return self._shown if self._shown >= 0 and text == self._queries[self._shown] else -1

    def leave(self) -> None:
        """Take the text in the search line for one that was typed."""
        self._shown = -1

    def saved_fields(self) -> dict[str, str]:
        """The values that the next run begins with, for `app.paths.write_screen`; `load` reads them."""
        return {f"{_KEY}{number}": query for number, query in enumerate(self._queries)}

    def load(self, last: Mapping[str, str]) -> None:
        """Take over the values that the last run stored, behind the queries of this run."""
        stored = (last.get(f"{_KEY}{number}", "")[:LONGEST] for number in range(MOST))
        self._queries = [*dict.fromkeys(filter(None, (*self._queries, *stored)))][:MOST]
