"""The row of a file: read whole, or only the bytes that were added since the last look (PERFORMANCE 3.7)."""

from __future__ import annotations

import os

# The module itself: what `hashlib` adds is OpenSSL, which takes longer to load than many a file to read.
from _blake2 import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct

from app.formats.header import NotASession, find_header, read_header
from app.formats.lines import BLOCK_SIZE, feed_lines, read_at
from app.sessions.halves import NONE, Halves
from app.sessions.tally import NeedsReread, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.summary import Summary

# Not blocking: a named pipe in a store must not hang the scan.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_HEAD = 4096
_TAIL = 64


class Outcome(Struct, frozen=True):
    """What became of reading a file.

    :param summary: the row, or None where the file is no session; then `refused` says why, and `refused_line`
        where that shows (0: no line is to blame).
    :param state: for `extend` (`sessions.halves`); none where the file has to be read whole each time.
    :param offset: the byte after the last newline that `state` covers.
    :param fingerprint: of the file's beginning and of the bytes before `offset`.
    :param bytes_read: how much was read.
    :param text: what was said in the lines up to `offset` that were read, see `pieces`; nothing of the tools.
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
        return _fold(Tally(header), descriptor, 0, mtime_ms, piece, end)
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
    try:
        descriptor = open_file(path)
    except OSError as error:
        return Outcome(None, why(error))
    try:
        end = os.fstat(descriptor).st_size
        if end < offset:
            return None
        head = _head_of(descriptor, offset)
        if fingerprint_of(descriptor, offset, head) != fingerprint:
            return None
        tally = Tally.restore(state)
        if agents and tally.header.agent not in agents:
            return None
        return _fold(tally, descriptor, offset, mtime_ms, end=end, head=head if offset >= _HEAD else None)
    except NeedsReread:
        return None
    except OSError as error:
        return Outcome(None, why(error))
    finally:
        os.close(descriptor)


def _fold(
    tally: Tally,
    descriptor: int,
    start: int,
    mtime_ms: int,
    piece: bytes = b"",
    end: int | None = None,
    head: blake2b | None = None,
) -> Outcome:
    """:param piece: what has been read from `start` on; `end`, `head`: see `feed_lines`, `fingerprint_of`."""
    offset, unfinished = feed_lines(descriptor, tally.feed, start, piece, end)
    state = tally.dump()
    whole = bool(unfinished) and feed_unfinished(tally, unfinished, offset)
    return Outcome(
        summary=tally.summary(mtime_ms, torn=bool(unfinished) and not whole),
        # What an unfinished line says is in the text now, and would be there twice after the next look.
        state=NONE if whole else state,
        offset=offset,
        fingerprint=fingerprint_of(descriptor, offset, head),
        bytes_read=offset - start + len(unfinished),
        text=tally.text(),
    )


def feed_unfinished(tally: Tally, line: bytes, offset: int) -> bool:
    """Take in a last line without a newline, if it is complete all the same; False if it is torn."""
    if not tally.understands(line):
        return False
    tally.feed(line + b"\n", offset)
    return True


def open_file(path: str) -> int:
    return os.open(path, _READ)


def fingerprint_of(descriptor: int, offset: int, head: blake2b | None = None) -> bytes:
    """Of the file's beginning and of what stands before `offset`: both change when a file is written anew.

    :param head: of the beginning, when that has just been read; it stays as it is.
    :raises OSError: the file cannot be read.
    """
    digest = _head_of(descriptor, offset) if head is None else head.copy()
    digest.update(read_at(descriptor, min(_TAIL, offset), max(0, offset - _TAIL)))
    return digest.digest()


def _head_of(descriptor: int, offset: int) -> blake2b:
    return blake2b(read_at(descriptor, min(_HEAD, offset), 0), digest_size=16)


def why(error: OSError) -> str:
    """One sentence about a file that cannot be read."""
    return f"cannot be read: {error.strerror or error}"
