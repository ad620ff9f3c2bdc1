"""The branch count of a row equals the number of branches in the tree."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sessions import extend, open_tree, summarise
from app.sessions.summaries import Outcome
from app.sessions.tree import branch_ends
from tests.cases import cases
from tests.sessions.lines import HEADER, HEADER_MS, MTIME, answer, content, custom, label, put, user
from tests.sessions.strategies import LINES

if TYPE_CHECKING:
    from app.sessions import Summary

Shape = list[tuple[str, str | None, str]]
"""id, parent and type of each entry."""

AGENT_HEADER = {
    "type": "session",
    "id": "abc",
    "version": 1,
    "timestamp": "2026-02-16T10:00:00Z",
    "cwd": "/w",
}
HEADERS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "pi": ("pi", HEADER),
    "pi of version 1": ("pi", {key: value for key, value in HEADER.items() if key != "version"}),
    "pi of version 2": ("pi", HEADER | {"version": 2}),
    "omp": ("omp", HEADER),
    "older indusagi": ("indusagi", HEADER),
    "agent": ("agent", AGENT_HEADER),
    "transcript": ("indusagi", None),
}


def written(dialect: str, entry_id: str, parent: str | None, kind: str) -> bytes:
    """Return the line of one entry in the format of `dialect`."""
    if dialect == "transcript":
        node = {"schema": "indus/transcript@1", "kind": "entry", "id": entry_id, "prev": parent}
        node |= {"role": "condense" if kind == "compaction" else "user", "at": HEADER_MS}
        return content({**node, "message": {"role": "user", "content": "text"}})
    entry: dict[str, Any] = {"type": kind, "id": entry_id}
    entry["parent_id" if dialect == "agent" else "parentId"] = parent
    if kind == "message":
        entry["message"] = {"role": "user", "content": "text"}
    return content(entry)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Draw entries whose parent is the one before, an earlier one, none, or a missing one."""
    found: Shape = []
    silent = st.sampled_from(("label", "custom", "session_info", "usage"))
    loud = st.sampled_from(("message", "message", "compaction", "new", "branch"))
    for number in range(draw(st.integers(0, 16))):
        where = draw(st.sampled_from(("on", "on", "on", "back", "back", "root", "gone")))
        parent: str | None = None
        if where == "on" and found:
            parent = found[-1][0]
        elif where == "back" and found:
            parent = found[draw(st.integers(0, number - 1))][0]
        elif where == "gone":
            parent = "ffffffff"
        found.append((f"{number:08x}", parent, draw(silent | loud)))
    return found


def row_of(path: Path, agent: str) -> Summary:
    found = summarise(str(path), (agent,), MTIME).summary
    assert found is not None
    return found


def drawn(path: Path, agent: str) -> int:
    """Return the number of branches in the tree."""
    return len(branch_ends(open_tree(str(path), (agent,))))


def grow(path: Path, agent: str, before: Outcome, more: bytes, *, whole: bool = True) -> Outcome:
    """Append `more` and update the row.

    :param whole: the file may be read whole.
    """
    with path.open("ab") as file:
        file.write(more)
    step = extend(str(path), before.progress, (agent,), MTIME) if before.progress else None
    if step is None:
        assert whole
        step = summarise(str(path), (agent,), MTIME)
    assert step.summary is not None
    return step


@pytest.mark.parametrize("dialect", HEADERS)
@given(shape=shapes(), cuts=st.sets(st.integers(1, 15)), data=st.data())
def test_a_row_has_as_many_branches_as_the_tree(
    dialect: str, shape: Shape, cuts: set[int], data: st.DataObject
) -> None:
    agent, header = HEADERS[dialect]
    lines = [written(dialect, *entry) for entry in shape]
    if dialect == "transcript":
        first: dict[str, Any] = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s"}
        if shape and data.draw(st.booleans()):
            first["leaf"] = data.draw(st.sampled_from(shape))[0]
        header = first
    assert header is not None
    appends = dialect != "transcript"
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(content(header) + b"".join(lines))
        assert row_of(path, agent).branch_count == drawn(path, agent)
        path.write_bytes(content(header))
        step = summarise(str(path), (agent,), MTIME)
        borders = sorted({0, len(lines), *(cut for cut in cuts if cut < len(lines))})
        for start, end in pairwise(borders):
            # An ordinary append reads only its own bytes.
            step = grow(path, agent, step, b"".join(lines[start:end]), whole=not appends)
            assert step.summary is not None
            assert step.summary.branch_count == drawn(path, agent)


