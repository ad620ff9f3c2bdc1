"""The ASCII spelling of a text takes as many cells as the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view import ASCII, UNICODE
from app.view.cells import width
from app.view.terminal import (
    ascii_text,
    encodes_all,
    encodes_own_glyphs,
    is_ascii_terminal,
    spelled_for,
    speller,
)
from tests.cases import cases


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs")), max_size=40))
def test_ascii_text_has_the_width_of_the_text(text):
    assert ascii_text(text).isascii()
    assert len(ascii_text(text)) == width(text)


ENCODINGS = ["ascii", "latin-1", "koi8-r", "cp437", "euc-jp", "big5", "gb18030", "utf-8"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs")), max_size=40))
def test_missing_characters_are_spelt_in_as_many_cells(encoding, text):
    for ascii_only in (True, False):
        spell = speller(encoding, ascii_only=ascii_only)
        spelt = spell(text) if spell is not None else text
        spelt.encode(encoding)
        assert width(spelt) == width(text)
    assert spelled_for(text, "utf-8") == text


def test_characters_of_the_encoding_stay():
    assert speller("utf-8", ascii_only=False) is None
    assert speller("gb18030", ascii_only=False) is None
    assert speller("latin-1", ascii_only=False)("naïve · 日本 – ❯") == "naïve · ???? - >"
    assert speller("latin-1", ascii_only=True)("naïve · 日本 – ❯") == "naive . ???? - >"
    # other encodings have only some of the glyphs, which do not match the ASCII spellings of the others
    assert [encoding for encoding in ENCODINGS if encodes_own_glyphs(encoding)] == ["gb18030", "utf-8"]
    assert [encoding for encoding in ENCODINGS if encodes_all(encoding)] == ["gb18030", "utf-8"]


@cases(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("naïve café", "naive cafe"),
        ("日本", "????"),
        ("❤️x", "??x"),
        ("╭─ tree ─╮", "+- tree -+"),
        ("a…", "a~"),
    ],
)
def test_ascii_spellings(text, plain):
    assert ascii_text(text) == plain


def test_the_marks_of_the_tree_have_different_spellings():
    marks = [UNICODE.pointer, UNICODE.active, UNICODE.open, UNICODE.closed, UNICODE.bar, UNICODE.elbow]
    assert len({ascii_text(mark) for mark in marks}) == len(marks)
    for name in ("pointer", "active", "bar", "branch", "closed", "elbow", "ellipsis", "hit", "open"):
        assert ascii_text(getattr(UNICODE, name)) == getattr(ASCII, name)


@cases(
    ("env", "is_ascii"),
    [
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, True),
        ({"LANG": "C", "LC_ALL": "C.UTF-8"}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LC_CTYPE": "C.UTF-8"}, False),
        ({"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}, False),
    ],
)
def test_the_locale_decides_whether_the_terminal_is_ascii(env, is_ascii):
    assert is_ascii_terminal(env) is is_ascii


def test_open_closed_and_plain_branches_differ_in_ascii():
    assert len({ASCII.open, ASCII.closed, ASCII.branch}) == 3
