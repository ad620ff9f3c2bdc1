"""Widths agree with the library that draws the screen; cuts never split a piece."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from app.view.cells import char_width, cut, fewer, fill, graphemes, shorten, shorten_start, steady, width

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
    pieces = graphemes(text)
    ends = [len("".join(piece for piece, _ in pieces[:at])) for at in range(len(pieces) + 1)]
    assert text.isascii() or len(kept) in ends
    longer = [size for end, (_, size) in zip(ends, pieces, strict=False) if end == len(kept)]
    assert not longer or not cells or width(kept) + longer[0] > cells


@given(DRAWN, st.integers(1, 50))
def test_filled_text_takes_exactly_its_cells(text, cells):
    assert width(fill(text, cells)) == cells
    assert width(shorten(text, cells)) <= cells
    assert width(shorten_start(text, cells)) <= cells


def test_steady_text_has_nothing_that_terminals_join():
    assert steady("plain") == "plain"
    assert steady("👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 🇫🇷 日本 e\u0301") == "👩👩👧 ❤ 👍 FR 日本 e\u0301"


@given(DRAWN)
def test_the_width_of_steady_text_is_the_sum_of_its_characters(text):
    assert width(steady(text)) == sum(map(char_width, steady(text)))


def test_what_fits_is_not_changed():
    assert shorten("日本", 4) == "日本"
    assert shorten("日本語", 5) == "日本…"
    assert shorten_start("/work/app", 6) == "…k/app"


@pytest.mark.parametrize(
    ("cells", "left"),
    [
        (40, "tree · branch 4 of 4 · 5 turns"),
        (30, "tree · branch 4 of 4 · 5 turns"),
        (29, "tree · branch 4 of 4"),
        (19, "tree"),
        (3, "tr…"),
        (0, ""),
    ],
)
def test_of_facts_only_whole_ones_are_left(cells, left):
    assert fewer("tree · branch 4 of 4 · 5 turns", cells) == left
