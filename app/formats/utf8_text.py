"""Searching and case folding in UTF-8 bytes.

stringzilla does both with SIMD. On a platform without its wheel plain Python does the same, more slowly.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import combining, is_normalized, normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

try:
    import stringzilla
except ImportError:  # a platform without a wheel
    stringzilla = None

_NOT_FOLDED_ALIKE = (b"\xcd\x85", b"\xe1\xb2", b"\xea\x9f", b"\xf0\x90\xb5", b"\xf0\x96\xba")
"""Bytes of characters that Python may fold otherwise than stringzilla. U+0345 is the only mark that becomes a
letter, and its place depends on composition. The others begin letters that Unicode 15 to 17 added; not every
Python knows their case.
"""

find: Callable[[bytes, bytes, int], int] = stringzilla.find if stringzilla else bytes.find
"""`find(data, needle, start)`: the offset of the first `needle` at or after `start`, or -1."""


def to_nfc(text: str) -> str:
    """`text` in Unicode's composed form (NFC). Case-sensitive comparisons use it."""
    return text if text.isascii() or is_normalized("NFC", text) else normalize("NFC", text)


def with_marks(text: str) -> str:
    """`text` without differences of case and composition: NFC, casefold, NFC. White space stays."""
    if text.isascii():
        return text.lower()
    return to_nfc(to_nfc(text).casefold())


def fold(text: str) -> str:
    """`text` without differences of case, composition, width and marks. White space stays.

    Marks are those of Latin and Greek letters, and of "ё": in other scripts, a mark makes another letter.
    Full-width characters of ASCII and half-width Katakana become the usual ones.
    """
    if text.isascii():
        return text.lower()
    # Without a mark, what was around it may compose.
    return to_nfc(_marked().sub(_plain, with_marks(text)))


def counts_marks(text: str) -> bool:
    """Whether a word of a query has marks, so that it is not found without them."""
    if text.isascii():
        return False
    plain = plain_characters()
    return any(char in plain and char < "\uff00" for char in with_marks(text))


@lru_cache(maxsize=1)
def plain_characters() -> dict[str, str]:
    """Characters that `with_marks` leaves, and pairs of half-width Katakana -> what `fold` makes of them."""
    plain = {"ё": "е", "ø": "o", "ł": "l", "đ": "d", **dict.fromkeys(map(chr, range(0x300, 0x370)), "")}
    for char in map(chr, (*range(0xC0, 0x250), *range(0x370, 0x3D0), *range(0x1E00, 0x2000))):
        letter, *marks = list(normalize("NFD", char))
        if marks and all(map(combining, marks)) and letter.isalpha() and with_marks(char) == char:
            plain[char] = plain.get(letter, letter)
    for char in map(chr, (*range(0xFF01, 0xFF5F), *range(0xFF61, 0xFF9E))):
        plain[char] = normalize("NFKC", char)
        for mark in "\uff9e\uff9f":
            voiced = normalize("NFKC", char + mark)
            if len(voiced) == 1:
                plain[char + mark] = voiced
    return plain


@lru_cache(maxsize=1)
def _marked() -> re.Pattern[str]:
    # Compiled for the first text that is not ASCII: it takes longer than a start has time for.
    return re.compile(
        "[\uff66-\uff9d][\uff9e\uff9f]?|[\u00c0-\u024f\u0300-\u036f\u0390\u03ac-\u03b0\u03ca-\u03ce\u0451"
        "\u1e00-\u1fff\uff01-\uff5e\uff61-\uff65]"
    )


def _plain(match: re.Match[str]) -> str:
    plain = plain_characters()
    found = plain.get(match[0])
    return "".join([plain.get(char, char) for char in match[0]]) if found is None else found


