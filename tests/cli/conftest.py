"""Run leafmark as a user does: as a process, or in this process where a test needs many runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from app.cli import main
from tests.prepared import prepared

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def process(tmp_path):
    """Run a command as a process with its own home folder: (arguments) -> finished process.

    The process does not import leafmark again; see `tests.prepared`.
    """
    (tmp_path / "home").mkdir(exist_ok=True)

    def run(*words, cwd=None, encoding="utf-8", output=None, errors=None, **variables):
        done = prepared().run(
            [*map(str, words)],
            {**_environment(tmp_path), "PYTHONIOENCODING": encoding, **variables},
            str(cwd or tmp_path),
            output=output,
            errors=errors,
        )
        return subprocess.CompletedProcess(
            words, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        )

    return run


@pytest.fixture
def leafmark(tmp_path, capsys):
    """Run a command as `process` does, but in this process, which takes a tenth of the time."""
    (tmp_path / "home").mkdir(exist_ok=True)

    def run(*words, cwd=None, **variables):
        capsys.readouterr()
        before = os.getcwd()
        os.chdir(cwd or tmp_path)
        try:
            with patch.dict(os.environ, {**_environment(tmp_path), **variables}, clear=True):
                code = main([str(word) for word in words])
        except SystemExit as ended:
            code = ended.code
        finally:
            os.chdir(before)
        return subprocess.CompletedProcess(words, code, *capsys.readouterr())

    return run


def _environment(folder):
    return {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}


@pytest.fixture
def default_signals():
    """Reset the signals that ask a process to end to their defaults, here and in started programs.

    Background jobs of a script, and so perhaps this test run, inherit SIGINT and SIGQUIT as ignored, and
    leafmark leaves ignored signals ignored.
    """
    defaults = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGQUIT: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, action) for number, action in defaults.items()}
    yield
    for number, action in before.items():
        signal.signal(number, action)


class Done(NamedTuple):
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder that contains only the files of the test."""
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    for name in list(os.environ):
        if name.startswith(("PI_", "OMP_", "XDG_", "INDUSAGI_", "LEAFMARK_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def run(home, capsys):
    """Run a command in this process with that home folder: (arguments) -> Done."""

    def run(*words):
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:
            code = ended.code
        return Done(code, *capsys.readouterr())

    return run


def brief(output):
    """The lines about changes without the titles of sessions and the words on how to undo."""
    lines = [re.sub(r"\.(?: `leafmark undo` .*\.)?$", "", line) for line in output.splitlines()]
    return "".join(re.sub(r'"[^"]*" \(([^)]*)\)', r"\1", line) + "\n" for line in lines)
