"""Undo of a branch deletes the draft that the branch wrote for omp's editor, and no other text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import drafts
from app.actions.branch_options import branch_in_place, write_draft
from app.actions.drafts import delete_draft
from app.actions.journal import Journal
from app.actions.undo import undo
from app.sessions import DiskFull, FileStorage
from tests.actions.conftest import lines_of
from tests.actions.test_go_on import options_at, store_of

if TYPE_CHECKING:
    from app.sessions import Change
    from tests.sessions.manager.conftest import Home

TEXT = "said\nanew, with an ü"


def moved(home: Home, text: str = TEXT) -> tuple[str, Path, Change]:
    """Branch at the second prompt of an omp session; return its path, its draft and the change."""
    manager = home.answered("omp")
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    manager.append_message({"role": "user", "content": "and more", "timestamp": 2})
    path = manager.session_file or ""
    options = options_at(home, path, manager.get_entries()[-2].id or "")
    change = branch_in_place(options, home.env, store_of(home, path), draft=text)
    return path, Path(path).with_suffix("") / "draft.txt", change


def test_undo_deletes_the_draft_also_in_another_run(home: Home) -> None:
    path, draft, change = moved(home)
    assert draft.read_text() == change.draft == TEXT
    assert write_draft("omp", path, TEXT) == str(draft)
    journal = Journal(str(home.folder / "state"))
    journal.record(change)
    done = undo(journal.active()[-1].change, home.env)
    assert (done.kind, done.note) == ("leaf", "")
    assert not draft.parent.exists()


@pytest.mark.parametrize("before", [True, False])
def test_a_folder_with_other_files_or_an_older_one_is_kept(home: Home, before: bool) -> None:
    manager = home.answered("omp")
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    path = manager.session_file or ""
    folder = Path(path).with_suffix("")
    if before:
        folder.mkdir()
    options = options_at(home, path, manager.get_entries()[-1].id or "")
    change = branch_in_place(options, home.env, store_of(home, path), draft=TEXT)
    if not before:
        (folder / "1.bash.log").write_text("of the agent")
    assert undo(change, home.env).note == ""
    assert [file.name for file in folder.iterdir()] == ([] if before else ["1.bash.log"])


def test_a_draft_that_cannot_be_written_leaves_no_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.answered("omp").session_file or ""

    def full(*_: object) -> None:
        raise DiskFull(path, "cannot be written")

    monkeypatch.setattr(FileStorage, "create", full)
    with pytest.raises(DiskFull):
        write_draft("omp", path, TEXT)
    assert not Path(path).with_suffix("").exists()


@pytest.mark.parametrize(("text", "note"), [("another", "another text"), (None, "gone already")])
def test_a_changed_draft_is_kept_and_reported(home: Home, text: str | None, note: str) -> None:
    path, draft, change = moved(home)
    draft.unlink()
    if text is not None:
        draft.write_text(text)
    before = len(lines_of(path))
    done = undo(change, home.env)
    assert note in done.note
    assert len(lines_of(path)) == before + 1
    assert draft.parent.exists() == (text is not None)
    assert text is None or [file.read_text() for file in draft.parent.iterdir()] == [text]


def test_undo_keeps_a_draft_that_existed_before(home: Home) -> None:
    manager = home.answered("omp")
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    path = manager.session_file or ""
    draft = Path(path).with_suffix("") / "draft.txt"
    draft.parent.mkdir()
    for text in (TEXT, "another"):
        draft.write_text(text)
        options = options_at(home, path, manager.get_entries()[-1].id or "")
        change = branch_in_place(options, home.env, store_of(home, path), draft=TEXT)
        assert (change.kind, change.draft) == ("leaf", "")
        assert undo(change, home.env).note == ""
        assert draft.read_text() == text


def test_a_change_that_wrote_only_a_draft_can_be_undone(home: Home) -> None:
    manager = home.answered("omp")
    path = manager.session_file or ""
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    options = options_at(home, path, manager.get_entries()[-1].id or "")
    first = branch_in_place(options, home.env, store_of(home, path))
    again = branch_in_place(
        options_at(home, path, options.entry_id), home.env, store_of(home, path), draft=TEXT
    )
    assert first.is_nothing
    assert not again.is_nothing
    assert Journal(str(home.folder / "state")).record(again)
    assert undo(again, home.env).note == ""
    assert not (Path(path).with_suffix("") / "draft.txt").exists()


def test_a_text_written_during_the_deletion_is_put_back_or_kept_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = tmp_path / "draft.txt"
    real = drafts._move_aside

    def changed(path: str) -> str:
        draft.write_text("the user's own")
        return real(path)

    draft.write_text(TEXT)
    monkeypatch.setattr(drafts, "_move_aside", changed)
    assert "another text" in delete_draft(str(draft), TEXT)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["the user's own"]

    def followed(path: str) -> str:
        aside = changed(path)
        draft.write_text("one more")
        return aside

    draft.write_text(TEXT)
    monkeypatch.setattr(drafts, "_move_aside", followed)
    assert "what it said before is in" in delete_draft(str(draft), TEXT)
    assert sorted(file.read_text() for file in tmp_path.iterdir()) == ["one more", "the user's own"]


def test_a_folder_in_place_of_the_draft_is_reported(tmp_path: Path) -> None:
    (tmp_path / "draft.txt").mkdir()
    assert "stays" in delete_draft(str(tmp_path / "draft.txt"), TEXT)
