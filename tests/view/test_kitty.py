"""Images that the terminal draws: its commands, and the cells of the images."""

from __future__ import annotations

import base64
import re
import unicodedata

from rich.cells import cell_len

from app.view.cells import width
from app.view.image_lines import (
    CHUNK,
    MARKS,
    MOST_CELLS,
    delete_command,
    placeholder_cells,
    transmit,
)
from tests.cases import cases

PIECE = re.compile("\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\\\")


def pieces(text: str) -> list[tuple[dict[str, str], str]]:
    """The keys and the payload of every command in a text, which has nothing else."""
    assert PIECE.sub("", text) == ""
    return [
        (dict(pair.split("=") for pair in keys.split(",")), payload) for keys, payload in PIECE.findall(text)
    ]


@cases("size", [1, 3_000, CHUNK // 4 * 3, CHUNK // 4 * 3 + 1, 50_000])
def test_an_image_is_sent_in_pieces(size: int) -> None:
    png = bytes(number * 7 % 256 for number in range(size))
    commands = pieces(transmit(33, png, 20, 9))
    assert base64.b64decode("".join(payload for _, payload in commands)) == png
    assert all(len(payload) <= CHUNK for _, payload in commands)
    assert all(len(payload) % 4 == 0 for _, payload in commands[:-1])
    assert [keys.pop("m") for keys, _ in commands] == ["1"] * (len(commands) - 1) + ["0"]
    # a PNG without a position on the screen, drawn in this many cells, without an answer
    first = {"a": "T", "U": "1", "q": "2", "f": "100", "i": "33", "c": "20", "r": "9"}
    assert [keys for keys, _ in commands] == [first, *[{"q": "2"}] * (len(commands) - 1)]


def test_an_image_can_be_deleted() -> None:
    assert pieces(delete_command(33)) == [({"a": "d", "d": "I", "q": "2", "i": "33"}, "")]


def test_the_marks_are_those_of_the_protocol() -> None:
    assert [f"{ord(mark):X}" for mark in MARKS[:6]] == ["305", "30D", "30E", "310", "312", "33D"]
    assert f"{ord(MARKS[255]):X}" == "A8E5"
    assert len(set(MARKS)) == MOST_CELLS == 268
    for mark in MARKS:
        assert unicodedata.combining(mark) == 230
        assert not unicodedata.decomposition(mark)


def test_each_placeholder_names_its_place_and_takes_one_cell() -> None:
    cells = placeholder_cells(2, 3)
    assert cells == "".join("\U0010eeee\u030e" + column for column in "\u0305\u030d\u030e")
    assert width(cells) == cell_len(cells) == 3
