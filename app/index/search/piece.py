"""Pieces of sessions in which terms were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.formats.kinds import USER
from app.index.text.mapped import Source
from app.sessions.pieces import HEAD, MARK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.search.deep.session import Spot


class Piece(NamedTuple):
    """A piece where terms are: who says it, where its line begins, which terms (a mask of `Plan.wanted`), and
    where its folded text is.
    """

    kind: int
    offset: int
    mask: int
    source: Source
    begin: int
    end: int

    @property
    def folded(self) -> str:
        """Its folded text."""
        return self.source.data[self.begin : self.end].decode("utf-8", "replace")


_NOTHING = Source(b"")


def piece_of(spot: Spot) -> Piece:
    """A piece found in a file: its text is read from there when it is asked for."""
    return Piece(spot.kind, spot.offset, spot.mask, _NOTHING, 0, 0)


def best(pieces: Iterable[Piece], everything: int) -> Piece | None:
    """The piece to show of a session: with the most terms, the user's before others', then the last one.

    :param pieces: the last one first.
    :param everything: the mask of all terms.
    """
    found: Piece | None = None
    rank = (0, False)
    for piece in pieces:
        here = (piece.mask.bit_count(), piece.kind == USER)
        if found is None or here > rank or (here == rank and is_later(piece, found)):
            found, rank = piece, here
        if rank == (everything.bit_count(), True):
            # Of one entry the user says one piece: nothing before it is better.
            break
    return found


def is_later(piece: Piece, than: Piece) -> bool:
    """Whether it comes later in the file; of one line, what is said comes after what was thought."""
    return (piece.offset, -piece.kind) > (than.offset, -than.kind)


def piece_at(source: Source, start: int, end: int, at: int) -> tuple[int, int, int]:
    """(head, begin of its text, end) of the piece that `at` lies in, within pieces from `start` to `end`.

    What lies in a head belongs to the piece that it begins.
    """
    mark = source.rfind(MARK, start, min(end, at + len(MARK)))
    if mark < 0:  # not what was packed; as if one began there
        mark = start
    begin = min(mark + HEAD, end)
    stop = source.find(MARK, max(begin, at), end)
    return mark, begin, stop if stop >= 0 else end


def kind_at(source: Source, start: int, at: int) -> int:
    """The kind of the piece that `at` lies in; pieces begin at `start`, or before."""
    mark = source.rfind(MARK, start, at)
    return source.data[mark + len(MARK)] if mark >= 0 else 0
