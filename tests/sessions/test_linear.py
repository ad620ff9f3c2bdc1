"""Sessions of a linear format have no branches, whatever parents their entries name
(formats/README.md, "nickcecere/agent"). Row, tree and structure agree, also if the file was read in parts.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leafmark import SessionManager

from app.formats import dialect_named
from app.index.search.hit_branch import Structure
from app.sessions import Branches, Changed, DuplicateId, extend, open_tree, summarise
from app.sessions.summaries import Outcome
from app.sessions.tree import branches_from
from app.view import TreeView, problems_of
from tests.cases import cases
from tests.sessions.lines import MTIME, content, put
from tests.sessions.test_tree import same

if TYPE_CHECKING:
    from app.sessions import SessionTree, Summary

HEADER = {"type": "session", "id": "abc", "version": 1, "timestamp": "2026-02-16T10:00:00Z", "cwd": "/w"}
AGENTS = ("agent",)
NO_KEY = object()


def said(entry_id: Any, parent: Any = NO_KEY, text: str = "words", **fields: Any) -> dict[str, Any]:
    line = {"type": "message", "id": entry_id, "message": {"role": "user", "content": text}, **fields}
    return line if parent is NO_KEY else line | {"parent_id": parent}


ORIGIN = {"type": "branch", "id": "b0", "parent_session_path": "/old.jsonl", "fork_entry_id": "f"}
SESSIONS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "one after the other": [said("a"), said("b", "a"), said("c", "b")],
    "without parents": [said("a"), said("b"), said("c")],
    "the head of a fork": [ORIGIN, said("a"), said("b", "a")],
    "the head of a fork, named": [ORIGIN, said("a", "b0"), said("b", "a")],
    "the head of a fork of the last messages": [ORIGIN, said("a", "left behind"), said("b", "a")],
    "a head that stands last, as in specs 003": [said("a"), said("b", "a"), ORIGIN],
    "a head in between": [said("a"), ORIGIN, said("b", "a")],
    "going back": [said("a"), said("b", "a"), said("c", "a"), said("d", "b")],
    "a parent that comes later": [said("a", "b"), said("b", "c"), said("c")],
    "on itself": [said("a", "a"), said("b", "b")],
    "one id for all": [said("a"), said("a", "a"), said("a")],
    "some without ids": [said("a"), said(None, "a"), said(7), said("b", "a")],
    "none with an id": [said(None), said(None, "a"), said(None)],
    "what the format does not have": [
        said("a"),
        {"type": "label", "id": "l", "targetId": "a", "label": "x"},
        {"type": "new", "id": "n", "parent_id": "a"},
        {"type": "custom", "id": "m"},
    ],
}


@st.composite
def sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw entries with any parent or none; most have an id."""
    odd = draw(st.booleans())
    ids: list[Any] = [f"{number:08x}" for number in range(draw(st.integers(0, 14)))]
    if odd:
        few = st.sampled_from([*ids[:4], "x", None, 7])
        ids = [draw(few) if draw(st.integers(0, 3)) == 0 else each for each in ids]
    found = []
    for number, entry_id in enumerate(ids):
        before = ids[number - 1 : number] if number else [None]
        parent = draw(st.sampled_from([*before, *before, *ids, "gone", "", None, NO_KEY]))
        kind = draw(st.sampled_from(["message", "message", "compaction", "branch", "label", "custom", "new"]))
        found.append(said(entry_id, parent, type=kind))
    return found


def leaves_of(lines: list[dict[str, Any]]) -> int:
    """Return the number of entries that no entry names as its parent."""
    ids = [line["id"] if isinstance(line["id"], str) else None for line in lines]
    if all(each is None for each in ids):
        return min(len(ids), 1)
    parents = {line.get("parent_id") for line in lines}
    return sum(each is None or each not in parents for each in ids)


def summary_of(outcome: Outcome | None) -> Summary:
    assert outcome is not None
    assert outcome.summary is not None
    return outcome.summary


def is_straight(tree: SessionTree) -> None:
    """Check the tree of any session of a linear format."""
    entries = tree.entries
    assert tree.active_path() == entries
    assert tree.leaf is (entries[-1] if entries else None)
    assert tree.roots == entries[:1]
    assert [node.children for node in entries] == [[node] for node in entries[1:]] + [[]] * bool(entries)
    assert not any(node.orphan or node.loop for node in entries)
    facts = Branches(tree).all()
    assert [(fact.leaf, fact.of, fact.on_active_path) for fact in facts] == [
        (node, 1, True) for node in entries[-1:]
    ]
    assert not branches_from(tree, tree.leaf)
    shape = Structure(tree)
    assert shape.branches == len(facts)
    assert all(shape.is_active(at) and shape.branch(at) == 1 for at in range(len(entries)))


