"""The disk has no room for the catalog or for texts, or another process writes to the catalog."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import cache_status
from app.index.text.segment import ROOM_BYTES
from app.index.text.store import TextStore
from tests.index.helpers import facts, fill, fresh, pi_store, session, write
from tests.index.text.helpers import assert_right

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Store

pytestmark = pytest.mark.slow

COUNT = 12
WORD = "the quick brown fox jumps over "


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    for number in range(COUNT):
        write(tmp_path / f"store/--a--/{number}.jsonl", session(f"{number} {WORD * 1_300}", f"id-{number}"))
    return pi_store(tmp_path / "store")


def scanned(cache: Path, store: Store) -> Index:
    index = Index([store], str(cache))
    index.scan()
    return index


def stop_growth(index: Index) -> None:
    """From now on the catalog's file cannot grow."""
    index.catalog.read(lambda connection: connection.execute("PRAGMA max_page_count = 1"))


def hit_count(index: Index, query: str) -> int:
    return list(index.query(query))[-1].total


@pytest.mark.parametrize("follows", [False, True])
def test_texts_whose_rows_could_not_be_stored_are_stored_by_the_next_program(
    cache: Path, store: Store, tmp_path: Path, follows: bool
) -> None:
    index = scanned(cache, store)
    if not follows:
        index.close()
        index = Index([store], str(cache))
    stop_growth(index)
    fill(tmp_path / "store", 400)
    index.scan()
    if follows:
        index.scan()
    assert index.catalog.in_memory
    assert (hit_count(index, "prompt"), hit_count(index, "fox")) == (400, COUNT)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    index.close()
    scanned(cache, store).close()
    assert_right(cache, store)


@pytest.mark.parametrize("is_enough", [False, True])
def test_texts_leave_room_on_the_disk(
    cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch, is_enough: bool
) -> None:
    free = ROOM_BYTES - (not is_enough)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=1, f_flag=0))
    index = scanned(cache, store)
    why = f"the text of sessions is not kept: {index.catalog.text_folder}: No space left on device"
    assert index.note == (None if is_enough else why)
    assert hit_count(index, "fox") == COUNT
    index.close()
    assert cache_status(str(cache)).without_text == (0 if is_enough else COUNT)
    assert scanned(cache, store).counts.whole == 0, "what has no room is not read again"


def test_rows_that_wait_for_a_locked_catalog_keep_the_store_locked(
    cache: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has the catalog locked: the rows wait, and no process may compact the texts."""
    index = scanned(cache, store)
    second = TextStore(Index([store], str(cache)).catalog)
    with index.text_store.writing():
        monkeypatch.setattr(type(index.catalog), "is_behind", property(lambda _: True))
    assert not second._acquire(alone=True)
    monkeypatch.undo()
    with index.text_store.writing():
        pass
    assert second._acquire(alone=True)
    second.close()