MARKED_BYTES = bytes([*range(0xC3, 0xCA), 0xCC, 0xCD, 0xE1, 0xEF])
"""The first bytes in UTF-8 of combining marks, of Latin letters with marks, and of full and half width."""
_LETTERS_BYTES = b"\xce\xcf\xd1"
"""The first bytes of letters without marks, too: Greek ones, and those like "ё"."""
_KATAKANA = "ｦ".encode()
_MOST_OTHERS = 50
"""Other characters with the same first bytes, from which on `fold` is faster."""


@lru_cache(maxsize=1)
def _plain_bytes() -> tuple[dict[bytes, bytes], list[tuple[bytes, bytes]]]:
    """`plain_characters`, and those of them that begin with `_LETTERS_BYTES`."""
    plain = {char.encode(): letter.encode() for char, letter in plain_characters().items()}
    return plain, [each for each in plain.items() if each[0][:1] in _LETTERS_BYTES]


def _without_marks(data: bytes) -> bytes | None:
    """`data` in the form of `with_marks` in that of `fold`; None if only `fold` gives the right result.

    StringZilla finds the characters: a pattern would add a fifth to the time of a cold index.
    """
    find_any = stringzilla.find_first_of
    plain, letters = _plain_bytes()
    if find_any(data, _LETTERS_BYTES) >= 0:
        for char, letter in letters:
            if find(data, char, 0) >= 0:
                data = data.replace(char, letter)
    parts, begin, others = [], 0, 0
    position = find_any(data, MARKED_BYTES)
    if position < 0:
        return data
    while position >= 0:
        end = position + (2 if data[position] < 0xE0 else 3)
        char = data[position:end]
        if char in plain:
            if char >= _KATAKANA:
                return None  # Two of them may become one character.
            parts += [data[begin:position], plain[char]]
            begin = end
        else:
            others += 1
            if others > _MOST_OTHERS:
                return None
        position = find_any(data, MARKED_BYTES, end)
    data = b"".join([*parts, data[begin:]])
    if b"" in parts and stringzilla.utf8_find_denormalized(data, "NFC") is not None:
        return None  # Without a mark, what was around it may compose.
    return data


def to_utf8(folded: str) -> bytes:
    """`folded` as UTF-8. Lone surrogates keep their three bytes, so any text can be encoded."""
    try:
        return folded.encode()
    except UnicodeEncodeError:
        return folded.encode("utf-8", "surrogatepass")


def fold_utf8(data: bytes) -> bytes | None:
    """`fold` of UTF-8 bytes, several times as fast.

    :return: None if `data` is not UTF-8, or if only `fold` gives the right result.
    """
    if data.isascii():
        return data.lower()
    if stringzilla is None:
        return None
    try:
        found: bytes = stringzilla.utf8_uncased_fold(data, validate=True)
    except ValueError:
        return None
    # If the result is in NFC, then NFC before folding would have made no difference.
    if stringzilla.utf8_find_denormalized(found, "NFC") is not None:
        return None
    if any(find(data, prefix, 0) >= 0 for prefix in _NOT_FOLDED_ALIKE):
        return None
    return _without_marks(found)


def nfc_utf8(data: bytes) -> bytes | None:
    """`to_nfc` of UTF-8 bytes, several times as fast.

    :return: None if `data` is not UTF-8 or not in NFC, or if only `to_nfc` can tell.
    """
    if data.isascii():
        return data
    if stringzilla is None:
        return None
    try:
        is_composed = stringzilla.utf8_find_denormalized(data, "NFC") is None
    except ValueError:
        return None
    return data if is_composed else None


def fold_text(text: str) -> bytes:
    """`fold` of a text, as UTF-8."""
    folded = fold_utf8(to_utf8(text))
    return to_utf8(fold(text)) if folded is None else folded


def nfc_text(text: str) -> bytes:
    """`to_nfc` of a text, as UTF-8."""
    return to_utf8(to_nfc(text))


def split(data: bytes, separator: bytes) -> Sequence[bytes]:
    """The parts of `data` between the separators.

    stringzilla gives views instead of bytes: they can be joined, compared and measured like bytes.
    """
    if stringzilla is None:
        return data.split(separator)
    return list(stringzilla.split(data, separator))
