"""The branches of hits are those that the tree shows."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leafmark import Index, Store

from app.index.search.hit_branch import Structure, read_structure
from app.sessions import Branches, open_tree
from app.stores import agent_named
from app.view import BranchTable
from tests.factory import NOW, header
from tests.sessions.lines import content
from tests.sessions.test_linear import HEADER, ORIGIN, said

if TYPE_CHECKING:
    from collections.abc import Iterator


def drawn(path: str, agent: str) -> tuple[int, list[int], list[bool]]:
    """The number of branches, and the branch of each entry and whether it is on the active path, as the tree
    shows them.
    """
    tree = open_tree(path, (agent,))
    facts = Branches(tree).all()
    table = BranchTable(facts)
    branches = [table.of(node) for node in tree.entries]
    numbers = [0 if branch is None else branch.number for branch in branches]
    active = tree.active_path()
    return len(facts), numbers, [node in active for node in tree.entries]


def written(folder: Path, lines: list[dict[str, Any]], end: str = "\n") -> str:
    path = folder / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + end)
    return str(path)


def structure(path: str, agent: str = "pi") -> Structure:
    return read_structure(path, (agent,))


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
        shape = structure(path, agent)
        entries = range(len(ids) - 1)
        branches, active = map(shape.branch, entries), map(shape.is_active, entries)
        assert (shape.branches, [*branches], [*active]) == drawn(path, agent)


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
