"""How text is folded before words are looked for in it: the same on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category, is_normalized, normalize

from app.formats.bytes_in import find

if TYPE_CHECKING:
    from collections.abc import Callable

_casefold: Callable[..., bytes] | None
_denormalized: Callable[[bytes, str], int | None]
try:
    import stringzilla
except ImportError:  # a platform without a wheel
    _casefold = None
else:
    _casefold = stringzilla.utf8_uncased_fold
    _denormalized = stringzilla.utf8_find_denormalized

_APART = (b"\xcd\x85", b"\xe1\xb2", b"\xea\x9f", b"\xf0\x90\xb5", b"\xf0\x96\xba")
"""The one mark that becomes a letter, U+0345: it must be where a composed text has it. And how the letters
begin that Unicode 15 to 17 brought, whose case not every Python knows: the fold is Python's."""

_ASCII = bytes(range(128))
_REPLACED = 6
"""So many characters are replaced one after the other; for more of them another way is quicker."""

_REMEMBERED = 20_000
_changes: dict[str, str] = {}


def composed(text: str) -> str:
    """`text` in Unicode's composed form (NFC): how it is compared when case counts."""
    return text if text.isascii() or is_normalized("NFC", text) else normalize("NFC", text)


def fold(text: str) -> str:
    """`text` without differences of case and of composition: NFC, casefold, NFC. White space stays."""
    if text.isascii():
        return text.lower()
    return composed(composed(text).casefold())


def encoded(folded: str) -> bytes:
    """The bytes that are searched for it, or in it: UTF-8, lone surrogates as they are."""
    try:
        return folded.encode()
    except UnicodeEncodeError:
        return folded.encode("utf-8", "surrogatepass")


def fold_utf8(data: bytes) -> bytes | None:
    """`fold` of UTF-8, several times as fast. None where it is no UTF-8, or where it takes the other way."""
    if data.isascii():
        return data.lower()
    if _casefold is None:
        return _replaced(data)
    try:
        found = _casefold(data, validate=True)
    except ValueError:
        return None
    # What is composed after it is what it would be if it had been composed before as well.
    if _denormalized(found, "NFC") is not None:
        return None
    for apart in _APART:
        if find(data, apart, 0) >= 0:
            return None
    return found


def _replaced(data: bytes) -> bytes | None:
    try:
        changes = replacements(data)
    except UnicodeDecodeError:
        return None
    if changes is None:
        return None
    for before, after in changes:
        data = data.replace(before, after)
    return data.lower()


def replacements(texts: bytes) -> list[tuple[bytes, bytes]] | None:
    """What to replace in `texts`, so that `bytes.lower` does the rest of `fold`. None where that cannot be
    done.

    :raises UnicodeDecodeError: they are no UTF-8.
    """
    changed: list[tuple[bytes, bytes]] = []
    for char in set(texts.translate(None, _ASCII).decode()):
        folded = _changes.get(char)
        if folded is None:
            folded = _change(char)
        if folded != char:
            if not folded or len(changed) == _REPLACED:
                return None
            changed.append((char.encode(), folded.encode()))
    return changed


def _change(char: str) -> str:
    """`char` folded by itself; "" where that depends on what stands before it: marks, and parts of Hangul."""
    folded = "" if "\u1100" <= char < "\u1200" else fold(char)
    if any(category(one)[0] == "M" for one in char + folded):
        folded = ""
    if len(_changes) < _REMEMBERED:
        _changes[char] = folded
    return folded
