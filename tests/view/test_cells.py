"""Widths agree with the library that draws the screen; cuts never split a piece."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from app.view.cells import cut, fill, graphemes, shorten, shorten_start, width

DRAWN = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=40)


def test_every_assigned_character_is_as_wide_as_the_library_says():
    differing = [
        char
        for char in map(chr, range(0x20, 0x30000))
        if unicodedata.category(char) not in ("Cn", "Cs", "Cc")
        and width(char) != get_character_cell_size(char)
    ]
    assert differing == []


@pytest.mark.parametrize(
    "text", ["naïve", "日本語", "👩‍👩‍👧 family", "✔️ done", "👍🏽", "a\u0301bc", "한글", "🇫🇷"]
)
def test_texts_are_as_wide_as_the_library_says(text):
    assert width(text) == cell_len(text)


@given(DRAWN, st.integers(0, 50))
def test_a_cut_fits_and_ends_between_pieces(text, cells):
    kept = cut(text, cells)
    assert text.startswith(kept)
    assert width(kept) <= cells
    pieces = [piece for piece, _ in graphemes(text)]
    ends = {len("".join(pieces[:at])) for at in range(len(pieces) + 1)}
    assert text.isascii() or len(kept) in ends


@given(DRAWN, st.integers(1, 50))
def test_filled_text_takes_exactly_its_cells(text, cells):
    assert width(fill(text, cells)) == cells
    assert width(shorten(text, cells)) <= cells
    assert width(shorten_start(text, cells)) <= cells


def test_what_fits_is_not_changed():
    assert shorten("日本", 4) == "日本"
    assert shorten("日本語", 5) == "日本…"
    assert shorten_start("/work/app", 6) == "…k/app"
