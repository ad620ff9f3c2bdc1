"""Reads the summary of a file: from the whole file, or from the bytes appended since the last reading. Lists
what is wrong with a file.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from app.formats.errors import NotASession
from app.formats.header import UNFINISHED, Fault, find_header, read_header
from app.formats.lines import BLOCK_SIZE, feed_lines, opened, read_at
from app.sessions.passages import NO_TEXT, PackedText
from app.sessions.summaries.summary_builder import UNKNOWN, SummaryBuilder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.summary import Summary

    Store = Callable[[PackedText], object]

_HEAD = 4096
PART_BYTES = 8 << 20
"""Bytes of folded text after which a part is stored, so that the text of a long session is not in memory."""

_TAIL = 64
"""Bytes at the beginning and before the end of what was read that the fingerprint covers."""


class Progress(Struct, frozen=True):
    """How far a file has been read, for `extend`.

    :param builder: the sums of the lines before `offset`.
    :param offset: the byte after the last newline that was read.
    :param fingerprint: of the file's beginning and of the bytes before `offset`, see `fingerprint_of`.
    """

    builder: SummaryBuilder
    offset: int
    fingerprint: bytes


class Outcome(Struct, frozen=True):
    """The result of reading a file.

    :param summary: the row, or None if the file is no session; then `refused` gives the reason, and
        `refused_line` the line that shows it (0: no line is to blame).
    :param progress: for `extend`; None if the file has to be read whole the next time.
    :param bytes_read: the number of bytes that were read.
    :param text: the conversation in the lines that were read, as `sessions.passages` packs it; nothing of the
        tools.
    :param stored: the results of storing the parts of the text before that.
    """

    summary: Summary | None
    refused: str | None = None
    refused_line: int = 0
    progress: Progress | None = None
    bytes_read: int = 0
    text: PackedText = NO_TEXT
    stored: tuple[Any, ...] = ()


def summarise(path: str, agents: Sequence[str], mtime_ms: int, store: Store | None = None) -> Outcome:
    """Read the whole of the file at `path`.

    :param agents: the agents whose store it lies in, usually one.
    :param mtime_ms: the file's own time, for sessions that have none.
    :param store: stores a part of a long text; None: the whole text is in the outcome.

    Raises nothing: a file that is gone, cannot be read or is no session comes back as refused.
    """
    try:
        with opened(path) as descriptor:
            # Most files are not longer than this, so their header needs no second reading.
            piece = read_at(descriptor, BLOCK_SIZE, 0)
            try:
                header = read_header(path, piece, agents)
            except NotASession:
                header = find_header(path, descriptor, agents)
            end = max(len(piece), os.fstat(descriptor).st_size)
            builder = SummaryBuilder(header)
            outcome = _fold(builder, descriptor, 0, mtime_ms, end, piece, store)
            again = builder.reader.again()
            if again is not None:
                builder = SummaryBuilder(header, reader=again)
                outcome = _fold(builder, descriptor, 0, mtime_ms, end, piece, store)
            if outcome.summary and outcome.summary.branch_count == UNKNOWN:
                builder = SummaryBuilder(header)
                builder.hierarchy.all_entries = []
                outcome = _fold(builder, descriptor, 0, mtime_ms, end, piece, store)
            return outcome
    except NotASession as refusal:
        return Outcome(None, refusal.reason, refusal.line)
    except OSError as error:
        return Outcome(None, read_error(error))


def extend(
    path: str, progress: Progress, agents: Sequence[str], mtime_ms: int, store: Store | None = None
) -> Outcome | None:
    """Read what was added to a file since the `Outcome` that `progress` is from. It can be used once.

    None if the new bytes alone do not tell: the file is shorter, was rewritten, or a new entry changes the
    meaning of earlier ones. Then `summarise` reads the whole file. Raises nothing, as `summarise`.
    """
    builder, offset = progress.builder, progress.offset
    try:
        with opened(path) as descriptor:
            end = os.fstat(descriptor).st_size
            if end < offset or fingerprint_of(descriptor, offset) != progress.fingerprint:
                return None
            if agents and builder.header.agent not in agents:
                return None
            outcome = _fold(builder, descriptor, offset, mtime_ms, end, store=store)
            if builder.reader.again() is not None:
                return None
            return None if outcome.summary and outcome.summary.branch_count == UNKNOWN else outcome
    except OSError as error:
        return Outcome(None, read_error(error))


def _fold(
    builder: SummaryBuilder,
    descriptor: int,
    start: int,
    mtime_ms: int,
    end: int,
    piece: bytes = b"",
    store: Store | None = None,
) -> Outcome:
    """Add the lines of the file from `start` on.

    :param end: the size of the file in bytes.
    :param piece: what has been read from `start` on.
    :param store: as for `summarise`.
    """
    stored: list[Any] = []

    def feed(block: bytes, offset: int) -> int:
        taken = builder.feed(block, offset)
        if store is not None and builder.text_bytes >= PART_BYTES:
            stored.append(store(builder.text()))
        return taken

    offset, unfinished = feed_lines(descriptor, feed, start, piece, end)
    # The sums contain such a line now, and would contain it twice after the next reading.
    is_complete = bool(unfinished) and feed_unfinished(builder, unfinished, offset)
    return Outcome(
        summary=builder.summary(mtime_ms, torn=bool(unfinished) and not is_complete),
        progress=None if is_complete else Progress(builder, offset, fingerprint_of(descriptor, offset)),
        bytes_read=offset - start + len(unfinished),
        text=builder.text(),
        stored=tuple(stored),
    )


def feed_unfinished(builder: SummaryBuilder, line: bytes, offset: int) -> bool:
    """Add a last line without a newline if it is complete. False if it is torn."""
    if not builder.can_decode(line):
        return False
    builder.feed(line + b"\n", offset)
    return True


def fingerprint_of(descriptor: int, offset: int) -> bytes:
    """A digest of the file's beginning and of the bytes before `offset`: both change when a file is
    rewritten.

    :raises OSError: the file cannot be read.
    """
    start = max(0, offset - _TAIL)
    digest = blake2b(read_at(descriptor, min(_HEAD, offset), 0), digest_size=16)
    digest.update(read_at(descriptor, offset - start, start))
    return digest.digest()


def read_error(error: OSError) -> str:
    """The reason, in one sentence, of a file that cannot be read."""
    return f"cannot be read: {error.strerror or error}"


Problem = Fault
"""A line (from 1; None for the whole file), its offset in bytes, the reason, and whether it is the torn last
line. A torn line is listed, but `Summary.problems` does not count it: the agent may still be writing it."""


def problems(path: str, agents: Sequence[str] = ()) -> list[Problem]:
    """Read the file at `path` again and list what is wrong with it, in file order.

    Raises nothing: a file that cannot be read is itself the one problem.
    """
    found: list[Problem] = []
    try:
        with opened(path) as descriptor:
            header = find_header(path, descriptor, agents)
            builder = SummaryBuilder(header, found.append)
            offset, unfinished = feed_lines(descriptor, _without_text(builder))
            again = builder.reader.again()
            if again is not None:
                found.clear()
                builder = SummaryBuilder(header, found.append, again)
                offset, unfinished = feed_lines(descriptor, _without_text(builder))
        if unfinished and not feed_unfinished(builder, unfinished, offset):
            found.append(Problem(builder.totals.lines + 1, offset, UNFINISHED, torn=True))
    except NotASession as refusal:
        found.append(Problem(refusal.line or None, 0, refusal.reason))
    except OSError as error:
        found.append(Problem(None, 0, read_error(error)))
    return found


def _without_text(builder: SummaryBuilder) -> Callable[[bytes, int], int]:
    """`builder.feed`, without keeping the text."""

    def feed(block: bytes, offset: int) -> int:
        taken = builder.feed(block, offset)
        builder.text()
        return taken

    return feed
