"""Texts with their matches, cut to a width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.view.cells import width
from app.view.line import excerpt, mark_ranges


def test_a_text_that_fits_is_not_changed():
    assert excerpt("one two", ((4, 7),), 7) == ("one two", ((4, 7),))


def test_a_match_at_the_start_stays_there():
    assert excerpt("needle " + "x" * 50, ((0, 6),), 20) == ("needle " + "x" * 12 + "…", ((0, 6),))


def test_a_match_far_from_the_start_is_centred():
    text, ranges = excerpt("x" * 100 + "needle" + "y" * 100, ((100, 106),), 20)
    assert text == "…xxxxxxneedleyyyyyy…"
    assert ranges == ((7, 13),)


def test_a_match_at_the_end_is_shown_to_its_end():
    text, ranges = excerpt("x" * 100 + "needle", ((100, 106),), 20)
    assert text.endswith("needle")
    assert [text[start:end] for start, end in ranges] == ["needle"]


def test_a_match_longer_than_the_line_is_shown_from_its_start():
    text, ranges = excerpt("x" * 100 + "n" * 100, ((100, 200),), 20)
    assert text == "…" + "n" * 18 + "…"
    assert ranges == ((1, 19),)


def test_wide_characters_are_cut_whole():
    long = "日本語" * 30 + "👨‍👩‍👧 needle" + "日" * 9
    begin = long.index("needle")
    text, ranges = excerpt(long, ((begin, begin + 6),), 27)
    # in a terminal that joins nothing, the family takes six cells
    assert text == "…語👨‍👩‍👧 needle日日日日日…"
    assert [text[start:end] for start, end in ranges] == ["needle"]


def test_without_a_range_the_start_is_shown():
    assert excerpt("x" * 30, (), 5) == ("xxxx…", ())


@st.composite
def texts_with_ranges(draw):
    text = draw(st.text(alphabet="ab 日é\u0301👨\u200d", max_size=60))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return text, tuple(pair for pair in zip(cuts[::2], cuts[1::2], strict=False) if pair[0] < pair[1])


@given(matched=texts_with_ranges(), cells=st.integers(2, 40))
def test_an_excerpt_fits_and_its_ranges_belong_to_the_text(matched, cells):
    text, ranges = matched
    shown, placed = excerpt(text, ranges, cells)
    assert width(shown) <= cells
    assert all(0 <= start < end <= len(shown) for start, end in placed)
    assert len(placed) <= len(ranges)
    if width(text) > cells:
        part = shown.strip("…")
        assert part in text
    assert {shown[start:end] for start, end in placed} <= {
        text[start:end][:cut] for start, end in ranges for cut in range(end - start + 1)
    } | {text[start:end][cut:] for start, end in ranges for cut in range(end - start + 1)}


def test_marks_stand_around_each_range():
    assert mark_ranges("one two", ((0, 3), (4, 7)), "<", ">") == "<one> <two>"
    assert mark_ranges("one two", ((0, 5), (4, 7)), "<", ">") == "<one t><wo>"
    assert mark_ranges("one", (), "<", ">") == "one"
