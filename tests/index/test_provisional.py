"""A scan with much to read first shows every session from the ends of its file, then reads the files."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import Catalog
from app.index import worker_pool as workers_module
from app.index.file_reader import LARGE_BYTES, UNREADABLE, Task, read
from app.index.scan import deltas as deltas_module
from app.index.scan import executor as work_module
from app.index.scan.executor import Job, Step, in_order, list_first
from tests.index.helpers import facts, fresh, pi_store, session, write

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from leafmark import Store

    from app.index import Delta
    from app.index.file_reader import Result

NEWEST, LARGE, SMALL, LATE = "newest.jsonl", "large.jsonl", "small.jsonl", "late.jsonl"


class Inline:
    """Stands in for WorkerPool and reads in this process. `before` is called before each task."""

    steps: list[tuple[str, bool]]
    before: Callable[[Task], object]

    def __init__(self, *_: object, **__: object) -> None:
        """Ignores the texts and the priority."""

    def read(self, tasks: Sequence[tuple[Task, int]]) -> Iterator[list[tuple[int, Result]]]:
        for index, (task, _) in enumerate(tasks):
            type(self).before(task)
            self.steps.append((os.path.basename(task[0]), task.only_ends))
            yield [(index, read(task)._replace(progress=None))]

    def close(self) -> None:
        """Has nothing to close."""


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> type[Inline]:
    """Every scan uses the worker pool, one file fills the first batch of newest ones, and each result is sent
    at once.
    """
    monkeypatch.setattr(deltas_module, "DELTA_SECONDS", 0.0)
    monkeypatch.setattr(deltas_module, "ENTRY_SECONDS", 0.0)
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1)
    monkeypatch.setattr(work_module, "FIRST_BYTES", 1_000)
    monkeypatch.setattr(Inline, "steps", [], raising=False)
    monkeypatch.setattr(Inline, "before", lambda task: None, raising=False)
    monkeypatch.setattr(workers_module, "WorkerPool", Inline)
    return Inline


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A new session, two that are longer than their ends, and a small old one."""
    root = tmp_path / "store"
    write(root / NEWEST, session("newest", messages=5))
    write(root / LARGE, session("large", messages=400))
    write(root / SMALL, session("small", messages=10))
    write(root / LATE, "damaged\n" * 1_000 + session("late", messages=400))
    for age, name in enumerate((NEWEST, LARGE, SMALL, LATE)):
        os.utime(root / name, (1_700_000_000 - age, 1_700_000_000 - age))
    return pi_store(root)


@pytest.fixture
def index(tmp_path: Path, store: Store) -> Index:
    return Index([store], str(tmp_path / "cache"))


def path_of(store: Store, name: str) -> str:
    return os.path.join(store.root, name)


def shown(deltas: list[Delta]) -> list[tuple[str, bool]]:
    """(file name, whether the row is provisional) in the order of the deltas."""
    return [(os.path.basename(row.path), row.provisional) for delta in deltas for row in delta.changed]


def test_the_newest_files_are_read_then_all_ends_then_the_rest(inline: type[Inline], index: Index) -> None:
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert inline.steps == [
        (NEWEST, False),
        (LARGE, True),
        (SMALL, True),
        (LATE, True),
        (LARGE, False),
        (SMALL, False),
        (LATE, False),
    ]
    assert shown(deltas) == [
        *((NEWEST, False), (LARGE, True), (SMALL, True)),
        *((LARGE, False), (SMALL, False), (LATE, False)),
    ]
    assert (index.counts.ends, index.counts.whole) == (3, 4)


def test_a_file_with_a_time_in_the_future_is_not_read_first(
    inline: type[Inline], store: Store, index: Index
) -> None:
    os.utime(path_of(store, SMALL), (32_500_000_000, 32_500_000_000))
    index.scan(lambda delta: None)
    assert inline.steps[0] == (NEWEST, False)


def test_the_final_rows_are_those_of_a_scan_without_ends(
    tmp_path: Path, inline: type[Inline], store: Store, index: Index
) -> None:
    deltas: list[Delta] = []
    index.scan(deltas.append)
    rows = index.rows(full=True)
    assert not any(row.provisional for row in rows)
    assert facts(rows) == fresh(store, tmp_path / "other")
    last = {row.path: row for delta in deltas for row in delta.changed}
    for row in rows:
        row.first_message = ""
    assert facts(list(last.values())) == facts(rows)


def test_only_completely_read_files_count_as_done(inline: type[Inline], index: Index) -> None:
    deltas: list[Delta] = []

    def tell(delta: Delta) -> None:
        deltas.append(delta)
        exact = [name for name, provisional in shown(deltas) if not provisional]
        assert (delta.done, delta.total) == (len(exact), 4)

    index.scan(tell)
    assert deltas[-1].done == 4


