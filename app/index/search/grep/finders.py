"""Looking for bytes in a slice of a file: as they are, or whatever the case.

Each finder is called with the data and from where to where to look, and gives the first place or -1.
StringZilla does not let go of the interpreter, so nothing is asked of it at once that takes longer than a
millisecond.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.index.search.grep.unfold import TO_ASCII, becomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Finder = Callable[[bytes | bytearray, int, int], int]

try:
    from stringzilla import find as _find
    from stringzilla import utf8_uncased_search as _find_uncased
except ImportError:  # a platform without a wheel
    _find = _find_uncased = None

_STEP = 1 << 20
_WIDEST = 3
"""No character that folds to ASCII takes more bytes than this for each of those it folds to."""
_NEAR = 4 << 10
_FAR = 64 << 10
_FEW = 32

_COMMON = '",:etaoin0srhl1d2c3u-4m/5f.6p{}()_7g8w9y[]bv=kxjqz'
"""What is written in such files, most often first. What is not named here is seldom there."""
_PART = 3
"""StringZilla looks for so few characters half as fast again as for more."""
_WORTH = 32 << 10
"""In less than this nobody looks for a part first."""
_VAIN = 12
"""A part that is found so often in one look, and the whole is not there, is too common in what is read."""

# A number in the arguments of a call is looked for as it would be written anew. So it may not stand in the
# line as it is where it has an exponent, is tiny, or has more digits than are kept.
_ODD_NUMBER = re.compile(rb"[:\[,][ \t\r]*-?(?:[0-9.]+[eE]|0\.0000|[0-9.]{16})")
_ARGUMENTS = b'"arguments"'


def exactly(sought: bytes) -> Finder:
    """Finds these bytes."""
    if _find is None:
        return lambda data, at, end: data.find(sought, at, end)
    find = _find

    def found(data: bytes | bytearray, at: int, end: int) -> int:
        while end - at > _STEP:
            place: int = find(data, sought, at, at + _STEP)
            if place >= 0:
                return place
            at += _STEP - len(sought) + 1
        last: int = find(data, sought, at, end)
        return last

    return found


def whatever_the_case(sought: str) -> list[Finder]:
    """Finders of ASCII text that is folded: one of them finds what folds to it, as far as it is no escape.

    Without StringZilla the others are of all characters that fold to more than themselves. StringZilla knows
    them but for "\u037e" and "\u1fef", so `sought` must not have what these become.
    """
    needle = sought.encode("ascii")
    if _find_uncased is None:
        return [_lowered(needle), *map(exactly, shortened(each.encode() for each in becomes(sought)))]
    return [uncased(sought)]


def knows_case() -> bool:
    """Whether there is a search that knows about case beyond ASCII."""
    return _find_uncased is not None


def same_case(one: str, other: str) -> bool:
    """Whether `uncased` finds `one` for `other`."""
    return _find_uncased is not None and _find_uncased(one.encode(), other.encode()) == 0


def uncased(sought: str) -> Finder:
    """Finds folded text whatever its case, with StringZilla. What is composed otherwise is not found."""
    part = part_of(sought)
    return _by_part(sought, part) if part else _whole(sought)


def part_of(sought: str) -> str:
    """The few characters of `sought` that are met least, if they stand in a file as they are but for ASCII's
    case wherever it has `sought`; "" where there are none, or they would be all of it.
    """
    if not sought.isascii() or len(sought) <= _PART:
        return ""
    parts = [sought[start : start + _PART] for start in range(len(sought) - _PART + 1)]
    plain = [part for part in parts if not TO_ASCII.keys() & set(part) and part.isprintable()]
    return max(plain, key=_rarity, default="")


def _rarity(part: str) -> int:
    return sum([_COMMON.find(char) % len(_COMMON) for char in part])


def _whole(sought: str) -> Finder:
    find = _find_uncased
    assert find is not None
    needle = sought.encode()
    overlap = _WIDEST * len(needle)
    step = max(_STEP, 2 * overlap)

    def found(data: bytes | bytearray, at: int, end: int) -> int:
        while end - at > step:
            place: int = find(data, needle, at, at + step)
            if place >= 0:
                return place
            at += step - overlap
        last: int = find(data, needle, at, end)
        return last

    return found


def _by_part(sought: str, part: str) -> Finder:
    """Where there is much to look through, looks for a part first, as long as that is seldom there without
    the rest.
    """
    whole, find_part = _whole(sought), _whole(part)
    needle = sought.encode()
    before, length = sought.index(part), len(needle)
    margin = _WIDEST * length
    credit = _VAIN

    def found(data: bytes | bytearray, at: int, end: int) -> int:
        nonlocal credit
        if end - at < _WORTH or credit <= 0:
            return whole(data, at, end)
        start = at
        for _ in range(_VAIN):
            place = find_part(data, at, end)
            if place < 0:
                credit = min(_VAIN, credit + 1)
                return -1
            first = place - before
            if first >= start and first + length <= end and data[first : first + length].lower() == needle:
                return first
            if not data[max(start, place - margin) : place + margin].isascii():
                # It may be spelt in other characters than these.
                return whole(data, max(start, place - margin), end)
            at = place + 1
        credit -= 1
        return whole(data, max(start, at - margin), end)

    return found


def escapes(pattern: bytes) -> Finder:
    """Finds escapes of the form `\\uXXXX` that match."""
    first = exactly(b"\\u")
    matcher = re.compile(pattern)
    match, search = matcher.match, matcher.search

    def found(data: bytes | bytearray, at: int, end: int) -> int:
        # Most files have next to none; of those with thousands each is looked at in one go.
        for _ in range(_FEW):
            at = first(data, at, end)
            if at < 0 or match(data, at, end):
                return at
            at += 2
        there = search(data, at, end)
        return there.start() if there else -1

    return found


def odd_numbers() -> Finder:
    """Finds numbers in arguments of calls that are not written as `json.dumps` writes them."""
    first = exactly(_ARGUMENTS)

    def found(data: bytes | bytearray, at: int, end: int) -> int:
        while True:
            at = first(data, at, end)
            if at < 0:
                return -1
            stop = data.find(b"\n", at, end)
            stop = end if stop < 0 else stop
            if _ODD_NUMBER.search(data, at, stop):
                return at
            at = stop

    return found


def shortened(sought: Iterable[bytes], most: int = 4) -> list[bytes]:
    """As few byte strings as will find all of `sought`, and more if need be: combining marks by their first
    byte, the others by their first two where there are more than `most`.
    """
    few = {each[:1] if each[:1] in (b"\xcc", b"\xcd") else each for each in sought}
    if len(few) > most:
        few = {each[:2] for each in few}
    return sorted(few)


def _lowered(needle: bytes) -> Finder:
    """The same without StringZilla: lowered in pieces that are longer the farther nothing is found."""

    def found(data: bytes | bytearray, at: int, end: int) -> int:
        size = max(_NEAR, 2 * len(needle))
        while at < end:
            place = data[at : at + size].lower().find(needle, 0, end - at)
            if place >= 0:
                return at + place
            at += size - len(needle) + 1
            size = min(2 * size, max(_FAR, 2 * len(needle)))
        return -1

    return found
