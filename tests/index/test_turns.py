"""Periodic checks look at each file and folder once per round, a few at a time. The tests set the clock."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.index.path_events import Hints
from app.index.row import Signature, signature_of, unread
from app.index.scan.scan import Scanner
from app.index.text.store import TextStore
from app.index.watch import follower, periodic_check, watch
from app.index.watch.periodic_check import LOOK_SECONDS, MOST, ROUND_SECONDS, PeriodicCheck
from app.index.watch.watch import NativeWatch
from tests.index.helpers import Listener, append, fill, message, pi_store, session, write

if TYPE_CHECKING:
    from pathlib import Path

FILES = 600
FOLDERS = 20


class Clock:
    """Replaces the module `time` of `periodic_check`."""

    def __init__(self) -> None:
        self.now = 1_000.0
        # later than every time of the test's files
        self.today_ns = 4_000_000_000 * 10**9

    def monotonic(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return self.today_ns


class Round:
    """A store, the signatures of its files, and a periodic check that is called five times a second."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self.root = root
        self.paths = fill(root, FILES, folders=FOLDERS)
        self.known: dict[str, Signature] = {str(path): signature_of(path.stat()) for path in self.paths}
        self.turns = PeriodicCheck([pi_store(root)], self.known)
        self._clock = clock

    def look(self, seconds: float = ROUND_SECONDS) -> Hints:
        """The changes that are noticed in this many seconds."""
        hints = Hints()
        for _ in range(round(seconds * 5)):
            self.turns.look(hints)
            self._clock.now += 0.2
        return hints


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(periodic_check, "time", clock)
    return clock


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Path -> number of stat calls."""
    looks: Counter[str] = Counter()
    real = os.stat

    def stat(path: Any, **options: Any) -> os.stat_result:
        looks[str(path)] += 1
        return real(path, **options)

    monkeypatch.setattr("app.index.watch.periodic_check.os.stat", stat)
    return looks


@pytest.fixture
def quiet(tmp_path: Path, clock: Clock) -> Round:
    """A round in which the state of each folder is already known."""
    quiet = Round(tmp_path / "store", clock)
    quiet.turns.walked(())
    assert quiet.look().count == 0
    return quiet


def test_each_path_is_checked_once_per_round_a_few_at_a_time(quiet: Round, looks: Counter[str]) -> None:
    begun = []
    for _ in range(150):
        before = looks.total()
        assert quiet.look(0.2).count == 0
        begun.append(looks.total() - before)
    # Most of the five calls a second check nothing.
    assert begun.count(0) >= 0.8 * len(begun)
    assert max(begun) <= 1 + 1.2 * LOOK_SECONDS / (ROUND_SECONDS - LOOK_SECONDS) * (FILES + FOLDERS + 1)
    assert looks.keys() == {*quiet.known, str(quiet.root), *(str(path.parent) for path in quiet.paths)}
    assert max(looks.values()) <= 2
    assert looks.total() <= 1.1 * len(looks)


def test_after_a_pause_it_does_not_catch_up_at_once(
    tmp_path: Path, clock: Clock, looks: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(periodic_check, "MOST", 50)
    round_ = Round(tmp_path / "store", clock)
    round_.look(LOOK_SECONDS)
    clock.now += 3600
    for _ in range(3):
        before = looks.total()
        round_.look(LOOK_SECONDS)
        assert looks.total() - before == 50
    assert MOST > 50


@pytest.mark.parametrize("change", ["grown", "replaced", "in place", "gone"])
def test_a_changed_file_is_noticed_within_a_round(quiet: Round, change: str) -> None:
    path = quiet.paths[FILES // 2]
    if change == "grown":
        append(path, message("n", "e0", "more"))
    elif change == "replaced":
        status = path.stat()
        path.with_suffix(".tmp").write_bytes(path.read_bytes())
        os.utime(path.with_suffix(".tmp"), ns=(status.st_atime_ns, status.st_mtime_ns))
        os.replace(path.with_suffix(".tmp"), path)
    elif change == "in place":
        path.write_bytes(path.read_bytes())
    else:
        path.unlink()
    hints = quiet.look()
    assert (hints.paths, hints.walk) == ({str(path)}, False)


def test_an_unreadable_file_is_tried_again_once_per_round(quiet: Round) -> None:
    path = str(quiet.paths[7])
    quiet.known[path] = unread(quiet.known[path])
    for _ in range(2):
        hints = quiet.look()
        assert (hints.paths, hints.count) == ({path}, 1)


def test_a_new_session_is_noticed_and_other_files_of_its_folder_are_not(quiet: Round) -> None:
    folder = quiet.paths[0].parent
    new = write(folder / "new.jsonl", session())
    write(folder / "new" / "0-scout.jsonl", session())
    write(folder / "notes.txt", "")
    hints = quiet.look()
    assert (hints.paths, hints.walk) == ({str(new)}, False)
    quiet.known[str(new)] = signature_of(new.stat())
    assert quiet.look().count == 0
    flat = write(quiet.root / "flat.jsonl", session())
    hints = quiet.look()
    assert (hints.paths, hints.walk) == ({str(flat)}, False)


@pytest.mark.parametrize("change", ["new", "gone", "moved", "of another", "right"])
def test_a_changed_folder_requests_a_walk(quiet: Round, tmp_path: Path, change: str) -> None:
    folder = quiet.paths[0].parent
    if change == "new":
        (quiet.root / "--new--").mkdir()
    elif change == "gone":
        for path in folder.iterdir():
            del quiet.known[str(path)]
            path.unlink()
        folder.rmdir()
    elif change == "moved":
        folder.rename(quiet.root / "--moved--")
    elif change == "of another":
        folder.rename(tmp_path / "away")
        (tmp_path / "other").mkdir()
        (tmp_path / "other").rename(folder)
    else:
        folder.chmod(0o711)
    assert quiet.look().walk
    quiet.turns.walked(())
    quiet.look()
    hints = quiet.look()
    assert not hints.walk


def test_a_folder_that_changed_long_ago_is_not_listed_again(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = Round(tmp_path / "store", clock)
    round_.turns.walked(())
    listed: list[str] = []
    real = os.scandir
    monkeypatch.setattr(
        "app.index.watch.periodic_check.os.scandir", lambda path: (listed.append(path), real(path))[1]
    )
    assert round_.look().count == 0
    assert listed == []
    write(round_.paths[0].parent / "new.jsonl", session())
    assert round_.look().count == 1
    assert listed == [str(round_.paths[0].parent)]


def test_a_file_created_before_the_first_check_of_its_folder_is_noticed(tmp_path: Path, clock: Clock) -> None:
    """It is created between the walk that found the folder and the folder's first check."""
    clock.today_ns = time.time_ns()
    round_ = Round(tmp_path / "store", clock)
    round_.turns.walked(())
    new = write(round_.paths[0].parent / "new.jsonl", session())
    assert round_.look().paths == {str(new)}


