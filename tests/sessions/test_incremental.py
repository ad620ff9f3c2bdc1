"""A file that grew: the new bytes alone give the row that the whole file gives."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.brief import Brief
from app.formats.header import Fault, read_header
from app.sessions.leaf import deepest
from app.sessions.tally import summarise as summarise_module
from app.sessions.tally.leaves import Leaves, NeedsReread
from app.sessions.tally.summarise import MOST, Outcome, extend, summarise
from app.sessions.tally.tally import SummaryBuilder
from tests.sessions.lines import HEADER, MTIME, answer, content, custom, label, put, user
from tests.sessions.strategies import IDS, LINES

if TYPE_CHECKING:
    from pathlib import Path

    from app.sessions.tally.halves import Halves

HEAD = json.dumps(HEADER).encode() + b"\n"


def whole(lines: list[bytes]) -> SummaryBuilder:
    tally = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    tally.feed(HEAD + b"".join(line + b"\n" for line in lines))
    return tally


@given(LINES, st.lists(st.integers(0, 25), max_size=6))
def test_a_tally_dumped_at_any_lines_equals_the_whole(lines: list[bytes], cuts: list[int]) -> None:
    expected = whole(lines).summary(MTIME)
    tally = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    tally.feed(HEAD)
    offset = len(HEAD)
    borders = sorted({min(cut, len(lines)) for cut in cuts} | {0, len(lines)})
    for start, end in pairwise(borders):
        try:
            tally = SummaryBuilder.restore(tally.dump())
            block = b"".join(line + b"\n" for line in lines[start:end])
            tally.feed(block, offset)
            offset += len(block)
        except NeedsReread:
            # That is always allowed, and here it is the only other answer that is right.
            return
    assert tally.summary(MTIME) == expected


@given(LINES, st.lists(st.integers(0, 25), max_size=6))
def test_a_tally_that_has_settled_is_as_one_that_was_restored(lines: list[bytes], cuts: list[int]) -> None:
    settled = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    settled.feed(HEAD)
    offset = len(HEAD)
    borders = sorted({min(cut, len(lines)) for cut in cuts} | {0, len(lines)})
    for start, end in pairwise(borders):
        state = settled.dump()
        assert settled.settle() == state
        if not state:
            return
        settled.text()
        restored = SummaryBuilder.restore(state)
        block = b"".join(line + b"\n" for line in lines[start:end])
        try:
            restored.feed(block, offset)
        except NeedsReread:
            with pytest.raises(NeedsReread):
                settled.feed(block, offset)
            return
        settled.feed(block, offset)
        offset += len(block)
        assert settled.summary(MTIME) == restored.summary(MTIME)
        assert settled.dump() == restored.dump()
        assert settled.text() == restored.text()


@given(LINES, st.integers(0, 25))
def test_a_tally_fed_in_pieces_equals_the_whole(lines: list[bytes], cut: int) -> None:
    tally = SummaryBuilder(read_header("x", HEAD, ("pi",)))
    tally.feed(HEAD + b"".join(line + b"\n" for line in lines[:cut]))
    tally.feed(b"".join(line + b"\n" for line in lines[cut:]))
    assert tally.summary(MTIME) == whole(lines).summary(MTIME)


@given(st.lists(st.tuples(IDS | st.none(), st.none() | IDS), max_size=20), st.integers(0, 20))
def test_leaves_are_counted_by_their_definition(pairs: list[tuple[str | None, str | None]], cut: int) -> None:
    leaves = Leaves()
    for entry_id, parent in pairs[:cut]:
        leaves.entry(entry_id, parent)
    packed = leaves.pack()
    if packed is not None:
        leaves = Leaves()
        leaves.unpack(*packed)
    try:
        for entry_id, parent in pairs[cut:]:
            leaves.entry(entry_id, parent)
    except NeedsReread:
        return
    named = {parent for _, parent in pairs if parent is not None}
    assert leaves.count() == sum(entry_id is None or entry_id not in named for entry_id, _ in pairs)


def take(leaves: Leaves, pairs: list[tuple[str | None, str | None]]) -> None:
    briefs = [Brief("message", entry_id, parent) for entry_id, parent in pairs]
    leaves.entries([entry_id for entry_id, _ in pairs], [parent for _, parent in pairs], briefs)


NEAR = IDS | st.none() | st.sampled_from(("id0", "id1", "id2"))


@given(st.integers(0, 6), st.lists(st.tuples(NEAR, NEAR), max_size=2), st.data())
def test_entries_are_in_a_line_by_definition(
    count: int, odd: list[tuple[str | None, str | None]], data: st.DataObject
) -> None:
    line = [f"id{number}" for number in range(count)]
    pairs: list[tuple[str | None, str | None]] = [*zip(line, [None, *line], strict=False), *odd]
    leaves = Leaves()
    last: str | None = None
    for start, end in pairwise(sorted({0, len(pairs), *data.draw(st.sets(st.integers(0, len(pairs))))})):
        some = pairs[start:end]
        try:
            take(leaves, some)
        except NeedsReread:
            return
        last = some[-1][0]
        if data.draw(st.booleans()) and (packed := leaves.pack()) is not None:
            linear = leaves.linear
            leaves = Leaves()
            leaves.unpack(*packed)
            leaves.go_on(last, linear=linear)
    ids = [entry_id for entry_id, _ in pairs]
    in_a_line = [parent for _, parent in pairs] == [None, *ids][: len(pairs)]
    assert leaves.linear == (in_a_line and len(set(ids)) == len(ids) and None not in ids)


@given(st.lists(st.lists(st.tuples(IDS | st.none(), st.none() | IDS), max_size=8), max_size=5))
def test_leaves_of_many_entries_at_once(groups: list[list[tuple[str | None, str | None]]]) -> None:
    leaves, singly = Leaves(), Leaves()
    for turn, group in enumerate(groups):
        if turn % 2:
            for entry_id, parent in group:
                leaves.entry(entry_id, parent)
        else:
            take(leaves, group)
        for entry_id, parent in group:
            singly.entry(entry_id, parent)
        assert leaves.fresh == singly.fresh
        assert leaves.named == singly.named


@given(LINES)
def test_who_is_told_of_faults_gets_the_same_sums(lines: list[bytes]) -> None:
    faults: list[Fault] = []
    told = SummaryBuilder(read_header("x", HEAD, ("pi",)), faults.append)
    assert told.feed(HEAD + b"".join(line + b"\n" for line in lines)) == len(HEAD) + sum(
        map(len, lines)
    ) + len(lines)
    assert told.summary(MTIME) == whole(lines).summary(MTIME)
    assert len(faults) == told.sums.problems
    # Each is on a line of its own, in order, and begins where that line does.
    starts = [0, len(HEAD)]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    assert [fault.offset for fault in faults] == [starts[(fault.line or 0) - 1] for fault in faults]
    assert len({fault.line for fault in faults}) == len(faults)


def test_ordinary_appends_never_need_the_whole_file() -> None:
    lines = [json.dumps(custom(f"{n:08x}", f"{n - 1:08x}" if n else None)).encode() for n in range(300)]
    tally = whole(lines[:100])
    for line in lines[100:]:
        tally = SummaryBuilder.restore(tally.dump())
        tally.feed(line + b"\n", 1)
    assert tally.summary(MTIME) == whole(lines).summary(MTIME)


@pytest.mark.parametrize("again", [custom("00000001", "00000002"), custom("00000009", None)])
def test_an_id_that_was_named_before_needs_the_whole_file(again: dict[str, Any]) -> None:
    lines = [custom("00000001", "00000009"), custom("00000002", "00000001")]
    tally = SummaryBuilder.restore(whole([json.dumps(line).encode() for line in lines]).dump())
    with pytest.raises(NeedsReread):
        tally.feed(json.dumps(again).encode() + b"\n", 1)


@pytest.mark.parametrize("state", [(), (b"", b""), (b"x", b""), (b"\x96\x00", b""), (b"\xc0" * 40, b"abcd")])
def test_a_state_that_does_not_fit_needs_the_whole_file(state: tuple[bytes, ...]) -> None:
    with pytest.raises(NeedsReread):
        SummaryBuilder.restore(state)


# files


def grown(path: str, before: Outcome, more: bytes) -> Outcome | None:
    with open(path, "ab") as file:
        file.write(more)
    return extend(path, before.state, before.offset, before.fingerprint, ("pi",), MTIME)


def test_appends_to_a_file_cost_their_own_size(tmp_path: Path) -> None:
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


def folders(below: Path, count: int) -> list[Path]:
    made = [below / str(number) for number in range(count)]
    for folder in made:
        folder.mkdir()
    return made


def test_what_grows_again_and_again_is_gone_on_from_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored: list[object] = []
    restore = SummaryBuilder.restore

    def counted(state: Halves) -> SummaryBuilder:
        restored.append(state)
        return restore(state)

    monkeypatch.setattr(SummaryBuilder, "restore", counted)
    paths = [put(folder, HEADER, user("u", None, "first")) for folder in folders(tmp_path, 3)]
    outcomes = [summarise(path, ("pi",), MTIME) for path in paths]
    for number in range(4):
        for at, path in enumerate(paths):
            before = outcomes[at]
            line = content(answer(f"a{number}", f"a{number - 1}" if number else "u"))
            after = grown(path, before, line)
            assert after is not None
            assert len(restored) == (len(paths) if number else at + 1)
            outcomes[at] = after
    before = outcomes[0]
    after = grown(paths[0], before, content(user("v", "a3", "last")))
    assert len(restored) == 3
    # What was stored and loaded again is equal, and not what is remembered.
    stored = tuple(bytes(bytearray(half)) for half in before.state)
    assert extend(paths[0], stored, before.offset, before.fingerprint, ("pi",), MTIME) == after
    assert len(restored) == 4


def test_no_more_than_a_few_files_are_remembered(tmp_path: Path) -> None:
    for folder in folders(tmp_path, 2 * MOST):
        path = put(folder, HEADER, user("u", None, "first"))
        assert grown(path, summarise(path, ("pi",), MTIME), content(custom("a", "u"))) is not None
    assert len(summarise_module._growing) == MOST


def test_a_line_written_in_two_halves_is_read_once_it_is_whole(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, custom("a", None))
    outcome = summarise(path, ("pi",), MTIME)
    line = content(label("b", "a", "a", "mark"))
    half = grown(path, outcome, line[:20])
    assert half is not None
    assert half.summary is not None
    assert (half.summary.entry_count, half.summary.torn, half.offset) == (1, True, outcome.offset)
    almost = grown(path, half, line[20:-1])
    assert almost is not None
    assert almost.summary is not None
    assert (almost.summary.entry_count, almost.summary.torn, almost.offset) == (2, False, outcome.offset)
    # What it says counts already, so that it cannot be gone on from there.
    assert grown(path, almost, b"\n") is None
    ended = summarise(path, ("pi",), MTIME)
    assert ended.offset == os.stat(path).st_size
    assert ended.summary == almost.summary


def test_nothing_new_is_no_change(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, custom("a", None))
    outcome = summarise(path, ("pi",), MTIME)
    again = grown(path, outcome, b"")
    assert again is not None
    assert again.bytes_read == 0
    assert again.summary == outcome.summary


def test_a_file_written_anew_is_noticed(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, *[custom(f"{n:08x}", None) for n in range(200)])
    outcome = summarise(path, ("pi",), MTIME)
    how = (outcome.state, outcome.offset, outcome.fingerprint, ("pi",), MTIME)
    # Shorter.
    data = (tmp_path / "session.jsonl").read_bytes()
    (tmp_path / "session.jsonl").write_bytes(data[:-10])
    assert extend(path, *how) is None
    # Longer, with another beginning: pi migrates an old file in place.
    (tmp_path / "session.jsonl").write_bytes(data.replace(b'"version": 3', b'"version": 4') + b"{}\n")
    assert extend(path, *how) is None
    # Longer, and other bytes where the last look ended.
    (tmp_path / "session.jsonl").write_bytes(data[:-30] + b" " * 29 + b"\n" + data[-30:])
    assert extend(path, *how) is None
    # The same after all.
    (tmp_path / "session.jsonl").write_bytes(data)
    assert extend(path, *how) is not None


def test_a_file_that_vanished_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER)
    outcome = summarise(path, ("pi",), MTIME)
    os.unlink(path)
    gone = extend(path, outcome.state, outcome.offset, outcome.fingerprint, ("pi",), MTIME)
    assert gone is not None
    assert gone.refused == "cannot be read: No such file or directory"


def test_a_store_of_another_agent_needs_the_whole_file(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER)
    outcome = summarise(path, ("pi",), MTIME)
    assert extend(path, outcome.state, outcome.offset, outcome.fingerprint, ("omp",), MTIME) is None


def test_transcripts_are_read_whole_each_time(tmp_path: Path) -> None:
    head = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s", "leaf": None}
    path = put(tmp_path, head)
    outcome = summarise(path, ("indusagi",), MTIME)
    assert outcome.state == ()
    assert extend(path, outcome.state, outcome.offset, outcome.fingerprint, ("indusagi",), MTIME) is None


def test_the_deepest_leaf_of_a_transcript() -> None:
    assert deepest([]) is None
    assert deepest([("a", None), ("b", "a"), ("c", "a")]) == "c"
    assert deepest([("a", None), ("c", "a"), ("b", "c"), ("d", "a")]) == "b"
    assert deepest([("a", "b"), ("b", "a"), ("c", "gone")]) is not None
    assert deepest([(f"{n}", f"{n - 1}") for n in range(50_000)]) == "49999"
