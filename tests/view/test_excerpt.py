"""Texts with what was found in them, cut to a width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.view.cells import width
from app.view.excerpt import fit, marked


def test_what_fits_is_left_alone():
    assert fit("one two", ((4, 7),), 7) == ("one two", ((4, 7),))


def test_a_find_at_the_start_stays_where_it_is():
    assert fit("needle " + "x" * 50, ((0, 6),), 20) == ("needle " + "x" * 12 + "…", ((0, 6),))


def test_a_find_far_back_is_brought_into_the_middle():
    text, ranges = fit("x" * 100 + "needle" + "y" * 100, ((100, 106),), 20)
    assert text == "…xxxxxxneedleyyyyyy…"
    assert ranges == ((7, 13),)


def test_a_find_at_the_end_is_shown_to_its_end():
    text, ranges = fit("x" * 100 + "needle", ((100, 106),), 20)
    assert text.endswith("needle")
    assert [text[start:end] for start, end in ranges] == ["needle"]


def test_a_find_longer_than_the_line_is_shown_from_its_start():
    text, ranges = fit("x" * 100 + "n" * 100, ((100, 200),), 20)
    assert text == "…" + "n" * 18 + "…"
    assert ranges == ((1, 19),)


def test_wide_characters_are_cut_whole():
    long = "日本語" * 30 + "👨‍👩‍👧 needle" + "日" * 9
    at = long.index("needle")
    text, ranges = fit(long, ((at, at + 6),), 27)
    # where nothing is joined, the family takes six cells
    assert text == "…語👨‍👩‍👧 needle日日日日日…"
    assert [text[start:end] for start, end in ranges] == ["needle"]


def test_without_a_range_the_start_is_shown():
    assert fit("x" * 30, (), 5) == ("xxxx…", ())


@st.composite
def found(draw):
    text = draw(st.text(alphabet="ab 日é\u0301👨\u200d", max_size=60))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return text, tuple(pair for pair in zip(cuts[::2], cuts[1::2], strict=False) if pair[0] < pair[1])


@given(found(), st.integers(2, 40))
def test_what_is_shown_fits_and_its_ranges_are_of_the_text(found, cells):
    text, ranges = found
    shown, placed = fit(text, ranges, cells)
    assert width(shown) <= cells
    assert all(0 <= start < end <= len(shown) for start, end in placed)
    assert len(placed) <= len(ranges)
    if width(text) > cells:
        whole = shown.strip("…")
        assert whole in text
    assert {shown[start:end] for start, end in placed} <= {
        text[start:end][:cut] for start, end in ranges for cut in range(end - start + 1)
    } | {text[start:end][cut:] for start, end in ranges for cut in range(end - start + 1)}


def test_marks_stand_around_each_range():
    assert marked("one two", ((0, 3), (4, 7)), "<", ">") == "<one> <two>"
    assert marked("one two", ((0, 5), (4, 7)), "<", ">") == "<one t><wo>"
    assert marked("one", (), "<", ">") == "one"
