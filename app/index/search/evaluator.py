"""Decides which sessions match a query, by the text store and the metadata of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text_kinds import CONVERSATION
from app.index.search.matchers import PhraseMatcher
from app.index.search.metadata_fields import is_metadata
from app.index.search.passages import passage_at
from app.sessions.passages import HEAD, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Block, Document, Search, TextRange, Texts
    from app.index.search.matchers import QueryPlan, TermMatcher
    from app.index.text.mmap_reader import Segments, Source

_PER_CHECK = 16
"""Sessions that are searched between two calls of `CancelToken.check`."""
_NEEDLES_PER_CHECK = 128
"""Sessions between two calls if only a needle is searched for, which takes up to 4 µs per session."""


class Evaluator:
    """Searches for the terms of `plan`.

    searched           how often the texts of a session were searched for a term
    takes_all_kinds    every kind of text that is stored is searched
    """

    def __init__(self, plan: QueryPlan, segments: Segments, token: CancelToken) -> None:
        self.plan = plan
        self.searched = 0
        self.takes_all_kinds = plan.kinds >= CONVERSATION
        self._segments = segments
        self._token = token

    def evaluate(self, block: Block, slots: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """The slots of the sessions with all wanted terms, and of these the ones without an unwanted term.

        :param slots: sessions of the block that have text.
        :raises Cancelled: the search is not wanted any more.
        """
        matching = slots
        for matcher in self.plan.wanted:
            if matching:
                matching = self._with_term(matcher, block, matching)
        clean = matching
        for matcher in self.plan.unwanted:
            if clean:
                unwanted = set(self._with_term(matcher, block, clean))
                clean = [slot for slot in clean if slot not in unwanted]
        return matching, clean

    def has_in_metadata(self, matcher: TermMatcher, document: Document) -> bool:
        """Whether the metadata of a session has a term."""
        return self._in_range(matcher, document.metadata)

    def searches_kind(self, kind: int) -> bool:
        """Whether passages of this kind are searched."""
        return self.takes_all_kinds or is_metadata(kind) or kind in self.plan.kinds

    def confirms(self, matcher: TermMatcher, source: Source, mark: int, end: int) -> bool:
        """Whether the passage from `mark` to `end`, in which a term may be, has it."""
        return matcher.is_certain or matcher.in_passage(source, mark + HEAD, end)

    def _with_term(self, matcher: TermMatcher, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """The slots of the sessions that have a term."""
        self.searched += len(slots)
        is_phrase = isinstance(matcher, PhraseMatcher)
        if matcher.needle is None or not (is_phrase or self.takes_all_kinds):
            return self._one_by_one(matcher, block, slots)
        searches = block.searches(self._segments, written=matcher.exact)
        matching: Sequence[int] = self._with_needle(matcher.needle, searches, slots)
        if is_phrase and len(matching) < len(slots):
            # The phrase may have other white space than `needle` has.
            remaining = sorted(set(slots).difference(matching))
            in_texts = self._with_phrase(matcher, block.texts(self._segments), remaining)
            matching = _union(matching, in_texts, slots)
        if self.plan.everywhere and len(matching) < len(slots):
            in_metadata = block.matching_metadata(matcher, set(slots).difference(matching))
            matching = _union(matching, in_metadata, slots)
        is_decided = (matcher.is_certain and self.takes_all_kinds) or not matching
        return matching if is_decided else self._one_by_one(matcher, block, matching)

    def _with_needle(self, needle: bytes, searches: Sequence[Search], slots: Sequence[int]) -> list[int]:
        matching: list[int] = []
        for first in range(0, len(slots), _NEEDLES_PER_CHECK):
            self._token.check()
            part = slots[first : first + _NEEDLES_PER_CHECK]
            for slot in part:
                find, start, end = searches[slot]
                if find(needle, start, end) >= 0:
                    matching.append(slot)
        return matching

    def _with_phrase(
        self, matcher: TermMatcher, texts: Sequence[Texts | None], slots: Sequence[int]
    ) -> list[int]:
        matching = []
        for number, slot in enumerate(slots):
            if not number % _PER_CHECK:
                self._token.check()
            if any(matcher.find_first(*text_range) >= 0 for text_range in texts[slot] or ()):
                matching.append(slot)
        return matching

    def _one_by_one(self, matcher: TermMatcher, block: Block, slots: Sequence[int]) -> list[int]:
        segments, check = self._segments, self._token.check
        texts: Sequence[Texts | None]
        texts = block.texts_and_metadata(segments) if self.plan.everywhere else block.texts(segments)
        matching = []
        for number, slot in enumerate(slots):
            if not number % _PER_CHECK:
                check()
            if any(self._in_range(matcher, text_range) for text_range in texts[slot] or ()):
                matching.append(slot)
        return matching

    def _in_range(self, matcher: TermMatcher, text_range: TextRange) -> bool:
        """Whether some packed passages have a term."""
        source, start, end = text_range
        position = matcher.find_first(source, start, end)
        if position < 0:
            return False
        in_metadata = is_metadata(kind_of(source.data, passage_at(source, start, end, start)[0]))
        if matcher.is_certain and (self.takes_all_kinds or in_metadata):
            return True
        while position >= 0:
            self._token.check()
            mark, _, stop = passage_at(source, start, end, position)
            kind = kind_of(source.data, mark)
            if self.searches_kind(kind) and self.confirms(matcher, source, mark, stop):
                return True
            position = matcher.find_first(source, stop, end) if stop < end else -1
        return False


def _union(first: Sequence[int], second: Collection[int], slots: Sequence[int]) -> Sequence[int]:
    """The slots that are in `first` or `second`, in the order of `slots`."""
    if not second:
        return first
    union = {*first, *second}
    return [slot for slot in slots if slot in union]
