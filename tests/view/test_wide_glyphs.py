"""Output keeps its columns in terminals that give some glyphs different widths."""

from __future__ import annotations

import io
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from app.startup.driver import TerminalOutput
from app.startup.first_frame import ansi
from app.view import THEMES, Arrangement, ListModel, place_wide_glyphs
from app.view.cells import graphemes, max_piece_width, width
from app.view.frame import frame
from app.view.geometry import place
from tests.cases import cases
from tests.factory import NOW, make_row

SEQUENCE = re.compile(r"\x1b\[(?P<numbers>[?\d;]*)(?P<what>[A-Za-z])|(?P<char>.)", re.DOTALL)
HINDI = "क्षत्रिय नमस्ते दुनिया"
HANGUL = unicodedata.normalize("NFD", "한글 이름")
ODD = [
    HINDI,
    "நன்றி",
    "ខ្មែរ ភាសា",
    HANGUL,
    "👩\u200d👩\u200d👧",
    "🇫🇷",
    "👍🏽",
    "❤\ufe0f",
    "a\xadb",
    "\u0600 12",
]


def as_counted(text):
    return [(piece, cells) for piece, cells in graphemes(text)]


def as_most(text):
    return [(piece, max(cells, max_piece_width(piece))) for piece, cells in graphemes(text)]


def as_least(text):
    """The graphemes in a terminal that gives no cell to format characters."""
    return [
        (piece, 0 if unicodedata.category(piece[0]) == "Cf" else cells) for piece, cells in graphemes(text)
    ]


TERMINALS = [as_counted, as_most, as_least]


class Paper:
    """The cells of a terminal: each holds the grapheme that is drawn there."""

    def __init__(self, columns, lines, pieces_of):
        self.cells = [["#"] * columns for _ in range(lines)]
        self._pieces_of = pieces_of

    def write(self, data):
        x = y = 0
        text = ""
        for token in [*SEQUENCE.finditer(data), None]:
            if token is not None and token["char"] is not None:
                text += token["char"]
                continue
            for piece, cells in self._pieces_of(text):
                if not cells and 0 < x <= len(self.cells[y]):
                    self.cells[y][x - 1] += piece
                for column in range(x, x + cells):
                    if column < len(self.cells[y]):
                        self.cells[y][column] = piece if column == x else ""
                x += cells
            text = ""
            if token is not None and token["what"] == "H":
                y, x = (int(part) - 1 for part in (token["numbers"] + ";1").split(";")[:2])
            elif token is not None and token["what"] == "G":
                x = int(token["numbers"]) - 1

    def line(self, number):
        return self.cells[number]


def drawn(data, pieces_of, columns=40):
    paper = Paper(columns, 1, pieces_of)
    paper.write(data)
    return paper.line(0)


def frames(line):
    return [column for column, piece in enumerate(line) if piece[:1] == "│"]


@cases("pieces_of", TERMINALS)
@cases("odd", ODD)
def test_text_behind_a_wide_glyph_is_in_its_column(pieces_of, odd):
    cells = 30 - width(odd)
    text = f"\x1b[1;3H│\x1b[1m {odd}\x1b[0m\x1b[2m{' ' * cells}7d\x1b[0m│"
    line = drawn(place_wide_glyphs(text), pieces_of)
    assert frames(line) == [2, 36]
    assert "".join(line[34:36]) == "7d"
    # all cells of the line are written, and no others
    assert line[:2] == ["#"] * 2
    assert line[37:] == ["#"] * 3
    assert "#" not in line[2:37]
    # there is room for all letters
    assert "".join(line[3:34]).split() == odd.split()


@cases("pieces_of", TERMINALS)
def test_text_without_room_loses_its_end_and_touches_nothing_beyond(pieces_of):
    line = drawn(place_wide_glyphs(f"\x1b[1;1H{HINDI}\x1b[0m"), pieces_of, 20)
    assert line[width(HINDI) :] == ["#"] * (20 - width(HINDI))
    assert frames(drawn(place_wide_glyphs(f"\x1b[1;1H│{HINDI}│"), pieces_of)) == [0, width(HINDI) + 1]
    assert "".join(line).startswith("क्षत्रिय")


@cases("pieces_of", TERMINALS)
def test_a_highlighted_word_stays_in_its_text(pieces_of):
    line = drawn(place_wide_glyphs("\x1b[1;1H│ दु\x1b[7mनि\x1b[0mया दो   \x1b[1m ⑂2\x1b[0m│"), pieces_of)
    assert "".join(line[: line.index("⑂")]).rstrip() == "│ दुनिया दो"
    assert (line.index("⑂"), frames(line)) == (11, [0, 13])


def test_text_of_certain_width_is_not_changed():
    for text in ("plain", "\x1b[1;1H│ naïve 日本語 한글 ไทย é…\x1b[0m│", f"no place: {HINDI}"):
        assert place_wide_glyphs(text) == text


def test_sequences_of_other_kinds_stay_whole():
    for sequence in (f"\x1b]0;{HINDI}\x07", f"\x1b]8;;{HINDI}\x1b\\", "\x1b_Gi=1;AAAA\x1b\\", "\x1b[?2026h"):
        written = place_wide_glyphs(f"\x1b[1;1H{HINDI}  {sequence} {HINDI}  ")
        assert sequence in written
        assert written.count("G") - sequence.count("G") == 4


def test_the_output_of_the_screen_is_placed():
    file = io.StringIO()
    data = f"\x1b[1;1H│{HINDI}      │"
    TerminalOutput(file).write(data)
    assert file.getvalue() == place_wide_glyphs(data) != data


PARTS = st.sampled_from([*ODD, *"ab│─ ", "   ", "日本", "\x1b[0m", "\x1b[1m", "e\u0301"])


@given(st.lists(PARTS, max_size=12), st.sampled_from(TERMINALS))
def test_borders_are_in_their_columns_in_every_terminal(parts, pieces_of):
    text = "".join(parts)
    data = f"\x1b[1;2H│{text}\x1b[0m│"
    shown = re.sub(r"\x1b\[\dm", "", text)
    # a sequence splits a grapheme
    size = sum(width(part) for part in re.split(r"\x1b\[\dm", text))
    if size != width(shown):
        return
    line = drawn(place_wide_glyphs(data), pieces_of, 400)
    assert line[0] == "#"
    assert line[size + 2][0] == "│"
    assert line[size + 3 :] == ["#"] * (400 - size - 3)
    assert "#" not in line[1 : size + 3]
    assert len(frames(line)) == text.count("│") + 2


@cases("pieces_of", TERMINALS)
def test_the_borders_of_the_first_frame_are_in_their_columns(pieces_of):
    model = ListModel(("/work/app",), "/home/me", Arrangement(roomy=True))
    model.load(
        make_row(f"s{number}", cwd="/work/app", title=odd * 3, last_prompt=odd * 9)
        for number, odd in enumerate(ODD)
    )
    model.open_all(True)
    picture = frame(model, 120, 24, now_ms=NOW, here="/work/app", home="/home/me")
    paper = Paper(120, 24, pieces_of)
    paper.write(ansi(picture, THEMES["dark"], 24))
    column = place(120, 24).divider
    assert [line[column] for line in paper.cells[1:10]] == ["│"] * 9
    assert not any("#" in line for line in paper.cells)
