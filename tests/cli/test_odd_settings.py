"""Unusable settings and variables: every command works, and `doctor` names the refused one."""

from __future__ import annotations

import json
import os

import pytest
from leafmark import SessionManager

from app.stores import discover
from tests.cases import cases
from tests.cli.conftest import ROOT
from tests.factory import chain, write_session
from tests.prepared import prepared

SURROGATE = '"\\ud800 odd"'
VALUES = {
    "a lone surrogate": SURROGATE,
    "a surrogate that stands for a byte": '"/odd/\\udcff"',
    "a NUL": '"/odd\\u0000/folder"',
    "100 kB": json.dumps("x" * 100_000),
    "100 kB of folders": json.dumps("x/" * 50_000),
    "a name of 300 bytes": json.dumps("x" * 300),
    "a number": "7",
    "a number of 5,000 digits": "9" * 5_000,
    "a list": '["/odd"]',
    "a table": '{"sessionDir": "/odd"}',
    "true": "true",
    "nested lists": "[" * 100_000,
    "nested tables": '{"a":' * 2_000 + "1" + "}" * 2_000,
    "a device": '"/dev/null"',
    "an escape sequence": '"\\u001b[31m\\n\\u202e"',
    "nothing": '""',
}
REFUSED = {
    "a lone surrogate": "sessionDir has half a character in it, which no path has",
    "a surrogate that stands for a byte": "sessionDir has half a character in it, which no path has",
    "a NUL": "sessionDir has a NUL in it, which no path has",
    "100 kB": "sessionDir is longer than any path",
    "100 kB of folders": "sessionDir is longer than any path",
    "a name of 300 bytes": "sessionDir is longer than any path",
    "a number": "sessionDir is not a path",
    "a list": "sessionDir is not a path",
    "a table": "sessionDir is not a path",
    "true": "sessionDir is not a path",
}
COMMANDS = (
    ["list"],
    ["list", "--json"],
    ["search", "question"],
    ["search", "in:all question"],
    ["tree", "session-1"],
    ["labels"],
    ["labels", "session-1"],
    ["doctor"],
    ["doctor", "--json"],
    ["index"],
    ["index", "--where"],
    ["index", "--verify"],
    ["index", "--rebuild"],
    ["resume", "session-1", "--print"],
    ["resume", "omp-1", "--print"],
    ["label", "session-1", "00000001", "here"],
    ["rename", "session-1", "a name"],
    ["branch", "session-1", "00000001"],
    ["fork", "session-1"],
    ["fork", "omp-1"],
    ["trash", "session-1"],
    ["trash", "--list"],
    ["restore", "session-1"],
    ["trash", "omp-1"],
    ["restore", "omp-1"],
    ["undo"],
)


FEW = (
    ["list"],
    ["search", "question"],
    ["tree", "session-1"],
    ["doctor"],
    ["resume", "omp-1", "--print"],
    ["rename", "session-1", "a name"],
    ["trash", "omp-1"],
    ["restore", "omp-1"],
)
"""Commands that read every file and write each kind: for values that one function reads."""


@pytest.fixture
def sessions(home):
    """A session of pi and one of oh-my-pi, at their default places."""
    write_session(
        home / ".omp/agent/sessions/-work/2026_omp-1.jsonl",
        {"type": "title", "v": 1, "title": "omp", "updatedAt": "2026-01-01T00:00:00Z", "pad": " " * 170},
        *chain("question", "answer", id="omp-1"),
    )
    return write_session(
        home / ".pi/agent/sessions/--work--/2026_session-1.jsonl",
        *chain("question", "answer", id="session-1"),
    )


def commands_work(run, commands=COMMANDS):
    for words in commands:
        done = run(*words)
        assert done.code in (0, 1), (words, done)
        assert "\0" not in done.out + done.err
        assert "Traceback" not in done.err
        assert not [line for line in done.err.splitlines() if len(line) > 5_000], words
        assert "\x1b" not in done.out + done.err
    assert run("list").code == 0


def settings_files(home, tmp_path):
    return {
        "project": tmp_path / ".pi/settings.json",
        "home": home / ".pi/agent/settings.json",
    }


