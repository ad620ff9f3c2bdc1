"""The texts of a session one after the other, each with who says it and where its line is in the file.

A piece is a head of four bytes and a folded text (`formats.fold`). What is packed at once is a block: before
its pieces stands where the line of each begins, in one table, which takes a fraction of the time of a number
in each head. Neither heads nor tables are UTF-8, so nothing that is looked for can match them, or match from
one piece into the next. They begin with a LF, and a head ends with one, so that a text begins and ends where
a line does.

    block   MARK, 0xC0, how wide a number of the table is, the table
    piece   MARK, 0x80 + kind, LF, text
"""

from __future__ import annotations

import sys
from array import array
from binascii import a2b_base64, b2a_base64
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from app.formats.bytes_in import count, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from mmap import mmap

    Buffer = bytes | bytearray | memoryview | mmap

MARK = b"\n\0"
"""How a block begins, and each of its pieces, and nothing else: NUL characters are left out of texts."""

HEAD = 4
"""Bytes before the text of a piece."""

BLOCK = b"\xc0"
"""Stands in the mark of a block, and nowhere else: in no UTF-8, and in no table."""

_KIND = len(MARK)
_LOW = 0x80  # bytes 0x80 to 0xBF never begin a character
_KINDS = 32
_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_SPELT = bytes((*range(_LOW, _LOW + 64), 0xFF))
_SPELL, _UNSPELL = bytes.maketrans(_SIGNS, _SPELT), bytes.maketrans(_SPELT, _SIGNS)
_WIDTHS = {b"\x84": "I", b"\x88": "Q"}
_NARROW, _WIDE = _WIDTHS
_BEGIN = len(MARK + BLOCK + _NARROW)

HEADS = [MARK + bytes((_LOW | kind,)) + b"\n" for kind in range(_KINDS)]
"""The heads of pieces by their kinds (`formats.kinds`)."""


def pack(kind: int, offset: int, folded: bytes) -> bytes:
    """A block with one piece.

    :param kind: see `formats.kinds`.
    :param offset: where the line begins in its file.
    """
    if b"\0" in folded:
        folded = folded.replace(b"\0", b"")
    return _table([offset]) + HEADS[kind] + folded


def pack_all(heads: list[bytes], offsets: list[int], texts: Sequence[bytes]) -> bytes:
    """A block with many pieces; an empty text has none.

    :param heads: of each, see `HEADS`.
    :param offsets: likewise, see `pack`.
    :param texts: each folded and without NUL characters.
    """
    # With what is at hand: this is done for every text of every session.
    if not all(texts):
        said = [number for number, text in enumerate(texts) if text]
        heads, offsets = [heads[number] for number in said], [offsets[number] for number in said]
        texts = [texts[number] for number in said]
    if not texts:
        return b""
    parts = [b""] * (2 * len(texts) + 1)
    parts[0] = _table(offsets)
    parts[1::2] = heads
    parts[2::2] = texts
    return b"".join(parts)


def _table(offsets: list[int]) -> bytes:
    try:
        width, numbers = _NARROW, array("I", offsets)
    except OverflowError:
        width, numbers = _WIDE, array("Q", offsets)
    if sys.byteorder == "big":
        numbers.byteswap()
    return MARK + BLOCK + width + b2a_base64(numbers, newline=False).translate(_SPELL)


class Block:
    """A block as it was packed.

    begin     where it begins, in the data that it is taken from
    end       where what it was made of ends
    marks     where each of its pieces begins
    offsets   where the line of each begins in its file
    """

    __slots__ = ("begin", "end", "marks", "offsets")

    def __init__(self, data: bytes, begin: int = 0) -> None:
        """:param data: the block, and nothing but what belongs to no piece behind it.
        :param begin: where it begins in what it is taken from.
        """
        self.begin = begin
        self.end = begin + len(data)
        table, *parts = split(data[len(MARK) :], MARK)
        first = begin + len(MARK) + len(table)
        gap = len(MARK)
        self.marks = [*accumulate([len(part) + gap for part in parts], initial=first)][:-1]
        self.offsets = _offsets(bytes(table))

    def offset(self, mark: int) -> int:
        """Where the line of the piece at `mark` begins in its file; 0 where nothing says so."""
        number = bisect_left(self.marks, mark)
        return self.offsets[number] if number < len(self.offsets) else 0


def offset_at(data: Buffer, begin: int, mark: int) -> int:
    """`Block.offset` of one piece in the block that begins at `begin`: sooner than all of them together."""
    kind = _WIDTHS.get(bytes(data[begin + _BEGIN - 1 : begin + _BEGIN]), "I")
    with memoryview(data) as view, view[begin + _BEGIN : mark] as before:
        number = count(before, MARK)
    width = array(kind).itemsize
    # In four signs are three bytes.
    group, within = divmod(number * width, 3)
    start = begin + _BEGIN + 4 * group
    signs = bytes(data[start : start + 4 * (width // 3 + 2)]).partition(MARK)[0]
    try:
        found = a2b_base64(signs.translate(_UNSPELL))[within : within + width]
    except ValueError:
        return 0
    return int.from_bytes(found, "little") if len(found) == width else 0


def _offsets(table: bytes) -> array[int]:
    """What stands in a table; nothing where it is damaged."""
    begin = _BEGIN - len(MARK)
    kind = _WIDTHS.get(table[len(BLOCK) : begin], "I")
    try:
        numbers = array(kind, a2b_base64(table[begin:].translate(_UNSPELL)))
    except ValueError:
        numbers = array(kind)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def is_block(data: Buffer, mark: int) -> bool:
    """Whether a block begins at `mark`, and no piece."""
    return bytes(data[mark + _KIND : mark + _KIND + 1]) == BLOCK


def kind_of(data: Buffer, mark: int) -> int:
    """The kind of the piece that begins at `mark`; 0, which is none, of a block and where no more follows."""
    try:
        return data[mark + _KIND] & (_KINDS - 1)
    except IndexError:  # it was cut off
        return 0


def pieces(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(kind, offset, text) of every piece of packed blocks. However they are cut, they say the same."""
    begin = 0
    while begin < len(data):
        after = data.find(MARK + BLOCK, begin + _BEGIN)
        after = after if after >= 0 else len(data)
        block = Block(data[begin:after], begin)
        for mark, end in zip(block.marks, [*block.marks[1:], after], strict=False):
            yield kind_of(data, mark), block.offset(mark), data[mark + HEAD : end]
        begin = after
