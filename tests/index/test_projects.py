"""The numbers of every project, kept for the next first picture: right, or not there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING

import pytest

from app.index.catalog.unused import NOTED_MS, UNUSED_MS
from app.index.index import Index
from app.index.row import SCHEMA, unread
from tests.factory import chain, write_session
from tests.index.helpers import append, message, pi_store
from tests.index.test_catalog import catalog, row, save

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.index.catalog.catalog import Catalog
    from app.index.scan.deltas import Delta


def behind_its_back(folder: Path, statement: str, *values: object) -> int:
    """Have a statement run by somebody who does not know of what is kept; how many rows it changed."""
    with closing(sqlite3.connect(folder / f"catalog-{SCHEMA}.db", isolation_level=None)) as connection:
        return connection.execute(statement, values).rowcount


def filled(folder: Path) -> Catalog:
    of = catalog(folder, "/s", "/t")
    save(
        of,
        row("/s/1", cwd="/p", modified=5),
        row("/s/2", cwd="/q", modified=9),
        row("/t/3", "/t", cwd="/p", modified=7),
        row("/s/4", cwd="a\x00b\ud83d", modified=1),
    )
    of.keep_groups()
    return of


ALL = [("/q", 1, 9, 0), ("/p", 2, 7, 0), ("a\x00b\ud83d", 1, 1, 0)]


def test_what_is_kept_is_not_counted_again(tmp_path: Path) -> None:
    filled(tmp_path).close()
    assert behind_its_back(tmp_path, "DELETE FROM sessions") == 4
    next_one = catalog(tmp_path, "/s", "/t")
    assert next_one.groups() == ALL
    # it is there already
    next_one.keep_groups()
    assert next_one.groups() == ALL


@pytest.mark.parametrize(
    ("write", "then"),
    [
        (lambda of: save(of, row("/s/5", cwd="/n", modified=8)), [ALL[0], ("/n", 1, 8, 0), *ALL[1:]]),
        (lambda of: save(of, row("/s/1", cwd="/p", modified=99)), [("/p", 2, 99, 0), ALL[0], ALL[2]]),
        (
            lambda of: save(of, row("/t/3", "/t", cwd="/q", modified=7)),
            [("/q", 2, 9, 0), ("/p", 1, 5, 0), ALL[2]],
        ),
        (lambda of: of.remove(["/s/2"]), ALL[1:]),
    ],
)
def test_whoever_writes_has_them_counted_anew(
    tmp_path: Path, write: Callable[[Catalog], None], then: list[tuple[str, int, int, int]]
) -> None:
    of, other = filled(tmp_path), catalog(tmp_path, "/s", "/t")
    assert other.groups() == ALL
    write(of)
    assert other.groups() == of.groups() == then
    other.keep_groups()
    assert of.groups() == then


def test_each_has_those_of_the_stores_at_hand(tmp_path: Path) -> None:
    filled(tmp_path)
    one = catalog(tmp_path, "/t")
    assert one.groups() == [("/p", 1, 7, 0)]
    one.keep_groups()
    assert one.groups() == [("/p", 1, 7, 0)]
    assert catalog(tmp_path, "/t", "/s").groups() == ALL
    assert catalog(tmp_path, "/u").groups() == []


def test_stores_that_nobody_uses_any_more_go_from_them(tmp_path: Path) -> None:
    of = filled(tmp_path)
    of.tidy(1000)
    later = UNUSED_MS + NOTED_MS + 1001
    catalog(tmp_path, "/s").tidy(later)
    assert of.groups() == [("/q", 1, 9, 0), ("/p", 1, 5, 0), ALL[2]]


HIDDEN = {"message_count": 0, "problems": 0, "torn": False}
WITHIN = {"parent_session": "/s/1.jsonl"}


def test_sessions_that_are_hidden_are_counted_apart(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(
        of,
        row("/s/1.jsonl", cwd="/p", modified=5),
        row("/s/2", cwd="/p", modified=99, **HIDDEN),
        row("/s/1/a.jsonl", cwd="/p", modified=98, **WITHIN),
        row("/s/3", cwd="/q", modified=50, **HIDDEN),
        row("/s/4", cwd="/r", modified=7, **{**HIDDEN, "torn": True}),
        row("/s/5", cwd="/r", modified=6, parent_session="/s/1.jsonl"),
    )
    then = [("/r", 2, 7, 0), ("/p", 1, 5, 2), ("/q", 0, 0, 1)]
    assert of.groups() == then
    of.keep_groups()
    assert of.groups() == then
    save(of, row("/s/3", cwd="/q", modified=50))
    assert of.groups() == [("/q", 1, 50, 0), *then[:2]]


def test_one_that_is_out_of_reach_is_not_taken_for_empty(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/1", cwd="/p", modified=5, **HIDDEN))
    of.keep_groups()
    assert of.groups() == [("/p", 0, 0, 1)]
    (was,) = of.rows()
    of.mark({"/s/1": unread(was.signature)})
    assert of.groups() == [("/p", 1, 5, 0)]
    of.mark({"/s/1": was.signature})
    assert of.groups() == [("/p", 0, 0, 1)]


@pytest.mark.parametrize("damaged", [b"", b"[", b"no", b"\xe9\x01\x00\x00\x00"])
def test_where_they_cannot_be_read_the_catalog_is_made_anew(tmp_path: Path, damaged: bytes) -> None:
    filled(tmp_path).close()
    assert behind_its_back(tmp_path, "UPDATE projects SET counted = ?", damaged) == 1
    of = catalog(tmp_path, "/s", "/t")
    assert of.groups() == []
    assert of.generation == 1


def test_while_another_writes_nothing_is_kept(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/1", cwd="/p", modified=5))
    of._database._connection.execute("PRAGMA busy_timeout = 1")  # type: ignore[union-attr]
    with closing(sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        of.keep_groups()
        assert of.groups() == [("/p", 1, 5, 0)]
        other.execute("COMMIT")
    assert behind_its_back(tmp_path, "DELETE FROM projects") == 0


def test_who_follows_the_files_keeps_them(tmp_path: Path) -> None:
    write_session(tmp_path / "store/--work--/a.jsonl", *chain("hello"))
    stop = Event()
    index = Index([pi_store(str(tmp_path / "store"))], str(tmp_path / "cache"), poll=True)
    index.watch(lambda delta: stop.set() if delta.done >= delta.total else None, stop)
    kept = behind_its_back(tmp_path / "cache", "DELETE FROM projects")
    index = Index([pi_store(str(tmp_path / "store"))], str(tmp_path / "cache"))
    assert (kept, [number for _, number, _, _ in index.catalog.groups()]) == (1, [1])
    index.catalog.close()


def test_they_are_kept_when_it_ends_whatever_changed_meanwhile(tmp_path: Path) -> None:
    path = write_session(tmp_path / "store/--work--/a.jsonl", *chain("hello"))
    stop = Event()
    index = Index([pi_store(str(tmp_path / "store"))], str(tmp_path / "cache"), poll=True)

    def told(delta: Delta) -> None:
        if any(row.message_count == 2 for row in delta.changed):
            stop.set()
        elif delta.done >= delta.total:
            append(path, message("n", None, "more"))

    index.watch(told, stop)
    assert behind_its_back(tmp_path / "cache", "DELETE FROM projects") == 1
