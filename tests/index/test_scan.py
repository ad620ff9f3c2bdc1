"""A scan reads the files that changed, and no others."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index

from app.actions import rename
from app.index import problem_count
from app.index.scan import deltas as deltas_module
from app.index.scan import executor
from app.index.scan import scan as scan_module
from app.index.scan.walk import walk
from tests.cases import cases
from tests.index.helpers import append, facts, fill, fresh, header, message, pi_store, session, write

if TYPE_CHECKING:
    from leafmark import Store

    from app.index import Delta


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> Store:
    return pi_store(root)


@pytest.fixture
def index(tmp_path: Path, store: Store) -> Index:
    return Index([store], str(tmp_path / "cache"), now=lambda: 12_345)


def cost(index: Index) -> tuple[int, int, int]:
    """(files read completely, files read from the last position, bytes read) by one scan."""
    counts = index.counts
    before = counts.whole, counts.tails, counts.bytes
    index.scan()
    return counts.whole - before[0], counts.tails - before[1], counts.bytes - before[2]


def content_of(root: Path) -> dict[str, tuple[bytes, os.stat_result]]:
    return {
        os.path.join(folder, name): (open(os.path.join(folder, name), "rb").read(), os.stat(folder))
        for folder, _, names in os.walk(root)
        for name in names
    }


def test_the_first_scan_reads_everything_and_the_second_nothing(root: Path, index: Index) -> None:
    paths = fill(root, 200)
    assert cost(index) == (200, 0, sum(path.stat().st_size for path in paths))
    assert cost(index) == (0, 0, 0)
    assert len(index.rows()) == 200


def test_an_append_to_one_of_200_files_reads_exactly_its_bytes(root: Path, index: Index) -> None:
    paths = fill(root, 200)
    index.scan()
    added = message("new", "e0", "one more")
    append(paths[77], added)
    assert cost(index) == (0, 1, len(added))
    (row,) = [row for row in index.rows() if row.path == str(paths[77])]
    assert (row.message_count, row.leaf_id) == (2, "new")


def rewritten_larger(path: Path) -> None:
    # pi migrates like this: same inode, truncated, then written with more bytes.
    path.write_text(session("migrated", "s1") + message("x", "e0", "and more"))


def replaced(path: Path) -> None:
    write(path.with_suffix(".tmp"), session("replaced") + message("x", "e0", "and more"))
    os.replace(path.with_suffix(".tmp"), path)


def written_in_place(path: Path) -> None:
    with open(path, "r+b") as file:
        data = file.read().replace(b"prompt 3", b"PROMPT 3")
        file.seek(0)
        file.write(data)


def shortened(path: Path) -> None:
    path.write_text(header())


@pytest.mark.parametrize("change", [rewritten_larger, replaced, written_in_place, shortened])
def test_other_changes_than_growth_read_the_whole_file(
    tmp_path: Path, root: Path, store: Store, index: Index, change: object
) -> None:
    paths = fill(root, 10)
    index.scan()
    assert callable(change)
    change(paths[3])
    assert cost(index)[:2] == (1, 0)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


FAILED = message("new", "e0", "a write that failed")


@cases("written", [FAILED[:30], FAILED, FAILED + message("more", "new", "and the next")])
@pytest.mark.parametrize("text", ["x", "a write that worked", "a much longer one " * 50])
def test_a_write_that_an_agent_rolls_back_leaves_nothing_in_the_row(
    tmp_path: Path, written: str, text: str
) -> None:
    """The file is cut to its size before the write, and another entry takes the place of the failed one."""
    with TemporaryDirectory(dir=tmp_path) as folder:
        store = pi_store(Path(folder) / "store")
        index = Index([store], os.path.join(folder, "cache"), now=lambda: 12_345)
        path = write(Path(store.root) / "a.jsonl", session())
        index.scan()
        before = path.stat().st_size
        append(path, written)
        index.scan()
        os.truncate(path, before)
        append(path, message("other", "e0", text))
        index.scan()
        (row,) = index.rows()
        assert (row.message_count, row.leaf_id, row.torn) == (2, "other", False)
        assert facts(index.rows(full=True)) == fresh(store, Path(folder) / "other")


def test_a_rolled_back_write_that_nothing_follows_leaves_the_row_as_it_was(root: Path, index: Index) -> None:
    path = write(root / "a.jsonl", session())
    before = path.stat().st_size
    append(path, FAILED)
    index.scan()
    os.truncate(path, before)
    index.scan()
    (row,) = index.rows()
    assert (row.message_count, row.leaf_id, row.size) == (1, "e0", before)


def test_a_file_with_only_a_new_time_is_read(root: Path, index: Index) -> None:
    # oh-my-pi rewrites its title line in place, so that the size can stay the same.
    paths = fill(root, 3)
    index.scan()
    os.utime(paths[0], (1, 1))
    assert cost(index)[:2] == (1, 0)


def test_deleted_files_are_forgotten(root: Path, index: Index) -> None:
    paths = fill(root, 20)
    index.scan()
    paths[4].unlink()
    shutil.rmtree(paths[5].parent)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    deleted = {str(path) for path in paths if not path.exists()}
    assert len(deleted) == 3
    assert {path for delta in deltas for path in delta.removed} == deleted
    assert deleted.isdisjoint(row.path for row in index.rows())
    assert cost(index) == (0, 0, 0)


def test_a_refused_file_is_remembered_and_may_become_a_session(root: Path, index: Index) -> None:
    path = write(root / "a.jsonl", "")
    write(root / "b.jsonl", "not json\n")
    index.scan()
    assert index.rows() == []
    assert [os.path.basename(row.path) for row in index.problem_files()] == ["a.jsonl", "b.jsonl"]
    assert all(row.refused for row in index.problem_files())
    assert cost(index) == (0, 0, 0)
    append(path, session())
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert [row.path for delta in deltas for row in delta.changed] == [str(path)]
    path.write_text("")
    deltas.clear()
    index.scan(deltas.append)
    assert [path for delta in deltas for path in delta.removed] == [str(path)]
    assert len(index.problem_files()) == 2


@pytest.mark.parametrize("known", [False, True])
def test_a_file_deleted_between_walk_and_reading_is_not_listed(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    paths = fill(root, 3)
    if known:
        index.scan()
        append(paths[1], message("new", "e0", "more"))

    def walk_then_delete(*arguments: object, **named: object) -> object:
        walk_result = walk(*arguments, **named)  # type: ignore[arg-type]
        paths[1].unlink()
        return walk_result

    monkeypatch.setattr(scan_module, "walk", walk_then_delete)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert {row.path for row in index.rows()} == {str(paths[0]), str(paths[2])}
    assert index.problem_files() == []
    assert (deltas[-1].done, deltas[-1].total) == ((1, 1) if known else (3, 3))
    assert [path for delta in deltas for path in delta.removed] == ([str(paths[1])] if known else [])


def test_a_file_that_shrinks_between_walk_and_reading_is_read_again(
    tmp_path: Path, root: Path, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(root / "a.jsonl", session(messages=50))
    index.scan()
    append(path, message("new", "e0", "more"))

    def walk_then_cut(*arguments: object, **named: object) -> object:
        walk_result = walk(*arguments, **named)  # type: ignore[arg-type]
        path.write_text(session("cut"))
        return walk_result

    monkeypatch.setattr(scan_module, "walk", walk_then_cut)
    index.scan()
    monkeypatch.setattr(scan_module, "walk", walk)
    index.scan()
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    assert [row.title for row in index.rows()] == ["cut"]


def test_the_rows_of_an_unreadable_folder_are_kept(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 6, folders=2)
    index.scan()
    unreadable = str(root / "--project-1--")
    real_scandir = os.scandir

    def deny(path: str) -> object:
        if path == unreadable:
            raise PermissionError(13, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", deny)
    before = facts(index.rows(full=True))
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert len(index.rows()) == 6
    # Each row is marked, and is in one delta.
    assert {os.path.dirname(row.path) for delta in deltas for row in delta.changed} == {unreadable}
    changed = [row for delta in deltas for row in delta.changed]
    assert [(row.is_out_of_reach, problem_count(row, 0)) for row in changed] == [(True, 1)] * 3
    assert [row.is_out_of_reach for row in index.rows()] == [False] * 3 + [True] * 3
    index.scan(deltas.append)
    assert len(deltas) == 1
    assert index.complaints == [(unreadable, "not readable")]
    unreadable = str(root)
    index.scan()
    assert [row.is_out_of_reach for row in index.rows()] == [True] * 6
    assert index.complaints == [(unreadable, "not readable")]
    monkeypatch.undo()
    del deltas[:]
    index.scan(deltas.append)
    assert [row.is_out_of_reach for delta in deltas for row in delta.changed] == [False] * 6
    assert (len(index.rows()), index.complaints) == (6, [])
    assert index.counts.whole == 6
    assert facts(index.rows(full=True)) == before
    texts = index.catalog.texts()
    assert len(texts) == 6


def test_a_file_deleted_below_an_unreadable_folder_is_forgotten(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = fill(root, 4, folders=1)
    index.scan()
    paths[0].unlink()
    real_scandir = os.scandir

    def deny(path: str) -> object:
        if path == str(root / "--project-0--"):
            raise PermissionError(13, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", deny)
    index.scan()
    assert {row.path for row in index.rows()} == {str(path) for path in paths[1:]}


def test_the_rows_of_a_deleted_store_are_removed(root: Path, index: Index) -> None:
    fill(root, 6)
    index.scan()
    shutil.rmtree(root)
    index.scan()
    assert index.rows() == []
    root.write_text("a file now")
    index.scan()
    assert index.complaints == [(str(root), "not a folder")]


def test_a_session_replaced_by_a_folder_is_removed(root: Path, index: Index) -> None:
    path = write(root / "a.jsonl", session())
    index.scan()
    path.unlink()
    path.mkdir()
    index.scan()
    assert index.rows() == []
    assert index.complaints == [(str(path), "a folder, not a file")]


@pytest.mark.parametrize(
    ("error", "reason"), [(MemoryError(), "not enough memory"), (KeyError("x"), "KeyError: 'x'")]
)
def test_a_passing_failure_marks_the_row_and_the_file_is_tried_again(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    """The machine was short of memory, or leafmark has a bug."""
    known = write(root / "a.jsonl", session())
    index.scan()
    append(known, message("new", "e0", "more"))
    new = write(root / "b.jsonl", session())

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("app.sessions.summaries.summarise.summarise", fails)
    monkeypatch.setattr("app.sessions.summaries.summarise.extend", fails)
    index.scan()
    (row,) = index.rows()
    assert (row.path, row.message_count, row.is_out_of_reach) == (str(known), 1, True)
    reason = f"cannot be read: {reason}"
    assert sorted(index.complaints) == [(str(known), reason), (str(new), reason)]
    monkeypatch.undo()
    index.scan()
    found_rows = {(row.path, row.message_count, row.is_out_of_reach) for row in index.rows()}
    assert found_rows == {(str(known), 2, False), (str(new), 1, False)}


def test_an_unreadable_file_keeps_its_row_and_is_tried_again(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(root / "a.jsonl", session())
    hidden = write(root / "b.jsonl", session())
    hidden.rename(root / "hidden")
    index.scan()
    append(path, message("new", "e0", "more"))
    (root / "hidden").rename(hidden)
    real_open = os.open

    def deny(name: str, flags: int, mode: int = 0o777) -> int:
        if str(name).startswith(str(root)):
            raise PermissionError(13, "Permission denied")
        return real_open(name, flags, mode)

    monkeypatch.setattr(os, "open", deny)
    index.scan()
    reason = "cannot be read: Permission denied"
    (row,) = index.rows(full=True)
    assert (row.path, row.message_count, row.first_message) == (str(path), 1, "hello")
    assert (row.is_out_of_reach, problem_count(row, 0)) == (True, 1)
    assert [(row.path, row.refused) for row in index.problem_files()] == [(str(hidden), reason)]
    assert sorted(index.complaints) == [(str(path), reason), (str(hidden), reason)]
    monkeypatch.undo()
    index.scan()
    assert {(row.path, row.message_count) for row in index.rows()} == {(str(path), 2), (str(hidden), 1)}
    assert not any(row.is_out_of_reach for row in index.rows())
    assert (index.problem_files(), index.complaints) == ([], [])


def test_growth_follows_a_rename(root: Path) -> None:
    now = [1_000]
    index = Index([pi_store(root)], str(root.parent / "cache"), lambda: now[0])
    path = write(root / "--a--" / "a.jsonl", session())
    removed = write(root / "--a--" / "b.jsonl", session(session_id="s2"))
    index.scan()
    now[0] = 12_345
    append(path, message("m", "e0", "more"))
    index.scan()
    moved = root / "--b--" / "moved.jsonl"
    moved.parent.mkdir()
    path.rename(moved)
    removed.unlink()
    now[0] = 13_000
    index.scan()
    assert [(row.path, row.grew_ms) for row in index.rows()] == [(str(moved), 12_345)]
    index.close()


def test_files_are_read_newest_first_with_progress(root: Path, index: Index) -> None:
    paths = fill(root, 60)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert (deltas[0].changed, deltas[0].done, deltas[0].total) == ([], 0, 60)
    shown = [row.path for delta in deltas for row in delta.changed]
    assert shown == [str(path) for path in reversed(paths)]
    assert (deltas[-1].done, deltas[-1].total) == (60, 60)
    assert {row.first_message for delta in deltas for row in delta.changed} == {""}


def test_the_first_scan_sends_a_delta_even_without_changes(tmp_path: Path, root: Path, store: Store) -> None:
    fill(root, 3)
    Index([store], str(tmp_path / "cache")).scan()
    index = Index([store], str(tmp_path / "cache"))
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert [(delta.changed, delta.removed, delta.done, delta.total) for delta in deltas] == [([], [], 0, 0)]
    index.scan(deltas.append)
    assert len(deltas) == 1


def test_a_stopped_scan_is_continued_by_the_next(tmp_path: Path, root: Path, store: Store) -> None:
    fill(root, 60)
    stop = threading.Event()
    stop.set()
    index = Index([store], str(tmp_path / "cache"))
    index.scan(stop=stop)
    assert index.counts.whole == 0
    index.scan()
    assert index.counts.whole == 60


def test_a_scan_that_is_killed_keeps_what_it_has_read(
    tmp_path: Path, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 60)
    monkeypatch.setattr(deltas_module, "DELTA_SECONDS", 0.0)
    monkeypatch.setattr(deltas_module, "ENTRY_SECONDS", 0.0)
    monkeypatch.setattr(deltas_module, "SAVED_FROM", 8)
    real_read = executor.read
    left = [40]

    def read_or_die(*arguments: Any) -> object:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return real_read(*arguments)

    monkeypatch.setattr(executor, "read", read_or_die)
    with pytest.raises(KeyboardInterrupt):
        Index([store], str(tmp_path / "cache")).scan()
    monkeypatch.undo()
    second = Index([store], str(tmp_path / "cache"))
    second.scan()
    assert second.counts.whole == 20
    assert facts(second.rows(full=True)) == fresh(store, tmp_path / "other")


def test_deltas_are_relative_to_the_shown_rows(tmp_path: Path, root: Path, store: Store) -> None:
    paths = fill(root, 4)
    ours = Index([store], str(tmp_path / "cache"))
    ours.scan()
    shown = Index([store], str(tmp_path / "cache"))
    shown.rows()
    # Another leafmark process has stored the change: this one has to show it but not to read the file.
    append(paths[2], message("new", "e0", "more"))
    paths[3].unlink()
    ours.scan()
    deltas: list[Delta] = []
    shown.scan(deltas.append)
    assert [(row.path, row.message_count) for delta in deltas for row in delta.changed] == [
        (str(paths[2]), 2)
    ]
    assert [path for delta in deltas for path in delta.removed] == [str(paths[3])]
    assert shown.counts.bytes == 0


def test_growth_is_noticed_only_between_two_scans_of_a_process(
    tmp_path: Path, root: Path, store: Store
) -> None:
    path = write(root / "a.jsonl", session())
    index = Index([store], str(tmp_path / "cache"), now=lambda: 12_345)
    index.scan()
    append(path, message("n1", "e0", "more"))
    second = Index([store], str(tmp_path / "cache"), now=lambda: 1)
    second.scan()
    assert [row.grew_ms for row in second.rows()] == [None], "it may have grown long ago"
    append(path, message("n2", "n1", "more"))
    index.scan()
    assert [row.grew_ms for row in index.rows()] == [12_345]
    os.utime(path, (1, 1))
    index.scan()
    assert [row.grew_ms for row in index.rows()] == [12_345]


def test_our_own_appends_are_not_growth(tmp_path: Path, root: Path, store: Store) -> None:
    path = write(root / "a.jsonl", session())
    index = Index([store], str(tmp_path / "cache"), now=lambda: 12_345)
    index.scan()
    for name in ("one", "two"):
        rename(str(path), name, {"HOME": str(tmp_path)}, store)
    index.scan()
    assert [(row.name, row.grew_ms) for row in index.rows()] == [("two", None)]
    append(path, message("n1", "e0", "more"))
    rename(str(path), "three", {"HOME": str(tmp_path)}, store)
    index.scan()
    assert [(row.name, row.grew_ms) for row in index.rows()] == [("three", 12_345)], "not all of it is ours"


def test_scanning_does_not_change_the_stores(root: Path, index: Index, tmp_path: Path) -> None:
    fill(root, 30)
    write(root / "bad.jsonl", "damaged")
    before = content_of(root)
    index.scan()
    append(root / "bad.jsonl", "")
    index.scan()
    after = content_of(root)
    assert {path: data for path, (data, _) in before.items()} == {
        path: data for path, (data, _) in after.items()
    }
    for path, (_, status) in before.items():
        assert after[path][1].st_mtime_ns == status.st_mtime_ns
    index.close()
    assert sorted(os.listdir(tmp_path)) == ["cache", "store"]


def test_one_file_in_two_stores_is_one_row(tmp_path: Path, root: Path) -> None:
    write(root / "sub" / "a.jsonl", session())
    inner, outer = pi_store(root / "sub"), pi_store(root)
    index = Index([inner, outer], str(tmp_path / "cache"))
    index.scan()
    assert [row.store for row in index.rows()] == [str(root / "sub")]


def test_an_invalid_store_path_is_reported(tmp_path: Path) -> None:
    index = Index([pi_store("/no\0where")], str(tmp_path / "cache"))
    index.scan()
    assert index.complaints == [("/no\0where", "not a path")]
