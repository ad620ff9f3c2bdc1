"""One more entry costs the same whatever the file holds: counted, not timed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from app.index.catalog.catalog import Catalog
from app.index.catalog.recent import MOST
from app.index.catalog.tables import PAGE_BYTES
from app.index.index import Index
from app.index.parse_result import Reading
from app.index.row import session_row
from app.index.text import table
from app.sessions.tally.leaves import LATE_KEYS
from tests.index.helpers import append, facts, fresh, message, pi_store, session, write
from tests.index.test_row import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.index.text.segment import Span

MANY = 4 * LATE_KEYS


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


def stored(index: Index, columns: str) -> tuple[bytes, ...]:
    with closing(sqlite3.connect(index.catalog.path)) as connection:
        found: tuple[bytes, ...] = connection.execute(f"SELECT {columns}").fetchone()
        return found


def statements(index: Index) -> list[str]:
    """What a scan asks of the database."""
    asked: list[str] = []
    connection = index.catalog._database._connection
    assert connection is not None
    connection.set_trace_callback(asked.append)
    index.scan()
    connection.set_trace_callback(None)
    return asked


def test_what_is_known_of_earlier_entries_is_not_written_again(index: Index, growing: Path) -> None:
    (before,) = stored(index, "state FROM lasting")
    assert len(before) >= 4 * (MANY - 1)
    for number in range(5):
        grow(growing, number)
        index.scan()
        assert stored(index, "state FROM lasting") == (before,)
        assert len(stored(index, "state FROM readings")[0]) < 1000
    assert (index.counts.whole, index.counts.tails) == (1, 5)


def test_after_hundreds_of_appends_it_is(index: Index, growing: Path, tmp_path: Path) -> None:
    (before,) = stored(index, "state FROM lasting")
    for number in range(LATE_KEYS + 1):
        grow(growing, number)
    index.scan()
    assert len(stored(index, "state FROM lasting")[0]) > len(before) + 4 * LATE_KEYS
    # An id from long ago is still known.
    append(growing, message("e3", "e2", "again"))
    index.scan()
    assert (index.counts.whole, index.counts.tails) == (2, 1)
    assert facts(index.rows(full=True)) == fresh(pi_store(tmp_path / "store"), tmp_path / "fresh")


def test_one_append_is_one_transaction(index: Index, growing: Path) -> None:
    grow(growing, 0)
    index.scan()
    idle = {asked[:12] for asked in statements(index)}
    grow(growing, 1)
    more = [asked for asked in statements(index) if asked[:12] not in idle]
    assert [" ".join(asked.split()[:2]) for asked in more] == [
        *("PRAGMA data_version", "BEGIN IMMEDIATE", "PRAGMA data_version", "DELETE FROM"),
        *("UPDATE sessions", "REPLACE INTO", "UPDATE segments", "COMMIT"),
    ]


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
    assert [after - before for before, after in pairwise(sizes)] == [4 * (PAGE_BYTES + 24)] * 2


def test_what_another_process_has_stored_since_is_what_counts(tmp_path: Path) -> None:
    one, other = (Catalog(str(tmp_path), [pi_store("/s")]) for _ in range(2))

    def save(of: Catalog, path: str, offset: int) -> None:
        of.save([Reading(session_row(path, "/s", SUMMARY.values(), (1, 2, 3, 4)), offset)])

    def offsets(of: Catalog, *paths: str) -> list[int]:
        found = of.load(paths)
        return [found[path].offset for path in paths]

    save(one, "/s/a", 1)
    save(one, "/s/b", 2)
    assert offsets(one, "/s/a", "/s/b") == [1, 2]
    save(other, "/s/a", 3)
    assert offsets(one, "/s/a", "/s/b") == [3, 2]
    save(one, "/s/b", 4)
    assert offsets(one, "/s/a", "/s/b") == [3, 4]
    one.remove(["/s/b"])
    assert list(one.load(["/s/a", "/s/b"])) == ["/s/a"]
    for number in range(2 * MOST):
        save(one, f"/s/{number}", number)
    assert offsets(one, "/s/0", f"/s/{2 * MOST - 1}") == [0, 2 * MOST - 1]


HERE, THERE = "0" * 16, "1" * 16
"""Two segments."""


def of_a(*spans: Span) -> Reading:
    return Reading(session_row("/s/a", "/s", SUMMARY.values(), (1, 2, 3, 4)), 5, b"f", (b"s", b""), spans)


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
    found = of.run(table.segments) or {}
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
    assert (reading.state, reading.offset, reading.spans) == ((b"s", b""), 5, ((HERE, 0, 25),))


def test_a_segment_is_found_again_after_its_last_text_was_dropped(two: tuple[Catalog, Catalog]) -> None:
    one, _ = two
    for spans in ((), ((HERE, 20, 5),), ((THERE, 0, 7), (HERE, 20, 5))):
        one.save([of_a(*spans)])
        one.load(["/s/a"])
        assert one.texts() == {"/s/a": spans}
    assert used(one) == {HERE: (5, 25), THERE: (7, 7)}
