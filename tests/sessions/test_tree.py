"""The tree of a session: leaf, path, labels, names, and damaged links."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any

import pytest

from app.formats import NotASession
from app.sessions import Changed, Node, SessionTree, open_tree
from tests.cases import cases
from tests.sessions.lines import HEADER, answer, content, custom, label, put, user

if TYPE_CHECKING:
    from pathlib import Path


def tree_of(
    folder: Path, *lines: dict[str, Any] | bytes, agents: tuple[str, ...] = ("pi",), **how: Any
) -> SessionTree:
    return open_tree(put(folder, *lines, **how), agents)


def ids(nodes: list[Node]) -> list[str | None]:
    return [node.id for node in nodes]


def row_of(tree: SessionTree, index: int) -> str:
    tree.read_rows(tree.entries[index : index + 1])
    said = tree.entries[index].row_text
    assert said is not None
    return said.text


def test_branches_are_in_file_order_and_the_leaf_is_the_last_entry_of_any_type(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path, HEADER, user("a", None), answer("b", "a"), answer("c", "a"), answer("d", "b"), {"id": "e"}
    )
    assert ids(tree.by_id["a"].children) == ["b", "c"]
    assert ids(tree.roots) == ["a", "e"]
    assert tree.leaf is tree.by_id["e"]
    assert ids(tree.active_path()) == ["e"]


def test_the_latest_labels_and_name_count(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        HEADER,
        user("a", None),
        label("b", "a", "a", "one"),
        label("c", "b", "b", "two"),
        label("d", "c", "b", None),
        label("e", "d", "gone", "lost"),
        {"type": "session_info", "id": "f", "parentId": "e", "name": "Name"},
    )
    assert tree.labels == {"a": "one", "gone": "lost"}
    assert [node.label for node in tree.entries] == ["one", None, None, None, None, None]
    assert tree.name == "Name"


@cases(
    ("pairs", "roots"),
    [
        ([("a", "a")], ["a"]),
        ([("a", "b"), ("b", "a")], ["a"]),
        ([("z", None), ("a", "c"), ("b", "a"), ("c", "b"), ("d", "c")], ["z", "a"]),
        ([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")], ["a", "c"]),
        ([("x", "b"), ("a", "b"), ("b", "a")], ["a"]),
    ],
)
def test_loops_are_cut_at_their_earliest_entry(
    tmp_path: Path, pairs: list[tuple[str, str | None]], roots: list[str]
) -> None:
    tree = tree_of(tmp_path, HEADER, *[custom(entry_id, parent) for entry_id, parent in pairs])
    assert ids(tree.roots) == roots
    assert [node.id for node in tree.entries if node.loop] == [root for root in roots if root != "z"]
    assert reachable(tree) == len(pairs)


def test_a_child_belongs_to_the_nearest_entry_before_it_with_that_id(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        HEADER,
        custom("before", "a"),
        custom("a", None),
        custom("x", "a"),
        custom("a", "x"),
        custom("y", "a"),
    )
    first, second = tree.entries[1], tree.entries[3]
    assert ids(first.children) == ["before", "x"]
    assert ids(second.children) == ["y"]
    assert [node.duplicate for node in tree.entries] == [False, True, False, True, False]
    assert tree.by_id["a"] is second


def test_a_label_on_an_id_used_twice_marks_both(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, custom("a", None), custom("a", None), label("b", None, "a", "mark"))
    assert [node.label for node in tree.entries] == ["mark", "mark", None]


@cases("version", [None, 1, 3])
def test_entries_without_ids_form_a_chain(tmp_path: Path, version: int | None) -> None:
    message = {"type": "message", "message": {"role": "hookMessage", "content": "x"}}
    tree = tree_of(tmp_path, {**HEADER, "version": version}, message, message, message)
    assert ids(tree.active_path()) == ["00000000", "00000001", "00000002"]
    assert len(tree.roots) == 1
    assert tree.entries[0].role == ("hookMessage" if version == 3 else "custom")


def test_entries_have_offset_and_length(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        b"\xef\xbb\xbf" + content(HEADER)[:-1],
        b"",
        custom("a", None),
        b"x",
        custom("b", "a"),
        newline=b"\r\n",
    )
    data = (tmp_path / "session.jsonl").read_bytes()
    assert [node.line for node in tree.entries] == [3, 5]
    assert [problem.line for problem in tree.problems] == [1, 4]
    for node in tree.entries:
        line = data[node.offset : node.offset + node.length]
        assert line == data.split(b"\n")[node.line - 1]
        assert tree.read(node)["id"] == node.id


def test_damage_is_listed_and_the_rest_is_read(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        HEADER,
        user("a", None),
        b"garbage",
        {"type": "message", "id": "b", "parentId": "a", "message": None},
        HEADER,
        custom("c", "b"),
        last=b"\n{",
    )
    assert ids(tree.entries) == ["a", "b", "c"]
    assert [problem.line for problem in tree.problems] == [3, 4, 5]


def test_a_very_deep_chain_backwards(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, *[custom(f"{n}", f"{n + 1}") for n in range(20_000)])
    assert len(tree.roots) == 1
    assert tree.roots[0].orphan
    assert reachable(tree) == 20_000


def test_a_very_wide_star(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, custom("root", None), *[custom(f"{n}", "root") for n in range(50_000)])
    assert len(tree.roots[0].children) == 50_000


def test_a_loop_of_all_entries_is_cut(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, *[custom(f"{n}", f"{(n + 1) % 20_000}") for n in range(20_000)])
    assert ids(tree.roots) == ["0"]
    assert reachable(tree) == 20_000


def test_deleting_a_tree_unlinks_its_entries(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, *[custom(f"{n}", f"{n - 1}" if n else None) for n in range(50_000)])
    last = tree.entries[-1]
    assert last.parent is not None
    assert not gc.is_tracked(last)
    above = last.parent
    del tree
    assert (last.parent, above.children, above.parent) == (None, [], None)


@cases(
    ("content", "has_text"),
    [
        (None, False),
        ("", False),
        ("said", True),
        ([{"type": "text", "text": 5}, {"type": "text", "text": "said"}], True),
        ([{"type": "text", "text": "\n\t "}], False),
        ([{"type": "toolCall", "arguments": {"type": "text", "text": "x"}}], False),
        ([5, {"type": "text", "text": "said"}], True),
    ],
)
def test_an_answer_with_a_visible_text_block_has_text(tmp_path: Path, content: Any, has_text: bool) -> None:
    message = {"role": "assistant", "content": content}
    tree = tree_of(tmp_path, HEADER, {"type": "message", "id": "a", "message": message})
    assert tree.entries[0].has_text is has_text


def test_oh_my_pi_names_a_session_in_its_title_line(tmp_path: Path) -> None:
    name = {"type": "session_info", "id": "a", "parentId": None, "name": "not read"}
    tree = tree_of(tmp_path, {"type": "title", "v": 1, "title": "Named"}, HEADER, name, agents=("pi", "omp"))
    assert (tree.header.agent, tree.name, len(tree.entries)) == ("omp", "Named", 1)


def test_nickcecere_agent(tmp_path: Path) -> None:
    result = {"role": "tool_result", "tool_call_id": "c", "tool_name": "bash", "content": []}
    call = {"type": "tool_call", "id": "c", "name": "bash", "arguments": {"command": "ls"}}
    spoken = {"role": "assistant", "content": [call], "stop_reason": "tool_use"}
    tree = tree_of(
        tmp_path,
        {"type": "session", "id": "abc", "version": 1, "cwd": "/w"},
        {"type": "message", "id": "a", "parent_id": "", "message": spoken},
        {"type": "message", "id": "b", "parent_id": "a", "message": result},
        agents=("agent",),
    )
    assert [node.role for node in tree.entries] == ["assistant", "toolResult"]
    assert tree.entries[0].stop_reason == "toolUse"
    assert row_of(tree, 1) == "[bash: ls]"
    body = tree.read(tree.entries[1])
    assert (body["id"], body["parentId"], body["message"]["toolName"]) == ("b", "a", "bash")


def test_transcripts(tmp_path: Path) -> None:
    def node(entry_id: str, prev: str | None) -> dict[str, Any]:
        message = {"role": "user", "content": entry_id}
        return {
            "schema": "indus/transcript@1",
            "kind": "entry",
            "id": entry_id,
            "prev": prev,
            "role": "user",
        } | {"message": message}

    head = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "s", "leaf": "b"}
    tree = tree_of(tmp_path, node("a", None), node("b", "a"), node("c", "a"), head, agents=("indusagi",))
    assert (tree.leaf and tree.leaf.id, len(tree.entries)) == ("b", 3)
    assert tree.read(tree.entries[2])["message"]["content"] == "c"


def test_a_file_that_is_no_session_raises(tmp_path: Path) -> None:
    with pytest.raises(NotASession) as caught:
        tree_of(tmp_path, b"notes")
    assert (caught.value.line, caught.value.reason) == (1, "no session header")
    with pytest.raises(FileNotFoundError):
        open_tree(str(tmp_path / "gone.jsonl"))


# bodies


def test_bodies_are_migrated_in_memory(tmp_path: Path) -> None:
    message = {"type": "message", "message": {"role": "hookMessage", "content": "x"}}
    tree = tree_of(
        tmp_path, {**HEADER, "version": 1}, message, {"type": "compaction", "firstKeptEntryIndex": 1}
    )
    assert tree.read(tree.entries[0])["message"]["role"] == "custom"
    body = tree.read(tree.entries[1])
    assert (body["id"], body["parentId"], body["firstKeptEntryId"]) == ("00000001", "00000000", "00000000")


def test_a_changed_file_raises_when_a_body_is_read(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, user("a", None), user("b", "a", "longer text"))
    for data in (content(HEADER), content(HEADER, b"  ", user("a", None), user("b", "a", "longer text"))):
        (tmp_path / "session.jsonl").write_bytes(data)
        with pytest.raises(Changed):
            tree.read(tree.entries[1])
    os.unlink(tmp_path / "session.jsonl")
    with pytest.raises(FileNotFoundError):
        tree.read(tree.entries[1])


# following


def append(tree: SessionTree, *lines: dict[str, Any], last: bytes | None = None) -> list[Node]:
    with open(tree.path, "ab") as file:
        file.write(content(*lines, last=last))
    return tree.extend()


def test_appended_entries_are_linked_to_their_parents(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, user("a", None), answer("b", "a"))
    new = append(
        tree, user("c", "a"), label("d", "c", "b", "mark"), {"type": "session_info", "id": "e", "name": "N"}
    )
    assert ids(new) == ["c", "d", "e"]
    assert ids(tree.by_id["a"].children) == ["b", "c"]
    assert (tree.leaf, tree.name) == (new[-1], "N")
    assert tree.by_id["b"].label == "mark"
    append(tree, label("f", "e", "b", None))
    assert tree.by_id["b"].label is None
    assert tree.labels == {}
    assert append(tree, last=b"") == []
    assert same(tree, open_tree(tree.path, ("pi",)))


def test_an_unfinished_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, user("a", None))
    line = content(answer("b", "a"))
    with open(tree.path, "ab") as file:
        file.write(line[:30])
    assert tree.extend() == []
    with open(tree.path, "ab") as file:
        file.write(line[30:])
    assert ids(tree.extend()) == ["b"]
    assert tree.problems == []


def test_entries_appended_to_version_1_continue_the_chain(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {**HEADER, "version": 1}, {"type": "custom"})
    (new,) = append(tree, {"type": "custom"})
    assert (new.id, new.parent) == ("00000001", tree.entries[0])


@cases(
    "line",
    [custom("a", None), custom("gone", "a"), custom("z", "z")],
    ids=["an id used before", "a parent that was missing", "its own parent"],
)
def test_an_entry_that_changes_other_links_raises(tmp_path: Path, line: dict[str, Any]) -> None:
    tree = tree_of(tmp_path, HEADER, custom("a", None), custom("b", "gone"))
    with pytest.raises(Changed):
        append(tree, line)
    with pytest.raises(Changed):
        tree.extend()


def test_a_rewritten_file_raises(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, HEADER, custom("a", None), custom("b", "a"))
    path = tmp_path / "session.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(Changed):
        tree.extend()
    path.write_bytes(data.replace(b"abc", b"xyz"))
    with pytest.raises(Changed):
        tree.extend()
    os.rename(path, tmp_path / "old")
    path.write_bytes(data)
    with pytest.raises(Changed):
        tree.extend()


def reachable(tree: SessionTree) -> int:
    """Return the number of entries below the roots; check that each is reached once."""
    seen: set[int] = set()
    stack = list(tree.roots)
    while stack:
        node = stack.pop()
        assert node.index not in seen
        seen.add(node.index)
        stack.extend(node.children)
    return len(seen)


def same(one: SessionTree, other: SessionTree) -> bool:
    def shape(tree: SessionTree) -> list[Any]:
        return [
            [
                (
                    node.id,
                    node.index,
                    node.parent and node.parent.index,
                    node.label,
                    node.line,
                    node.offset,
                    node.length,
                )
                for node in tree.entries
            ],
            [node.index for node in tree.roots],
            [[child.index for child in node.children] for node in tree.entries],
            tree.leaf and tree.leaf.index,
            tree.name,
            tree.labels,
            tree.problems,
            tree.offset,
        ]

    return shape(one) == shape(other)
