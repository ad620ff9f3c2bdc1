"""The row of a file: read whole, or only the bytes that were added since the last look."""

from __future__ import annotations

import os

# The module itself: what `hashlib` adds is OpenSSL, which takes longer to load than many a file to read.
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from app.formats.header import NotASession, find_header, read_header
from app.formats.lines import BLOCK_SIZE, feed_lines, open_file, read_at
from app.sessions.tally.halves import NONE, Halves
from app.sessions.tally.row_of import UNTOLD
from app.sessions.tally.tally import NeedsReread, SummaryBuilder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.header import Header
    from app.sessions.summary import Summary

_HEAD = 4096
_TAIL = 64

MOST = 16
_growing: dict[str, tuple[Halves, SummaryBuilder, bytes, blake2b]] = {}
"""By path the tallies of the files that were extended last, so many at most, each with the state that it
stands for: to make a tally of a state is a good part of what one more line costs.
"""


class Outcome(Struct, frozen=True):
    """What became of reading a file.

    :param summary: the row, or None where the file is no session; then `refused` says why, and `refused_line`
        where that shows (0: no line is to blame).
    :param state: for `extend` (`sessions.tally.halves`); none where the file has to be read whole each time.
    :param offset: the byte after the last newline that `state` covers.
    :param fingerprint: of the file's beginning and of the bytes before `offset`.
    :param bytes_read: how much was read.
    :param text: what was said in the lines up to `offset` that were read, see `sessions.pieces`; nothing of
        the tools.
    """

    summary: Summary | None
    refused: str | None = None
    refused_line: int = 0
    state: Halves = NONE
    offset: int = 0
    fingerprint: bytes = b""
    bytes_read: int = 0
    text: bytes = b""


def summarise(path: str, agents: Sequence[str], mtime_ms: int) -> Outcome:
    """Read the whole of the file at `path`.

    :param agents: the agents whose store it lies in, usually one.
    :param mtime_ms: the file's own time, for sessions that have none.

    Raises nothing: a file that is gone, cannot be read or is no session comes back as refused.
    """
    try:
        descriptor = open_file(path)
    except OSError as error:
        return Outcome(None, why(error))
    try:
        # Most files are no longer than this, and need not be read twice for their header.
        piece = read_at(descriptor, BLOCK_SIZE, 0)
        try:
            header = read_header(path, piece, agents)
        except NotASession:
            header = find_header(path, descriptor, agents)
        end = max(len(piece), os.fstat(descriptor).st_size)
        tally = SummaryBuilder(header)
        outcome = _fold(tally, descriptor, 0, mtime_ms, piece, end)
        if outcome.summary and outcome.summary.branch_count == UNTOLD:
            told = _branches(header, descriptor, outcome.bytes_read)
            outcome.summary.branch_count = tally.leaves.told = told
            if outcome.bytes_read == outcome.offset:
                outcome = structs.replace(outcome, state=tally.dump())
        return outcome
    except NotASession as refusal:
        return Outcome(None, refusal.reason, refusal.line)
    except OSError as error:
        return Outcome(None, why(error))
    finally:
        os.close(descriptor)


def extend(
    path: str, state: Halves, offset: int, fingerprint: bytes, agents: Sequence[str], mtime_ms: int
) -> Outcome | None:
    """Read what was added to a file since the `Outcome` that `state`, `offset` and `fingerprint` are from.

    None where that cannot be told from the new bytes: the file is shorter, was written anew, or a new entry
    means something else for the ones before. Then `summarise` reads it whole. Raises nothing, as `summarise`.
    """
    if not state:
        return None
    # Taken out: what ends in the middle is of no more use, and no other thread may have it meanwhile.
    known, tally, began, head = _growing.pop(path, (NONE, None, b"", None))
    try:
        descriptor = open_file(path)
    except OSError as error:
        return Outcome(None, why(error))
    try:
        end = os.fstat(descriptor).st_size
        if end < offset:
            return None
        start = max(0, offset - _TAIL)
        piece = read_at(descriptor, min(BLOCK_SIZE, end - start), start)
        beginning = read_at(descriptor, min(_HEAD, offset), 0)
        if head is None or beginning != began:
            head = _head_of(descriptor, offset, beginning)
        if _fingerprint(head, piece[: offset - start]) != fingerprint:
            return None
        if tally is None or known is not state:
            tally = SummaryBuilder.restore(state)
        if agents and tally.header.agent not in agents:
            return None
        outcome = _fold(tally, descriptor, offset, mtime_ms, piece, end, head, start)
        if outcome.summary and outcome.summary.branch_count == UNTOLD:
            return None
        if outcome.state:
            _growing[path] = outcome.state, tally, beginning, head
            for oldest in [*_growing][:-MOST]:
                _growing.pop(oldest, None)
        return outcome
    except NeedsReread:
        return None
    except OSError as error:
        return Outcome(None, why(error))
    finally:
        os.close(descriptor)


