"""The lines of an entry are wrapped, inert and complete."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.formats.entry_parts import Part
from app.formats.images import EmbeddedImage
from app.formats.text import inert
from app.view.cells import stable_width, width
from app.view.document_line import DocumentLine, mark_prose
from app.view.entry_document import document
from app.view.line import plain_text, wrap


def lines(*parts, cells=20):
    return [line for batch in document(parts, cells) for line in batch]


def texts(*parts, cells=20):
    return [line.text for line in lines(*parts, cells=cells)]


def test_words_that_fit_are_not_cut():
    assert texts(Part("text", "", "the quick brown fox jumps over")) == ["the quick brown fox", "jumps over"]


def test_a_long_word_is_cut():
    assert texts(Part("text", "", "x" * 45)) == ["x" * 20, "x" * 20, "x" * 5]


def test_blank_lines_and_indentation_stay():
    assert texts(Part("text", "", "a\n\n    b")) == ["a", "", "    b"]


def test_wide_characters_are_not_halved():
    assert texts(Part("text", "", "日本語" * 5), cells=7) == [
        "日本語",
        "日本語",
        "日本語",
        "日本語",
        "日本語",
    ]


def test_lines_above_an_image_come_before_it_is_decoded():
    image = EmbeddedImage("image/png", "AAAA")
    calls = []

    def draw(requested):
        calls.append((requested, [line.text for batch in batches for line in batch]))
        return [DocumentLine("drawn", "text")]

    parts = [
        Part("text", "", "above"),
        Part("image", "image", "a png", image=image),
        Part("text", "", "below"),
    ]
    batches = []
    # not extend, because each batch must be in the list before the next one is requested
    for batch in document(parts, 40, draw):
        batches += [batch]
    assert calls == [(image, ["above", "", "─ image ", "a png"])]
    assert [line.text for line in batches[-1]] == ["drawn", "", "below"]
    assert "drawn" not in texts(*parts, cells=40)


def test_parts_have_headings_and_blank_lines_between_them():
    parts = [
        Part("thinking", "", "hm"),
        Part("text", "", "yes"),
        Part("tool_call", "bash", "ls"),
        Part("meta", "", "id: x"),
    ]
    assert texts(*parts, cells=40) == [
        "─ thinking ",
        "hm",
        "",
        "yes",
        "",
        "─ tool call: bash ",
        "ls",
        "",
        "id: x",
    ]


def test_lines_of_markdown_have_styles():
    text = "# Head\nplain\n> quote\n```py\n# code, no heading\n```\n## again"
    styles = [line.style for line in lines(Part("text", "", text), cells=40)]
    assert styles == ["heading", "text", "quote", "faint", "code", "faint", "heading"]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("use `x` and **y**", [("use ", "text"), ("`x`", "code"), (" and ", "text"), ("**y**", "bold")]),
        ("a ** b", [("a ** b", "text")]),
        ("``", [("``", "text")]),
        ("`open", [("`open", "text")]),
    ],
)
def test_inline_markup_has_styles(text, marked):
    assert mark_prose(text) == marked


@given(st.text(max_size=60))
def test_inline_markup_keeps_all_text(text):
    assert plain_text(mark_prose(text)) == text


def test_a_carriage_return_before_a_newline_is_not_shown():
    assert texts(Part("tool_result", "", "a\r\nb\r\n\r\nc\rd"), cells=20)[1:] == ["a", "b", "", "c␍d"]


@given(st.text(max_size=300), st.integers(4, 30))
@example("\r\n", 4)
def test_lines_fit_and_hold_the_whole_text(text, cells):
    wrapped = texts(Part("tool_result", "", text), cells=cells)[1:]
    assert all(width(line) <= cells for line in wrapped)
    assert not any("\n" in line or "\x1b" in line for line in wrapped)
    assert "".join("".join(wrapped).split()) == "".join(stable_width(inert(text)).split())


@given(
    st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs", "Cc")), max_size=100),
    st.integers(4, 30),
)
def test_wrapping_drops_only_blanks(text, cells):
    assert "".join("".join(wrap(text, cells)).split()) == "".join(text.split())


def test_a_huge_line_comes_in_batches_and_is_complete():
    batches = list(document([Part("tool_result", "", "y" * 3_000_000)], 100))
    assert len(batches) > 10
    assert (
        sum(len(line.text) for batch in batches for line in batch[0:] if set(line.text) <= {"y"}) == 3_000_000
    )
