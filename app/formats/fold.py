"""How text is folded before words are looked for in it (PERFORMANCE 3.4): the same on both sides."""

from __future__ import annotations

from unicodedata import category, is_normalized, normalize

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


def replacements(texts: bytes) -> list[tuple[bytes, bytes]] | None:
    """What to replace in `texts`, UTF-8 without lone surrogates, so that `bytes.lower` does the rest of
    `fold`: several times as fast for what is nearly all ASCII. None where that cannot be done.
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
