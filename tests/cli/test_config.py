"""``leafmark config``: the path of the settings file, making it, checking it, editing it."""

from __future__ import annotations

import sys

import pytest

from app.commands import COMMANDS
from app.settings import SETTINGS


@pytest.fixture
def file(home):
    return home / ".config/leafmark/config.toml"


def test_the_file_is_made_once_with_every_setting_as_a_comment(run, file):
    assert run("config", "--path").out == run("config").out == f"{file}\n"
    assert (
        run("config", "--check").out == "~/.config/leafmark/config.toml: not there; the defaults are used\n"
    )
    assert run("config", "--init").code == 0
    text = file.read_text()
    assert all(setting.name in text and setting.help in text for setting in SETTINGS)
    assert all(line.startswith("#") for line in text.splitlines() if line)
    assert run("config", "--check").out == "~/.config/leafmark/config.toml: no problems\n"
    file.write_text("ascii = true\n")
    again = run("config", "--init")
    assert (again.code, again.err) == (3, f"leafmark: {file}: is there already, and is kept\n")
    assert file.read_text() == "ascii = true\n"


def test_the_examples_of_the_made_file_are_valid(run, file):
    run("config", "--init")
    uncommented = [f"{setting.example}\n" for setting in SETTINGS]
    file.write_text("".join(uncommented))
    assert run("config", "--check").code == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ascii = 3", "ascii: must be true or false"),
        ("ascii = true\nshow_size =", "is not TOML (line 2): invalid value; the defaults are used"),
        (f"ascii = {'9' * 5_000}", "is not TOML: a number has too many digits; the defaults are used"),
        ("a = 1\n= 2", "is not TOML (line 2): invalid statement; the defaults are used"),
        ('[keys]\n"session.fork" = "p"', "keys: session.fork: p stays the key of session.pin"),
        ('[keys]\n"no.command" = "p"', "keys: no command is called 'no.command'"),
    ],
)
def test_a_wrong_setting_and_a_clash_of_keys_are_reported(run, file, text, problem):
    file.parent.mkdir(parents=True)
    file.write_text(text)
    keys = {command.id: command.keys for command in COMMANDS}
    done = run("config", "--check")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert problem in done.err
    assert {command.id: command.keys for command in COMMANDS} == keys


def test_the_file_is_edited_and_checked(run, file, tmp_path, monkeypatch):
    editor = tmp_path / "editor.py"
    editor.write_text("import sys\nopen(sys.argv[1], 'a').write('ascii = 3\\n')\n")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    monkeypatch.delenv("VISUAL", raising=False)
    done = run("config", "--edit")
    assert done.code == 3
    assert "ascii: must be true or false" in done.err
    assert file.read_text().endswith("ascii = 3\n")
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert "names a program that is not there" in run("config", "--edit").err
    assert run("config", "--init", "--edit").code == 2
