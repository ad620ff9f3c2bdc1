"""A running search: pages of hits, the first one as soon as it is full.

Relevance is the order of the scores of sessions. A score has three parts:

- The place of the terms: a term in the session's name or in a label counts 3, in a prompt 2, anywhere else 1.
  The mean over all terms times 10.
- The density, from 0 to 8: half of it for one passage with a term per 4,096 bytes of text.
- The age, below 1: half after 30 days.

Neither density nor age outweighs a better place of the only term. At most the last 64 passages with a term
count for the density. A prompt counts wherever it is.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING

from app.formats.text_kinds import USER
from app.index.query.query import Note
from app.index.search.cancellation import Cancelled, CancelToken
from app.index.search.hit_details import is_name_or_label
from app.index.search.matchers import QueryPlan
from app.index.search.metadata_fields import HISTORY, LABEL, NAME
from app.index.search.refinement_cache import RefinementCache
from app.index.search.results import Hit, Hits, Page
from app.index.search.search_pass import SearchPass
from app.index.search.suggestions import other_spellings
from app.index.sorting import sort_key
from app.index.text.store import damage_note

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from app.index.query.query import Facts, Query
    from app.index.search.documents import Document, DocumentSet, Snapshot
    from app.index.search.passages import Passage
    from app.index.text.mmap_reader import Segments

PAGE = 50
"""Hits of the first page."""
SOON_SECONDS = 0.004
"""Seconds after which the first page has fewer hits: the next match may be in the oldest session."""
_PAUSE_SECONDS = 0.05
"""The shortest time in seconds between later pages."""

MAX_DENSITY_PASSAGES = 64
_IN_NAME, _IN_PROMPT, _IN_TEXT = 3, 2, 1
_MAX_DENSITY = 8.0
_DENSITY_BYTES = 4096
_HALF_LIFE_MS = 30 * 24 * 3600 * 1000


class SearchRun:
    """The results of one query. Iterate over it once, in one thread, for its pages; `cancel` is for any
    thread.

    query            the query
    texts_searched   how often the texts of a session were searched for a term
    files_read       how many session files were searched
    """

    def __init__(
        self,
        query: Query,
        documents: DocumentSet,
        segments: Segments,
        facts: Facts,
        *,
        order: str,
        every: bool,
        keep_going: Callable[[], bool],
        now_ms: int,
        alone: bool,
        unread: Mapping[str, str],
        take_damage: Callable[[], Collection[str]],
    ) -> None:
        """The other parameters are those of `SearchEngine.search`.

        :param unread: path -> reason for the files that may be sessions and cannot be read.
        :param take_damage: returns the paths of the sessions whose stored text was missing or damaged, once.
        :raises QueryError: a pattern cannot be compiled.
        """
        self.query = query
        self.texts_searched = 0
        self.files_read = 0
        self._plan = QueryPlan(query)
        self._documents = documents
        self._segments = segments
        self._facts = facts
        self._order = order
        self._every = every
        self._alone = alone
        self._unread = unread
        self._now_ms = now_ms
        self._take_damage = take_damage
        self._age = segments.age
        self._cancelled = Event()
        self._token = CancelToken(lambda: not self._cancelled.is_set() and keep_going())
        self._notes: list[Note] = []
        self._instead: dict[str, tuple[str, ...]] = {}

    def cancel(self) -> None:
        """End the iteration soon, without a last page."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set()

    def __iter__(self) -> Iterator[Page]:
        """The pages in order; the last one is `done`. A cancelled search ends without it."""
        self._segments.look()
        self._age = self._segments.age
        snapshot = self._documents.snapshot(texts=not self.query.is_deep)
        cache = self._documents.cache.then(self.query, snapshot.documents)
        try:
            search_pass = self._pass(self._plan, snapshot, cache, self._filter())
            yield from self._pages(search_pass, snapshot, last=False)
            if search_pass.total:
                return
            # Suggestions take longer than the search.
            yield self._page(Hits(), search_pass, snapshot)
            snapshot = self._documents.snapshot()
            instead = self._suggest(snapshot)
            if any(instead.values()):
                near = self._pass(QueryPlan(self.query, instead), snapshot, RefinementCache(), self._filter())
                yield from self._pages(near, snapshot, last=True)
            else:
                yield self._page(Hits(), search_pass, snapshot, done=True)
        except Cancelled:
            return
        finally:
            self._documents.cache = cache

    def _suggest(self, snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
        """The name of each term that nothing matches -> its other spellings."""
        instead, notes = other_spellings(self.query, snapshot, self._segments, self._token, self._has_any)
        self._instead.update(instead)
        self._notes += notes
        return self._instead

    def _has_any(self, query: Query, snapshot: Snapshot) -> bool:
        """Whether any session matches `query`."""
        return any(self._pass(QueryPlan(query), snapshot, RefinementCache(), None).run())

    def _filter(self) -> Callable[[Document], bool] | None:
        if not self.query.filters:
            return None
        query, facts = self.query, self._facts
        return lambda document: query.passes(document.row, facts)

    def _pass(
        self,
        plan: QueryPlan,
        snapshot: Snapshot,
        cache: RefinementCache,
        passes: Callable[[Document], bool] | None,
    ) -> SearchPass:
        return SearchPass(
            plan,
            snapshot,
            self._documents,
            self._segments,
            self._token,
            cache,
            passes,
            every=self._every or self._order != "recent",
            best_at_once=self._alone,
        )

    # -- pages --

    def _pages(self, search_pass: SearchPass, snapshot: Snapshot, *, last: bool) -> Iterator[Page]:
        """The pages of a pass.

        :param last: the final page is the last of the search even if nothing matches.
        """
        pending: list[Document | Hit] = []
        scores: dict[Document, float] = {}
        make = self._hit_maker(search_pass, scores)
        last_page = time.perf_counter()
        is_first = True
        try:
            for results in self._found(search_pass, scores):
                pending += results
                passed = time.perf_counter() - last_page
                is_due = len(pending) >= PAGE or (pending and passed > SOON_SECONDS)
                if (is_first and is_due) or passed > _PAUSE_SECONDS:
                    yield self._page(Hits(pending, make), search_pass, snapshot)
                    is_first = is_first and not pending
                    pending, last_page = [], time.perf_counter()
        finally:
            self.texts_searched += search_pass.evaluator.searched
            self.files_read += search_pass.files.read
        if last or search_pass.total:
            yield self._page(Hits(pending, make), search_pass, snapshot, done=True)

    def _page(self, hits: Hits, search_pass: SearchPass, snapshot: Snapshot, *, done: bool = False) -> Page:
        if self.is_cancelled:
            raise Cancelled
        files = search_pass.files
        unread = {**self._unread, **files.unread}
        as_kept = set(files.as_kept if self.query.is_deep else snapshot.out_of_reach).difference(unread)
        # Only the last page has notes about files, because there may be more files with each page.
        notes = (*self._notes, *(self._file_notes(as_kept, unread) if done else _slow(search_pass.plan)))
        return Page(
            hits,
            search_pass.total,
            search_pass.searched,
            snapshot.count,
            done,
            notes,
            dict(self._instead),
            sorted(as_kept),
            sorted(unread),
        )

    def _file_notes(self, as_kept: Collection[str], unread: Mapping[str, str]) -> Iterator[Note]:
        """The notes about files that cannot be read (see `Page`) and about a damaged cache."""
        if as_kept:
            first = min(as_kept)
            which = first if len(as_kept) == 1 else f"{len(as_kept):,} sessions, {first} among them"
            less = ", but not what tools said" if self.query.is_deep else ""
            yield Note(f"cannot be read any more, and searched as before{less}: {which}", 0, 0)
        if unread:
            first = min(unread)
            which = first if len(unread) == 1 else f"{len(unread):,} files, {first} among them"
            yield Note(f"cannot be read: {which}: {unread[first]}", 0, 0)
        self._segments.look()
        if self._segments.age != self._age:
            yield Note("another program has changed the cache during this search: search again", 0, 0)
        damaged = set(self._take_damage()) - unread.keys()
        if damaged:
            yield Note(damage_note(len(damaged)), 0, 0)

    # -- hits --

    def _found(
        self, search_pass: SearchPass, scores: dict[Document, float]
    ) -> Iterator[Sequence[Document | Hit]]:
        """The results in the order of the search, some at a time; none now and then.

        :param scores: receives the scores of sessions.
        """
        if self._order == "recent":
            for documents in search_pass.run():
                yield self._results(documents, search_pass, scores)
            return
        by_score = self._order == "relevance"
        for documents in search_pass.run():
            for document in documents:
                self._token.check()
                scores[document] = self._score(document, search_pass) if by_score else 0.0
            yield ()
        # Sorting is stable: of equal scores the newest session is first.
        ranked = sorted(scores, key=lambda document: -scores[document])
        if not by_score:
            key = sort_key(self._order, self._facts.prices)
            ranked.sort(key=lambda document: key(document.row))
        for start in range(0, len(ranked), PAGE):
            yield self._results(ranked[start : start + PAGE], search_pass, scores)

    def _results(
        self, documents: list[Document], search_pass: SearchPass, scores: dict[Document, float]
    ) -> Sequence[Document | Hit]:
        """All hits of some sessions, if all are wanted; else the sessions, whose best hits are made later."""
        if not self._every or not search_pass.plan.wanted:
            return documents
        return [hit for document in documents for hit in self._every_hit(document, search_pass, scores)]

    def _hit_maker(self, search_pass: SearchPass, scores: dict[Document, float]) -> Callable[[Document], Hit]:
        """A function that makes the one hit of a session."""
        if not search_pass.plan.wanted:
            return lambda document: Hit(document.row, "row")
        near, details = search_pass.plan.near, search_pass.files.details
        return lambda document: Hit.later(
            document.row, details.fill_best, document, scores.get(document, 0.0), near
        ).count_with(partial(details.count, document))

    def _every_hit(
        self, document: Document, search_pass: SearchPass, scores: dict[Document, float]
    ) -> Iterator[Hit]:
        in_metadata = search_pass.finder.in_metadata(document)
        passages = [passage for passage in in_metadata if is_name_or_label(passage)]
        in_texts = list(search_pass.files.passages(document))
        passages += in_texts
        passages += [
            passage
            for passage in in_metadata
            if not is_name_or_label(passage)
            and not (passage.kind == HISTORY and search_pass.files.has_prompt(document, passage, in_texts))
        ]
        near, fill = search_pass.plan.near, search_pass.files.details.fill_passage
        for passage in passages:
            yield Hit.later(document.row, fill, passage, scores.get(document, 0.0), near)

    def _score(self, document: Document, search_pass: SearchPass) -> float:
        files = search_pass.files
        return score(
            search_pass.finder.in_metadata(document),
            files.passages(document),
            lambda terms: files.terms_in_prompts(document, terms),
            len(search_pass.plan.wanted),
            files.text_size(document),
            self._now_ms - document.row.modified,
        )


Search = SearchRun
"""The name of `SearchRun` in the library (`app.index.Search`)."""


def _slow(plan: QueryPlan) -> Iterator[Note]:
    """Notes about patterns that take long."""
    for matcher in (*plan.wanted, *plan.unwanted):
        if matcher.is_slow:
            yield Note("this pattern is slow: it takes a while", 0, 0)


def score(
    in_metadata: Iterable[Passage],
    passages: Iterable[Passage],
    terms_in_prompts: Callable[[int], int],
    terms: int,
    size: int,
    age_ms: int,
) -> float:
    """The score of a session, from 0 up; the higher, the more relevant.

    :param in_metadata: the passages of its metadata with terms.
    :param passages: the other passages with terms, the last one first.
    :param terms_in_prompts: returns the terms of a mask that prompts have; called if there are many passages.
    :param terms: the number of wanted terms.
    :param size: bytes of its text.
    :param age_ms: milliseconds since it was modified.
    """
    # Each term is somewhere in the session.
    weights = [_IN_TEXT] * terms
    for passage in in_metadata:
        if passage.kind in (NAME, LABEL):
            _raise_weights(weights, passage.mask, _IN_NAME)
        elif passage.kind == HISTORY:
            _raise_weights(weights, passage.mask, _IN_PROMPT)
    count = 0
    for passage in islice(passages, MAX_DENSITY_PASSAGES):
        count += 1
        if passage.kind == USER:
            _raise_weights(weights, passage.mask, _IN_PROMPT)
    missing = sum([1 << number for number, weight in enumerate(weights) if weight < _IN_PROMPT])
    if missing and count == MAX_DENSITY_PASSAGES:
        _raise_weights(weights, terms_in_prompts(missing), _IN_PROMPT)
    density = count * _DENSITY_BYTES / max(size, 1)
    youth = 1 / (1 + max(age_ms, 0) / _HALF_LIFE_MS)
    return 10 * sum(weights) / max(terms, 1) + _MAX_DENSITY * density / (density + 1) + 0.99 * youth


def _raise_weights(weights: list[int], mask: int, weight: int) -> None:
    for number, before in enumerate(weights):
        if mask >> number & 1 and before < weight:
            weights[number] = weight
