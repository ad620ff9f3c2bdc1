"""Deleting a session where there is no trash."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.actions.trash import delete_for_good
from app.sessions import NotThere, ReadOnlyFolder
from tests.actions.conftest import contents, trash_of

if TYPE_CHECKING:
    from tests.sessions.manager.conftest import Home


def test_a_session_is_deleted_with_its_artifacts(home: Home, omp_path: str) -> None:
    folder = omp_path.removesuffix(".jsonl")
    change = delete_for_good(omp_path, home.env)
    assert not os.path.lexists(omp_path)
    assert not os.path.lexists(folder)
    assert (change.kind, change.before, change.after) == ("delete", omp_path, None)
    assert change.moves == ((omp_path, ""), (folder, ""))
    assert not trash_of(home).exists()
    with pytest.raises(NotThere):
        delete_for_good(omp_path, home.env)


def test_the_target_of_a_linked_artifacts_folder_is_kept(home: Home) -> None:
    path = home.answered("omp").session_file or ""
    (home.folder / "theirs").mkdir()
    (home.folder / "theirs/kept").write_text("kept")
    os.symlink(home.folder / "theirs", path.removesuffix(".jsonl"))
    delete_for_good(path, home.env)
    assert not os.path.lexists(path.removesuffix(".jsonl"))
    assert (home.folder / "theirs/kept").read_text() == "kept"


def test_artifacts_that_cannot_be_deleted_are_reported(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr("app.actions.trash.shutil.rmtree", refuse)
    change = delete_for_good(omp_path, home.env)
    assert "Input/output error" in change.note
    assert change.moves == ((omp_path, ""),)


def test_a_session_that_cannot_be_deleted_keeps_its_artifacts(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(str(home.folder / ".omp"))

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("app.actions.trash.os.unlink", refuse)
    with pytest.raises(ReadOnlyFolder):
        delete_for_good(omp_path, home.env)
    assert contents(str(home.folder / ".omp")) == before
