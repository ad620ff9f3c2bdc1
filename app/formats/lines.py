"""Reads the lines of a file as bytes, with their offsets (formats/README.md, "Lines").

Only LF ends a line; the CR of a CRLF is white space to JSON and stays in the line. Lines are not decoded
here: invalid UTF-8 and lines of any length stay as they are. Blank lines and NUL bytes, of which a crash may
leave gigabytes, are skipped in blocks. JSON has no NUL: only the part of a long line up to its first NUL is
kept.
"""

from __future__ import annotations

import errno
import io
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.small_files import check_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOM = b"\xef\xbb\xbf"
BLOCK_SIZE = 512 << 10
"""Bytes that are read at once: a file of gigabytes needs no more memory than this and its longest line, and
the lines of a block are still in the processor's cache when they are decoded. With half as much, a cold index
takes 3 to 4 % more processor time; with four times as much, it takes no less.
"""

_NULS = bytes(BLOCK_SIZE)
BLANK_BYTES = b" \t\n\r\v\f"
"""The bytes of blank lines, without Unicode's blanks."""
_FIRST_STEP = 4 << 10
"""Bytes of the end of a run that are read first: usually it is a single blank line."""

_END_BLOCK = 64 << 10
"""Bytes that are read at once to find the last LF of a file."""

# Characters that JavaScript's trim() removes and bytes.strip() keeps: agents skip lines of these silently.
_UNICODE_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
_BLANKS = " \t\n\r\v\f\u202f\u205f\u3000\ufeff" + _UNICODE_BLANKS
_LONGEST_UNICODE_BLANK = 256
_BLANK_RUN = re.compile(rb"[ \t\n\r\v\f]*+")
_SEEK_DATA: int | None = getattr(os, "SEEK_DATA", None)  # not on every system
# Not blocking: a named pipe in a store must not hang the scan.
_READ = os.O_RDONLY | os.O_NONBLOCK


def is_blank(line: bytes) -> bool:
    """Whether a line is only white space for the agents, which includes Unicode's blanks."""
    if not line or line.isspace():
        return True
    if len(line) > _LONGEST_UNICODE_BLANK or line[0] < 0x80:
        return False
    return not line.decode("utf-8", "replace").strip(_BLANKS)


def skip_blanks(data: bytes | bytearray, start: int, end: int) -> tuple[int, int]:
    """The offset of the first line that is not blank, and the number of blank lines before it.

    :param start: the offset of a line in `data`; `end` is the end of the last line.
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
                # A hole; the next step is twice as long.
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
    """The offset after the first LF from `offset` on; None if there is none.

    :raises OSError: the file cannot be read.
    """
    while piece := read_at(descriptor, BLOCK_SIZE, offset):
        position = piece.find(b"\n")
        if position >= 0:
            return offset + position + 1
        offset = next_data(descriptor, offset + len(piece))
    return None


def last_line_end(descriptor: int, size: int) -> int:
    """The offset after the last LF before `size`; 0 if there is none.

    :raises OSError: the file cannot be read.
    """
    while size > 0:
        start = max(0, size - _END_BLOCK)
        block = read_at(descriptor, size - start, start)
        position = block.rfind(b"\n")
        if position >= 0:
            return start + position + 1
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
    """Open the file of a session for reading, and return its descriptor.

    :raises OSError: it cannot be opened, or is no regular file: a device may have no end.
    """
    descriptor = os.open(path, _READ)
    try:
        check_regular(path, os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def opened(path: str) -> Iterator[int]:
    """The descriptor of the file, which is closed afterwards. Raises as `open_file`."""
    descriptor = open_file(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


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
    """Pass the open file from `offset` on to `take`, in pieces.

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
    """The lines of the open file from `offset` on, in windows: (a buffer, the number of bytes of lines in it,
    their number in the file).

    The two numbers differ only for a line that is longer than a window and has a NUL, which no entry has. The
    window has this line alone, up to the NUL, so that gigabytes of NUL bytes take no memory. A window ends
    with a LF, except at the end of a file without one. The next step overwrites the buffer, which is as long
    as the longest line. The iteration ends at the present end of the file. `descriptor` stays open; its
    position changes.

    :raises OSError: the file cannot be read.
    """
    file = io.FileIO(descriptor, closefd=False)
    file.seek(offset)
    buffer = bytearray(size)
    filled = 0
    while True:
        if filled == len(buffer):
            # One line fills the buffer.
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
            count = file.readinto(view[filled:])
        if not count:
            break
        end = buffer.rfind(b"\n", filled, filled + count) + 1
        filled += count
        if end:
            yield buffer, end, end
            offset += end
            filled -= end
            buffer[:filled] = buffer[end : end + filled]
    if filled:
        yield buffer, filled, filled
