"""Whether what is stored is what a fresh look at the files gives: every row, each piece of every text."""

from __future__ import annotations

import os
import random
import threading
from typing import TYPE_CHECKING, NamedTuple

from app.index.catalog import span_table
from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.index.text.segment import read_spans, sizes_in
from app.sessions.passages import unpack
from tests.index.helpers import facts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.stores.base import Store

SECONDS = float(os.environ.get("LEAFMARK_SOAK") or 0)
"""How long a soak is; with the variable LEAFMARK_SOAK unset it is short."""

_WORDS = ("busy", "text", "word12", "message", "needle", "here is", "id1", "nowhere-at-all")


def seed() -> int:
    """The variable LEAFMARK_SEED, or another one each time; shown where a test fails."""
    number = int(os.environ.get("LEAFMARK_SEED") or random.randrange(1_000_000))
    print(f"LEAFMARK_SEED={number}")
    return number


class Kept(NamedTuple):
    """The rows, those of refused files among them, and path -> the pieces of its text; None where a part is
    missing.
    """

    rows: list[tuple[object, ...]]
    texts: dict[str, list[tuple[int, int, bytes]] | None]


def kept(cache: Path | str, stores: Sequence[Store]) -> Kept:
    """What the next process finds in a cache folder."""
    catalog = Catalog(str(cache), stores)
    try:
        rows = facts(catalog.rows(full=True)) + facts(catalog.refused())
        found = catalog.texts()
        assert catalog.generation == 0
        texts = {path: read_spans(catalog.text_folder, spans) for path, spans in found.items()}
        return Kept(rows, {path: text if text is None else [*unpack(text)] for path, text in texts.items()})
    finally:
        catalog.close()


def anew(cache: Path, stores: Sequence[Store]) -> Kept:
    """The same of an empty cache folder, after a scan."""
    assert not cache.exists()
    index = Index(stores, str(cache))
    index.scan()
    assert index.note is None
    index.close()
    return kept(cache, stores)


def assert_equal(ours: Kept, theirs: Kept) -> None:
    """Tells of the first difference in one line: whole rows would not be read by anybody."""
    rows, others = ({values[0]: values for values in each.rows} for each in (ours, theirs))
    assert rows.keys() ^ others.keys() == set()
    different = [(rows[path], others[path]) for path in others if rows[path] != others[path]]
    assert different[:1] == []
    assert ours.texts.keys() ^ theirs.texts.keys() == set()
    assert [path for path, text in theirs.texts.items() if ours.texts[path] != text or text is None] == []


def found_by(index: Index) -> dict[str, list[str]]:
    """Word -> the paths of the sessions that a search gives, in order."""
    return {word: [hit.path for page in index.query(f'"{word}"') for hit in page.hits] for word in _WORDS}


def assert_nothing_is_left_over(cache: Path, stores: Sequence[Store]) -> None:
    """After one more scan no segment lies there that nobody refers to, and no more than half is dead."""
    index = Index(stores, str(cache))
    index.scan()
    index.text_store.tidy(threading.Event())
    used = index.catalog.run(span_table.segments)
    assert used is not None
    sizes = sizes_in(index.catalog.text_folder)
    index.close()
    assert sizes.keys() == used.keys()
    live = sum(each.live for each in used.values())
    assert sum(sizes.values()) <= 2 * live + (len(sizes) + 1) * (256 << 10)
