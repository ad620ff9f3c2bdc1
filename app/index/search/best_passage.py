"""Finds the passages of a session that have terms of a query, and the best of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.dialects import dialect_named
from app.formats.text_kinds import USER
from app.index.search.metadata_fields import FOLDER, SHORT_FOLDER, is_metadata
from app.index.search.passages import Passage, best_of, ordinals, passage_at, passage_before, rank
from app.sessions.passages import HEAD, HEADS, MARK, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.row import Row
    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Document, TextRange, Texts
    from app.index.search.evaluator import Evaluator
    from app.index.search.matchers import TermMatcher
    from app.index.text.mmap_reader import Source

_USER_HEAD = HEADS[USER]


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

    def terms_in_prompts(self, texts: Texts, terms: int) -> int:
        """The mask of the terms that prompts of a session have.

        :param terms: the mask of the terms to search for.
        """
        if not self._evaluator.searches_kind(USER):
            return 0
        mask = 0
        for number, matcher in enumerate(self._plan.wanted):
            if terms >> number & 1 and any(self._in_prompt(matcher, *span) for span in texts):
                mask |= 1 << number
        return mask

    def best(self, row: Row, texts: Texts) -> Passage | None:
        """The best of `passages` (`passages.rank`)."""
        wanted, all_terms = self._plan.wanted, self._plan.all_terms
        if not self._evaluator.takes_all_kinds or not all(matcher.is_certain for matcher in wanted):
            return best_of(self.passages(row, texts), all_terms.bit_count())
        best = _best_with(wanted, all_terms, texts)
        if best is None and len(wanted) > 2:
            # No passage has all of them.
            return best_of(self.passages(row, texts), len(wanted) - 1)
        if best is None and len(wanted) == 2:
            singles = [_best_with([matcher], 1 << number, texts) for number, matcher in enumerate(wanted)]
            passages = [passage for passage in singles if passage]
            best = max(passages, key=lambda passage: rank(*passage[:3]), default=None)
        return best and self._with_ordinal(row, texts, best)

    def _with_ordinal(self, row: Row, texts: Texts, passage: Passage) -> Passage:
        """The same passage with its `nth`."""
        for source, start, end in texts:
            if source is passage.source and start < passage.begin <= end:
                return passage._replace(nth=self._ordinal(row, source, start, end, passage.begin - HEAD))
        return passage

    def _ordinal(self, row: Row, source: Source, start: int, end: int, mark: int) -> int:
        """The `nth` of the passage at `mark`."""
        if dialect_named(row.dialect).one_entry_a_line:
            return 0
        if self._ordinals[0] is not source or mark not in self._ordinals[1]:
            # Kept, because the other passages of the line are often next.
            self._ordinals = source, ordinals(source, start, end, mark)
        return self._ordinals[1].get(mark, 0)

    def _in_prompt(self, matcher: TermMatcher, source: Source, start: int, end: int) -> bool:
        """Whether a prompt has a term. One other passage at most is searched before each prompt."""
        position = matcher.find_first(source, start, end)
        while position >= 0:
            self._token.check()
            mark, _, stop = passage_at(source, start, end, position)
            if kind_of(source.data, mark) != USER:
                stop = source.find(_USER_HEAD, stop, end)
                if stop < 0:
                    return False
            elif self._evaluator.confirms(matcher, source, mark, stop):
                return True
            position = matcher.find_first(source, stop, end) if stop < end else -1
        return False

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


def _best_with(matchers: Sequence[TermMatcher], mask: int, texts: Texts) -> Passage | None:
    """The best passage that has all of `matchers`, which must be certain; None if there is none.

    :param mask: the mask of these terms.
    """
    best: Passage | None = None
    for source, start, end in reversed(texts):
        if best is None:
            best = _last_with(matchers, mask, source, start, end)
            if best is None:
                continue
            best = _best_of_line(best, matchers, start)
            end = best.begin - HEAD
        if best.kind == USER:
            break
        # Only a prompt is better than a later passage.
        best = _last_with(matchers, mask, source, start, end, prompts=True) or best
    return best


def _best_of_line(last: Passage, matchers: Sequence[TermMatcher], start: int) -> Passage:
    """The best passage of a line with all of `matchers`; `last` is the last one."""
    source, mark = last.source, last.begin - HEAD
    best = last
    while mark > start:
        end, mark = mark, passage_before(source, start, mark)
        if mark < 0 or source.offset(mark) != last.offset:
            break
        passage = _last_with(matchers, last.mask, source, mark, end)
        if passage is not None and rank(*passage[:3]) > rank(*best[:3]):
            best = passage
    return best


def _last_with(
    matchers: Sequence[TermMatcher], mask: int, source: Source, start: int, end: int, *, prompts: bool = False
) -> Passage | None:
    """The last passage that has all of `matchers`.

    A matcher is not searched for after a passage that another one has ruled out, so that the rarest term
    decides how long it takes.

    :param prompts: only prompts count.
    """
    rfind, find = source.rfind, source.find
    mark = stop = end
    number = agreed = 0
    while agreed < len(matchers):
        position = matchers[number].find_last(source, start, stop)
        if position < 0:
            return None
        if position >= mark:
            agreed += 1
        else:
            agreed = 1
            mark = max(start, rfind(MARK, start, position))
            if prompts and source.data[mark : mark + len(_USER_HEAD)] != _USER_HEAD:
                mark = rfind(_USER_HEAD, start, mark)
                if mark < 0:
                    return None
                agreed, position = 0, mark + HEAD
            stop = find(MARK, position, end)
            stop = stop if stop >= 0 else end
        number = (number + 1) % len(matchers)
    return Passage(kind_of(source.data, mark), source.offset(mark), mask, source, mark + HEAD, stop)
