"""Spans of one session: joined where they meet, and never many, at a cost that does not grow with it."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

from app.index.catalog.span_table import MOST_SPANS, copy_from, joined
from app.index.text.segment import Writer, read_spans

if TYPE_CHECKING:
    from pathlib import Path


def test_spans_that_meet_are_one() -> None:
    assert joined([("a", 0, 3), ("a", 3, 4), ("b", 7, 1), ("a", 8, 1), ("a", 10, 1)]) == (
        ("a", 0, 7),
        ("b", 7, 1),
        ("a", 8, 1),
        ("a", 10, 1),
    )
    assert joined([]) == ()


def test_what_is_copied_is_small_compared_with_what_stays() -> None:
    long = ("a", 0, 1_000_000)
    few = [("a", 2_000_000 + at * 10, 5) for at in range(40)]
    assert copy_from((long, *few)) == 1
    assert copy_from((*few, long)) == 0, "what is small beside the last is worth its copy"
    assert copy_from((long,)) == 0


def test_an_append_costs_the_same_whatever_was_said_before() -> None:
    """Two sessions that grow in turn; the bytes copied for one that is large already."""
    dice = random.Random(5)
    for size in (1_000, 100_000_000):
        spans: tuple[tuple[str, int, int], ...] = (("a", 0, size),)
        at, copied, added = size, 0, 0
        for _ in range(3_000):
            length = dice.randrange(50, 500)
            at += length + 1
            added += length
            spans = joined((*spans, ("a", at, length)))
            if len(spans) > MOST_SPANS:
                first = copy_from(spans)
                weight = sum(span[2] for span in spans[first:])
                copied += weight
                at += weight + 1
                spans = (*spans[:first], ("a", at, weight))
            assert len(spans) <= MOST_SPANS
        assert copied < 6 * added


def test_bytes_are_read_from_all_segments_or_not_at_all(tmp_path: Path) -> None:
    one, two = Writer(str(tmp_path)), Writer(str(tmp_path))
    spans = [
        span for writer, text in ((one, b"ab"), (two, b"cd"), (one, b"ef")) for span in writer.keep(text)
    ]
    assert read_spans(str(tmp_path), spans) == b"abcdef"  # type: ignore[arg-type]
    assert read_spans(str(tmp_path), []) == b""
    name, start, length = spans[2]
    assert read_spans(str(tmp_path), [(str(name), int(start), int(length) + 1)]) is None
    os.unlink(tmp_path / f"{spans[1][0]}.seg")
    assert read_spans(str(tmp_path), spans) is None  # type: ignore[arg-type]
