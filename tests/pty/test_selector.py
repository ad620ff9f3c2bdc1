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

ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT]


def test_enter_becomes_the_agent_in_the_sessions_folder(machine):
    before = machine.files()
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        planned(terminal, "pi --session")
        terminal.press("enter")
        terminal.wait_for_text("pi runs", 20)
        assert terminal.wait() == 0
        assert terminal.leftovers() == [], "the program gets a terminal as the shell left it"
    ran = machine.ran()
    assert ran["argv"] == [str(machine.folder / "bin/pi"), "--session", str(machine.page)]
    assert ran["cwd"] == ran["env"]["PWD"] == str(machine.work)
    assert ran["pid"] == terminal.process.pid, "exec, not a child, and no shell"
    assert ran["env"]["HOME"] == str(machine.home)
    assert not [name for name in ran["env"] if name.startswith("TEXTUAL")]
    assert machine.files() == before, "nothing is written by looking"


def test_another_agents_session_is_resumed_by_that_agent_in_its_folder(machine):
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.press("tab")
        terminal.wait_for_text("dark mode please")
        terminal.send("dark")
        pointed(terminal, "dark mode please")
        planned(terminal, "omp ")
        terminal.press("enter")
        terminal.wait_for_text("omp runs", 20)
        assert terminal.wait() == 0
    ran = machine.ran("omp")
    assert ran["argv"][1:] == ["--resume", str(machine.omp)]
    assert ran["cwd"] == str(machine.other)
    assert machine.ran("pi") is None


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


def test_a_query_opens_the_selector_with_the_matches(machine):
    with machine.terminal("fix", "the", "login") as terminal:
        pointed(terminal, "fix the login")
        terminal.wait_for(lambda it: not it.shows("write a man page"), 30)
        terminal.wait_for_text("1 of 2")
        planned(terminal, "aaaa-login")
        terminal.press("enter")
        terminal.wait_for_text("pi runs", 20)
    assert machine.ran()["argv"][-1] == str(machine.login)


@pytest.mark.parametrize("by", ["path", "id", "beginning"])
def test_a_named_session_is_resumed_without_a_screen(machine, by):
    word = {"path": str(machine.login), "id": "aaaa-login", "beginning": "aaaa-log"}[by]
    done = subprocess.run(
        [*COMMAND, "resume", word],
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


def test_a_named_session_without_its_folder_is_not_resumed(machine):
    machine.work.rename(machine.folder / "elsewhere")
    done = subprocess.run(
        [*COMMAND, "resume", "aaaa-login"],
        env=machine.env,
        cwd=str(machine.other),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert f"{machine.work} is gone" in done.stderr
    assert f"pi --session {machine.login}" in done.stderr
    assert machine.ran() is None


def test_print_writes_the_command_and_runs_nothing(machine):
    with machine.terminal("--print", "login") as terminal:
        planned(terminal, "aaaa-login")
        terminal.press("enter")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
        assert f"cd {machine.work}" in terminal.dump()
    assert machine.ran() is None


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


def test_escape_clears_one_thing_at_a_time_and_leaves_a_clean_terminal(machine):
    before = machine.files()
    with machine.terminal("login") as terminal:
        pointed(terminal, "fix the login")
        shown(terminal)
        terminal.press("escape")
        terminal.wait_for_text("write a man page")
        terminal.settle()
        assert terminal.process.poll() is None
        terminal.press("escape")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
    assert machine.ran() is None
    assert machine.files() == before


# The browser is ended by each of the signals (`test_browser`); both screens have one handler.
@pytest.mark.parametrize("number", ENDING[:1])
def test_a_signal_restores_the_terminal(machine, number):
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.signal(number)
        terminal.wait(30)
        assert terminal.leftovers() == []
    assert machine.ran() is None


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
        planned(terminal, "! Cannot resume: folder gone")
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


@pytest.mark.parametrize("size", [(40, 12), (160, 45)])
def test_the_list_does_not_move_during_the_takeover(machine, size):
    machine.warm()
    with machine.terminal(size=size) as terminal:
        terminal.wait_for_text("write a man page"[:10])
        rows = {y: line.rstrip() for y, line in enumerate(terminal.lines) if "fix the l" in line}
        terminal.wait_for_bytes(b"\x1b[?1000h", 30)
        planned(terminal, "pi")
        terminal.settle()
        for y, line in rows.items():
            assert "fix the l" in terminal.lines[y], (line, terminal.dump())
        terminal.press("escape")
        assert terminal.wait() == 0


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
        rows = [row for row in before_textual(terminal) if row]
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
        assert before_textual(terminal)[0].startswith("Searching for “re:(” …")
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


@pytest.mark.parametrize("asks", [True, False])
def test_the_setting_decides_whether_trash_asks(machine, asks):
    machine.settings(f"ask_before_trash = {'true' if asks else 'false'}\n")
    content, times = machine.page.read_bytes(), machine.page.stat().st_mtime_ns
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.press("ctrl+d")
        if asks:
            terminal.wait_for_text('Trash "')
            assert machine.page.exists()
            terminal.press("enter")
        terminal.wait_for_text("Trashed")
        terminal.wait_for(lambda it: not it.shows("man page"))
        assert not machine.page.exists()
        [trashed] = (machine.folder / "data/Trash/files").iterdir()
        assert trashed.read_bytes() == content
        terminal.press("ctrl+_")
        terminal.wait_for_text("write a man page")
        assert (machine.page.read_bytes(), machine.page.stat().st_mtime_ns) == (content, times)
        terminal.press("escape")
        assert terminal.wait() == 0


def test_the_command_line_undoes_actions_of_the_selector(machine):
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.press("ctrl+d")
        terminal.wait_for_text('Trash "')
        terminal.press("enter")
        terminal.wait_for_text("Trashed")
        terminal.press("escape")
        assert terminal.wait() == 0
    assert not machine.page.exists()
    subprocess.run(
        [*COMMAND, "undo"], env=machine.env, cwd=str(machine.work), check=True, capture_output=True
    )
    assert machine.page.exists()


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


def test_pasted_text_is_one_line_of_the_query(machine):
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        # For Textual 8.2.8 an escape character within a paste ends it: the rest arrives as keys.
        terminal.send("\x1b[200~\nlogin\nthe\n\x1b[201~")
        terminal.wait_for_text("1 of 2", 30)
        pointed(terminal, "fix the login")
        terminal.send("\x1b[200~ \x07line\x1b[201~")
        terminal.wait_for_text("No session matches “login the ␇line”", 30)
    assert machine.ran() is None, "a newline that is pasted chooses nothing"


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