@given(LINES, st.sets(st.integers(1, 24), max_size=6))
def test_the_row_of_an_unusual_file_has_as_many_branches_as_the_tree(
    lines: list[bytes], cuts: set[int]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(content(HEADER) + b"".join(line + b"\n" for line in lines))
        assert row_of(path, "pi").branch_count == drawn(path, "pi")
        path.write_bytes(content(HEADER))
        step = summarise(str(path), ("pi",), MTIME)
        borders = sorted({0, len(lines), *(cut for cut in cuts if cut < len(lines))})
        for start, end in pairwise(borders):
            step = grow(path, "pi", step, b"".join(line + b"\n" for line in lines[start:end]))
            assert step.summary is not None
            assert step.summary.branch_count == drawn(path, "pi")


U, A, L, U2, A2 = "00000001", "00000002", "00000003", "00000004", "00000005"
GOES_ON = [user(U2, A), answer(A2, U2)]


@cases(
    ("entries", "branches"),
    [
        ([], 0),
        ([user(U, None)], 1),
        ([user(U, None), answer(A, U), user(U2, A), user(A2, A)], 2),
        # A label was set while the agent was running, and the agent continued from its own leaf.
        ([user(U, None), answer(A, U), label(L, A, U, "x")], 1),
        ([user(U, None), answer(A, U), label(L, A, U, "x"), *GOES_ON], 1),
        ([user(U, None), answer(A, U), label(L, A, U, "x"), custom("0000000f", L), *GOES_ON], 1),
        # The leaf is a tip, whatever its type is.
        ([user(U, None), answer(A, U), *GOES_ON, custom(L, A)], 2),
        # An entry whose only child is a label is a tip.
        ([user(U, None), answer(A, U), label(L, A, U, "x"), user(U2, U)], 2),
        ([label(L, None, U, "x"), user(U, None)], 1),
    ],
)
def test_silent_entries_make_no_branch(tmp_path: Path, entries: list[dict[str, Any]], branches: int) -> None:
    path = Path(put(tmp_path, HEADER, *entries))
    assert row_of(path, "pi").branch_count == branches == drawn(path, "pi")
    path.write_bytes(content(HEADER))
    step = summarise(str(path), ("pi",), MTIME)
    for entry in entries:
        step = grow(path, "pi", step, content(entry), whole=False)
        assert step.summary is not None
        assert step.summary.branch_count == drawn(path, "pi")


def test_the_origin_entry_of_a_fork_is_no_branch(tmp_path: Path) -> None:
    origin = {"type": "branch", "id": "0", "parent_session_path": "/old.jsonl", "fork_entry_id": "f"}
    said = {"type": "message", "message": {"role": "user", "content": "go"}}
    lines = [AGENT_HEADER, origin, {**said, "id": "a"}, {**said, "id": "b", "parent_id": "a"}]
    path = Path(put(tmp_path, *lines))
    found = row_of(path, "agent")
    assert (found.leaf_count, found.branch_count, drawn(path, "agent")) == (2, 1, 1)


def test_a_long_chain_of_silent_entries_makes_no_branch(tmp_path: Path) -> None:
    silent = [custom(f"a{number:07x}", f"a{number - 1:07x}" if number else A) for number in range(200)]
    path = Path(put(tmp_path, HEADER, user(U, None), answer(A, U), *silent))
    step = summarise(str(path), ("pi",), MTIME)
    # The next entries extend the chain, then the answer, then the middle of the chain.
    more = [custom("b0000000", silent[-1]["id"]), custom("b0000001", "b0000000")]
    for entry, branches in ((more[0], 1), (more[1], 1), (user(U2, A), 1), (user(A2, silent[5]["id"]), 2)):
        step = grow(path, "pi", step, content(entry), whole=False)
        assert step.summary is not None
        assert step.summary.branch_count == drawn(path, "pi") == branches


def test_entries_with_unusual_parents_are_counted_as_in_the_tree(tmp_path: Path) -> None:
    path = Path(put(tmp_path, HEADER, user(U, None), user(U, U), answer(A, U), user(L, "0000000e")))
    step = summarise(str(path), ("pi",), MTIME)
    for entry, branches in ((label(U2, L, U, "x"), 2), (user(A2, U2), 2), (user("0000000f", U), 3)):
        step = grow(path, "pi", step, content(entry), whole=False)
        assert step.summary is not None
        assert step.summary.branch_count == drawn(path, "pi") == branches
