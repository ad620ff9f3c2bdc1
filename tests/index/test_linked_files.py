"""Files that are written by another way: they are looked at, but no more of them than costs next to
nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from app.index.path_events import Hints
from app.index.row import Signature, signature_of, unread
from app.index.scan.symlinks import HOT_FILES, TURN_FILES, LinkedFiles
from app.index.scan.walk import walk
from app.index.watch.watch import NativeWatch
from tests.index.helpers import fill, message, pi_store
from tests.index.test_watch import Rounds

if TYPE_CHECKING:
    from pathlib import Path

MANY = 1_000


@pytest.fixture
def known(tmp_path: Path) -> dict[str, Signature]:
    """Of files with newer and newer times."""
    return {str(path): signature_of(path.stat()) for path in fill(tmp_path / "store", MANY)}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The session files that were looked at."""
    looked_at: list[str] = []
    really = os.stat

    def stat(path: Any, **how: Any) -> os.stat_result:
        if isinstance(path, str) and path.endswith(".jsonl"):
            looked_at.append(path)
        return really(path, **how)

    monkeypatch.setattr("app.index.scan.symlinks.os.stat", stat)
    return looked_at


def look(files: LinkedFiles) -> set[str]:
    hints = Hints()
    files.look(hints)
    assert hints.count == len(hints.paths)
    return hints.paths


def test_a_store_of_links_costs_no_more_than_so_many_looks(
    known: dict[str, Signature], looks: list[str]
) -> None:
    files = LinkedFiles(known)
    files.walked(known)
    rounds = -(-(MANY - HOT_FILES) // TURN_FILES)
    for _ in range(rounds):
        before = len(looks)
        assert look(files) == set()
        assert len(looks) - before <= HOT_FILES + TURN_FILES
    newest = sorted(known, key=lambda path: known[path][2])[-HOT_FILES:]
    assert {path for path in known if looks.count(path) == rounds} == set(newest)
    assert set(looks) == set(known), "each in its turn"


def test_where_there_are_none_nothing_is_looked_at(known: dict[str, Signature], looks: list[str]) -> None:
    files = LinkedFiles(known)
    files.walked([])
    assert look(files) == set()
    assert looks == []


def test_each_change_is_told_once_whatever_becomes_of_it(known: dict[str, Signature]) -> None:
    """A file that cannot be read stays as it was: nobody tries again and again."""
    files = LinkedFiles(known)
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


def test_only_walks_beside_the_screen_say_which_they_are(tmp_path: Path) -> None:
    plain, named, target = fill(tmp_path / "store", 3, folders=1)
    os.link(named, tmp_path / "second")
    target.rename(tmp_path / "target")
    target.symlink_to(tmp_path / "target")
    store = pi_store(tmp_path / "store")
    assert sorted(walk([store], gentle=True).linked_files or ()) == sorted(map(str, (named, target)))
    assert walk([store]).linked_files is None
    assert plain.exists()


def test_beside_the_systems_notices_they_are_looked_at_now_and_then(
    tmp_path: Path, known: dict[str, Signature], looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("app.index.watch.watch.time.monotonic", lambda: now[0])
    monkeypatch.setattr(NativeWatch, "_noticed", lambda *_: Hints())
    # not in the turn that every file has
    monkeypatch.setattr("app.index.watch.watch.PeriodicCheck.look", lambda *_: None)
    files = LinkedFiles(known)
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
