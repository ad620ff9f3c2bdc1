"""Sessions are restored from oh-my-pi's archive, whole or not at all (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionError

from app.actions.archive import unarchive
from app.actions.unpacking import DamagedCopy
from app.formats import parse_time
from app.sessions import AlreadyThere, Changed, NotThere, WriteFailed
from app.stores import archived, discover
from tests.factory import chain, stamp, write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.stores import Archived

AGENT = ".omp/agent"
PACKED, TARGET = f"{AGENT}/archive/sessions/-work/a.jsonl.gz", f"{AGENT}/sessions/-work/a.jsonl"


class Home:
    """A home folder with one session in oh-my-pi's archive."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packed = folder / PACKED
        self.target = folder / TARGET
        plain = write_session(folder / "plain", *chain("hello", "yes", id="one"))
        self.content = plain.read_bytes()
        self.packed.parent.mkdir(parents=True)
        self.packed_bytes = gzip.compress(self.content)
        self.packed.write_bytes(self.packed_bytes)
        plain.unlink()

    def archived(self) -> Archived:
        [item] = archived(discover({}, str(self.folder), str(self.folder)))
        return item

    def files(self) -> dict[str, bytes]:
        return {
            os.path.relpath(path, self.folder): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_session_is_moved_from_the_archive_to_its_store(home: Home) -> None:
    done = unarchive(home.archived())
    assert home.files() == {TARGET: home.content}
    assert (done.kind, done.before, done.after) == ("file", str(home.packed), str(home.target))
    assert (done.path, done.agent, done.session_id, done.note) == (str(home.target), "omp", "one", "")
    assert archived(discover({}, str(home.folder), str(home.folder))) == []


def test_a_restored_session_has_the_time_of_its_last_message(home: Home) -> None:
    unarchive(home.archived())
    assert home.target.stat().st_mtime_ns == (parse_time(stamp(2)) or 0) * 1_000_000


def test_a_file_without_messages_has_the_time_of_the_archived_file(home: Home) -> None:
    home.packed.write_bytes(gzip.compress(b"no session\n"))
    os.utime(home.packed, (1_700_000_000, 1_700_000_000))
    unarchive(home.archived())
    assert home.target.stat().st_mtime_ns == 1_700_000_000 * 10**9


def test_artifacts_are_restored_with_the_session(home: Home) -> None:
    artifacts = home.packed.parent / "a"
    (artifacts / "local").mkdir(parents=True)
    (artifacts / "1.bash.log").write_text("log")
    (artifacts / "local" / "x").write_text("x")
    unarchive(home.archived())
    folder = f"{AGENT}/sessions/-work/a"
    assert home.files() == {TARGET: home.content, f"{folder}/1.bash.log": b"log", f"{folder}/local/x": b"x"}


def test_an_existing_session_is_not_replaced(home: Home) -> None:
    home.target.parent.mkdir(parents=True)
    home.target.write_text("somebody's\n")
    before = home.files()
    with pytest.raises(AlreadyThere) as caught:
        unarchive(home.archived())
    assert caught.value.path == str(home.target)
    assert home.files() == before


def test_existing_artifacts_are_not_replaced(home: Home) -> None:
    for path in (home.packed.parent / "a", home.target.parent / "a"):
        path.mkdir(parents=True)
        (path / "1.bash.log").write_text(path.parent.name)
    before = home.files()
    with pytest.raises(AlreadyThere):
        unarchive(home.archived())
    assert home.files() == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"no gzip",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-8] + b"\0\0\0\0" + data[-4:],
        lambda data: data + b"more",
    ],
)
def test_a_damaged_file_changes_nothing(home: Home, damage: Callable[[bytes], bytes]) -> None:
    home.packed.write_bytes(damage(home.packed.read_bytes()))
    before = home.files()
    with pytest.raises(DamagedCopy, match="the compressed file is damaged"):
        unarchive(home.archived())
    assert home.files() == before
    assert not home.target.parent.parent.exists()


def test_a_moved_archive_creates_nothing_in_its_old_place(home: Home) -> None:
    item = home.archived()
    moved = home.folder / "elsewhere"
    (home.folder / ".omp").rename(moved)
    with pytest.raises(NotThere, match="no such file"):
        unarchive(item)
    assert list(home.folder.glob(".omp*")) == []
    assert home.files() == {PACKED.replace(".omp", "elsewhere"): home.packed_bytes}


@pytest.mark.parametrize("when", [1_700_000_000, None])
def test_another_session_in_the_archive_in_its_place_is_not_restored(home: Home, when: int | None) -> None:
    item = home.archived()
    other = write_session(home.folder / "plain", *chain("another", "yes", "no", id="two"))
    home.packed.write_bytes(gzip.compress(other.read_bytes()))
    other.unlink()
    if when is not None:
        os.utime(home.packed, (when, when))
    before = home.files()
    with pytest.raises(Changed, match="was changed by another program"):
        unarchive(item)
    assert home.files() == before
    assert not home.target.parent.parent.exists()
    assert unarchive(home.archived()).session_id == "two"


def test_artifacts_that_were_removed_meanwhile_are_no_error(home: Home) -> None:
    (home.packed.parent / "a").mkdir()
    item = home.archived()
    (home.packed.parent / "a").rmdir()
    unarchive(item)
    assert home.files() == {TARGET: home.content}


def test_a_session_is_restored_only_once(home: Home) -> None:
    item = home.archived()
    unarchive(item)
    with pytest.raises(NotThere):
        unarchive(item)
    assert home.files() == {TARGET: home.content}


def test_a_full_disk_changes_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    before = home.files()
    item = home.archived()
    monkeypatch.setattr("app.actions.unpacking.os.fsync", refuse)
    with pytest.raises(WriteFailed, match="No space"):
        unarchive(item)
    assert home.files() == before


def test_if_the_artifacts_cannot_be_restored_the_session_is_not_either(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.actions import archive as module

    (home.packed.parent / "a").mkdir()
    (home.packed.parent / "a" / "1.bash.log").write_text("log")
    before = home.files()
    real = module.move

    def move(source: str, target: str) -> None:
        if os.path.isdir(source):
            raise WriteFailed(target, "cannot be written")
        real(source, target)

    monkeypatch.setattr(module, "move", move)
    with pytest.raises(SessionError):
        unarchive(home.archived())
    assert home.files() == before


def test_a_killed_restore_is_finished_by_the_next(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.packed.parent / "a").mkdir()
    (home.packed.parent / "a" / "1.bash.log").write_text("log")
    item = home.archived()

    class Killed(BaseException):
        pass

    def kill(path: str) -> str:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("app.actions.archive._remove_packed", kill)
        with pytest.raises(Killed):
            unarchive(item)
    assert home.target.read_bytes() == home.content
    unarchive(item)
    assert home.files() == {TARGET: home.content, f"{AGENT}/sessions/-work/a/1.bash.log": b"log"}


def test_an_archive_that_cannot_be_changed_is_reported(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.unlink

    def unlink(path: str) -> None:
        if path == str(home.packed):
            raise PermissionError(1, "Operation not permitted", path)
        real(path)

    monkeypatch.setattr("app.actions.archive.os.unlink", unlink)
    done = unarchive(home.archived())
    assert done.note == "it is in the archive as well, for that cannot be changed: Operation not permitted"
    assert set(home.files()) == {TARGET, PACKED}
