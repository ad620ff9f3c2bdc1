"""The threads that read trees and rows, without a screen."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import weakref

import pytest

from app.formats import Spending
from app.messages import TreeOpened
from app.services import tree_reader
from app.services.tree_reader import BranchReader, RowReader, TreeReader, TreeSearch
from app.sessions import Branches, TreeText, open_tree
from app.sessions.tree import tree_builder
from app.sessions.tree.tree import END_BYTES
from app.view import BranchTable, branch_text
from tests.factory import chain, entry, header, message, write_session
from tests.waiting import PATIENCE


@pytest.fixture
def posted():
    return queue.Queue()


@pytest.fixture
def long(tmp_path):
    """A session whose end is read first."""
    texts = [f"number {number} " + "x" * 500 for number in range(4 * END_BYTES // 500)]
    return str(write_session(tmp_path / "long.jsonl", *chain(*texts, id="long")))


@pytest.fixture
def short(tmp_path):
    return str(write_session(tmp_path / "short.jsonl", *chain("one", "two", id="short")))


def stopped(service):
    """End the thread of a service, and wait for its end."""
    service.stop()
    for thread in threading.enumerate():
        if thread.name == f"leafmark-{type(service).__name__}":
            thread.join(PATIENCE)


@pytest.fixture
def windows_read(monkeypatch):
    """A list with one item for each window of lines that was read."""
    count = []
    windows = tree_builder.line_windows

    def counted(*arguments):
        for window in windows(*arguments):
            count.append(None)
            yield window

    monkeypatch.setattr(tree_builder, "line_windows", counted)
    monkeypatch.setattr(tree_reader, "DRAW_PAUSE", 0)
    return count


def test_the_end_of_a_long_session_comes_first_then_the_whole(posted, long):
    trees = TreeReader(posted.put)
    trees.open(long, ("pi",), "default")
    end, whole = posted.get(timeout=PATIENCE), posted.get(timeout=PATIENCE)
    assert [message.view.tree.is_whole for message in (end, whole)] == [False, True]
    assert [message.generation for message in (end, whole)] == [1, 1]
    assert end.view.leaf.id == whole.view.leaf.id
    for view in (end.view, whole.view):
        near = view.nodes_around(view.leaf_row(), 100)
        assert all(node.row_text is not None for node in near)
    assert whole.view.tree.entries[0].row_text is None
    stopped(trees)


def test_another_session_does_not_wait_for_a_long_one(posted, long, short, windows_read):
    order = []

    def post(message):
        order.append((message.view.tree.path, message.view.tree.is_whole, len(windows_read)))
        if message.view.tree.path == long:
            trees.open(short, ("pi",), "default")
        else:
            posted.put(message)

    trees = TreeReader(post)
    trees.open(long, ("pi",), "default")
    posted.get(timeout=PATIENCE)
    stopped(trees)
    (first, _, of_the_end), (second, is_whole, all_read) = order
    assert (first, second, is_whole) == (long, short, True)
    # one window of the long session, after which the read stopped, and one of the short session
    assert all_read - of_the_end <= 2


def test_a_session_that_grows_during_the_read_is_read_to_its_end(posted, long):
    def post(message):
        if not message.view.tree.is_whole:
            trees.follow(long, ("pi",), "default")
        posted.put(message)

    trees = TreeReader(post)
    trees.open(long, ("pi",), "default")
    assert [posted.get(timeout=PATIENCE).view.tree.is_whole for _ in range(2)] == [False, True]
    stopped(trees)


def test_an_unreadable_session_gives_a_reason(posted, tmp_path):
    trees = TreeReader(posted.put)
    trees.open(str(tmp_path / "gone"), ("pi",), "default")
    answer = posted.get(timeout=PATIENCE)
    assert answer.view is None
    assert answer.reason == "cannot be read: No such file or directory"
    stopped(trees)


def test_a_closed_session_posts_no_further_tree(posted, long, short, windows_read):
    def post(message):
        if message.view.tree.path == long:
            trees.close()
            trees.open(short, ("pi",), "default")
        posted.put(message)

    trees = TreeReader(post)
    trees.open(long, ("pi",), "default")
    messages = [posted.get(timeout=PATIENCE) for _ in range(2)]
    assert [(message.view.tree.path, type(message)) for message in messages] == [
        (long, TreeOpened),
        (short, TreeOpened),
    ]
    stopped(trees)


async def test_a_tree_whose_rows_were_read_is_released(long):
    tree = open_tree(long, ("pi",))
    released = threading.Event()
    reference = weakref.ref(tree, lambda _: released.set())
    rows = RowReader(lambda message: None)
    await rows.read(tree, tree.entries[:1])
    assert reference() is tree
    del tree
    assert await asyncio.to_thread(released.wait, PATIENCE)
    rows.stop()


def test_a_tree_that_grows_before_its_search_begins_is_searched_completely(posted, short, monkeypatch):
    tree, fill = open_tree(short, ("pi",)), TreeText.fill
    begun, may_go_on = threading.Event(), threading.Event()

    def fill_later(*arguments):
        begun.set()
        assert may_go_on.wait(PATIENCE)
        return fill(*arguments)

    search = TreeSearch(posted.put)
    search.search(tree, ["nothing"], 0)
    assert posted.get(timeout=PATIENCE).done
    monkeypatch.setattr(TreeText, "fill", fill_later)
    search.prepare(tree, 0)
    assert begun.wait(PATIENCE)
    search.search(tree, ["two"], 0)
    search.follow(tree, ["two"], 0)
    may_go_on.set()
    answer = posted.get(timeout=PATIENCE)
    assert ([node.id for node in answer.nodes], answer.generation, answer.done) == (["00000002"], 3, False)
    stopped(search)


USAGE = {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.001}}


@pytest.fixture
def growing(tmp_path):
    """A tree with two branches, a function that appends to its file, and one that reads its branch table."""
    path = write_session(
        tmp_path / "s.jsonl",
        header(),
        message("a", None, "user", "one", 0),
        message("b", "a", "assistant", "two", 1, usage=USAGE),
        message("c", "b", "user", "three", 2),
        message("d", "b", "user", "four", 3),
    )
    tree = open_tree(str(path))
    reader = BranchReader(lambda message: None)

    def grow(*lines):
        with path.open("a") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")
        tree.extend()

    async def table():
        return (await reader.read(tree))[0]

    yield tree, grow, table
    reader.stop()


def assert_same(table, tree):
    def values(facts):
        return [
            (branch.leaf.id, branch_text(branch), branch.tools, branch.on_active_path) for branch in facts
        ]

    assert values(table.facts) == values(Branches(tree).all())


async def test_the_totals_of_the_active_branch_grow_with_it(growing):
    tree, grow, table = growing
    first = await table()
    assert_same(first, tree)
    grow(message("e", "d", "assistant", "five", 4, usage=USAGE))
    grow(message("f", "e", "user", "six", 5))
    grown = await table()
    assert grown is first
    assert_same(grown, tree)


@pytest.mark.parametrize(
    "line",
    [
        message("e", "c", "user", "five", 4),
        message("e", "a", "user", "five", 4),
        message("e", None, "user", "five", 4),
    ],
)
async def test_a_new_branch_reads_all_branches_again(growing, line):
    tree, grow, table = growing
    first = await table()
    grow(message("x", "d", "user", "on", 4))
    grow(line)
    second = await table()
    assert second is not first
    assert_same(second, tree)


async def test_a_label_does_not_end_a_branch(growing):
    tree, grow, table = growing
    await table()
    grow(entry("label", "l", "d", 6, targetId="c", label="x"))
    assert_same(await table(), tree)


async def test_a_shared_entry_belongs_to_the_active_branch_and_a_new_one_to_that_of_its_parent(growing):
    tree, grow, _ = growing
    table = BranchTable(Branches(tree).all())
    leaves = {id: table.of(tree.by_id[id]).leaf.id for id in "abcd"}
    assert leaves == {"a": "d", "b": "d", "c": "c", "d": "d"}
    grow(message("e", "c", "user", "five", 4))
    assert table.of(tree.by_id["e"]).leaf.id == "c"
    assert table.of(None) is None
    assert BranchTable([]).of(tree.by_id["a"]) is None


async def test_the_text_of_a_branch_leaves_out_zero_values(growing):
    tree, _, _ = growing
    facts = Branches(tree).all()
    assert branch_text(facts[0]) == "branch 1 of 2 · 2 turns · 15 tokens · $0.001 · 2m 00s"
    assert (
        branch_text(facts[0], short=True, total=Spending(0.5)) == "branch 1 of 2 · 2 turns · $0.001 of $0.50"
    )
    assert branch_text(None) == ""
