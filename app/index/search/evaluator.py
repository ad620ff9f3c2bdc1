"""Finds the places of the terms of a query (`ranking`) in the text store and the metadata of sessions, and
their passages with these terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.dialects import dialect_named
from app.formats.text_kinds import CONVERSATION, USER
from app.formats.utf8_text import fold
from app.index.catalog.span_table import LARGE_SPAN
from app.index.search.metadata_fields import FOLDER, SHORT_FOLDER, TITLE, is_metadata
from app.index.search.passages import Passage, best_of, ordinals, passage_at
from app.index.search.ranking import FILES, NAMES, NOWHERE, TEXTS
from app.sessions.passages import HEAD, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from app.index.row import Row
    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Block, Document, Fields, TextRange, Texts, Touched
    from app.index.search.matchers import QueryPlan, TermMatcher
    from app.index.text.mmap_reader import Segments, Source

_PER_CHECK = 16
"""Sessions that are searched between two calls of `CancelToken.check`."""


class Evaluator:
    """Searches for the terms of `plan`.

    searched           how often the texts of a session were searched for a term
    takes_all_kinds    every kind of text that is stored is searched
    searches_texts     some of them are
    touched            gives the paths of the touched files; None if they are not searched
    """

    def __init__(
        self, plan: QueryPlan, segments: Segments, token: CancelToken, touched: Touched | None = None
    ) -> None:
        """:param touched: gives the paths of the files that the tools of a session touched; None if they are
        not known.
        """
        self.plan = plan
        self.searched = 0
        self.takes_all_kinds = plan.kinds >= CONVERSATION
        self.searches_texts = not plan.kinds.isdisjoint(CONVERSATION)
        self._segments = segments
        self._token = token
        self.touched = touched if plan.everywhere else None

    def places(
        self, matcher: TermMatcher, block: Block, slots: Iterable[int], known: dict[Document, int]
    ) -> bytearray:
        """The best place of a term in each session of a block before `ranking.TOOLS`; NOWHERE if none has it.

        :param slots: the sessions to search.
        :param known: the places that are known; those that are found are added.
        :raises Cancelled: the search is not wanted any more.
        """
        documents = block.documents
        found = bytearray(len(documents))
        searched = []
        for slot in slots:
            place = known.get(documents[slot])
            if place is None:
                searched.append(slot)
            else:
                found[slot] = place
        remaining: Sequence[int] = searched
        if self.plan.everywhere:
            remaining = self._mark(
                found, NAMES, self._in_fields(matcher, block.names(), remaining), remaining
            )
        if self.searches_texts:
            remaining = self._mark(found, TEXTS, self._in_texts(matcher, block, remaining), remaining)
        if self.plan.everywhere:
            in_metadata = self._in_fields(matcher, block.metadata(), remaining)
            remaining = self._mark(found, TEXTS, in_metadata, remaining)
        if self.touched is not None:
            self._mark(found, FILES, self._in_files(matcher, block, remaining, self.touched), remaining)
        known.update([(documents[slot], found[slot]) for slot in searched])
        return found

    def without(self, matcher: TermMatcher, block: Block, slots: Sequence[int]) -> list[int]:
        """The slots of the sessions that do not have a term in these places.

        :raises Cancelled: the search is not wanted any more.
        """
        found = self.places(matcher, block, slots, {})
        return [slot for slot in slots if found[slot] == NOWHERE]

    def has_in_metadata(self, matcher: TermMatcher, document: Document) -> bool:
        """Whether the metadata of a session has a term."""
        return self._in_range(matcher, document.metadata)

    def searches_kind(self, kind: int) -> bool:
        """Whether passages of this kind are searched."""
        if kind == TITLE:  # it is a prompt
            return USER in self.plan.kinds
        return self.takes_all_kinds or is_metadata(kind) or kind in self.plan.kinds

    def confirms(self, matcher: TermMatcher, source: Source, mark: int, end: int) -> bool:
        """Whether the passage from `mark` to `end`, in which a term may be, has it."""
        return matcher.is_certain or matcher.in_passage(source, mark + HEAD, end)

    def _mark(
        self, found: bytearray, place: int, matching: Collection[int], slots: Sequence[int]
    ) -> Sequence[int]:
        """Note the place of the matching slots, and return the others."""
        for slot in matching:
            found[slot] = place
        return [slot for slot in slots if not found[slot]] if matching else slots

    def _in_texts(self, matcher: TermMatcher, block: Block, slots: Sequence[int]) -> list[int]:
        """The slots of the sessions whose stored texts have a term."""
        self.searched += len(slots)
        texts, matching = block.texts(self._segments), []
        decides_alone, find_first = matcher.is_certain and self.takes_all_kinds, matcher.find_first
        for number, slot in enumerate(slots):
            if not number % _PER_CHECK:
                self._token.check()
            for text_range in texts[slot] or ():
                is_found = find_first(*text_range) >= 0 and (
                    decides_alone or self._in_range(matcher, text_range)
                )
                source, start, end = text_range
                if end - start >= LARGE_SPAN:
                    source.release(start, end)
                if is_found:
                    matching.append(slot)
                    break
        return matching

    def _in_files(
        self, matcher: TermMatcher, block: Block, slots: Iterable[int], touched: Touched
    ) -> list[int]:
        """The slots of the sessions with a term in the path of a file that they touched. These paths are
        folded: a term whose case or marks count is searched in the calls of the tools.
        """
        if matcher.form is not fold:
            return []
        paths, is_in = block.touched(touched), matcher.in_text
        return [slot for slot in slots if paths[slot] and is_in(paths[slot], "")]

    def _in_fields(self, matcher: TermMatcher, fields: Fields, slots: Sequence[int]) -> Collection[int]:
        """The slots of the sessions whose fields have a term."""
        matching = fields.matching(matcher, set(slots)) if slots else ()
        if matcher.is_certain and USER in self.plan.kinds:
            return matching
        return [slot for slot in matching if self._in_range(matcher, fields.range(slot))]

    def _in_range(self, matcher: TermMatcher, text_range: TextRange) -> bool:
        """Whether some packed passages have a term."""
        source, start, end = text_range
        position = matcher.find_first(source, start, end)
        if position < 0:
            return False
        kind = kind_of(source.data, passage_at(source, start, end, start)[0])
        in_metadata = is_metadata(kind)
        if matcher.is_certain and (self.takes_all_kinds or (in_metadata and kind != TITLE)):
            return True
        while position >= 0:
            self._token.check()
            mark, _, stop = passage_at(source, start, end, position)
            kind = kind_of(source.data, mark)
            if self.searches_kind(kind) and self.confirms(matcher, source, mark, stop):
                return True
            position = matcher.find_first(source, stop, end) if stop < end else -1
        return False


class PassageFinder:
    """Finds passages of sessions that match."""

    def __init__(self, evaluator: Evaluator, token: CancelToken) -> None:
        self._evaluator = evaluator
        self._plan = evaluator.plan
        self._token = token
        self._ordinals: tuple[Source | None, dict[int, int]] = None, {}

    def in_metadata(self, document: Document) -> list[Passage]:
        """The passages of a session's metadata that have any wanted term."""
        if not self._plan.everywhere:
            return []
        source, start, end = document.metadata
        for matcher in self._plan.wanted:
            if matcher.find_first(source, start, end) >= 0:
                passages = list(self.passages(document.row, (document.metadata,)))
                return _without_double_folder(passages[::-1])
        return []

    def passages(self, row: Row, texts: Texts) -> Iterator[Passage]:
        """The passages of a session that have any wanted term, the last one first."""
        find = self._backwards if self._plan.finds_backwards else self._forwards
        for source, start, end in reversed(texts if self._plan.wanted else ()):
            yield from find(row, source, start, end)
            source.release(start, end)

    def best(self, row: Row, texts: Texts) -> Passage | None:
        """The best of `passages` (`passages.best_of`)."""
        return best_of(self.passages(row, texts), self._plan.all_terms.bit_count())

    def _ordinal(self, row: Row, source: Source, start: int, end: int, mark: int) -> int:
        """The `nth` of the passage at `mark`."""
        if dialect_named(row.dialect).one_entry_a_line:
            return 0
        if self._ordinals[0] is not source or mark not in self._ordinals[1]:
            # Kept, because the other passages of the line are often next.
            self._ordinals = source, ordinals(source, start, end, mark)
        return self._ordinals[1].get(mark, 0)

    def _backwards(self, row: Row, source: Source, start: int, end: int) -> Iterator[Passage]:
        wanted, text_range = self._plan.wanted, (source, start, end)
        lasts = [matcher.find_last(source, start, end) for matcher in wanted]
        while (position := max(lasts)) >= 0:
            mark, begin, stop = passage_at(source, start, end, position)
            passage = self._passage(row, text_range, mark, begin, stop, [last >= begin for last in lasts])
            if passage is not None:
                yield passage
            # If a table is damaged, `position` is in no passage.
            end = min(mark, position)
            for number, last in enumerate(lasts):
                if last >= end:
                    lasts[number] = wanted[number].find_last(source, start, end)

    def _forwards(self, row: Row, source: Source, start: int, end: int) -> Iterator[Passage]:
        wanted, text_range = self._plan.wanted, (source, start, end)
        passages = []
        firsts = [matcher.find_first(source, start, end) for matcher in wanted]
        while True:
            position = min((first for first in firsts if first >= 0), default=-1)
            if position < 0:
                break
            mark, begin, stop = passage_at(source, start, end, position)
            passage = self._passage(
                row, text_range, mark, begin, stop, [0 <= first < stop for first in firsts]
            )
            if passage is not None:
                passages.append(passage)
            for number, first in enumerate(firsts):
                if 0 <= first < stop:
                    firsts[number] = wanted[number].find_first(source, stop, end) if stop < end else -1
        yield from reversed(passages)

    def _passage(
        self, row: Row, text_range: TextRange, mark: int, begin: int, end: int, candidates: Sequence[bool]
    ) -> Passage | None:
        """The passage at `mark`, if it has a term.

        :param text_range: the packed passages that it is one of.
        :param candidates: for each wanted term, whether the passage may have it.
        """
        self._token.check()
        source = text_range[0]
        kind = kind_of(source.data, mark)
        evaluator = self._evaluator
        if not evaluator.searches_kind(kind):
            return None
        nth = 0 if is_metadata(kind) else self._ordinal(row, *text_range, mark)
        mask = 0
        for number, matcher in enumerate(self._plan.wanted):
            if candidates[number] and evaluator.confirms(matcher, source, mark, end):
                mask |= 1 << number
        return Passage(kind, source.offset(mark), mask, source, begin, end, nth) if mask else None


def _without_double_folder(passages: list[Passage]) -> list[Passage]:
    """The passages without one form of the folder, if the other form has at least the same terms."""
    masks = {passage.kind: passage.mask for passage in passages}
    full, short = masks.get(FOLDER), masks.get(SHORT_FOLDER)
    if full is None or short is None or (full & ~short and short & ~full):
        return passages
    needless = FOLDER if short & ~full else SHORT_FOLDER
    return [passage for passage in passages if passage.kind != needless]
