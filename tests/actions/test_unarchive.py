"""Sessions come back from oh-my-pi's cold archive, whole or not at all (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pytest

from app.actions.archive import DamagedArchive, unarchive
from app.formats.timestamps import parse_time
from app.sessions.errors import AlreadyThere, Changed, NotThere, SessionError, WriteFailed
from app.stores import discover
from app.stores.archive import archived
from tests.factory import chain, stamp, write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.stores.archive import Archived

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
        [one] = archived(discover({}, str(self.folder), str(self.folder)))
        return one

    def files(self) -> dict[str, bytes]:
        return {
            os.path.relpath(path, self.folder): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_it_is_where_oh_my_pi_lists_it_and_no_more_in_the_archive(home: Home) -> None:
    done = unarchive(home.archived())
    assert home.files() == {TARGET: home.content}
    assert (done.kind, done.before, done.after) == ("file", str(home.packed), str(home.target))
    assert (done.path, done.agent, done.session_id, done.note) == (str(home.target), "omp", "one", "")
    assert archived(discover({}, str(home.folder), str(home.folder))) == []


def test_it_has_the_time_of_its_last_message(home: Home) -> None:
    unarchive(home.archived())
    assert home.target.stat().st_mtime_ns == (parse_time(stamp(2)) or 0) * 1_000_000


def test_where_that_cannot_be_told_it_has_the_time_of_the_packed_file(home: Home) -> None:
    home.packed.write_bytes(gzip.compress(b"no session\n"))
    os.utime(home.packed, (1_700_000_000, 1_700_000_000))
    unarchive(home.archived())
    assert home.target.stat().st_mtime_ns == 1_700_000_000 * 10**9


def test_its_artifacts_come_along(home: Home) -> None:
    artifacts = home.packed.parent / "a"
    (artifacts / "local").mkdir(parents=True)
    (artifacts / "1.bash.log").write_text("log")
    (artifacts / "local" / "x").write_text("x")
    unarchive(home.archived())
    folder = f"{AGENT}/sessions/-work/a"
    assert home.files() == {TARGET: home.content, f"{folder}/1.bash.log": b"log", f"{folder}/local/x": b"x"}


def test_nothing_that_is_there_is_written_over(home: Home) -> None:
    home.target.parent.mkdir(parents=True)
    home.target.write_text("somebody's\n")
    before = home.files()
    with pytest.raises(AlreadyThere) as caught:
        unarchive(home.archived())
    assert caught.value.path == str(home.target)
    assert home.files() == before


def test_nor_are_artifacts(home: Home) -> None:
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
def test_of_a_damaged_file_nothing_is_made_and_nothing_is_lost(
    home: Home, damage: Callable[[bytes], bytes]
) -> None:
    home.packed.write_bytes(damage(home.packed.read_bytes()))
    before = home.files()
    with pytest.raises(DamagedArchive, match="cannot be unpacked"):
        unarchive(home.archived())
    assert home.files() == before
    assert not home.target.parent.parent.exists()


def test_of_an_archive_that_was_moved_nothing_is_made_where_it_was(home: Home) -> None:
    one = home.archived()
    moved = home.folder / "elsewhere"
    (home.folder / ".omp").rename(moved)
    with pytest.raises(NotThere, match="is not in the archive any more"):
        unarchive(one)
    assert list(home.folder.glob(".omp*")) == []
    assert home.files() == {PACKED.replace(".omp", "elsewhere"): home.packed_bytes}


@pytest.mark.parametrize("when", [1_700_000_000, None])
def test_what_has_taken_its_place_is_not_brought_back(home: Home, when: int | None) -> None:
    one = home.archived()
    other = write_session(home.folder / "plain", *chain("another", "yes", "no", id="two"))
    home.packed.write_bytes(gzip.compress(other.read_bytes()))
    other.unlink()
    if when is not None:
        os.utime(home.packed, (when, when))
    before = home.files()
    with pytest.raises(Changed, match="was changed by another program"):
        unarchive(one)
    assert home.files() == before
    assert not home.target.parent.parent.exists()
    assert unarchive(home.archived()).session_id == "two"


def test_artifacts_that_were_removed_meanwhile_are_not_missed(home: Home) -> None:
    (home.packed.parent / "a").mkdir()
    one = home.archived()
    (home.packed.parent / "a").rmdir()
    unarchive(one)
    assert home.files() == {TARGET: home.content}


def test_a_second_one_finds_nothing(home: Home) -> None:
    one = home.archived()
    unarchive(one)
    with pytest.raises(NotThere):
        unarchive(one)
    assert home.files() == {TARGET: home.content}


def test_a_full_disk_leaves_all_as_it_was(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    before = home.files()
    one = home.archived()
    monkeypatch.setattr("app.actions.archive.os.fsync", refuse)
    with pytest.raises(WriteFailed, match="No space"):
        unarchive(one)
    assert home.files() == before


def test_where_the_artifacts_cannot_come_the_session_does_not_either(
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


def test_what_was_stopped_half_way_is_finished(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.packed.parent / "a").mkdir()
    (home.packed.parent / "a" / "1.bash.log").write_text("log")
    one = home.archived()

    class Killed(BaseException):
        pass

    def kill(path: str) -> str:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("app.actions.archive._remove_packed", kill)
        with pytest.raises(Killed):
            unarchive(one)
    assert home.target.read_bytes() == home.content
    unarchive(one)
    assert home.files() == {TARGET: home.content, f"{AGENT}/sessions/-work/a/1.bash.log": b"log"}


def test_an_archive_that_cannot_be_changed_is_said(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.unlink

    def unlink(path: str) -> None:
        if path == str(home.packed):
            raise PermissionError(1, "Operation not permitted", path)
        real(path)

    monkeypatch.setattr("app.actions.archive.os.unlink", unlink)
    done = unarchive(home.archived())
    assert done.note == "it is in the archive as well, for that cannot be changed: Operation not permitted"
    assert set(home.files()) == {TARGET, PACKED}
