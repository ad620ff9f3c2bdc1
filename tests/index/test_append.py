"""One more entry costs the same whatever the file holds: counted, not timed."""

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
    """What a scan asks of the database."""
    asked: list[str] = []
    connection = index.catalog._database._connection
    assert connection is not None
    connection.set_trace_callback(asked.append)
    index.scan()
    connection.set_trace_callback(None)
    return asked


def test_the_first_append_after_a_start_reads_the_file_and_later_ones_their_own_bytes(
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
    # An id from long ago is still known.
    append(growing, message("e3", "e2", "again"))
    index.scan()
    assert facts(index.rows(full=True)) == fresh(pi_store(tmp_path / "store"), tmp_path / "fresh")
    index.close()


def test_several_sessions_grow_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As if they were too large to be read in this process.
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


def test_what_another_process_has_read_since_is_not_gone_on_from(tmp_path: Path, growing: Path) -> None:
    store = pi_store(tmp_path / "store")
    with (
        closing(Index([store], str(tmp_path / "cache"))) as ours,
        closing(Index([store], str(tmp_path / "cache"))) as other,
    ):
        for index in (ours, other, ours, other):
            index.scan()
        for number, index in enumerate((ours, ours, other, ours, other, other, ours)):
            grow(growing, number)
            index.scan()
            assert facts(index.rows(full=True)) == fresh(store, tmp_path / f"fresh{number}")
            assert sum(len(page.hits) for page in index.query("more")) == 1
        assert verify(ours.catalog, [store]).findings == []


def test_progress_is_kept_of_so_many_entries() -> None:
    def reading(path: str, entries: int) -> Reading:
        row = session_row(path, "/s", SUMMARY.values(), (1, 2, 3, 4))
        row.entry_count = entries
        return Reading(row, ())

    def progress() -> Progress:
        return Progress(SummaryBuilder(read_header("x", header().encode(), ("pi",))), 0, b"")

    cache = ProgressCache()
    third = MOST_ENTRIES // 3
    first, second, last = reading("/s/a", third), reading("/s/b", third), reading("/s/c", third)
    made = {each.row.path: progress() for each in (first, second, last)}
    for each in (first, second, last, first):
        cache.keep(each, made[each.row.path])
    large = progress()
    cache.keep(reading("/s/d", third), large)
    # The one that was used longest ago went.
    assert cache.take(second) is None
    assert cache.take(first) is made["/s/a"]
    assert cache.take(first) is None
    other = Reading(last.row, (("0" * 16, 0, 5),))
    assert cache.take(other) is None
    # One that is larger than all is kept alone.
    cache.keep(first, made["/s/a"])
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


def test_one_append_writes_a_page_of_each_table_that_it_changes_and_of_the_list(
    index: Index, growing: Path
) -> None:
    log = f"{index.catalog.path}-wal"
    sizes = []
    for number in range(3):
        grow(growing, number)
        index.scan()
        sizes.append(os.path.getsize(log))
    # What stands before each page takes 24 bytes.
    assert [after - before for before, after in pairwise(sizes)] == [3 * (PAGE_BYTES + 24)] * 2


def test_what_another_process_has_stored_since_is_what_counts(tmp_path: Path) -> None:
    one, other = (Catalog(str(tmp_path), [pi_store("/s")]) for _ in range(2))

    def save(of: Catalog, path: str, size: int) -> None:
        of.save([Reading(session_row(path, "/s", SUMMARY.values(), (1, size, 3, 4)))])

    def sizes(of: Catalog, *paths: str) -> list[int]:
        found = of.load(paths)
        return [found[path].row.size for path in paths]

    save(one, "/s/a", 1)
    save(one, "/s/b", 2)
    assert sizes(one, "/s/a", "/s/b") == [1, 2]
    save(other, "/s/a", 3)
    assert sizes(one, "/s/a", "/s/b") == [3, 2]
    save(one, "/s/b", 4)
    assert sizes(one, "/s/a", "/s/b") == [3, 4]
    one.remove(["/s/b"])
    assert list(one.load(["/s/a", "/s/b"])) == ["/s/a"]
    for number in range(32):
        save(one, f"/s/{number}", number)
    assert sizes(one, "/s/0", "/s/31") == [0, 32 - 1]


HERE, THERE = "0" * 16, "1" * 16
"""Two segments."""


def of_a(*spans: Span) -> Reading:
    return Reading(session_row("/s/a", "/s", SUMMARY.values(), (1, 2, 3, 4)), spans)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Catalog, Catalog]]:
    """Catalogs of two processes, of which the first knows what stands there of a file."""
    one, other = (Catalog(str(tmp_path), [pi_store("/s")]) for _ in range(2))
    with closing(one), closing(other):
        for length in (10, 20):
            one.load(["/s/a"])
            one.save([of_a((HERE, 0, length))])
        one.load(["/s/a"])
        yield one, other


def used(of: Catalog) -> dict[str, tuple[int, int]]:
    found = of.run(span_table.segments) or {}
    return {name: (segment.live, segment.reach) for name, segment in found.items()}


def test_text_that_another_process_moves_in_the_meantime_is_counted(two: tuple[Catalog, Catalog]) -> None:
    one, other = two
    other.save([of_a((THERE, 0, 20))])
    one.save([of_a((HERE, 0, 20), (HERE, 20, 5))])
    assert used(one) == {HERE: (25, 25)}
    assert one.texts() == {"/s/a": ((HERE, 0, 20), (HERE, 20, 5))}
    assert other.load(["/s/a"])["/s/a"].spans == ((HERE, 0, 20), (HERE, 20, 5))


def test_a_session_that_another_process_removes_in_the_meantime_comes_back(
    two: tuple[Catalog, Catalog],
) -> None:
    one, other = two
    other.remove(["/s/a"])
    assert used(other) == {}
    one.save([of_a((HERE, 0, 25))])
    assert used(one) == {HERE: (25, 25)}
    (reading,) = other.load(["/s/a"]).values()
    assert reading.spans == ((HERE, 0, 25),)


def test_a_segment_is_found_again_after_its_last_text_was_dropped(two: tuple[Catalog, Catalog]) -> None:
    one, _ = two
    for spans in ((), ((HERE, 20, 5),), ((THERE, 0, 7), (HERE, 20, 5))):
        one.save([of_a(*spans)])
        one.load(["/s/a"])
        assert one.texts() == {"/s/a": spans}
    assert used(one) == {HERE: (5, 25), THERE: (7, 7)}
