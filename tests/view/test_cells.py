"""Widths agree with the library that draws the screen; a cut never splits a grapheme."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size
from wcwidth import wcwidth

from app.formats import inert
from app.view.cells import (
    char_width,
    cut,
    fit_facts,
    graphemes,
    has_uncertain_width,
    max_width,
    pad,
    shorten,
    shorten_start,
    stable_width,
    width,
)
from tests.cases import cases

DRAWN = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=40)


def test_every_assigned_character_is_as_wide_as_the_library_says():
    differing = [
        char
        for char in map(chr, range(0x20, 0x30000))
        if unicodedata.category(char) not in ("Cn", "Cs", "Cc")
        and width(char) != get_character_cell_size(char)
    ]
    assert differing == []


@cases("text", ["naïve", "日本語", "👩‍👩‍👧 family", "✔️ done", "👍🏽", "a\u0301bc", "한글", "🇫🇷"])
def test_texts_are_as_wide_as_the_library_says(text):
    assert width(text) == cell_len(text)


@given(DRAWN, st.integers(0, 50))
def test_a_cut_fits_and_ends_between_graphemes(text, cells):
    start = cut(text, cells)
    assert text.startswith(start)
    assert width(start) <= max_width(start) <= cells
    pieces = graphemes(text)
    ends = [len("".join(piece for piece, _ in pieces[:number])) for number in range(len(pieces) + 1)]
    assert text.isascii() or len(start) in ends
    longer = [piece for end, (piece, _) in zip(ends, pieces, strict=False) if end == len(start)]
    # a blank at the end may count as room for a wide character
    assert not longer or not cells or max_width(f"{start}{longer[0]}.") > cells


@given(DRAWN, st.integers(1, 50))
def test_padded_text_takes_exactly_its_cells(text, cells):
    assert width(pad(text, cells)) == max_width(pad(text, cells)) == cells
    assert max_width(shorten(text, cells)) <= cells
    assert max_width(shorten_start(text, cells)) <= cells


def test_letters_of_hangul_are_composed_to_syllables():
    assert stable_width(unicodedata.normalize("NFD", "한글")) == "한글"
    assert stable_width("soft\xadhyphen") == "softhyphen"


def test_stable_text_has_no_joined_emoji():
    assert stable_width("plain") == "plain"
    assert stable_width("👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 🇫🇷 日本 e\u0301") == "👩👩👧 ❤ 👍 FR 日本 e\u0301"


@given(DRAWN)
def test_the_width_of_stable_text_is_the_sum_of_its_characters(text):
    assert width(stable_width(text)) == sum(map(char_width, stable_width(text)))


# prints the width that the C library gives to each character, by its code
BY_THE_LIBRARY = """
import ctypes, json, locale, sys
locale.setlocale(locale.LC_ALL, "C.UTF-8")
wcwidth = ctypes.CDLL(None).wcwidth
wcwidth.argtypes = [ctypes.c_wchar]
print(json.dumps([wcwidth(chr(code)) for code in json.load(sys.stdin)]))
"""


def drawn_as_they_are():
    """All characters that are drawn unchanged."""
    codes = [*range(0x20, 0xD800), *range(0xE000, 0x30000)]
    return [
        char
        for char in map(chr, codes)
        if unicodedata.category(char) not in ("Cn", "Cc") and inert(char) == char
    ]


def by_the_library(chars):
    done = subprocess.run(
        [sys.executable, "-I", "-c", BY_THE_LIBRARY],
        input=json.dumps(list(map(ord, chars))),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("measure", ["the C library", "tables of Unicode"])
def test_every_character_with_two_widths_is_known_as_uncertain(measure):
    chars = drawn_as_they_are()
    if measure == "the C library":
        if platform.libc_ver()[0] != "glibc":
            pytest.skip("there is another C library")
        sizes = by_the_library(chars)
    else:
        sizes = list(map(wcwidth, chars))
    different = [(char, size) for char, size in zip(chars, sizes, strict=True) if size != width(char)]
    # -1: newer than the tables that this system has
    different = [(char, size) for char, size in different if size >= 0]
    assert [char for char, _ in different if not has_uncertain_width(char)] == []
    assert [char for char, size in different if not width(char) <= max_width(char) >= size] == []


def test_characters_of_uncertain_width():
    marks = [char for char in drawn_as_they_are() if unicodedata.category(char) == "Mc"]
    assert len(marks) > 400
    letters = map(chr, (*range(0x1161, 0x1200), *range(0xD7B0, 0xD7C7), *range(0xD7CB, 0xD7FC), 0xAD, 0x200D))
    assert [char for char in (*marks, *letters) if not has_uncertain_width(char)] == []
    assert not has_uncertain_width("naïve — 日本語 한글 ไทย שלום 😀 │╭─╮⑂◆★…")
    assert (width("दुनिया"), max_width("दुनिया"), max_width("दुनिया  ")) == (3, 5, 5)
    assert (width("🇫🇷"), max_width("🇫🇷"), max_width("👍🏽"), max_width("❤\ufe0f")) == (2, 4, 4, 2)


def test_a_text_is_cut_for_the_terminal_that_draws_it_widest():
    assert shorten("दुनिया", 5) == "दुनिया"
    assert shorten("दुनिया", 4) == "दुनि…"
    assert shorten_start("दुनिया", 4) == "…या"
    assert pad("दुनिया", 6) == "दुनिया   "


def test_a_text_that_fits_is_not_changed():
    assert shorten("日本", 4) == "日本"
    assert shorten("日本語", 5) == "日本…"
    assert shorten_start("/work/app", 6) == "…k/app"


@cases(
    ("cells", "shown"),
    [
        (40, "tree · branch 4 of 4 · 5 turns"),
        (30, "tree · branch 4 of 4 · 5 turns"),
        (29, "tree · branch 4 of 4"),
        (19, "tree"),
        (3, "tr…"),
        (0, ""),
    ],
)
def test_fit_facts_leaves_out_whole_facts(cells, shown):
    assert fit_facts("tree · branch 4 of 4 · 5 turns", cells) == shown
