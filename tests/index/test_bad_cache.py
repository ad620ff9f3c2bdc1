"""A damaged or unwritable cache never causes an error or a wrong row."""

from __future__ import annotations

import os
import sqlite3
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import SCHEMA, Catalog, cache_status, rebuild
from app.index import open as open_index
from app.index.resolve import resolve
from tests.cases import cases
from tests.index.helpers import append, facts, fill, fresh, message, pi_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from leafmark import Row

NAME = f"catalog-{SCHEMA}.db"


def flip_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for offset in range(4096, len(data)):
        data[offset] ^= 0x5A
    path.write_bytes(data)


def spoil_a_row(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sessions SET row = x'fb0102' WHERE key = 3")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 4711")


def other_tables(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (something)")


def same_number_other_tables(path: Path) -> None:
    other_tables(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database " * 1000)


def nothing(path: Path) -> None:
    path.write_bytes(b"")


SPOILERS = [
    flip_the_middle,
    spoil_a_row,
    cut,
    newer,
    other_tables,
    same_number_other_tables,
    garbage,
    nothing,
]


@cases("spoil", SPOILERS)
def test_a_damaged_catalog_is_rebuilt(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 40)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    spoil(tmp_path / "cache" / NAME)
    second = Index([store], str(tmp_path / "cache"))
    second.rows()
    second.scan()
    assert facts(second.rows(full=True)) == fresh(store, tmp_path / "other")
    assert second.note is None
    third = Index([store], str(tmp_path / "cache"))
    third.scan()
    assert third.counts.whole == 0, "what was made anew is kept"


@cases("spoil", [flip_the_middle, spoil_a_row])
def test_rows_are_reported_again_if_the_catalog_is_damaged_before_a_scan(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    store = pi_store(tmp_path / "store")
    paths = fill(tmp_path / "store", 40)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    spoil(tmp_path / "cache" / NAME)
    assert index.catalog.rows() == []
    reported: list[Row] = []
    index.scan(lambda delta: reported.extend(delta.changed))
    assert {row.path for row in reported} == {str(path) for path in paths}
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def keeps_up(tmp_path: Path, cache: str) -> tuple[Index, Path]:
    """An index over twelve sessions, of which the first grew after the first scan, and the path of that
    session.
    """
    store = pi_store(tmp_path / "store")
    paths = fill(tmp_path / "store", 12)
    index = open_index([store], cache)
    assert index.rows() == []
    index.scan()
    append(paths[0], message("new", "e0", "more"))
    index.scan()
    assert (index.counts.whole, index.counts.tails) == (12, 1)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    return index, paths[0]


def catalog_is_a_folder(cache: Path) -> None:
    (cache / NAME).mkdir(parents=True)


def cache_is_a_file(cache: Path) -> None:
    cache.write_text("a file where the folder should be")


def cache_is_below_a_file(cache: Path) -> None:
    cache.symlink_to(cache.parent / "file" / "below")
    (cache.parent / "file").write_text("")


@cases("make", [catalog_is_a_folder, cache_is_a_file, cache_is_below_a_file])
def test_an_unwritable_cache_is_kept_in_memory(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "cache")
    index, _ = keeps_up(tmp_path, str(tmp_path / "cache"))
    assert index.note is not None
    assert index.note.startswith("the list is kept in memory only: ")
    assert "\n" not in index.note


def test_the_note_names_the_path_that_blocks_a_new_catalog(tmp_path: Path) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 3)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    (catalog,) = (tmp_path / "cache").glob("catalog-*.db")
    catalog.write_bytes(b"no database" * 1_000)
    lock = tmp_path / "cache" / "catalog.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    assert index.note == f"the list is kept in memory only: {lock}: Is a directory"
    assert len(index.rows()) == 3


def test_a_full_disk_costs_the_cache_file_but_no_rows(tmp_path: Path) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 20)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.catalog.read(lambda connection: connection.execute("PRAGMA max_page_count = 10"))
    fill(tmp_path / "store", 400)
    index.scan()
    assert "full" in (index.note or "")
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="nobody says how much is left")
@pytest.mark.parametrize(("blocks", "reason"), [(8, "database or disk is full"), (1 << 20, "disk I/O error")])
def test_a_failed_sqlite_allocation_is_reported_as_a_full_disk_if_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, reason: str
) -> None:
    catalog = Catalog(str(tmp_path), [])
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE

    def no_room(connection: sqlite3.Connection) -> int:
        if not catalog.in_memory:
            raise error
        return 1

    disk = SimpleNamespace(f_bavail=blocks, f_frsize=4096, f_flag=0)
    monkeypatch.setattr(os, "statvfs", lambda folder: disk)
    assert catalog.read(no_room) == 1
    assert catalog.note == f"what is new is kept in memory only: {tmp_path / NAME}: {reason}"


def test_a_catalog_that_turns_readonly_is_copied_into_memory(tmp_path: Path) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 20)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    second = Index([store], str(tmp_path / "cache"))
    second.catalog.read(lambda connection: connection.execute("PRAGMA query_only = 1"))
    assert len(second.rows()) == 20
    fill(tmp_path / "store" / "more", 10)
    for path in (tmp_path / "store" / "more").iterdir():
        path.rename(tmp_path / "store" / f"more-{path.name}")
    second.scan()
    assert second.counts.whole == 10, "the twenty rows that could be read came along into memory"
    assert len(second.rows()) == 30
    assert "readonly" in (second.note or "")


IMPOSSIBLE = {"a NUL": "a\0b", "half a character": "a\ud800b"}


@cases("fault", IMPOSSIBLE)
def test_an_impossible_cache_folder_is_kept_in_memory(tmp_path: Path, fault: str) -> None:
    folder = str(tmp_path / IMPOSSIBLE[fault])
    index, first = keeps_up(tmp_path, folder)
    assert index.note == f"the list is kept in memory only: {folder}: is no path: there is {fault} in it"
    assert [hit.path for page in index.query("more") for hit in page.hits] == [str(first)]
    index.close()
    assert resolve("id-0", [pi_store(tmp_path / "store")], folder).path == str(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "store"]


@cases("fault", IMPOSSIBLE)
def test_an_impossible_cache_folder_stores_nothing(tmp_path: Path, fault: str) -> None:
    folder = str(tmp_path / IMPOSSIBLE[fault])
    status = cache_status(folder)
    assert status.note == f"nothing is kept: {folder}: is no path: there is {fault} in it"
    assert (status.sessions, status.text_bytes, status.catalog_bytes) == (0, 0, 0)
    with pytest.raises(OSError, match=f"is no path: there is {fault} in it"):
        rebuild(folder)
