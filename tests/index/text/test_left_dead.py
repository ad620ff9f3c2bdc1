"""A scan without changes also drops text that other processes have left dead."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import Catalog
from app.index.text import compaction
from app.index.text.compaction import WORTH_BYTES
from app.index.text.store import TextStore
from tests.index.helpers import append, message
from tests.index.text.helpers import assert_right, scanned, segments

if TYPE_CHECKING:
    from leafmark import Store

COUNT = 6


def add_dead(cache: Path, size: int = 2 * WORTH_BYTES) -> None:
    for suffix in ("folded", "written"):
        (path,) = cache.rglob(f"*.{suffix}")
        with open(path, "ab") as file:
            file.write(os.urandom(size))


@pytest.fixture
def tidied(monkeypatch: pytest.MonkeyPatch) -> list[TextStore]:
    """The stores on which `tidy` was called, in order."""
    stores: list[TextStore] = []
    tidy = TextStore.tidy

    def counted(self: TextStore, *args: object) -> None:
        stores.append(self)
        tidy(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(TextStore, "tidy", counted)
    return stores


def test_dead_text_at_the_end_of_a_segment_is_dropped(cache: Path, store: Store) -> None:
    before = sum(segments(cache).values())
    add_dead(cache)
    index = scanned(cache, store)
    assert (index.counts.whole, index.counts.tails) == (0, 0)
    assert sum(segments(cache).values()) == before
    assert_right(cache, store)


def test_nothing_is_compacted_without_dead_text(cache: Path, store: Store, tidied: list[TextStore]) -> None:
    index = Index([store], str(cache))
    index.scan()
    index.scan()
    index.close()
    assert tidied == []
    # Too little dead text to be worth a copy.
    append(Path(store.root) / "--project-0--/session-0.jsonl", message("n", "e0", "more"))
    add_dead(cache, WORTH_BYTES // 2)
    catalog = Catalog(str(cache), [store])
    text_store = TextStore(catalog)
    assert text_store.lost({}) == set()
    assert not text_store.is_untidy
    catalog.close()


def test_a_failed_compaction_is_tried_once(
    cache: Path, store: Store, tidied: list[TextStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compaction.Segment, "make", full)
    add_dead(cache)
    index = Index([store], str(cache))
    for _ in range(3):
        index.scan()
    index.close()
    assert len(tidied) == 1
    assert_right(cache, store)
