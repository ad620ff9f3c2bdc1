"""Folding many texts at once is folding each (PERFORMANCE 3.4)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING
from unicodedata import combining, decomposition

from hypothesis import given
from hypothesis import strategies as st

from app.formats import fold as module
from app.formats.fold import composed, encoded, fold, replacements

if TYPE_CHECKING:
    import pytest

CHARACTERS = st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")
TEXT = st.text(
    CHARACTERS | st.sampled_from("aZeÉßİΣςé\u0301\u0345\u0f73\u1100\u1161\u11a8한語—😀\u212b\u2126")
)


def quickly(text: str) -> bytes | None:
    data = text.encode()
    changes = replacements(data)
    if changes is None:
        return None
    for before, after in changes:
        data = data.replace(before, after)
    return data.lower()


@given(TEXT)
def test_replacing_characters_is_folding(text: str) -> None:
    assert quickly(text) in (None, encoded(fold(text)))


@given(TEXT)
def test_what_is_folded_stays(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(composed(text)) == fold(text)


def test_the_usual_characters_need_no_other_way() -> None:
    assert (
        quickly("Grüße — “naïve” → ✓ 漢字 😀 Привет, ÉCOLE")
        == "grüsse — “naïve” → ✓ 漢字 😀 привет, école".encode()
    )
    assert quickly("e\u0301") is None
    assert quickly("ÀÉÎÕÜÇÑ") is None


def test_every_character_by_itself() -> None:
    for code in (*range(0xD800), *range(0xE000, sys.maxunicode + 1)):
        char = chr(code)
        found = quickly(f"Aa{char}bA") if char != "\0" else None
        assert found is None or found == encoded(fold(f"Aa{char}bA")), hex(code)


def test_what_goes_together_with_the_character_before_it_is_not_replaced() -> None:
    seconds = set()
    for code in range(sys.maxunicode + 1):
        parts = decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(chr(int(parts[1], 16)))
    hangul = [chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))]
    marks = [chr(code) for code in range(sys.maxunicode + 1) if combining(chr(code))]
    for char in (*seconds, *hangul, *marks):
        assert replacements(f"a{char}".encode()) is None, hex(ord(char))


def test_no_more_is_remembered_than_is_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 3)
    monkeypatch.setattr(module, "_changes", {})
    text = "".join(map(chr, range(0x4E00, 0x4F00)))
    assert quickly(text) == text.encode()
    assert len(module._changes) == 3
