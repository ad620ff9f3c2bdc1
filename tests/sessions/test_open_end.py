"""The end of a long session opens before the whole, and a cancelled read stops."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import Cancelled, lines
from app.sessions import open_end, open_tree
from app.sessions.tree import tree as trees
from tests.cases import cases
from tests.sessions.lines import HEADER, answer, content, custom, label, put, user

if TYPE_CHECKING:
    from pathlib import Path


def long_chain(entries: int) -> list[dict[str, Any]]:
    return [user(f"{at:04}", f"{at - 1:04}" if at else None, f"number {at}") for at in range(entries)]


@pytest.mark.usefixtures("short_end")
def test_the_end_has_the_last_entries_of_the_active_path(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, *long_chain(100), label("z", "0099", "0098", "here"))
    end = open_end(path, ("pi",))
    assert end is not None
    whole = open_tree(path, ("pi",))
    assert (end.is_whole, whole.is_whole) == (False, True)
    shown = end.active_path()
    assert 2 < len(shown) < 10
    assert [node.id for node in shown] == [node.id for node in whole.active_path()[-len(shown) :]]
    assert end.roots == shown[:1]
    assert not any(node.orphan for node in end.roots)
    assert end.by_id["0098"].label == "here"
    end.read_rows(shown)
    assert shown[-2].row_text is not None
    assert shown[-2].row_text.text == "number 99"


@pytest.mark.usefixtures("short_end")
def test_branches_with_an_unknown_parent_are_left_out(tmp_path: Path) -> None:
    other = [user("x", "0003"), answer("y", "x")]
    path = put(tmp_path, HEADER, *long_chain(100), *other, user("0100", "0099"), user("fork", "0100"))
    end = open_end(path, ("pi",))
    assert end is not None
    assert end.leaf is not None
    assert end.leaf.id == "fork"
    assert "x" not in {node.id for node in end.roots}


@pytest.mark.usefixtures("short_end")
@pytest.mark.parametrize(
    "lines",
    [
        [HEADER, *long_chain(5)],
        [HEADER, *long_chain(5), user("big", "0004", "x" * 5_000)],
        [{**HEADER, "version": 1}, *([{"type": "custom"}] * 200)],
        [HEADER, *([{"type": "custom"}] * 200)],
    ],
    ids=["a short file", "one line is longer", "version 1", "no ids"],
)
def test_no_end_is_opened_if_it_saves_nothing_or_has_no_path(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    assert open_end(put(tmp_path, *lines), ("pi",)) is None


PARENTS = st.lists(st.integers(1, 6), min_size=60, max_size=60)


@given(parents=PARENTS)
def test_the_end_is_part_of_the_whole_tree(
    tmp_path_factory: pytest.TempPathFactory, parents: list[int]
) -> None:
    lines = [custom(f"{at:04}", f"{at - back:04}" if at >= back else None) for at, back in enumerate(parents)]
    path = tmp_path_factory.getbasetemp() / "end.jsonl"
    path.write_bytes(content(HEADER, *lines))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trees, "END_BYTES", 900)
        end = open_end(str(path), ("pi",))
    whole = open_tree(str(path), ("pi",))
    assert end is not None
    assert end.leaf is not None
    assert whole.leaf is not None
    assert end.leaf.id == whole.leaf.id
    stack = list(end.roots)
    while stack:
        node = stack.pop()
        twin = whole.by_id[node.id or ""]
        assert (node.offset, node.length, node.type) == (twin.offset, twin.length, twin.type)
        assert [child.id for child in node.children] == [child.id for child in twin.children]
        assert end.read(node) == json.loads(whole.read_line(twin))
        stack.extend(node.children)


@cases("enough", [1, 3])
def test_a_cancelled_read_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enough: int) -> None:
    monkeypatch.setattr(lines.line_windows, "__defaults__", (0, 1_000))
    asked: list[None] = []

    def keep_going() -> bool:
        asked.append(None)
        return len(asked) < enough

    path = put(tmp_path, HEADER, *long_chain(500))
    with pytest.raises(Cancelled):
        open_tree(path, ("pi",), keep_going)
    assert len(asked) == enough
