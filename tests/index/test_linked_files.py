"""Files with several hard links or behind symbolic links are checked for changes, at a limited number of stat
calls.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from app.index import Signature, signature_of, unread
from app.index.scan import Hints, PolledFiles
from app.index.scan.walk import walk
from app.index.watch.follower import NativeWatch
from tests.index.helpers import fill, message, pi_store
from tests.index.test_watch import Rounds

if TYPE_CHECKING:
    from pathlib import Path

MANY = 10


@pytest.fixture
def known(tmp_path: Path) -> dict[str, Signature]:
    """Files, each with a newer time than the one before."""
    return {str(path): signature_of(path.stat()) for path in fill(tmp_path / "store", MANY)}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the session files that were passed to os.stat."""
    looked_at: list[str] = []
    real_stat = os.stat

    def stat(path: Any, **options: Any) -> os.stat_result:
        if isinstance(path, str) and path.endswith(".jsonl"):
            looked_at.append(path)
        return real_stat(path, **options)

    monkeypatch.setattr("app.index.scan.hints.os.stat", stat)
    return looked_at


def look(files: PolledFiles) -> set[str]:
    hints = Hints()
    files.look(hints)
    assert hints.count == len(hints.paths)
    return hints.paths


def test_without_linked_files_there_are_no_stat_calls(known: dict[str, Signature], looks: list[str]) -> None:
    files = PolledFiles(known)
    files.walked([])
    assert look(files) == set()
    assert looks == []


def test_each_change_is_reported_once(known: dict[str, Signature]) -> None:
    """A file that cannot be read keeps its old signature, and is not reported again."""
    files = PolledFiles(known)
    path = [*known][-1]
    files.walked([path])
    assert look(files) == set()
    with open(path, "a") as file:
        file.write("more\n")
    assert look(files) == {path}
    known[path] = unread(known[path])
    assert look(files) == set()
    os.unlink(path)
    assert look(files) == {path}
    assert look(files) == set()
    del known[path]
    with open(path, "w") as file:
        file.write("again\n")
    assert look(files) == {path}


def test_walks_collect_linked_files(tmp_path: Path) -> None:
    plain, named, target = fill(tmp_path / "store", 3, folders=1)
    os.link(named, tmp_path / "second")
    target.rename(tmp_path / "target")
    target.symlink_to(tmp_path / "target")
    store = pi_store(tmp_path / "store")
    assert sorted(walk([store]).linked_files) == sorted(map(str, (named, target)))
    assert plain.exists()


def test_native_watching_checks_linked_files_at_intervals(
    tmp_path: Path, known: dict[str, Signature], looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("app.index.watch.follower.time.monotonic", lambda: now[0])
    monkeypatch.setattr(NativeWatch, "_noticed", lambda *_: Hints())
    files = PolledFiles(known)
    path = [*known][-1]
    files.walked([path])
    watch = NativeWatch([pi_store(tmp_path / "store")], known, files)
    try:
        for _ in range(5):
            assert not watch.wait(0.2, Rounds(1)).paths
            now[0] += 0.2
        assert len(looks) == 3, "one look in 0.4 seconds"
        with open(path, "a") as file:
            file.write(message("n", "e0", "more"))
        assert watch.wait(0.2, Rounds(1)).paths | watch.wait(0.2, Rounds(1)).paths == set()
        now[0] += 0.4
        assert watch.wait(0.2, Rounds(1)).paths == {path}
    finally:
        watch.close()
