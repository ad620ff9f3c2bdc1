"""Images as lines: their size, and half blocks of exact colours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.formats import inert
from app.view.image_lines import UPPER, Drawing, ImageLine, fit_size, half_blocks, problem_lines
from app.view.line import line_width
from app.view.terminal import BLOCKS, KITTY, NONE, image_method
from tests.cases import cases
from tests.pictures import BLUE, GREEN, RED, WHITE

SIDES = st.integers(1, 40_000)


def flat(*pixels: tuple[int, int, int]) -> bytes:
    return b"".join(map(bytes, pixels))


@cases(
    ("size", "room", "drawn"),
    [
        ((640, 400), (60, 80), (60, 38)),
        ((400, 640), (60, 32), (20, 32)),
        ((16, 16), (60, 80), (16, 16)),
        ((10_000, 1), (50, 80), (50, 1)),
        ((1, 10_000), (50, 80), (1, 80)),
        ((1, 1), (1, 1), (1, 1)),
    ],
)
def test_an_image_fills_its_room_and_is_never_enlarged(
    size: tuple[int, int], room: tuple[int, int], drawn: tuple[int, int]
) -> None:
    assert fit_size(*size, *room) == drawn


@given(SIDES, SIDES, st.integers(1, 300), st.integers(1, 80))
def test_an_image_fits_and_keeps_its_shape(width: int, height: int, across: int, down: int) -> None:
    x, y = fit_size(width, height, across, down)
    assert 1 <= x <= min(across, width)
    assert 1 <= y <= min(down, height)
    # to half a pixel, unless a side would be shorter than one pixel
    assert x == 1 or y == 1 or abs(x * height - y * width) <= (width + height) / 2 + 1


def test_two_rows_of_pixels_are_one_line() -> None:
    colours = flat(RED, GREEN, BLUE, WHITE)
    assert half_blocks(colours, 2, 0) == [(UPPER, "#ff0000 #0000ff"), (UPPER, "#00ff00 #ffffff")]


def test_cells_of_the_same_colours_are_one_piece() -> None:
    colours = flat(RED, RED, BLUE, GREEN, GREEN, GREEN)
    assert half_blocks(colours, 3, 0) == [(UPPER * 2, "#ff0000 #00ff00"), (UPPER, "#0000ff #00ff00")]


def test_the_last_of_an_odd_number_of_rows_has_no_lower_pixels() -> None:
    colours = flat(RED, RED, GREEN, GREEN, BLUE, WHITE)
    assert half_blocks(colours, 2, 1) == [(UPPER, "#0000ff"), (UPPER, "#ffffff")]


def test_a_line_is_blank_until_the_image_is_decoded() -> None:
    drawing = Drawing("", 2, 1, (2, 2))
    line = ImageLine(drawing, 0)
    assert not drawing.is_done
    assert line.spans_over("#000000") == []
    drawing.flat = {"#000000": flat(RED, RED, RED, RED), "#ffffff": flat(BLUE, BLUE, BLUE, BLUE)}
    assert drawing.is_done
    assert line.spans_over("#000000") == [(UPPER * 2, "#ff0000 #ff0000")]
    assert line.spans_over("#ffffff") == [(UPPER * 2, "#0000ff #0000ff")]
    assert line.text == ""


@given(st.text(max_size=90), st.integers(4, 30))
def test_the_reason_for_a_missing_image_is_inert_and_fits(reason: str, cells: int) -> None:
    for line in problem_lines(reason, cells):
        assert inert(line.text) == line.text
        assert line_width(line.spans) <= cells


@cases(
    ("env", "method"),
    [
        ({"TERM": "xterm-256color"}, BLOCKS),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, BLOCKS),
        ({"TERM": "xterm-direct"}, BLOCKS),
        ({"TERM": "xterm"}, NONE),
        ({"TERM": "linux"}, NONE),
        ({"TERM": "xterm-16color"}, NONE),
        ({}, NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, NONE),
        ({"TERM": "xterm-kitty"}, KITTY),
        ({"TERM": "xterm-ghostty"}, KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, KITTY),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, KITTY),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, NONE),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1", "TERM_PROGRAM": "vscode"}, BLOCKS),
        ({"TERM": "alacritty", "KITTY_WINDOW_ID": "1", "COLORTERM": "truecolor"}, BLOCKS),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, BLOCKS),
        ({"TERM": "screen-256color", "TERM_PROGRAM": "ghostty"}, BLOCKS),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux,1,0"}, BLOCKS),
        ({"TERM": "xterm-kitty", "STY": "1.pts"}, BLOCKS),
    ],
)
def test_the_environment_decides_how_images_are_drawn(env: dict[str, str], method: str) -> None:
    assert image_method("auto", env) == method
    assert image_method("auto", env, ascii_only=True) == NONE
    assert image_method("off", env) == NONE
    for forced in (BLOCKS, KITTY):
        assert image_method(forced, env) == (NONE if "NO_COLOR" in env else forced)
        assert image_method(forced, env, ascii_only=True) == NONE
