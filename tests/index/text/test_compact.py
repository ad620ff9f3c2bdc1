"""Compaction drops dead text, and never risks losing text that is in use."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import Catalog
from app.index.catalog.span_table import Usage
from app.index.text import compaction as module
from app.index.text import segment as segment_module
from app.index.text.compaction import MANY, WORTH_BYTES, groups, victims
from app.index.text.segment import FULL_BYTES, SMALL_BYTES, Segment, Writer
from app.index.text.store import TextStore
from tests.index.helpers import append, fill, message, pi_store, session, write
from tests.index.text.helpers import assert_right, both, scanned, segments, size_of, spans_by_name, texts

if TYPE_CHECKING:
    from leafmark import Store

ROOT = Path(__file__).resolve().parents[3]
LARGE = SMALL_BYTES + 1


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return pi_store(tmp_path / "store")


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of dead bytes is worth a compaction."""
    monkeypatch.setattr(module, "WORTH_BYTES", 0)


def half_dead(cache: Path, store: Store, count: int = 6) -> dict[str, bytes | None]:
    """Write sessions whose only segment is mostly dead, and return their stored texts."""
    root = Path(store.root)
    for number in range(count):
        write(root / f"{number}.jsonl", session(f"prompt {number} " + "x" * 1_000, f"id{number}"))
    scanned(cache, store)
    for number in range(1, count):
        (root / f"{number}.jsonl").write_text(session(f"again {number}", f"id{number}"))
    # Only the rows are current afterwards: this scan does not compact.
    Index([store], str(cache)).scan(stop=None)
    return texts(cache, store)


def test_which_segments_are_compacted() -> None:
    used = {
        "alive": Usage(LARGE, LARGE),
        "half": Usage(LARGE, 2 * LARGE),
        "dead": Usage(LARGE - 1, 2 * LARGE),
        "hardly worth it": Usage(10, 20),
        "short": Usage(10, 50),
        "gone": Usage(10, 50),
    }
    sizes = {
        "alive": LARGE,
        "half": 2 * LARGE,
        "dead": 2 * LARGE,
        "hardly worth it": WORTH_BYTES,
        "short": 40,
        "orphan": 5,
    }
    assert victims(used, sizes) == ["dead", "short"]
    many = {f"small {number}": Usage(9, 9) for number in range(MANY)}
    many_sizes = dict.fromkeys(many, 9)
    assert victims(many, many_sizes) == []
    assert victims(many | {"one more": Usage(9, 9)}, many_sizes | {"one more": 9}) == ["one more", *many]


