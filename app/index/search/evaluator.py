"""Decides which sessions match a query, by the text store and the metadata of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text_kinds import CONVERSATION
from app.index.search.cased import case_filter
from app.index.search.matchers import PhraseMatcher
from app.index.search.metadata_fields import field_text, is_metadata
from app.index.search.passages import next_mark, next_passage, passage_at, passage_from_offset
from app.sessions.passages import HEAD, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.cancellation import CancelToken
    from app.index.search.cased import Cased
    from app.index.search.documents import Block, Document, Search, TextRange, Texts
    from app.index.search.matchers import QueryPlan, TermMatcher
    from app.index.search.originals import Originals
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

    def __init__(self, plan: QueryPlan, segments: Segments, originals: Originals, token: CancelToken) -> None:
        self.plan = plan
        self.searched = 0
        self.takes_all_kinds = plan.kinds >= CONVERSATION
        self._segments = segments
        self._originals = originals
        self._token = token
        self._case_filters: dict[TermMatcher, Cased | None] = {}
        self._found = {matcher: [0, 0] for matcher in plan.wanted}

    @property
    def lost(self) -> Mapping[str, str]:
        """Path -> reason for the files that could not be read although they were needed."""
        return self._originals.lost

    def evaluate(
        self, block: Block, slots: Sequence[int], known: Sequence[TermMatcher] = ()
    ) -> tuple[Sequence[int], Sequence[int]]:
        """The slots of the sessions with all wanted terms, and of these the ones without an unwanted term.

        :param slots: sessions of the block that have text.
        :param known: terms that all of them are known to have.
        :raises Cancelled: the search is not wanted any more.
        """
        matching = slots
        for matcher in self._rarest_first():
            if matching and matcher not in known:
                before, matching = matching, self._with_term(matcher, block, matching)
                counts = self._found[matcher]
                counts[0] += len(before)
                counts[1] += len(matching)
        clean = matching
        for matcher in self.plan.unwanted:
            if clean:
                unwanted = set(self._with_term(matcher, block, clean))
                clean = [slot for slot in clean if slot not in unwanted]
        return matching, clean

    def has_in_metadata(self, matcher: TermMatcher, document: Document) -> bool:
        """Whether the metadata of a session has a term."""
        return self._in_range(matcher, document.row, document.metadata)

    def searches_kind(self, kind: int) -> bool:
        """Whether passages of this kind are searched."""
        return self.takes_all_kinds or is_metadata(kind) or kind in self.plan.kinds

    def confirms(
        self, matcher: TermMatcher, row: Row, source: Source, mark: int, end: int, nth: int = -1
    ) -> bool:
        """Whether the passage from `mark` to `end` has a term.

        :param nth: see `Passage`; negative if any passage of its kind in the line will do.
        """
        begin = mark + HEAD
        if not matcher.in_folded(source, begin, end):
            return False
        if not matcher.exact:
            return True
        kind, offset = kind_of(source.data, mark), source.offset(mark)
        if is_metadata(kind):
            return matcher.in_text(field_text(row, kind, offset, source))
        cased = self._case_filter(matcher)
        line = cased and self._originals.line(row, offset)
        if cased and line and not (cased.is_in(line) and cased.may_be_in(line, source, begin, end)):
            return False
        return self._in_original(matcher, row, kind, offset, nth)

    def _in_original(self, matcher: TermMatcher, row: Row, kind: int, offset: int, nth: int = -1) -> bool:
        """Whether the original line at `offset` has an exact term in a text of a kind.

        :param nth: as in `confirms`.
        """
        texts = self._originals.texts(row, offset, kind, nth, as_parts=matcher.within_line)
        if any(matcher.in_text(text) for text in texts):
            return True
        # An unreadable file may have an unwanted term.
        return matcher.term.negated and row.path in self.lost

    def _case_filter(self, matcher: TermMatcher) -> Cased | None:
        """The filter of the lines that may have an exact term; None if there is none."""
        if matcher not in self._case_filters:
            self._case_filters[matcher] = case_filter(matcher)
        return self._case_filters[matcher]

    def _rarest_first(self) -> Sequence[TermMatcher]:
        """The wanted terms, the rarest of the blocks so far first, so that the others are searched for in
        fewer sessions.
        """
        if len(self.plan.wanted) < 2:
            return self.plan.wanted

        def share(matcher: TermMatcher) -> float:
            searched, matched = self._found[matcher]
            return matched / searched if searched else 0.5

        return sorted(self.plan.wanted, key=lambda matcher: (matcher.cost[0], share(matcher)))

    def _with_term(self, matcher: TermMatcher, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """The slots of the sessions that have a term."""
        self.searched += len(slots)
        is_phrase = isinstance(matcher, PhraseMatcher)
        if matcher.needle is None or not (is_phrase or self.takes_all_kinds):
            return self._one_by_one(matcher, block, slots)
        matching: Sequence[int] = self._with_needle(matcher.needle, block.searches(self._segments), slots)
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
        segments, documents, check = self._segments, block.documents, self._token.check
        texts: Sequence[Texts | None]
        texts = block.texts_and_metadata(segments) if self.plan.everywhere else block.texts(segments)
        matching = []
        for number, slot in enumerate(slots):
            if not number % _PER_CHECK:
                check()
            row = documents[slot].row
            if any(self._in_range(matcher, row, text_range) for text_range in texts[slot] or ()):
                matching.append(slot)
        return matching

    def _in_range(self, matcher: TermMatcher, row: Row, text_range: TextRange) -> bool:
        """Whether some packed passages have a term."""
        source, start, end = text_range
        position = matcher.find_first(source, start, end)
        if position < 0:
            return False
        in_metadata = is_metadata(kind_of(source.data, passage_at(source, start, end, start)[0]))
        if matcher.is_certain and (self.takes_all_kinds or in_metadata):
            return True
        cased = None if in_metadata else self._case_filter(matcher)
        if cased is not None:
            try:
                return self._in_lines(matcher, cased, row, text_range, position)
            except OSError:
                pass  # `Originals.lost` has the reason
        while position >= 0:
            self._token.check()
            mark, _, stop = passage_at(source, start, end, position)
            kind = kind_of(source.data, mark)
            if self.searches_kind(kind) and self.confirms(matcher, row, source, mark, stop):
                return True
            if matcher.exact and row.path in self.lost and not is_metadata(kind):
                # The other passages are in the same file.
                return False
            position = matcher.find_first(source, stop, end) if stop < end else -1
        return False

    def _in_lines(
        self, matcher: TermMatcher, cased: Cased, row: Row, text_range: TextRange, position: int
    ) -> bool:
        """`_in_range` for an exact term. Nearly all sessions have "ef", and few have "eF": the file is
        searched for the lines that may have the term, and only these are decoded.

        :param position: the first offset in the text at which the term may be.
        :raises OSError: the file cannot be read.
        """
        source, start, end = text_range
        check, lines, originals = self._token.check, cased.lines, self._originals
        originals.look_through(row, lines)
        reached = 0
        while position >= 0:
            check()
            mark, _, stop = passage_at(source, start, end, position)
            offset = source.offset(mark)
            reached = line_offset = lines.next(max(reached, offset), check)
            if line_offset < 0:
                return False
            if line_offset != offset:
                # No line before `line_offset` has the term, so their passages do not have it either.
                mark = stop = passage_from_offset(source, stop, end, line_offset)
            while mark < end and source.offset(mark) == line_offset:
                kind, begin = kind_of(source.data, mark), mark + HEAD
                stop = next_mark(source, begin, end)
                if (
                    self.searches_kind(kind)
                    and matcher.in_folded(source, begin, stop)
                    and cased.may_be_in(lines.line(), source, begin, stop)
                ):
                    originals.hold(lines)
                    if self._in_original(matcher, row, kind, line_offset):
                        return True
                mark = next_passage(source, stop, end)
            reached += 1
            position = matcher.find_first(source, stop, end) if stop < end else -1
        return False


def _union(first: Sequence[int], second: Collection[int], slots: Sequence[int]) -> Sequence[int]:
    """The slots that are in `first` or `second`, in the order of `slots`."""
    if not second:
        return first
    union = {*first, *second}
    return [slot for slot in slots if slot in union]
