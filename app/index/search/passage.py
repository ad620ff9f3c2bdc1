"""Pieces of sessions in which terms were found."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from app.formats.kinds import USER
from app.index.text.mmap_reader import Source
from app.sessions.passages import HEAD, MARK, is_block, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.index.search.grep.verdict import Spot


class Passage(NamedTuple):
    """A piece where terms are: who says it, where its line begins, which terms (a mask of `Plan.wanted`), and
    where its folded text is.

    nth   so many pieces of its kind stand before it in its line: of other entries, or of other tools
    """

    kind: int
    offset: int
    mask: int
    source: Source
    begin: int
    end: int
    nth: int = 0

    @property
    def folded(self) -> str:
        """Its folded text."""
        return self.source.data[self.begin : self.end].decode("utf-8", "replace")


_NOTHING = Source(b"")
_offset, _kind = attrgetter("offset"), attrgetter("kind")


def piece_of(spot: Spot) -> Passage:
    """A piece found in a file: its text is read from there when it is asked for."""
    return Passage(spot.kind, spot.offset, spot.mask, _NOTHING, 0, 0, spot.nth)


def merit(kind: int, offset: int, mask: int) -> tuple[int, bool, int, int]:
    """What makes the place to show of a session, the more the better: many terms, then that the user says
    them, then that it comes late in the file. Of one line, what is said comes after what was thought.
    """
    return mask.bit_count(), kind == USER, offset, -kind


def best(pieces: Iterable[Passage], most: int) -> Passage | None:
    """The piece to show of a session, see `merit`; of equal ones the first.

    :param pieces: the last one first.
    :param most: no piece has more terms than this.
    """
    found: Passage | None = None
    rank: tuple[int, bool, int, int] | None = None
    for piece in pieces:
        here = merit(*piece[:3])
        if rank is None or here > rank:
            found, rank = piece, here
        if rank[:2] == (most, True):
            # Of one entry the user says one piece: nothing before it is better.
            break
    return found


def in_order(pieces: Iterable[Passage]) -> Iterator[Passage]:
    """The pieces as they are shown: the last line first, and of one line what is said before what was
    thought, wherever they were found.

    :param pieces: the last line first, and of one line the last entry.
    """
    for _, line in groupby(pieces, _offset):
        yield from sorted(line, key=_kind)


def piece_at(source: Source, start: int, end: int, at: int) -> tuple[int, int, int]:
    """(head, begin of its text, end) of the piece that `at` lies in, within blocks from `start` to `end`.

    What lies in a head belongs to the piece that it begins, and what lies in a table to the first one behind.
    """
    mark = source.rfind(MARK, start, min(end, at + len(MARK)))
    if mark < 0:  # not what was packed; as if one began there
        mark = start
    elif is_block(source.data, mark):
        first = next_piece(source, mark, end)
        # Behind a table that is damaged there may be none.
        mark = first if first < end else mark
    begin = min(mark + HEAD, end)
    stop = source.find(MARK, max(begin, at), end)
    return mark, begin, stop if stop >= 0 else end


def numbers_at(source: Source, start: int, end: int, mark: int) -> dict[int, int]:
    """By the head of each piece of the line whose piece begins at `mark` how many of its kind are before it,
    of those from `start` to `end`.
    """
    offset = source.offset(mark)
    first = before = mark
    while before >= 0 and source.offset(before) == offset:
        first = before
        before = piece_before(source, start, first)
    found: dict[int, int] = {}
    counts: dict[int, int] = {}
    while first < end and source.offset(first) == offset:
        kind = kind_of(source.data, first)
        found[first] = counts.get(kind, 0)
        counts[kind] = found[first] + 1
        first = next_piece(source, first + HEAD, end)
    return found


def next_mark(source: Source, at: int, end: int) -> int:
    """Where the first piece or block from `at` on begins, of those before `end`; `end` where none does."""
    mark = source.find(MARK, at, end) if at < end else -1
    return mark if mark >= 0 else end


def next_piece(source: Source, at: int, end: int) -> int:
    """Where the first piece from `at` on begins, of those before `end`; `end` where none does."""
    mark = next_mark(source, at, end)
    while mark < end and is_block(source.data, mark):
        mark = next_mark(source, mark + len(MARK), end)
    return mark


def piece_before(source: Source, start: int, mark: int) -> int:
    """Where the last piece before `mark` begins, of those from `start` on; -1."""
    before = source.rfind(MARK, start, mark)
    while before >= 0 and is_block(source.data, before):
        before = source.rfind(MARK, start, before)
    return before


def piece_from(source: Source, at: int, end: int, offset: int) -> int:
    """Where the first piece begins whose line begins at `offset` of the file or behind it, of those from `at`
    to `end`; `end` where there is none.
    """
    mark = next_piece(source, at, end)
    while mark < end:
        block = source.block(mark)
        # As the lines follow each other in the file, so do their pieces.
        number = max(bisect_left(block.offsets, offset), bisect_left(block.marks, mark))
        if number < len(block.marks):
            return min(block.marks[number], end)
        # Of a damaged segment there may be no block at all.
        mark = next_piece(source, max(block.end, mark + HEAD), end)
    return end


def kind_at(source: Source, start: int, at: int) -> int:
    """The kind of the piece that `at` lies in; pieces begin at `start`, or before."""
    mark = source.rfind(MARK, start, at)
    return kind_of(source.data, mark) if mark >= 0 else 0
