"""Answers of an index whose catalog was damaged after the scan, or is locked by another process
(`app.index.scan.retry`, `Database.read`).
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import SCHEMA, Catalog
from app.index.catalog import database
from app.index.scan.retry import TIMES
from app.index.verify import verify
from tests.index.helpers import append, facts, fresh, message, session, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from leafmark import Store

COUNT = 12

SPOILERS = [
    "UPDATE sessions SET row = x'00' WHERE key = 3",
    "DELETE FROM first_messages WHERE key % 2",
    "UPDATE sessions SET path = 'text' WHERE key = 3",
]


def spoil(cache: Path, statement: str) -> None:
    with closing(sqlite3.connect(cache / f"catalog-{SCHEMA}.db", isolation_level=None)) as connection:
        assert connection.execute(statement).rowcount


@contextmanager
def locked(cache: Path, *, readers: bool) -> Iterator[None]:
    """Another process holds an exclusive lock on the catalog meanwhile."""
    with closing(sqlite3.connect(cache / f"catalog-{SCHEMA}.db", isolation_level=None)) as writer:
        if readers:
            writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN EXCLUSIVE")
        yield


def hit_count(index: Index) -> int:
    pages = list(index.query("prompt"))
    assert len({hit.path for page in pages for hit in page.hits}) == pages[-1].total
    return pages[-1].total


QUESTIONS: list[tuple[Callable[[Index], object], object]] = [
    (lambda index: len(index.rows()), COUNT),
    (lambda index: len(index.rows(full=True)), COUNT),
    (lambda index: index.newest(3)[1], COUNT),
    (hit_count, COUNT),
]


@pytest.mark.parametrize("statement", SPOILERS)
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_a_query_after_damage_returns_what_the_files_contain(
    store: Store, cache: Path, tmp_path: Path, number: int, statement: str
) -> None:
    ask, expected = QUESTIONS[number]
    index = Index([store], str(cache))
    index.scan()
    spoil(cache, statement)
    assert ask(index) == expected
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    index.close()


def test_problem_files_are_read_again_after_damage(store: Store, cache: Path, tmp_path: Path) -> None:
    write(tmp_path / "store" / "none.jsonl", "nothing\n")
    index = Index([store], str(cache))
    index.scan()
    spoil(cache, "UPDATE sessions SET row = x'00' WHERE NOT listed")
    assert [row.path for row in index.problem_files()] == [str(tmp_path / "store" / "none.jsonl")]
    assert len(index.rows()) == COUNT


def test_rows_shown_before_a_scan_are_read_again_when_other_rows_are_damaged(
    store: Store, cache: Path, tmp_path: Path
) -> None:
    write(tmp_path / "store" / "none.jsonl", "nothing\n")
    first = Index([store], str(cache))
    first.scan()
    first.close()
    spoil(cache, "UPDATE sessions SET row = x'00' WHERE NOT listed")
    index = Index([store], str(cache))
    assert len(index.rows()) == COUNT
    index.scan()
    assert index.counts.whole == COUNT + 1
    assert facts(index.rows(full=True)) + facts(index.problem_files()) == fresh(store, tmp_path / "other")


def test_partly_damaged_rows_are_read_again(store: Store, cache: Path, tmp_path: Path) -> None:
    spoil(cache, "DELETE FROM first_messages WHERE key > 0")
    append(tmp_path / "store/--project-0--/session-0.jsonl", message("new", "e0", "more"))
    index = Index([store], str(cache))
    index.scan()
    assert (index.catalog.generation, len(index.rows())) == (1, COUNT)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def test_verify_reports_rows_without_their_first_messages(store: Store, cache: Path) -> None:
    spoil(cache, "DELETE FROM first_messages WHERE key % 2")
    index = Index([store], str(cache))
    assert [finding.what for finding in verify(index.catalog, [store]).findings] == [
        "it was damaged: all that it held is forgotten"
    ]


def test_repeated_damage_is_retried_a_limited_number_of_times(
    store: Store, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index([store], str(cache))
    index.scan()
    rows = Catalog.rows

    def damage_then_read(catalog: Catalog, *options: bool) -> object:
        spoil(cache, "UPDATE sessions SET row = x'00' WHERE key = 3")
        return rows(catalog, *options)

    monkeypatch.setattr(Catalog, "rows", damage_then_read)
    index.rows()
    assert index.counts.walks == 1 + TIMES


def test_without_a_readable_catalog_the_files_are_read_for_this_run(
    store: Store, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    index = Index([store], str(cache))
    with locked(cache, readers=True):
        write(tmp_path / "store/new.jsonl", session("prompt", "new"))
        index.scan()
        assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
        assert hit_count(index) == COUNT + 1
        assert index.note is not None
        assert "another process has it locked" in index.note
    index.close()
    second = Index([store], str(cache))
    second.scan()
    assert (second.note, second.counts.whole, second.counts.tails) == (None, 1, 0)


def test_a_second_writer_answers_completely_and_stores_its_rows_later(
    store: Store, cache: Path, tmp_path: Path
) -> None:
    index = Index([store], str(cache))
    with locked(cache, readers=False):
        write(tmp_path / "store/new.jsonl", session("prompt", "new"))
        index.scan()
        assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
        assert hit_count(index) == COUNT + 1
        append(tmp_path / "store/new.jsonl", message("more", "e0", "zebra"))
        index.scan(lambda delta: None)
        assert [page.total for page in index.query("zebra")][-1] == 1
        assert (index.note, index.counts.whole, index.counts.tails) == (None, 1, 1)
    index.scan()
    assert (index.note, index.catalog.is_behind) == (None, False)
    index.close()
    second = Index([store], str(cache))
    second.scan()
    assert (second.counts.whole, second.counts.tails) == (0, 0)
    assert facts(second.rows(full=True)) == fresh(store, tmp_path / "another")


def test_closing_notes_rows_that_could_not_be_stored(
    store: Store, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    index = Index([store], str(cache))
    index.scan()
    write(tmp_path / "store/new.jsonl", session("prompt", "new"))
    with locked(cache, readers=False):
        index.scan()
        assert index.note is None
        index.close()
    assert index.note is not None
    assert index.note.startswith("what is new is not kept: ")


def test_a_copy_in_memory_of_a_damaged_catalog_is_rebuilt(store: Store, cache: Path, tmp_path: Path) -> None:
    spoil(cache, "UPDATE sessions SET row = x'00' WHERE key = 3")
    index = Index([store], str(cache))
    index.scan()
    index.catalog.read(lambda connection: connection.execute("PRAGMA max_page_count = 10"))
    write(tmp_path / "store/new.jsonl", session(random.Random(0).randbytes(100_000).hex(), "new"))
    index.scan()
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    assert index.catalog.in_memory
