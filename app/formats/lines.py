"""Reads the lines of a file as bytes, with their offsets (formats/README.md, "Lines").

Only LF ends a line; the CR of a CRLF is white space to JSON and stays in the line. Lines are not decoded
here, and invalid UTF-8 stays as it is. Blank lines and NUL bytes, of which a crash may leave gigabytes, are
skipped in blocks. JSON has no NUL: only the part of a long line up to its first NUL is kept.

A long line is in memory once, and what readers of a whole file get of it is shortened
(`app.formats.long_lines`). An entry that is read by itself is whole.
"""

from __future__ import annotations

import errno
import io
import os
import re
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.formats.long_lines import LONG_LINE, LONGEST_LINE, PASSED_OVER, shortened
from app.formats.packed import PACKED, unpacked
from app.small_files import check_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOM = b"\xef\xbb\xbf"
BLOCK_SIZE = 512 << 10
"""Bytes that are read at once: a file of gigabytes needs no more memory than this and its longest line, and
the lines of a block are still in the processor's cache when they are decoded. With half as much, a cold index
takes 3 to 4 % more processor time; with four times as much, it takes no less.
"""

_DIGESTED = 256
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


def run_start(descriptor: int, high: int, of: bytes = b"\0") -> int:
    """The start of the run of bytes that ends at `high`.

    :param of: the bytes that belong to the run.
    :raises OSError: the file cannot be read.
    """
    size = _FIRST_STEP
    while high:
        start = max(0, high - size)
        if size > BLOCK_SIZE:
            if 0 in of and next_data(descriptor, start) >= high:
                # A hole; the next step is twice as long.
                high, size = start, 2 * size
                continue
            start = max(0, high - BLOCK_SIZE)
            size = BLOCK_SIZE
        piece = read_at(descriptor, high - start, start)
        kept = b"" if piece == _NULS and 0 in of else piece.rstrip(of)
        if kept:
            return start + len(kept)
        high, size = start, 2 * size
    return 0


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
        size = run_start(descriptor, size) if block.endswith(b"\0") else start
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
    """Open the file of a session for reading, and return its descriptor, or for a compressed file that of its
    content (`app.formats.packed`).

    :raises OSError: it cannot be opened, or is no regular file: a device may have no end.
    """
    descriptor = os.open(path, _READ)
    try:
        check_regular(path, os.fstat(descriptor))
        if path.endswith(PACKED):
            packed = descriptor
            descriptor = unpacked(path, packed)
            os.close(packed)
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


def digest_before(descriptor: int, end: int) -> int:
    """A digest of the last bytes before an offset: if the file has only grown, they are the same.

    :raises OSError: they cannot be read.
    """
    start = max(0, end - _DIGESTED)
    return zlib.crc32(read_all(descriptor, end - start, start))


def feed_lines(
    descriptor: int,
    take: Callable[[bytes, int], int],
    offset: int = 0,
    piece: bytes = b"",
    end: int | None = None,
) -> tuple[int, bytes]:
    """Pass the open file from `offset` on to `take`, in pieces.

    :param take: gets a piece and its offset, reads the lines that end within, and returns their size in
        bytes, LF included. The rest is read again together with more: a piece is never cut or joined. A line
        that is longer than `LONG_LINE`, or longer than a block and with a NUL, is a piece of its own, as
        `_long_line` gives it.
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
        has_nul = not taken and 0 in piece
        if taken:
            size = BLOCK_SIZE
        elif not has_nul and offset + len(piece) == end:
            break
        elif has_nul or len(piece) >= LONG_LINE:
            line, length = _long_line(descriptor, offset, end)
            if not line.endswith(b"\n"):
                return offset, line
            take(line, offset)
            offset, size = offset + length, BLOCK_SIZE
        elif not read_at(descriptor, 1, offset + len(piece)):
            break
        else:
            size = 2 * max(size, len(piece))
        piece = b""
        if end is not None and offset >= end:
            break
    return offset, piece


def _long_line(descriptor: int, offset: int, end: int | None = None) -> tuple[bytes, int]:
    """The line that begins at `offset`, with long texts cut (`shortened`), and its length in the file; both
    with its LF if it has one.

    A line with a NUL is kept up to that alone, and `PASSED_OVER` is in the place of one that is longer than
    `LONGEST_LINE`.

    :param end: the length of the file, if known.
    :raises OSError: the file cannot be read.
    """
    # It grows in place: there is never a second copy of the line.
    line = bytearray()
    position = offset
    while piece := read_at(
        descriptor, BLOCK_SIZE if end is None else min(BLOCK_SIZE, end - position), position
    ):
        newline = piece.find(b"\n")
        nul = piece.find(0, 0, newline if newline >= 0 else len(piece))
        kept = nul + 1 or newline + 1 or len(piece)
        is_too_long = len(line) + kept > LONGEST_LINE
        line += b"" if is_too_long else piece[:kept]
        if nul >= 0 or is_too_long:
            stop = line_end(descriptor, position + kept - 1)
            length = (os.fstat(descriptor).st_size if stop is None else stop) - offset
            shown = PASSED_OVER if is_too_long else bytes(line)
            return shown + b"\n" * (stop is not None), length
        position += kept
        if newline >= 0:
            break
    return shortened(line), position - offset


WINDOW = 128 << 10
"""Bytes that are read at once. Other threads wait for the interpreter for about half a millisecond."""


def line_windows(
    descriptor: int, offset: int = 0, size: int = WINDOW
) -> Iterator[tuple[bytes | bytearray, int, int]]:
    """The lines of the open file from `offset` on, in windows: (a buffer, the number of bytes of lines in it,
    their number in the file).

    The two numbers differ only for a line that is shortened (see the beginning of this module) or that is
    longer than a window and has a NUL, which no entry has. The window has this line alone. A window ends with
    a LF, except at the end of a file without one. The next step overwrites the buffer. The iteration ends at
    the present end of the file. `descriptor` stays open; its position changes.

    :raises OSError: the file cannot be read.
    """
    file = io.FileIO(descriptor, closefd=False)
    file.seek(offset)
    buffer = bytearray(size)
    filled = 0
    while True:
        if filled == len(buffer):
            # One line fills the buffer.
            if filled >= LONG_LINE or 0 in buffer:
                line, length = _long_line(descriptor, offset)
                yield line, len(line), length
                if not line.endswith(b"\n"):
                    return
                offset += length
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


def lines_of(descriptor: int) -> Iterator[bytes]:
    """The lines of the open file, without line ends and without a byte order mark. Only a window of them, or
    one longer line, is in memory at a time.

    :raises OSError: the file cannot be read.
    """
    is_first = True
    for buffer, size, _ in line_windows(descriptor):
        start = len(BOM) if is_first and buffer.startswith(BOM) else 0
        is_first = False
        while start < size:
            end = buffer.find(b"\n", start, size)
            end = size if end < 0 else end
            with memoryview(buffer) as view:
                line = bytes(view[start:end])
            yield line
            start = end + 1
