"""The meaning of file events, file systems that report nothing, and polling."""

from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Store

from app.index import signature_of
from app.index.network_mounts import is_silent
from app.index.scan import HOT_FILES, TURN_FILES, hints_of
from app.index.watch.polling import PollWatch
from app.stores import agent_named
from tests.cases import cases
from tests.index.helpers import append, fill, message, pi_store, session, write

if TYPE_CHECKING:
    from app.index import Signature


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    write(root / "--p--" / "a.jsonl", session())
    write(root / "--p--" / "a" / "0-scout.jsonl", session())
    write(root / "flat.jsonl", session())
    write(root / "flat" / "0-scout.jsonl", session())
    write(root / "notes.txt", "")
    (tmp_path / "elsewhere").mkdir()
    (root / "link").symlink_to(tmp_path / "elsewhere")
    return root


@cases(
    ("path", "expected"),
    [
        ("--p--/a.jsonl", "file"),
        ("--p--/new.jsonl", "file"),
        ("new.jsonl", "file"),
        ("--q--/new.jsonl", "file"),
        ("", "walk"),
        ("--p--", "walk"),
        ("--gone--", "walk"),
        ("--p--/na\ufffdme.jsonl", "walk"),
        ("link/b.jsonl", "walk"),
        ("notes.txt", "nothing"),
        ("--p--/a.jsonl.lock", "nothing"),
        ("--p--/a/0-scout.jsonl", "nothing"),
        ("--p--/a/local/log", "nothing"),
        ("flat/0-scout.jsonl", "nothing"),
        ("flat/1.bash.log", "nothing"),
        ("../other/b.jsonl", "nothing"),
    ],
)
def test_the_meaning_of_an_event(root: Path, path: str, expected: str) -> None:
    known = {str(root / "--p--" / "a.jsonl"), str(root / "flat.jsonl")}
    full = os.path.normpath(os.path.join(root, path))
    hints = hints_of([full], [pi_store(root)], known)
    assert (hints.paths, hints.walk) == {
        "file": ({full}, False),
        "walk": (set(), True),
        "nothing": (set(), False),
    }[expected]
    assert hints.count == 1


def test_an_event_in_a_store_inside_a_store_counts_for_the_inner_one(root: Path) -> None:
    path = str(root / "--p--" / "a" / "0-scout.jsonl")
    hints = hints_of([path], [pi_store(root), pi_store(root / "--p--" / "a")], ())
    assert hints.paths == {path}


TABLE = """/dev/vda / ext4 rw 0 0
proc /proc proc rw 0 0
server:/export /home nfs4 rw 0 0
/dev/sdb /home/local ext4 rw 0 0
me@host:/ /mnt/my\\040host fuse.sshfs rw 0 0
odd
"""


@cases(
    ("path", "silent"),
    [
        ("/srv/x", False),
        ("/home/me/.pi", True),
        ("/home", True),
        ("/homes/me", False),
        ("/home/local/me", False),
        ("/mnt/my host/x", True),
    ],
)
def test_network_file_systems_report_nothing(tmp_path: Path, path: str, silent: bool) -> None:
    table = write(tmp_path / "mounts", TABLE)
    assert is_silent(path, str(table)) is silent
    assert is_silent(path, str(tmp_path / "none")) is False


def polled(root: Path, paths: list[Path]) -> PollWatch:
    known = {str(path): signature_of(path.stat()) for path in paths}
    # Otherwise polling would check these folders again, because their times are less than a clock tick old.
    for folder in {root, *(path.parent for path in paths)}:
        os.utime(folder, (1_700_000_000, 1_700_000_000))
    return PollWatch([pi_store(root)], known)


def test_polling_looks_for_the_new_place_of_a_file_that_is_gone(tmp_path: Path) -> None:
    paths = fill(tmp_path, 3)
    watch = polled(tmp_path, paths)
    paths[1].unlink()
    folder = paths[1].parent
    os.utime(folder, (1_700_000_000, 1_700_000_000))
    hints = watch.wait(2, threading.Event())
    assert (hints.paths, hints.walk) == (set(), True)


def test_files_with_future_times_do_not_delay_polling(tmp_path: Path) -> None:
    """There are more of them than polling checks in each round, but their ctimes say that nothing writes them
    now.
    """
    (path,) = fill(tmp_path, 1)
    append(path, message("n", "e0", "an hour ago"))
    known = {
        str(tmp_path / f"ahead-{number}.jsonl"): (number, 100, 4_000_000_000 * 10**9, 1_600_000_000 * 10**9)
        for number in range(2 * HOT_FILES)
    }
    known[str(path)] = signature_of(path.stat())
    watch = PollWatch([pi_store(tmp_path)], known)
    append(path, message("m", "n", "now"))
    assert str(path) in watch.wait(2, threading.Event()).paths


def test_recently_copied_files_do_not_delay_polling(tmp_path: Path) -> None:
    """A link or a copy sets a new ctime, too."""
    (path,) = fill(tmp_path, 1)
    inode, size, _, now = signature_of(path.stat())
    hour = 3600 * 10**9
    known = {
        str(tmp_path / f"{number}.jsonl"): (number, 100, 4_000_000_000 * 10**9, now)
        for number in range(40 * HOT_FILES)
    }
    known[str(path)] = (inode, size, now - hour, now)
    watch = PollWatch([pi_store(tmp_path)], known)
    assert watch.wait(3600, Rounds(1)).paths >= {str(path)}


