"""Helpers that read a text store and check its contents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from leafmark import Index

from app.formats.utf8_text import fold
from app.index import Catalog
from app.index.catalog import span_table
from app.index.text.segment import read_spans, sizes_in
from app.index.verify import verify
from app.sessions.passages import HEADS, PackedText, pack_all

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from leafmark import Store

    from app.index import Span


def both(data: bytes) -> PackedText:
    """The same bytes as the folded and as the written copy."""
    return PackedText(data, data)


def stored(kind: int, offset: int, text: str) -> PackedText:
    """A block with one passage as it is stored."""
    return pack_all([HEADS[kind]], [offset], [fold(text).encode()], [text.encode()])


def texts(cache: Path, store: Store) -> dict[str, PackedText | None]:
    """File name -> the text as the next process reads it; None if a part of it is missing."""
    catalog = Catalog(str(cache), [store])
    try:
        all_spans = catalog.texts()
        return {
            os.path.basename(path): read_spans(catalog.text_folder, spans)
            for path, spans in all_spans.items()
        }
    finally:
        catalog.close()


def size_of(texts_by_name: Mapping[str, PackedText | None]) -> int:
    """The bytes of one copy of the texts."""
    return sum(len(text.folded) for text in texts_by_name.values() if text)


def spans_by_name(catalog: Catalog) -> dict[str, tuple[Span, ...]]:
    return {os.path.basename(path): spans for path, spans in catalog.texts().items()}


def assert_right(cache: Path, store: Store) -> None:
    """The cache agrees with the files, and each session has a stored text."""
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
    """Segment -> (bytes in use, end of the last text), counted over all sessions."""
    used_by_segment: dict[str, tuple[int, int]] = {}
    for spans in catalog.texts().values():
        for name, start, length in spans:
            live, reach = used_by_segment.get(name, (0, 0))
            used_by_segment[name] = live + length, max(reach, start + length)
    return used_by_segment


def used(catalog: Catalog) -> dict[str, tuple[int, int]]:
    """The same from the segments table, in which the end may be that of a dropped text."""
    usage_by_segment = catalog.read(span_table.segments)
    assert usage_by_segment is not None
    real = counted(catalog)
    assert all(usage.reach >= real[name][1] for name, usage in usage_by_segment.items())
    return {name: (usage.live, real[name][1]) for name, usage in usage_by_segment.items()}


def segments(cache: Path) -> dict[str, int]:
    """The segments on the disk and their sizes."""
    (folder,) = cache.glob("text-*")
    return sizes_in(str(folder))


def scanned(cache: Path, store: Store) -> Index:
    """Scan in a new process and end it."""
    index = Index([store], str(cache))
    index.scan()
    index.close()
    return index
