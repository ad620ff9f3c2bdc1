"""A block with a line that is not plain: the rest of it is still taken in at once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from app.formats.header import read_header
from app.sessions.tally import tally as tally_module
from app.sessions.tally.tally import SummaryBuilder
from tests.sessions.lines import HEADER, MTIME, content, user
from tests.sessions.strategies import LINES

HEAD = json.dumps(HEADER).encode() + b"\n"


def whole(lines: list[bytes]) -> SummaryBuilder:
    tally = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    tally.feed(HEAD + b"".join(line + b"\n" for line in lines))
    return tally


@given(LINES)
def test_a_block_that_is_taken_by_halves_gives_the_same(lines: list[bytes]) -> None:
    expected = whole(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "_PARTED_FROM", 0)
        parted = whole(lines)
    assert parted.summary(MTIME) == expected.summary(MTIME)
    assert parted.sums.lines == expected.sums.lines
    assert parted.text() == expected.text()


@pytest.mark.parametrize("bad", [0, 123, 399])
def test_beside_a_damaged_line_few_others_are_read_one_by_one(
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


def test_headers_among_the_entries_are_none() -> None:
    first, second, third = (content(user(name, None, timestamp=1)) for name in "abc")
    tally = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    tally.feed(HEAD + first + HEAD + second + third)
    row = tally.summary(MTIME)
    assert (row.entry_count, row.message_count, row.leaf_count, row.problems) == (3, 3, 3, 1)
