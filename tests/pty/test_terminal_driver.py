"""Test `tests/terminal.py` with tiny programs."""

from __future__ import annotations

import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.terminal import Emulator, Terminal, key_bytes

if TYPE_CHECKING:
    from pathlib import Path

RAW = """
import os, sys, termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\\x1b[?1049h\\x1b[?25l\\x1b[?1003h\\x1b[?2004h\\x1b[>1uready")
"""
RESTORE = """
os.write(1, b"\\x1b[<u\\x1b[?2004l\\x1b[?1003l\\x1b[?25h\\x1b[?1049l")
termios.tcsetattr(0, termios.TCSADRAIN, before)
"""


def run(code: str, **options: object) -> Terminal:
    return Terminal([sys.executable, "-c", code], **options)  # type: ignore[arg-type]


def test_half_of_a_wide_character_is_a_blank() -> None:
    emulator = Emulator(6, 1)
    emulator.feed("日本x".encode())
    assert emulator.display == ["日本x "]
    emulator.feed(b"\x1b[1;1Ha")
    assert emulator.display == ["a 本x "]


def test_shows_what_was_printed_and_when() -> None:
    with run("import time; print('one', flush=True); input(); print('two')", size=(40, 5)) as terminal:
        first = terminal.wait_for_text("one")
        sent = terminal.press("enter")
        second = terminal.wait_for_text("two")
        assert terminal.wait() == 0
        assert terminal.started < first < sent < second < time.perf_counter()
        assert terminal.lines[0] == "one".ljust(40)
        assert len(terminal.lines) == 5


def test_output_before_the_application_is_emulated_separately() -> None:
    with run(
        r"import os; os.write(1, b'\x1b[Hfirst\x1b[?1000h\x1b[Hthen '); input()", size=(40, 5)
    ) as terminal:
        terminal.wait_for_text("first")
        assert b"\x1b[?1000h" not in terminal.output
        terminal.wait_for_text("then")
        assert b"\x1b[?1000h" in terminal.output


def test_exit_status_and_signals() -> None:
    with run("raise SystemExit(7)") as terminal:
        assert terminal.wait() == 7
    with run("print('up', flush=True); input()") as terminal:
        terminal.wait_for_text("up")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == -signal.SIGTERM


def test_the_program_has_a_controlling_terminal() -> None:
    with run(
        "import os; print('tty', os.ttyname(0) == os.ttyname(1), open('/dev/tty').isatty())"
    ) as terminal:
        terminal.wait_for_text("tty True True")
    # Python's own handler only notes the signal, and a read that begins right after it would not end.
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); print('up', flush=True); input()"
    with run(code) as terminal:
        terminal.wait_for_text("up")
        terminal.press("ctrl+c")
        assert terminal.wait() == -signal.SIGINT


def test_resize_reaches_the_program() -> None:
    code = (
        "import os, signal\n"
        # Not print(): the signal may arrive while the print below still holds the buffer.
        "size = lambda *_: os.write(1, f'{tuple(os.get_terminal_size())}\\n'.encode())\n"
        "signal.signal(signal.SIGWINCH, size)\n"
        "print(tuple(os.get_terminal_size()), flush=True)\n"
        "os.read(0, 1)\n"
    )
    with run(code, size=(100, 30)) as terminal:
        terminal.wait_for_text("(100, 30)")
        terminal.resize(80, 24)
        terminal.wait_for_text("(80, 24)")
        assert [len(terminal.lines), len(terminal.lines[0])] == [24, 80]


def test_a_program_that_cleans_up_leaves_nothing() -> None:
    with run(RAW + "os.read(0, 1)" + RESTORE) as terminal:
        terminal.wait_for_text("ready")
        assert terminal.emulator.alternate
        terminal.press("a")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
        assert not terminal.shows("ready")


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


def test_typed_keys_are_echoed_only_by_a_terminal_that_echoes() -> None:
    with run("print('up', flush=True); input(); input()") as terminal:
        terminal.wait_for_text("up")
        terminal.send("xyzzy")
        terminal.wait_for_text("xyzzy")
    with run(RAW + "os.read(0, 5); os.write(1, b' done'); os.read(0, 1)") as terminal:
        terminal.wait_for_text("ready")
        terminal.send("xyzzy")
        terminal.wait_for_text("done")
        assert not terminal.shows("xyzzy")


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


def test_a_timeout_message_contains_the_screen() -> None:
    with run("print('something else', flush=True); input()") as terminal:
        terminal.wait_for_text("something")
        with pytest.raises(TimeoutError, match="something else"):
            terminal.wait_for_text("never", timeout=0.05)
    with run("print('gone')") as terminal, pytest.raises(EOFError, match="gone"):
        terminal.wait_for_text("never")


def test_the_program_gets_the_environment_and_folder(tmp_path: Path) -> None:
    code = "import os; print(sorted(set(os.environ) & {'A', 'HOME', 'COLUMNS', 'TERM'}), os.getcwd())"
    with run(code, env={"A": "1", "COLUMNS": "7"}, cwd=str(tmp_path), size=(200, 5)) as terminal:
        terminal.wait_for_text(f"['A', 'TERM'] {tmp_path}")


def test_closing_ends_the_program() -> None:
    with run("print('up', flush=True); input()") as terminal:
        terminal.wait_for_text("up")
    assert terminal.process.returncode == -signal.SIGKILL


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


def test_keys() -> None:
    assert [key_bytes(key) for key in ("q", "ctrl+q", "alt+x", "down", "é")] == [
        b"q",
        b"\x11",
        b"\x1bx",
        b"\x1b[B",
        "é".encode(),
    ]
    with pytest.raises(ValueError, match="hyper"):
        key_bytes("hyper+q")


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


def test_without_a_request_the_mouse_is_not_reported() -> None:
    with run("print('up', flush=True); input()") as terminal:
        terminal.wait_for_text("up")
        with pytest.raises(RuntimeError, match="does not want"):
            terminal.click(0, 0)
        with pytest.raises(LookupError, match="down"):
            terminal.find("down")
