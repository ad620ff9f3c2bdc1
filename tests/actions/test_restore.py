"""Restoring from the trash: sessions come back unchanged, and replace nothing."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from app.actions import safe_move
from app.actions.journal import Journal
from app.actions.restore import list_trashed, restore
from app.actions.trash import trash
from app.sessions import AlreadyThere, Change, NotThere, WriteFailed
from app.stores import discover
from tests.actions.conftest import contents, trash_of, with_artifacts
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from app.actions.restore import TrashedSession
    from tests.sessions.manager.conftest import Home


@pytest.fixture
def omp_path(home: Home) -> str:
    """A session of oh-my-pi with a folder of artifacts, a mode and a modification time."""
    path = with_artifacts(home, "omp")
    os.chmod(path, 0o640)
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    return path


def in_trash(home: Home, **more: str) -> list[TrashedSession]:
    """List the trash of a home folder, together with the journal of leafmark."""
    env = {**home.env, **more}
    return list_trashed(env, discover(env, str(home.folder), "/"), str(home.folder / "state"))


def note(home: Home, path: Path | str, name: str, date: str = "2026-05-01T10:00:00") -> Path:
    """Write the note of another program that trashed `path`; return the path for the file in the trash."""
    for folder in ("files", "info"):
        (trash_of(home) / folder).mkdir(parents=True, exist_ok=True)
    text = f"[Trash Info]\nPath={quote(str(path))}\nDeletionDate={date}\n"
    (trash_of(home) / "info" / f"{name}.trashinfo").write_text(text)
    return trash_of(home) / "files" / name


# restoring


@pytest.mark.parametrize("by_list", [False, True])
def test_a_session_is_restored_unchanged(home: Home, omp_path: str, by_list: bool) -> None:
    before, mode = contents(str(home.folder / ".omp")), os.stat(omp_path).st_mode
    change = trash(omp_path, home.env)
    back = restore(in_trash(home)[0].change if by_list else change)
    assert contents(str(home.folder / ".omp")) == before
    assert os.stat(omp_path).st_mode == mode
    assert os.stat(omp_path).st_nlink == 1
    assert (back.kind, back.path, back.before, back.after) == ("restore", omp_path, change.after, omp_path)
    assert (back.agent, back.session_id) == ("omp", change.session_id)
    assert back.moves == tuple((now, was) for was, now in change.moves)
    assert os.listdir(trash_of(home) / "files") == os.listdir(trash_of(home) / "info") == []
    assert in_trash(home) == []
    with pytest.raises(NotThere, match="not in the trash"):
        restore(change)


def test_a_missing_folder_is_created(home: Home, omp_path: str) -> None:
    before = contents(str(home.folder / ".omp"))
    change = trash(omp_path, home.env)
    shutil.rmtree(home.folder / ".omp")
    restore(change)
    assert contents(str(home.folder / ".omp")) == before


@pytest.mark.parametrize("same_place", [False, True])
def test_another_session_of_the_same_name_in_the_trash_is_not_restored(
    home: Home, omp_path: str, same_place: bool
) -> None:
    """The trash was emptied, and another session was trashed after that."""
    change = trash(omp_path, home.env)
    journal = Journal(str(home.folder / "state"))
    journal.record(change)
    shutil.rmtree(trash_of(home))
    other = Path(omp_path) if same_place else home.folder / ".omp/agent/sessions/-x" / Path(omp_path).name
    write_session(other, *chain("another", id="another"))
    if not same_place:
        other.with_suffix("").mkdir()
    assert trash(str(other), home.env).after == change.after
    with pytest.raises(NotThere):
        restore(change)
    (trashed,) = in_trash(home)
    assert (trashed.path, trashed.session_id) == (str(other), "another")
    assert bool(trashed.artifacts) == (not same_place)
    restore(trashed.change)
    assert other.is_file()


# other files in its place


def test_restore_replaces_nothing(home: Home, omp_path: str) -> None:
    folder = omp_path.removesuffix(".jsonl")
    change = trash(omp_path, home.env)
    before = contents(str(trash_of(home)))
    for put in (
        lambda: Path(omp_path).write_text("another"),
        lambda: os.symlink("nowhere", omp_path),
        lambda: os.mkdir(omp_path),
        lambda: Path(folder).write_text("another"),
        lambda: os.mkdir(folder),
    ):
        put()
        store_files = contents(str(home.folder / ".omp"))
        for source in (change, in_trash(home)[0].change):
            with pytest.raises(AlreadyThere, match="already"):
                restore(source)
        assert contents(str(home.folder / ".omp")) == store_files
        assert contents(str(trash_of(home))) == before
        for path in (omp_path, folder):
            if os.path.isdir(path):
                os.rmdir(path)
            elif os.path.lexists(path):
                os.unlink(path)
    restore(change)


def test_a_file_created_at_the_last_moment_is_not_replaced(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = trash(omp_path, home.env)
    before = contents(str(trash_of(home)))
    monkeypatch.setattr(
        "app.actions.restore._require_free", lambda moves: Path(omp_path).write_text("another")
    )
    with pytest.raises(AlreadyThere):
        restore(change)
    assert Path(omp_path).read_text() == "another"
    assert not os.path.lexists(omp_path.removesuffix(".jsonl"))
    assert contents(str(trash_of(home))) == before


@pytest.mark.usefixtures("renames_in_two_steps")
def test_a_failed_restore_leaves_all_in_the_trash(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = trash(omp_path, home.env)
    before = contents(str(trash_of(home)))

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(safe_move.os, "link", refuse)
        patch.setattr(safe_move.os, "open", refuse)
        with pytest.raises(WriteFailed, match="No space"):
            restore(change)
    assert contents(str(trash_of(home))) == before
    assert not os.path.lexists(omp_path)
    restore(change)


def test_a_restore_that_was_killed_is_finished_by_the_next(home: Home, omp_path: str) -> None:
    before = contents(str(home.folder / ".omp"))
    change = trash(omp_path, home.env)
    (_, in_trash_path), (folder, artifacts) = change.moves
    os.rename(artifacts, folder)
    os.link(in_trash_path, omp_path)
    back = restore(change)
    assert "artifacts" in back.note
    assert contents(str(home.folder / ".omp")) == before
    assert not os.path.lexists(in_trash_path)


@pytest.mark.usefixtures("renames_in_two_steps")
def test_restore_replaces_nothing_without_hard_links(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    before = contents(str(home.folder / ".omp"))
    change = trash(omp_path, home.env)
    monkeypatch.setattr(safe_move.os, "link", refuse)
    Path(omp_path).write_text("another")
    with pytest.raises(AlreadyThere):
        safe_move.move(change.after or "", omp_path)
    assert Path(omp_path).read_text() == "another"
    os.unlink(omp_path)
    restore(change)
    assert contents(str(home.folder / ".omp")) == before


# listing the trash


def test_sessions_trashed_by_other_programs_are_listed_and_restored(home: Home) -> None:
    path = Path(with_artifacts(home, "omp"))
    before = contents(str(home.folder / ".omp"))
    shutil.move(path, note(home, path, "other name.jsonl"))
    shutil.move(path.with_suffix(""), note(home, path.with_suffix(""), "folder", "2026-05-01T10:00:02"))
    (trashed,) = in_trash(home)
    assert (trashed.path, trashed.agent) == (str(path), "omp")
    assert trashed.artifacts == str(trash_of(home) / "files/folder")
    restore(trashed.change)
    assert contents(str(home.folder / ".omp")) == before


def test_only_sessions_of_the_stores_are_listed_newest_first(home: Home, tmp_path: Path) -> None:
    store = home.folder / ".pi/agent/sessions/--w--"
    for number, (path, name) in enumerate(
        [
            (store / "one.jsonl", "one.jsonl"),
            (store / "two words ü.jsonl", "two.jsonl"),
            (store / "notes.txt", "notes.txt"),
            (tmp_path / "elsewhere/three.jsonl", "three.jsonl"),
        ]
    ):
        write_session(
            note(home, path, name, f"2026-05-01T10:00:0{number}"), *chain(f"asked {number}", id=f"id{number}")
        )
    note(home, store / "gone.jsonl", "gone.jsonl")
    note(home, store / "folder.jsonl", "folder.jsonl").mkdir()
    note(home, store / "nobody\0.jsonl", "nul.jsonl").write_text("")
    (trash_of(home) / "info/broken.jsonl.trashinfo").write_bytes(b"\xff\xfe no note")
    (trash_of(home) / "files/broken.jsonl").write_text("")
    trashed = in_trash(home)
    assert [item.path for item in trashed] == [str(store / "two words ü.jsonl"), str(store / "one.jsonl")]
    assert [(item.session_id, item.title, item.agent) for item in trashed] == [
        ("id1", "asked 1", "pi"),
        ("id0", "asked 0", "pi"),
    ]
    assert trashed[0].when_ms - trashed[1].when_ms == 1_000


def test_a_damaged_session_in_the_trash_is_listed_by_its_file(home: Home) -> None:
    path = home.folder / ".pi/agent/sessions/--w--/bad.jsonl"
    note(home, path, "bad.jsonl", "no date").write_text("no session\n")
    (trashed,) = in_trash(home)
    assert (trashed.title, trashed.agent, trashed.session_id) == ("bad.jsonl", "pi", "")
    assert trashed.when_ms > 0
    restore(trashed.change)
    assert path.read_text() == "no session\n"


def test_artifacts_trashed_at_another_time_do_not_belong_to_the_session(home: Home) -> None:
    path = home.folder / ".pi/agent/sessions/--w--/s.jsonl"
    write_session(note(home, path, "s.jsonl", "2026-05-01T10:00:00"), *chain("q"))
    note(home, path.with_suffix(""), "s", "2026-05-01T10:05:00").mkdir()
    assert in_trash(home)[0].artifacts == ""


def test_a_session_outside_the_stores_is_listed_if_leafmark_trashed_it(home: Home) -> None:
    path = write_session(home.folder / "loose/s.jsonl", *chain("q", "a", id="loose"))
    change = trash(str(path), home.env)
    assert in_trash(home) == []
    journal = Journal(str(home.folder / "state"))
    journal.record(change)
    (trashed,) = in_trash(home)
    assert (trashed.path, trashed.in_trash, trashed.session_id) == (str(path), change.after, "loose")
    # Undone or not, the session is in the trash.
    journal.mark_undone(1)
    assert in_trash(home) == [trashed]
    restore(trashed.change)
    assert in_trash(home) == []


def test_another_session_at_the_recorded_path_is_not_listed(home: Home) -> None:
    """The trash has no notes, as on macOS."""
    path = write_session(home.folder / "loose/s.jsonl", *chain("q", "a", id="loose"))
    lies = home.folder / "elsewhere/s.jsonl"
    change = Change("trash", str(path), "", before=str(path), after=str(lies), session_id="loose")
    journal = Journal(str(home.folder / "state"))
    journal.mark_undone(journal.record(change))
    write_session(lies, *chain("q", "a", id="loose"))
    assert [item.session_id for item in in_trash(home)] == ["loose"]
    write_session(lies, *chain("q", "a", id="another"))
    assert in_trash(home) == []


def test_artifacts_are_restored_from_their_current_path(home: Home, tmp_path: Path) -> None:
    """A session that is trashed again may have its old name in the trash, and its artifacts another one."""
    path = write_session(home.folder / "loose/s.jsonl", *chain("q", "a", id="loose"))
    path.with_suffix("").mkdir()
    (path.with_suffix("") / "log").write_text("said")
    before = contents(str(path.parent))
    first = trash(str(path), home.env)
    journal = Journal(str(home.folder / "state"))
    number = journal.record(first)
    restore(first)
    journal.mark_undone(number)
    note(home, tmp_path / "s", "s").mkdir()
    again = trash(str(path), home.env)
    assert (again.after == first.after, again.moves[1] == first.moves[1]) == (True, False)
    (trashed,) = in_trash(home)
    assert trashed.artifacts == again.moves[1][1]
    restore(trashed.change)
    assert contents(str(path.parent)) == before


def test_below_the_data_folder_notes_are_relative(home: Home) -> None:
    data = home.folder / "data"
    path = write_session(data / "omp/sessions/-w/s.jsonl", *chain("q", "a"))
    env = {**home.env, "XDG_DATA_HOME": str(data)}
    change = trash(str(path), env)
    (info,) = (data / "Trash/info").iterdir()
    assert "Path=omp/" in info.read_text()
    (trashed,) = in_trash(home, XDG_DATA_HOME=str(data))
    assert (trashed.path, trashed.in_trash) == (str(path), change.after)
    restore(trashed.change)
    assert stat.S_ISREG(path.lstat().st_mode)
