"""The catalog: what it stores and returns, one user's stores among others, and the queries of the first
frame.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from app.index import FIELDS, SCHEMA, Catalog, refused_row, session_row, unread
from app.index.catalog.schema import TABLES
from app.index.catalog.writes import NOTED_MS, UNUSED_MS
from app.index.row import Reading
from tests.cases import cases
from tests.index.helpers import pi_store
from tests.index.test_row import SUMMARY

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Row

HOSTILE = "a\x00b\ud83d\x1b[31m\u202e'\";--\n"


def row(path: str, store: str = "/s", **fields: object) -> Row:
    new = session_row(path, store, SUMMARY.values(), (1, 2, 3, 4))
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def catalog(folder: Path, *roots: str) -> Catalog:
    return Catalog(str(folder), [pi_store(root) for root in roots or ("/s",)])


def save(target: Catalog, *rows: Row) -> None:
    target.save([Reading(row, ()) for row in rows])


def test_saved_rows_are_read_by_the_next_process(tmp_path: Path) -> None:
    first = catalog(tmp_path)
    saved = row("/s/a.jsonl")
    save(first, saved, refused_row("/s/bad.jsonl", "/s", (5, 6, 7, 8), "empty file", 0))
    second = catalog(tmp_path)
    assert [row_.values() for row_ in second.rows(full=True)] == [saved.values()]
    assert [row_.first_message for row_ in second.rows()] == [""]
    assert [(row_.path, row_.refused) for row_ in second.refused()] == [("/s/bad.jsonl", "empty file")]
    assert second.signatures() == {"/s/a.jsonl": (1, 2, 3, 4), "/s/bad.jsonl": (5, 6, 7, 8)}
    reading = second.load(["/s/a.jsonl", "/s/none.jsonl"])["/s/a.jsonl"]
    assert (reading.row.path, reading.spans) == ("/s/a.jsonl", ())
    assert (first.note, first.generation, second.note, second.generation) == (None, 0, None, 0)


@cases("bad", [{"modified": 1 << 63}, {"ino": 1 << 70}, {"title": object()}, {"tokens": (object(), 0, 0, 0)}])
def test_a_row_that_cannot_be_stored_does_not_prevent_others(tmp_path: Path, bad: dict[str, object]) -> None:
    first = catalog(tmp_path)
    save(first, row("/s/a"), row("/s/bad", **bad), row("/s/c"))
    with closing(catalog(tmp_path)) as second:
        assert sorted(row_.path for row_ in second.rows()) == ["/s/a", "/s/c"]
        (refused,) = second.refused()
        assert (refused.path, str(refused.refused).partition(":")[0]) == ("/s/bad", "cannot be stored")
        assert second.note is None
    first.close()


def test_the_queries_of_the_first_frame(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    assert target.projects() == []
    assert target.rows_of_project("/p") == []
    save(
        target,
        row("/s/1", cwd="/p", modified=5),
        row("/s/2", cwd="/q", modified=9),
        row("/s/3", cwd="/p", modified=7),
        refused_row("/s/4", "/s", (1, 2, 3, 4), "no"),
    )
    assert target.projects() == [("/q", 1, 9, 0), ("/p", 2, 7, 0)]
    assert [row_.path for row_ in target.rows_of_project("/p")] == ["/s/3", "/s/1"]
    assert target.rows_of_project("/none") == []
    assert [row_.path for row_ in target.rows()] == ["/s/2", "/s/3", "/s/1"]
    assert target.generation == 0


def test_only_rows_of_the_given_stores_are_returned(tmp_path: Path) -> None:
    first = catalog(tmp_path, "/s", "/t")
    save(first, row("/s/1", cwd="/p"), row("/t/2", store="/t", cwd="/p"))
    second = catalog(tmp_path, "/t")
    assert [row_.path for row_ in second.rows()] == ["/t/2"]
    assert [row_.path for row_ in second.rows_of_project("/p")] == ["/t/2"]
    assert [(cwd, count) for cwd, count, _, _ in second.projects()] == [("/p", 1)]
    assert list(second.signatures()) == ["/t/2"]
    assert second.load(["/s/1"]) == {}
    second.remove(["/s/1"])
    assert len(first.rows()) == 2
    assert catalog(tmp_path, "/u").rows() == []


def test_a_folder_read_for_other_agents_is_another_store(tmp_path: Path) -> None:
    save(catalog(tmp_path), row("/s/1"))
    store = pi_store("/s")
    store.twins = (pi_store("/s"),)
    assert Catalog(str(tmp_path), [store]).rows() == []


def test_a_later_reading_replaces_the_earlier_one(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    save(target, row("/s/1", title="old", cwd="/p"))
    save(target, row("/s/1", title="new", cwd="/q"))
    assert [row_.title for row_ in target.rows()] == ["new"]
    assert [group[0] for group in target.projects()] == ["/q"]
    target.remove(["/s/1", "/s/never"])
    assert target.rows(full=True) == []
    with sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db") as connection:
        assert connection.execute("SELECT count(*) FROM first_messages").fetchone() == (0,)


def test_any_text_and_number_of_a_file_can_be_stored(tmp_path: Path) -> None:
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
    second = catalog(tmp_path)
    # Saving does not change the caller's row, and marshal stores values that SQLite's types cannot hold.
    assert second.rows(full=True)[0].values() == hostile.values()
    assert second.rows_of_project(HOSTILE)[0].path == hostile.path
    assert list(second.load([hostile.path])) == [hostile.path]
    assert (second.note, second.generation) == (None, 0)


def test_more_paths_can_be_loaded_than_a_query_may_have_parameters(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    paths = [f"/s/{number}" for number in range(1500)]
    save(target, *map(row, paths))
    assert sorted(target.load(paths)) == sorted(paths)


def test_unused_stores_are_deleted(tmp_path: Path) -> None:
    old, new = catalog(tmp_path, "/s"), catalog(tmp_path, "/t")
    save(old, row("/s/1"))
    save(new, row("/t/1", store="/t"))
    old.tidy(1000)
    new.tidy(UNUSED_MS)
    assert len(old.rows()) == 1
    new.tidy(UNUSED_MS + NOTED_MS + 1001)
    assert (old.rows(), len(new.rows())) == ([], 1)
    assert old.load(["/s/1"]) == {}


def test_readings_that_wait_for_another_process_are_in_every_answer(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    save(target, row("/s/1"))
    writer = sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    save(target, row("/s/2"))
    save(target, refused_row("/s/3", "/s", (5, 6, 7, 8), "no"))
    target.remove(["/s/1"])

    def answers() -> list[object]:
        return [
            sorted(target.load(["/s/1", "/s/2"])),
            [(row_.path, row_.first_message) for row_ in target.rows(full=True)],
            [row_.path for row_ in target.newest(5)[0]],
            target.newest(5)[1],
            [row_.path for row_ in target.refused()],
            target.refused_paths(),
            target.signatures(),
            target.texts(),
        ]

    during = answers()
    writer.execute("COMMIT")
    assert answers() == during
    assert during == [
        ["/s/2"],
        [("/s/2", row("/s/2").first_message)],
        ["/s/2"],
        1,
        ["/s/3"],
        ["/s/3"],
        {"/s/2": (1, 2, 3, 4), "/s/3": (5, 6, 7, 8)},
        {"/s/2": (), "/s/3": ()},
    ]
    writer.close()
    assert (target.generation, target.note) == (0, None)


def test_the_files_are_private(tmp_path: Path) -> None:
    target = catalog(tmp_path / "new" / "folder")
    save(target, row("/s/1"))
    for name in os.listdir(tmp_path / "new" / "folder"):
        assert os.stat(tmp_path / "new" / "folder" / name).st_mode & 0o077 == 0
    assert os.stat(tmp_path / "new" / "folder").st_mode & 0o077 == 0


def test_the_schema_number_changes_with_the_stored_fields() -> None:
    # If this fails, increment SCHEMA and write the new digest here: an old catalog must not be read as a new
    # one.
    stored = hashlib.sha256(repr((FIELDS, TABLES)).encode()).hexdigest()[:12]
    assert (SCHEMA, stored) == (26, "d11d151966d3")


def test_the_newest_rows_and_the_number_of_all(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    save(target, *(row(f"/s/{number}", modified=number % 7) for number in range(20)))
    rows, count = target.newest(5)
    assert count == 20
    assert [row_.path for row_ in rows] == [row_.path for row_ in target.rows()[:5]]
    assert target.newest(0) == ([], 20)


def test_the_use_of_stores_is_noted_once_a_day(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    save(target, row("/s/1"))

    def used_ms() -> int:
        with closing(sqlite3.connect(tmp_path / f"catalog-{SCHEMA}.db")) as connection:
            return int(connection.execute("SELECT used_ms FROM stores").fetchone()[0])

    target.tidy(10**12)
    target.tidy(10**12 + 1000)
    assert used_ms() == 10**12
    target.tidy(10**12 + 2 * NOTED_MS)
    assert used_ms() == 10**12 + 2 * NOTED_MS


HIDDEN = {
    "message_count": 0,
    "title_source": "",
    "models": (),
    "tools": (),
    "errors": 0,
    "images": 0,
    "problems": 0,
    "torn": False,
}
WITHIN = {"parent_session": "/s/1.jsonl"}


def test_hidden_sessions_are_counted_separately(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    save(
        target,
        row("/s/1.jsonl", cwd="/p", modified=5),
        row("/s/2", cwd="/p", modified=99, **HIDDEN),
        row("/s/1/a.jsonl", cwd="/p", modified=98, **WITHIN),
        row("/s/3", cwd="/q", modified=50, **HIDDEN),
        row("/s/4", cwd="/r", modified=7, **{**HIDDEN, "torn": True}),
        row("/s/5", cwd="/r", modified=6, parent_session="/s/1.jsonl"),
    )
    expected = [("/r", 2, 7, 0), ("/p", 1, 5, 2), ("/q", 0, 0, 1)]
    assert target.projects() == expected
    save(target, row("/s/3", cwd="/q", modified=50))
    assert target.projects() == [("/q", 1, 50, 0), *expected[:2]]


def test_an_unreadable_session_does_not_count_as_empty(tmp_path: Path) -> None:
    target = catalog(tmp_path)
    save(target, row("/s/1", cwd="/p", modified=5, **HIDDEN))
    (before,) = target.rows()
    target.mark({"/s/1": unread(before.signature)})
    assert target.projects() == [("/p", 1, 5, 0)]
    target.mark({"/s/1": before.signature})
    assert target.projects() == [("/p", 0, 0, 1)]
