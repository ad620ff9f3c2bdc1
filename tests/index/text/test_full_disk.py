"""A disk on which there is no room for the catalog: what is dead in the text store makes some."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from app.index.index import Index
from app.index.text.segment import sizes_in
from app.index.text.store import TextStore
from tests.index.helpers import facts, fill, fresh, pi_store, session, write
from tests.index.text.helpers import assert_right, used

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


def no_more_room(index: Index) -> None:
    """The catalog's file does not grow from now on."""
    index.catalog._database.run(lambda connection: connection.execute("PRAGMA max_page_count = 1"))


def found(index: Index, query: str) -> int:
    return list(index.query(query))[-1].total


@pytest.mark.parametrize("follows", [False, True])
def test_texts_whose_rows_could_not_be_stored_are_taken_back(
    cache: Path, store: Store, tmp_path: Path, follows: bool
) -> None:
    index = scanned(cache, store)
    before = sizes_in(index.catalog.text_folder)
    if not follows:
        index.close()
        index = Index([store], str(cache))
    no_more_room(index)
    fill(tmp_path / "store", 400)
    index.scan()
    if follows:
        index.scan()
    assert index.catalog.is_full
    assert sizes_in(index.catalog.text_folder) == before
    assert (found(index, "prompt"), found(index, "fox")) == (400, COUNT)
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")
    index.close()
    scanned(cache, store).close()
    assert_right(cache, store)


def test_with_much_that_is_dead_goes_what_is_alive(cache: Path, store: Store, tmp_path: Path) -> None:
    scanned(cache, store).close()
    rewrite(store, range(7))
    index = scanned(cache, store)
    (size,) = sizes_in(index.catalog.text_folder).values()
    ((live, _),) = used(index.catalog).values()
    assert live > size - live > 256 << 10, "it is not yet worth a copy"
    index.close()
    index = Index([store], str(cache))
    no_more_room(index)
    fill(tmp_path / "store", 400)
    index.scan()
    assert index.catalog.is_full
    assert sizes_in(index.catalog.text_folder) == {}
    assert (found(index, "prompt"), found(index, "fox"), found(index, "swift")) == (400, COUNT, 7)
    index.close()
    again = scanned(cache, store)
    assert (again.note, again.counts.whole) == (None, 400 + COUNT)
    again.close()
    assert_right(cache, store)


def test_where_another_process_is_the_reason_nothing_that_is_alive_goes(cache: Path, store: Store) -> None:
    scanned(cache, store).close()
    rewrite(store, range(7))
    index = scanned(cache, store)
    before = sizes_in(index.catalog.text_folder)
    index.catalog._database.do_without()
    index.text_store.tidy(threading.Event())
    assert index.catalog.in_memory
    assert sizes_in(index.catalog.text_folder) == before


def test_what_somebody_appends_to_is_left_alone(cache: Path, store: Store) -> None:
    index = scanned(cache, store)
    other = Index([store], str(cache))
    other.scan()
    texts = other.text_store
    assert texts.keep is not None
    kept = texts.keep(b"not in the catalog yet")
    assert isinstance(kept, tuple)
    index.catalog._database.do_without()
    sizes = sizes_in(index.catalog.text_folder)
    index.text_store.tidy(threading.Event())
    assert sizes_in(index.catalog.text_folder) == sizes


def test_what_waits_to_be_stored_is_nobodys_to_take(
    cache: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has the catalog locked: the rows wait, and so does whoever would tidy."""
    index = scanned(cache, store)
    other = TextStore(Index([store], str(cache)).catalog)
    with index.text_store.writing():
        monkeypatch.setattr(type(index.catalog), "is_behind", property(lambda _: True))
    assert not other._acquire(alone=True)
    monkeypatch.undo()
    with index.text_store.writing():
        pass
    assert other._acquire(alone=True)
    other.close()
