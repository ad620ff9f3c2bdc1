"""Which process has a file open."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from app.stores import holder
from tests.holding import held

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_holder_is_found_by_any_name_of_the_file_and_after_it_was_replaced(tmp_path: Path) -> None:
    path, second, new = tmp_path / "s.jsonl", tmp_path / "second.jsonl", tmp_path / "new"
    path.write_bytes(b"{}\n")
    new.write_bytes(b"{}\n")
    status = path.stat()
    with path.open("rb"):
        assert holder(str(path), status) is None
    with held(str(path), tmp_path) as pid:
        assert holder(str(path), status) == (pid, "omp")
        second.hardlink_to(path)
        assert holder(str(second), second.stat()) == (pid, "omp")
        new.replace(path)
        assert holder(str(second), status, str(path)) == (pid, "omp")
        assert holder(str(path), path.stat()) is None


def test_without_proc_lsof_is_run(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    commands = []

    def run(command: list[str]) -> str:
        commands.append(command)
        return f"p{os.getpid()}\ncpython\nf3\np77\ncomp\nf9\n"

    found = holder(str(path), path.stat(), proc=str(tmp_path / "none"), run=run)
    assert found == (77, "omp")
    assert commands[0][0] == "lsof"
    assert commands[0][-1] == str(path)
    assert holder(str(path), path.stat(), proc=str(tmp_path / "none"), run=lambda _: "") is None