# The next test has the refused values: after them, every command has the stores of one without a setting.
@pytest.mark.parametrize(
    ("level", "value"),
    [("project", "a NUL"), ("home", "nested lists")]
    + [("project", value) for value in VALUES if value not in REFUSED],
)
def test_every_command_works_with_an_odd_session_folder(run, home, sessions, tmp_path, level, value):
    file = settings_files(home, tmp_path)[level]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'{{"sessionDir": {VALUES[value]}}}')
    commands_work(run, COMMANDS if level == "home" else FEW)


@pytest.mark.parametrize("value", REFUSED)
@pytest.mark.parametrize("level", ["project", "home"])
def test_doctor_names_the_refused_setting(run, home, sessions, tmp_path, level, value):
    file = settings_files(home, tmp_path)[level]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'{{"sessionDir": {VALUES[value]}}}')
    stores = json.loads(run("doctor", "--json").out)["stores"]
    assert [note for store in stores for note in store["notes"]] == [f"{file}: {REFUSED[value]}"]
    assert f"note: {file}: {REFUSED[value]}" in run("doctor").out
    # the agent's default folder is used instead
    assert not [store for store in stores if store["source"].startswith("settings")]


VARIABLES = (
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "PI_CONFIG_DIR",
    "OMP_PROFILE",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "INDUSAGI_AGENT_DIR",
    "INDUSAGI_DIR",
    "INDUSAGI_HOME",
)


ODD_TEXTS = (os.fsdecode(b"\xff\xfe"), "x" * 100_000, "~/\x1b[31m\n", "x" * 300)


# Each variable is tried with one of the values, and the folder of sessions with all of them.
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *((variable, ODD_TEXTS[number % 4]) for number, variable in enumerate(VARIABLES)),
        *(("PI_CODING_AGENT_SESSION_DIR", text) for text in ODD_TEXTS if text is not ODD_TEXTS[1]),
    ],
)
def test_every_command_works_with_an_odd_variable(run, sessions, monkeypatch, tmp_path, variable, value):
    if variable.startswith("XDG_"):
        value = f"{tmp_path}/{value}"
    # the variable also moves leafmark's state and the trash, which cannot be written there
    if variable in ("XDG_DATA_HOME", "XDG_STATE_HOME") and len(value) > 200:
        monkeypatch.setenv(variable, value)
        for words in (["list"], ["doctor"], ["search", "question"], ["trash", "--list"], ["undo"]):
            assert run(*words).code in (0, 1, 3), words
        return
    monkeypatch.setenv(variable, value)
    commands_work(run, COMMANDS if variable == "PI_CODING_AGENT_SESSION_DIR" else FEW)


@cases("variable", [name for name in VARIABLES if name not in ("OMP_PROFILE",)])
@cases(
    ("value", "why"),
    [
        ("/odd/\ud800", "has half a character in it, which no path has"),
        ("/odd/a\0b", "has a NUL in it, which no path has"),
        ("/" + "x" * 100_000, "is longer than any path"),
    ],
)
def test_a_variable_with_an_impossible_path_is_noted_and_ignored(tmp_path, variable, value, why):
    home = str(tmp_path / "home")
    stores = discover({variable: value}, home, str(tmp_path))
    usual = discover({}, home, str(tmp_path))
    assert [store.root for store in stores] == [store.root for store in usual]
    assert [store.environment for store in stores] == [store.environment for store in usual]
    notes = [note for store in stores for note in store.notes]
    assert set(notes) == {f"${variable} {why}"}


@cases("value", ["/odd/\ud800", "/odd/a\0b", "/" + "x" * 100_000])
def test_the_library_ignores_such_a_variable(tmp_path, value):
    env = {"HOME": str(tmp_path), "PI_CODING_AGENT_SESSION_DIR": value, "PI_CODING_AGENT_DIR": value}
    for agent in ("pi", "omp"):
        manager = SessionManager.create(str(tmp_path), env=env, agent=agent)
        assert manager.session_file.startswith(str(tmp_path / f".{agent}"))


