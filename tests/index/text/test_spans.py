"""Spans of one session: adjacent ones are joined, their number is limited, and an append costs the same for
any session size.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

from app.index.catalog.span_table import MOST_SPANS, copy_from
from app.index.catalog.span_table import joined as joined_spans
from app.index.text.segment import Writer, read_spans
from app.sessions.passages import NO_TEXT, joined
from tests.index.text.helpers import stored

if TYPE_CHECKING:
    from pathlib import Path


def test_adjacent_spans_are_joined() -> None:
    assert joined_spans([("a", 0, 3), ("a", 3, 4), ("b", 7, 1), ("a", 8, 1), ("a", 10, 1)]) == (
        ("a", 0, 7),
        ("b", 7, 1),
        ("a", 8, 1),
        ("a", 10, 1),
    )
    assert joined_spans([]) == ()


def test_only_small_spans_are_copied() -> None:
    long = ("a", 0, 1_000_000)
    few = [("a", 2_000_000 + number * 10, 5) for number in range(40)]
    assert copy_from((long, *few)) == 1
    assert copy_from((*few, long)) == 0, "what is small beside the last is worth its copy"
    assert copy_from((long,)) == 0


def test_the_cost_of_an_append_does_not_depend_on_the_session_size() -> None:
    """Two sessions grow in turn. The bytes copied for a session are limited by those appended to it."""
    dice = random.Random(5)
    for size in (1_000, 100_000_000):
        spans: tuple[tuple[str, int, int], ...] = (("a", 0, size),)
        offset, copied, added = size, 0, 0
        for _ in range(3_000):
            length = dice.randrange(50, 500)
            offset += length + 1
            added += length
            spans = joined_spans((*spans, ("a", offset, length)))
            if len(spans) > MOST_SPANS:
                first = copy_from(spans)
                weight = sum(span[2] for span in spans[first:])
                copied += weight
                offset += weight + 1
                spans = (*spans[:first], ("a", offset, weight))
            assert len(spans) <= MOST_SPANS
        assert copied < 6 * added


def test_read_spans_needs_every_segment(tmp_path: Path) -> None:
    first, second = Writer(str(tmp_path)), Writer(str(tmp_path))
    spans = [
        span
        for writer, text in ((first, "ab"), (second, "cd"), (first, "ef"))
        for span in writer.keep(stored(1, 0, text))
    ]
    assert read_spans(str(tmp_path), spans) == joined(stored(1, 0, text) for text in ("ab", "cd", "ef"))  # type: ignore[arg-type]
    assert read_spans(str(tmp_path), []) == NO_TEXT
    name, start, length = spans[2]
    assert read_spans(str(tmp_path), [(str(name), int(start), int(length) + 1)]) is None
    os.unlink(tmp_path / f"{spans[1][0]}.folded")
    assert read_spans(str(tmp_path), spans) is None  # type: ignore[arg-type]
