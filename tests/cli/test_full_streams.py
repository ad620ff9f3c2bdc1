"""Standard output or standard error that take no data: the exit code reports it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from app.command_table import COMMANDS
from tests.cases import cases
from tests.cli.conftest import ROOT
from tests.factory import chain, write_session

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")

# Arguments with which each command prints something.
WORDS = {
    "list": "list",
    "search": "search question",
    "tree": "tree session-1",
    "show": "show session-1",
    "labels": "labels session-1",
    "doctor": "doctor",
    "index": "index --where",
    "stats": "stats",
    "help": "help",
    "watch": "watch",
    "config": "config",
    "skill": "skill",
    "completion": "completion bash",
    "init": "init bash",
    "context": "context session-1",
    "export": "export session-1 -o -",
    "label": "label session-1 00000001 text",
    "rename": "rename session-1 name",
    "tag": "tag session-1 todo",
    "branch": "branch session-1 00000001",
    "fork": "fork session-1",
    "handoff": "handoff session-1 --to omp",
    "keep": "keep session-1",
    "disk": "disk",
    "trash": "trash session-1",
    "restore": "restore gone",
    "undo": "undo",
    "resume": "resume session-1 --print",
}
USAGE_ERRORS = ("--nonsense", "nonsense", "list --limit x", "label session-1", "search 're:('", "")


@pytest.fixture
def session(tmp_path):
    """Write a session with a label."""
    write_session(
        tmp_path / "home/.pi/agent/sessions/--work--/1_session-1.jsonl",
        *chain("question", "answer", id="session-1"),
        {"type": "label", "id": "l", "parentId": "00000002", "targetId": "00000001", "label": "text"},
    )


@pytest.fixture
def shell(tmp_path, session):
    """Run leafmark from bash: (words and redirections, unbuffered) -> finished process."""
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}

    def run(words, unbuffered=""):
        return subprocess.run(
            ["bash", "-c", f"exec {sys.executable} -m app {words} </dev/null"],
            env={**env, "PYTHONUNBUFFERED": unbuffered},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


def test_every_command_has_arguments() -> None:
    assert set(WORDS) == set(COMMANDS)


@cases("words", [*WORDS.values(), "--help", "list --help", "--version", *USAGE_ERRORS])
def test_the_exit_code_is_3_if_both_are_full(process, session, words):
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        assert process(*shlex.split(words), output=full, errors=full).returncode == 3
    finally:
        os.close(full)


@pytest.mark.parametrize("words", ["--help", "search --help", "--version"])
def test_help_that_cannot_be_printed_gives_one_line_even_without_a_buffer(shell, words):
    for unbuffered in ("", "1"):
        done = shell(f"{words} >/dev/full", unbuffered)
        assert done.returncode == 3
        assert done.stderr == "leafmark: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("words", ["list", "doctor", "--help", "--nonsense", "tree gone"])
def test_the_exit_code_is_3_if_one_is_full_and_one_is_closed(shell, words):
    assert shell(f"{words} >&- 2>/dev/full").returncode == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [("list", 0), ("--version", 0), ("tree gone", 1), ("--nonsense", 2), ("list >/dev/full", 3)],
)
def test_a_closed_standard_error_changes_no_exit_code(shell, words, code):
    assert shell(f"{words} 2>&-").returncode == code


@pytest.mark.parametrize(
    ("words", "code"), [("list", 0), ("--version", 0), ("tree gone", 3), ("--nonsense", 3)]
)
def test_a_message_that_cannot_be_written_is_a_failure(shell, words, code):
    assert shell(f"{words} 2>/dev/full").returncode == code


def test_a_change_without_any_output_is_made_and_can_be_undone(shell, tmp_path):
    path = next((tmp_path / "home/.pi").rglob("*.jsonl"))
    before = path.read_bytes()
    assert shell("rename session-1 name >/dev/full 2>/dev/full").returncode == 3
    assert path.read_bytes() != before
    assert shell("undo").returncode == 0
