"""Lines of a file as bytes, with where each begins (FORMATS 1.1 "Loader tolerance", PERFORMANCE 4).

Only LF ends a line; the CR of a CRLF is white space to JSON and stays in the line. Lines are never decoded
here: NUL bytes, bad UTF-8 and lines of any length pass through as they are.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.small_files import check_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOM = b"\xef\xbb\xbf"
BLOCK_SIZE = 512 << 10
"""How much is read at once: a file of gigabytes needs no more memory than its longest line and this, and the
lines of a block are still in the processor's cache when they are decoded. With half of it a cold index takes
3 to 4 % more processor time, with up to four times as much none less."""

# What JavaScript's trim() takes off and bytes.strip() leaves: agents skip lines of these without a word.
_UNICODE_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
_BLANKS = " \t\n\r\v\f\u202f\u205f\u3000\ufeff" + _UNICODE_BLANKS
_LONGEST_UNICODE_BLANK = 256
_HAS_PREAD = hasattr(os, "pread")  # not on Windows
# Not blocking: a named pipe in a store must not hang the scan.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Line(NamedTuple):
    """One line: its number from 1, its offset in the file, its length without the LF, whether it has one."""

    number: int
    offset: int
    length: int
    terminated: bool


def scan(buffer: bytes, offset: int = 0, number: int = 1) -> Iterator[Line]:
    """The lines of `buffer`, which begins at `offset` of its file with line `number`.

    Lines without anything but white space are left out, but counted.
    """
    find = buffer.find
    start = 0
    size = len(buffer)
    while start < size:
        end = find(b"\n", start)
        terminated = end >= 0
        if not terminated:
            end = size
        if not is_blank(buffer[start:end]):
            yield Line(number, offset + start, end - start, terminated)
        number += 1
        start = end + 1


def is_blank(line: bytes) -> bool:
    """True for a line of white space only, as the agents see it: Unicode's blanks included."""
    if not line or line.isspace():
        return True
    if len(line) > _LONGEST_UNICODE_BLANK or line[0] < 0x80:
        return False
    return not line.decode("utf-8", "replace").strip(_BLANKS)


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
    if _HAS_PREAD:
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def blocks(descriptor: int, offset: int = 0, size: int = BLOCK_SIZE) -> Iterator[bytes]:
    """The file behind `descriptor` from `offset` on, in blocks of about `size` bytes that end with a LF.

    The last block may end without one. A line longer than `size` comes in a block of its own length. Reads by
    position, so the descriptor's own position does not matter; stops where the file ends at that moment.

    :raises OSError: the file cannot be read.
    """
    waiting: list[bytes] = []
    while True:
        piece = read_at(descriptor, size, offset)
        if not piece:
            break
        offset += len(piece)
        end = piece.rfind(b"\n") + 1
        if not end:
            waiting.append(piece)
            continue
        if waiting:
            waiting.append(piece[:end])
            yield b"".join(waiting)
        elif end == len(piece):
            yield piece
        else:
            yield piece[:end]
        waiting = [piece[end:]] if end < len(piece) else []
    if waiting:
        yield b"".join(waiting)


def feed_lines(
    descriptor: int,
    take: Callable[[bytes, int], int],
    offset: int = 0,
    piece: bytes = b"",
    end: int | None = None,
) -> tuple[int, bytes]:
    """Give `take` the file behind `descriptor` from `offset` on, in pieces.

    :param take: is given a piece and its offset; it takes the lines that end within and returns their bytes,
        LF included. What it leaves is read again with what follows: a piece is never cut or joined.
    :param piece: what has been read of it, if anything has.
    :param end: how long the file is, if that is known: no more is read then. To ask for a whole block where
        there is a line takes longer than to read the line.
    :return: the offset of the byte after the last LF, and the unfinished line from there on.
    :raises OSError: the file cannot be read.
    """
    size = BLOCK_SIZE
    while piece := piece or read_at(descriptor, size if end is None else min(size, end - offset), offset):
        taken = take(piece, offset)
        offset += taken
        if taken:
            size = BLOCK_SIZE
        elif offset + len(piece) == end or not read_at(descriptor, 1, offset + len(piece)):
            break
        else:
            size = 2 * max(size, len(piece))
        piece = b""
        if offset == end:
            break
    return offset, piece
