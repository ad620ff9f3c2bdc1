"""Properties of the tree of any file, and agreement of rows and trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import NotASession
from app.formats.entry_parts import entry_parts
from app.sessions import Changed, open_tree, summarise
from app.sessions.summaries import problems
from app.sessions.tree.row_loader import UNREADABLE_ROW
from tests.sessions.lines import HEADER, MTIME
from tests.sessions.strategies import LINES
from tests.sessions.test_tree import reachable, same

if TYPE_CHECKING:
    from pathlib import Path

HEAD = json.dumps(HEADER).encode() + b"\n"
ENDS = st.sampled_from([b"", b"{", b"\0\0", b'{"type":"custom","id":"aaaaaaaa"}', b"garbage"])
AGENTS = st.sampled_from([("pi",), ("omp",), ("indusagi",), ("agent",), ("pi", "omp"), ()])


def file_of(factory: pytest.TempPathFactory, data: bytes) -> Path:
    path = factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    return path


@given(lines=LINES, end=ENDS, newline=st.sampled_from([b"\n", b"\r\n"]), agents=AGENTS)
def test_rows_trees_and_problems_agree(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    end: bytes,
    newline: bytes,
    agents: tuple[str, ...],
) -> None:
    path = str(file_of(tmp_path_factory, newline.join([HEAD.strip(), *lines, end])))
    row = summarise(path, agents, MTIME).summary
    assert row is not None
    tree = open_tree(path, agents)
    listed = problems(path, agents)
    # A tree does not report invalid values.
    assert tree.problems == [
        problem for problem in listed if not (problem.torn or problem.reason.startswith("an invalid value"))
    ]
    assert [problem.torn for problem in listed].count(False) == row.problems
    assert len(tree.entries) == row.entry_count
    assert sum(node.type == "message" for node in tree.entries) == row.message_count
    assert tuple(tree.labels.items()) == row.labels
    assert tree.name == row.name
    if row.leaf_id is not None:
        assert tree.leaf is not None
        assert tree.leaf.id == row.leaf_id


@given(lines=LINES)
def test_every_entry_is_reached_once_and_below_its_parent(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    tree = open_tree(str(file_of(tmp_path_factory, HEAD + b"\n".join(lines))), ("pi",))
    assert reachable(tree) == len(tree.entries)
    known = {node.id for node in tree.entries}
    used = [node.id for node in tree.entries if node.id is not None]
    for node in tree.entries:
        assert [child.index for child in node.children] == sorted(child.index for child in node.children)
        assert all(child.parent is node for child in node.children)
        assert node.orphan == (node.parent_id is not None and node.parent_id not in known)
        assert node.duplicate == (node.id is not None and used.count(node.id) > 1)
        if node.parent is None:
            assert node in tree.roots
            assert node.parent_id is None or node.orphan or node.loop
        else:
            assert node.parent.id == node.parent_id
        entry_parts(tree.read(node))
    tree.read_rows(tree.entries)
    assert not {UNREADABLE_ROW, None} & {node.row_text for node in tree.entries}
    assert len(tree.active_path()) <= len(tree.entries)


@given(lines=LINES, cut=st.integers(0, 25))
def test_a_tree_that_follows_a_file_is_the_tree_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: int
) -> None:
    path = file_of(tmp_path_factory, HEAD + b"".join(line + b"\n" for line in lines[:cut]))
    tree = open_tree(str(path), ("pi",))
    with open(path, "ab") as file:
        file.write(b"".join(line + b"\n" for line in lines[cut:]))
    try:
        tree.extend()
    except Changed:
        return
    assert same(tree, open_tree(str(path), ("pi",)))


@given(data=st.binary(max_size=400), head=st.sampled_from([b"", HEAD, b"\xef\xbb\xbf" + HEAD]), agents=AGENTS)
def test_no_bytes_crash_the_reader(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes, agents: tuple[str, ...]
) -> None:
    path = str(file_of(tmp_path_factory, head + data))
    outcome = summarise(path, agents, MTIME)
    assert (outcome.summary is None) == bool(outcome.refused)
    problems(path, agents)
    if outcome.summary is None:
        with pytest.raises(NotASession) as caught:
            open_tree(path, agents)
        assert caught.value.reason == outcome.refused
        return
    for node in (tree := open_tree(path, agents)).entries:
        entry_parts(tree.read(node))
