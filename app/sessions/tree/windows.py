"""The lines of a file without a copy of any: a buffer that is filled again and again.

Most lines are looked at once, and then the next. As objects of their own they cost more than decoding them.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOW = 128 << 10
"""Bytes that are read at once. So long nobody else who wants the interpreter may have to wait: about half a
millisecond."""


def windows(descriptor: int, offset: int = 0, size: int = WINDOW) -> Iterator[tuple[bytearray, int]]:
    """The file behind `descriptor` from `offset` on: a buffer, and how many bytes of it are lines.

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
            buffer = buffer + bytearray(filled)
        with memoryview(buffer) as view:
            found = file.readinto(view[filled:])
        if not found:
            break
        end = buffer.rfind(b"\n", filled, filled + found) + 1
        filled += found
        if end:
            yield buffer, end
            filled -= end
            buffer[:filled] = buffer[end : end + filled]
    if filled:
        yield buffer, filled
