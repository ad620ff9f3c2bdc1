"""Compares a cache with a new scan of the files: every row, and each passage of every text."""

from __future__ import annotations

import os
import random
import threading
from typing import TYPE_CHECKING, NamedTuple

from leafmark import Index

from app.index import Catalog
from app.index.catalog import span_table
from app.index.text.segment import read_spans, sizes_in
from app.sessions.passages import unpack
from tests.index.helpers import facts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from leafmark import Store

SECONDS = float(os.environ.get("LEAFMARK_SOAK") or 0)
"""Length of a soak test in seconds; 0, a short test, unless LEAFMARK_SOAK is set."""

_WORDS = ("busy", "text", "word12", "message", "needle", "here is", "id1", "nowhere-at-all")


def seed() -> int:
    """The number in LEAFMARK_SEED, or a random one. It is printed, and pytest shows it when a test fails."""
    number = int(os.environ.get("LEAFMARK_SEED") or random.randrange(1_000_000))
    print(f"LEAFMARK_SEED={number}")
    return number


class Kept(NamedTuple):
    """The rows, including those of refused files, and path -> the passages of both copies of its text; None
    if a part is missing.
    """

    rows: list[tuple[object, ...]]
    texts: dict[str, list[list[tuple[int, int, bytes]]] | None]


def kept(cache: Path | str, stores: Sequence[Store]) -> Kept:
    """Read a cache folder as the next process would."""
    catalog = Catalog(str(cache), stores)
    try:
        rows = facts(catalog.rows(full=True)) + facts(catalog.refused())
        texts_spans = catalog.texts()
        assert catalog.generation == 0
        texts = {path: read_spans(catalog.text_folder, spans) for path, spans in texts_spans.items()}
        passages = {path: text and [[*unpack(copy)] for copy in text] for path, text in texts.items()}
        return Kept(rows, passages)
    finally:
        catalog.close()


def rebuilt(cache: Path, stores: Sequence[Store]) -> Kept:
    """Scan the stores with an empty cache folder, and read that folder."""
    assert not cache.exists()
    index = Index(stores, str(cache))
    index.scan()
    assert index.note is None
    index.close()
    return kept(cache, stores)


def assert_equal(ours: Kept, theirs: Kept) -> None:
    """Fail with the first difference only, because all rows together are too many to read."""
    rows, their_rows = ({values[0]: values for values in state.rows} for state in (ours, theirs))
    assert rows.keys() ^ their_rows.keys() == set()
    different = [(rows[path], their_rows[path]) for path in their_rows if rows[path] != their_rows[path]]
    assert different[:1] == []
    assert ours.texts.keys() ^ theirs.texts.keys() == set()
    assert [path for path, text in theirs.texts.items() if ours.texts[path] != text or text is None] == []


def search_results(index: Index) -> dict[str, list[str]]:
    """Word -> the paths of the sessions that a search for it returns, in order."""
    return {word: [hit.path for page in index.query(f'"{word}"') for hit in page.hits] for word in _WORDS}


def assert_no_leftovers(cache: Path, stores: Sequence[Store]) -> None:
    """After one more scan, each segment is in use, and at most half of the stored text is dead."""
    index = Index(stores, str(cache))
    index.scan()
    index.text_store.tidy(threading.Event())
    used = index.catalog.read(span_table.segments)
    assert used is not None
    sizes = sizes_in(index.catalog.text_folder)
    index.close()
    assert sizes.keys() == used.keys()
    live = sum(usage.live for usage in used.values())
    assert sum(sizes.values()) <= 2 * live + (len(sizes) + 1) * (256 << 10)
