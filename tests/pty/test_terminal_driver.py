"""Test `tests/terminal.py` with tiny programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.terminal import Emulator, Terminal

if TYPE_CHECKING:
    pass

RAW = """
import os, sys, termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\\x1b[?1049h\\x1b[?25l\\x1b[?1003h\\x1b[?2004h\\x1b[>1uready")
"""


def run(code: str, **options: object) -> Terminal:
    return Terminal([sys.executable, "-c", code], **options)  # type: ignore[arg-type]


def test_half_of_a_wide_character_is_a_blank() -> None:
    emulator = Emulator(6, 1)
    emulator.feed("日本x".encode())
    assert emulator.display == ["日本x "]
    emulator.feed(b"\x1b[1;1Ha")
    assert emulator.display == ["a 本x "]


def test_a_program_that_does_not_clean_up_is_detected() -> None:
    with run(RAW + "os.read(0, 1)") as terminal:
        terminal.wait_for_text("ready")
        terminal.press("a")
        terminal.wait()
        assert terminal.leftovers() == [
            "mode 1003: mouse",
            "bracketed paste",
            "alternate screen",
            "cursor hidden",
            "keyboard protocol",
            "echo off",
            "line mode off",
            "signals off",
        ]


def test_questions_are_answered_only_on_request() -> None:
    ask = RAW + (
        "import select\n"
        "os.write(1, b'\\x1b[c')\n"
        "got = os.read(0, 20) if select.select([0], [], [], float(sys.argv[1]))[0] else b''\n"
        "os.write(1, b' got %d' % len(got))\n"
    )
    for answers, patience, expected in ((False, "0.2", " got 0"), (True, "5", " got 9")):
        with Terminal([sys.executable, "-c", ask, patience], answers=answers) as terminal:
            terminal.wait_for_text(expected)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_sequences_may_be_cut_anywhere(step: int) -> None:
    questions = "\x1bP=1s\x1b\\日\x1b[?2026$p\x1b[?6n\x1b[?u\x1b[6n"
    data = f"a\x1b[?1049hé{questions}\x1b[>1u\x1b[?25;1000hb\x1b]0;t\x07\x1b[31mc".encode()
    emulator = Emulator(20, 2)
    for start in range(0, len(data), step):
        emulator.feed(data[start : start + step])
    assert emulator.screen.display[0].split() == ["é日bc"]
    assert emulator.alternate
    assert emulator.keyboard_depth == 1
    assert emulator.modes == {1049: True, 25: True, 1000: True}
    emulator.feed(b"\x1b[?1049l")
    assert emulator.screen.display[0].split() == ["a"]


def test_several_questions_are_answered_in_their_order() -> None:
    ask = RAW + (
        "os.write(1, b'\\x1b]11;?\\x07\\x1b[5n')\n"
        "got = b''\n"
        "while b'n' not in got: got += os.read(0, 100)\n"
        "os.write(1, b' got ' + got.replace(b'\\x1b', b'ESC').replace(b'\\x07', b'BEL'))\n"
    )
    with run(ask, answers=True) as terminal:
        terminal.wait_for_text("got ESC]11;rgb:1e1e/1e1e/1e1eBELESC[0n")


def test_without_colour_the_next_question_is_unanswered_as_well() -> None:
    ask = RAW + (
        "os.write(1, b'\\x1b]11;?\\x07\\x1b[5n')\n"
        "os.write(1, b'ready\\x1b[c\\x1b[5n')\n"
        "got = b''\n"
        "while b'n' not in got: got += os.read(0, 100)\n"
        "os.write(1, b' got ' + got.replace(b'\\x1b', b'ESC'))\n"
    )
    with run(ask, answers=True, colour=False) as terminal:
        terminal.wait_for_text("got ESC[?62;22cESC[0n")


def test_the_mouse_is_reported_in_the_requested_mode() -> None:
    ask = RAW + (
        "os.write(1, b'\\x1b[?1000h\\x1b[?1006h go')\n"
        "got = b''\n"
        "while b'<64' not in got: got += os.read(0, 100)\n"
        "os.write(1, b' got ' + got.replace(b'\\x1b', b'E'))\n"
    )
    with run(ask, size=(80, 5)) as terminal:
        terminal.wait_for_text("ready go")
        column, row = terminal.find("go")
        terminal.click(column, row, times=2)
        terminal.wheel(0, 4, 1)
        terminal.wheel(0, 4, -1)
        once = "E[<0;7;1ME[<0;7;1m"
        terminal.wait_for_text(f"got {once * 2}E[<65;1;5ME[<64;1;5M")
