"""Search of all sessions in the background: the query as it is typed, the place and the excerpt of a hit, and
completions.
"""

from __future__ import annotations

import gc
from time import monotonic
from typing import TYPE_CHECKING

from app.formats.errors import Cancelled
from app.formats.text import one_line
from app.formats.utf8_text import fold
from app.index.query.completion import MOST_PATHS, Vocabulary, complete, vocabulary
from app.messages import SearchFound
from app.services.background import BackgroundService, GilYielder, answered
from app.stores.tags import known_tags
from app.view.hit_line import MOST_HITS, HitExcerpt, HitPlace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from app.index.index import Index
    from app.index.query.completion import Completion
    from app.index.query.query import Note, Query
    from app.index.row import Row
    from app.index.search.results import Hit, Page
    from app.index.touched_files import TouchedFiles
    from app.services.background import Post
    from app.stores.tags import Taggings

FIRST_SECONDS = 0.03
"""Delay of the first page: most searches end within it, and their result goes into the list at once."""
PROVISIONAL_SECONDS = 0.1
"""Time after which no row that is shown moves."""
EMPTY_SECONDS = 0.1
"""Delay before a page without hits is posted."""
POST_SECONDS = 0.05
"""Least time between two pages, except before the first and the last one."""
SLOWER = 1.5
"""Factor by which each pause is longer than the one before: a longer list takes longer to show."""

LARGE_SESSION = 1 << 20
"""Bytes of a session from which on its hit is shown before its branch is known."""
ACTIVE = "on the active path"

EXCERPT_SECONDS = 0.02
"""Time after which the excerpts that are known are shown."""

VALUES_SECONDS = 10.0
"""Age at which the values of the sessions are collected again."""
LONGEST_MISSING = 20
"""Characters of a word in a row that lacks it."""
EVERY_HIT = 1 << 30
COUNT_SECONDS = 1.0
"""Most seconds for which hits are counted; a greater number is shown as the least that there are."""


