"""A session of the real oh-my-pi that was trashed does not come back as one of its backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.restore import restore
from app.actions.trash import trash
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.programs import Program


def test_omp_lists_a_session_with_a_backup_again_only_after_the_restore(omp: Program, tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "-work"
    path = write_session(folder / "2026_a.jsonl", *chain("hello", "yes", id="one"))
    write_session(folder / "2026_a.jsonl.1a2b3c4d5e6f7081.bak", *chain("older", id="one"))
    env = {"HOME": str(tmp_path / "home"), "PI_CODING_AGENT_DIR": str(tmp_path)}
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    change = trash(str(path), env)
    assert omp.list("list", "/work/app", str(folder)) == []
    assert list(folder.iterdir()) == []
    restore(change)
    [listed] = omp.list("list", "/work/app", str(folder))
    assert (listed["id"], listed["path"]) == ("one", str(path))
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before
