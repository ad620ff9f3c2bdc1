"""The comparison of two branches after their common entry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.actions.compare import FileChange, Turn, compare, count_tools
from app.formats import Cancelled
from app.sessions import Branches, Changed, Node, SessionTree, open_tree
from app.sessions.tree import UsageTotals, path_to
from tests.cases import cases
from tests.factory import entry, header, message, write_session
from tests.sessions.strategies import LINES
from tests.sessions.test_branches import talks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def calls(*named: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"type": "toolCall", "id": f"c{number}", "name": name, "arguments": {"path": path}}
        for number, (name, path) in enumerate(named)
    ]


def answer(id: str, parent: str, at: float, *blocks: Any, **more: Any) -> dict[str, Any]:
    usage = {"input": 10, "output": 5, "cacheRead": 1, "cacheWrite": 2, "cost": {"total": 0.5}}
    return message(id, parent, "assistant", "", at, **{"content": list(blocks), "usage": usage, **more})


def text(content: str) -> dict[str, str]:
    return {"type": "text", "text": content}


@pytest.fixture
def tree(tmp_path: Path) -> SessionTree:
    result = {"toolCallId": "c0", "toolName": "read"}
    return open_tree(
        str(
            write_session(
                tmp_path / "s.jsonl",
                header(),
                message("u1", None, "user", "shared", 1),
                answer("a1", "u1", 2, text("shared answer"), *calls(("write", "shared.py"))),
                answer(
                    "a2",
                    "a1",
                    3,
                    text("I\nlook"),
                    *calls(("read", "b.py"), ("read", "a.py"), ("edit", "a.py")),
                ),
                message("r2", "a2", "toolResult", "long", 4, **result),
                answer("a3", "r2", 5, text(""), text("it is \x1b[31mbroken")),
                message("u2", "a3", "user", "mend it", 6),
                answer("a4", "u2", 10, errorMessage="over\nloaded", stopReason="error"),
                entry("label", "l1", "a4", 20, targetId="a3", label="the\x07 one"),
                message("u3", "a1", "user", "use redis", 7),
                answer("a5", "u3", 8, *calls(("bash", "")), stopReason="aborted"),
                entry("branch_summary", "s1", "a5", 9, summary="s", details={"readFiles": ["z.py"]}),
                message("v", None, "user", "elsewhere", 30),
            )
        )
    )


def test_each_side_has_its_turns_tools_files_and_costs(tree: SessionTree) -> None:
    comparison = compare(tree, tree.by_id["l1"], tree.by_id["s1"])
    assert comparison.common is tree.by_id["a1"]
    one, other = comparison.one, comparison.other
    assert one.turns == (
        Turn(None, "", "it is \u241b[31mbroken", {"read": 2, "edit": 1}),
        Turn(tree.by_id["u2"], "mend it", "over loaded"),
    )
    assert other.turns == (Turn(tree.by_id["u3"], "use redis", "(aborted)", {"bash": 1}),)
    assert comparison.turns() == [(one.turns[0], other.turns[0]), (one.turns[1], None)]
    assert (one.tools, other.tools) == ((("read", 2), ("edit", 1)), (("bash", 1),))
    assert [(side.changed, side.read) for side in (one, other)] == [
        ((FileChange("a.py", tree.by_id["a2"]),), ("b.py",)),
        ((), ("z.py",)),
    ]
    assert comparison.last_shared is comparison.common
    assert comparison.last_shared is not None
    assert comparison.last_shared.row_text is not None
    assert (one.spent, other.spent) == ((30, 15, 3, 6, 1.5), (10, 5, 1, 2, 0.5))
    assert (one.entries, other.entries) == (6, 3)
    assert (one.duration_ms, other.duration_ms) == (7 * 60_000, 2 * 60_000)
    assert (one.leaf.id, one.label, other.label) == ("l1", "the\u2407 one", "")


def test_an_error_does_not_hide_the_answer_before_it(tmp_path: Path) -> None:
    answered = answer("b", "a", 2, text("as far as it came"))
    failed = answer("c", "b", 3, errorMessage="overloaded")
    tree = open_tree(
        str(write_session(tmp_path / "s.jsonl", header(), message("a", None, "user", "q"), answered, failed))
    )
    (turn,) = compare(tree, tree.by_id["a"], tree.by_id["c"]).other.turns
    assert turn.answer == "as far as it came"


def test_a_changed_file_has_its_lines_and_its_last_change(tmp_path: Path) -> None:
    def edit(**arguments: Any) -> dict[str, Any]:
        return {"type": "toolCall", "id": "c", "name": "edit", "arguments": {"path": "a.py", **arguments}}

    path = write_session(
        tmp_path / "s.jsonl",
        header(),
        message("a", None, "user", "q"),
        entry("label", "l", "a", 1, targetId="a", label="here"),
        answer("b", "l", 2, edit(oldText="one\ntwo", newText="one\n2\n3\n4"), *calls(("write", "new.py"))),
        answer("c", "b", 3, edit(edits=[{"old_text": "x", "new_text": ""}]), *calls(("edit", "new.py"))),
        entry("branch_summary", "d", "c", 4, summary="s", details={"modifiedFiles": ["z.py", "a.py"]}),
    )
    tree = open_tree(str(path))
    comparison = compare(tree, tree.by_id["l"], tree.by_id["d"])
    assert comparison.other.changed == (
        FileChange("a.py", tree.by_id["c"], added=3, removed=2),
        FileChange("new.py", tree.by_id["c"], is_new=True),
        FileChange("z.py", tree.by_id["d"]),
    )
    assert [change.node.id for change in comparison.other.changed] == ["c", "c", "d"]
    assert [turn.first and turn.first.id for turn in comparison.other.turns] == ["b"]
    # A label is no entry that a user sees both branches follow.
    assert (comparison.common, comparison.last_shared) == (tree.by_id["l"], tree.by_id["a"])


def test_a_side_may_be_empty_and_both_may_share_nothing(tree: SessionTree) -> None:
    comparison = compare(tree, tree.by_id["a1"], tree.by_id["u3"])
    assert comparison.common is tree.by_id["a1"]
    assert (comparison.one.turns, comparison.one.entries, comparison.one.duration_ms) == ((), 0, 0)
    assert comparison.turns() == [(None, comparison.other.turns[0])]
    same = compare(tree, tree.by_id["u3"], tree.by_id["u3"])
    assert (same.common, same.turns()) == (tree.by_id["u3"], [])
    roots = compare(tree, tree.by_id["v"], tree.by_id["a1"])
    assert roots.common is None
    assert [turn.prompt for turn in roots.other.turns] == ["shared"]
    assert roots.other.changed == (FileChange("shared.py", tree.by_id["a1"], is_new=True),)
    assert roots.one.first_ms == roots.one.last_ms == tree.by_id["v"].timestamp


def test_shared_entries_and_tool_results_are_not_read(
    tree: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str | None] = []
    real = tree.read

    def counted(node: Node) -> dict[str, Any]:
        read.append(node.id)
        return real(node)

    monkeypatch.setattr(tree, "read", counted)
    compare(tree, tree.by_id["l1"], tree.by_id["s1"])
    assert read == ["a2", "a3", "u2", "a4", "u3", "a5", "s1"]


def test_a_cancelled_read_and_a_replaced_file_are_errors(tree: SessionTree, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        compare(tree, tree.by_id["l1"], tree.by_id["s1"], lambda: False)
    (tmp_path / "s.jsonl").write_text("{}\n")
    with pytest.raises(Changed):
        compare(tree, tree.by_id["l1"], tree.by_id["s1"])


@cases("content", [None, 7, "said", [], [None, 7, "x"], [{"type": "text"}], [{"type": "text", "text": 7}]])
@cases("role", ["user", "assistant"])
def test_content_of_any_type_is_accepted(tmp_path: Path, content: Any, role: str) -> None:
    strange = message("x", "u", role, "", 2)
    strange["message"] |= {"content": content, "usage": [7], "errorMessage": 7}
    path = write_session(tmp_path / "s.jsonl", header(), message("u", None, "user", "q"), strange)
    tree = open_tree(str(path))
    (turn,) = compare(tree, tree.by_id["u"], tree.by_id["x"]).other.turns
    shown = "said" if content == "said" else ""
    assert (turn.prompt, turn.answer) == ((shown, "") if role == "user" else ("", shown))


@given(lines=talks() | LINES, data=st.data())
def test_any_two_entries_can_be_compared(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "compared.jsonl"
    path.write_bytes(json.dumps(header()).encode() + b"\n" + b"\n".join(lines) + b"\n")
    tree = open_tree(str(path), ("pi",))
    if not tree.entries:
        return
    pair = [data.draw(st.sampled_from(tree.entries)) for _ in range(2)]
    comparison = compare(tree, pair[0], pair[1])
    paths = [[id(node) for node in path_to(leaf)] for leaf in pair]
    shared = [node for node in tree.entries if all(id(node) in path for path in paths)]
    assert (comparison.common in shared) if shared else comparison.common is None
    for leaf, side in zip(pair, (comparison.one, comparison.other), strict=True):
        own = [node for node in path_to(leaf) if node not in shared]
        assert side.entries == len(own)
        prompts = [node for node in own if node.role == "user"]
        assert [turn.node for turn in side.turns if turn.node] == prompts
        branches = Branches(tree)
        whole, before = branches.of_path(leaf), len(shared) and branches.of_path(comparison.common or leaf)
        assert sum(count for _, count in side.tools) == whole.tools - (before.tools if before else 0)
        assert sum(sum(turn.tools.values()) for turn in side.turns) == sum(count for _, count in side.tools)
        less = before.spent if before else UsageTotals()
        assert side.spent == pytest.approx(
            [total - common for total, common in zip(whole.spent, less, strict=True)]
        )


def test_tools_are_counted(forked_path: Callable[..., str]) -> None:
    assert count_tools([("read", 3), ("bash", 1), ("edit", 1_200)]) == "read 3, bash, edit 1,200"
    assert count_tools([]) == ""
    tree = open_tree(forked_path())
    comparison = compare(tree, tree.by_id["00000002"], tree.by_id["e"])
    assert [comparison.one.turns[0].answer, comparison.other.turns[0].answer] == ["one", "other"]