class SessionSearch(BackgroundService):
    """Runs the newest query; posts ``SearchFound``."""

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then nothing is posted."""
        super().__init__(post)
        self._index = index
        self._is_prepared = False
        self._has_query = False
        # The newest (text, order, typing); the number of requests; the number of the first request with
        # this query; the number of the first request of the query whose last page was posted.
        self._query: tuple[str, str, bool] | None = None
        self._requests = self._first_request = self._completed_request = 0

    def search(self, text: str, *, order: str = "best", typing: bool = False) -> None:
        """Search for the query `text`; an empty one only cancels the search that runs.

        The same query is submitted again when sessions change. Then the running search ends first: if
        sessions change all the time, none would end otherwise. The old result stays until the new one is
        complete.

        :param order: the order of `SearchFound.order` (`Index.query`).
        :param typing: the last word is being typed.
        """
        self._has_query = bool(text.strip())
        self._requests += 1
        query = text, order, typing
        is_new = query != self._query
        if is_new:
            self._query, self._first_request = query, self._requests
        first, number = self._first_request, self._requests
        self._worker.submit(
            lambda is_stale: self._search(text, order, typing, first, number, is_stale),
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
        typing: bool,
        first: int,
        number: int,
        is_stale: Callable[[], bool],
    ) -> None:
        index = self._index()
        if index is None or not text.strip():
            return
        from app.index.query.grammar import MOST_CHARACTERS, unknown_filters
        from app.index.query.query import QueryError
        from app.index.search.results import HitsByPath

        self._is_prepared = True
        started = monotonic()
        try:
            run = index.query(text, order=order, live=True, typing=typing, keep_going=lambda: not is_stale())
        except QueryError as error:
            # A query that is too long has no faulty word, which might be typed on.
            faults = ((error.position, error.length),) if len(text) <= MOST_CHARACTERS else ()
            refusal = SearchFound(
                text,
                frozenset(),
                (),
                done=True,
                refused=error.message,
                faults=faults,
            )
            self._post(refusal)
            return
        words, unknown = run.query.words, unknown_filters(text)
        is_repeated = self._completed_request == first
        hits = HitsByPath()
        deleted: list[Row] = []
        posted_at, pause = started, FIRST_SECONDS
        is_provisional = False
        for page in run:
            if is_stale():
                run.cancel()
                return
            if is_provisional and not page.is_provisional:
                hits, deleted = HitsByPath(), []
            has_order = is_provisional and not page.is_provisional
            is_provisional = page.is_provisional
            hits.add(page.hits)
            deleted += [row for row in page.hits.rows() if row.is_deleted]
            now = monotonic()
            if page.done:
                self._completed_request = first
            is_due = now - posted_at >= (pause if hits else EMPTY_SECONDS)
            if is_provisional:
                is_due &= now - started < PROVISIONAL_SECONDS
            elif page.hits and page.searched < page.of:
                # The files of many sessions are read now.
                is_due |= has_order or posted_at == started
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
                    sort=run.query.sort,
                    provisional=is_provisional,
                    loosened=page.loosened,
                    deleted=tuple(deleted),
                    hidden=run.query.hidden,
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
    """Finds the entry and the branch of a hit."""

    shares_thread = True

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then no place is found."""
        super().__init__(post)
        self._index = index

    async def places(
        self, path: str, hit: Hit, query: str, *, again: bool = False
    ) -> AsyncIterator[HitPlace]:
        """The place of the first hit of the session at `path` on its active path; for a large session first
        that of its best hit, without the branch.

        :param again: it was located before, with another row of the session.
        """
        index = self._index()
        if index is None:
            return
        place = await self._find(path, hit, query, again)
        is_large = not hit.row.linear and hit.row.size >= LARGE_SESSION
        if is_large:
            yield place
        offset, branch = await self._first(index, hit, place.offsets)
        if branch or not is_large or offset != place.offset:
            first = place._replace(where=branch, again=is_large or again)
            if offset != place.offset:
                # The snippet is that of another hit.
                first = first._replace(offset=offset, entry_id=None, snippet="", ranges=())
            yield first

    @answered()
    def _find(self, path: str, hit: Hit, query: str, again: bool) -> HitPlace:
        hit.look_up()
        parsed = _parsed(query)
        offsets = tuple(hit.offsets(EVERY_HIT)) if hit.where != "row" else ()
        return HitPlace(
            path,
            query,
            hit.entry_id,
            hit.offset,
            _words_to_mark(hit, parsed),
            "",
            again=again,
            snippet=hit.snippet if hit.where == "text" else "",
            ranges=hit.ranges,
            offsets=offsets,
        )

    @answered()
    def _first(self, index: Index, hit: Hit, offsets: Sequence[int]) -> tuple[int, str]:
        """The offset of the first hit on the active path, and its branch; or the prompt of the history that
        the hit is.
        """
        if hit.where == "history":
            return hit.offset, f"in the prompt history: {hit.snippet}"
        is_stale = self._is_stale
        offset, place = index.first_hit(hit, offsets, lambda: not is_stale())
        if place.on_active_path is None or place.branches < 2:
            return offset, ""
        if place.on_active_path:
            return offset, ACTIVE
        inactive = "not on the active path"
        return offset, f"branch {place.branch} of {place.branches}, {inactive}" if place.branch else inactive


def _parsed(query: str) -> Query:
    """The query; an empty one if it is refused."""
    from app.index.query.grammar import parse
    from app.index.query.query import Query, QueryError

    try:
        return parse(query, 0)
    except QueryError:
        return Query()


def _words_to_mark(hit: Hit, query: Query) -> tuple[str, ...]:
    """The words of the query, and the texts that a regex or another spelling matched here."""
    words = query.words
    matches = [fold(hit.snippet[start:end]) for start, end in hit.ranges]
    # The words of a phrase are marked one by one.
    others = [match for match in matches if any(word not in words for word in match.split())]
    return tuple(dict.fromkeys((*words, *others)))


