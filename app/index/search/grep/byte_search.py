"""Search for text in the bytes of a session file: as they are, or without regard to case.

A finder is called with the data, a start and an end, and returns the first offset of a match or -1.

The second half maps folding backwards: which characters of a file become a given character when they are
folded (`formats.utf8_text`). A search of unfolded bytes for a folded word needs all of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from app.formats.utf8_text import MARKED_BYTES, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Finder = Callable[[bytes | bytearray, int, int], int]

try:
    from stringzilla import find as _find
    from stringzilla import find_first_of as _find_any
    from stringzilla import utf8_uncased_search as _find_uncased
except ImportError:  # a platform without a wheel
    _find = _find_any = _find_uncased = None

_COMMON = '",:etaoinsrhldcumfpgwybv'
"""Characters of session files, the most frequent first. The others are rarer."""

# The arguments of a call are searched as `json.dumps` writes them. A number in the file may be written
# differently if it has an exponent, is tiny, or has more digits than are kept.
_ODD_NUMBER = re.compile(rb"[:\[,][ \t\r]*-?(?:[0-9.]+[eE]|0\.0000|[0-9.]{16})")
_ARGUMENTS = b'"arguments"'

TO_ASCII = {
    "a": "ẚ\u212b",
    "f": "ﬀﬁﬂﬃﬄ",
    "i": "İﬁﬃ",
    "k": "\u212a",
    "l": "ﬂﬄ",
    "n": "ŉ",
    "s": "ßſẞﬅﬆ",
    "t": "ﬅﬆ",
    ";": "\u037e",
    "`": "\u1fef",
}
"""ASCII character -> the other characters that fold to something with it. A test compares it with Unicode."""

_MARKED_CODES = rb"\\u(?:00[c-fC-F]|01|02[0-4]|03[0-6]|1[eE]|[fF]{2})"
"""The escapes of the characters that begin with `MARKED_BYTES`."""

_BLOCK = 0x100
_BEYOND = 0x30000
"""From this code point on, no character folds to another one."""
_JAMOS = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))
"""Vowels and final consonants that compose with what precedes them. A rule composes Hangul, not a table."""
_REPLACEMENT = "\ufffd"
_HALF_WIDTH = {"\u3099": "\uff9e", "\u309a": "\uff9f"}
"""Marks of Katakana -> the same of half width."""


# -- finders --


def exactly(needle: bytes) -> Finder:
    """A finder of these bytes."""
    if _find is None:
        return lambda data, start, end: data.find(needle, start, end)
    find = _find

    def find_exactly(data: bytes | bytearray, start: int, end: int) -> int:
        offset: int = find(data, needle, start, end)
        return offset

    return find_exactly


def matching(pattern: re.Pattern[bytes]) -> Finder:
    """A finder of the matches of a regular expression."""

    def find_match(data: bytes | bytearray, start: int, end: int) -> int:
        match = pattern.search(data, start, end)
        return match.start() if match else -1

    return find_match


def uncased(folded: str) -> Finder:
    """A finder of folded text in any case, with StringZilla. It misses text that is composed differently."""
    find, needle, part = _find_uncased, folded.encode(), rare_part(folded).encode()
    assert find is not None

    def find_uncased(data: bytes | bytearray, start: int, end: int) -> int:
        # StringZilla finds three letters twice as fast as a longer word, and most slices lack them.
        if part and find(data, part, start, end) < 0:
            return -1
        offset: int = find(data, needle, start, end)
        return offset

    return find_uncased


def rare_part(folded: str) -> str:
    """The three characters of a word that session files probably have least often; "" if there are none that
    are found faster than the word. None of them is a character that others fold to, as the "ﬁ" ligature
    folds to "f".
    """
    starts = range(len(folded) - 2) if len(folded) > 3 and folded.isascii() else ()
    parts = [folded[start : start + 3] for start in starts]
    plain = [part for part in parts if TO_ASCII.keys().isdisjoint(part)]
    return max(plain, key=lambda part: sum([_COMMON.find(char) % len(_COMMON) for char in part]), default="")


def in_any_case(folded: str) -> list[Finder]:
    """Finders of folded ASCII text: one of them finds everything that folds to it, except escapes.

    Without StringZilla, the finders after the first look for the characters that fold to several.

    :param folded: has no character that "\u037e" or "\u1fef" folds to: StringZilla does not know these.
    """
    if _find_uncased is None:
        pattern = re.compile(re.escape(folded.encode("ascii")), re.IGNORECASE)
        return [matching(pattern), *map(exactly, shortened(char.encode() for char in becomes(folded)))]
    return [uncased(folded)]


def knows_case() -> bool:
    """Whether there is a search that knows about case beyond ASCII."""
    return _find_uncased is not None


def same_case(text: str, folded: str) -> bool:
    """Whether the finder `uncased(folded)` finds `text`."""
    return _find_uncased is not None and _find_uncased(text.encode(), folded.encode()) == 0


def escapes(pattern: bytes) -> Finder:
    """A finder of escapes of the form `\\uXXXX` that match `pattern`."""
    find_escape = exactly(b"\\u")
    compiled = re.compile(pattern)

    def find_matching(data: bytes | bytearray, start: int, end: int) -> int:
        start = find_escape(data, start, end)
        while start >= 0 and not compiled.match(data, start, end):
            start = find_escape(data, start + 2, end)
        return start

    return find_matching


def marked() -> list[Finder]:
    """Finders of what becomes a plain character, or nothing, when marks and widths are folded."""
    find_any = _find_any
    if _find is None or find_any is None:
        return [matching(re.compile(b"[" + MARKED_BYTES + b"]")), escapes(_MARKED_CODES)]

    def find_marked(data: bytes | bytearray, start: int, end: int) -> int:
        offset: int = find_any(data, MARKED_BYTES, start, end)
        return offset

    return [find_marked, escapes(_MARKED_CODES)]


def odd_numbers() -> Finder:
    """A finder of numbers in the arguments of calls that `json.dumps` would write differently."""
    find_arguments = exactly(_ARGUMENTS)

    def find_number(data: bytes | bytearray, start: int, end: int) -> int:
        while True:
            start = find_arguments(data, start, end)
            if start < 0:
                return -1
            stop = data.find(b"\n", start, end)
            stop = end if stop < 0 else stop
            if _ODD_NUMBER.search(data, start, stop):
                return start
            start = stop

    return find_number


def shortened(needles: Iterable[bytes], most: int = 4) -> list[bytes]:
    """As few byte strings as find all of `needles`, and possibly more: the first byte of a combining mark,
    and the first two bytes of the others if there are more than `most`.
    """
    prefixes = {needle[:1] if needle[:1] in (b"\xcc", b"\xcd") else needle for needle in needles}
    if len(prefixes) > most:
        prefixes = {needle[:2] for needle in prefixes}
    return sorted(prefixes)


# -- folding backwards --


def becomes(run: str) -> list[str]:
    """The characters beyond ASCII that can become a part of `run` when they are folded.

    :param run: folded, and ASCII only.
    """
    candidates = {candidate for char in set(run) for candidate in TO_ASCII.get(char, "")}
    return sorted(char for char in candidates if _overlaps(fold(char), run))


def _overlaps(part: str, run: str) -> bool:
    """Whether a text can contain `part` and `run` so that they overlap."""
    for shift in range(1 - len(part), len(run)):
        start, end = max(0, shift), min(len(run), shift + len(part))
        if part[start - shift : end - shift] == run[start:end]:
            return True
    return False


def is_findable(char: str) -> bool:
    """Whether every text whose folded form has `char` contains `char` itself, one of `variants` or one of
    `precursors`: composition does not move, remove or create it.

    :param char: not ASCII.
    """
    if char == _REPLACEMENT or "\ud800" <= char <= "\udfff" or combining(char):
        return False
    return char not in _unfolding()[1]


def variants(char: str) -> tuple[str, ...]:
    """The characters that fold to `char` alone, itself included."""
    others = _unfolding()[0].get(char, ())
    return (char, *(variant for variant in others if fold(variant) == char and not combining(variant)))


def precursors(char: str) -> frozenset[str]:
    """The characters one of which a text has if its folded form has `char` and it has none of `variants`."""
    folds_to, _ = _unfolding()
    plain = variants(char)
    characters = {candidate for candidate in folds_to.get(char, ()) if candidate not in plain}
    for mark in normalize("NFD", char)[1:]:
        characters.add(mark)
        characters.update(folds_to.get(mark, ()))
        characters.update(_HALF_WIDTH.get(mark, ""))
    return frozenset(characters)


@lru_cache(maxsize=1)
def _unfolding() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """Character -> the others that fold to something with it; and the characters that compose with what
    precedes them.
    """
    folds_to: dict[str, list[str]] = {}
    composing = set(map(chr, _JAMOS))
    for first in range(0, _BEYOND, _BLOCK):
        if 0xD800 <= first < 0xE000:
            continue
        block = "".join(map(chr, range(first, first + _BLOCK)))
        if fold(block) == block and normalize("NFD", block) == block:
            continue
        for char in block:
            folded = fold(char)
            if folded != char:
                for part in folded:
                    folds_to.setdefault(part, []).append(char)
            composing.update(normalize("NFD", char)[1:] if not "가" <= char <= "힣" else "")
    return {char: tuple(others) for char, others in folds_to.items()}, frozenset(composing)
