"""The catalog: what goes in comes out, each user sees the own stores, and the first frame's questions."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from app.index.catalog.catalog import Catalog
from app.index.catalog.tables import TABLES
from app.index.catalog.unused import NOTED_MS, UNUSED_MS
from app.index.parse_result import Reading
from app.index.row import FIELDS, SCHEMA, refused_row, session_row
from tests.index.helpers import pi_store
from tests.index.test_row import SUMMARY

if TYPE_CHECKING:
    from pathlib import Path

    from app.index.row import Row

STATE = (b"state", b"a stamp: what lasts of it")
HOSTILE = "a\x00b\ud83d\x1b[31m\u202e'\";--\n"


def row(path: str, store: str = "/s", **fields: object) -> Row:
    made = session_row(path, store, SUMMARY.values(), (1, 2, 3, 4))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def catalog(folder: Path, *roots: str) -> Catalog:
    return Catalog(str(folder), [pi_store(root) for root in roots or ("/s",)])


def save(to: Catalog, *rows: Row) -> None:
    to.save([Reading(row, 10, b"print", STATE) for row in rows])


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
    assert (reading.offset, reading.fingerprint, reading.state) == (10, b"print", STATE)
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


def test_files_are_told_of_without_their_rows(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    long = "d" * 80
    save(
        of,
        row(f"/s/{HOSTILE}", modified=5, dialect="omp", size=9),
        row("/s/new", modified=7, agent="pi", dialect="pi"),
        row("/s/odd", modified=1, dialect=long),
        refused_row("/s/bad", "/s", (5, 6, 7, 8), "no"),
    )
    with closing(catalog(tmp_path, "/t")) as other:
        save(other, row("/t/other", "/t"))
    files = of.files()
    assert files.listed == [
        ("/s/new", (1, 2, 3, 4)),
        (f"/s/{HOSTILE}", (1, 9, 3, 4)),
        ("/s/odd", (1, 2, 3, 4)),
    ]
    assert files.refused == [("/s/bad", (5, 6, 7, 8))]
    assert [files.dialect(number) for number in (0, 1)] == ["pi", "omp"]
    # More than is kept of a row: whoever needs it has to read the row.
    with pytest.raises(ValueError, match="cannot be read"):
        files.dialect(2)


def test_many_at_once_are_added_and_replaced(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    many = [row(f"/s/{number}.jsonl", title=f"first {number}") for number in range(30)]
    save(of, *many[::2])
    again = [row(found.path, title=found.title.replace("first", "second"), size=9) for found in many]
    of.save([Reading(found, 11, b"other", (b"changed", STATE[1])) for found in again])
    with closing(catalog(tmp_path)) as other:
        rows = {found.path: found.values() for found in other.rows(full=True)}
        assert rows == {found.path: found.values() for found in again}
        readings = other.load(rows)
        assert {found.state for found in readings.values()} == {(b"changed", STATE[1])}
        assert {(found.offset, found.fingerprint) for found in readings.values()} == {(11, b"other")}


def test_the_questions_of_the_first_frame(tmp_path: Path) -> None:
    of = catalog(tmp_path)
    assert of.groups() == []
    assert of.rows_of("/p") == []
    save(
        of,
        row("/s/1", cwd="/p", modified=5),
        row("/s/2", cwd="/q", modified=9),
        row("/s/3", cwd="/p", modified=7),
        refused_row("/s/4", "/s", (1, 2, 3, 4), "no"),
    )
    assert of.groups() == [("/q", 1, 9, 0), ("/p", 2, 7, 0)]
    assert [found.path for found in of.rows_of("/p")] == ["/s/3", "/s/1"]
    assert of.rows_of("/none") == []
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
    assert [found.path for found in other.rows_of("/p")] == ["/t/2"]
    assert [(cwd, count) for cwd, count, _, _ in other.groups()] == [("/p", 1)]
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
    assert [group[0] for group in of.groups()] == ["/q"]
    of.remove(["/s/1", "/s/never"])
    assert of.rows(full=True) == []
    with sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db") as connection:
        for table in ("readings", "lasting"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


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
    assert of.rows_of(HOSTILE)[0].path == hostile.path
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
    assert (SCHEMA, stored) == (11, "7dbd5263e5cc")


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