class HitExcerpts(BackgroundService):
    """Finds excerpts, and counts hits."""

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, which has found the hits."""
        super().__init__(post)
        self._index = index

    @answered()
    def find(self, hits: Sequence[Hit], query: str) -> list[HitExcerpt]:
        """The excerpts of the first of these hits of a query, as many as are found in `EXCERPT_SECONDS`.
        They are without the branches, which take longer.
        """
        yielder, began = GilYielder(self._is_stale), monotonic()
        found: list[HitExcerpt] = []
        for hit in hits:
            if not yielder.keep_going():
                raise Cancelled
            found.append(_excerpt(hit, query))
            if monotonic() - began >= EXCERPT_SECONDS:
                break
        return found

    @answered()
    def place(self, hit: Hit, query: str) -> HitExcerpt | None:
        """The excerpt with the branch of a hit, if the session is read quickly; None if that adds nothing."""
        index = self._index()
        is_slow = hit.row.linear or hit.row.size >= LARGE_SESSION or hit.where not in ("text", "label")
        if index is None or is_slow:
            return None
        place = index.place(hit, GilYielder(self._is_stale).keep_going)
        if place.on_active_path is not False:
            return None
        words = f"branch {place.branch} of {place.branches}" if place.branch else "not on the active path"
        return _excerpt(hit, query, words)

    @answered()
    def count(self, hits: Mapping[str, Hit]) -> tuple[dict[str, int], bool]:
        """The numbers of hits by the paths of the sessions, as far as `COUNT_SECONDS` allow.

        :return: the numbers; False if there may be more.
        """
        yielder, began = GilYielder(self._is_stale), monotonic()
        counts: dict[str, int] = {}
        exact = True
        for path, hit in hits.items():
            if not yielder.keep_going():
                raise Cancelled
            if monotonic() - began > COUNT_SECONDS:
                return counts, False
            hit.look_up()
            count = hit.count(MOST_HITS + 1) if hit.where != "row" else 0
            exact &= count <= MOST_HITS
            counts[path] = min(count, MOST_HITS)
        return counts, exact


def _excerpt(hit: Hit, query: str, place: str = "") -> HitExcerpt:
    hit.look_up()
    count = hit.count(MOST_HITS + 1) if hit.where != "row" else 0
    if hit.missing:
        place = f"without {', '.join(one_line(name, LONGEST_MISSING) for name in hit.missing)}"
    # Imported here, in the thread: it loads the decoder of entries.
    from app.services.hit_shapes import shape_of

    text, ranges = shape_of(hit) or (hit.snippet, hit.ranges)
    return HitExcerpt(query, hit.where, text, ranges, place, count)


class Completer(BackgroundService):
    """Completes a query from the values that sessions have, which a thread collects."""

    def __init__(self, home: str, post: Post) -> None:
        """:param home: the folder that is typed as `~`."""
        super().__init__(post)
        self._home = home
        self._vocabulary: Vocabulary | None = None
        self._collected_at = -VALUES_SECONDS

    @property
    def is_current(self) -> bool:
        """Whether the values are known and recent, or are being collected."""
        return monotonic() - self._collected_at < VALUES_SECONDS

    @property
    def has_paths(self) -> bool:
        """Whether touched files are among the values."""
        return self._vocabulary is not None and bool(self._vocabulary.of("file"))

    def collect(
        self, rows: Sequence[Row], taggings: Taggings, touched: TouchedFiles | None
    ) -> Awaitable[None]:
        """Collect the values of these sessions."""
        self._collected_at = monotonic()
        return self._collect(rows, taggings, touched)

    def forget(self) -> None:
        """Let the values be collected again at the next key: tags, or touched files, have changed."""
        self._collected_at = -VALUES_SECONDS

    def candidates(self, text: str, position: int) -> list[Completion]:
        """The completions at the cursor, the likeliest first (`app.index.query.completion.complete`)."""
        return complete(text, position, self._vocabulary)

    @answered()
    def _collect(self, rows: Sequence[Row], taggings: Taggings, touched: TouchedFiles | None) -> None:
        newest_first = sorted(rows, key=lambda row: -row.modified)
        found = vocabulary(newest_first, self._home).with_tags(known_tags(taggings))
        paths = touched.recent_paths(newest_first, MOST_PATHS) if touched is not None else {}
        self._vocabulary = found.with_files(paths)
