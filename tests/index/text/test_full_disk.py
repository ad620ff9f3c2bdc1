"""The disk has no room for the catalog: dead text in the text store is dropped to make room."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from app.index.index import Index
from app.index.text.segment import sizes_in
from app.index.text.store import TextStore
from tests.index.helpers import facts, fill, fresh, pi_store, session, write
from tests.index.text.helpers import assert_right, both, used

if TYPE_CHECKING:
    from pathlib import Path

    from app.stores.base import Store

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


def rewrite(store: Store, numbers: range) -> None:
    for number in numbers:
        path = os.path.join(store.root, "--a--", f"{number}.jsonl")
        with open(path, "rb") as file:
            content = file.read()
        os.unlink(path)
        with open(path, "wb") as file:
            file.write(content.replace(b"quick", b"swift"))


def stop_growth(index: Index) -> None:
    """From now on the catalog's file cannot grow."""
    index.catalog._database.read(lambda connection: connection.execute("PRAGMA max_page_count = 1"))


def hit_count(index: Index, query: str) -> int:
    return list(index.query(query))[-1].total


@pytest.mark.parametrize("follows", [False, True])
def test_texts_whose_rows_could_not_be_stored_are_dropped(
    cache: Path, store: Store, tmp_path: Path, follows: bool
) -> None:
    index = scanned(cache, store)
    before = sizes_in(index.catalog.text_folder)
    if not follows:
        index.close()
        index = Index([store], str(cache))
    stop_growth(index)
    fill(tmp_path / "store", 400)
    index.scan()
    if follows:
        index.scan()
    assert index.catalog.is_full
    assert sizes_in(index.catalog.text_folder) == before
    assert (hit_count(index, "prompt"), hit_count(index, "fox")) == (400, COUNT)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    index.close()
    scanned(cache, store).close()
    assert_right(cache, store)


def test_live_text_is_dropped_if_much_of_the_store_is_dead(cache: Path, store: Store, tmp_path: Path) -> None:
    scanned(cache, store).close()
    rewrite(store, range(7))
    index = scanned(cache, store)
    (size,) = sizes_in(index.catalog.text_folder).values()
    ((live, _),) = used(index.catalog).values()
    assert live > size - live > 256 << 10, "it is not yet worth a copy"
    index.close()
    index = Index([store], str(cache))
    stop_growth(index)
    fill(tmp_path / "store", 400)
    index.scan()
    assert index.catalog.is_full
    assert sizes_in(index.catalog.text_folder) == {}
    assert (hit_count(index, "prompt"), hit_count(index, "fox"), hit_count(index, "swift")) == (400, COUNT, 7)
    index.close()
    second = scanned(cache, store)
    assert (second.note, second.counts.whole) == (None, 400 + COUNT)
    second.close()
    assert_right(cache, store)


def test_live_text_is_kept_if_the_catalog_is_locked_by_another_process(cache: Path, store: Store) -> None:
    scanned(cache, store).close()
    rewrite(store, range(7))
    index = scanned(cache, store)
    before = sizes_in(index.catalog.text_folder)
    index.catalog._database.do_without()
    index.text_store.tidy(threading.Event())
    assert index.catalog.in_memory
    assert sizes_in(index.catalog.text_folder) == before


def test_a_segment_that_another_process_appends_to_is_kept(cache: Path, store: Store) -> None:
    index = scanned(cache, store)
    writer = Index([store], str(cache))
    writer.scan()
    texts = writer.text_store
    assert texts.keep is not None
    spans = texts.keep(both(b"not in the catalog yet"))
    assert isinstance(spans, tuple)
    index.catalog._database.do_without()
    sizes = sizes_in(index.catalog.text_folder)
    index.text_store.tidy(threading.Event())
    assert sizes_in(index.catalog.text_folder) == sizes


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