def agree(path: str, lines: list[dict[str, Any]], row: Summary) -> None:
    tree = open_tree(path, AGENTS)
    is_straight(tree)
    assert len(tree.entries) == len(lines) == row.entry_count
    assert (row.branch_count, row.linear) == (min(len(lines), 1), True)
    assert row.leaf_count == leaves_of(lines)
    if row.leaf_id is not None:
        assert tree.leaf is not None
        assert tree.leaf.id == row.leaf_id


@cases("lines", SESSIONS.values(), ids=SESSIONS)
def test_row_tree_and_hits_agree_that_there_is_one_branch(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    path = put(tmp_path, HEADER, *lines)
    agree(path, lines, summary_of(summarise(path, AGENTS, MTIME)))


@given(sessions(), st.sets(st.integers(1, 13)))
def test_row_tree_and_hits_agree_for_any_session(lines: list[dict[str, Any]], cuts: set[int]) -> None:
    written = [content(line) for line in lines]
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(content(HEADER))
        step = summarise(str(path), AGENTS, MTIME)
        tree = open_tree(str(path), AGENTS)
        for start, end in pairwise(sorted({0, len(lines), *(cut for cut in cuts if cut < len(lines))})):
            with path.open("ab") as file:
                file.write(b"".join(written[start:end]))
            whole = summarise(str(path), AGENTS, MTIME)
            grown = extend(str(path), step.progress, AGENTS, MTIME)
            if grown is not None:
                assert summary_of(grown) == summary_of(whole)
            step = grown or whole
            agree(str(path), lines[:end], summary_of(step))
            opened = open_tree(str(path), AGENTS)
            try:
                tree.extend()
            except Changed:
                tree = opened
            assert same(tree, opened)
            assert [node.duplicate for node in tree.entries] == [node.duplicate for node in opened.entries]
            is_straight(tree)


@cases("parent", [NO_KEY, None, "00000000", "gone", ""])
def test_an_append_reads_only_its_own_bytes_for_any_parent(tmp_path: Path, parent: Any) -> None:
    path = put(tmp_path, HEADER, said("00000000"), said("00000001", "gone"), ORIGIN)
    step, tree = summarise(path, AGENTS, MTIME), open_tree(path, AGENTS)
    for number in range(2, 20):
        line = content(said(f"{number:08x}", parent))
        with open(path, "ab") as file:
            file.write(line)
        grown = extend(path, step.progress, AGENTS, MTIME)
        assert grown is not None
        assert grown.bytes_read == len(line)
        assert summary_of(grown) == summary_of(summarise(path, AGENTS, MTIME))
        assert len(tree.extend()) == 1
        step = grown
    is_straight(tree)


def test_a_duplicate_id_is_a_problem(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, said("a"), said("b", "a"))
    tree = open_tree(path, AGENTS)
    with open(path, "ab") as file:
        file.write(content(said("a", "b")))
    with pytest.raises(Changed):
        tree.extend()
    assert [node.duplicate for node in open_tree(path, AGENTS).entries] == [True, False, True]
    problems = SessionManager.open(path, agents=AGENTS).problems
    assert [problem.line for problem in problems if isinstance(problem, DuplicateId)] == [2, 4]


def test_an_unusual_parent_is_no_problem(tmp_path: Path) -> None:
    lines = [said("a", "left behind"), said("b"), said("c", "d"), said("d", "c")]
    path = put(tmp_path, HEADER, *lines)
    assert not problems_of(open_tree(path, AGENTS))
    assert not SessionManager.open(path, agents=AGENTS).problems


@cases("lines", SESSIONS.values(), ids=SESSIONS)
def test_the_tree_view_has_one_segment(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    view = TreeView(open_tree(put(tmp_path, HEADER, *lines), AGENTS))
    assert all(segment.parent is None for segment in view.segments)
    assert len(view.segments) <= 1


def test_one_dialect_is_linear() -> None:
    dialects = ("pi", "omp", "indusagi", "agent", "transcript")
    assert [name for name in dialects if dialect_named(name).linear] == ["agent"]
