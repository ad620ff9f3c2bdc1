"""How text is folded before words are looked for in it (PERFORMANCE 3.4): the same on both sides."""

from __future__ import annotations

from unicodedata import is_normalized, normalize


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
