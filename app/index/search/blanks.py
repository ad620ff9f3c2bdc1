"""White space in UTF-8, as `str.isspace` has it, and which of it some text has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.text.mmap_reader import Source

BLANKS = (
    rb"(?:[\t-\r\x1c- ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]"
    rb"|\xe2\x81\x9f|\xe3\x80\x80)+"
)
"""A run of it, as a pattern."""

_ONE = b" "
_ASCII = tuple(bytes((code,)) for code in (*range(0x09, 0x0E), *range(0x1C, 0x20)))
_WIDE = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_BEYOND = tuple(char.encode() for char in _WIDE)


def beginnings(source: Source, start: int, end: int) -> tuple[bytes, ...]:
    """How the runs of white space there begin that are more than one blank: with what is no blank, or with a
    blank and what follows it. All are named that there are, each in one or two characters.
    """
    # Few texts have what most of these begin with.
    begun = _there({each[:-1] for each in _BEYOND}, source, start, end)
    beyond = [each for each in _BEYOND if each[:-1] in begun]
    singles = _there((*_ASCII, *beyond), source, start, end)
    return (*singles, *_there([_ONE + each for each in (_ONE, *singles)], source, start, end))


def _there(sought: Iterable[bytes], source: Source, start: int, end: int) -> list[bytes]:
    find = source.find_free
    return [each for each in sought if find(each, start, end) >= 0]
