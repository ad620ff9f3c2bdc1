"""After `prepare` the first search loads, maps and packs nothing; counted, not timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.index.search import documents, sessions
from app.index.search.spread import Spread
from app.index.text import mmap_reader

if TYPE_CHECKING:
    from tests.index.search.helpers import World


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FIRST", 2)
    monkeypatch.setattr(documents, "MOST", 4)


def test_what_is_known_of_sessions_is_packed_and_all_texts_are_laid_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        # one that has no "e" anywhere, in some of the blocks
        world.session(f"s{number:02}", "hallo" if number % 7 == 3 else "hello")
    world.scan()
    world.index.prepare()
    packed, laid_out = [], []
    said = documents.said
    monkeypatch.setattr(documents, "said", lambda row, home: packed.append(row.id) or said(row, home))
    monkeypatch.setattr(sessions, "Spread", lambda *args: laid_out.append(args) or Spread(*args))
    assert world.ids("s07") == ["s07"]
    assert world.ids("nowhere at all") == []
    assert (packed, laid_out) == ([], [])


@pytest.mark.skipif(mmap_reader.stringzilla is None, reason="nothing is loaded for it")
def test_what_searches_beside_other_threads_is_loaded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mmap_reader, "_is_sought", False)
    world.session("s", "hello")
    world.scan()
    world.index.prepare()
    assert mmap_reader._is_sought


def test_whoever_asks_meanwhile_does_not_wait_for_the_rest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "hello")
    world.scan()
    packed = []
    said = documents.said
    monkeypatch.setattr(documents, "said", lambda row, home: packed.append(row.id) or said(row, home))
    # the one that is looked up as well
    world.index.prepare(lambda: len(packed) < 2)
    assert len(packed) == 1 + 2
