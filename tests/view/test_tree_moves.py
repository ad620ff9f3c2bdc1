"""Moves in the tree and the order of its entries, also on random trees."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from app.sessions import open_tree
from app.view import ASCII, TREE_FILTERS, UNICODE, TreeView, render_tree_row, tree_navigation
from app.view.line import line_width, plain_text
from app.view.tree_navigation import TreeHits, words_of
from tests.cases import cases
from tests.factory import entry, header, message, write_session
from tests.view.trees import LINKS, branched, ids, lines_of, opened


class AsPi:
    """The relations that pi's tree list derives from the shown rows (pi's tests check them)."""

    def __init__(self, view):
        self.view = view
        self.nodes = [view.node(row) for row in range(view.count)]
        self.at = {node.index: row for row, node in enumerate(self.nodes)}
        self.children = {None: []}
        self.parent = {}
        for node in self.nodes:
            above = node.parent
            while above is not None and above.index not in self.at:
                above = above.parent
            self.parent[node.index] = None if above is None else above.index
            self.children.setdefault(self.parent[node.index], []).append(node.index)

    def below(self, row):
        current = self.nodes[row].index
        while True:
            children = self.children.get(current, [])
            if len(children) != 1:
                return self.at[children[0] if children else current]
            current = children[0]

    def above(self, row):
        current = self.nodes[row].index
        while True:
            parent = self.parent[current]
            if parent is None:
                return self.at[current]
            if len(self.children[parent]) > 1 and self.at[current] < row:
                return self.at[current]
            current = parent

    def foldable(self, row):
        index = self.nodes[row].index
        parent = self.parent[index]
        return bool(self.children.get(index)) and (parent is None or len(self.children[parent]) > 1)


FOLDS = st.lists(st.integers(0, 29), max_size=4)


def folded_at(view, folds):
    for index in folds:
        if index < view.count and view.row(index).foldable:
            view.fold(view.node(index), True)


@given(LINKS, st.sampled_from(TREE_FILTERS), FOLDS)
@settings(max_examples=70)
def test_segments_are_those_of_pi(tmp_path_factory, links, tree_filter, folds):
    view = opened(tmp_path_factory.mktemp("pi"), *lines_of(links), tree_filter=tree_filter)
    folded_at(view, folds)
    theirs = AsPi(view)
    for index in range(view.count):
        assert tree_navigation.segment_below(view, index) == theirs.below(index)
        assert tree_navigation.segment_above(view, index) == theirs.above(index)
        if not view.row(index).folded:
            assert view.row(index).foldable == theirs.foldable(index)


@given(LINKS, st.sampled_from(TREE_FILTERS), FOLDS)
@settings(max_examples=70)
def test_parents_children_and_branch_points_are_those_of_the_rows(
    tmp_path_factory, links, tree_filter, folds
):
    view = opened(tmp_path_factory.mktemp("kin"), *lines_of(links), tree_filter=tree_filter)
    folded_at(view, folds)
    kin = AsPi(view)
    points = [index for index, node in enumerate(kin.nodes) if len(kin.children.get(node.index, ())) > 1]
    turns = [index for index, node in enumerate(kin.nodes) if node.role == "user"]
    for index, node in enumerate(kin.nodes):
        parent = kin.parent[node.index]
        children = kin.children.get(node.index, [])
        assert tree_navigation.parent_row(view, index) == (None if parent is None else kin.at[parent])
        assert tree_navigation.child_row(view, index) == (kin.at[children[0]] if children else None)
        for places, move in ((points, tree_navigation.branch_point), (turns, tree_navigation.turn)):
            assert move(view, index, 1) == next((place for place in places if place > index), None)
            assert move(view, index, -1) == next((place for place in places[::-1] if place < index), None)


@given(LINKS, st.sampled_from(TREE_FILTERS))
@settings(max_examples=70)
def test_rows_are_in_the_order_of_the_tree_with_any_filter(tmp_path_factory, links, tree_filter):
    view = opened(tmp_path_factory.mktemp("order"), *lines_of(links), tree_filter=tree_filter)
    order = view.order()
    assert sorted(node.index for node in order.nodes) == list(range(len(links)))
    places = [order.place(view.node(index)) for index in range(view.count)]
    assert places == sorted(places)
    assert [order.nodes[place] for place in places] == [view.node(index) for index in range(view.count)]


@given(LINKS, st.sampled_from(TREE_FILTERS), FOLDS)
@settings(max_examples=70)
def test_connectors_match_siblings_and_gutters_match_branches(tmp_path_factory, links, tree_filter, folds):
    view = opened(tmp_path_factory.mktemp("lines"), *lines_of(links), tree_filter=tree_filter)
    folded_at(view, folds)
    kin = AsPi(view)

    def is_branch(index):
        parent = kin.parent[index]
        return parent is not None and len(kin.children[parent]) > 1

    for index, node in enumerate(kin.nodes):
        row = view.row(index)
        siblings = kin.children[kin.parent[node.index]]
        assert row.connector == is_branch(node.index)
        if row.connector:
            assert row.last == (siblings[-1] == node.index)
        expected = []
        above = kin.parent[node.index] if row.connector else node.index
        while above is not None:
            if is_branch(above):
                expected.append(kin.children[kin.parent[above]][-1] != above)
            above = kin.parent[above]
        assert row.gutters(99) == expected[::-1]
        assert row.depth == len(expected)


@given(LINKS, st.sampled_from(TREE_FILTERS), FOLDS)
@settings(max_examples=70)
def test_every_entry_that_passes_the_filter_can_be_reached(tmp_path_factory, links, tree_filter, folds):
    view = opened(tmp_path_factory.mktemp("reach"), *lines_of(links), tree_filter=tree_filter)
    shown = [view.node(index) for index in range(view.count)]
    folded_at(view, folds)
    for node in shown:
        view.unfold_to(node)
        assert view.node(view.index_of(node)) is node


@given(LINKS, st.sampled_from(TREE_FILTERS), st.sets(st.integers(0, 29)), st.integers(0, 29))
@settings(max_examples=70)
def test_hits_are_visited_in_the_order_of_the_rows(tmp_path_factory, links, tree_filter, hit_indexes, cut):
    view = opened(tmp_path_factory.mktemp("hits"), *lines_of(links), tree_filter=tree_filter)
    nodes = [node for node in view.tree.entries if node.index in hit_indexes]
    hits = TreeHits(("x",))
    hits.add(nodes[:cut])
    hits.next(view, None, 1)
    hits.add(nodes[cut:])
    hits.add(nodes)
    hits.done = True
    rows = [index for index in range(view.count) if view.node(index).index in hit_indexes]
    assert hits.counted(view, None) == (0, len(rows), len(nodes) - len(rows))
    for index in range(view.count):
        node = view.node(index)
        after = next((row for row in rows if row > index), rows[0] if rows else None)
        before = next((row for row in rows[::-1] if row < index), rows[-1] if rows else None)
        assert hits.next(view, node, 1) is (None if after is None else view.node(after))
        assert hits.next(view, node, -1) is (None if before is None else view.node(before))
        assert hits.counted(view, node)[0] == (rows.index(index) + 1 if index in rows else 0)
        assert hits.has(node) == (node.index in hit_indexes)


def test_hits_follow_another_filter_and_a_tree_that_grew(tmp_path):
    path = write_session(tmp_path / "s.jsonl", *branched())
    tree = open_tree(str(path))
    view = TreeView(tree)
    hits = TreeHits(("x",))
    hits.add([tree.by_id["b"], tree.by_id["c"]])
    assert hits.summary(view, tree.by_id["c"]) == "hit 2 of 2…"
    view.set_filter("user")
    assert hits.summary(view, tree.by_id["c"]) == "hit 1 of 2… · 1 not in this filter (. e)"
    view.set_filter("default")
    with path.open("a") as file:
        file.write(json.dumps(message("h", "g", "user", "on")) + "\n")
    view.extend(tree.extend(), tree.leaf)
    hits.add([tree.by_id["h"]])
    hits.done = True
    assert hits.next(view, tree.by_id["b"], 1).id == "h"
    assert hits.summary(view, tree.by_id["h"]) == "hit 2 of 3"


def test_words_are_folded_and_unique():
    assert words_of("  Straße STRASSE x\tX ") == ("strasse", "x")
    assert words_of("   ") == ()


def test_hidden_labels_are_visited_if_the_filter_shows_none(tmp_path):
    view = opened(
        tmp_path,
        header(),
        message("a", None, "user", "one"),
        entry("custom", "x", "a", customType="t"),
        message("b", "x", "assistant", "two"),
        entry("label", "l", "b", targetId="x", label="here"),
        entry("label", "m", "l", targetId="gone", label="nowhere"),
    )
    assert tree_navigation.labelled(view, view.tree.by_id["a"], 1).id == "x"
    assert tree_navigation.labelled(view, view.tree.by_id["b"], -1).id == "x"
    assert tree_navigation.labelled(view, view.tree.by_id["b"], 1) is None


@cases("glyphs", [UNICODE, ASCII])
@cases("cells", [20, 30, 40, 60, 90, 200])
def test_a_third_of_a_row_is_left_to_its_text(tmp_path, cells, glyphs):
    lines = [header(), message("n0", None, "user", "root")]
    for number in range(1, 20):
        lines += [
            message(f"n{number}", f"n{number - 1}", "user", "the text of the row"),
            message(f"s{number}", f"n{number - 1}", "user", "side"),
        ]
    lines += [entry("label", "l", "s19", targetId="n19", label="a label that says a great deal of it")]
    lines += [message("z", "n19", "user", "below")]
    view = opened(tmp_path, *lines)
    view.tree.read_rows(view.tree.entries)
    node = view.tree.by_id["n19"]
    node.duplicate = True
    view.fold(node, True)
    row = view.row(view.index_of(node))
    for time in ("", "25/5/3 14:05"):
        line = render_tree_row(
            row, cells, selected=True, active=True, leaf=True, glyphs=glyphs, hit=True, label_time=time
        )
        assert line_width(line) == cells
        assert "› the text".replace("›", glyphs.prompt)[
            : max(1, (cells - 3 - cells // 2) // 3 - 1)
        ] in plain_text(line)
    wide = plain_text(render_tree_row(row, 200, selected=True, active=True, leaf=True, label_time=time))
    assert "› the text of the row ! id used twice  " in wide
    assert wide.endswith("◆ a label that says a great deal of it 25/5/3 14:05 ⊞ … 1 entry ← leaf")


def test_unfolding_restores_the_rows(tmp_path):
    view = opened(tmp_path, *branched())
    before = ids(view)
    view.fold(view.tree.by_id["e"], True)
    assert tree_navigation.segment_below(view, 2) == 2
    view.fold(view.tree.by_id["e"], False)
    assert ids(view) == before
