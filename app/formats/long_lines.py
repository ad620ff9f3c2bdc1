"""Shortens lines of more than a megabyte for readers of a whole file (formats/README.md, "Long lines").

Such a line has a picture, a document, or the output of a tool, which would take ten times its size in memory
when it is decoded, and which a list, a tree and the text of a search do not show. Long strings are therefore
cut before the line is decoded. They are found without decoding: in JSON, a quote after an even number of
backslashes begins or ends a string, and a quote after an odd number is inside of one.

A cut string ends with a note that has a digest of what is left out, so that two lines are the same if and
only if their shortened lines are. A line that is not JSON is not made JSON, and one that was shortened stays
the same when it is shortened again.
"""

from __future__ import annotations

import mmap
import re

from xxhash import xxh3_64_hexdigest

LONG_LINE = 1 << 20
"""Bytes; a line that is not longer is not shortened."""

LONGEST_LINE = 256 << 20
"""Bytes; a longer line is passed over. The largest that an agent writes has a document of 32 MB."""

PASSED_OVER = b"\x01a line of more than 256 MB"
"""In the place of a line that is passed over. It is not JSON."""

LONGEST_DATA = 64 << 10
"""Bytes of a string in base64 or another code without blanks and escapes. Only its beginning is kept."""
LONGEST_TEXT = 8 << 20
"""Bytes of all other strings of more than `LONGEST_DATA` in a line. A reader takes ten times as much memory,
and a prompt of this size has two million tokens.
"""

_KEPT_DATA = 1 << 10
_LONGEST_NOTE = 100
"""Bytes that are left for the note at the end of a text."""
DECODED = 5
"""Times the size of a line that a decoder takes for it."""
_WINDOW = LONGEST_DATA // 2
"""A string that is longer than two windows contains a window without its end."""
_STEP = 1 << 20
"""Bytes that are checked at once, and copied for it."""
_DATA_URL = re.compile(rb"(?:data:[\w.+/-]{1,100};base64,)?")
_DATA = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_OUTSIDE = b"0123456789+-.,:[]{}eE \r\ttruefalsn"
"""The characters of JSON outside of strings."""
_TEXT = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NOTE = re.compile(r" … \[(\d+) bytes are not read: [0-9a-f]{16}\]\Z")
_HIGH_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


def shortened(line: bytes | bytearray) -> bytes:
    """`line` with its long strings cut; a short line as it is.

    :param line: with or without its LF.
    :raises MemoryError: there is no memory to decode the result.
    """
    if len(line) - line.endswith(b"\n") <= LONG_LINE:
        return bytes(line)
    short = _shortened(line)
    check_memory(DECODED * len(short))
    return short


def check_memory(size: int) -> None:
    """Check that so many bytes can be had. The JSON decoder may end the process if an allocation fails.

    :raises MemoryError: they cannot.
    """
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE).close()
    except OSError:
        raise MemoryError from None


def _shortened(line: bytes | bytearray) -> bytes:
    parts: list[bytes] = []
    kept = position = 0
    room = LONGEST_TEXT
    while position < len(line):
        quote = line.find(b'"', position, position + _WINDOW)
        end = cut = 0
        if quote < 0 or _is_escaped(line, quote):
            if quote < 0:
                end, cut = _data_end(line, line.rfind(b'"', 0, position) + 1)
            if not end and len(line) > LONGEST_TEXT:
                start = _string_start(line, position)
                end, cut = _text_end(line, start, room)
                if end < position:
                    return bytes(line)  # it is not JSON
                # A string of one size counts wherever it stands in the windows.
                if end - start > LONGEST_DATA and not _is_outside(line, start, end):
                    room = max(0, room - (cut - start)) if cut == end else 0
            elif not end and quote < 0:
                end = cut = line.find(b'"', position)
        if cut < end:
            parts += [bytes(line[kept:cut]), _note(line, cut, end)]
            kept = end
        position = max(position + _WINDOW, end)
    return b"".join([*parts, bytes(line[kept:])]) if parts else bytes(line)


def full_length(text: str) -> int:
    """The number of characters of a string of ASCII before `shortened` cut it."""
    note = _NOTE.search(text, max(0, len(text) - _LONGEST_NOTE))
    return note.start() + int(note[1]) if note else len(text)


def _note(line: bytes | bytearray, start: int, end: int) -> bytes:
    with memoryview(line) as view, view[start:end] as part:
        return f" … [{end - start} bytes are not read: {xxh3_64_hexdigest(part)}]".encode()


def _is_escaped(line: bytes | bytearray, quote: int) -> bool:
    """Whether an odd number of backslashes is before the quote."""
    start = quote
    while start and line[start - 1] == 0x5C:
        start -= 1
    return bool((quote - start) & 1)


def _string_start(line: bytes | bytearray, position: int) -> int:
    """The offset after the last quote before `position` that begins or ends a string; 0 if there is none."""
    quote = line.rfind(b'"', 0, position)
    while quote >= 0 and _is_escaped(line, quote):
        quote = line.rfind(b'"', 0, quote)
    return quote + 1


def _data_end(line: bytes | bytearray, start: int) -> tuple[int, int]:
    """The end of the string that begins at `start`, and where it is cut, twice the same if it stays; (0, 0)
    if it has characters of a text. The end of a torn line ends it.
    """
    if not start or _is_escaped(line, start - 1):
        return 0, 0
    prefix = _DATA_URL.match(line, start)
    position = prefix.end() if prefix else start
    end = line.find(b'"', position)
    if end < 0:
        end = len(line) - line.endswith(b"\n")
    # Most texts have a blank soon.
    size = _KEPT_DATA
    while position < end:
        if line[position : min(end, position + size)].translate(None, _DATA):
            return 0, 0
        position, size = position + size, _STEP
    return end, start + _KEPT_DATA if end - start > LONGEST_DATA else end


def _text_end(line: bytes | bytearray, start: int, room: int) -> tuple[int, int]:
    """As `_data_end` for any string; the end is too early if it is not JSON.

    :param room: the bytes that it may have.
    """
    match = _TEXT.match(line, start)
    end = match.end() if match else start
    if end - start <= max(room, LONGEST_DATA) or not start or _is_outside(line, start, end):
        return end, end
    kept = _TEXT.match(line, start, start + max(room - _LONGEST_NOTE, _KEPT_DATA))
    cut = kept.end() if kept else start
    if _HIGH_SURROGATE.search(line, cut - 6, cut) and not _is_escaped(line, cut - 6):
        # A character is not cut in two halves.
        cut -= 6
    while line[cut] & 0xC0 == 0x80:
        cut -= 1
    return end, cut


def _is_outside(line: bytes | bytearray, start: int, end: int) -> bool:
    """Whether the bytes between two quotes may be between two strings."""
    return not any(
        line[position : min(end, position + _STEP)].translate(None, _OUTSIDE)
        for position in range(start, end, _STEP)
    )
