"""A session that Claude Code runs in the background is joined, and not resumed a second time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.claude_lines import line, write
from tests.holding import running

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def session(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session of a folder that exists; the program of Claude Code is on PATH."""
    (home / "bin").mkdir()
    (home / "bin/claude").write_text("#!/bin/sh\n")
    (home / "bin/claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=":")
    return write(home, line("user", "p1", None, "x", cwd=str(home)))


def note(home: Path, pid: int, job: Any) -> None:
    path = home / f".claude/sessions/{pid}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"pid": pid, "sessionId": "one", "kind": "bg", "jobId": job}))


def test_a_running_job_is_attached_to(
    run: Any, home: Path, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = f"cd {home} && claude --resume one\n"
    assert run("resume", "--print", "one").out == usual
    programs = tmp_path / "programs"
    programs.mkdir()
    with running(programs, "claude", cwd=str(home)) as pid:
        note(home, pid, "5e1f0a2b")
        printed = run("resume", "--print", "one")
        assert (printed.out, printed.err) == (f"cd {home} && claude attach 5e1f0a2b\n", "")
        monkeypatch.chdir(home)
        assert run("resume", "--print", "--last").out == printed.out
        refused = run("trash", "--anyway", "one")
        assert session.exists()
        assert f"process {pid} notes that it has it open" in refused.err
        for odd in ("--rm", "", 5, "a b", "j\n1", None):
            note(home, pid, odd)
            assert run("resume", "--print", "one").out == usual
    note(home, pid, "5e1f0a2b")
    assert run("resume", "--print", "one").out == usual