@pytest.mark.parametrize("text", [b"/work\0odd", b"/work\xff\xfe", b"x" * 16_000, b"\xed\xa0\x80"])
def test_an_odd_terminal_note_of_omp_is_ignored(run, home, sessions, tmp_path, monkeypatch, text):
    notes = home / ".omp/agent/terminal-sessions"
    notes.mkdir(parents=True)
    (notes / "tmux-%1").write_bytes(text + b"\n" + text + b"\n")
    monkeypatch.setenv("TMUX_PANE", "%1")
    manager = SessionManager.continue_recent(
        str(tmp_path), env={"HOME": str(home), "TMUX_PANE": "%1"}, agent="omp"
    )
    assert manager.session_id != "omp-1"
    commands_work(run, FEW)


@pytest.mark.parametrize(
    "cwd", ["/work/\ud800", "/work/\ud83d\ude00\udcff", "x" * 100_000, "relative", "/dev/null", "/work\n"]
)
def test_every_command_works_with_an_odd_folder_in_a_header(run, home, tmp_path, cwd):
    folder = home / ".pi/agent/sessions/--work--"
    folder.mkdir(parents=True)
    path = write_session(
        folder / "2026_session-1.jsonl", *chain("question", "answer", id="session-1", cwd="CWD")
    )
    path.write_text(path.read_text().replace('"CWD"', json.dumps(cwd)))
    for words in COMMANDS if cwd == "/work/\ud800" else FEW:
        done = run(*words)
        assert done.code in (0, 1, 3), (words, done)
        assert "Traceback" not in done.err
        assert len(done.err.splitlines()) <= 4, words


@cases("ends_in", [b"\xff\xfe", b"\xed\xa0\x80"])
def test_every_command_works_in_a_home_with_an_undecodable_name(tmp_path, ends_in):
    home = os.fsencode(tmp_path) + b"/home" + ends_in
    os.makedirs(home + b"/.pi/agent/sessions/--work--")
    lines = chain("question", "answer", id="session-1")
    with open(home + b"/.pi/agent/sessions/--work--/2026_session-1.jsonl", "w") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
    for words in (
        ["list"],
        ["doctor"],
        ["search", "question"],
        ["trash", "session-1"],
        ["trash", "--list"],
        ["undo"],
    ):
        done = prepared().run(
            words,
            {"HOME": os.fsdecode(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            os.fsdecode(home),
        )
        assert (done.returncode, done.stderr) == (0, b""), words


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(
            ("LEAFMARK_STATE_DIR", value)
            for value in (b"\xff\xfe", b"x" * 100_000, b"x" * 300, b"\x1b[31m\n", b"a file")
        ),
        ("LEAFMARK_CACHE_DIR", b"x" * 300),
        ("LEAFMARK_CACHE_DIR", b"a file"),
        ("LEAFMARK_CONFIG_DIR", b"\xff\xfe"),
        ("LEAFMARK_CONFIG_DIR", b"a file"),
        ("PWD", b"\x1b[31m\n"),
        ("HOME", b"x" * 100_000),
        ("HOME", b"\xff\xfe"),
    ],
)
def test_every_command_ends_orderly_with_an_odd_folder_of_its_own(
    run, sessions, tmp_path, monkeypatch, variable, value
):
    (tmp_path / "a file").touch()
    monkeypatch.setenv(variable, f"{tmp_path}/{os.fsdecode(value)}")
    for words in COMMANDS if value == b"\xff\xfe" else FEW:
        done = run(*words)
        assert done.code in (0, 1, 3), (words, done)
        assert "Traceback" not in done.err
        assert "\x1b" not in done.out + done.err
        assert len(done.err.splitlines()) <= 4, words


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"\0",
        b'keys = "\\ud800"',
        b"ascii = 7\nkeys = 7\nimages = []\nsummary_command = [1]",
        b"x=[" * 9_999,
    ],
)
def test_commands_work_with_an_odd_settings_file(run, home, sessions, content):
    (home / ".config/leafmark").mkdir(parents=True)
    (home / ".config/leafmark/config.toml").write_bytes(content)
    commands_work(run, FEW)


@pytest.mark.parametrize(
    "content", [b"\xff", b'["\\ud800", 7, null]', b'{"pinned": ["\\ud800/\\u0000"]}', b"[" * 99_999]
)
def test_commands_work_with_odd_pins(run, home, sessions, content):
    (home / ".omp/agent/session-pins.json").write_bytes(content)
    commands_work(run, FEW)
