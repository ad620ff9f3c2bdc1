"""The first frame as it is written: how a terminal shows it, and how many bytes it has to read."""

from __future__ import annotations

import re

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import cli, cli_options
from app.startup.first_frame import ansi
from app.view import STYLES, THEMES, ListModel, eight_bit, few_colours, ground_of, rgb, style_of
from app.view.frame import frame
from tests.cases import cases
from tests.factory import NOW, make_row

COLUMNS, LINES = 40, 4
SWITCHES = {"bold": "1", "italic": "3", "underline": "4", "reverse": "7"}
GROUNDS = ["background", "panel", "cursor", "cursor-idle", "border", "text"]
PIECES = st.tuples(
    st.sampled_from(["", " ", "   ", "a", "b c", "─│", " x "]),
    st.sampled_from(["text", "dim", "brand", "match", "quote", "link", "group"]),
    st.sampled_from(GROUNDS),
)
PICTURES = st.lists(st.lists(PIECES, max_size=8), max_size=LINES)


def with_full_styles(picture, theme, bits):
    """Return the picture with the complete style before every segment."""
    written = []
    for number, pieces in enumerate(picture, 1):
        written.append(f"\x1b[{number};1H")
        for text, style, ground in pieces:
            colour, attributes = style_of(style, theme)
            ground = ground_of(style, ground)
            few = ""
            if bits <= 4:
                attributes, few, _ = few_colours(attributes, colour, theme[ground], theme, sixteen=bits == 4)
            codes = ["0", *(SWITCHES[name] for name in attributes.split()), *filter(None, [few])]
            if bits == 24:
                codes += ["38;2;{};{};{}".format(*rgb(colour)), "48;2;{};{};{}".format(*rgb(theme[ground]))]
            elif bits == 8:
                codes += [f"38;5;{eight_bit(colour)}", f"48;5;{eight_bit(theme[ground])}"]
            written.append(f"\x1b[{';'.join(codes)}m{text}")
    return "".join(written) + "\x1b[0m"


def screen_after(written):
    """Return the content and style of each cell, and the state of the terminal afterwards."""
    screen = pyte.Screen(COLUMNS, LINES)
    # Styles that were on before must not show.
    pyte.Stream(screen).feed("\x1b[1;4;31;42m" + written)
    cells = [screen.buffer[y][x] for y in range(LINES) for x in range(COLUMNS)]
    looks = []
    for cell in cells:
        blank = cell.data == " " and not (cell.underscore or cell.reverse)
        look = (cell.fg, cell.bold, cell.italics)
        looks.append((cell.data, cell.bg, cell.underscore, cell.reverse, None if blank else look))
    after = screen.cursor.attrs
    return looks, (after.fg, after.bg, after.bold, after.underscore)


@pytest.mark.parametrize("bits", [24, 8, 4, 0])
@given(PICTURES)
def test_short_style_changes_look_like_complete_styles(bits, picture):
    theme = THEMES["dark"]
    assert screen_after(ansi(picture, theme, bits)) == screen_after(with_full_styles(picture, theme, bits))


@cases("theme", THEMES.values())
def test_without_colours_no_colour_is_written_and_the_cursor_is_visible(theme):
    picture = [[("a", style, ground) for style in STYLES] for ground in GROUNDS]
    codes = set(re.findall(r"\x1b\[([\d;]*)m", ansi(picture, theme, 0)))
    assert {code for code_part in codes for code in code_part.split(";")} <= {
        "0",
        "1",
        "22",
        "3",
        "23",
        "4",
        "24",
        "7",
        "27",
    }
    looks = {ground: few_colours("", theme["text"], theme[ground], theme, sixteen=True) for ground in GROUNDS}
    assert looks["background"] == looks["panel"] == ("", "39", "")
    assert looks["cursor"] == looks["border"] == looks["text"] == ("reverse", "39", "")
    assert looks["cursor-idle"] == ("underline", "39", "")


def test_sixteen_colours_are_the_terminals_own_and_stay_distinct_on_a_cursor():
    for theme in THEMES.values():
        for name in STYLES:
            colour, _ = style_of(name, theme)
            on = few_colours("bold", colour, theme["cursor"], theme, sixteen=True)
            assert on == ("bold reverse", "39", "")
            assert few_colours("", colour, theme["surface"], theme, sixteen=True)[1] in {
                *("39", "31", "32", "33", "34", "35", "36")
            }
    # The selected row, the command that Enter would run, and dimmed text behind a dialog.
    dark = THEMES["dark"]
    for ground in ("#455b89", "#31415f"):
        assert few_colours("", dark["text"], ground, dark, sixteen=False)[0] == "reverse"
    assert few_colours("", "#445566", "#1c2430", dark, sixteen=True) == ("", "39", "")


def test_no_style_is_written_twice():
    line = [("a", "dim", "background"), (" ", "text", "background"), ("", "name", "panel")]
    assert ansi([[*line, ("b", "dim", "background")], [("c", "age", "background")]], THEMES["dark"], 24) == (
        "\x1b[0m\x1b[1H\x1b[38;2;146;158;180;48;2;16;20;27ma b\x1b[2Hc\x1b[0m"
    )


def test_every_style_can_follow_every_other():
    for bits in (24, 4):
        line = [("x", style, "background") for first in STYLES for style in (first, "match", first, "quote")]
        for start in range(0, len(line), COLUMNS):
            part = [line[start : start + COLUMNS]]
            assert screen_after(ansi(part, THEMES["light"], bits)) == screen_after(
                with_full_styles(part, THEMES["light"], bits)
            )


@cases("query", [None, ""])
def test_the_first_rows_wait_behind_few_bytes(query):
    """A terminal gets at most 2,048 bytes at a time."""
    model = ListModel(("/work/app",), "/home/me")
    model.load(make_row(f"s{number}", cwd="/work/app", title=f"session {number}") for number in range(9))
    picture = frame(model, 120, 40, now_ms=NOW, here="/work/app", home="/home/me", query=query)
    written = ansi(picture, THEMES["dark"], 24).encode()
    assert 0 < written.index(b"session 3") < 2048
    # The spaces and borders of 4,800 cells, and little else.
    assert len(written) < 11_000


def test_common_keys_are_read_like_any_other():
    assert cli._options(["resume"]) == cli_options.parse(["resume"])
    assert cli._options([]) == cli_options.parse([])