def test_a_provisional_row_is_never_stored(
    tmp_path: Path, inline: type[Inline], store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    monkeypatch.setattr(inline, "before", lambda task: stop.set() if is_of(task, SMALL) else None)
    deltas: list[Delta] = []
    index.scan(deltas.append, stop)
    assert shown(deltas) == [(NEWEST, False), (LARGE, True), (SMALL, True)]
    stored = Catalog(str(tmp_path / "cache"), [store])
    assert sorted(os.path.basename(row.path) for row in stored.rows()) == [NEWEST]
    assert sorted(map(os.path.basename, stored.signatures())) == [NEWEST]
    # The next process reads the file.
    second = Index([store], str(tmp_path / "cache"))
    second.scan()
    assert facts(second.rows(full=True)) == fresh(store, tmp_path / "other")


def test_a_scan_without_a_listener_reads_no_ends(inline: type[Inline], index: Index) -> None:
    index.scan()
    assert inline.steps == [(name, False) for name in (NEWEST, LARGE, SMALL, LATE)]
    assert index.counts.ends == 0


def test_listed_sessions_keep_their_rows(inline: type[Inline], store: Store, index: Index) -> None:
    index.scan()
    index.rows()
    for name in (NEWEST, LARGE):
        write(Path(store.root, name), session("other", messages=3))
    inline.steps.clear()
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert sorted(inline.steps) == [(LARGE, False), (NEWEST, False)]
    assert sorted(shown(deltas)) == [(LARGE, False), (NEWEST, False)]


def test_a_rebuilt_catalog_makes_no_row_provisional_again(
    tmp_path: Path, inline: type[Inline], store: Store, index: Index
) -> None:
    index.rows()
    index.scan(lambda delta: None)
    removed = Path(store.root, SMALL)
    removed.unlink()
    index.catalog.close()
    for file in (tmp_path / "cache").glob("catalog*"):
        file.write_bytes(b"not a database" * 1_000)
    deltas: list[Delta] = []
    for _ in range(2):
        # The first scan may only find the damage.
        index.scan(deltas.append)
    assert index.catalog.generation == 1
    assert {provisional for _, provisional in shown(deltas)} == {False}
    assert {path for delta in deltas for path in delta.removed} == {str(removed)}
    assert sorted(row.path for row in index.rows()) == sorted(
        path_of(store, name) for name in (NEWEST, LARGE, LATE)
    )


def test_a_file_deleted_after_its_ends_were_read_loses_its_row(
    inline: type[Inline], store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = Path(store.root, LARGE)

    def unlink(task: Task) -> None:
        if is_of(task, SMALL):
            large.unlink(missing_ok=True)

    monkeypatch.setattr(inline, "before", unlink)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert (LARGE, True) in shown(deltas)
    assert [path for delta in deltas for path in delta.removed] == [str(large)]
    assert (deltas[-1].done, deltas[-1].total) == (4, 4)


def test_a_file_that_becomes_unreadable_loses_its_provisional_row(
    inline: type[Inline], store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = os.open

    def deny_open(name: str, flags: int, mode: int = 0o777) -> int:
        if str(name) == path_of(store, LARGE):
            raise PermissionError(13, "Permission denied")
        return real_open(name, flags, mode)

    def deny(task: Task) -> None:
        if is_of(task, SMALL):
            monkeypatch.setattr(os, "open", deny_open)

    monkeypatch.setattr(inline, "before", deny)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert (LARGE, True) in shown(deltas)
    assert [path for delta in deltas for path in delta.removed] == [path_of(store, LARGE)]
    reasons = {row.path: row.refused for row in index.problem_files()}
    assert reasons == {path_of(store, LARGE): f"{UNREADABLE}: Permission denied"}


def test_ends_that_arrive_late_do_not_replace_complete_rows(
    inline: type[Inline], index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends_last(steps: Sequence[Step], listed: Container[str]) -> list[Step]:
        return sorted(list_first(steps, listed), key=lambda step: step.task.only_ends)

    monkeypatch.setattr(work_module, "list_first", ends_last)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert inline.steps[-3:] == [(LARGE, True), (SMALL, True), (LATE, True)]
    assert not any(provisional for _, provisional in shown(deltas))


def test_a_failure_with_the_ends_of_a_file_is_ignored(
    tmp_path: Path, store: Store, index: Index, inline: type[Inline], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a mistake of ours")

    monkeypatch.setattr("app.sessions.summaries.quick_summary.quick_summary", fail)
    deltas: list[Delta] = []
    index.scan(deltas.append)
    assert not any(provisional for _, provisional in shown(deltas))
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def test_a_very_large_file_does_not_delay_the_others(store: Store) -> None:
    jobs = [
        Job(f"/s/{number}", store, (number, size, 0, 0))
        for number, size in enumerate((50_000_000, 4_000, 9_000_000))
    ]
    steps = [(step.job.path, step.task.only_ends) for step in list_first(in_order(jobs), ())]
    assert steps == [("/s/1", False), ("/s/0", True), ("/s/2", True), ("/s/0", False), ("/s/2", False)]


def test_a_large_file_is_read_after_all_others(store: Store) -> None:
    sizes = (4_000, LARGE_BYTES + 1, 9_000_000, LARGE_BYTES, 100)
    steps = in_order([Job(f"/s/{number}", store, (number, size, 0, 0)) for number, size in enumerate(sizes)])
    for ordered in (steps, list_first(steps, ()), list_first(steps, {"/s/1", "/s/2"})):
        assert [step.job.path for step in ordered if not step.task.only_ends][-1] == "/s/1"
    assert [step.job.path for step in steps] == ["/s/0", "/s/2", "/s/3", "/s/4", "/s/1"]


def is_of(task: Task, name: str) -> bool:
    return os.path.basename(task[0]) == name
