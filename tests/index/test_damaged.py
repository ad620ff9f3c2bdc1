"""A catalog with damage that SQLite does not notice is rebuilt as well."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import Catalog
from app.index.row import catalog_in
from app.index.verify import verify
from tests.cases import cases
from tests.index.helpers import append, facts, fill, fresh, message, pi_store
from tests.index.test_lost import spoil
from tests.index.text.helpers import assert_right, scanned

if TYPE_CHECKING:
    from leafmark import Store

PAGE_BYTES = 8_192  # of a catalog

COUNT = 12

NUMBERS = [
    "UPDATE segments SET reach = 'x'",
    "UPDATE segments SET live = 'x'",
    "UPDATE first_messages SET first_message = 'x'",
    "UPDATE sessions SET ctime_ns = 'x'",
]

# First byte of a b-tree leaf page of a table, and of an index.
TABLE, INDEX = 0x0D, 0x0A


def session(store: Store, number: int) -> Path:
    (path,) = Path(store.root).glob(f"*/session-{number}.jsonl")
    return path


def all_files(store: Store) -> list[Path]:
    return [*Path(store.root).glob("*/*.jsonl")]


def flip_a_path_bit(cache: Path, path: Path, kind: int) -> None:
    """Change a stored path from session 3 to session 2, in a page of this kind."""
    catalog = catalog_in(str(cache))
    with open(catalog, "r+b") as file:
        data = file.read()
        wanted = os.fsencode(path)
        offsets = [offset for offset in range(len(data)) if data.startswith(wanted, offset)]
        (offset,) = [offset for offset in offsets if data[offset // PAGE_BYTES * PAGE_BYTES or 100] == kind]
        file.seek(offset + len(wanted) - len("3.jsonl"))
        file.write(bytes([wanted[-len("3.jsonl")] ^ 0x40]))


def paths(index: Index) -> dict[str, list[str]]:
    """The paths that each query returns."""
    return {
        "rows": sorted(row.path for row in index.rows()),
        "in full": sorted(row.path for row in index.rows(full=True)),
        "newest": sorted(row.path for row in index.newest(100)[0]),
        "found": sorted(hit.path for page in index.query("prompt") for hit in page.hits),
    }


def assert_all_listed(index: Index, stores: list[Store]) -> None:
    expected = sorted(str(path) for store in stores for path in all_files(store))
    assert paths(index) == dict.fromkeys(("rows", "in full", "newest", "found"), expected)
    assert index.newest(0)[1] == len(expected)


@pytest.mark.parametrize("statement", NUMBERS)
def test_a_text_in_a_numeric_column_rebuilds_the_catalog(
    store: Store, cache: Path, tmp_path: Path, statement: str
) -> None:
    spoil(cache, statement)
    append(session(store, 0), message("new", "e0", "more"))
    index = Index([store], str(cache))
    index.scan()
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    assert (index.catalog.generation, index.note) == (1, None)
    index.close()
    assert_right(cache, store)


@pytest.mark.parametrize("more", [1, 40])
def test_sessions_can_be_stored_after_the_largest_key(
    store: Store, cache: Path, tmp_path: Path, more: int
) -> None:
    for table in ("sessions", "first_messages"):
        spoil(cache, f"UPDATE {table} SET key = {(1 << 63) - 1} WHERE key = 3")
    fill(Path(store.root), COUNT + more)
    index = Index([store], str(cache))
    index.scan()
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    assert index.note is None
    index.close()


def test_a_damaged_time_is_found_when_projects_are_ordered(store: Store, cache: Path) -> None:
    spoil(cache, "UPDATE sessions SET modified = 'x' WHERE key = 3")
    catalog = Catalog(str(cache), [store])
    catalog.projects()
    assert catalog.generation == 1
    catalog.close()


@cases("lost", ["true", "id = 1", "id = 2", "id = 3"])
def test_the_number_of_a_lost_store_is_not_reused(tmp_path: Path, lost: str) -> None:
    stores = []
    for name in ("a", "b", "c"):
        fill(tmp_path / name, 4)
        stores.append(pi_store(tmp_path / name))
    index = Index(stores, str(tmp_path / "cache"))
    index.scan()
    index.close()
    # The newest session is read first, so that its store would get the first free number.
    append(session(stores[2], 1), message("new", "e0", "more"))
    spoil(tmp_path / "cache", f"DELETE FROM stores WHERE {lost}")
    index = Index(stores, str(tmp_path / "cache"))
    index.scan()
    assert_all_listed(index, stores)
    index.close()


def test_a_store_with_two_numbers_is_detected(store: Store, cache: Path) -> None:
    for statement in (
        "CREATE TABLE others AS SELECT * FROM stores",
        "INSERT INTO others SELECT id + 1, name, used_ms FROM stores",
        "DROP TABLE stores",
        "ALTER TABLE others RENAME TO stores",
        "CREATE TABLE once AS SELECT * FROM sessions",
        "INSERT INTO sessions SELECT key + 1000, store + 1, path, cwd, modified, listed, ino, size, mtime_ns,"
        " ctime_ns, spans, row FROM once",
    ):
        spoil(cache, statement)
    index = Index([store], str(cache))
    index.scan()
    assert_all_listed(index, [store])
    index.close()


@pytest.mark.parametrize("kind", [TABLE, INDEX])
def test_a_path_without_a_file_is_not_listed(store: Store, cache: Path, kind: int) -> None:
    flip_a_path_bit(cache, session(store, 3), kind)
    index = Index([store], str(cache))
    index.scan()
    assert_all_listed(index, [store])
    index.close()


@pytest.mark.parametrize("kind", [TABLE, INDEX])
@pytest.mark.parametrize("texts", [True, False])
def test_a_growing_session_is_listed_once(store: Store, cache: Path, kind: int, texts: bool) -> None:
    flip_a_path_bit(cache, session(store, 3), kind)
    append(session(store, 3), message("new", "e0", "more"))
    index = Index([store], str(cache))
    index.scan(texts=texts)
    assert_all_listed(index, [store])
    assert index.catalog.generation == 1
    index.close()
    assert_right(cache, store)


@pytest.mark.parametrize("kind", [TABLE, INDEX])
def test_a_deleted_session_is_not_listed(store: Store, cache: Path, kind: int) -> None:
    flip_a_path_bit(cache, session(store, 3), kind)
    session(store, 3).unlink()
    index = Index([store], str(cache))
    index.scan()
    assert_all_listed(index, [store])
    assert index.catalog.generation == 1
    index.close()


@pytest.mark.parametrize("kind", [TABLE, INDEX])
def test_verify_finds_an_index_that_differs_from_its_table(store: Store, cache: Path, kind: int) -> None:
    flip_a_path_bit(cache, session(store, 3), kind)
    catalog = Catalog(str(cache), [store])
    done = verify(catalog, [store])
    catalog.close()
    assert [finding.what for finding in done.findings] == ["it was damaged: all that it held is forgotten"]
    scanned(cache, store)
    assert_right(cache, store)


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE sessions SET listed = 0 WHERE key = 3", "it was damaged: all that it held is forgotten"),
        ("UPDATE sessions SET cwd = x'61' WHERE key = 3", "cwd is 'a', and should be "),
    ],
)
def test_verify_finds_wrong_columns(store: Store, cache: Path, statement: str, finding: str) -> None:
    spoil(cache, statement)
    catalog = Catalog(str(cache), [store])
    done = verify(catalog, [store])
    catalog.close()
    assert [found.what.startswith(finding) for found in done.findings] == [True]


def test_rows_that_another_process_has_removed_are_not_damage(store: Store, cache: Path) -> None:
    index, theirs = Index([store], str(cache)), Index([store], str(cache))
    index.scan()
    theirs.scan()
    session(store, 3).unlink()
    append(session(store, 4), message("new", "e0", "more"))
    theirs.scan()
    theirs.catalog.remove([str(session(store, 4))])
    index.scan()
    assert_all_listed(index, [store])
    assert (index.catalog.generation, index.counts.whole) == (0, 1)
    index.close()
    theirs.close()
