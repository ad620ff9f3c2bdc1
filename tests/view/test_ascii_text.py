"""Text in ASCII takes the cells of the text it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.ascii_text import ascii_text, encodable
from app.view.cells import width
from app.view.terminal import draws_all, draws_signs, is_ascii_terminal, speller
from app.view.tree_row import ASCII, UNICODE


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs")), max_size=40))
def test_it_is_ascii_and_as_wide(text):
    assert ascii_text(text).isascii()
    assert len(ascii_text(text)) == width(text)


ENCODINGS = ["ascii", "latin-1", "koi8-r", "cp437", "euc-jp", "big5", "gb18030", "utf-8"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs")), max_size=40))
def test_what_an_encoding_lacks_is_spelt_in_as_many_cells(encoding, text):
    for ascii_only in (True, False):
        spell = speller(encoding, ascii_only=ascii_only)
        spelt = spell(text) if spell is not None else text
        spelt.encode(encoding)
        assert width(spelt) == width(text)
    assert encodable(text, "utf-8") == text


def test_what_an_encoding_has_stays():
    assert speller("utf-8", ascii_only=False) is None
    assert speller("gb18030", ascii_only=False) is None
    assert speller("latin-1", ascii_only=False)("naïve · 日本 – ❯") == "naïve · ???? - >"
    assert speller("latin-1", ascii_only=True)("naïve · 日本 – ❯") == "naive . ???? - >"
    # not all of the signs: those that it has do not go with what stands for the rest
    assert [encoding for encoding in ENCODINGS if draws_signs(encoding)] == ["gb18030", "utf-8"]
    assert [encoding for encoding in ENCODINGS if draws_all(encoding)] == ["gb18030", "utf-8"]


@pytest.mark.parametrize(
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
def test_what_stands_for_what(text, plain):
    assert ascii_text(text) == plain


def test_marks_of_the_tree_stay_apart():
    marks = [UNICODE.pointer, UNICODE.active, UNICODE.open, UNICODE.closed, UNICODE.bar, UNICODE.elbow]
    assert len({ascii_text(mark) for mark in marks}) == len(marks)
    for name in ("pointer", "active", "bar", "branch", "closed", "elbow", "ellipsis", "hit", "open"):
        assert ascii_text(getattr(UNICODE, name)) == getattr(ASCII, name)


@pytest.mark.parametrize(
    ("env", "is_so"),
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
def test_the_locale_says_what_a_terminal_draws(env, is_so):
    assert is_ascii_terminal(env) is is_so


def test_what_can_be_folded_differs_from_what_cannot():
    assert len({ASCII.open, ASCII.closed, ASCII.branch}) == 3