def test_a_group_of_victims_fits_into_one_segment() -> None:
    used = {name: Usage(FULL_BYTES // 3, 0) for name in "abcdefg"} | {"h": Usage(5 * FULL_BYTES, 0)}
    assert groups(list(used), used) == [["a", "b", "c"], ["d", "e", "f"], ["g"], ["h"]]


def test_dead_text_is_dropped_and_the_rest_stays(cache: Path, store: Store, eager: None) -> None:
    before = half_dead(cache, store)
    live = size_of(before)
    assert sum(segments(cache).values()) == live, "the last scan has tidied"
    assert texts(cache, store) == before
    assert_right(cache, store)


def test_a_completely_dead_segment_is_deleted(cache: Path, store: Store, eager: None) -> None:
    for path in fill(Path(store.root), 5):
        scanned(cache, store)
        path.unlink()
    scanned(cache, store)
    assert segments(cache) == {}


def test_unreferenced_segments_are_deleted_unless_they_are_being_written(cache: Path, store: Store) -> None:
    fill(Path(store.root), 3)
    scanned(cache, store)
    folder = Catalog(str(cache), [store]).text_folder
    abandoned, busy = Writer(folder), Writer(folder)
    abandoned.keep(both(b"left by a killed process"))
    busy.keep(both(b"not in the catalog yet"))
    abandoned.close()
    Path(folder, "notes.txt").write_text("not ours")
    before = segments(cache)
    assert len(before) == 3
    append(Path(store.root, "--project-0--", "session-0.jsonl"), message("n", "e0", "more"))
    scanned(cache, store)
    assert len(segments(cache)) == 2
    assert Path(folder, "notes.txt").exists()
    busy.close()
    append(Path(store.root, "--project-0--", "session-0.jsonl"), message("m", "n", "more"))
    scanned(cache, store)
    assert len(segments(cache)) == 1
    assert_right(cache, store)


def test_many_small_segments_become_one(cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = fill(Path(store.root), 3 * MANY)
    monkeypatch.setattr(Segment, "adopt", lambda *_: None)
    counts = []
    for path in paths:
        append(path, message("n", "e0", "more"))
        scanned(cache, store)
        counts.append(len(segments(cache)))
    assert max(counts) == MANY
    assert_right(cache, store)


def test_a_segment_that_a_process_appends_to_is_not_compacted(cache: Path, store: Store, eager: None) -> None:
    path = write(Path(store.root) / "a.jsonl", session("x" * 5_000))
    scanned(cache, store)
    (name,) = segments(cache)
    catalog = Catalog(str(cache), [store])
    busy = Segment.adopt(catalog.text_folder, name, 0)
    assert busy is not None
    path.write_text(session("short"))
    scanned(cache, store)
    assert name in segments(cache)
    busy.close()
    append(path, message("n", "e0", "more"))
    scanned(cache, store)
    assert name not in segments(cache)
    assert_right(cache, store)


def test_dead_text_in_a_followers_own_segment_is_dropped(cache: Path, store: Store, eager: None) -> None:
    path = write(Path(store.root) / "a.jsonl", session("x" * 5_000))
    follower = Index([store], str(cache))
    follower.scan()
    path.write_text(session("short"))
    follower.scan()
    assert sum(segments(cache).values()) < 1_000
    append(path, message("n", "e0", "more"))
    follower.scan()
    follower.close()
    assert_right(cache, store)


def test_nothing_is_compacted_while_another_process_writes(cache: Path, store: Store, eager: None) -> None:
    fill(Path(store.root), 3)
    scanned(cache, store)
    folder = Catalog(str(cache), [store]).text_folder
    orphan = Writer(folder)
    orphan.keep(both(b"text that is about to be stored"))
    orphan.close()
    writer = TextStore(Catalog(str(cache), [store]))
    tidy = TextStore(Catalog(str(cache), [store])).tidy
    with writer.writing():
        tidy(threading.Event())
        assert len(segments(cache)) == 2
    tidy(threading.Event())
    assert len(segments(cache)) == 1


def test_a_session_stored_again_during_compaction_keeps_its_new_text(
    cache: Path, store: Store, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without file locks, as on some network shares, two processes may compact and write at the same time."""
    path = write(Path(store.root) / "a.jsonl", session("stays"))
    removed = write(Path(store.root) / "b.jsonl", session("x" * 5_000))
    scanned(cache, store)
    removed.unlink()
    concurrent = Index([store], str(cache))
    concurrent.rows()
    real_copy = module._Copying._copy

    def copy(self: module._Copying, plan: object) -> object:
        moves = real_copy(self, plan)  # type: ignore[arg-type]
        append(path, message("n", "e0", "late"))
        monkeypatch.setattr(concurrent.text_store, "_acquire", lambda **_: False)
        concurrent.scan()
        return moves

    monkeypatch.setattr(module._Copying, "_copy", copy)
    scanned(cache, store)
    monkeypatch.undo()
    concurrent.close()
    scanned(cache, store)
    assert_right(cache, store)


@pytest.mark.parametrize("fails", ["append", "sync"])
def test_a_full_disk_stops_a_compaction_without_loss(
    cache: Path, store: Store, eager: None, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    write(Path(store.root) / "a.jsonl", session("stays"))
    removed = write(Path(store.root) / "b.jsonl", session("x" * 5_000))
    scanned(cache, store)
    before = segments(cache)
    removed.unlink()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Segment, fails, full)
    index = scanned(cache, store)
    assert segments(cache) == before
    assert index.note is None
    assert_right(cache, store)


def test_a_stopped_compaction_ends_between_two_segments(
    cache: Path, store: Store, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_module, "FULL_BYTES", 3_000)
    monkeypatch.setattr(module, "FULL_BYTES", 3_000)
    root = Path(store.root)
    for number in range(6):
        write(root / f"{number}.jsonl", session("y" * 1_300, f"a{number}"))
        write(root / f"{number}x.jsonl", session("x" * 1_400, f"b{number}"))
    scanned(cache, store)
    for path in root.glob("*x.jsonl"):
        path.unlink()
    monkeypatch.setattr("app.index.text.store.TextStore.tidy", lambda *_: None)
    scanned(cache, store)
    monkeypatch.undo()
    monkeypatch.setattr(module, "WORTH_BYTES", 0)
    stop = threading.Event()
    real_move = module._Copying.move
    moved = []

    def move(self: module._Copying, names: list[str]) -> bool:
        moved.append(names)
        stop.set()
        return real_move(self, names)

    monkeypatch.setattr(module._Copying, "move", move)
    catalog = Catalog(str(cache), [store])
    TextStore(catalog).tidy(stop)
    assert len(moved) == 1
    assert_right(cache, store)
    assert os.listdir(catalog.text_folder)


def test_text_that_cannot_be_copied_is_read_again(cache: Path, store: Store, eager: None) -> None:
    paths = fill(Path(store.root), 4)
    scanned(cache, store)
    (path,) = cache.rglob("*.folded")
    catalog = Catalog(str(cache), [store])
    ((_, start, _),) = spans_by_name(catalog)["session-0.jsonl"]
    catalog.close()
    os.truncate(path, start + 3)
    paths[3].unlink()
    scanned(cache, store)
    scanned(cache, store)
    assert_right(cache, store)


TIDIES = """
import os, sys, threading
sys.path.insert(0, sys.argv[1])
sys.argv[2]
from app.index.catalog.catalog import Catalog
from app.index.catalog import span_table
from app.index.text import compaction, segment
from app.index.text.store import TextStore
from tests.index.helpers import pi_store
compaction.WORTH_BYTES = 0
left = int(sys.argv[4])
def step(frame, event, what):
    global left
    if event in ("call", "c_call") and "app/index" in frame.f_code.co_filename:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
catalog = Catalog(sys.argv[2], [pi_store(sys.argv[3])])
catalog.texts()
store = TextStore(catalog)
sys.setprofile(step)
store.tidy(threading.Event())
catalog.close()
sys.setprofile(None)
print("done", flush=True)
"""


@pytest.mark.slow
def test_a_compaction_killed_at_any_step_loses_nothing(
    tmp_path: Path, cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(Path(store.root) / "a.jsonl", session("stays", messages=3))
    write(Path(store.root) / "b.jsonl", session("stays too"))
    removed = write(Path(store.root) / "c.jsonl", session("x" * 5_000))
    scanned(cache, store)
    removed.unlink()
    monkeypatch.setattr("app.index.text.store.TextStore.tidy", lambda *_: None)
    scanned(cache, store)
    monkeypatch.undo()
    step, killed = 0, 0
    while True:
        copy = tmp_path / f"copy-{step}"
        subprocess.run(["cp", "-a", str(cache), str(copy)], check=True)
        command = [sys.executable, "-c", TIDIES, str(ROOT), str(copy), store.root, str(step)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # No file has to be read again, whenever the process was killed.
        assert scanned(copy, store).counts.whole == 0
        assert_right(copy, store)
        if done.stdout == "done\n":
            break
        assert done.returncode == -9, done.stderr
        killed += 1
        # Small steps, so that kills fall between the writing and the deleting of segments.
        step += 7
    assert killed > 20
    assert sum(segments(copy).values()) < 1_000
