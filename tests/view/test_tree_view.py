"""Rows of the tree: order, indentation, folds, filters and growth, on trees read from files."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.reports.tree import draw as report
from app.sessions import open_tree
from app.view import ASCII, TREE_FILTERS, TreeView, render_tree_row
from app.view.line import plain_text
from tests.cases import cases
from tests.factory import chain, entry, header, message, write_session
from tests.view.trees import LINKS, branched, ids, lines_of, opened


def drawn(view, cells=60):
    view.tree.read_rows(view.tree.entries)
    leaf = view.leaf_row()
    rows = []
    for index in range(view.count):
        row = view.row(index)
        active = row.node.index in view.active
        line = render_tree_row(row, cells, selected=False, active=active, leaf=index == leaf, glyphs=ASCII)
        # Labels and the mark of the leaf stand at the right end.
        rows.append(re.sub(r"(?<=\S) {2,}(?=# |<- |[+] ~)", " ", plain_text(line).rstrip()))
    return rows


def test_a_chain_is_not_indented_and_the_leaf_is_marked(tmp_path):
    view = opened(tmp_path, *chain("hello", "hi", "bye"))
    assert drawn(view) == [" * > hello", " *   hi", " * > bye <- leaf"]


def test_the_branch_with_the_leaf_comes_first(tmp_path):
    view = opened(tmp_path, *branched())
    assert ids(view) == ["a", "b", "e", "f", "c", "d"]
    assert drawn(view) == [
        " * > fix the login",
        " *   the token is read too early",
        " * |= > use redis # redis",
        " * |    done, faster <- leaf",
        "   `= > try caching it",
        "        done, slower",
    ]


@cases(
    ("tree_filter", "marked"),
    [("default", "f"), ("no-tools", "f"), ("user", "e"), ("labelled", "e"), ("all", "g")],
)
def test_the_mark_of_the_leaf_is_at_the_end_of_the_shown_active_path(tmp_path, tree_filter, marked):
    view = opened(tmp_path, *branched(), tree_filter=tree_filter)
    assert view.node(view.leaf_row()).id == marked
    assert [index for index, row in enumerate(drawn(view)) if "<- leaf" in row] == [view.leaf_row()]


def test_a_hidden_active_path_has_no_mark_of_the_leaf(tmp_path):
    slow = entry("label", "h", "g", targetId="d", label="slow")
    view = opened(tmp_path, *branched(), slow, tree_filter="labelled")
    view.tree.by_id["e"].label = None
    view.refresh()
    assert ids(view) == ["d"]
    assert view.leaf_row() is None
    assert "active" not in drawn(view)[0]


def test_a_fold_hides_and_counts_the_entries_below(tmp_path):
    view = opened(tmp_path, *branched())
    view.fold(view.tree.by_id["e"], True)
    assert ids(view) == ["a", "b", "e", "c", "d"]
    assert drawn(view)[2] == " * |+ > use redis # redis + ~ 1 entry <- leaf"
    assert view.index_of(view.tree.by_id["f"]) == 2
    view.fold(view.tree.by_id["e"], False)
    assert ids(view) == ["a", "b", "e", "f", "c", "d"]


def test_folds_inside_a_fold_are_kept(tmp_path):
    lines = [
        *branched(),
        message("h", "d", "user", "x"),
        message("i", "d", "user", "y"),
        message("j", "i", "assistant", "z"),
    ]
    view = opened(tmp_path, *lines)
    view.fold(view.tree.by_id["i"], True)
    before = ids(view)
    view.fold(view.tree.by_id["c"], True)
    view.fold(view.tree.by_id["c"], False)
    assert ids(view) == before


def test_only_roots_and_rows_with_siblings_fold(tmp_path):
    view = opened(tmp_path, *branched())
    foldable = [view.node(index).id for index in range(view.count) if view.row(index).foldable]
    assert foldable == ["a", "e", "c"]


def test_all_but_the_active_path_fold_and_unfold(tmp_path):
    view = opened(tmp_path, *branched())
    view.fold_others()
    assert ids(view) == ["a", "b", "e", "f", "c"]
    view.unfold_all()
    assert view.count == 6


def test_children_of_a_hidden_entry_are_drawn_under_the_nearest_shown_ancestor(tmp_path):
    view = opened(
        tmp_path,
        header(),
        message("a", None, "user", "one"),
        entry("model_change", "m", "a", provider="p", modelId="x"),
        message("b", "m", "assistant", "two"),
        message("c", "m", "assistant", "three"),
    )
    assert drawn(view) == [
        " * > one",
        " * |-   three <- leaf",
        "   `-   two",
    ]


def test_a_branch_without_shown_entries_is_not_drawn(tmp_path):
    view = opened(
        tmp_path,
        header(),
        message("a", None, "user", "one"),
        entry("custom", "x", "a", customType="t"),
        message("b", "a", "assistant", "two"),
    )
    assert drawn(view) == [" * > one", " *   two <- leaf"]


def test_several_roots_stand_side_by_side(tmp_path):
    view = opened(
        tmp_path,
        *chain("one", "two"),
        message("r", None, "user", "again"),
        message("s", "r", "assistant", "ok"),
    )
    assert drawn(view) == [
        " * = > again",
        " *   ok <- leaf",
        "   = > one (another root)",
        "     two",
    ]
    view.fold(view.tree.by_id["00000001"], True)
    assert drawn(view)[2] == "   + > one (another root) + ~ 1 entry"


def test_every_root_but_the_first_is_marked(tmp_path):
    view = opened(
        tmp_path,
        header(),
        message("a", None, "user", "root one"),
        message("b", "a", "assistant", "answer one"),
        message("c", None, "user", "root two"),
        message("d", "gone", "user", "lost"),
        message("e", "d", "assistant", "found"),
    )
    assert drawn(view, 80) == [
        " * = > lost ! its parent is not in the file",
        " *   found <- leaf",
        "   = > root one (another root)",
        "     answer one",
        "   > root two (another root)",
    ]


def test_a_hidden_root_is_marked_on_its_first_shown_entry(tmp_path):
    view = opened(
        tmp_path,
        header(),
        entry("model_change", "m", None, provider="p", modelId="x"),
        message("a", "m", "user", "first"),
        message("b", "a", "assistant", "answer"),
        message("c", "m", "user", "first, in other words"),
        message("d", "gone", "user", "lost"),
        message("e", "d", "assistant", "found"),
    )
    assert drawn(view, 80)[2:] == [
        "   = > first (another root)",
        "     answer",
        "   > first, in other words (another branch)",
    ]
    view.set_filter("all")
    assert drawn(view, 80)[2:] == [
        "   =   [model: x] (another root)",
        "   |= > first",
        "   |    answer",
        "   `- > first, in other words",
    ]


def test_the_command_line_marks_roots_as_the_screen_does(tmp_path):
    view = opened(tmp_path, *chain("one", "two"), message("r", None, "user", "again"))
    _, *printed = report(view.tree, "/home/me", 80, ascii_only=True)
    rows = [line[9:] for line in printed]  # without the column of the ids
    assert [row.split() for row in rows] == [row.split() for row in drawn(view, 71)]
    assert rows[1] == "   = > one (another root)"


@cases(
    ("tree_filter", "shown"),
    [
        ("default", ["u", "a", "t", "end"]),
        ("no-tools", ["u", "a", "end"]),
        ("user", ["u"]),
        ("labelled", ["a"]),
        ("all", ["u", "m", "a", "call", "t", "l", "end"]),
    ],
)
def test_filters_show_what_pi_shows(tmp_path, tree_filter, shown):
    call = {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "ls", "arguments": {}}]}
    result = {
        "role": "toolResult",
        "toolCallId": "1",
        "toolName": "ls",
        "content": [{"type": "text", "text": "x"}],
    }
    view = opened(
        tmp_path,
        header(),
        message("u", None, "user", "go"),
        entry("model_change", "m", "u", provider="p", modelId="x"),
        message("a", "m", "assistant", "going"),
        entry("message", "call", "a", message=call),
        entry("message", "t", "call", message=result),
        entry("label", "l", "t", targetId="a", label="here"),
        message("end", "l", "assistant", "done"),
        tree_filter=tree_filter,
    )
    assert ids(view) == shown


def test_a_tool_call_is_shown_while_it_is_the_leaf_and_when_it_failed(tmp_path):
    call = {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "ls", "arguments": {}}]}
    view = opened(
        tmp_path,
        *chain("go"),
        entry("message", "x", "00000001", message={**call, "stopReason": "aborted"}),
        entry("message", "y", "x", message=call),
        entry("message", "z", "y", message=call),
    )
    assert ids(view) == ["00000001", "x", "z"]


@cases("tree_filter", ["default", "no-tools", "labelled"])
@cases(
    ("stop", "is_shown"),
    [
        ("aborted", True),
        ("error", True),
        ("length", True),
        ("stop", False),
        ("toolUse", False),
        ("", False),
        (None, False),
    ],
)
def test_an_answer_that_only_calls_tools_is_shown_if_it_was_cut_off(tmp_path, tree_filter, stop, is_shown):
    call = {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "ls", "arguments": {}}]}
    view = opened(
        tmp_path,
        *chain("go"),
        entry("message", "x", "00000001", message={**call, "stopReason": stop}),
        entry("label", "l", "x", targetId="x", label="here"),
        message("end", "l", "user", "again"),
        tree_filter=tree_filter,
    )
    assert ("x" in ids(view)) is is_shown


def test_an_error_is_marked_without_colour(tmp_path):
    failed = message("b", "a", "assistant", "", 2, stopReason="error", errorMessage="529 overloaded")
    answer = message("c", "b", "assistant", "529 is a prime neighbour", 3)
    view = opened(tmp_path, header(), message("a", None, "user", "go", 1), failed, answer)
    rows = [row.rstrip() for row in drawn(view)]
    assert rows[1].endswith("x error: 529 overloaded")
    assert "  529 is" in rows[2]


def test_text_of_a_deep_branch_stays_on_the_row(tmp_path):
    lines = [header()]
    for index in range(60):
        parent = f"n{index - 1}" if index else None
        lines += [
            message(f"n{index}", parent, "user", f"level {index}"),
            message(f"s{index}", parent, "user", f"side {index}"),
        ]
    view = opened(tmp_path, *lines)
    deepest = view.index_of(view.tree.by_id["n59"])
    text = drawn(view, 60)[deepest]
    assert "> level 59" in text
    assert "<58 " in text, "the number of all levels"


def test_twenty_thousand_entries_in_one_chain_and_in_one_star(tmp_path):
    straight = [header(), message("n0", None, "user", "x")]
    straight += [message(f"n{index}", f"n{index - 1}", "user", "x") for index in range(1, 20_000)]
    view = opened(tmp_path, *straight)
    assert (view.count, len(view.segments)) == (20_000, 1)
    star = [
        header(),
        message("n0", None, "user", "x"),
        *(message(f"n{index}", "n0", "user", "x") for index in range(1, 20_000)),
    ]
    view = opened(tmp_path, *star)
    assert (view.count, len(view.segments)) == (20_000, 20_000)


@given(LINKS, st.sampled_from(TREE_FILTERS))
@settings(max_examples=60)
def test_rows_are_a_walk_of_the_tree(tmp_path_factory, links, tree_filter):
    view = opened(tmp_path_factory.mktemp("tree"), *lines_of(links), tree_filter=tree_filter)
    shown = [view.node(index) for index in range(view.count)]
    assert len({node.index for node in shown}) == len(shown) == view.shown
    place = {node.index: index for index, node in enumerate(shown)}
    for index, node in enumerate(shown):
        assert view.index_of(node) == index
        above = node.parent
        while above is not None and above.index not in place:
            above = above.parent
        assert above is None or place[above.index] < index
    for index in range(view.count):
        row = view.row(index)
        if row.foldable and not row.folded:
            before = [node.index for node in shown]
            view.fold(row.node, True)
            hidden = view.row(index).hidden
            assert view.count == len(before) - hidden
            assert all(view.node(row_index) is not None for row_index in range(view.count))
            view.fold(row.node, False)
            assert [view.node(row_index).index for row_index in range(view.count)] == before


@given(LINKS, st.sampled_from(TREE_FILTERS), st.integers(0, 29))
@settings(max_examples=60)
def test_the_leafs_mark_is_on_the_last_row_of_the_active_path(tmp_path_factory, links, tree_filter, index):
    """pi and omp draw no mark for the leaf itself; their bullets end at the row with our mark."""
    view = opened(tmp_path_factory.mktemp("leaf"), *lines_of(links), tree_filter=tree_filter)
    if index < view.count and view.row(index).foldable:
        view.fold(view.node(index), True)
    active = [place for place in range(view.count) if view.node(place).index in view.active]
    assert view.leaf_row() == (active[-1] if active else None)


@given(LINKS, st.sampled_from(TREE_FILTERS), st.integers(0, 29))
@settings(max_examples=60)
def test_a_view_that_grew_equals_a_new_view(tmp_path_factory, links, tree_filter, cut):
    folder = tmp_path_factory.mktemp("grow")
    lines = lines_of(links)
    path = write_session(folder / "s.jsonl", *lines[: cut + 1])
    tree = open_tree(str(path))
    view = TreeView(tree, tree_filter)
    for line in lines[cut + 1 :]:
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        view.extend(tree.extend(), tree.leaf)
    complete = TreeView(open_tree(str(path)), tree_filter)
    assert drawn(view) == drawn(complete)
    assert view.leaf_row() == complete.leaf_row()


def test_an_entry_after_the_leaf_needs_no_new_layout(tmp_path, monkeypatch):
    path = write_session(tmp_path / "s.jsonl", *branched())
    tree = open_tree(str(path))
    view = TreeView(tree)
    monkeypatch.setattr(view, "refresh", lambda: pytest.fail("the whole tree was laid out"))
    call = {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "ls", "arguments": {}}]}
    result = {
        "role": "toolResult",
        "toolCallId": "1",
        "toolName": "ls",
        "content": [{"type": "text", "text": "x"}],
    }
    more = [
        message("u", "g", "user", "go on"),
        entry("message", "call", "u", message=call),
        entry("message", "res", "call", message=result),
        message("z", "res", "assistant", "done"),
    ]
    with path.open("a") as file:
        for line in more:
            file.write(json.dumps(line) + "\n")
            file.flush()
            view.extend(tree.extend(), tree.leaf)
    assert drawn(view) == drawn(TreeView(open_tree(str(path))))
    assert view.node(view.leaf_row()).id == "z"


def test_a_comb_of_eight_thousand_levels_keeps_no_gutters(tmp_path):
    lines = [header(), message("n0", None, "user", "x")]
    for index in range(1, 8_000):
        lines += [
            message(f"n{index}", f"n{index - 1}", "user", "x"),
            message(f"s{index}", f"n{index - 1}", "user", "y"),
        ]
    view = opened(tmp_path, *lines)
    assert view.count == 15_999
    deepest = view.index_of(view.tree.by_id["n7999"])
    assert view.row(deepest).depth == 7_998
    assert len(view.row(deepest).gutters(5)) == 5
    node_count = sum(len(getattr(segment, name) or ()) for segment in view.segments for name in ("nodes",))
    assert node_count == 15_999


def test_rows_are_laid_out_and_filtered_without_their_text(tmp_path):
    view = opened(tmp_path, *branched())
    for tree_filter in TREE_FILTERS:
        view.set_filter(tree_filter)
    assert all(node.row_text is None for node in view.tree.entries)


@cases(
    ("role", "shown"),
    [("user", "> …"), ("assistant", "  …"), ("toolResult", "- …"), (None, "  […]")],
)
def test_an_unread_row_names_its_role(tmp_path, role, shown):
    line = message("a", None, role, "hello") if role else entry("custom", "a", None, customType="t")
    view = opened(tmp_path, header(), line, tree_filter="all")
    row = render_tree_row(view.row(0), 40, selected=False, active=True, leaf=False, glyphs=ASCII)
    assert plain_text(row).rstrip() == f" * {shown}"


def test_the_nearest_rows_come_first(tmp_path):
    view = opened(tmp_path, *chain(*"abcdefg"))
    texts = [int(node.id) for node in view.nodes_around(2, 3)]
    assert texts == [3, 2, 4, 1, 5, 6]
    assert [int(node.id) for node in view.nodes_around(None, 1)] == [7, 6]
    assert [int(node.id) for node in view.nodes_around(6, 99)] == [7, 6, 5, 4, 3, 2, 1]
    assert opened(tmp_path, header()).nodes_around(None, 5) == []


def test_a_fold_filters_no_entry_again(tmp_path, monkeypatch):
    view = opened(tmp_path, *branched())
    for module in ("tree_filter", "tree_view"):
        monkeypatch.setattr(
            f"app.view.{module}.filter_nodes", lambda *_: pytest.fail("entries were filtered again")
        )
    view.fold(view.tree.by_id["e"], True)
    view.unfold_all()
    view.fold_others()
    assert view.count == 5
