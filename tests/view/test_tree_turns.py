"""Turns of a tree: which entries a folded one hides, and what the row of its prompt says."""

from __future__ import annotations

from app.sessions import open_tree
from app.view import TreeView, render_tree_row
from app.view.line import plain_text
from tests.cases import cases
from tests.factory import entry, header, message, write_session
from tests.view.trees import branched, ids


def answer(id, parent, text, *tools, **more):
    content = [{"type": "text", "text": text}] if text else []
    content += [{"type": "toolCall", "id": f"{id}{tool}", "name": tool, "arguments": {}} for tool in tools]
    return entry("message", id, parent, message={"role": "assistant", "content": content, **more})


def turns(tmp_path, *lines, tree_filter="default"):
    """The view of a tree as the screen opens it."""
    return TreeView(open_tree(str(write_session(tmp_path / "s.jsonl", *lines))), tree_filter, turns=True)


def row_text(view, row, cells):
    view.tree.read_rows(view.tree.entries)
    node = view.node(row)
    is_open = view.is_open_turn(row)
    line = render_tree_row(
        view.row(row),
        cells,
        selected=False,
        active=True,
        leaf=row == view.leaf_row(),
        time="18:40",
        turn=None if is_open or node.role != "user" else view.turn_of(node),
        open_turn=is_open,
    )
    assert len(plain_text(line)) == cells
    return plain_text(line)


def drawn(view, row, cells=100):
    return " ".join(row_text(view, row, cells).split())


def test_all_turns_but_that_of_the_leaf_are_folded_and_branches_hang_on_prompts(tmp_path):
    view = turns(tmp_path, *branched())
    assert ids(view) == ["a", "e", "f", "c"]
    assert [view.row(row).depth + view.row(row).connector for row in range(4)] == [0, 1, 1, 1]
    assert view.index_of(view.tree.by_id["b"]) == 0
    assert view.shown == 6


def test_a_turn_unfolds_and_folds(tmp_path):
    view = turns(tmp_path, *branched())
    view.fold_turn(view.tree.by_id["a"], False)
    assert ids(view) == ["a", "b", "e", "f", "c"]
    view.fold_turn(view.tree.by_id["e"], True)
    assert ids(view) == ["a", "b", "e", "c"]
    assert view.leaf_row() == 2
    assert view.unfold_to(view.tree.by_id["d"])
    assert ids(view) == ["a", "b", "e", "c", "d"]
    assert not view.unfold_to(view.tree.by_id["d"])
    view.unfold_all()
    assert len(ids(view)) == 6
    view.fold_others()
    assert ids(view) == ["a", "e", "f", "c"]


@cases(
    ("tree_filter", "shown"),
    [("no-tools", "aefc"), ("user", "aec"), ("labelled", "e"), ("all", "abefgcd")],
)
def test_the_filters_decide_what_is_folded(tmp_path, tree_filter, shown):
    assert "".join(ids(turns(tmp_path, *branched(), tree_filter=tree_filter))) == shown
    view = turns(tmp_path, *branched())
    view.set_filter(tree_filter, view.leaf)
    assert "".join(ids(view)) == shown


def test_a_filter_keeps_the_turn_of_the_cursor_unfolded(tmp_path):
    view = turns(tmp_path, *branched(), tree_filter="all")
    view.set_filter("default", view.tree.by_id["d"])
    assert ids(view) == ["a", "e", "c", "d"]


def test_a_branch_without_a_prompt_is_hidden_with_its_turn(tmp_path):
    lines = [
        header(),
        message("a", None, "user", "one"),
        message("b", "a", "assistant", "two"),
        message("c", "a", "assistant", "two again"),
        message("d", "c", "user", "three"),
    ]
    view = turns(tmp_path, *lines)
    assert ids(view) == ["a", "d"]
    view.fold_turn(view.tree.by_id["a"], False)
    assert ids(view) == ["a", "c", "d", "b"]


