"""A cache in any condition: never an error, never a wrong row."""

from __future__ import annotations

import os
import sqlite3
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from app.index import open as open_index
from app.index.cache import cache_status, rebuild
from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.index.resolve import resolve
from app.index.row import SCHEMA
from tests.index.helpers import append, facts, fill, fresh, message, pi_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.index.row import Row

NAME = f"catalog-{SCHEMA}.db"


def flip_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(4096, len(data)):
        data[at] ^= 0x5A
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


@pytest.mark.parametrize("spoil", SPOILERS)
def test_a_spoiled_catalog_is_made_anew(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 40)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    spoil(tmp_path / "cache" / NAME)
    again = Index([store], str(tmp_path / "cache"))
    again.rows()
    again.scan()
    assert facts(again.rows(full=True)) == fresh(store, tmp_path / "other")
    assert again.note is None
    third = Index([store], str(tmp_path / "cache"))
    third.scan()
    assert third.counts.whole == 0, "what was made anew is kept"


@pytest.mark.parametrize("spoil", [flip_the_middle, spoil_a_row])
def test_a_catalog_spoiled_under_a_running_scan_is_told_anew(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    store = pi_store(tmp_path / "store")
    paths = fill(tmp_path / "store", 40)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    spoil(tmp_path / "cache" / NAME)
    assert index.catalog.rows() == []
    told: list[Row] = []
    index.scan(lambda delta: told.extend(delta.changed))
    assert {row.path for row in told} == {str(path) for path in paths}
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def keeps_up(tmp_path: Path, cache: str) -> tuple[Index, Path]:
    """An index over a dozen sessions, of which the first has grown since they were read, and that one."""
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


def is_folder(cache: Path) -> None:
    (cache / NAME).mkdir(parents=True)


def no_folder(cache: Path) -> None:
    cache.write_text("a file where the folder should be")


def below_a_file(cache: Path) -> None:
    cache.symlink_to(cache.parent / "file" / "below")
    (cache.parent / "file").write_text("")


@pytest.mark.parametrize("make", [is_folder, no_folder, below_a_file])
def test_without_a_place_to_write_it_works_in_memory(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "cache")
    index, _ = keeps_up(tmp_path, str(tmp_path / "cache"))
    assert index.note is not None
    assert index.note.startswith("the list is kept in memory only: ")
    assert "\n" not in index.note


def test_what_is_in_the_way_of_a_new_catalog_is_named_with_the_reason(tmp_path: Path) -> None:
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


def test_a_disk_that_fills_up_costs_the_file_and_not_the_rows(tmp_path: Path) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 20)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.catalog._database.run(lambda connection: connection.execute("PRAGMA max_page_count = 10"))
    fill(tmp_path / "store", 400)
    index.scan()
    assert "full" in (index.note or "")
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="nobody says how much is left")
@pytest.mark.parametrize(("blocks", "said"), [(8, "database or disk is full"), (1 << 20, "disk I/O error")])
def test_what_sqlite_cannot_make_room_for_is_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, said: str
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
    assert catalog.run(no_room) == 1
    assert catalog.note == f"what is new is kept in memory only: {tmp_path / NAME}: {said}"
    assert catalog.is_full == (blocks == 8)


def test_a_file_that_may_not_be_written_is_read_and_then_left(tmp_path: Path) -> None:
    store = pi_store(tmp_path / "store")
    fill(tmp_path / "store", 20)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    index.close()
    again = Index([store], str(tmp_path / "cache"))
    again.catalog._database.run(lambda connection: connection.execute("PRAGMA query_only = 1"))
    assert len(again.rows()) == 20
    fill(tmp_path / "store" / "more", 10)
    for path in (tmp_path / "store" / "more").iterdir():
        path.rename(tmp_path / "store" / f"more-{path.name}")
    again.scan()
    assert again.counts.whole == 10, "the twenty rows that could be read came along into memory"
    assert len(again.rows()) == 30
    assert "readonly" in (again.note or "")


def test_the_notice_of_one_index_is_not_shared(tmp_path: Path) -> None:
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"))
    index.scan(stop=threading.Event())
    assert index.note is None


IMPOSSIBLE = {"a NUL": "a\0b", "half a character": "a\ud800b"}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_in_a_folder_that_can_be_none_it_works_in_memory(tmp_path: Path, what: str) -> None:
    folder = str(tmp_path / IMPOSSIBLE[what])
    index, first = keeps_up(tmp_path, folder)
    assert index.note == f"the list is kept in memory only: {folder}: is no path: there is {what} in it"
    assert [hit.path for page in index.query("more") for hit in page.hits] == [str(first)]
    index.close()
    assert resolve("id-0", [pi_store(tmp_path / "store")], folder).path == str(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "store"]


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_of_a_folder_that_can_be_none_nothing_is_kept(tmp_path: Path, what: str) -> None:
    folder = str(tmp_path / IMPOSSIBLE[what])
    found = cache_status(folder)
    assert found.note == f"nothing is kept: {folder}: is no path: there is {what} in it"
    assert (found.sessions, found.text_bytes, found.catalog_bytes) == (0, 0, 0)
    with pytest.raises(OSError, match=f"is no path: there is {what} in it"):
        rebuild(folder)
