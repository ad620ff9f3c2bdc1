"""Images that the terminal draws: what it is told, and the cells in which it draws."""

from __future__ import annotations

import base64
import re
import unicodedata

import pytest
from rich.cells import cell_len

from app.view.cells import width
from app.view.image_lines import Drawing, ImageLine
from app.view.kitty import CHUNK, MARKS, MOST_CELLS, cells_of, forgetting, telling
from app.widgets.styling import strip

PIECE = re.compile("\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\\\")


def pieces(text: str) -> list[tuple[dict[str, str], str]]:
    """Every command in the text, its keys and its payload; nothing stands between them."""
    assert PIECE.sub("", text) == ""
    return [
        (dict(pair.split("=") for pair in keys.split(",")), payload) for keys, payload in PIECE.findall(text)
    ]


@pytest.mark.parametrize("size", [1, 3_000, CHUNK // 4 * 3, CHUNK // 4 * 3 + 1, 50_000])
def test_an_image_is_told_in_pieces_that_are_put_together_again(size: int) -> None:
    png = bytes(at * 7 % 256 for at in range(size))
    told = pieces(telling(33, png, 20, 9))
    assert base64.b64decode("".join(payload for _, payload in told)) == png
    assert all(len(payload) <= CHUNK for _, payload in told)
    assert all(len(payload) % 4 == 0 for _, payload in told[:-1])
    assert [keys.pop("m") for keys, _ in told] == ["1"] * (len(told) - 1) + ["0"]
    # a PNG, put on no place of the screen, to be drawn in so many cells; nothing is ever answered
    first = {"a": "T", "U": "1", "q": "2", "f": "100", "i": "33", "c": "20", "r": "9"}
    assert [keys for keys, _ in told] == [first, *[{"q": "2"}] * (len(told) - 1)]


def test_it_can_be_forgotten() -> None:
    assert pieces(forgetting(33)) == [({"a": "d", "d": "I", "q": "2", "i": "33"}, "")]


def test_the_marks_are_those_of_the_protocol() -> None:
    assert [f"{ord(mark):X}" for mark in MARKS[:6]] == ["305", "30D", "30E", "310", "312", "33D"]
    assert f"{ord(MARKS[255]):X}" == "A8E5"
    assert len(set(MARKS)) == MOST_CELLS == 268
    for mark in MARKS:
        assert unicodedata.combining(mark) == 230
        assert not unicodedata.decomposition(mark)


def test_each_cell_says_its_place_and_takes_one_cell() -> None:
    found = cells_of(2, 3)
    assert found == "".join("\U0010eeee\u030e" + column for column in "\u0305\u030d\u030e")
    assert width(found) == cell_len(found) == 3


def test_a_row_may_be_cut_anywhere() -> None:
    drawing = Drawing("", 5, 2, (50, 20), number=200)
    drawing.sent = "told"
    drawn = strip(ImageLine(drawing, 1).spans_over("#000000"), "dark", cells=8)
    assert drawn.cell_length == 8
    assert drawn.crop(1, 4).text == cells_of(1, 5)[3:12]
    [style] = {segment.style for segment in drawn if "\U0010eeee" in segment.text}
    assert style is not None
    assert style.color is not None
    assert style.color.number == 200
