"""The new bytes of a grown file give the same row as the whole file."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from app.formats import Fault, SummaryFields, read_header
from app.sessions import deepest_leaf, extend, summarise
from app.sessions.summaries import Hierarchy, Outcome, SummaryBuilder
from tests.sessions.lines import HEADER, MTIME, answer, content, custom, label, put, user
from tests.sessions.strategies import IDS, LINES

if TYPE_CHECKING:
    from pathlib import Path

HEAD = json.dumps(HEADER).encode() + b"\n"


def whole(lines: list[bytes]) -> SummaryBuilder:
    builder = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    builder.feed(HEAD + b"".join(line + b"\n" for line in lines))
    return builder


@given(LINES, st.lists(st.integers(0, 25), max_size=6))
def test_a_builder_fed_in_pieces_gives_the_row_of_the_whole_after_each(
    lines: list[bytes], cuts: list[int]
) -> None:
    builder = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    builder.feed(HEAD)
    offset = len(HEAD)
    borders = sorted({min(cut, len(lines)) for cut in cuts} | {0, len(lines)})
    for start, end in pairwise(borders):
        block = b"".join(line + b"\n" for line in lines[start:end])
        builder.feed(block, offset)
        offset += len(block)
        assert builder.summary(MTIME) == whole(lines[:end]).summary(MTIME)


def take(leaves: Hierarchy, pairs: list[tuple[str | None, str | None]]) -> None:
    briefs = [SummaryFields("message", entry_id, parent) for entry_id, parent in pairs]
    leaves.add([entry_id for entry_id, _ in pairs], [parent for _, parent in pairs], briefs)


NEAR = IDS | st.none() | st.sampled_from(("id0", "id1", "id2"))


@given(st.integers(0, 6), st.lists(st.tuples(NEAR, NEAR), max_size=2), st.data())
def test_a_chain_of_entries_is_linear(
    count: int, odd: list[tuple[str | None, str | None]], data: st.DataObject
) -> None:
    line = [f"id{number}" for number in range(count)]
    pairs: list[tuple[str | None, str | None]] = [*zip(line, [None, *line], strict=False), *odd]
    leaves = Hierarchy()
    for start, end in pairwise(sorted({0, len(pairs), *data.draw(st.sets(st.integers(0, len(pairs))))})):
        take(leaves, pairs[start:end])
    ids = [entry_id for entry_id, _ in pairs]
    in_a_line = [parent for _, parent in pairs] == [None, *ids][: len(pairs)]
    assert leaves.is_linear == (in_a_line and len(set(ids)) == len(ids) and None not in ids)


@given(LINES)
def test_the_totals_are_the_same_when_faults_are_listed(lines: list[bytes]) -> None:
    faults: list[Fault] = []
    builder = SummaryBuilder(read_header("x", HEAD, ("pi",)), faults.append)
    assert builder.feed(HEAD + b"".join(line + b"\n" for line in lines)) == len(HEAD) + sum(
        map(len, lines)
    ) + len(lines)
    assert builder.summary(MTIME) == whole(lines).summary(MTIME)
    assert len(faults) == builder.totals.problems
    # They are in file order, and each begins where its line does. One line can have two of them.
    starts = [0, len(HEAD)]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    assert [fault.offset for fault in faults] == [starts[(fault.line or 0) - 1] for fault in faults]
    assert [fault.line or 0 for fault in faults] == sorted(fault.line or 0 for fault in faults)


# files


def grown(path: str, before: Outcome, more: bytes) -> Outcome | None:
    with open(path, "ab") as file:
        file.write(more)
    assert before.progress is not None
    return extend(path, before.progress, ("pi",), MTIME)


def read_to(outcome: Outcome) -> int:
    assert outcome.progress is not None
    return outcome.progress.offset


def test_an_append_reads_only_its_own_bytes(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, *[user(f"{n:08x}", None, "x" * 1000) for n in range(100)])
    outcome = summarise(path, ("pi",), MTIME)
    assert outcome.bytes_read == os.stat(path).st_size
    for number in range(20):
        line = content(answer(f"a{number:07x}", f"{number:08x}"))
        step = grown(path, outcome, line)
        assert step is not None
        assert step.bytes_read == len(line)
        outcome = step
    assert outcome.summary == summarise(path, ("pi",), MTIME).summary
    assert outcome.summary is not None
    assert outcome.summary.message_count == 120


def test_a_line_written_in_two_halves_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, custom("a", None))
    outcome = summarise(path, ("pi",), MTIME)
    line = content(label("b", "a", "a", "mark"))
    half = grown(path, outcome, line[:20])
    assert half is not None
    assert half.summary is not None
    assert (half.summary.entry_count, half.summary.torn, read_to(half)) == (1, True, read_to(outcome))
    almost = grown(path, half, line[20:-1])
    assert almost is not None
    assert almost.summary is not None
    assert (almost.summary.entry_count, almost.summary.torn) == (2, False)
    # The unfinished line counts already, so reading cannot continue after it.
    assert almost.progress is None
    with open(path, "ab") as file:
        file.write(b"\n")
    ended = summarise(path, ("pi",), MTIME)
    assert read_to(ended) == os.stat(path).st_size
    assert ended.summary == almost.summary


def test_an_unchanged_file_gives_the_same_row(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, custom("a", None))
    outcome = summarise(path, ("pi",), MTIME)
    again = grown(path, outcome, b"")
    assert again is not None
    assert again.bytes_read == 0
    assert again.summary == outcome.summary


def test_a_rewritten_file_is_noticed(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, *[custom(f"{n:08x}", None) for n in range(200)])
    outcome = summarise(path, ("pi",), MTIME)
    progress = outcome.progress
    assert progress is not None
    # The file is shorter.
    data = (tmp_path / "session.jsonl").read_bytes()
    (tmp_path / "session.jsonl").write_bytes(data[:-10])
    assert extend(path, progress, ("pi",), MTIME) is None
    # The file is longer and begins differently: pi migrates an old file in place.
    (tmp_path / "session.jsonl").write_bytes(data.replace(b'"version": 3', b'"version": 4') + b"{}\n")
    assert extend(path, progress, ("pi",), MTIME) is None
    # The file is longer and has other bytes before the last offset.
    (tmp_path / "session.jsonl").write_bytes(data[:-30] + b" " * 29 + b"\n" + data[-30:])
    assert extend(path, progress, ("pi",), MTIME) is None
    # The file is the same again.
    (tmp_path / "session.jsonl").write_bytes(data)
    assert extend(path, progress, ("pi",), MTIME) is not None


def test_a_store_of_another_agent_needs_the_whole_file(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER)
    outcome = summarise(path, ("pi",), MTIME)
    assert outcome.progress is not None
    assert extend(path, outcome.progress, ("omp",), MTIME) is None


def test_a_transcript_is_read_from_its_last_offset(tmp_path: Path) -> None:
    head = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s", "leaf": None}
    path = put(tmp_path, head)
    outcome = summarise(path, ("indusagi",), MTIME)
    for number in range(3):
        node = {"schema": "indus/transcript@1", "kind": "entry", "id": f"n{number}", "role": "user"}
        node |= {
            "prev": f"n{number - 1}" if number else None,
            "message": {"role": "user", "content": "words"},
        }
        line = content(node)
        with open(path, "ab") as file:
            file.write(line)
        assert outcome.progress is not None
        step = extend(path, outcome.progress, ("indusagi",), MTIME)
        assert step is not None
        assert step.bytes_read == len(line)
        assert step.summary == summarise(path, ("indusagi",), MTIME).summary
        assert step.summary is not None
        assert step.summary.entry_count == number + 1
        outcome = step


def test_the_deepest_leaf_ends_the_longest_chain() -> None:
    assert deepest_leaf([]) is None
    assert deepest_leaf([("a", None), ("b", "a"), ("c", "a")]) == "c"
    assert deepest_leaf([("a", None), ("c", "a"), ("b", "c"), ("d", "a")]) == "b"
    assert deepest_leaf([("a", "b"), ("b", "a"), ("c", "gone")]) is not None
    assert deepest_leaf([(f"{n}", f"{n - 1}") for n in range(50_000)]) == "49999"
