"""What becomes of an answer when all that was stored is lost between a scan and the question, and when
another process keeps the catalog locked (`app.index.scan.retry`, `Database.do_without`).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from app.index.catalog import database
from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.index.row import SCHEMA
from app.index.scan.retry import TIMES
from app.index.verify import verify
from tests.index.helpers import Listener, append, facts, fresh, message, session, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.index.scan.deltas import Delta
    from app.stores.base import Store

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
    """While another process writes, and does not end."""
    with closing(sqlite3.connect(cache / f"catalog-{SCHEMA}.db", isolation_level=None)) as other:
        if readers:
            other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        yield


def found(index: Index) -> int:
    pages = list(index.query("prompt"))
    assert len({hit.path for page in pages for hit in page.hits}) == pages[-1].total
    return pages[-1].total


QUESTIONS: list[tuple[Callable[[Index], object], object]] = [
    (lambda index: len(index.rows()), COUNT),
    (lambda index: len(index.rows(full=True)), COUNT),
    (lambda index: index.newest(3)[1], COUNT),
    (found, COUNT),
]


@pytest.mark.parametrize("statement", SPOILERS)
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_whoever_asks_after_a_scan_is_told_what_the_files_say(
    store: Store, cache: Path, tmp_path: Path, number: int, statement: str
) -> None:
    ask, expected = QUESTIONS[number]
    index = Index([store], str(cache))
    index.scan()
    spoil(cache, statement)
    assert ask(index) == expected
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    index.close()


def test_a_file_that_is_no_session_is_told_of_as_well(store: Store, cache: Path, tmp_path: Path) -> None:
    write(tmp_path / "store" / "none.jsonl", "nothing\n")
    index = Index([store], str(cache))
    index.scan()
    spoil(cache, "UPDATE sessions SET row = x'00' WHERE NOT listed")
    assert [row.path for row in index.problem_files()] == [str(tmp_path / "store" / "none.jsonl")]
    assert len(index.rows()) == COUNT


def test_what_was_shown_before_a_scan_is_read_again_when_the_rest_is_lost(
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


def test_a_part_of_what_was_stored_of_a_file_is_nothing(store: Store, cache: Path, tmp_path: Path) -> None:
    spoil(cache, "DELETE FROM first_messages WHERE key > 0")
    append(tmp_path / "store/--project-0--/session-0.jsonl", message("new", "e0", "more"))
    index = Index([store], str(cache))
    index.scan()
    assert (index.catalog.generation, len(index.rows())) == (1, COUNT)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def test_rows_without_the_rest_are_a_finding(store: Store, cache: Path) -> None:
    spoil(cache, "DELETE FROM first_messages WHERE key % 2")
    index = Index([store], str(cache))
    assert [finding.what for finding in verify(index.catalog, [store]).findings] == [
        "it was damaged: all that it held is forgotten"
    ]


def test_who_follows_the_files_has_them_looked_at_again(store: Store, cache: Path, tmp_path: Path) -> None:
    index = Index([store], str(cache), poll=True)
    with Listener(index) as listener:
        spoil(cache, "UPDATE sessions SET row = x'00' WHERE key = 3")
        walks = index.counts.walks
        assert index.catalog.rows() == []
        index.rows()
        listener.until(lambda: index.counts.walks > walks and len(index.rows()) == COUNT)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def test_what_is_lost_again_and_again_is_not_read_for_ever(
    store: Store, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index([store], str(cache))
    index.scan()
    rows = Catalog.rows

    def lost(catalog: Catalog, *asked: bool) -> object:
        spoil(cache, "UPDATE sessions SET row = x'00' WHERE key = 3")
        return rows(catalog, *asked)

    monkeypatch.setattr(Catalog, "rows", lost)
    index.rows()
    assert index.counts.walks == 1 + TIMES


@pytest.mark.parametrize("readers", [True, False])
def test_what_another_process_has_locked_is_read_into_memory_and_stored_later(
    store: Store, cache: Path, tmp_path: Path, readers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    index = Index([store], str(cache))
    told: list[Delta] = []
    with locked(cache, readers=readers):
        write(tmp_path / "store/new.jsonl", session("prompt", "new"))
        index.scan(told.append)
        assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
        assert found(index) == COUNT + 1
        assert index.note is not None
        assert "another process has it locked" in index.note
        assert index.catalog.is_copy != readers
    index.scan(told.append)
    assert (index.note, index.catalog.in_memory) == (None, False)
    assert found(index) == COUNT + 1
    index.close()
    again = Index([store], str(cache))
    again.scan()
    assert (again.counts.whole, again.counts.tails) == (0, 0)
    assert facts(again.rows(full=True)) == fresh(store, tmp_path / "another")


def test_what_is_not_kept_at_the_end_is_said(
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


def test_a_copy_that_is_as_damaged_as_the_file_is_begun_anew(
    store: Store, cache: Path, tmp_path: Path
) -> None:
    spoil(cache, "UPDATE sessions SET row = x'00' WHERE key = 3")
    index = Index([store], str(cache))
    index.scan()
    index.catalog._database.run(lambda connection: connection.execute("PRAGMA max_page_count = 10"))
    write(tmp_path / "store/new.jsonl", session("x" * 200_000, "new"))
    index.scan()
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    assert (index.catalog.in_memory, index.catalog.is_copy) == (True, False)
