"""Fixtures: a shell in a folder, with sessions or without, in which the real program is started."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.factory import chain, write_session
from tests.pty.machine import Machine

ROOT = Path(__file__).parent.parent.parent


class Shell(NamedTuple):
    """The shell of a user.

    folder  has all that a run of leafmark may find and write
    work    the current folder
    env     the environment
    """

    folder: Path
    work: Path
    env: dict[str, str]

    def add_program(self, name: str, text: str) -> None:
        """Put a Python program on PATH."""
        programs = self.folder / "bin"
        if not programs.exists():
            programs.mkdir()
            self.env["PATH"] = f"{programs}:{self.env['PATH']}"
        program = programs / name
        program.write_text(f"#!{sys.executable}\n{text}")
        program.chmod(0o755)


@pytest.fixture
def empty_shell(tmp_path):
    """A shell of a user without sessions."""
    for name in ("home", "work", "state"):
        (tmp_path / name).mkdir()
    # With a query of an earlier run, the screen does not show the first steps.
    (tmp_path / "state/screen").write_text("query-0=earlier\n")
    env = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "LEAFMARK_CACHE_DIR": str(tmp_path / "cache"),
        "LEAFMARK_STATE_DIR": str(tmp_path / "state"),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
    }
    return Shell(tmp_path, tmp_path / "work", env)


@pytest.fixture
def shell(empty_shell):
    """A shell in the folder of two sessions that are not indexed yet."""
    folder, work, _ = empty_shell
    store = folder / "home/.pi/agent/sessions/--work--"
    for id, *texts in (("aaaa", "fix the login", "too early"), ("bbbb", "man page", "here it is", "thanks")):
        write_session(store / f"2026_{id}.jsonl", *chain(*texts, id=id, cwd=str(work)))
    return empty_shell


@pytest.fixture
def machine(empty_shell):
    """A shell with sessions of two agents, and their programs."""
    return Machine(empty_shell)
