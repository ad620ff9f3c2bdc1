"""The path through a session of a linear format has all entries, for every reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from app.sessions import open_end, open_path, open_tree
from app.sessions.tree import FIRST_ENTRY, EntryRef, path_reader
from app.sessions.tree import tree as trees
from tests.cases import cases
from tests.sessions.lines import content, handed_out, put
from tests.sessions.test_linear import AGENTS, HEADER, ORIGIN, SESSIONS, said

if TYPE_CHECKING:
    from pathlib import Path


def walked(path: path_reader.PathReader, most: int) -> list[int]:
    """Return the offsets of all entries of a path, in order."""
    return [node.offset for node in handed_out(path, most)]


@pytest.mark.usefixtures("short_end")
@cases("most", [1, 2, 100])
@cases("lines", SESSIONS.values(), ids=SESSIONS)
def test_the_path_through_any_entry_has_all_entries(
    tmp_path: Path, lines: list[dict[str, Any]], most: int
) -> None:
    path = put(tmp_path, HEADER, *lines)
    nodes = open_tree(path, AGENTS).entries
    expected = [node.offset for node in nodes]
    for anchor in (None, FIRST_ENTRY, *(EntryRef(node.id, node.offset) for node in nodes)):
        opened = open_path(path, AGENTS, anchor, entries=len(nodes))
        assert walked(opened, most) == expected
        assert opened.total == len(nodes)


@pytest.mark.usefixtures("short_end")
def test_an_appended_entry_follows_for_any_parent(tmp_path: Path) -> None:
    path = put(tmp_path, HEADER, said("a"), said("b"))
    opened = open_path(path, AGENTS)
    assert [node.id for node in opened.above(9)] == ["a"]
    for entry_id, parent in (("c", "a"), ("d", None), ("e", "gone")):
        with open(path, "ab") as file:
            file.write(content(said(entry_id, parent)))
        opened.look_again()
        assert [node.id for node in opened.below(9)] == [entry_id]


@pytest.mark.usefixtures("short_end")
def test_an_entry_before_the_header_is_on_the_path(tmp_path: Path) -> None:
    path = put(tmp_path, said("a"), HEADER, said("b"))
    expected = [node.offset for node in open_tree(path, AGENTS).entries]
    assert walked(open_path(path, AGENTS), 9) == expected
    assert len(expected) == 2


def test_the_end_of_a_long_session_has_its_last_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "END_BYTES", 600)
    path = put(tmp_path, HEADER, *[said(f"{at:04}") for at in range(100)], ORIGIN)
    end = open_end(path, AGENTS)
    assert end is not None
    shown = end.active_path()
    assert shown == end.entries
    assert len(shown) > 4
    assert end.roots == shown[:1]


@cases("lines", [each for name, each in SESSIONS.items() if "id" not in name])
def test_the_library_nests_each_entry_below_the_one_before(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    manager = SessionManager.open(put(tmp_path, HEADER, *lines), agents=AGENTS)
    entries = manager.get_entries()
    assert len(entries) == len(lines)
    assert manager.get_branch() == entries
    assert manager.get_children(None) == entries[:1]
    for at, entry in enumerate(entries):
        assert manager.get_children(entry.id) == entries[at + 1 : at + 2]
        assert manager.get_branch(entry.id) == entries[: at + 1]
    found = []
    nodes = manager.get_tree()
    while nodes:
        (node,) = nodes
        found.append(node.entry)
        nodes = node.children
    assert found == entries
    assert manager.get_children("nowhere") == []
    # The context has every message line, whatever parent it names.
    messages = manager.build_session_context().messages
    assert len(messages) == sum(line["type"] == "message" for line in lines)
