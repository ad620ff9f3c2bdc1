"""A running search: pages of hits, the best ones first (`ranking`).

The stored texts of all sessions are searched first, then the files of the sessions that these do not decide.
"""

from __future__ import annotations

import time
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from app.index.query.query import REGEX, WORD, Note
from app.index.search.cancellation import Cancelled, CancelToken
from app.index.search.documents import newest_first
from app.index.search.hit_details import is_name_or_label
from app.index.search.matchers import QueryPlan, name_of
from app.index.search.metadata_fields import HISTORY
from app.index.search.ranking import TOOLS, best_first, most_terms_first, rarities, tier_of
from app.index.search.refinement_cache import RefinementCache
from app.index.search.results import Hit, Hits, Page
from app.index.search.search_pass import SearchPass
from app.index.search.suggestions import other_spellings
from app.index.sorting import BEST, RECENT, sort_key
from app.index.text.store import damage_note

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from app.index.query.query import Facts, Query
    from app.index.search.documents import Document, DocumentSet, Snapshot, Touched
    from app.index.text.mmap_reader import Segments
    from app.index.words.tool_words import Words

PAGE = 50
"""Hits of a provisional page."""
SOON_SECONDS = 0.004
"""Seconds after which a provisional page has fewer hits."""
_PAUSE_SECONDS = 0.05
"""The shortest time in seconds between pages without hits, which tell the progress."""
_MANY_FILES = 500
"""Files to be searched for a pattern, which takes seconds, from which on the user is told the progress."""
_PATIENCE_SECONDS = 0.5
"""Seconds after which a live search shows the hits that it has found in files so far."""


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
        live: bool,
        typing: bool,
        keep_going: Callable[[], bool],
        alone: bool,
        unread: Mapping[str, str],
        take_damage: Callable[[], Collection[str]],
        touched: Touched | None = None,
        words: Words | None = None,
    ) -> None:
        """The other parameters are those of `SearchEngine.search`.

        :param unread: path -> reason for the files that may be sessions and cannot be read.
        :param take_damage: returns the paths of the sessions whose stored text was missing or damaged, once.
        :param touched: returns the paths of the files that the tools of a session touched; None if they are
            not known.
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
        self._live = live
        self._typing = typing
        self._alone = alone
        self._unread = unread
        self._take_damage = take_damage
        self._touched = touched
        self._words = words
        self._age = segments.age
        self._cancelled = Event()
        self._token = CancelToken(lambda: not self._cancelled.is_set() and keep_going())
        self._notes: list[Note] = []
        self._instead: dict[str, tuple[str, ...]] = {}
        self._total = 0
        # The names of all wanted terms if the list is loosened, else none.
        self._names: Sequence[str] = ()

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
        snapshot = self._documents.snapshot()
        cache = self._documents.cache.then(self.query, snapshot.documents)
        try:
            search_pass = self._pass(self._plan, snapshot, cache, self._filter())
            yield from self._pages(search_pass, snapshot)
            if self._total:
                yield self._page((), search_pass, snapshot, done=True)
                return
            # The others take longer.
            yield self._page((), search_pass, snapshot)
            some = self._sessions_with_some(search_pass)
            # A word that no session has is first searched in other spellings.
            if not (some and all(map(any, zip(*search_pass.places.values(), strict=True)))):
                instead = self._suggest(snapshot)
                if any(instead.values()):
                    plan = QueryPlan(self.query, instead)
                    near = self._pass(plan, snapshot, RefinementCache(), self._filter())
                    yield from self._pages(near, snapshot)
                    if self._total or not some:
                        yield self._page((), near, snapshot, done=True)
                        return
            if some:
                self._notes, self._instead = [], {}
                self._names = [name_of(matcher.term) for matcher in self._plan.wanted]
                yield from self._hit_pages(some, search_pass, snapshot, is_sorted=True)
            yield self._page((), search_pass, snapshot, done=True)
        except Cancelled:
            return
        finally:
            self._documents.cache = cache

    def _sessions_with_some(self, search_pass: SearchPass) -> list[Document]:
        """The sessions of the loosened list; none if the query is not loosened: it has a filter, it has other
        terms than words, or a session has all words but the one that is being typed.
        """
        terms, query = [matcher.term for matcher in search_pass.plan.wanted], self.query
        is_exact = (
            query.filters or not query.everywhere or any(t.kind != WORD or t.negated for t in query.terms)
        )
        if len(terms) < 2 or is_exact:
            return []
        search_pass.complete_places()
        places = search_pass.places
        for number, term in enumerate(terms):
            is_typed = self._typing and term.position + term.length == len(query.text)
            if is_typed and any(all(found[:number] + found[number + 1 :]) for found in places.values()):
                return []
        return most_terms_first(places, rarities(places.values(), len(terms), worst=TOOLS))

    def _suggest(self, snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
        """The name of each term that nothing matches -> its other spellings."""
        instead, notes = other_spellings(self.query, snapshot, self._segments, self._token, self._has_any)
        self._instead.update(instead)
        self._notes += notes
        return self._instead

    def _has_any(self, query: Query, snapshot: Snapshot) -> bool:
        """Whether any session matches `query`."""
        return self._pass(QueryPlan(query), snapshot, RefinementCache(), None).has_any()

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
            best_at_once=self._alone,
            touched=self._touched,
            words=self._words,
        )

    # -- pages --

    def _pages(self, search_pass: SearchPass, snapshot: Snapshot) -> Iterator[Page]:
        try:
            found: list[Document] = []
            begun, is_first = time.perf_counter(), self._live
            for documents in search_pass.search_texts():
                found += documents
                is_due = len(found) >= PAGE or (found and time.perf_counter() - begun > SOON_SECONDS)
                if is_first and is_due and search_pass.searched < snapshot.count:
                    is_first = False
                    yield self._page(
                        self._sorted(found, search_pass), search_pass, snapshot, provisional=True
                    )
            if self._live:
                yield from self._hit_pages(found, search_pass, snapshot)
                found = []
            yield from self._file_pages(search_pass.undecided, found, search_pass, snapshot)
            if not self._live and self._order == BEST:
                # No hit that is still to come is better than these.
                places = search_pass.places
                better = [document for document in found if TOOLS not in places[document]]
                yield from self._hit_pages(better, search_pass, snapshot)
                found = [document for document in found if TOOLS in places[document]]
            yield from self._file_pages(search_pass.incomplete, found, search_pass, snapshot)
            yield from self._hit_pages(found, search_pass, snapshot)
        finally:
            self.texts_searched += search_pass.evaluator.searched
            self.files_read += search_pass.files.read

    def _file_pages(
        self,
        documents: Sequence[Document],
        found: list[Document],
        search_pass: SearchPass,
        snapshot: Snapshot,
    ) -> Iterator[Page]:
        """Pages that tell the progress of the search of some files. The sessions that match are added to
        `found`; a live search shows those that it has after a while.
        """
        last_page = last_hits = time.perf_counter()
        for document in search_pass.search_files(documents):
            if document is not None:
                found.append(document)
            now = time.perf_counter()
            if self._live and found and now - last_hits > _PATIENCE_SECONDS:
                yield from self._hit_pages(found, search_pass, snapshot)
                found.clear()
                last_page = last_hits = now
            elif now - last_page > _PAUSE_SECONDS:
                yield self._page((), search_pass, snapshot)
                last_page = now

    def _hit_pages(
        self,
        documents: Iterable[Document],
        search_pass: SearchPass,
        snapshot: Snapshot,
        *,
        is_sorted: bool = False,
    ) -> Iterator[Page]:
        ordered = list(documents) if is_sorted else self._sorted(documents, search_pass)
        self._total += len(ordered)
        # All hits of a session are made at once, and one hit of each when it is needed.
        size = PAGE if self._every else max(1, len(ordered))
        for start in range(0, len(ordered), size):
            yield self._page(ordered[start : start + size], search_pass, snapshot)

    def _sorted(self, documents: Iterable[Document], search_pass: SearchPass) -> list[Document]:
        """The sessions in the order of the search."""
        places = search_pass.places
        rarity: Sequence[float] = ()
        if self._order == BEST and len(search_pass.plan.wanted) > 1:
            rarity = rarities(places.values(), len(search_pass.plan.wanted))
        if self._order == BEST:
            return best_first(documents, places, rarity)
        ordered = newest_first(documents)
        if self._order != RECENT:
            key = sort_key(self._order, self._facts.prices)
            ordered.sort(key=lambda document: key(document.row))
        return ordered

    def _page(
        self,
        documents: Sequence[Document],
        search_pass: SearchPass,
        snapshot: Snapshot,
        *,
        done: bool = False,
        provisional: bool = False,
    ) -> Page:
        if self.is_cancelled:
            raise Cancelled
        if self._every and search_pass.plan.wanted and not provisional:
            every: list[Document | Hit] = []
            for document in documents:
                self._token.check()
                every += self._every_hit(document, search_pass)
            hits = Hits(every)
        else:
            hits = Hits(documents, partial(self._hit, search_pass))
        files = search_pass.files
        unread = {**self._unread, **files.unread}
        as_kept = {*files.as_kept, *snapshot.out_of_reach}.difference(unread)
        # Only the last page has notes about files, because there may be more files with each page.
        notes = (
            *self._notes,
            *(self._file_notes(as_kept, unread) if done else self._slow(search_pass, snapshot.count)),
        )
        return Page(
            hits,
            len(documents) if provisional else self._total,
            search_pass.searched,
            snapshot.count,
            done,
            notes,
            dict(self._instead),
            sorted(as_kept),
            sorted(unread),
            bool(self._names),
            provisional,
        )

    def _file_notes(self, as_kept: Collection[str], unread: Mapping[str, str]) -> Iterator[Note]:
        """The notes about files that cannot be read (see `Page`) and about a damaged cache."""
        if as_kept:
            first = min(as_kept)
            which = first if len(as_kept) == 1 else f"{len(as_kept):,} sessions, {first} among them"
            less = ", but not what tools said" if self.query.needs_files else ""
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

    def _slow(self, search_pass: SearchPass, count: int) -> Iterator[Note]:
        """Notes about patterns that take long. A live search tells how far one has come.

        :param count: the number of all sessions.
        """
        matchers = (*search_pass.plan.wanted, *search_pass.plan.unwanted)
        if any(matcher.is_slow for matcher in matchers):
            yield Note("this pattern is slow: it takes a while", 0, 0)
        files = len(search_pass.undecided) + len(search_pass.incomplete)
        if self._live and files > _MANY_FILES and any(each.term.kind == REGEX for each in matchers):
            yield Note(f"sessions searched for the pattern: {search_pass.searched:,} of {count:,}", 0, 0)

    # -- hits --

    def _hit(self, search_pass: SearchPass, document: Document) -> Hit:
        details = search_pass.files.details
        if not search_pass.plan.wanted:
            if not self.query.paths:
                return Hit(document.row, "row")
            hit = Hit.later(document.row, details.fill_touch, document)
            return hit.find_with(partial(details.touch_offsets, document))
        places = search_pass.places[document]
        missing = tuple(name for name, place in zip(self._names, places, strict=False) if not place)
        return Hit.later(
            document.row, details.fill_best, document, tier_of(places), missing, search_pass.plan.near
        ).find_with(partial(details.offsets, document))

    def _every_hit(self, document: Document, search_pass: SearchPass) -> Iterator[Hit]:
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
        places, fill = search_pass.places[document], search_pass.files.details.fill_passage
        missing = tuple(name for name, place in zip(self._names, places, strict=False) if not place)
        for passage in passages:
            yield Hit.later(document.row, fill, passage, tier_of(places), missing, search_pass.plan.near)


Search = SearchRun
"""The name of `SearchRun` in the library (`app.index.Search`)."""
