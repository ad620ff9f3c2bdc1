"""The lines of a file without a copy of any: a buffer that is filled again and again.

Most lines are looked at once, and then the next. As objects of their own they cost more than decoding them.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from app.formats.lines import line_end

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOW = 128 << 10
"""Bytes that are read at once. So long nobody else who wants the interpreter may have to wait: about half a
millisecond."""


def windows(descriptor: int, offset: int = 0, size: int = WINDOW) -> Iterator[tuple[bytearray, int, int]]:
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
