"""The facts of a branch equal a sum over its single entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sessions import Branches, Changed, Node, SessionTree, open_tree, summarise
from app.sessions.tree import BranchFacts, branch_ends, common_ancestor, path_to
from app.sessions.tree.branches import _PathTotals
from tests.cases import cases
from tests.sessions.lines import HEADER, MTIME, answer, content, custom, label, put, user
from tests.sessions.strategies import FEW_IDS, LINES

if TYPE_CHECKING:
    pass


HEAD = json.dumps(HEADER).encode() + b"\n"
CALL = {"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "a"}}


def spending(tokens: int, cost: float) -> dict[str, Any]:
    return {"input": tokens, "output": 1, "cacheRead": 2, "cacheWrite": 3, "cost": {"total": cost}}


def working(
    entry_id: str, parent: str | None, calls: int, tokens: int = 10, cost: float = 0.5
) -> dict[str, Any]:
    """Return an answer that calls tools."""
    entry = answer(entry_id, parent, usage=spending(tokens, cost))
    entry["message"]["content"] += [CALL] * calls
    return entry


@st.composite
def talks(draw: st.DrawFn) -> list[bytes]:
    """Draw sessions with costs."""
    lines = []
    for _ in range(draw(st.integers(0, 14))):
        kind = draw(
            st.sampled_from(["user", "answer", "answer", "result", "label", "custom", "usage", "compaction"])
        )
        entry_id, parent = draw(FEW_IDS), draw(st.none() | FEW_IDS)
        cost = draw(st.floats(0, 1))
        entry: dict[str, Any]
        if kind == "user":
            entry = user(entry_id, parent)
        elif kind == "answer":
            entry = working(entry_id, parent, draw(st.integers(0, 3)), draw(st.integers(0, 99)), cost)
        elif kind == "label":
            entry = label(entry_id, parent, "00000001", "x")
        elif kind == "result":
            entry = user(entry_id, parent, role="toolResult", usage=spending(5, cost))
        else:
            entry = custom(entry_id, parent) | {"type": kind, "usage": spending(7, cost)}
        second = draw(st.integers(0, 59))
        entry["timestamp"] = draw(st.sampled_from([f"2026-02-16T10:00:{second:02}Z", None, second]))
        lines.append(json.dumps(entry).encode())
    return lines


SILENT = ("custom", "label", "usage", "session_info", "model_change", "thinking_level_change", "undisplayed")
"""The types of entries in these sessions that end no branch."""


def slow_ends(tree: SessionTree) -> set[int]:
    """Find the branch tips by looking at all entries below each entry."""
    below: dict[int, list[Node]] = {node.index: [] for node in tree.entries}
    for node in tree.entries:
        for above in path_to(node):
            below[above.index].append(node)

    def is_loud(node: Node) -> bool:
        return any(other is tree.leaf or other.type not in SILENT for other in below[node.index])

    found = set()
    for node in tree.entries:
        if node is tree.leaf:
            found.add(node.index)
        elif is_loud(node) and not any(map(is_loud, node.children)):
            last = node
            while last.children:
                last = max(last.children, key=lambda child: child.index)
            found.add(last.index)
    return found


def slow_facts(tree: SessionTree, leaf: Node) -> tuple[Any, ...]:
    """Compute the facts by reading each entry of the path."""
    turns = messages = tools = 0
    spent = [0.0] * 5
    times = []
    for node in path_to(leaf):
        entry = tree.read(node)
        said = entry.get("message") if isinstance(entry.get("message"), dict) else {}
        assert said is not None
        if entry.get("type") == "message":
            messages += 1
            turns += said.get("role") == "user"
        counts = entry.get("usage") if entry.get("type") in ("usage", "compaction") else None
        if entry.get("type") == "message" and said.get("role") == "toolResult":
            counts = said.get("usage")
        if entry.get("type") == "message" and said.get("role") == "assistant":
            counts = said.get("usage")
            blocks = said.get("content") if isinstance(said.get("content"), list) else []
            tools += sum(block.get("type") == "toolCall" for block in blocks or ())
        if counts:
            more = [counts.get(key, 0) for key in ("input", "output", "cacheRead", "cacheWrite")]
            spent = [a + b for a, b in zip(spent, [*more, counts["cost"]["total"]], strict=True)]
        if node.timestamp is not None and node.type not in SILENT:
            times.append(node.timestamp)
    return (
        turns,
        messages,
        tools,
        tuple(spent),
        min(times, default=None),
        max(times, default=None),
        leaf is tree.leaf,
    )


def all_of(facts: BranchFacts) -> tuple[Any, ...]:
    return (
        facts.turns,
        facts.messages,
        facts.tools,
        facts.spent,
        facts.first_ms,
        facts.last_ms,
        facts.on_active_path,
    )


def opened(factory: pytest.TempPathFactory, lines: list[bytes], end: bytes = b"\n") -> SessionTree:
    path = factory.getbasetemp() / "branches.jsonl"
    path.write_bytes(HEAD + b"\n".join(lines) + end)
    return open_tree(str(path), ("pi",))


@given(lines=talks() | LINES, end=st.sampled_from([b"\n", b"", b"\n{"]))
def test_facts_equal_a_sum_over_single_entries(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bytes
) -> None:
    tree = opened(tmp_path_factory, lines, end)
    found = Branches(tree).all()
    wanted = slow_ends(tree)
    if not wanted and tree.entries:
        wanted = {found[0].leaf.index}
        assert not found[0].leaf.children
    assert [facts.leaf.index for facts in found] == sorted(wanted)
    assert [facts.number for facts in found] == list(range(1, len(found) + 1))
    assert {facts.of for facts in found} <= {len(found)}
    for facts in found:
        assert all_of(facts) == slow_facts(tree, facts.leaf)
    branches = Branches(tree)
    for node in [*tree.entries, *reversed(tree.entries)]:
        for alone in (Branches(tree).of_path(node), branches.of_path(node)):
            assert all_of(alone) == slow_facts(tree, node)
            assert (alone.number, alone.of) == (0, 0)


@given(lines=talks())
def test_a_linear_session_has_the_costs_of_its_row(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    entries = [json.loads(line) for line in lines]
    for at, entry in enumerate(entries):
        entry |= {"id": f"{at + 1:08x}", "parentId": f"{at:08x}" if at else None}
    tree = opened(tmp_path_factory, [json.dumps(entry).encode() for entry in entries])
    row = summarise(tree.path, ("pi",), MTIME).summary
    assert row is not None
    found = Branches(tree).all()
    assert len(found) == (1 if entries else 0)
    for facts in found:
        assert (facts.tokens, facts.cost, facts.messages) == (row.tokens, row.cost, row.message_count)


@given(lines=talks(), at=st.integers(0, 14))
def test_an_extended_tree_has_the_facts_of_a_whole_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], at: int
) -> None:
    tree = opened(tmp_path_factory, lines[:at], b"\n" if lines[:at] else b"")
    branches = Branches(tree)
    before = branches.all()
    assert len(before) == len(branch_ends(tree))
    with open(tree.path, "ab") as file:
        file.write(b"".join(line + b"\n" for line in lines[at:]))
    try:
        tree.extend()
    except Changed:
        return
    whole = Branches(open_tree(tree.path, ("pi",))).all()
    assert [facts.spent for facts in branches.all()] == [facts.spent for facts in whole]
    assert [facts.leaf.index for facts in branches.all()] == [facts.leaf.index for facts in whole]


def test_a_growing_path_is_added_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = open_tree(put(tmp_path, HEADER, user("a", None), working("b", "a", 2), user("c", "b")))
    branches = Branches(tree)
    added: list[str | None] = []
    real = _PathTotals.and_

    def counted(total: _PathTotals, node: Node) -> _PathTotals:
        added.append(node.id)
        return real(total, node)

    monkeypatch.setattr(_PathTotals, "and_", counted)
    branches.of_path(tree.entries[-1])
    with open(tree.path, "ab") as file:
        file.write(content(working("d", "c", 1)))
    tree.extend()
    assert branches.of_path(tree.entries[-1]).tools == 3
    assert added == ["a", "b", "c", "d"]
    assert branches.of_path(tree.by_id["b"]).tools == 2


@cases("newline", [b"\n", b"\r\n"])
@cases("strange", [b"", b"   ", b"garbage", b'{"type":"message","id":7,"message":{"role":[]}}'])
def test_strange_lines_do_not_change_the_facts(tmp_path: Path, newline: bytes, strange: bytes) -> None:
    odd = working("c", "b", 1)
    odd["message"]["model"] = odd["message"]["provider"] = 7
    lines: list[dict[str, Any] | bytes] = [
        HEADER,
        user("a", None),
        strange,
        working("b", "a", 2),
        strange,
        odd,
    ]
    for last in (newline, b""):
        facts = Branches(open_tree(put(tmp_path, *lines, newline=newline, last=last))).all()[-1]
        assert (facts.turns, facts.tools, facts.cost) == (1, 3, 1.0)


def test_shared_entries_count_in_each_branch(tmp_path: Path) -> None:
    tree = open_tree(
        put(
            tmp_path,
            HEADER,
            user("a", None),
            working("b", "a", 2),
            user("c", "b"),
            working("d", "c", 1, 20),
            user("e", "b"),
            working("f", "e", 0, 30),
        )
    )
    one, other = Branches(tree).all()
    assert (one.turns, one.messages, one.tools, one.tokens) == (2, 4, 3, (30, 2, 4, 6))
    assert (other.turns, other.messages, other.tools, other.tokens) == (2, 4, 2, (40, 2, 4, 6))
    assert (one.number, other.number, other.of) == (1, 2, 2)
    assert (one.on_active_path, other.on_active_path) == (False, True)
    assert common_ancestor(one.leaf, other.leaf) is tree.by_id["b"]
    assert common_ancestor(one.leaf, None) is None


def test_a_custom_entry_makes_a_branch_only_if_it_is_the_leaf(tmp_path: Path) -> None:
    lines = [HEADER, user("a", None), answer("b", "a"), user("c", "b"), answer("d", "c")]
    tree = open_tree(put(tmp_path, *lines, custom("m", "b")))
    assert [node.id for node in branch_ends(tree)] == ["d", "m"]
    tree = open_tree(put(tmp_path, *lines, custom("m", "b"), label("l", "m", "a", "x"), answer("e", "d")))
    assert [node.id for node in branch_ends(tree)] == ["e"]
    tree = open_tree(put(tmp_path, *lines, custom("m", "d"), user("e", "a")))
    assert [node.id for node in branch_ends(tree)] == ["m", "e"]
    # Of two sibling custom entries, only the one with the leaf below it makes a branch.
    tree = open_tree(put(tmp_path, *lines, custom("m", "d"), custom("n", "d"), label("l", "m", "a", "x")))
    assert [node.id for node in branch_ends(tree)] == ["l"]


@pytest.mark.parametrize("deep", [True, False])
def test_twenty_thousand_entries_are_read(tmp_path: Path, deep: bool) -> None:
    count = 20_000
    lines = [working(f"{at:x}", (f"{at - 1:x}" if deep else "0") if at else None, 1) for at in range(count)]
    found = Branches(open_tree(put(tmp_path, HEADER, *lines))).all()
    assert len(found) == (1 if deep else count - 1)
    assert found[-1].tools == (count if deep else 2)


def test_an_empty_session_has_no_branches(tmp_path: Path) -> None:
    assert Branches(open_tree(put(tmp_path, HEADER))).all() == []


@cases("version", [1, 2])
def test_old_versions_have_branch_facts(tmp_path: Path, version: int) -> None:
    lines = [user("a", None), working("b", "a", 2)]
    if version == 1:
        for line in lines:
            del line["id"], line["parentId"]
    (facts,) = Branches(open_tree(put(tmp_path, {**HEADER, "version": version}, *lines))).all()
    assert (facts.turns, facts.tools, facts.cost) == (1, 2, 0.5)


def test_the_leaf_of_a_transcript_is_on_the_active_path(tmp_path: Path) -> None:
    def node(entry_id: str, prev: str | None, role: str, message: Any) -> dict[str, Any]:
        schema = {"schema": "indus/transcript@1", "kind": "entry"}
        return {**schema, "id": entry_id, "prev": prev, "role": role, "message": message, "at": 5}

    said = {"role": "assistant", "content": [CALL], "usage": spending(4, 0.25)}
    path = tmp_path / "s.ndjson"
    path.write_bytes(
        content(
            {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s", "leaf": "b"},
            node("a", None, "user", {"role": "user", "content": "hi"}),
            node("b", "a", "assistant", said),
            node("c", "a", "assistant", said),
        )
    )
    one, other = Branches(open_tree(str(path))).all()
    assert (one.on_active_path, other.on_active_path) == (True, False)
    assert (one.tokens, one.cost, one.tools) == ((4, 1, 2, 3), 0.25, 1)
    assert one.duration_ms == 0


FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "real"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the folder of real files is not beside the repository")
def test_real_files_have_the_facts_of_their_entries() -> None:
    branched = 0
    for path in sorted(FOLDER.glob("*.jsonl")):
        tree = open_tree(str(path))
        found = Branches(tree).all()
        branched += len(found) > 1
        for facts in found:
            *told, spent, first, last, active = all_of(facts)
            *slow, slow_spent, slow_first, slow_last, slow_active = slow_facts(tree, facts.leaf)
            assert (told, first, last, active) == (slow, slow_first, slow_last, slow_active)
            assert spent == pytest.approx(slow_spent)
    assert branched
