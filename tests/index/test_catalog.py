"""The catalog: what goes in comes out, each user sees the own stores, and the first frame's questions."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.index.catalog.catalog import Catalog
from app.index.catalog.schema import TABLES
from app.index.catalog.writes import NOTED_MS, UNUSED_MS
from app.index.row import FIELDS, SCHEMA, Reading, refused_row, session_row, unread
from tests.index.helpers import pi_store
from tests.index.test_row import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.index.row import Row

HOSTILE = "a\x00b\ud83d\x1b[31m\u202e'\";--\n"


def row(path: str, store: str = "/s", **fields: object) -> Row:
    made = session_row(path, store, SUMMARY.values(), (1, 2, 3, 4))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def catalog(folder: Path, *roots: str) -> Catalog:
    return Catalog(str(folder), [pi_store(root) for root in roots or ("/s",)])


def save(to: Catalog, *rows: Row) -> None:
    to.save([Reading(row, ()) for row in rows])


def test_what_is_saved_is_there_for_the_next_process(tmp_path: Path) -> None:
    first = catalog(tmp_path)
    saved = row("/s/a.jsonl")
    save(first, saved, refused_row("/s/bad.jsonl", "/s", (5, 6, 7, 8), "empty file", 0))
    second = catalog(tmp_path)
    assert [found.values() for found in second.rows(full=True)] == [saved.values()]
    assert [found.first_message for found in second.rows()] == [""]
    assert [(found.path, found.refused) for found in second.refused()] == [("/s/bad.jsonl", "empty file")]
    assert second.signatures() == {"/s/a.jsonl": (1, 2, 3, 4), "/s/bad.jsonl": (5, 6, 7, 8)}
    reading = second.load(["/s/a.jsonl", "/s/none.jsonl"])["/s/a.jsonl"]
    assert (reading.row.path, reading.spans) == ("/s/a.jsonl", ())
    assert (first.note, first.generation, second.note, second.generation) == (None, 0, None, 0)


@pytest.mark.parametrize(
    "bad", [{"modified": 1 << 63}, {"ino": 1 << 70}, {"title": object()}, {"tokens": (object(), 0, 0, 0)}]
)
def test_a_row_that_cannot_be_stored_keeps_no_other_from_being_stored(
    tmp_path: Path, bad: dict[str, object]
) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/a"), row("/s/bad", **bad), row("/s/c"))
    with closing(catalog(tmp_path)) as second:
        assert sorted(found.path for found in second.rows()) == ["/s/a", "/s/c"]
        (refused,) = second.refused()
        assert (refused.path, str(refused.refused).partition(":")[0]) == ("/s/bad", "cannot be stored")
        assert second.note is None
    of.close()


def test_many_at_once_are_added_and_replaced(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    many = [row(f"/s/{number}.jsonl", title=f"first {number}") for number in range(30)]
    save(of, *many[::2])
    again = [row(found.path, title=found.title.replace("first", "second"), size=9) for found in many]
    of.save([Reading(found) for found in again])
    with closing(catalog(tmp_path)) as other:
        rows = {found.path: found.values() for found in other.rows(full=True)}
        assert rows == {found.path: found.values() for found in again}
        readings = other.load(rows)
        assert {found.spans for found in readings.values()} == {None}


def test_the_questions_of_the_first_frame(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    assert of.projects() == []
    assert of.rows_of_project("/p") == []
    save(
        of,
        row("/s/1", cwd="/p", modified=5),
        row("/s/2", cwd="/q", modified=9),
        row("/s/3", cwd="/p", modified=7),
        refused_row("/s/4", "/s", (1, 2, 3, 4), "no"),
    )
    assert of.projects() == [("/q", 1, 9, 0), ("/p", 2, 7, 0)]
    assert [found.path for found in of.rows_of_project("/p")] == ["/s/3", "/s/1"]
    assert of.rows_of_project("/none") == []
    assert [found.path for found in of.rows()] == ["/s/2", "/s/3", "/s/1"]
    assert of.generation == 0


def test_groups_are_answered_from_the_index_alone(tmp_path: Path) -> None:
    save(catalog(tmp_path), row("/s/1"))
    with sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db") as connection:
        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT cwd, count(*), sum(listed = 1),"
            " max(CASE listed WHEN 1 THEN modified END)"
            " FROM sessions INDEXED BY listing WHERE listed AND store IN (1, 2) GROUP BY cwd"
        ).fetchall()
    assert [step[3] for step in plan] == ["SCAN sessions USING COVERING INDEX listing"]


def test_only_rows_of_the_stores_at_hand(tmp_path: Path) -> None:
    both = catalog(tmp_path, "/s", "/t")
    save(both, row("/s/1", cwd="/p"), row("/t/2", store="/t", cwd="/p"))
    other = catalog(tmp_path, "/t")
    assert [found.path for found in other.rows()] == ["/t/2"]
    assert [found.path for found in other.rows_of_project("/p")] == ["/t/2"]
    assert [(cwd, count) for cwd, count, _, _ in other.projects()] == [("/p", 1)]
    assert list(other.signatures()) == ["/t/2"]
    assert other.load(["/s/1"]) == {}
    other.remove(["/s/1"])
    assert len(both.rows()) == 2
    assert catalog(tmp_path, "/u").rows() == []


def test_one_folder_read_for_other_agents_is_another_store(tmp_path: Path) -> None:
    save(catalog(tmp_path), row("/s/1"))
    store = pi_store("/s")
    store.twins = (pi_store("/s"),)
    assert Catalog(str(tmp_path), [store]).rows() == []


def test_a_later_reading_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/1", title="old", cwd="/p"))
    save(of, row("/s/1", title="new", cwd="/q"))
    assert [found.title for found in of.rows()] == ["new"]
    assert [group[0] for group in of.projects()] == ["/q"]
    of.remove(["/s/1", "/s/never"])
    assert of.rows(full=True) == []
    with sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db") as connection:
        assert connection.execute("SELECT count(*) FROM first_messages").fetchone() == (0,)


def test_whatever_text_and_number_a_file_may_hold(tmp_path: Path) -> None:
    hostile = row(
        "/s/" + HOSTILE,
        id=HOSTILE,
        cwd=HOSTILE,
        name=HOSTILE,
        title=HOSTILE,
        first_message=HOSTILE,
        labels=((HOSTILE, HOSTILE),),
        tokens=(1 << 80, -1, 0, 0),
        cost=1e300,
    )
    save(catalog(tmp_path), hostile)
    of = catalog(tmp_path)
    # Saving takes nothing from the caller's row; marshal keeps what SQLite's own types could not.
    assert of.rows(full=True)[0].values() == hostile.values()
    assert of.rows_of_project(HOSTILE)[0].path == hostile.path
    assert list(of.load([hostile.path])) == [hostile.path]
    assert (of.note, of.generation) == (None, 0)


def test_more_paths_than_a_query_may_name(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    paths = [f"/s/{number}" for number in range(1500)]
    save(of, *map(row, paths))
    assert sorted(of.load(paths)) == sorted(paths)


def test_stores_that_nobody_uses_are_forgotten(tmp_path: Path) -> None:
    old, new = catalog(tmp_path, "/s"), catalog(tmp_path, "/t")
    save(old, row("/s/1"))
    save(new, row("/t/1", store="/t"))
    old.tidy(1000)
    new.tidy(UNUSED_MS)
    assert len(old.rows()) == 1
    new.tidy(UNUSED_MS + NOTED_MS + 1001)
    assert (old.rows(), len(new.rows())) == ([], 1)
    assert old.load(["/s/1"]) == {}


def test_while_another_process_writes_rows_wait(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/1"))
    of._database._connection.execute("PRAGMA busy_timeout = 1")  # type: ignore[union-attr]
    other = sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    save(of, row("/s/2"))
    of.remove(["/s/1"])
    assert sorted(of.load(["/s/1", "/s/2"])) == ["/s/1"]
    other.execute("COMMIT")
    assert sorted(of.load(["/s/1", "/s/2"])) == ["/s/2"]
    assert [found.path for found in of.rows()] == ["/s/2"]
    other.close()
    assert (of.generation, of.note) == (0, None)


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    of = catalog(tmp_path / "new" / "folder")
    save(of, row("/s/1"))
    for name in os.listdir(tmp_path / "new" / "folder"):
        assert os.stat(tmp_path / "new" / "folder" / name).st_mode & 0o077 == 0
    assert os.stat(tmp_path / "new" / "folder").st_mode & 0o077 == 0


def test_the_schema_number_changes_with_what_is_stored() -> None:
    # When this fails, count SCHEMA up and write down the new figure: old catalogs must not be read as new.
    stored = hashlib.sha256(repr((FIELDS, TABLES)).encode()).hexdigest()[:12]
    assert (SCHEMA, stored) == (13, "234c49a99910")


def test_the_newest_and_their_number(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, *(row(f"/s/{at}", modified=at % 7) for at in range(20)))
    rows, count = of.newest(5)
    assert count == 20
    assert [each.path for each in rows] == [each.path for each in of.rows()[:5]]
    assert of.newest(0) == ([], 20)


def test_noting_that_stores_are_used_writes_once_a_day(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/1"))

    def noted() -> int:
        with closing(sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db")) as connection:
            return int(connection.execute("SELECT used_ms FROM stores").fetchone()[0])

    of.tidy(10**12)
    of.tidy(10**12 + 1000)
    assert noted() == 10**12
    of.tidy(10**12 + 2 * NOTED_MS)
    assert noted() == 10**12 + 2 * NOTED_MS


def filled(folder: Path) -> Catalog:
    of = catalog(folder, "/s", "/t")
    save(
        of,
        row("/s/1", cwd="/p", modified=5),
        row("/s/2", cwd="/q", modified=9),
        row("/t/3", "/t", cwd="/p", modified=7),
        row("/s/4", cwd="a\x00b\ud83d", modified=1),
    )
    return of


ALL = [("/q", 1, 9, 0), ("/p", 2, 7, 0), ("a\x00b\ud83d", 1, 1, 0)]


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
def test_projects_are_counted_again_after_a_write(
    tmp_path: Path, write: Callable[[Catalog], None], then: list[tuple[str, int, int, int]]
) -> None:
    of, other = filled(tmp_path), catalog(tmp_path, "/s", "/t")
    assert other.projects() == ALL
    write(of)
    assert other.projects() == of.projects() == then


def test_projects_are_those_of_the_stores_in_use(tmp_path: Path) -> None:
    filled(tmp_path)
    one = catalog(tmp_path, "/t")
    assert one.projects() == [("/p", 1, 7, 0)]
    assert catalog(tmp_path, "/t", "/s").projects() == ALL
    assert catalog(tmp_path, "/u").projects() == []


def test_unused_stores_are_not_counted(tmp_path: Path) -> None:
    of = filled(tmp_path)
    of.tidy(1000)
    later = UNUSED_MS + NOTED_MS + 1001
    catalog(tmp_path, "/s").tidy(later)
    assert of.projects() == [("/q", 1, 9, 0), ("/p", 1, 5, 0), ALL[2]]


HIDDEN = {"message_count": 0, "problems": 0, "torn": False}
WITHIN = {"parent_session": "/s/1.jsonl"}


def test_hidden_sessions_are_counted_apart(tmp_path: Path) -> None:
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
    assert of.projects() == then
    save(of, row("/s/3", cwd="/q", modified=50))
    assert of.projects() == [("/q", 1, 50, 0), *then[:2]]


def test_an_unreadable_session_is_not_taken_for_empty(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    save(of, row("/s/1", cwd="/p", modified=5, **HIDDEN))
    (was,) = of.rows()
    of.mark({"/s/1": unread(was.signature)})
    assert of.projects() == [("/p", 1, 5, 0)]
    of.mark({"/s/1": was.signature})
    assert of.projects() == [("/p", 0, 0, 1)]
