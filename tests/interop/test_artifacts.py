"""The real oh-my-pi reads the artifacts of the kept entries in a fork: its own handlers resolve the URLs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionManager

from app.actions.branch import fork
from tests.interop.programs import Refused, assistant, user

if TYPE_CHECKING:
    from tests.interop.programs import Program

URLS = {
    "artifact://0": "the whole output",
    "agent://Explore": "what the sub-agent found",
    "local://plan.md": "a plan",
}


def session_with_artifacts(omp: Program) -> tuple[str, dict[str, str]]:
    env = {"HOME": str(omp.home), "TMPDIR": str(omp.home / "tmp")}
    work = omp.home / "work"
    work.mkdir(exist_ok=True)
    manager = SessionManager.create(str(work), agent="omp", env=env)
    manager.append_message(user("run it"))
    manager.append_message(assistant("[Full output: artifact://0]"))
    path = manager.session_file or ""
    folder = Path(path).with_suffix("")
    (folder / "local").mkdir(parents=True)
    (folder / "0.bash.log").write_text(URLS["artifact://0"])
    (folder / "Explore.md").write_text(URLS["agent://Explore"])
    (folder / "local" / "plan.md").write_text(URLS["local://plan.md"])
    return path, env


def test_a_fork_reads_the_artifacts_of_its_entries(omp: Program) -> None:
    path, env = session_with_artifacts(omp)
    made = fork(path, env).after or ""
    for url, text in URLS.items():
        assert omp.help("readUrl", made, url) == text


def test_without_the_copy_omp_finds_no_artifact(omp: Program) -> None:
    """This shows that the test above does not read from the original session."""
    path, env = session_with_artifacts(omp)
    made = fork(path, env).after or ""
    (Path(made).with_suffix("") / "0.bash.log").unlink()
    with pytest.raises(Refused, match="Artifact 0 not found"):
        omp.help("readUrl", made, "artifact://0")
