"""The other lines of a block with a damaged line are still decoded together."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from app.formats import read_header
from app.sessions.passages import unpack
from app.sessions.summaries import SummaryBuilder
from app.sessions.summaries import summary_builder as builder_module
from tests.cases import cases
from tests.sessions.lines import HEADER, MTIME, content, user
from tests.sessions.strategies import LINES

HEAD = json.dumps(HEADER).encode() + b"\n"


def whole(lines: list[bytes]) -> SummaryBuilder:
    builder = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    builder.feed(HEAD + b"".join(line + b"\n" for line in lines))
    return builder


@given(LINES)
def test_a_split_block_gives_the_same_row_and_text(lines: list[bytes]) -> None:
    expected = whole(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder_module, "_MIN_SPLIT_BYTES", 0)
        parted = whole(lines)
    assert parted.summary(MTIME) == expected.summary(MTIME)
    assert parted.totals.lines == expected.totals.lines
    for parts, block in zip(parted.text(), expected.text(), strict=True):
        assert [*unpack(parts)] == [*unpack(block)]


@cases("bad", [0, 123, 399])
def test_few_lines_beside_a_damaged_one_are_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch, bad: int
) -> None:
    entries = [
        user(f"e{at}", f"e{at - 1}" if at else None, "x" * 1000, timestamp=at + 1) for at in range(400)
    ]
    lines = [content(entry, last=b"") for entry in entries]
    lines[bad] = lines[bad][:-2]
    singly: list[int] = []
    feed_lines = SummaryBuilder._feed_lines

    def counted(self: SummaryBuilder, block: bytes, size: int, offset: int) -> None:
        singly.append(block.count(b"\n", 0, size))
        feed_lines(self, block, size, offset)

    monkeypatch.setattr(SummaryBuilder, "_feed_lines", counted)
    row = whole(lines).summary(MTIME)
    assert (row.message_count, row.problems) == (399, 1)
    assert 0 < sum(singly) <= 16


def test_headers_among_the_entries_are_not_counted() -> None:
    first, second, third = (content(user(name, None, timestamp=1)) for name in "abc")
    builder = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    builder.feed(HEAD + first + HEAD + second + third)
    row = builder.summary(MTIME)
    assert (row.entry_count, row.message_count, row.leaf_count, row.problems) == (3, 3, 3, 1)