def test_a_recently_changed_folder_is_checked_again(
    quiet: Round, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file created within the same clock tick leaves the folder's time unchanged."""
    folder = quiet.paths[0].parent
    first = write(folder / "first.jsonl", session())
    folder_time = folder.stat().st_mtime_ns
    clock.today_ns = folder_time + 1_000
    assert quiet.look().paths == {str(first)}
    quiet.known[str(first)] = signature_of(first.stat())
    second = write(folder / "second.jsonl", session())
    os.utime(folder, ns=(folder_time, folder_time))
    state = periodic_check._state(str(folder))
    monkeypatch.setattr(
        periodic_check, "_state", lambda path: state if path == str(folder) else quiet.turns._folders[path]
    )
    quiet.turns._folders[str(folder)] = (*state[:3], 0, state[4]) if state else None
    assert quiet.look().paths == {str(second)}


@pytest.mark.parametrize("name", ["dangling.jsonl", "--dangling--"])
def test_the_new_target_of_a_dangling_link_requests_a_walk(tmp_path: Path, clock: Clock, name: str) -> None:
    round_ = Round(tmp_path / "store", clock)
    link = round_.paths[0].parent / name if name.endswith("jsonl") else round_.root / name
    link.symlink_to(tmp_path / "later")
    round_.turns.walked([str(link)] if name.endswith("jsonl") else [])
    round_.look()
    assert round_.look().count == 0
    if name.endswith("jsonl"):
        write(tmp_path / "later", session())
    else:
        (tmp_path / "later").mkdir()
    assert round_.look().walk


def test_changes_without_a_notice_are_found_without_a_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NativeWatch, "idle_walk_seconds", 3600.0)
    monkeypatch.setattr(NativeWatch, "_noticed", lambda *_: Hints())
    monkeypatch.setattr(periodic_check, "_TURNS_SECONDS", 0.1)
    monkeypatch.setattr(periodic_check, "LOOK_SECONDS", 0.02)
    paths = fill(tmp_path / "store", 20, folders=4)
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"), poll=False)
    with Listener(index) as listener:
        append(paths[3], message("n", "e0", "more"))
        listener.until(lambda: listener.rows[str(paths[3])].message_count == 2)
        new = write(paths[3].parent / "new.jsonl", session())
        listener.until(lambda: str(new) in listener.rows)
        new.unlink()
        listener.until(lambda: str(new) not in listener.rows)
        assert index.counts.walks == 2


def test_walks_are_rare_without_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten minutes pass on the test's clock."""
    clock = Clock()
    paths = fill(tmp_path / "store", 20, folders=4)
    stores = [pi_store(tmp_path / "store")]
    catalog = Catalog(str(tmp_path / "cache"), stores)
    scanner = Scanner(catalog, TextStore(catalog), stores, lambda: 0)
    scanner.scan(lambda _: None, threading.Event())
    assert len(scanner.known) == len(paths)
    for module in (follower, watch, periodic_check):
        monkeypatch.setattr(module, "time", clock)
    stop = threading.Event()
    waits: list[float] = []

    def noticed(self: NativeWatch, notify: object, seconds: float, stop: threading.Event) -> Hints:
        waits.append(seconds)
        clock.now += seconds
        if clock.now >= 1_605.0:
            stop.set()
        return Hints()

    monkeypatch.setattr(NativeWatch, "_noticed", noticed)
    before = scanner.counts.walks
    follower.Follower(scanner, stores, poll=False).run(lambda _: None, stop, threading.Event())
    # plus the first walk, at once
    assert scanner.counts.walks - before == 1 + int(600 / watch.SELDOM_SECONDS)
    assert len(waits) <= 5 * 605 + 10, "so often it is awake"
