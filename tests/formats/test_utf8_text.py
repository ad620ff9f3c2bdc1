"""Searching, splitting and folding bytes gives what plain Python gives."""

from __future__ import annotations

import sys
from unicodedata import combining

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import utf8_text
from app.formats.utf8_text import fold, fold_utf8, to_nfc, to_utf8

CHARACTERS = st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")
TEXT = st.text(
    CHARACTERS | st.sampled_from("aZeÉßİΣςé\u0301\u0345\u0f73\u1100\u1161\u11a8한語—😀\u212b\u2126")
)


@pytest.fixture(params=["stringzilla", "without stringzilla"])
def wheel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without stringzilla":
        monkeypatch.setattr(utf8_text, "stringzilla", None)


@given(TEXT)
def test_folding_many_bytes_is_folding(text: str) -> None:
    assert fold_utf8(text.encode()) in (None, to_utf8(fold(text)))


@given(TEXT)
def test_what_is_folded_stays(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(to_nfc(text)) == fold(text)


@pytest.mark.slow
@pytest.mark.usefixtures("wheel")
def test_every_character_by_itself() -> None:
    for code in (*range(0xD800), *range(0xE000, sys.maxunicode + 1)):
        text = f"Aa{chr(code)}bA"
        assert fold_utf8(text.encode()) in (None, to_utf8(fold(text))), hex(code)


def test_letters_that_are_not_one_letter_any_more_before_marks() -> None:
    letters = [chr(code) for code in range(0x3000) if len(to_nfc(chr(code)).casefold()) > 1]
    assert len(letters) > 90
    marks = [chr(code) for code in range(sys.maxunicode + 1) if combining(chr(code))]
    for letter in letters:
        for mark in marks:
            for text in (letter + mark, f"{letter}\u0316{mark}", f"{letter}{mark}\u0345"):
                assert fold_utf8(text.encode()) in (None, to_utf8(fold(text))), ascii(text)


@pytest.mark.skipif(utf8_text.stringzilla is None, reason="stringzilla is not installed")
def test_the_usual_letters_are_folded_at_once() -> None:
    for text in (
        "ÀÉÎÕÜÇÑ Œuvre Straße",
        "Ελληνικά ΣΊΣΥΦΟΣ ᾼ",
        "Привет Ёлка Ђ",
        "日本語 テスト 검색 한국어",
        "“quoted” — … → ✅ 🎉 👩‍💻 ☀️",
        "Tiếng Việt ĐƯỜNG",
    ):
        assert fold_utf8(text.encode()) == to_utf8(fold(text)), text


@pytest.mark.usefixtures("wheel")
@pytest.mark.parametrize("data", [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"])
def test_what_is_no_utf8_is_not_folded(data: bytes) -> None:
    for before in (b"", b"a" * 63, "é".encode() * 40):
        assert fold_utf8(before + data + b"z" * 70) is None


PARTS = st.lists(st.sampled_from([b"{", b"}", b"\n", b"}\n{", b"{}\n", b"\r", b" ", b"a", b'"', b"\xe9"]))


@pytest.mark.parametrize("with_wheel", [True, False])
@given(data=PARTS.map(b"".join))
def test_split_gives_the_parts_between_separators(with_wheel: bool, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not with_wheel:
            patch.setattr(utf8_text, "stringzilla", None)
        parts = utf8_text.split(data, b"}\n{")
    assert [bytes(part) for part in parts] == data.split(b"}\n{")
    assert b"-".join(parts) == b"-".join(data.split(b"}\n{"))
    assert [*map(bool, parts)] == [*map(bool, data.split(b"}\n{"))]
