"""A hand-over with every fault at every call: there is a whole session or none, and undo knows which."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.actions.handing import lines, opened
from tests.claude_lines import line, picture, write
from tests.faults.harness import FAULTS, run


def made_in(home: Path) -> list[Path]:
    return [path for path in (home / ".omp").rglob("*.jsonl") if not path.name.startswith(".")]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_leaves_a_whole_session_or_none(fault: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = {"HOME": str(home), "PATH": os.defpath, "TMPDIR": str(tmp_path / "tmp")}
    source = write(
        home,
        line("user", "u1", None, [{"type": "text", "text": "look"}, picture(2000)]),
        line("assistant", "a1", "u1", "an answer"),
    )
    before = source.read_bytes()
    words = ["handoff", str(source), "--to", "omp"]
    whole = run(tmp_path, words, env)
    assert whole.code == 0, whole.err
    [first] = made_in(home)
    entries = len(lines(first))
    for at in range(len(whole.calls)):
        for folder in (".omp", ".local", ".cache"):
            shutil.rmtree(home / folder, ignore_errors=True)
        done = run(tmp_path, words, env, at, fault)
        made = made_in(home)
        assert source.read_bytes() == before
        assert len(made) <= 1, whole.calls[at]
        if done.code == 0:
            assert made, whole.calls[at]
        for path in made:
            assert len(lines(path)) == entries, whole.calls[at]
            assert opened(path, "omp", home).problems == []
            undone = run(tmp_path, ["undo"], env)
            if undone.code == 0:
                assert made_in(home) == [], whole.calls[at]
            else:
                assert "undo will not know of it" in done.err, whole.calls[at]
        again = run(tmp_path, words, env)
        assert again.code == 0, again.err
        assert len(made_in(home)) == 1
