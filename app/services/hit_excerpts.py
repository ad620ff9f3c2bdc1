"""The excerpts of hits for the rows in view, in a thread: why each session is a hit, and how often."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.messages import ExcerptsFound
from app.services.background import BackgroundService, GilYielder
from app.services.session_search import LARGE_SESSION
from app.view.hit_line import MOST_HITS, HitExcerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.index import Index
    from app.index.search.results import Hit
    from app.services.background import Post

POST_SECONDS = 0.02
"""Time after which the excerpts that are known are posted."""


class HitExcerpts(BackgroundService):
    """Finds excerpts; posts ``ExcerptsFound``, first without the branches, which take longer."""

    thread_name = "excerpts"

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then nothing is posted."""
        super().__init__(post)
        self._index = index

    def find(self, hits: Sequence[Hit], query: str) -> None:
        """Find the excerpts of these hits of a query; an earlier request is dropped."""
        self._worker.submit(lambda is_stale: self._find(hits, query, is_stale))

    def cancel(self) -> None:
        """Drop the request: the query changes."""
        self._worker.submit(lambda is_stale: None)

    def _find(self, hits: Sequence[Hit], query: str, is_stale: Callable[[], bool]) -> None:
        index = self._index()
        if index is None:
            return
        yielder = GilYielder(is_stale)
        found: dict[str, HitExcerpt] = {}
        posted_at = monotonic()
        for hit in hits:
            if not yielder.keep_going():
                return
            hit.look_up()
            count = hit.count(MOST_HITS + 1) if hit.where != "row" else 0
            found[hit.path] = HitExcerpt(query, hit.where, hit.snippet, hit.ranges, hits=count)
            if monotonic() - posted_at >= POST_SECONDS:
                self._post(ExcerptsFound(found))
                found, posted_at = {}, monotonic()
        if found:
            self._post(ExcerptsFound(found))
        self._find_places(index, hits, query, yielder)

    def _find_places(self, index: Index, hits: Sequence[Hit], query: str, yielder: GilYielder) -> None:
        """Find the branches of the hits in sessions that are read quickly."""
        for hit in hits:
            if hit.row.linear or hit.row.size >= LARGE_SESSION or hit.where not in ("text", "label"):
                continue
            place = index.place(hit, yielder.keep_going)
            if not yielder.keep_going():
                return
            if place.on_active_path is not False:
                continue
            words = f"branch {place.branch} of {place.branches}" if place.branch else "not on the active path"
            count = hit.count(MOST_HITS + 1)
            excerpt = HitExcerpt(query, hit.where, hit.snippet, hit.ranges, words, count)
            self._post(ExcerptsFound({hit.path: excerpt}))
