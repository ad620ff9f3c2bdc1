"""The texts of rows are read when the rows are shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from app.sessions import Node, SessionTree, open_tree
from app.sessions.tree import row_loader
from app.sessions.tree.row_loader import UNREADABLE_ROW
from tests.cases import cases
from tests.sessions.lines import HEADER, answer, content, put, user

if TYPE_CHECKING:
    from pathlib import Path


def tree_of(folder: Path, *lines: dict[str, Any] | bytes, **how: Any) -> SessionTree:
    return open_tree(put(folder, *lines, **how), ("pi",))


def said(tree: SessionTree, node: Node | None = None) -> str:
    node = node or tree.entries[-1]
    tree.read_rows([node])
    assert node.row_text is not None
    return node.row_text.prefix + node.row_text.text


def calls(entry_id: str, parent: str | None, *called: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    blocks = [
        {"type": "toolCall", "id": call, "name": name, "arguments": given} for call, name, given in called
    ]
    return {
        "type": "message",
        "id": entry_id,
        "parentId": parent,
        "message": {"role": "assistant", "content": blocks},
    }


def result(
    entry_id: str, parent: str | None, call: str, name: str = "tool", text: str = ""
) -> dict[str, Any]:
    message = {"role": "toolResult", "toolCallId": call, "toolName": name, "content": text}
    return {"type": "message", "id": entry_id, "parentId": parent, "message": message}


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return a list that gets offset and size of each read for rows."""
    found: list[tuple[int, int]] = []
    read_at = row_loader.read_at

    def counted(descriptor: int, size: int, offset: int) -> bytes:
        found.append((offset, size))
        return read_at(descriptor, size, offset)

    monkeypatch.setattr(row_loader, "read_at", counted)
    return found


def test_a_row_is_read_once_when_it_is_requested(tmp_path: Path, reads: list[tuple[int, int]]) -> None:
    tree = tree_of(tmp_path, HEADER, user("a", None, "one"), answer("b", "a", "two"), user("c", "b", "three"))
    assert [node.row_text for node in tree.entries] == [None, None, None]
    assert reads == []
    tree.read_rows(tree.entries[1:])
    assert [node.row_text and node.row_text.text for node in tree.entries] == [None, "two", "three"]
    assert len(reads) == 1
    tree.read_rows(tree.entries[1:])
    assert len(reads) == 1


def test_a_result_shows_a_call_far_above_it(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        HEADER,
        calls("a", None, ("c1", "read", {"path": "one.py"}), ("c2", "bash", {"command": "ls"})),
        result("b", "a", "c1"),
        result("c", "b", "c2"),
    )
    assert [said(tree, node) for node in tree.entries[1:]] == ["[read: one.py]", "[bash: ls]"]


def test_a_result_with_a_repeated_id_answers_the_nearest_call_above_it(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        HEADER,
        calls("a", None, ("0", "read", {"path": "first.py"})),
        result("b", "a", "0"),
        calls("c", "b", ("0", "read", {"path": "second.py"})),
        result("d", "c", "0"),
        result("e", "a", "0"),
    )
    assert [said(tree, tree.by_id[entry_id]) for entry_id in "dbe"] == [
        "[read: second.py]",
        "[read: first.py]",
        "[read: first.py]",
    ]


def test_an_entry_directly_after_a_byte_order_mark_has_a_row(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, b"\xef\xbb\xbf" + content(user("a", None, "one"))[:-1], HEADER)
    assert said(tree) == "user: one"
    assert tree.read(tree.entries[0])["id"] == "a"


def test_a_result_with_a_wrong_parent_answers_the_nearest_call_before_it(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path, HEADER, calls("a", None, ("c1", "bash", {"command": "ls"})), result("b", "gone", "c1")
    )
    assert said(tree) == "[bash: ls]"


def test_the_search_for_a_call_ends(tmp_path: Path, reads: list[tuple[int, int]]) -> None:
    answers = [answer(f"{at}", f"{at - 1}" if at else None, "x" * 20_000) for at in range(100)]
    tree = tree_of(tmp_path, HEADER, *answers, result("z", "99", "c9", "grep"))
    assert said(tree) == "[grep]"
    assert len(reads) < 20


def test_long_lines_have_short_rows(tmp_path: Path) -> None:
    image = "x" * 200_000
    tree = tree_of(
        tmp_path,
        HEADER,
        user("a", None, "look " * 100_000),
        calls("b", "a", ("c1", "write", {"path": "big.txt", "content": image})),
        result("c", "b", "c1", text=image),
        result("d", "c", "c1"),
    )
    tree.read_rows(tree.entries)
    assert [node.row_text and node.row_text.text[:16] for node in tree.entries] == [
        "look look look l",
        "(no content)",
        "[write: big.txt]",
        "[write: big.txt]",
    ]


def test_a_previews_white_space_is_folded_and_its_length_bounded(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path, HEADER, user("a", None, " \n" * 50 + "x" * 100_000), user("b", "a", " " * 100_000)
    )
    assert said(tree, tree.entries[0]) == "user: " + "x" * 199 + "…"
    assert said(tree, tree.entries[1]) == "user: "


@cases("change", ["written anew", "gone", "cut off"])
def test_a_row_of_a_changed_file_is_an_error(tmp_path: Path, change: str) -> None:
    tree = tree_of(tmp_path, HEADER, user("a", None), user("b", "a", "longer text"))
    path = tmp_path / "session.jsonl"
    if change == "gone":
        os.unlink(path)
    else:
        anew = content(HEADER, b"  ", user("a", None), user("b", "a", "longer text"))
        path.write_bytes(anew if change == "written anew" else anew[:200])
    assert said(tree) == UNREADABLE_ROW.text
