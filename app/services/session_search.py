"""Search of all sessions in the background: the query as it is typed, the place and the excerpt of a hit, and
completions.
"""

from __future__ import annotations

import gc
from time import monotonic
from typing import TYPE_CHECKING

from app.formats.utf8_text import fold
from app.index.query.completion import Vocabulary, complete, vocabulary
from app.messages import ExcerptsFound, HitLocated, HitsCounted, SearchFound, ValuesCollected
from app.services.background import BackgroundService, GilYielder, in_thread
from app.stores.tags import known_tags
from app.view.hit_line import MOST_HITS, HitExcerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.index import Index
    from app.index.query.completion import Completion
    from app.index.query.query import Note, Query
    from app.index.row import Row
    from app.index.search.results import Hit, Page
    from app.services.background import Post
    from app.stores.tags import Taggings

FIRST_SECONDS = 0.03
"""Delay of the first page: most searches end within it, and their result goes into the list at once."""
EMPTY_SECONDS = 0.1
"""Delay before a page without hits is posted."""
POST_SECONDS = 0.05
"""Least time between two pages, except before the first and the last one."""
SLOWER = 1.5
"""Factor by which each pause is longer than the one before: a longer list takes longer to show."""

LARGE_SESSION = 1 << 20
"""Bytes of a session from which on its hit is posted before its branch is known."""
ACTIVE = "on the active path"

EXCERPT_SECONDS = 0.02
"""Time after which the excerpts that are known are posted."""

VALUES_SECONDS = 10.0
"""Age at which the values of the sessions are collected again."""
COUNT_SECONDS = 1.0
"""Most seconds for which hits are counted; a greater number is shown as the least that there are."""


