"""The selector in a real pseudo-terminal: the started agent and its arguments, the printed command, and
the state of the terminal afterwards.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from tests.factory import chain, message, write_session
from tests.pty.machine import COMMAND, planned, pointed, shown


def test_the_agent_gets_the_variables_that_found_the_store(machine, tmp_path):
    moved = tmp_path / "moved"
    path = write_session(
        moved / "sessions/--work--/2026_dddd-moved.jsonl",
        *chain("moved away", id="dddd-moved", cwd=str(machine.work)),
    )
    machine.env["PI_CODING_AGENT_DIR"] = str(moved)
    with machine.terminal("moved") as terminal:
        pointed(terminal, "moved away")
        planned(terminal, "dddd-moved")
        terminal.press("enter")
        terminal.wait_for_text("pi runs", 20)
    ran = machine.ran()
    assert ran["argv"][1:] == ["--session", str(path)]
    assert ran["env"]["PI_CODING_AGENT_DIR"] == str(moved)


def test_a_session_named_by_the_beginning_of_its_id_is_resumed_without_a_screen(machine):
    done = subprocess.run(
        [*COMMAND, "resume", "aaaa-log"],
        env=machine.env,
        cwd=str(machine.other),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "pi runs\n")
    ran = machine.ran()
    assert ran["argv"][1:] == ["--session", str(machine.login)]
    assert ran["cwd"] == str(machine.work)


def test_a_shell_can_capture_and_run_the_printed_command(machine):
    spaced = machine.folder / "it's a folder"
    spaced.mkdir()
    path = machine.session("eeee-odd", "odd folder", cwd=spaced)
    chosen = f"chosen=$({sys.executable} -m app resume --print odd)"
    script = f'{chosen}; status=$?; echo "status $status"; eval "$chosen"'
    with machine.terminal(command=["sh", "-c", script], cwd=spaced) as terminal:
        planned(terminal, "eeee-odd")
        terminal.press("enter")
        terminal.wait_for_text("pi runs", 20)
        assert terminal.wait() == 0
        assert terminal.shows("status 0")
    ran = machine.ran()
    assert ran["argv"][1:] == ["--session", str(path)]
    assert ran["cwd"] == str(spaced), "quoted for the shell"


def test_leaving_without_a_choice_prints_nothing(machine):
    script = f'chosen=$({sys.executable} -m app resume --print); echo "status $? [$chosen]"'
    with machine.terminal(command=["sh", "-c", script]) as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.press("escape")
        terminal.wait_for_text("status 130 []", 20)


def test_a_signal_during_a_question_keeps_the_session(machine):
    before = machine.files()
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.press("ctrl+d")
        terminal.wait_for_text('Trash "')
        terminal.signal(signal.SIGTERM)
        terminal.wait(30)
        assert terminal.leftovers() == []
    assert machine.files() == before


def test_a_missing_folder_is_shown_before_and_another_can_be_chosen(machine):
    machine.work.rename(machine.folder / "elsewhere")
    before = machine.login.read_bytes()
    with machine.terminal("login", cwd=machine.other) as terminal:
        terminal.wait_for_text("1 elsewhere does (Tab)", 30)
        terminal.press("tab")
        pointed(terminal, "fix the login")
        planned(terminal, "! Cannot resume: its folder is gone")
        terminal.press("enter")
        terminal.wait_for_text("f fork into another folder")
        terminal.press("f")
        terminal.wait_for_text("Folder of the new session")
        terminal.press("enter")
        terminal.wait_for_text("pi runs", 20)
        assert terminal.wait() == 0
    ran = machine.ran()
    fork = Path(ran["argv"][-1])
    assert ran["cwd"] == str(machine.other)
    assert fork != machine.login
    first = json.loads(fork.read_text().splitlines()[0])
    assert first["cwd"] == str(machine.other)
    assert first["parentSession"] == str(machine.login)
    assert machine.login.read_bytes() == before


def test_the_first_frame_equals_textuals_frame(machine):
    machine.warm()
    with machine.terminal() as terminal:
        terminal.wait_for_text("Esc leave")
        assert b"\x1b[?1000h" not in terminal.output, "Textual has not started when the rows are there"
        left = [line[:56] for line in terminal.lines]

        def cells():
            buffer = terminal.emulator.screen.buffer
            return [
                [(cell.data, cell.fg, cell.bg, cell.bold) for cell in (buffer[y][x] for x in range(56))]
                for y in range(38)
            ]

        first = cells()
        before = len(terminal.chunks)
        shown(terminal)
        terminal.settle()
        after = b"".join(chunk.data for chunk in terminal.chunks[before:])
        assert b"\x1b[2J" not in after
        assert b"\x1b[?1049h" not in after
        assert [line[:56] for line in terminal.lines[:38]] == left[:38]
        for row, (was, now) in enumerate(zip(first, cells(), strict=True)):
            if row == 1:  # the input line has its cursor now
                continue
            differing = [at for at in range(56) if was[at] != now[at] and was[at][0] != " "]
            assert differing == [], (row, [(was[at], now[at]) for at in differing][:3])


def before_textual(terminal):
    """Return the rows of the list in the frame that was written before Textual started."""
    terminal.wait_for_text("Esc clear")
    assert b"\x1b[?1000h" not in terminal.output
    below = takewhile(lambda line: not line.startswith("─"), terminal.lines[2:-2])
    return [line.partition("│")[0].strip(" ❯▃▅") for line in below]


@pytest.mark.parametrize(
    ("query", "drawn", "size"),
    [
        ("page", "write a man page", (80, 24)),
        ("early", "Searching for “early” …", (120, 40)),
        ("has:error", "Searching for “has:error” …", (80, 24)),
    ],
)
def test_the_first_frame_of_a_query_has_only_matching_rows(machine, query, drawn, size):
    machine.warm()
    with machine.terminal(query, size=size) as terminal:
        rows = [row for row in before_textual(terminal) if row and not row.startswith("title ")]
        assert rows[0].startswith(drawn)
        assert rows[1:] in ([], ["Esc clears the search."])
        assert query in terminal.lines[1]
        assert not terminal.shows(" of 2"), "which nobody knows yet"
        assert ("Enter resume" in terminal.lines[-1]) == (query == "page")
        left_out = {"page": "fix the login", "early": "write a man", "has:error": " pi "}[query]
        shown_before = []
        terminal.wait_for(lambda it: shown_before.append(it.shows(left_out)) or it.shows(" of 2"), 30)
        terminal.settle()
        assert not any(shown_before), "nor for a moment later"
        assert not terminal.shows(left_out)
        terminal.wait_for_text(
            {"page": "write a man", "early": "fix the login"}.get(query, "No session matches")
        )


def test_rows_of_an_invalid_query_come_with_its_error(machine):
    machine.warm()
    with machine.terminal("re:(") as terminal:
        assert before_textual(terminal)[1].startswith("Searching for “re:(” …")
        terminal.wait_for_text("not a regular expression", 30)
        pointed(terminal, "write a man page")
        terminal.wait_for_text("fix the login")


def test_letters_typed_before_textual_become_the_query(machine):
    machine.warm()
    with machine.terminal() as terminal:
        terminal.wait_for_text("Esc leave")
        terminal.send("login")
        terminal.wait_for_text("1 of 2", 30)
        pointed(terminal, "fix the login")
        terminal.wait_for(lambda it: "login" in it.lines[1])


def test_a_key_from_the_settings_works(machine):
    machine.settings('[keys]\n"session.rename" = "ctrl+e"\n"session.trash" = "ctrl+x"\n"no.such" = "f9"\n')
    with machine.terminal() as terminal:
        terminal.wait_for_text(
            "no command is called 'no.such'"
        )  # the message has the line alone for some seconds
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.wait_for(lambda it: "Ctrl+X trash" in it.lines[-1])
        terminal.press("ctrl+d")
        terminal.press("ctrl+r")
        terminal.settle()
        assert not terminal.shows('Trash "')
        terminal.press("ctrl+e")
        terminal.settle()
        terminal.send("Manual\r")
        terminal.wait_for_text("Manual")
        terminal.press("ctrl+x")
        terminal.wait_for_text('Trash "')
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows('Trash "'))
    last = json.loads(machine.page.read_text().splitlines()[-1])
    assert (last["type"], last["name"]) == ("session_info", "Manual")


def test_hostile_text_never_reaches_the_terminal(machine):
    hostile = "\x1b]52;c;aGk=\x07 \x1b[2J \x9b31m \u202eevil\u2066 \x1bP+q\x1b\\ [bold red]x[/] \n end"
    lines = [*chain(hostile, hostile, id="ffff-evil", cwd=str(machine.work))]
    lines.append(message("z", "00000002", "user", hostile, 900))
    lines.append({"type": "label", "id": "l", "parentId": "z", "targetId": "z", "label": hostile})
    lines.append({"type": "session_info", "id": "n", "parentId": "z", "name": hostile})
    path = machine.page.parent / "2026_ffff-evil.jsonl"
    write_session(path, *lines)
    with machine.terminal("evil", size=(160, 45)) as terminal:
        pointed(terminal, "evil")
        shown(terminal)
        terminal.wait_for_text("1 of 3", 30)
        terminal.wait_for_text("[bold red]x")  # markup is text
        terminal.press("ctrl+d")
        terminal.wait_for_text('Trash "')
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows('Trash "'))
        terminal.press("ctrl+r")
        terminal.settle()
        terminal.press("escape")
        terminal.settle()
        terminal.press("shift+tab", "D", "t")
        terminal.settle()
        written = terminal.output.decode("utf-8", "replace")
    for bad in ("\x1b]52", "\x1b[2J", "\x9b", "\u202e", "\u2066", "\x1bP"):
        assert bad not in written, bad


def test_without_a_terminal_it_prints_an_error(machine):
    done = subprocess.run(
        [*COMMAND, "resume"],
        env=machine.env,
        cwd=str(machine.work),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert re.fullmatch(r"[^\n]+\n", done.stderr)