def _branches(header: Header, descriptor: int, end: int) -> int:
    """How many branches the file has, as far as `end`.

    :raises OSError: it cannot be read.
    """
    tally = SummaryBuilder(header)
    tally.leaves.every = []
    offset, unfinished = feed_lines(descriptor, tally.feed, end=end)
    if unfinished:
        feed_unfinished(tally, unfinished, offset)
    return tally.summary(0).branch_count


def _fold(
    tally: SummaryBuilder,
    descriptor: int,
    start: int,
    mtime_ms: int,
    piece: bytes,
    end: int,
    head: blake2b | None = None,
    begin: int = 0,
) -> Outcome:
    """Take in the file from `start` on.

    :param piece: what has been read from `begin` on, which is not behind `start`.
    :param end: how long the file is.
    :param head: of its beginning as far as `start`; None: the tally begins there, and need not go on.
    """
    offset, unfinished = feed_lines(descriptor, tally.feed, start, piece[start - begin :], end)
    state = tally.dump() if head is None else tally.settle()
    whole = bool(unfinished) and feed_unfinished(tally, unfinished, offset)
    return Outcome(
        summary=tally.summary(mtime_ms, torn=bool(unfinished) and not whole),
        # What an unfinished line says is in the text now, and would be there twice after the next look.
        state=NONE if whole else state,
        offset=offset,
        fingerprint=_fingerprint_at(descriptor, offset, head if start >= _HEAD else None, piece, begin),
        bytes_read=offset - start + len(unfinished),
        text=tally.text(),
    )


def feed_unfinished(tally: SummaryBuilder, line: bytes, offset: int) -> bool:
    """Take in a last line without a newline, if it is complete all the same; False if it is torn."""
    if not tally.understands(line):
        return False
    tally.feed(line + b"\n", offset)
    return True


def fingerprint_of(descriptor: int, offset: int) -> bytes:
    """Of the file's beginning and of what stands before `offset`: both change when a file is written anew.

    :raises OSError: the file cannot be read.
    """
    return _fingerprint_at(descriptor, offset, None, b"", 0)


def _fingerprint_at(descriptor: int, offset: int, head: blake2b | None, piece: bytes, begin: int) -> bytes:
    """`fingerprint_of`.

    :param head: of the beginning, when that has just been read.
    :param piece: what has just been read of the file from `begin` on.
    """
    start = max(0, offset - _TAIL)
    if begin <= start and offset <= begin + len(piece):
        tail = piece[start - begin : offset - begin]
    else:
        tail = read_at(descriptor, offset - start, start)
    return _fingerprint(head or _head_of(descriptor, offset, b"" if begin else piece), tail)


def _fingerprint(head: blake2b, tail: bytes) -> bytes:
    digest = head.copy()
    digest.update(tail)
    return digest.digest()


def _head_of(descriptor: int, offset: int, piece: bytes = b"") -> blake2b:
    """:param piece: what has just been read of the file's beginning."""
    size = min(_HEAD, offset)
    return blake2b(piece[:size] if len(piece) >= size else read_at(descriptor, size, 0), digest_size=16)


def why(error: OSError) -> str:
    """One sentence about a file that cannot be read."""
    return f"cannot be read: {error.strerror or error}"
