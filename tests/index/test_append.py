"""An append costs the same whatever the size of the session. Reads and statements are counted, not timed."""

from __future__ import annotations

import os
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from app.formats.header import read_header
from app.index.catalog import span_table
from app.index.catalog.catalog import Catalog
from app.index.catalog.schema import PAGE_BYTES
from app.index.file_reader import MOST_ENTRIES, ProgressCache
from app.index.index import Index
from app.index.row import Reading, session_row
from app.index.verify import verify
from app.sessions.summaries.summarise import Progress
from app.sessions.summaries.summary_builder import SummaryBuilder
from tests.index.helpers import append, facts, fill, fresh, header, message, pi_store, session, write
from tests.index.test_row import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.index.row import Span

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


def statements(index: Index) -> list[str]:
    """The SQL statements that a scan executes."""
    executed: list[str] = []
    connection = index.catalog._database._connection
    assert connection is not None
    connection.set_trace_callback(executed.append)
    index.scan()
    connection.set_trace_callback(None)
    return executed


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


def test_one_append_is_one_transaction(index: Index, growing: Path) -> None:
    grow(growing, 0)
    index.scan()
    grow(growing, 1)
    words = [" ".join(statement.split()[:2]) for statement in statements(index)]
    assert words.count("BEGIN IMMEDIATE") == 1
    writes = [pair for pair in words if pair.split()[0] in ("INSERT", "UPDATE", "REPLACE", "DELETE")]
    assert writes == ["UPDATE sessions", "UPDATE segments"]


def test_an_append_writes_one_page_of_each_changed_table_and_of_the_list(index: Index, growing: Path) -> None:
    log = f"{index.catalog.path}-wal"
    sizes = []
    for number in range(3):
        grow(growing, number)
        index.scan()
        sizes.append(os.path.getsize(log))
    # A frame header of 24 bytes precedes each page.
    assert [after - before for before, after in pairwise(sizes)] == [3 * (PAGE_BYTES + 24)] * 2


def test_rows_stored_by_another_process_replace_known_ones(tmp_path: Path) -> None:
    ours, theirs = (Catalog(str(tmp_path), [pi_store("/s")]) for _ in range(2))

    def save(of: Catalog, path: str, size: int) -> None:
        of.save([Reading(session_row(path, "/s", SUMMARY.values(), (1, size, 3, 4)))])

    def sizes(of: Catalog, *paths: str) -> list[int]:
        readings = of.load(paths)
        return [readings[path].row.size for path in paths]

    save(ours, "/s/a", 1)
    save(ours, "/s/b", 2)
    assert sizes(ours, "/s/a", "/s/b") == [1, 2]
    save(theirs, "/s/a", 3)
    assert sizes(ours, "/s/a", "/s/b") == [3, 2]
    save(ours, "/s/b", 4)
    assert sizes(ours, "/s/a", "/s/b") == [3, 4]
    ours.remove(["/s/b"])
    assert list(ours.load(["/s/a", "/s/b"])) == ["/s/a"]
    for number in range(32):
        save(ours, f"/s/{number}", number)
    assert sizes(ours, "/s/0", "/s/31") == [0, 32 - 1]


HERE, THERE = "0" * 16, "1" * 16
"""Names of two segments."""


def of_a(*spans: Span) -> Reading:
    return Reading(session_row("/s/a", "/s", SUMMARY.values(), (1, 2, 3, 4)), spans)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Catalog, Catalog]]:
    """Catalogs of two processes. The first has loaded the stored spans of /s/a."""
    ours, theirs = (Catalog(str(tmp_path), [pi_store("/s")]) for _ in range(2))
    with closing(ours), closing(theirs):
        for length in (10, 20):
            ours.load(["/s/a"])
            ours.save([of_a((HERE, 0, length))])
        ours.load(["/s/a"])
        yield ours, theirs


def used(of: Catalog) -> dict[str, tuple[int, int]]:
    usage_by_segment = of.run(span_table.segments) or {}
    return {name: (segment.live, segment.reach) for name, segment in usage_by_segment.items()}


def test_text_that_another_process_moves_meanwhile_is_counted(two: tuple[Catalog, Catalog]) -> None:
    ours, theirs = two
    theirs.save([of_a((THERE, 0, 20))])
    ours.save([of_a((HERE, 0, 20), (HERE, 20, 5))])
    assert used(ours) == {HERE: (25, 25)}
    assert ours.texts() == {"/s/a": ((HERE, 0, 20), (HERE, 20, 5))}
    assert theirs.load(["/s/a"])["/s/a"].spans == ((HERE, 0, 20), (HERE, 20, 5))


def test_a_session_that_another_process_removes_meanwhile_is_stored_again(
    two: tuple[Catalog, Catalog],
) -> None:
    ours, theirs = two
    theirs.remove(["/s/a"])
    assert used(theirs) == {}
    ours.save([of_a((HERE, 0, 25))])
    assert used(ours) == {HERE: (25, 25)}
    (reading,) = theirs.load(["/s/a"]).values()
    assert reading.spans == ((HERE, 0, 25),)


def test_a_segment_can_be_used_again_after_its_last_text_was_dropped(two: tuple[Catalog, Catalog]) -> None:
    ours, _ = two
    for spans in ((), ((HERE, 20, 5),), ((THERE, 0, 7), (HERE, 20, 5))):
        ours.save([of_a(*spans)])
        ours.load(["/s/a"])
        assert ours.texts() == {"/s/a": spans}
    assert used(ours) == {HERE: (5, 25), THERE: (7, 7)}
