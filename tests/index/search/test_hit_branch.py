"""The branches of hits: the structure that is read equals that of the open session, or is None."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demo import write_demo
from app.formats.header import NotASession
from app.index.index import Index
from app.index.scan.walk import walk
from app.index.search.hit_branch import Structure, read_structure, structure_of
from app.sessions.tree.branches import branch_facts
from app.sessions.tree.tree import open_tree
from app.stores import agent_named, named
from app.stores.base import Store
from app.view.branch_table import BranchTable
from tests.factory import NOW, header, message
from tests.sessions.lines import content
from tests.sessions.test_linear import HEADER, ORIGIN, said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def facts_of(shape: Structure) -> tuple[object, ...]:
    entries = range(len(shape.ids))
    places = [(shape.is_active(entry), shape.branch(entry)) for entry in entries]
    return list(shape.ids), list(shape.offsets), places, shape.branches


def going_on() -> bool:
    return True


def test_the_structure_of_the_example_sessions(tmp_path: Path) -> None:
    stores = named(write_demo(str(tmp_path), NOW), {}, str(tmp_path), str(tmp_path))
    read: dict[str, int] = {}
    for path, (_, store) in walk(stores).files.items():
        try:
            tree = open_tree(path, store.agents)
        except NotASession:
            continue
        dialect = tree.header.dialect
        shape = read_structure(path, dialect, going_on)
        if shape is not None:
            read[dialect] = read.get(dialect, 0) + 1
            assert facts_of(shape) == facts_of(structure_of(tree)), path
    assert {"pi", "omp", "indusagi", "agent"} <= read.keys()
    assert sum(read.values()) > 12


def drawn(path: str, agent: str) -> tuple[int, list[int]]:
    """The number of branches and the branch of each entry, as the border of the tree shows them."""
    tree = open_tree(path, (agent,))
    facts = branch_facts(tree)
    table = BranchTable(facts)
    branches = [table.of(node) for node in tree.entries]
    return len(facts), [0 if branch is None else branch.number for branch in branches]


LINES: list[dict[str, Any]] = [
    header("s", "/work"),
    message("a", None, "user", "first", 1),
    message("b", "a", "assistant", "one way", 2),
    message("c", "a", "assistant", "another way", 3),
    message("d", "c", "user", "and on", 4),
]


def written(folder: Path, lines: list[dict[str, Any]], end: str = "\n") -> str:
    path = folder / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + end)
    return str(path)


def test_branches_are_numbered_by_their_tips_and_the_last_is_active(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    shape = read_structure(path, "pi", going_on)
    assert shape is not None
    assert shape.ids == ["a", "b", "c", "d"]
    assert [shape.is_active(entry) for entry in range(4)] == [True, False, True, True]
    assert [shape.branch(entry) for entry in range(4)] == [2, 1, 2, 2]
    assert shape.branches == 2
    assert list(shape.at(shape.offsets[2])) == [2]
    assert not shape.at(shape.offsets[2] + 1)
    assert facts_of(shape) == facts_of(structure_of(open_tree(path, ("pi",))))


KINDS = ["message", "message", "compaction", "label", "custom", "session_info", "branch"]


@given(st.data(), st.sampled_from(["pi", "agent"]))
def test_an_entry_is_on_the_branch_that_the_tree_shows(data: st.DataObject, agent: str) -> None:
    lines: list[dict[str, Any]] = [header("s", "/work")]
    parent_id = "parent_id" if agent == "agent" else "parentId"
    ids: list[str | None] = [None]
    for number in range(data.draw(st.integers(0, 12))):
        parent = ids[-1] if data.draw(st.booleans()) else data.draw(st.sampled_from(ids))
        kind = data.draw(st.sampled_from(KINDS))
        line = {"type": kind, "id": f"e{number}", parent_id: parent, "message": {"role": "user"}}
        lines.append(line)
        ids.append(f"e{number}")
    with TemporaryDirectory() as folder:
        path = written(Path(folder), lines)
        shape = read_structure(path, agent, going_on)
        assert shape is not None
        numbers = shape.branches, [shape.branch(entry) for entry in range(len(ids) - 1)]
        assert numbers == drawn(path, agent)
        assert facts_of(shape) == facts_of(structure_of(open_tree(path, (agent,))))


def test_a_label_in_the_middle_makes_no_branch(tmp_path: Path) -> None:
    label = {"type": "label", "id": "l", "parentId": "d", "targetId": "a", "label": "x"}
    lines = [*LINES, label, message("e", "d", "assistant", "the end", 6)]
    path = written(tmp_path, lines)
    shape = read_structure(path, "pi", going_on)
    assert shape is not None
    assert shape.branches == 2
    assert [shape.branch(entry) for entry in range(6)] == [2, 1, 2, 2, 2, 2]
    # The leaf is elsewhere, although the label starts no branch.
    assert [shape.is_active(entry) for entry in range(6)] == [True, False, True, True, False, True]


def without_ids(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("id", "parentId")}


ODD = {
    "two with one id": [*LINES, message("b", "d", "user", "again", 5)],
    "a parent that comes later": [
        *LINES[:2],
        message("x", "y", "user", "-", 5),
        message("y", "a", "user", "-", 6),
    ],
    "a parent that is nowhere": [*LINES, message("x", "gone", "user", "-", 5)],
    "an entry that is its own parent": [*LINES, message("x", "x", "user", "-", 5)],
    "no ids": [LINES[0], *map(without_ids, LINES[1:])],
    "ids that do not count": [{**LINES[0], "version": 1}, *LINES[1:]],
    "a second header": [*LINES, LINES[0]],
    "a header behind an entry": [LINES[1], LINES[0], *LINES[2:]],
    "a title line behind the header": [*LINES, {"type": "title", "title": "late"}],
    "an id that is a number": [*LINES, {**LINES[1], "id": 7}],
    "no header": LINES[1:],
}


@pytest.mark.parametrize("lines", ODD.values(), ids=ODD)
def test_unusual_sessions_have_to_be_opened(lines: list[dict[str, Any]], tmp_path: Path) -> None:
    assert read_structure(written(tmp_path, lines), "pi", going_on) is None


@pytest.mark.parametrize("end", ["", "\n\n", "\n{\n", '\n{"type"', "\n[]\n"])
def test_sessions_with_lines_without_entries_have_to_be_opened(end: str, tmp_path: Path) -> None:
    assert read_structure(written(tmp_path, LINES, end), "pi", going_on) is None


def test_reading_the_structure_can_be_cancelled(tmp_path: Path) -> None:
    assert read_structure(written(tmp_path, LINES), "pi", lambda: False) is None


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "store").mkdir()
    store = Store(agent_named("agent"), str(tmp_path / "store"))
    index = Index([store], str(tmp_path / "cache"), lambda: NOW, home=str(tmp_path))
    yield index
    index.close()


@pytest.mark.parametrize(
    "lines",
    [
        [said("a"), said("b", "a"), ORIGIN],
        [said("a"), said("b")],
        [said("a"), said("b", "a"), said("c", "a")],
        [said("a", "b"), said("b", "a"), said("c", "gone")],
    ],
)
def test_every_hit_is_on_the_active_path(tmp_path: Path, index: Index, lines: list[dict[str, Any]]) -> None:
    path = tmp_path / "store" / "20260216-100000-deadbeef.jsonl"
    path.write_bytes(content(HEADER, *lines))

    def places() -> list[Any]:
        index.scan(lambda delta: None)
        pages = list(index.query("words", every=True))
        assert [page for page in index.query("has:branch") if page.hits] == []
        return [index.place(hit) for page in pages for hit in page.hits]

    count = sum(line["type"] == "message" for line in lines)
    assert places() == [(True, 1, 1)] * count
    with path.open("ab") as file:
        file.write(content(said("z")))
    assert places() == [(True, 1, 1)] * (count + 1)