class SessionSearch(BackgroundService):
    """Runs the newest query; posts ``SearchFound``."""

    thread_name = "search"

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then nothing is posted."""
        super().__init__(post)
        self._index = index
        self._is_prepared = False
        self._has_query = False
        # The newest (text, order, everywhere); the number of requests; the number of the first request with
        # this query; the number of the first request of the query whose last page was posted.
        self._query: tuple[str, str, bool] | None = None
        self._requests = self._first_request = self._completed_request = 0

    def search(self, text: str, *, order: str = "recent", everywhere: bool = False) -> None:
        """Search for the query `text`; an empty one only cancels the search that runs.

        The same query is submitted again when sessions change. Then the running search ends first: if
        sessions change all the time, none would end otherwise. The old result stays until the new one is
        complete.

        :param order: "recent" or "relevance": the order of `SearchFound.order` (`Index.query`).
        :param everywhere: also search tool calls and output, if the query does not say where.
        """
        self._has_query = bool(text.strip())
        self._requests += 1
        query = text, order, everywhere
        is_new = query != self._query
        if is_new:
            self._query, self._first_request = query, self._requests
        first, number = self._first_request, self._requests
        self._worker.submit(
            lambda is_stale: self._search(text, order, everywhere, first, number, is_stale),
            interrupts=is_new,
        )

    def prepare(self) -> None:
        """Load the texts before the first query. A query that waits must not be replaced by this."""
        if not self._is_prepared and not self._has_query:
            self._worker.submit(self._prepare)

    def _search(
        self,
        text: str,
        order: str,
        everywhere: bool,
        first: int,
        number: int,
        is_stale: Callable[[], bool],
    ) -> None:
        index = self._index()
        if index is None or not text.strip():
            return
        from app.index.query.grammar import leaves_tools, unknown_filters
        from app.index.query.query import QueryError
        from app.index.search.results import HitsByPath

        self._is_prepared = True
        started = monotonic()
        try:
            run = index.query(text, order=order, all_text=everywhere, keep_going=lambda: not is_stale())
        except QueryError as error:
            refusal = SearchFound(
                text,
                frozenset(),
                (),
                done=True,
                refused=error.message,
                faults=((error.position, error.length),),
                everywhere=everywhere,
            )
            self._post(refusal)
            return
        words, has_more, unknown = run.query.words, leaves_tools(run.query), unknown_filters(text)
        is_repeated = self._completed_request == first
        hits = HitsByPath()
        deleted: list[Row] = []
        posted_at, pause = started, FIRST_SECONDS
        for page in run:
            if is_stale():
                run.cancel()
                return
            hits.add(page.hits)
            deleted += [row for row in page.hits.rows() if row.is_deleted]
            now = monotonic()
            if page.done:
                self._completed_request = first
            is_due = now - posted_at >= (pause if hits else EMPTY_SECONDS)
            if page.done or (not is_repeated and is_due):
                # The screen keeps what is posted, so it gets copies.
                notes, instead = _split_notes(run.query, page, unknown)
                message = SearchFound(
                    text,
                    frozenset(hits),
                    words,
                    done=page.done and number == self._requests,
                    notes=tuple(note.message for note in notes),
                    unknown=tuple(note.message for note in unknown),
                    instead=instead,
                    faults=tuple({(note.position, note.length): None for note in (*page.notes, *unknown)}),
                    hits=hits.copy(),
                    order=tuple(hits),
                    everywhere=everywhere,
                    leaves_tools=has_more,
                    deleted=tuple(deleted),
                    hidden=run.query.hidden,
                    sorts=bool(run.query.sort),
                )
                self._post(message)
                pause = max(POST_SECONDS, pause * SLOWER)
                posted_at = monotonic()

    def _prepare(self, is_stale: Callable[[], bool]) -> None:
        index = self._index()
        if index is not None:
            self._is_prepared = True
            index.prepare(lambda: not is_stale())
            # These objects stay until the end: the collector need not visit those of 10,000 sessions.
            gc.freeze()


def _split_notes(
    query: Query, page: Page, unknown: Sequence[Note]
) -> tuple[list[Note], dict[str, Sequence[str]]]:
    """The notes of a page without those about unknown filters and other spellings, and these spellings."""
    from app.index.search.matchers import name_of

    instead: dict[str, Sequence[str]] = {}
    reported = {note.position for note in unknown}
    noted = {note.position for note in page.notes} - reported
    for term in query.terms:
        name = name_of(term)
        if name in page.instead and (term.position in noted or page.instead[name]):
            instead[name] = page.instead[name]
            reported.add(term.position)
    return [note for note in page.notes if note.position not in reported or not note.length], instead


class HitLocator(BackgroundService):
    """Finds the entry and the branch of a hit; posts ``HitLocated``, for a large session two of them."""

    thread_name = "hit"

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then nothing is posted."""
        super().__init__(post)
        self._index = index

    @in_thread
    def locate(
        self, path: str, hit: Hit, query: str, *, everywhere: bool = False, again: bool = False
    ) -> None:
        """Find the place of the hit of the session at `path`; an earlier request is dropped.

        :param everywhere: also search tool calls and output, if the query does not say where.
        :param again: it was located before, with another row of the session.
        """
        index = self._index()
        if index is None:
            return
        hit.look_up()
        parsed = _parsed(query, everywhere=everywhere)
        words = _words_to_mark(hit, parsed)

        def located(where: str, *, again: bool) -> HitLocated:
            return HitLocated(
                path,
                query,
                hit.entry_id,
                hit.offset,
                words,
                where,
                again=again,
                snippet=hit.snippet if hit.where == "text" else "",
                ranges=hit.ranges,
                tools=parsed.is_deep,
            )

        is_large = not hit.row.linear and hit.row.size >= LARGE_SESSION
        if is_large and not self._is_stale():
            self._post(located("", again=again))
        branch = _place_words(index, hit, self._is_stale)
        if not self._is_stale() and (branch or not is_large):
            self._post(located(branch, again=is_large or again))


def _parsed(query: str, *, everywhere: bool) -> Query:
    """The query; an empty one if it is refused."""
    from app.index.query.grammar import parse
    from app.index.query.query import Query, QueryError

    try:
        return parse(query, 0, all_text=everywhere)
    except QueryError:
        return Query()


