"""Folding many texts at once is folding each."""

from __future__ import annotations

import sys
from unicodedata import combining, decomposition

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import fold as module
from app.formats.fold import composed, encoded, fold, fold_utf8, replacements

CHARACTERS = st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")
TEXT = st.text(
    CHARACTERS | st.sampled_from("aZeÉßİΣςé\u0301\u0345\u0f73\u1100\u1161\u11a8한語—😀\u212b\u2126")
)


@pytest.fixture(params=["as it is", "without the wheel"])
def wheel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without the wheel":
        monkeypatch.setattr(module, "_casefold", None)


def quickly(text: str) -> bytes | None:
    """As on a platform without the wheel."""
    return module._replaced(text.encode())


@given(TEXT)
def test_folding_many_bytes_is_folding(text: str) -> None:
    assert fold_utf8(text.encode()) in (None, encoded(fold(text)))
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


@pytest.mark.slow
@pytest.mark.usefixtures("wheel")
def test_every_character_by_itself() -> None:
    for code in (*range(0xD800), *range(0xE000, sys.maxunicode + 1)):
        text = f"Aa{chr(code)}bA"
        assert fold_utf8(text.encode()) in (None, encoded(fold(text))), hex(code)


def test_letters_that_are_not_one_letter_any_more_before_marks() -> None:
    letters = [chr(code) for code in range(0x3000) if len(composed(chr(code)).casefold()) > 1]
    assert len(letters) > 90
    marks = [chr(code) for code in range(sys.maxunicode + 1) if combining(chr(code))]
    for letter in letters:
        for mark in marks:
            for text in (letter + mark, f"{letter}\u0316{mark}", f"{letter}{mark}\u0345"):
                assert fold_utf8(text.encode()) in (None, encoded(fold(text))), ascii(text)


@pytest.mark.skipif(module._casefold is None, reason="there is no wheel here")
def test_the_usual_letters_are_folded_at_once() -> None:
    for text in (
        "ÀÉÎÕÜÇÑ Œuvre Straße",
        "Ελληνικά ΣΊΣΥΦΟΣ ᾼ",
        "Привет Ёлка Ђ",
        "日本語 テスト 검색 한국어",
        "“quoted” — … → ✅ 🎉 👩‍💻 ☀️",
        "Tiếng Việt ĐƯỜNG",
    ):
        assert fold_utf8(text.encode()) == encoded(fold(text)), text


@pytest.mark.usefixtures("wheel")
@pytest.mark.parametrize("data", [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"])
def test_what_is_no_utf8_is_not_folded(data: bytes) -> None:
    for before in (b"", b"a" * 63, "é".encode() * 40):
        assert fold_utf8(before + data + b"z" * 70) is None


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
