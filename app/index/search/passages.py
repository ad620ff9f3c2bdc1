"""Passages: the packed texts of a session in which terms are found, and their order."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text_kinds import USER
from app.sessions.passages import HEAD, MARK, is_block, kind_of, unpadded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.index.text.mmap_reader import Source


class Passage(NamedTuple):
    """A text of an entry in which terms are found.

    kind     the kind of the text (`formats.text_kinds`) or of the metadata field (`metadata_fields`)
    offset   the offset of its line in the file
    mask     the terms that it has: bit n stands for `QueryPlan.wanted[n]`
    source   holds its text, from `begin` to `end`
    nth      how many passages of its kind precede it in its line: of other entries, or of other tools
    """

    kind: int
    offset: int
    mask: int
    source: Source
    begin: int
    end: int
    nth: int = 0

    @property
    def text(self) -> str:
        """The text as it is written; empty if it is not in the text store, or damaged."""
        if not self.source.has_written(self.begin - HEAD):
            return ""
        return unpadded(self.source.written.data[self.begin : self.end]).decode("utf-8", "replace")


_offset, _kind = attrgetter("offset"), attrgetter("kind")


def rank(kind: int, offset: int, mask: int) -> tuple[int, bool, int, int]:
    """The rank of a passage among those of its session, the higher the better: by its number of terms, then
    prompts, then the latest line. In one line, text ranks above thinking.
    """
    return mask.bit_count(), kind == USER, offset, -kind


def best_of(passages: Iterable[Passage], most: int) -> Passage | None:
    """The passage with the highest `rank`; of equal ones the first.

    :param passages: the last line first.
    :param most: no passage has more terms than this.
    """
    best: Passage | None = None
    best_rank: tuple[int, bool, int, int] | None = None
    for passage in passages:
        passage_rank = rank(*passage[:3])
        if best_rank is None or passage_rank > best_rank:
            best, best_rank = passage, passage_rank
        if best_rank[:2] == (most, True):
            # An entry has one prompt: no earlier passage is better.
            break
    return best


def display_order(passages: Iterable[Passage]) -> Iterator[Passage]:
    """The passages in the order in which they are shown: the last line first, in one line text before
    thinking.

    :param passages: the last line first, and in one line the last entry first.
    """
    for _, line in groupby(passages, _offset):
        yield from sorted(line, key=_kind)


def passage_at(source: Source, start: int, end: int, position: int) -> tuple[int, int, int]:
    """The (head, begin of the text, end) of the passage around `position`, in blocks from `start` to `end`.

    A head belongs to the passage that it begins, and a table to the first passage after it.
    """
    mark = source.rfind(MARK, start, min(end, position + len(MARK)))
    if mark < 0:  # damaged: the passage begins at `start`
        mark = start
    elif is_block(source.data, mark):
        first = next_passage(source, mark, end)
        # A damaged table may have no passage after it.
        mark = first if first < end else mark
    begin = min(mark + HEAD, end)
    stop = source.find(MARK, max(begin, position), end)
    return mark, begin, stop if stop >= 0 else end


def ordinals(source: Source, start: int, end: int, mark: int) -> dict[int, int]:
    """For the line of the passage at `mark`: head of a passage -> how many of its kind precede it there.

    :param start: passages from here to `end` are counted.
    """
    offset = source.offset(mark)
    first = before = mark
    while before >= 0 and source.offset(before) == offset:
        first = before
        before = passage_before(source, start, first)
    ordinal_of: dict[int, int] = {}
    counts: dict[int, int] = {}
    while first < end and source.offset(first) == offset:
        kind = kind_of(source.data, first)
        ordinal_of[first] = counts.get(kind, 0)
        counts[kind] = ordinal_of[first] + 1
        first = next_passage(source, first + HEAD, end)
    return ordinal_of


def next_mark(source: Source, position: int, end: int) -> int:
    """The start of the first passage or block from `position` on and before `end`; `end` if there is none."""
    mark = source.find(MARK, position, end) if position < end else -1
    return mark if mark >= 0 else end


def next_passage(source: Source, position: int, end: int) -> int:
    """The start of the first passage from `position` on and before `end`; `end` if there is none."""
    mark = next_mark(source, position, end)
    while mark < end and is_block(source.data, mark):
        mark = next_mark(source, mark + len(MARK), end)
    return mark


def passage_before(source: Source, start: int, mark: int) -> int:
    """The start of the last passage from `start` on and before `mark`; -1 if there is none."""
    before = source.rfind(MARK, start, mark)
    while before >= 0 and is_block(source.data, before):
        before = source.rfind(MARK, start, before)
    return before


def kind_at(source: Source, start: int, position: int) -> int:
    """The kind of the passage around `position`; passages begin at `start` or before."""
    mark = source.rfind(MARK, start, position)
    return kind_of(source.data, mark) if mark >= 0 else 0
