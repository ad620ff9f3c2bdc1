"""Deleting a session in the trash for good touches nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import delete_trashed, trash_facts
from app.actions.restore import list_trashed
from app.actions.trash import trash
from app.sessions import NotThere
from app.stores import discover
from tests.actions.conftest import contents, trash_of

if TYPE_CHECKING:
    from app.actions.restore import TrashedSession
    from tests.sessions.manager.conftest import Home


def lying(home: Home, tmp_path: Path) -> list[TrashedSession]:
    return list_trashed(home.env, discover(home.env, str(home.folder), "/"), str(tmp_path / "state"))


def test_only_that_session_its_artifacts_and_their_notes_go(
    home: Home, omp_path: str, tmp_path: Path
) -> None:
    other = home.answered("pi").session_file or ""
    trash(other, home.env)
    (trash_of(home) / "files/holiday.jpg").write_text("a picture")
    before = contents(str(trash_of(home)))
    trash(omp_path, home.env)
    (session,) = [item for item in lying(home, tmp_path) if item.path == omp_path]
    assert session.cwd == home.work
    facts = trash_facts(session)
    assert facts.artifacts == 3
    assert facts.size > session.size
    change = delete_trashed(session)
    assert (change.kind, change.session_id) == ("delete", session.session_id)
    after = contents(str(trash_of(home)))
    assert {name: data for name, (data, _) in after.items()} == {
        name: data for name, (data, _) in before.items()
    }
    with pytest.raises(NotThere):
        delete_trashed(session)


def test_another_file_with_its_name_in_the_trash_stays(home: Home, tmp_path: Path) -> None:
    path = home.answered("pi").session_file or ""
    trash(path, home.env)
    (session,) = lying(home, tmp_path)
    other = home.answered("pi").session_file or ""
    os.replace(other, session.in_trash)
    with pytest.raises(NotThere):
        delete_trashed(session)
    assert Path(session.in_trash).exists()
