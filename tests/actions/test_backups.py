"""The backups that oh-my-pi leaves beside a session go to the trash with it, and come back with it.

oh-my-pi takes a backup for the session if the session is gone.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import delete_trashed, redo_journal_action
from app.actions.journal import Journal
from app.actions.restore import list_trashed, restore
from app.actions.trash import delete_for_good, trash
from app.actions.undo import settle_interrupted, undo, undo_journal_action
from app.sessions import NoTrash
from app.stores import discover
from tests.actions.conftest import contents, trash_of, with_backups

if TYPE_CHECKING:
    from app.actions.restore import TrashedSession
    from tests.sessions.manager.conftest import Home


@pytest.fixture
def path(home: Home) -> str:
    return with_backups(home)


def listed(home: Home) -> list[TrashedSession]:
    stores = discover(home.env, str(home.folder), "/")
    return list_trashed(home.env, stores, str(home.folder / "state"))


@pytest.mark.parametrize("way", ["undo", "restore", "restore by the list"])
def test_backups_are_trashed_and_come_back(home: Home, path: str, way: str) -> None:
    other = Path(path).with_name(f"x{Path(path).name}.1.bak")
    for kept in (other, Path(f"{path}.bak"), Path(f"{path}.1.bak.txt")):
        kept.write_text("of no session, or no backup by its name")
    before = contents(str(home.folder / ".omp"))
    change = trash(path, home.env)
    assert sorted(each.name for each in Path(path).parent.iterdir() if each.name != "sub.jsonl") == sorted(
        [other.name, f"{Path(path).name}.bak", f"{Path(path).name}.1.bak.txt"]
    )
    if way == "undo":
        undo(change, home.env)
    else:
        restore(listed(home)[0].change if way == "restore by the list" else change)
    assert contents(str(home.folder / ".omp")) == before
    assert os.listdir(trash_of(home) / "files") == os.listdir(trash_of(home) / "info") == []


def test_redo_takes_them_along_again(home: Home, path: str) -> None:
    before = contents(str(home.folder / ".omp"))
    journal, state = Journal(str(home.folder / "state")), str(home.folder / "state")
    stores = discover(home.env, str(home.folder), "/")
    with journal.intend() as intent:
        number = intent.done(trash(path, home.env))
    undo_journal_action(journal, number, home.env, stores, state)
    assert contents(str(home.folder / ".omp")) == before
    attempts, _, _ = redo_journal_action(journal, number, home.env, stores, state)
    assert [attempt.reason for attempt in attempts] == [""]
    assert os.listdir(Path(path).parent) == []
    undo_journal_action(journal, journal.actions()[-1][0].action, home.env, stores, state)
    assert contents(str(home.folder / ".omp")) == before


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
def test_if_one_cannot_be_trashed_everything_stays(
    home: Home, path: str, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    from app.actions import trash as module

    before, send, sent = contents(str(home.folder / ".omp")), module.send_to_system, []

    def sometimes(path: str, env: dict[str, str]) -> None:
        sent.append(path)
        if len(sent) == fails_at:
            raise OSError(errno.EIO, "Input/output error")
        send(path, env)

    with monkeypatch.context() as patch:
        patch.setattr(module, "send_to_system", sometimes)
        with pytest.raises(NoTrash):
            trash(path, home.env)
    assert contents(str(home.folder / ".omp")) == before
    assert listed(home) == []


def test_a_killed_trash_knows_its_backups(home: Home, path: str) -> None:
    """The process ends after the moves and before the journal knows of them."""
    before, state = contents(str(home.folder / ".omp")), str(home.folder / "state")
    journal, stores = Journal(state), discover(home.env, str(home.folder), "/")
    with journal.intend():
        trash(path, home.env)
    settle_interrupted(journal, home.env, stores, state)
    (entry,) = journal.active()
    assert len(entry.change.moves) == 4
    undo_journal_action(journal, entry.action, home.env, stores, state)
    assert contents(str(home.folder / ".omp")) == before


def test_deleting_for_good_deletes_them(home: Home, path: str) -> None:
    delete_for_good(path, home.env)
    assert os.listdir(Path(path).parent) == []
    trash(with_backups(home), home.env)
    (trashed,) = listed(home)
    delete_trashed(trashed)
    assert os.listdir(trash_of(home) / "files") == os.listdir(trash_of(home) / "info") == []