class Rounds(threading.Event):
    """A stop event that is set after this many rounds, and never waits."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.left = rounds

    def wait(self, timeout: float | None = None) -> bool:
        self.left -= 1
        return self.left < 0


AHEAD = (4_000_000_000 * 10**9, 4_000_000_000 * 10**9)
"""Modification and change time of a file in the future, in nanoseconds."""


@pytest.fixture
def looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Path -> number of stat calls on session files."""
    looks: Counter[str] = Counter()
    real = os.stat

    def stat(path: str, **options: Any) -> os.stat_result:
        if isinstance(path, str) and path.endswith(".jsonl"):
            looks[path] += 1
        return real(path, **options)

    monkeypatch.setattr("app.index.scan.hints.os.stat", stat)
    return looks


@pytest.fixture
def crowd(tmp_path: Path) -> dict[str, Signature]:
    """Signatures of files, many of them with future times and the rest old."""
    paths = fill(tmp_path, 3 * HOT_FILES)
    known = {}
    for number, path in enumerate(paths):
        inode, size, mtime, _ = signature_of(path.stat())
        ahead = number < 2 * HOT_FILES
        known[str(path)] = (inode, size, mtime, AHEAD[1] if ahead else 1_000)
        if ahead:
            os.utime(path, ns=AHEAD)
            known[str(path)] = (inode, size, *AHEAD)
    return known


def test_polling_checks_every_file_after_enough_rounds(
    tmp_path: Path, crowd: dict[str, Signature], looked_at: Counter[str]
) -> None:
    watch = PollWatch([pi_store(tmp_path)], crowd)
    rounds = -(-len(crowd) // TURN_FILES)
    # The timeout is an hour, so that the rounds end the wait.
    hints = watch.wait(3600, Rounds(rounds))
    assert not hints.paths
    assert looked_at.keys() == crowd.keys()
    assert looked_at.total() <= rounds * HOT_FILES + len(crowd)


def test_polling_keeps_checking_the_files_that_changed_last(
    tmp_path: Path, crowd: dict[str, Signature], looked_at: Counter[str]
) -> None:
    watch = PollWatch([pi_store(tmp_path)], crowd)
    changed = [*crowd][-HOT_FILES - 2 :]
    for path in changed:
        crowd[path] = (*crowd[path][:1], crowd[path][1] + 1, *crowd[path][2:])
        while path not in watch.wait(3600, Rounds(1)).paths:
            pass
        crowd[path] = signature_of(os.stat(path))
    looked_at.clear()
    watch.wait(3600, Rounds(1))
    assert looked_at.keys() >= set(changed[2:])
    assert looked_at.total() <= 2 * HOT_FILES + TURN_FILES


def test_polling_checks_the_newest_file_in_each_round(tmp_path: Path, looked_at: Counter[str]) -> None:
    """A session that just began is checked in each round, even after changes in many others."""
    paths = fill(tmp_path, 5 * HOT_FILES)
    known = {str(path): signature_of(path.stat()) for path in paths}
    watch = PollWatch([pi_store(tmp_path)], known)
    for path in paths[: HOT_FILES + 6]:
        append(path, message("m", "e0", "now"))
        while str(path) not in watch.wait(3600, Rounds(1)).paths:
            pass
        known[str(path)] = signature_of(path.stat())
    new = write(paths[0].parent / "new.jsonl", session())
    known[str(new)] = signature_of(new.stat())
    watch.walked(0.0, missed=False)
    looked_at.clear()
    # The rounds have not reached the last file yet.
    assert not watch.wait(3600, Rounds(3)).paths
    assert looked_at[str(new)] == 3
    # The changed files have the newest times as well, and are not checked twice.
    assert looked_at.total() <= 3 * (HOT_FILES + 10 + TURN_FILES)
    append(new, message("m", "e0", "now"))
    assert watch.wait(3600, Rounds(1)).paths == {str(new)}


@cases(("took", "seconds"), [(0.001, 2.0), (0.04, 10.0), (5.0, 30.0)])
def test_the_interval_of_walks_grows_with_their_cost(tmp_path: Path, took: float, seconds: float) -> None:
    watch = PollWatch([pi_store(tmp_path)], {})
    watch.walked(took, missed=False)
    assert watch.idle_walk_seconds == pytest.approx(seconds)


def test_files_and_folders_below_the_days_of_codex_are_noticed(tmp_path: Path) -> None:
    store = Store(agent_named("codex"), str(tmp_path))
    day = tmp_path / "2026/02/23"
    (day / "inside").mkdir(parents=True)
    path = str(day / "rollout-1.jsonl")
    hints = hints_of([path], [store], ())
    assert (hints.paths, hints.walk) == ({path}, False)
    assert hints_of([str(day)], [store], ()).walk
    assert hints_of([str(tmp_path / "2026/01")], [store], ()).walk
    for other in (day / "inside", day / "inside" / "x.jsonl"):
        hints = hints_of([str(other)], [store], ())
        assert (hints.paths, hints.walk) == (set(), False)
