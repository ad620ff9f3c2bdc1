"""Lines of a file as bytes, with where each begins (formats/README.md, "pi").

Only LF ends a line; the CR of a CRLF is white space to JSON and stays in the line. Lines are never decoded
here: bad UTF-8 and lines of any length pass through as they are. Blank lines and NUL bytes, of which a crash
may leave gigabytes, are passed over in blocks. JSON has no NUL: only the part
of a long line up to its first one is kept.
"""

from __future__ import annotations

import errno
import io
import os
import re
from typing import TYPE_CHECKING

from app.small_files import check_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOM = b"\xef\xbb\xbf"
BLOCK_SIZE = 512 << 10
"""How much is read at once: a file of gigabytes needs no more memory than its longest line and this, and the
lines of a block are still in the processor's cache when they are decoded. With half of it a cold index takes
3 to 4 % more processor time, with up to four times as much none less."""

_NULS = bytes(BLOCK_SIZE)
BLANK_BYTES = b" \t\n\r\v\f"
"""The bytes that blank lines have, but for Unicode's blanks."""
_FIRST_STEP = 4 << 10
"""Bytes of the end of a run that are read first: mostly it is a single blank line."""

_END_BLOCK = 64 << 10
"""Bytes of the end of a file in which the last LF is looked for at once."""

# Characters that JavaScript's trim() removes and bytes.strip() keeps: agents skip lines of these silently.
_UNICODE_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
_BLANKS = " \t\n\r\v\f\u202f\u205f\u3000\ufeff" + _UNICODE_BLANKS
_LONGEST_UNICODE_BLANK = 256
_BLANK_RUN = re.compile(rb"[ \t\n\r\v\f]*+")
_SEEK_DATA: int | None = getattr(os, "SEEK_DATA", None)  # not on every system
# Not blocking: a named pipe in a store must not hang the scan.
_READ = os.O_RDONLY | os.O_NONBLOCK


def is_blank(line: bytes) -> bool:
    """True for a line of white space only, as the agents see it: Unicode's blanks included."""
    if not line or line.isspace():
        return True
    if len(line) > _LONGEST_UNICODE_BLANK or line[0] < 0x80:
        return False
    return not line.decode("utf-8", "replace").strip(_BLANKS)


def skip_blanks(data: bytes | bytearray, start: int, end: int) -> tuple[int, int]:
    """The offset of the first line that is not blank, and the number of blank lines before it.

    :param start: where a line begins in `data`; `end` where the last one ends.
    """
    run = _BLANK_RUN.match(data, start, end)
    # White space before the first word of a line belongs to that line.
    stop = data.rfind(b"\n", start, run.end()) + 1 if run else 0
    return (stop, data.count(b"\n", start, stop)) if stop else (start, 0)


def run_start(descriptor: int, low: int, high: int, of: bytes = b"\0") -> int:
    """The start of the run of bytes that ends at `high`, not before `low`.

    :param of: the bytes that belong to the run.
    :raises OSError: the file cannot be read.
    """
    size = _FIRST_STEP
    while high > low:
        start = max(low, high - size)
        if size > BLOCK_SIZE:
            if 0 in of and next_data(descriptor, start) >= high:
                # A hole; the next look goes twice as far.
                high, size = start, 2 * size
                continue
            start = max(low, high - BLOCK_SIZE)
            size = BLOCK_SIZE
        piece = read_at(descriptor, high - start, start)
        kept = b"" if piece == _NULS and 0 in of else piece.rstrip(of)
        if kept:
            return start + len(kept)
        high, size = start, 2 * size
    return low


def line_end(descriptor: int, offset: int) -> int | None:
    """The offset behind the first LF from `offset` on; None where there is none. Nothing is kept.

    :raises OSError: the file cannot be read.
    """
    while piece := read_at(descriptor, BLOCK_SIZE, offset):
        at = piece.find(b"\n")
        if at >= 0:
            return offset + at + 1
        offset = next_data(descriptor, offset + len(piece))
    return None


def last_line_end(descriptor: int, size: int) -> int:
    """The offset behind the last LF before `size`; 0 where there is none.

    :raises OSError: the file cannot be read.
    """
    while size > 0:
        start = max(0, size - _END_BLOCK)
        block = read_at(descriptor, size - start, start)
        at = block.rfind(b"\n")
        if at >= 0:
            return start + at + 1
        size = run_start(descriptor, 0, size) if block.endswith(b"\0") else start
    return 0


