"""The whole program in a real pseudo-terminal: first frame, takeover, keys, resize, exit, signals and the
hand-over.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
from itertools import cycle
from pathlib import Path

import pytest

from app.stores import set_own_pin
from tests.factory import chain, write_session
from tests.prepared import prepared
from tests.pty.machine import leafmark
from tests.terminal import Terminal

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, "-m", "app"]
"""Starts the program. `leafmark` leaves out the imports, and so the time from the first frame to Textual."""
PATIENT_COMMAND = [
    sys.executable,
    "-c",
    "import sys, app.full_screen as screen; from app.cli import start; "
    "screen.FIRST_ROWS_SECONDS = 60; sys.exit(start())",
]
"""Starts the program, which waits for its first rows for as long as a busy machine takes to read them."""
ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT]
RECORDER = """
import json, os, signal, sys
with open({out!r}, "w") as file:
    json.dump(
        {{
            "argv": sys.argv,
            "cwd": os.getcwd(),
            "env": dict(os.environ),
            "pid": os.getpid(),
            "ignores": signal.getsignal(signal.SIGHUP) is signal.SIG_IGN,
        }},
        file,
    )
print("the agent runs")
sys.stdout.flush()
line = sys.stdin.readline()
print("it read:", line.strip())
"""


@pytest.fixture
def shell(shell):
    """A shell with a fake ``pi`` on PATH that writes down its arguments."""
    shell.add_program("pi", RECORDER.format(out=str(shell.folder / "ran.json")))
    return shell


def warm(env, cwd):
    prepared().run(["list"], env, str(cwd)).check_returncode()


def shown(terminal):
    """Whether the panes are filled: Textual has the screen and the tree is read."""
    terminal.wait_for_text("← leaf", 30)


def test_rows_are_shown_before_textual_and_stay_during_the_takeover(shell):
    _, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        written = terminal.output
        assert b"\x1b[?1049h" in written
        assert b"\x1b[?1000h" not in written, "Textual has not started when the rows are there"
        terminal.wait_for_text("? help")
        first = [line[:50] for line in terminal.lines[:20]]
        before = len(terminal.chunks)
        shown(terminal)
        after = b"".join(chunk.data for chunk in terminal.chunks[before:])
        assert b"\x1b[?1049h" not in after
        assert b"\x1b[2J" not in after
        assert [line[:50] for line in terminal.lines[:20]] == first


@pytest.mark.parametrize("known", [True, False])
def test_in_ascii_no_other_character_is_ever_written(shell, known):
    tmp_path, work, env = shell
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text("ascii = true\n")
    env["LEAFMARK_CONFIG_DIR"] = str(tmp_path / "config")
    if known:
        warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        terminal.wait_for_text("< leaf", 30)
        assert terminal.output.isascii()


@pytest.mark.parametrize(("known", "setting"), [(True, ""), (False, "ascii = false\n")])
def test_characters_that_the_encoding_lacks_are_never_written(shell, known, setting):
    tmp_path, work, env = shell
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text(setting)
    env |= {"LEAFMARK_CONFIG_DIR": str(tmp_path / "config"), "PYTHONIOENCODING": "latin-1"}
    lines = chain("naïve – 日本", "漢字 … é", id="cccc", cwd=str(work / "日本"))
    write_session(tmp_path / "home/.pi/agent/sessions/--x--/2026_cccc.jsonl", *lines)
    if known:
        warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("< leaf", 30)
        for written in (b"na\xefve - ????", b"????", b"===="):
            terminal.wait_for_bytes(written)
        terminal.wait_for(lambda it: "=+-" in it.lines[1])
        terminal.press("?")
        terminal.wait_for_text("Esc")
        assert b"\\u" not in terminal.output
        assert set(terminal.output) - set(range(128)) <= set(b"\xef\xe9\xb7\xd7")


def test_without_a_catalog_the_newest_rows_are_shown_before_textual(shell):
    _, work, env = shell
    with Terminal(PATIENT_COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        assert b"\x1b[?1000h" not in terminal.output, "Textual has not started when the rows are there"
        terminal.wait_for(lambda it: any("❯" in line and "man page" in line for line in it.lines))
        before = len(terminal.chunks)
        shown(terminal)
        after = [chunk.data for chunk in terminal.chunks[before:]]
        assert b"\x1b[2J" not in b"".join(after)
        terminal.wait_for_text("man page")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([], []),
        (["NO_COLOR=1"], []),
        (["NO_COLOR="], []),
        (["TERM=linux", "COLORTERM="], []),
        ([], ["--theme", "gruvbox"]),
    ],
)
def test_the_first_frame_has_the_colours_of_the_second(shell, said, words):
    _, work, env = shell
    warm(env, work)
    with Terminal(["env", *said, *COMMAND, *words], env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("? help")

        def cells(rows):
            buffer = terminal.emulator.screen.buffer
            return [
                [
                    (cell.data, cell.fg, cell.bg, cell.bold, cell.reverse)
                    for cell in (buffer[y][x] for x in range(50))
                ]
                for y in rows
            ]

        rows = [0, 1, 2, 3, 4, 5, 39]
        first = cells(rows)
        shown(terminal)
        terminal.settle()
        for row, was, now in zip(rows, first, cells(rows), strict=True):
            differing = [at for at in range(50) if was[at] != now[at] and was[at][0] != " "]
            assert differing == [], (row, [(was[at], now[at]) for at in differing][:3])


def test_an_unknown_theme_is_one_line_and_starts_nothing(shell):
    _, work, env = shell
    with Terminal([*COMMAND, "--theme", "nope"], env=env, cwd=str(work)) as terminal:
        assert terminal.wait() == 2
        assert b"there is no theme 'nope'; there are dark, light, high-contrast" in terminal.output
        assert b"\x1b" not in terminal.output


def test_without_sessions_the_first_frame_says_so(empty_shell):
    _, work, env = empty_shell
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for(lambda terminal: "? help" in terminal.lines[-1])
        assert b"\x1b[?1000h" not in terminal.output, "Textual has not started"
        assert any("No sessions found yet." in line for line in terminal.lines)
        assert "F6 try the examples" in terminal.lines[-1]
        assert "resume" not in terminal.lines[-1]


def test_pinned_sessions_are_first_before_textual(shell):
    _, work, env = shell
    warm(env, work)
    set_own_pin(env["LEAFMARK_STATE_DIR"], "pi", "aaaa", True)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("? help")
        assert b"\x1b[?1000h" not in terminal.output, "Textual has not started"
        first = list(terminal.lines[:7])
        assert "❯★ fix the login" in first[4]
        shown(terminal)
        assert [line[:50] for line in terminal.lines[:7]] == [line[:50] for line in first]


def test_keys_typed_before_textual_are_neither_echoed_nor_lost(shell):
    _, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        terminal.press("j")
        terminal.wait_for(lambda it: any("❯" in line and "man page" in line for line in it.lines), 30)
        assert not any("j" in line[50:] for line in terminal.lines[:2])
        terminal.press("q")
        assert terminal.wait() == 0


def test_enter_typed_before_the_first_frame_is_enter(shell):
    home, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        # The terminal still turns it into a line feed.
        terminal.send("\r")
        terminal.wait_for_text("the agent runs", 30)
        terminal.send("go on\r")
        assert terminal.wait() == 0
    assert "--session" in json.loads((home / "ran.json").read_text())["argv"]


def test_letters_typed_before_textual_right_after_the_filter_key_reach_the_filter(shell):
    _, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        terminal.send("/login")
        terminal.wait_for_text("1 of 2", 30)
        terminal.wait_for(lambda it: any("❯" in line and "fix the login" in line for line in it.lines))


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_quitting_restores_the_terminal(shell, key):
    _, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        shown(terminal)
        terminal.press(key)
        assert terminal.wait() == 0
        assert terminal.leftovers() == []


@pytest.mark.parametrize("number", ENDING)
def test_signals_restore_the_terminal(shell, number):
    _, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        shown(terminal)
        terminal.signal(number)
        assert terminal.wait() == 128 + number
        assert terminal.leftovers() == []


@pytest.mark.parametrize("number", ENDING)
@pytest.mark.slow
def test_a_signal_before_textual_restores_the_terminal(shell, number):
    _, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        terminal.signal(number)
        assert terminal.wait(30) == 128 + number
        assert terminal.leftovers() == []


# Each signal is sent at one of the moments.
@pytest.mark.parametrize(
    ("number", "written"),
    [*zip(ENDING, cycle([b"\x1b[?1000h", b"\x1b[?2004h", b"\x1b[38;2;"]), strict=False)],
)
@pytest.mark.slow
def test_a_signal_while_textual_starts_restores_the_terminal(shell, number, written):
    tmp_path, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        first = terminal.wait_for_bytes(b"\x1b[?1049h", 30) and len(terminal.chunks)
        terminal.wait_for_bytes(written, 30, after=first)
        terminal.signal(number)
        assert terminal.wait(30) == 128 + number
        assert terminal.leftovers() == []
    assert not (tmp_path / "state/crash.log").exists()


@pytest.mark.parametrize("until", [b"\x1b[?1049h", b"\x1b[?1000h"])
def test_a_closed_terminal_ends_it_without_an_error(shell, until):
    tmp_path, work, env = shell
    warm(env, work)
    master, slave = os.openpty()
    try:
        process = subprocess.Popen(
            COMMAND,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**env, "TERM": "xterm-256color"},
            cwd=work,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        written = b""
        while until not in written:
            written += os.read(master, 65_536)
    finally:
        os.close(master)
    try:
        assert process.wait(30) == 128 + signal.SIGHUP
    finally:
        process.kill()
    assert not (tmp_path / "state/crash.log").exists()


def test_resizing_arranges_the_panes_again(shell):
    _, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        shown(terminal)
        terminal.resize(60, 20)
        terminal.wait_for(lambda it: it.lines[0].startswith("━ Sessions") and "┬" not in it.lines[0])
        terminal.resize(160, 45)
        terminal.wait_for_text("← leaf")
        terminal.press("q")
        assert terminal.wait() == 0


def test_enter_becomes_the_agent_in_the_sessions_folder(shell):
    tmp_path, work, env = shell
    with leafmark(env=env, cwd=str(tmp_path)) as terminal:
        shown(terminal)
        path = tmp_path / "home/.pi/agent/sessions/--work--/2026_bbbb.jsonl"
        terminal.wait_for(lambda it: "pi --session" in it.dump())
        terminal.press("enter")
        terminal.wait_for_text("the agent runs", 20)
        assert terminal.leftovers() == [], "the agent gets a terminal as the shell left it"
        terminal.send("hello\n")
        terminal.wait_for_text("it read: hello")
        assert terminal.wait() == 0
    ran = json.loads((tmp_path / "ran.json").read_text())
    assert ran["argv"][1:] == ["--session", str(path)]
    assert ran["cwd"] == str(work)
    assert ran["pid"] == terminal.process.pid, "exec, not a child"
    assert not ran["ignores"]
    assert ran["env"]["HOME"] == env["HOME"]
    assert ran["env"]["PWD"] == str(work)
    assert not [name for name in ran["env"] if name.startswith("TEXTUAL")]


@pytest.mark.parametrize("named", [False, True])
def test_an_agent_under_nohup_ignores_the_hangup(shell, named):
    tmp_path, work, env = shell
    path = tmp_path / "home/.pi/agent/sessions/--work--/2026_bbbb.jsonl"
    words = ["resume", str(path)] if named else []
    patient = ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *COMMAND, *words]
    with Terminal(patient, env=env, cwd=str(work)) as terminal:
        if not named:
            shown(terminal)
            terminal.wait_for(lambda it: "pi --session" in it.dump())
            terminal.press("enter")
        terminal.wait_for_text("the agent runs", 20)
    assert json.loads((tmp_path / "ran.json").read_text())["ignores"]


def test_browsing_changes_no_file_of_the_stores(shell):
    tmp_path, work, env = shell

    def state():
        return {
            str(path): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path in sorted((tmp_path / "home").rglob("*"))
        }

    before = state()
    with leafmark(env=env, cwd=str(work)) as terminal:
        shown(terminal)
        terminal.press("j", "k", "t", "up", "v")
        # The raw view shows an entry of the conversation, which is read first.
        terminal.wait_for(lambda screen: screen.shows("zoomed") and screen.shows("← leaf  10:03"))
        terminal.press("r")
        terminal.wait_for_text('"role"')
        terminal.press("q", "1", "/")
        terminal.send("login")
        terminal.wait_for(lambda screen: not screen.shows("man page"))
        terminal.press("enter", "escape")
        # Escape and a key right after it would be read as Alt with that key: wait for the effect of Escape.
        terminal.wait_for_text("man page")
        terminal.press("?")
        terminal.wait_for_text("Resume the session")
        terminal.press("escape")
        terminal.wait_for(lambda screen: not screen.shows("Resume the session"))
        terminal.press("f2")
        terminal.wait_for_text("high contrast")
        terminal.press("escape")
        terminal.wait_for(lambda screen: not screen.shows("high contrast"))
        terminal.press("f5", "q")
        assert terminal.wait() == 0
    for words in (["list"], ["list", "--json"], ["tree", "aaaa"], ["doctor"]):
        prepared().run(words, env, str(work)).check_returncode()
    assert state() == before


def test_an_unnamed_terminal_gets_a_picture_of_its_width(shell):
    _, work, env = shell
    warm(env, work)
    screens = []
    for begin in ("exec env", "exec env -u TERM", "exec env TERM="):
        words = ["sh", "-c", f'{begin} "$@" >"$HOME/out"', "sh", *COMMAND]
        with Terminal(words, env=env, cwd=str(work), size=(100, 24)) as terminal:
            shown(terminal)
            terminal.settle()
            screens.append(terminal.lines)
            assert terminal.output.count(b"\x1b[?1049h") == 1
            terminal.press("q")
            assert terminal.wait() == 0
            assert terminal.leftovers() == []
    assert screens[0] == screens[1] == screens[2]


def test_without_a_terminal_it_prints_an_error():
    done = subprocess.run(
        COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "leafmark needs a terminal; `leafmark list` prints the sessions without one\n"


def test_the_smallest_terminals_do_not_crash(shell):
    _, work, env = shell
    for size in ((10, 3), (20, 6), (40, 8)):
        with leafmark(env=env, cwd=str(work), size=size) as terminal:
            terminal.wait_for_bytes(b"\x1b[?1000h", 30)
            terminal.settle()
            terminal.press("tab", "tab", "j", "q")
            assert terminal.wait() == 0
            assert terminal.leftovers() == []


@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("size", [(120, 40), (10, 3)])
@pytest.mark.slow
def test_a_signal_right_after_the_start_restores_the_terminal(shell, number, size):
    _, work, env = shell
    warm(env, work)
    with Terminal(COMMAND, env=env, cwd=str(work), size=size) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h", 30)
        terminal.signal(number)
        assert terminal.wait(30) == 128 + number
        assert terminal.leftovers() == []


def test_the_next_run_begins_where_the_last_one_ended(shell):
    _, work, env = shell
    warm(env, work)
    with leafmark(env=env, cwd=str(work)) as terminal:
        shown(terminal)
        [other] = [name for name in ("fix the login", "man page") if not pointed_at(terminal, name)]
        terminal.press("j", "t")
        terminal.wait_for_text("· tree ")
        terminal.press("q")
        assert terminal.wait() == 0
    with leafmark(env=env, cwd=str(work)) as terminal:
        terminal.wait_for(lambda it: pointed_at(it, other) and it.shows("· tree "))
        terminal.press("/")
        terminal.send(other)
        terminal.press("enter")
        terminal.wait_for(lambda it: it.shows("1 of "))
        terminal.press("q")
        assert terminal.wait() == 0
    with leafmark(env=env, cwd=str(work)) as terminal:
        terminal.wait_for(lambda it: it.shows("1 of ") and pointed_at(it, other))
    with leafmark(env=env, cwd="/") as terminal:
        terminal.wait_for_text("? help")
        terminal.settle()
        assert not terminal.shows("1 of ")


def pointed_at(terminal, text):
    """Whether the cursor of the list is on a row with a text."""
    return any("❯" in line[:3] and text in line[:60] for line in terminal.lines)
