"""The texts of a session one after the other, each with who says it and where its line is in the file.

A piece is a head of ten bytes and a folded text (`formats.fold`). The head is no UTF-8, so nothing that is
looked for can match it, or match from one piece into the next; it begins and ends with a LF, so that a text
begins and ends where a line does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from mmap import mmap

    Buffer = bytes | bytearray | memoryview | mmap

HEAD = 10
MARK = b"\n\0"
"""How a head begins, and nothing else in a piece: NUL characters are left out of texts."""

_DIGITS = 6
_BITS = 6
_MASK = (1 << _BITS) - 1
_PAIRS = (1 << 2 * _BITS) - 1
_LOW = 0x80  # bytes 0x80 to 0xBF never begin a character
_PAIR = 2 * _BITS
_BEGINNINGS = [MARK + bytes((kind,)) for kind in range(16)]

# Made when the first text is packed: many a process packs none.
_pairs: list[bytes] = []
_nears: list[bytes] = []
_ends: list[bytes] = []


def _make_tables() -> None:
    signs = [bytes((_LOW | digit,)) for digit in range(1 << _BITS)]
    # In parts of two digits: the first ones, which are nearly always zeros, are one with what precedes them.
    _nears.extend(beginning + 2 * signs[0] for beginning in _BEGINNINGS)
    _ends.extend(high + low + b"\n" for high in signs for low in signs)
    # Last: whoever finds these finds the others.
    _pairs.extend(high + low for high in signs for low in signs)


def pack(kind: int, offset: int, folded: bytes) -> bytes:
    """One piece.

    :param kind: see `formats.kinds`.
    :param offset: where the line begins in its file, below 2**36.
    """
    if b"\0" in folded:
        folded = folded.replace(b"\0", b"")
    return head(kind, offset) + folded


def head(kind: int, offset: int) -> bytes:
    """The head of a piece, see `pack`."""
    return bytes(
        (
            0x0A,
            0,
            kind,
            _LOW | offset >> 30,
            _LOW | offset >> 24 & _MASK,
            _LOW | offset >> 18 & _MASK,
            _LOW | offset >> 12 & _MASK,
            _LOW | offset >> 6 & _MASK,
            _LOW | offset & _MASK,
            0x0A,
        )
    )


def pack_all(places: Iterable[tuple[int, int]], texts: Sequence[bytes]) -> bytes:
    """Many pieces, see `pack`; an empty text has none.

    :param places: (kind, offset) of each.
    :param texts: each folded and without NUL characters.
    """
    # With what is at hand: this is done for every text of every session.
    if not _pairs:
        _make_tables()
    nears, pairs, ends = _nears, _pairs, _ends
    parts: list[bytes] = []
    for kind, at in places:
        high = at >> _PAIR
        if high < 1 << _PAIR:
            parts += (nears[kind], pairs[high], ends[at & _PAIRS], b"")
        else:
            beginning = _BEGINNINGS[kind] + pairs[high >> _PAIR]
            parts += (beginning, pairs[high & _PAIRS], ends[at & _PAIRS], b"")
    parts[3::4] = texts
    if not all(texts):
        for number, text in enumerate(texts):
            if not text:
                parts[4 * number : 4 * number + 3] = [b""] * 3
    return b"".join(parts)


def read_head(data: Buffer, at: int) -> tuple[int, int]:
    """(kind, offset) of the head at `at`."""
    offset = 0
    for byte in bytes(data[at + 3 : at + 3 + _DIGITS]):
        offset = offset << _BITS | byte & _MASK
    return data[at + 2], offset


def pieces(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """(kind, offset, begin, end) of every piece of `data`; its text is data[begin:end]."""
    at = data.find(MARK)
    while at >= 0:
        kind, offset = read_head(data, at)
        begin = at + HEAD
        at = data.find(MARK, begin)
        yield kind, offset, begin, at if at >= 0 else len(data)