def next_data(descriptor: int, offset: int) -> int:
    """The offset of the first data at or after `offset`, or the end of the file. The bytes before it are a
    hole, which reads as NUL bytes. Returns `offset` if the system does not report holes. Moves the
    descriptor's own position.
    """
    if _SEEK_DATA is None:
        return offset
    try:
        return os.lseek(descriptor, offset, _SEEK_DATA)
    except OSError as error:
        return max(offset, os.fstat(descriptor).st_size) if error.errno == errno.ENXIO else offset


def open_file(path: str) -> int:
    """Open the file of a session for reading; its descriptor.

    :raises OSError: it cannot be opened, or is no regular file: a device may have no end.
    """
    descriptor = os.open(path, _READ)
    try:
        check_regular(path, os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Up to `size` bytes from `offset` on.

    :raises OSError: they cannot be read.
    """
    return os.pread(descriptor, size, offset)


def read_all(descriptor: int, size: int, offset: int) -> bytes:
    """`size` bytes from `offset` on; fewer only at the end of the file. A single system call may return less.

    :raises OSError: they cannot be read.
    """
    pieces = []
    while size > 0 and (piece := read_at(descriptor, size, offset)):
        pieces.append(piece)
        offset += len(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def feed_lines(
    descriptor: int,
    take: Callable[[bytes, int], int],
    offset: int = 0,
    piece: bytes = b"",
    end: int | None = None,
) -> tuple[int, bytes]:
    """Pass the file behind `descriptor` from `offset` on to `take`, in pieces.

    :param take: gets a piece and its offset, reads the lines that end within, and returns their size in
        bytes, LF included. The rest is read again together with more: a piece is never cut or joined. If a
        line is longer than a block and contains a NUL, its piece ends with the NUL.
    :param piece: the bytes from `offset` on that were read already.
    :param end: the length of the file, if known. It saves a read at the end, which would take longer than
        reading the line.
    :return: the offset of the byte after the last LF, and the unfinished line from there on.
    :raises OSError: the file cannot be read.
    """
    size = BLOCK_SIZE
    while piece := piece or read_at(descriptor, size if end is None else min(size, end - offset), offset):
        taken = take(piece, offset)
        offset += taken
        if taken:
            size = BLOCK_SIZE
        elif (nul := piece.find(0)) >= 0:
            after = line_end(descriptor, offset + len(piece))
            if after is None:
                return offset, piece[: nul + 1]
            take(piece[: nul + 1] + b"\n", offset)
            offset, size = after, BLOCK_SIZE
        elif offset + len(piece) == end or not read_at(descriptor, 1, offset + len(piece)):
            break
        else:
            size = 2 * max(size, len(piece))
        piece = b""
        if end is not None and offset >= end:
            break
    return offset, piece


WINDOW = 128 << 10
"""Bytes that are read at once. Other threads wait for the interpreter for about half a millisecond."""


def line_windows(
    descriptor: int, offset: int = 0, size: int = WINDOW
) -> Iterator[tuple[bytearray, int, int]]:
    """The file behind `descriptor` from `offset` on: a buffer, how many bytes of it are lines, and how many
    bytes of the file these are.

    The two numbers differ for a line that is longer than a window and has a NUL in it, which no entry has.
    Such a line comes alone, and the buffer holds the part up to the NUL: gigabytes of them take no memory.
    They end with a LF, but for those at the end of a file that does not. The buffer is filled anew at the
    next step, and is as long as the longest line. Stops where the file ends at that moment. `descriptor`
    stays open; its position is moved.

    :raises OSError: the file cannot be read.
    """
    file = io.FileIO(descriptor, closefd=False)
    file.seek(offset)
    buffer = bytearray(size)
    filled = 0
    while True:
        if filled == len(buffer):
            # one line fills all of it
            nul = buffer.find(0)
            if nul >= 0:
                end_of_line = line_end(descriptor, offset + filled)
                if end_of_line is None:
                    yield buffer, nul + 1, os.fstat(descriptor).st_size - offset
                    return
                yield buffer[: nul + 1] + b"\n", nul + 2, end_of_line - offset
                offset = end_of_line
                file.seek(offset)
                filled = 0
                continue
            buffer = buffer + bytearray(filled)
        with memoryview(buffer) as view:
            found = file.readinto(view[filled:])
        if not found:
            break
        end = buffer.rfind(b"\n", filled, filled + found) + 1
        filled += found
        if end:
            yield buffer, end, end
            offset += end
            filled -= end
            buffer[:filled] = buffer[end : end + filled]
    if filled:
        yield buffer, filled, filled
