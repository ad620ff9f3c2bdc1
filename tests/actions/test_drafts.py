"""What a move of the leaf left for omp's editor goes when the move is taken back, and no other text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import drafts
from app.actions.branch_options import branch_in_place, write_draft
from app.actions.drafts import delete_draft
from app.actions.journal import Journal
from app.actions.undo import undo
from app.sessions.errors import DiskFull
from app.sessions.storage.file_storage import FileStorage
from tests.actions.conftest import lines_of
from tests.actions.test_go_on import asked, store_of

if TYPE_CHECKING:
    from app.sessions.manager.change import Change
    from tests.sessions.manager.conftest import Home

TEXT = "said\nanew, with an ü"


def moved(home: Home, text: str = TEXT) -> tuple[str, Path, Change]:
    """A session of omp whose leaf was put before its second prompt, its draft, and what was done."""
    manager = home.answered("omp")
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    manager.append_message({"role": "user", "content": "and more", "timestamp": 2})
    path = manager.session_file or ""
    question = asked(home, path, manager.get_entries()[-2].id or "")
    change = branch_in_place(question, home.env, store_of(home, path), draft=text)
    return path, Path(path).with_suffix("") / "draft.txt", change


def test_it_goes_with_the_move_also_by_another_run(home: Home) -> None:
    path, draft, change = moved(home)
    assert draft.read_text() == change.draft == TEXT
    assert write_draft("omp", path, TEXT) == str(draft)
    journal = Journal(str(home.folder / "state"))
    journal.record(change)
    done = undo(journal.active()[-1].change, home.env)
    assert (done.kind, done.note) == ("leaf", "")
    assert not draft.parent.exists()


@pytest.mark.parametrize("before", [True, False])
def test_a_folder_that_is_not_the_drafts_alone_stays(home: Home, before: bool) -> None:
    manager = home.answered("omp")
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    path = manager.session_file or ""
    folder = Path(path).with_suffix("")
    if before:
        folder.mkdir()
    question = asked(home, path, manager.get_entries()[-1].id or "")
    change = branch_in_place(question, home.env, store_of(home, path), draft=TEXT)
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


@pytest.mark.parametrize(("other", "said"), [("another", "another text"), (None, "gone already")])
def test_another_text_stays_and_that_is_said(home: Home, other: str | None, said: str) -> None:
    path, draft, change = moved(home)
    draft.unlink()
    if other is not None:
        draft.write_text(other)
    before = len(lines_of(path))
    done = undo(change, home.env)
    assert said in done.note
    assert len(lines_of(path)) == before + 1
    assert draft.parent.exists() == (other is not None)
    assert other is None or [file.read_text() for file in draft.parent.iterdir()] == [other]


def test_what_the_move_did_not_write_it_does_not_take_back(home: Home) -> None:
    manager = home.answered("omp")
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    path = manager.session_file or ""
    draft = Path(path).with_suffix("") / "draft.txt"
    draft.parent.mkdir()
    for there in (TEXT, "another"):
        draft.write_text(there)
        question = asked(home, path, manager.get_entries()[-1].id or "")
        change = branch_in_place(question, home.env, store_of(home, path), draft=TEXT)
        assert (change.kind, change.draft) == ("leaf", "")
        assert undo(change, home.env).note == ""
        assert draft.read_text() == there


def test_a_draft_alone_can_be_taken_back(home: Home) -> None:
    manager = home.answered("omp")
    path = manager.session_file or ""
    manager.append_message({"role": "user", "content": "said", "timestamp": 1})
    question = asked(home, path, manager.get_entries()[-1].id or "")
    first = branch_in_place(question, home.env, store_of(home, path))
    again = branch_in_place(asked(home, path, question.entry_id), home.env, store_of(home, path), draft=TEXT)
    assert first.is_nothing
    assert not again.is_nothing
    assert Journal(str(home.folder / "state")).record(again)
    assert undo(again, home.env).note == ""
    assert not (Path(path).with_suffix("") / "draft.txt").exists()


def test_an_agent_without_drafts_gets_none(home: Home) -> None:
    manager = home.answered("pi")
    path = manager.session_file or ""
    first = manager.get_entries()[0].id or ""
    change = branch_in_place(asked(home, path, first), home.env, store_of(home, path), draft=TEXT)
    assert change.draft == ""
    assert not Path(path).with_suffix("").exists()


def test_a_text_that_comes_in_between_goes_back_or_stays_aside(
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


def test_a_folder_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "draft.txt").mkdir()
    assert "stays" in delete_draft(str(tmp_path / "draft.txt"), TEXT)
