"""What the real program is started in: a folder with sessions, and a shell there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.factory import chain, write_session

ROOT = Path(__file__).parent.parent.parent


class Shell(NamedTuple):
    """Where a user is.

    folder  has all that a run of leafmark may find and write
    work    the current folder
    env     the environment
    """

    folder: Path
    work: Path
    env: dict[str, str]


@pytest.fixture
def shell(tmp_path):
    """A folder with two sessions, and the environment of a shell there. Nothing is known of them yet."""
    work = tmp_path / "work"
    work.mkdir()
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    write_session(store / "2026_aaaa.jsonl", *chain("fix the login", "early", id="aaaa", cwd=str(work)))
    write_session(store / "2026_bbbb.jsonl", *chain("man page", "here it is", id="bbbb", cwd=str(work)))
    env = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "LEAFMARK_CACHE_DIR": str(tmp_path / "cache"),
        "LEAFMARK_STATE_DIR": str(tmp_path / "state"),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
    }
    return Shell(tmp_path, work, env)
