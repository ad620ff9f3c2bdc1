"""The hits of a search of all sessions, in the list: the excerpts in its rows, the number of hits, and the
entry of the hit of the session under the cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.session_search import HitExcerpts, HitLocator
from app.view.hit_line import HitPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.index import Index
    from app.index.row import Row
    from app.index.search.results import Hit
    from app.services.background import Post
    from app.view.hit_line import HitExcerpt
    from app.widgets.session_list import SessionListView


class ListedHits:
    """The best hit of each session that a query has found.

    in_all   the number of hits in all listed sessions, as text; "" if it is not known
    """

    def __init__(
        self,
        sessions: SessionListView,
        index: Callable[[], Index | None],
        post: Post,
        located: Callable[[HitPlace], None],
    ) -> None:
        """:param index: gives the index that was searched.
        :param located: shows the hit of the session under the cursor.
        """
        self._list = sessions
        self._located = located
        self._locator = HitLocator(index, post)
        self._excerpts = HitExcerpts(index, post)
        self._hits: Mapping[str, Hit] = {}
        # path -> the row whose excerpt is shown
        self._excerpt_rows: dict[str, Row] = {}
        # path, query and whether its row is provisional, of the hit that was located last
        self._located_last = ("", "", False)
        # a query, the numbers of its hits by session, and whether there are no more
        self._counted: tuple[str, Mapping[str, int], bool] = "", {}, True
        self.in_all = ""

    def stop(self) -> None:
        """End the services."""
        self._locator.stop()
        self._excerpts.stop()

    def query_changed(self) -> None:
        """The hits belong to another query now."""
        self.in_all = ""

    def clear(self) -> None:
        """Forget the hits: there is no query any more."""
        self._hits = {}

    def has(self, row: Row | None) -> bool:
        """Whether a session has a hit."""
        return row is not None and row.path in self._hits

    def show(self, hits: Mapping[str, Hit], query: str, *, is_due: bool) -> None:
        """Show the hits of a query. Excerpts of another query are shown until there are new ones.

        :param hits: path -> best hit.
        :param is_due: more hits are to come.
        """
        self._hits = hits
        excerpts = self._list.excerpts
        for path in [path for path in excerpts if path not in hits]:
            del excerpts[path]
        for path, row in list(self._excerpt_rows.items()):
            if hits[path].row is not row if path in hits else True:
                excerpts.pop(path, None)
                del self._excerpt_rows[path]
        self._list.excerpts_of = query
        if not is_due:
            self._list.redraw_rows()

    # the excerpts and the number of hits

    async def find_excerpts(self, paths: Sequence[str]) -> None:
        """Show the excerpts of some sessions, then the branches of the hits; then count all hits."""
        query, every = self._list.excerpts_of, self._hits
        hits = [every[path] for path in paths if path in every]
        if not hits:
            return
        at = 0
        while at < len(hits):
            found = await self._excerpts.find(hits[at:], query)
            self._show_excerpts(hits[at:], found)
            at += len(found)
        for hit in hits:
            excerpt = await self._excerpts.place(hit, query)
            if excerpt is not None:
                self._show_excerpts([hit], [excerpt])
        self._counted = (query, *await self._excerpts.count(every))

    def _show_excerpts(self, hits: Sequence[Hit], excerpts: Sequence[HitExcerpt]) -> None:
        """Show the excerpts that belong to the query."""
        found = {hit.path: excerpt for hit, excerpt in zip(hits, excerpts, strict=False)}
        found = {path: each for path, each in found.items() if each.query == self._list.excerpts_of}
        self._excerpt_rows.update((path, self._hits[path].row) for path in found if path in self._hits)
        self._list.show_excerpts(found)

    def count(self) -> None:
        """Add up the hits in all listed sessions, or the least that there are."""
        query, counts, exact = self._counted
        if query == self._list.excerpts_of:
            listed = self._list.model.group_of
            hits = sum(count for path, count in counts.items() if listed(path) is not None)
            self.in_all = f"{hits:,}{'' if exact else '+'}" if hits else ""

    # the hit of the session under the cursor

    def locate(self, query: str) -> None:
        """Find the entry and branch of the hit of the session under the cursor, unless that was done."""
        row = self._list.row
        path = row.path if row is not None else ""
        hit = self._hits.get(path)
        # The branches of a session are known when its file is read.
        is_provisional = hit is not None and hit.row.provisional
        wanted = (path, query if hit else "", is_provisional)
        if wanted == self._located_last:
            return
        again = wanted[:2] == self._located_last[:2]
        self._located_last = wanted
        finding = self._find_places(path, hit, query, again)
        self._list.run_worker(finding, exclusive=True, group="hit")

    async def _find_places(self, path: str, hit: Hit | None, query: str, again: bool) -> None:
        if hit is None:
            self._located(HitPlace(path, query, None, -1, (), ""))
            return
        async for place in self._locator.places(path, hit, query, again=again):
            self._located(place)

    def forget_located(self) -> None:
        """Let `locate` answer once more about the same hit."""
        self._located_last = ("", "", False)
