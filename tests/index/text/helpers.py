"""Questions about what a text store holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.catalog import span_table
from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.index.text.segment import read_spans, sizes_in
from app.index.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

    from app.index.row import Span
    from app.stores.base import Store


def texts(cache: Path, store: Store) -> dict[str, bytes | None]:
    """File name -> the text as the next process finds it; None where a part of it is missing."""
    catalog = Catalog(str(cache), [store])
    try:
        found = catalog.texts()
        return {os.path.basename(path): read_spans(catalog.text_folder, at) for path, at in found.items()}
    finally:
        catalog.close()


def spans_by_name(catalog: Catalog) -> dict[str, tuple[Span, ...]]:
    return {os.path.basename(path): spans for path, spans in catalog.texts().items()}


def assert_right(cache: Path, store: Store) -> None:
    """All that is stored is what the files say, text included, and no session is without."""
    catalog = Catalog(str(cache), [store])
    try:
        done = verify(catalog, [store])
        assert done.findings == []
        assert (done.changed, done.without_text) == (0, 0)
        assert done.checked == len(catalog.rows()) + len(catalog.refused())
        assert counted(catalog) == used(catalog)
    finally:
        catalog.close()


def counted(catalog: Catalog) -> dict[str, tuple[int, int]]:
    """Segment -> (bytes used, how far they reach), counted over all sessions."""
    found: dict[str, tuple[int, int]] = {}
    for spans in catalog.texts().values():
        for name, start, length in spans:
            live, reach = found.get(name, (0, 0))
            found[name] = live + length, max(reach, start + length)
    return found


def used(catalog: Catalog) -> dict[str, tuple[int, int]]:
    """The same as the catalog keeps it; it may remember a reach that is gone."""
    kept = catalog.run(span_table.segments)
    assert kept is not None
    real = counted(catalog)
    assert all(known.reach >= real[name][1] for name, known in kept.items())
    return {name: (known.live, real[name][1]) for name, known in kept.items()}


def segments(cache: Path) -> dict[str, int]:
    """The segments on the disk and their sizes."""
    (folder,) = cache.glob("text-*")
    return sizes_in(str(folder))


def scanned(cache: Path, store: Store) -> Index:
    """A process that has brought everything up to date and ended."""
    index = Index([store], str(cache))
    index.scan()
    index.close()
    return index