def _words_to_mark(hit: Hit, query: Query) -> tuple[str, ...]:
    """The words of the query, and the texts that a regex or another spelling matched here."""
    words = query.words
    matches = [fold(hit.snippet[start:end]) for start, end in hit.ranges]
    # The words of a phrase are marked one by one.
    others = [match for match in matches if any(word not in words for word in match.split())]
    return tuple(dict.fromkeys((*words, *others)))


def _place_words(index: Index, hit: Hit, is_stale: Callable[[], bool]) -> str:
    """The branch of a hit, or the prompt of the history that it is."""
    if hit.where == "history":
        return f"in the prompt history: {hit.snippet}"
    place = index.place(hit, lambda: not is_stale())
    if place.on_active_path is None or place.branches < 2:
        return ""
    if place.on_active_path:
        return ACTIVE
    inactive = "not on the active path"
    return f"branch {place.branch} of {place.branches}, {inactive}" if place.branch else inactive


class HitExcerpts(BackgroundService):
    """Finds excerpts; posts ``ExcerptsFound``, first without the branches, which take longer, and at last
    ``HitsCounted``.
    """

    thread_name = "excerpts"

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then nothing is posted."""
        super().__init__(post)
        self._index = index

    @in_thread
    def cancel(self) -> None:
        """Drop the request: the query changes."""

    @in_thread
    def find(self, hits: Sequence[Hit], every: Mapping[str, Hit], query: str) -> None:
        """Find the excerpts of these hits of a query; an earlier request is dropped.

        :param every: the hits of all sessions, whose texts are counted.
        """
        is_stale = self._is_stale
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
            if monotonic() - posted_at >= EXCERPT_SECONDS:
                self._post(ExcerptsFound(found))
                found, posted_at = {}, monotonic()
        if found:
            self._post(ExcerptsFound(found))
        self._find_places(index, hits, query, yielder)
        self._count(every, query, yielder)

    def _count(self, every: Mapping[str, Hit], query: str, yielder: GilYielder) -> None:
        """Count the hits of all sessions, as far as `COUNT_SECONDS` allow."""
        counts: dict[str, int] = {}
        exact, began = True, monotonic()
        for path, hit in every.items():
            if not yielder.keep_going():
                return
            if monotonic() - began > COUNT_SECONDS:
                exact = False
                break
            hit.look_up()
            count = hit.count(MOST_HITS + 1) if hit.where != "row" else 0
            exact &= count <= MOST_HITS
            counts[path] = min(count, MOST_HITS)
        self._post(HitsCounted(query, counts, exact=exact))

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


class Completer(BackgroundService):
    """Completes a query; a thread collects the values that sessions have, and posts ``ValuesCollected``."""

    thread_name = "complete"

    def __init__(
        self, rows: Callable[[], Sequence[Row]], taggings: Callable[[], Taggings], home: str, post: Post
    ) -> None:
        """:param rows: gives the sessions; it is called in the caller's thread.
        :param taggings: gives the tags of sessions, as `rows`.
        :param home: the folder that is typed as `~`.
        """
        super().__init__(post)
        self._rows = rows
        self._taggings = taggings
        self._home = home
        self._vocabulary: Vocabulary | None = None
        self._collected_at = -VALUES_SECONDS

    def prepare(self) -> None:
        """Collect the values, unless they are known and recent."""
        if monotonic() - self._collected_at >= VALUES_SECONDS:
            self._collected_at = monotonic()
            rows, taggings = self._rows(), self._taggings()
            self._worker.submit(lambda is_stale: self._collect(rows, taggings))

    def forget(self) -> None:
        """Collect the values again at the next key: tags have changed."""
        self._collected_at = -VALUES_SECONDS

    def candidates(self, text: str, position: int) -> list[Completion]:
        """The completions at the cursor, the likeliest first (`app.index.query.completion.complete`)."""
        self.prepare()
        return complete(text, position, self._vocabulary)

    def _collect(self, rows: Sequence[Row], taggings: Taggings) -> None:
        newest_first = sorted(rows, key=lambda row: -row.modified)
        self._vocabulary = vocabulary(newest_first, self._home).with_tags(known_tags(taggings))
        self._post(ValuesCollected())