def test_entries_before_the_first_prompt_and_sessions_without_prompts_stay(tmp_path):
    before = [header(), message("b", None, "assistant", "hello"), message("a", "b", "user", "one")]
    view = turns(tmp_path, *before, message("c", "a", "assistant", "two"), message("d", "c", "user", "three"))
    assert ids(view) == ["b", "a", "d"]
    assert ids(turns(tmp_path, header(), message("b", None, "assistant", "hello"))) == ["b"]
    assert ids(turns(tmp_path, header())) == []


def test_a_row_is_added_to_an_open_turn_and_none_to_a_folded_one(tmp_path):
    path = write_session(tmp_path / "s.jsonl", *branched())
    tree = open_tree(str(path))
    view = TreeView(tree, turns=True)
    with path.open("a") as file:
        write = write_session(tmp_path / "t.jsonl", header(), message("h", "g", "assistant", "more"))
        file.write(write.read_text().splitlines()[1] + "\n")
    view.extend(tree.extend(len(tree.entries)), tree.leaf)
    assert ids(view) == ["a", "e", "f", "h", "c"]
    view.fold_turn(tree.by_id["e"], True)
    with path.open("a") as file:
        more = [message("i", "h", "assistant", "last"), message("j", "i", "user", "next")]
        lines = write_session(tmp_path / "t.jsonl", header(), *more).read_text().splitlines()[1:]
        file.write("\n".join(lines) + "\n")
    view.extend(tree.extend(len(tree.entries)), tree.leaf)
    assert ids(view) == ["a", "e", "j", "c"]
    assert view.turn_of(tree.by_id["e"]).answer is tree.by_id["i"]


def test_the_row_of_a_prompt_sums_its_turn_up(tmp_path):
    view = turns(
        tmp_path,
        header(),
        message("a", None, "user", "fix it"),
        answer("b", "a", "I read it first.", "read", "bash"),
        answer("c", "b", "", "edit"),
        answer("d", "c", "Here it is:\n\n```\nx = 1\n```\n\nAll **tests** pass now.\n---\n"),
        entry("label", "l", "d", targetId="d", label="works"),
        message("e", "l", "user", "and then?"),
        answer("f", "e", "nothing", stopReason="aborted"),
        message("g", "f", "user", "hello?"),
    )
    assert drawn(view, 0) == "• 18:40 › fix it 3 tools All tests pass now. ◆ works"
    assert drawn(view, 1) == "• 18:40 › and then? × aborted: nothing"
    assert drawn(view, 2) == "• 18:40 › hello? ← leaf"
    assert drawn(view, 0, 50) == "• 18:40 › fix it 3 tools ◆ works"
    assert drawn(view, 0, 40) == "• › fix it 3 tools ◆ works"
    view.unfold_all()
    assert drawn(view, 0) == "• 18:40 ▾ fix it"


def test_answers_and_tools_have_their_columns_on_every_level(tmp_path):
    view = turns(
        tmp_path,
        header(),
        message("a", None, "user", "a long prompt " * 9),
        answer("b", "a", "the first answer", "read"),
        message("c", "b", "user", "one branch " * 9),
        answer("d", "c", "the second answer", "bash"),
        message("e", "b", "user", "another branch " * 9),
        answer("f", "e", "the third answer", "edit"),
    )
    shown = [row_text(view, ids(view).index(id), 100) for id in ("a", "c")]
    for words in ("1 tool", "the "):
        assert len({line.index(words) for line in shown}) == 1, shown
    assert "tool" not in row_text(view, ids(view).index("c"), 30), "a narrow row keeps its text"


def test_the_row_shows_the_answer_of_the_active_path(tmp_path):
    lines = [
        header(),
        message("a", None, "user", "one"),
        message("b", "a", "assistant", "the old answer"),
        message("c", "a", "assistant", "the new answer"),
        message("d", "b", "user", "two"),
    ]
    view = turns(tmp_path, *lines)
    assert "the old answer" in drawn(view, 0)
