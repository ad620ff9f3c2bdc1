"""The row of a file: read whole, or only the bytes that were added since the last look (PERFORMANCE 3.7)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from app.formats.header import NotASession, find_header
from app.formats.lines import blocks, read_at
from app.sessions.tally import NeedsReread, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.summary import Summary

_HEAD = 4096
_TAIL = 64


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of reading a file.

    :param summary: the row, or None where the file is no session; then `refused` says why, and `refused_line`
        where that shows (0: no line is to blame).
    :param state: for `extend`; empty where the file has to be read whole each time.
    :param offset: the byte after the last newline that `state` covers.
    :param fingerprint: of the file's beginning and of the bytes before `offset`.
    :param bytes_read: how much was read.
    """

    summary: Summary | None
    refused: str | None = None
    refused_line: int = 0
    state: bytes = b""
    offset: int = 0
    fingerprint: bytes = b""
    bytes_read: int = 0


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
        tally = Tally(find_header(path, descriptor, agents))
        return _fold(tally, descriptor, 0, mtime_ms)
    except NotASession as refusal:
        return Outcome(None, refusal.reason, refusal.line)
    except OSError as error:
        return Outcome(None, why(error))
    finally:
        os.close(descriptor)


def extend(
    path: str, state: bytes, offset: int, fingerprint: bytes, agents: Sequence[str], mtime_ms: int
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
        if os.fstat(descriptor).st_size < offset or fingerprint_of(descriptor, offset) != fingerprint:
            return None
        tally = Tally.restore(state)
        if agents and tally.header.agent not in agents:
            return None
        return _fold(tally, descriptor, offset, mtime_ms)
    except NeedsReread:
        return None
    except OSError as error:
        return Outcome(None, why(error))
    finally:
        os.close(descriptor)


def _fold(tally: Tally, descriptor: int, offset: int, mtime_ms: int) -> Outcome:
    start = offset
    unfinished = b""
    for block in blocks(descriptor, offset):
        if block.endswith(b"\n"):
            tally.feed(block, offset)
            offset += len(block)
            continue
        end = block.rfind(b"\n") + 1
        if end:
            tally.feed(block[:end], offset)
            offset += end
        unfinished = block[end:]
    state = tally.dump()
    torn = bool(unfinished) and not feed_unfinished(tally, unfinished, offset)
    return Outcome(
        summary=tally.summary(mtime_ms, torn=torn),
        state=state,
        offset=offset,
        fingerprint=fingerprint_of(descriptor, offset),
        bytes_read=offset - start + len(unfinished),
    )


def feed_unfinished(tally: Tally, line: bytes, offset: int) -> bool:
    """Take in a last line without a newline, if it is complete all the same; False if it is torn."""
    if not tally.understands(line):
        return False
    tally.feed(line, offset)
    return True


def open_file(path: str) -> int:
    # Not blocking: a named pipe in a store must not hang the scan.
    return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


def fingerprint_of(descriptor: int, offset: int) -> bytes:
    """Of the file's beginning and of what stands before `offset`: both change when a file is written anew.

    :raises OSError: the file cannot be read.
    """
    digest = blake2b(read_at(descriptor, min(_HEAD, offset), 0), digest_size=16)
    digest.update(read_at(descriptor, min(_TAIL, offset), max(0, offset - _TAIL)))
    return digest.digest()


def why(error: OSError) -> str:
    """One sentence about a file that cannot be read."""
    return f"cannot be read: {error.strerror or error}"
