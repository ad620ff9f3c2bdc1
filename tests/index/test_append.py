"""An append costs the same whatever the size of the session. Reads and statements are counted, not timed."""

from __future__ import annotations

import os
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.formats import read_header
from app.index import session_row
from app.index.file_reader import MOST_ENTRIES, ProgressCache
from app.index.row import Reading
from app.index.verify import verify
from app.sessions.summaries import Progress, SummaryBuilder
from tests.index.helpers import append, facts, fill, fresh, header, message, pi_store, session, write
from tests.index.test_row import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE_BYTES = 8_192  # of a catalog


MANY = 1_000


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    return write(tmp_path / "store" / "--p--" / "a.jsonl", session(messages=MANY))


@pytest.fixture
def index(tmp_path: Path, growing: Path) -> Iterator[Index]:
    with closing(Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"))) as index:
        index.scan()
        yield index


def grow(path: Path, number: int) -> None:
    append(path, message(f"new{number}", f"new{number - 1}" if number else f"e{MANY - 1}", "more"))


def test_only_the_first_append_after_a_start_reads_the_whole_file(
    index: Index, growing: Path, tmp_path: Path
) -> None:
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"))
    index.scan()
    read = []
    for number in range(6):
        before = index.counts.bytes
        size = growing.stat().st_size
        grow(growing, number)
        index.scan()
        read.append((index.counts.bytes - before, size, growing.stat().st_size))
    first, *later = read
    assert first[0] == first[2]
    assert [count for count, _, _ in later] == [after - before for _, before, after in later]
    assert (index.counts.whole, index.counts.tails) == (1, 5)
    # An old entry id is still known.
    append(growing, message("e3", "e2", "again"))
    index.scan()
    assert facts(index.rows(full=True)) == fresh(pi_store(tmp_path / "store"), tmp_path / "fresh")
    index.close()


def test_several_sessions_grow_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The limit makes these files large enough for worker processes.
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1_000)
    paths = fill(tmp_path / "store", 5)
    with closing(Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"))) as index:
        index.scan()
        for number in range(3):
            for path in paths:
                append(path, message(f"n{number}", "e0", "more"))
            index.scan()
        assert (index.counts.whole, index.counts.tails) == (10, 10)
        assert facts(index.rows(full=True)) == fresh(pi_store(tmp_path / "store"), tmp_path / "fresh")


def test_progress_is_dropped_when_another_process_has_read_the_file_since(
    tmp_path: Path, growing: Path
) -> None:
    store = pi_store(tmp_path / "store")
    with (
        closing(Index([store], str(tmp_path / "cache"))) as ours,
        closing(Index([store], str(tmp_path / "cache"))) as theirs,
    ):
        for index in (ours, theirs, ours, theirs):
            index.scan()
        for number, index in enumerate((ours, ours, theirs, ours, theirs, theirs, ours)):
            grow(growing, number)
            index.scan()
            assert facts(index.rows(full=True)) == fresh(store, tmp_path / f"fresh{number}")
            assert sum(len(page.hits) for page in index.query("more")) == 1
        assert verify(ours.catalog, [store]).findings == []


def test_the_progress_cache_is_limited_by_entries() -> None:
    def reading(path: str, entries: int) -> Reading:
        row = session_row(path, "/s", SUMMARY.values(), (1, 2, 3, 4))
        row.entry_count = entries
        return Reading(row, ())

    def progress() -> Progress:
        return Progress(SummaryBuilder(read_header("x", header().encode(), ("pi",))), 0, b"")

    cache = ProgressCache()
    third = MOST_ENTRIES // 3
    first, second, last = reading("/s/a", third), reading("/s/b", third), reading("/s/c", third)
    kept_progress = {reading_.row.path: progress() for reading_ in (first, second, last)}
    for reading_ in (first, second, last, first):
        cache.keep(reading_, kept_progress[reading_.row.path])
    large = progress()
    cache.keep(reading("/s/d", third), large)
    # The least recently used one was dropped.
    assert cache.take(second) is None
    assert cache.take(first) is kept_progress["/s/a"]
    assert cache.take(first) is None
    changed = Reading(last.row, (("0" * 16, 0, 5),))
    assert cache.take(changed) is None
    # One that is larger than the limit is kept alone.
    cache.keep(first, kept_progress["/s/a"])
    cache.keep(reading("/s/e", 2 * MOST_ENTRIES), large)
    assert cache.take(first) is None
    assert cache.take(reading("/s/e", 2 * MOST_ENTRIES)) is large


def test_an_append_writes_one_page_of_each_changed_table_and_of_the_list(index: Index, growing: Path) -> None:
    log = f"{index.catalog.path}-wal"
    sizes = []
    for number in range(3):
        grow(growing, number)
        index.scan()
        sizes.append(os.path.getsize(log))
    # A frame header of 24 bytes precedes each page.
    assert [after - before for before, after in pairwise(sizes)] == [3 * (PAGE_BYTES + 24)] * 2
