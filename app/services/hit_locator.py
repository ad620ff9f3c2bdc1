"""Finds out in the background where in its session a hit is.

What a hit says stands in its session's file, and the place of a branch among others takes all of the file:
neither is waited for by anybody who draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.messages.searching import HitPlaced
from app.services.query_job import Questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.index import Index
    from app.index.search.results import Hit

AT_ONCE = 1 << 20
"""Bytes of a session below which its hit is told with its place. Of a longer one the hit is told first."""
ACTIVE = "on the active path"


class HitLocator(Questions):
    """Looks hits up; answers with ``HitPlaced``, for a long session with two."""

    name = "spot"

    def ask(self, path: str, hit: Hit, query: str) -> None:
        """Find out where the hit of the session at `path` is; what was asked before is dropped."""
        self._latest.ask(lambda overtaken: self._spot(path, hit, query, overtaken))

    def _spot(self, path: str, hit: Hit, query: str, overtaken: Callable[[], bool]) -> None:
        index = self._index()
        if index is None:
            return
        hit.look_up()
        words = _marked(hit, query)
        later = not hit.row.linear and hit.row.size >= AT_ONCE
        if later and not overtaken():
            self._post(HitPlaced(path, query, hit.entry_id, hit.offset, words, ""))
        where = _where(index, hit, overtaken)
        if not overtaken() and (where or not later):
            self._post(HitPlaced(path, query, hit.entry_id, hit.offset, words, where, again=later))


def _marked(hit: Hit, query: str) -> tuple[str, ...]:
    """What to mark: the words of the query, and what a pattern or another spelling found here."""
    from app.formats.fold import fold
    from app.index.query.grammar import parse
    from app.index.query.query import QueryError
    from app.index.query.words import words_of

    try:
        words = words_of(parse(query, 0))
    except QueryError:
        words = ()
    found = [fold(hit.snippet[start:end]) for start, end in hit.ranges]
    # a phrase that is marked word by word is marked
    rest = [one for one in found if any(word not in words for word in one.split())]
    return tuple(dict.fromkeys((*words, *rest)))


def _where(index: Index, hit: Hit, overtaken: Callable[[], bool]) -> str:
    place = index.place(hit, lambda: not overtaken())
    if place.on_active_path is None or place.branches < 2:
        return ""
    if place.on_active_path:
        return ACTIVE
    left = "not on the active path"
    return f"branch {place.branch} of {place.branches}, {left}" if place.branch else left
