"""Pack the texts of a session one after the other, each with its kind and the offset of its line.

Each text is packed twice: folded, for searches without regard to case, and as it is written (NFC), for
searches with capitals and for snippets (`formats.utf8_text`). Both copies have the same length and layout, so
that an offset in one is the offset of the same passage in the other. Few texts change their length when they
are folded; both copies of such a text are padded to the same length.

A passage is a head of four bytes and a text. The passages that are packed at once are a block, which begins
with a table of the offsets of their lines: making one table takes a fraction of the time of a number in each
head. Neither heads, tables nor padding are UTF-8, so that a search for text cannot match them, or match
across two passages. Heads and tables begin with a LF, and a head ends with one, so that a text begins and
ends at the boundary of a line.

    block     MARK, 0xC0, offset of the first line, size, checksum, width of a number of the table, the table
    passage   MARK, 0x80 + kind, LF, text
    padding   LF, one or more 0xFF; only if the copies of the text differ in length

The table has the distance of each line but the first from the line before. Size and checksum are those of the
bytes after them, so that a damaged block is noticed (`is_intact`).

A list checks stored texts with this module and reads no session, so it imports nothing that reads one.
"""

from __future__ import annotations

import sys
from array import array
from binascii import a2b_base64, b2a_base64
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_64_digest

from app.formats.utf8_text import fold_text, nfc_text, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from mmap import mmap

    Buffer = bytes | bytearray | memoryview | mmap

MARK = b"\n\0"
"""The first bytes of a block and of each passage, and of nothing else: texts have no NUL characters."""

HEAD = 4
"""Bytes before the text of a passage."""

BLOCK = b"\xc0"
"""The byte after the mark of a block. It occurs nowhere else: in no UTF-8, and in no table."""

_PAD = b"\xff"  # in no UTF-8
_KIND = len(MARK)
_LOW = 0x80  # bytes 0x80 to 0xBF never begin a character
_KINDS = 32
_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_SPELT = bytes((*range(_LOW, _LOW + 64), 0xFF))
_SPELL, _UNSPELL = bytes.maketrans(_SIGNS, _SPELT), bytes.maketrans(_SPELT, _SIGNS)
_WIDTHS = {b"\x82": "H", b"\x88": "q"}
_NARROW, _WIDE = _WIDTHS
_NUMBER = 6
"""Bytes of an offset, of a size and of a checksum."""
_HEADER = len(MARK + BLOCK) + 3 * _NUMBER * 4 // 3
_BEGIN = _HEADER + len(_NARROW)
_NO_CHECKSUM = bytes(_NUMBER)

HEADS = [MARK + bytes((_LOW | kind,)) + b"\n" for kind in range(_KINDS)]
"""The heads of passages by their kinds (`formats.text_kinds`)."""


class PackedText(NamedTuple):
    """Packed passages, folded and as they are written, with the same layout."""

    folded: bytes
    written: bytes


NO_TEXT = PackedText(b"", b"")


def joined(parts: Iterable[PackedText]) -> PackedText:
    """Return all blocks of `parts` as one."""
    parts = list(parts)
    return PackedText(b"".join([part.folded for part in parts]), b"".join([part.written for part in parts]))


def pack(kind: int, offset: int, text: str) -> PackedText:
    """Return a block with one passage, to be searched in memory: it has no size and no checksum.

    :param kind: see `formats.text_kinds`.
    :param offset: of its line in the file.
    """
    text = text.replace("\0", "")
    folded, written = fold_text(text), nfc_text(text)
    if len(folded) != len(written):
        (folded,), (written,) = _padded([folded], [written])
    head = _head(kind, offset)
    return PackedText(head + folded, head + written)


@lru_cache(maxsize=256)
def _head(kind: int, offset: int) -> bytes:
    """The bytes before the text of a block with one passage."""
    return _header(offset, 0, _NO_CHECKSUM) + _table([offset]) + HEADS[kind]


def pack_all(
    heads: list[bytes], offsets: list[int], folded: Sequence[bytes], written: Sequence[bytes]
) -> PackedText:
    """Return a block with many passages, to be stored; empty texts are left out.

    :param heads: the head of each, see `HEADS`.
    :param offsets: the offset of the line of each.
    :param folded: the text of each, folded and without NUL characters.
    :param written: the text of each as it is written, without NUL characters.
    """
    # This runs for every text of every session.
    if not all(folded):
        numbers = [number for number, text in enumerate(folded) if text]
        heads, offsets = [heads[number] for number in numbers], [offsets[number] for number in numbers]
        folded, written = [folded[number] for number in numbers], [written[number] for number in numbers]
    if not folded:
        return NO_TEXT
    if [*map(len, folded)] != [*map(len, written)]:
        folded, written = _padded(folded, written)
    parts = [b""] * (2 * len(folded) + 1)
    parts[0] = _table(offsets)
    parts[1::2] = heads
    parts[2::2] = folded
    body = b"".join(parts)
    parts[2::2] = written
    return PackedText(
        _sealed(offsets[0], body, written=False), _sealed(offsets[0], b"".join(parts), written=True)
    )


