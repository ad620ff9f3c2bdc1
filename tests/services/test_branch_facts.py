"""What the branches of a tree come to, while it grows."""

from __future__ import annotations

import json
from queue import SimpleQueue
from threading import Lock

import pytest

from app.services.branch_facts import BranchReader
from app.sessions.tree.branches import branch_facts
from app.sessions.tree.tree import open_tree
from app.view.branch_table import BranchTable, branch_words
from tests.factory import entry, header, message, write_session

USAGE = {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.001}}


@pytest.fixture
def growing(tmp_path):
    """A tree of two branches, what appends to its file, and what reads its branches."""
    path = write_session(
        tmp_path / "s.jsonl",
        header(),
        message("a", None, "user", "one", 0),
        message("b", "a", "assistant", "two", 1, usage=USAGE),
        message("c", "b", "user", "three", 2),
        message("d", "b", "user", "four", 3),
    )
    tree = open_tree(str(path))
    told = SimpleQueue()
    reader = BranchReader(told.put, told.put, Lock())

    def grow(*lines):
        with path.open("a") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")
        tree.extend()

    def table():
        reader.read(tree)
        answer = told.get(timeout=10)
        assert answer.generation == reader.generation
        return answer.table

    yield tree, grow, table
    reader.stop()


def same(table, tree):
    def said(facts):
        return [(each.leaf.id, branch_words(each), each.tools, each.on_active_path) for each in facts]

    assert said(table.facts) == said(branch_facts(tree))


def test_the_active_branch_is_added_up_as_it_grows(growing):
    tree, grow, table = growing
    first = table()
    same(first, tree)
    grow(message("e", "d", "assistant", "five", 4, usage=USAGE))
    grow(message("f", "e", "user", "six", 5))
    grown = table()
    assert grown is first
    same(grown, tree)


@pytest.mark.parametrize(
    "line",
    [
        message("e", "c", "user", "five", 4),
        message("e", "a", "user", "five", 4),
        message("e", None, "user", "five", 4),
    ],
)
def test_another_branch_is_read_anew(growing, line):
    tree, grow, table = growing
    first = table()
    grow(message("x", "d", "user", "on", 4))
    grow(line)
    again = table()
    assert again is not first
    same(again, tree)


def test_a_label_ends_no_branch(growing):
    tree, grow, table = growing
    table()
    grow(entry("label", "l", "d", 6, targetId="c", label="x"))
    same(table(), tree)


def test_an_entry_is_on_the_active_branch_if_any_and_later_ones_on_that_they_hang_on(growing):
    tree, grow, _ = growing
    table = BranchTable(branch_facts(tree))
    of = {id: table.of(tree.by_id[id]).leaf.id for id in "abcd"}
    assert of == {"a": "d", "b": "d", "c": "c", "d": "d"}
    grow(message("e", "c", "user", "five", 4))
    assert table.of(tree.by_id["e"]).leaf.id == "c"
    assert table.of(None) is None
    assert BranchTable([]).of(tree.by_id["a"]) is None


def test_the_words_leave_out_what_is_nothing(growing):
    tree, _, _ = growing
    facts = branch_facts(tree)
    assert branch_words(facts[0]) == "branch 1 of 2 · 2 turns · 15 tokens · $0.0010 · 2 min 00 s"
    assert branch_words(facts[0], short=True) == "1/2 · 2 turns · 15 · $0.0010 · 2m00s"
    assert branch_words(None) == ""
