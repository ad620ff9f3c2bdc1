"""Searching and case folding in UTF-8 bytes.

stringzilla does both with SIMD. On a platform without its wheel plain Python does the same, more slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import is_normalized, normalize

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


def fold(text: str) -> str:
    """`text` without differences of case and composition: NFC, casefold, NFC. White space stays."""
    if text.isascii():
        return text.lower()
    return to_nfc(to_nfc(text).casefold())


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
    return found


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