def _padded(folded: Sequence[bytes], written: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The same texts, so that both copies of each have the same length."""
    copies = list(folded), list(written)
    for number, lengths in enumerate(zip(map(len, folded), map(len, written), strict=True)):
        if lengths[0] != lengths[1]:
            for copy, length in zip(copies, lengths, strict=True):
                copy[number] = bytes(copy[number]) + b"\n" + _PAD * (max(lengths) - length + 1)
    return copies


def unpadded(text: bytes) -> bytes:
    """Return the text of a passage without its padding."""
    return text.rstrip(_PAD)[: -len(b"\n")] if text.endswith(_PAD) else text


def _sealed(offset: int, body: bytes, *, written: bool) -> bytes:
    """A block: its header and `body`, which is everything after the checksum.

    :param offset: of the line of its first passage.
    """
    return _header(offset, len(body), _checksum(body, offset, written)) + body


def _header(offset: int, size: int, checksum: bytes) -> bytes:
    numbers = offset.to_bytes(_NUMBER, "little") + size.to_bytes(_NUMBER, "little") + checksum
    return MARK + BLOCK + b2a_base64(numbers, newline=False).translate(_SPELL)


def _checksum(body: Buffer, offset: int, written: bool) -> bytes:
    # The seeds differ, so that a file in the place of the other copy is noticed.
    return xxh3_64_digest(body, seed=2 * offset + written)[:_NUMBER]


def _table(offsets: list[int]) -> bytes:
    distances = [*map(sub, offsets[1:], offsets)]
    try:
        width, numbers = _NARROW, array("H", distances)
    except OverflowError:
        width, numbers = _WIDE, array("q", distances)
    if sys.byteorder == "big":
        numbers.byteswap()
    return width + b2a_base64(numbers, newline=False).translate(_SPELL)


def is_intact(data: Buffer, start: int, end: int, *, written: bool) -> bool:
    """Return whether the data from `start` to `end` is whole blocks of `pack_all` without damage.

    :param written: they are texts as they are written, and not folded ones.
    """
    with memoryview(data) as view:
        while start < end:
            offset, size, checksum = _header_at(view, start)
            begin = start + _HEADER
            start = begin + size
            if not size or start > end:
                return False
            with view[begin:start] as body:
                if _checksum(body, offset, written) != checksum:
                    return False
    return start == end


def end_of(data: Buffer, begin: int) -> int:
    """Return the offset of the end of the stored block at `begin`."""
    return begin + _HEADER + _header_at(data, begin)[1]


def _header_at(data: Buffer, begin: int) -> tuple[int, int, bytes]:
    """The offset, size and checksum of the block at `begin`; no size if it has no header."""
    header = bytes(data[begin : begin + _HEADER])
    numbers = b""
    if header.startswith(MARK + BLOCK):
        numbers = _decode(header[len(MARK + BLOCK) :])
    if len(numbers) != 3 * _NUMBER:
        return 0, 0, b""
    return (
        int.from_bytes(numbers[:_NUMBER], "little"),
        int.from_bytes(numbers[_NUMBER : 2 * _NUMBER], "little"),
        numbers[2 * _NUMBER :],
    )


def _decode(signs: bytes) -> bytes:
    """The bytes that `signs` stand for in a header or table; empty if they are damaged."""
    try:
        return a2b_base64(signs.translate(_UNSPELL))
    except ValueError:
        return b""


class Block:
    """A block that was packed before.

    begin     its offset in the data that it is taken from
    end       the offset of its end there
    marks     the offset of each of its passages there
    offsets   the offset of the line of each in its file
    """

    __slots__ = ("begin", "end", "marks", "offsets")

    def __init__(self, data: bytes, begin: int = 0) -> None:
        """:param data: the block, and after it at most bytes that belong to no passage.
        :param begin: its offset in the data that it is taken from.
        """
        self.begin = begin
        self.end = begin + len(data)
        table, *parts = split(data[len(MARK) :], MARK)
        first = begin + len(MARK) + len(table)
        gap = len(MARK)
        self.marks = [*accumulate([len(part) + gap for part in parts], initial=first)][:-1]
        self.offsets = _offsets(MARK + bytes(table))

    def offset(self, mark: int) -> int:
        """Return the offset of the line of the passage at `mark` in its file; 0 if the table lacks it."""
        number = bisect_left(self.marks, mark)
        return self.offsets[number] if number < len(self.offsets) else 0


def _offsets(block: bytes) -> list[int]:
    """Return the offsets of the passages of a block; those of a damaged table may be wrong, or missing.

    :param block: its header and its table.
    """
    offset, _, _ = _header_at(block, 0)
    distances = array(_WIDTHS.get(block[_HEADER:_BEGIN], "H"))
    table = _decode(block[_BEGIN:].partition(MARK)[0])
    distances.frombytes(table[: len(table) // distances.itemsize * distances.itemsize])
    if sys.byteorder == "big":
        distances.byteswap()
    return [*accumulate(distances, initial=offset)]


def is_block(data: Buffer, mark: int) -> bool:
    """Return whether a block begins at `mark`, and not a passage."""
    return bytes(data[mark + _KIND : mark + _KIND + 1]) == BLOCK


def kind_of(data: Buffer, mark: int) -> int:
    """Return the kind of the passage at `mark`; 0 (no kind) for a block and at the end of the data."""
    try:
        return data[mark + _KIND] & (_KINDS - 1)
    except IndexError:  # the data was cut off
        return 0


def unpack(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield kind, offset and text of every passage of packed blocks. It makes no difference how the passages
    were divided into blocks.
    """
    begin = 0
    while begin < len(data):
        after = data.find(MARK + BLOCK, begin + _BEGIN)
        after = after if after >= 0 else len(data)
        block = Block(data[begin:after], begin)
        for mark, end in zip(block.marks, [*block.marks[1:], after], strict=False):
            yield kind_of(data, mark), block.offset(mark), unpadded(data[mark + HEAD : end])
        begin = after
