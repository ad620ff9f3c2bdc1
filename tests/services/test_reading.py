"""The threads that read trees and rows, without a screen."""

from __future__ import annotations

import queue
import threading
import weakref

import pytest

from app.messages.reading import RowsRead, TreeFailed, TreeOpened
from app.services import reading
from app.services.reading import BATCH, RowReader, TreeReader
from app.sessions.tree import tree_builder
from app.sessions.tree.tree import END, open_tree
from tests.factory import chain, write_session
from tests.waiting import PATIENCE


@pytest.fixture
def posted():
    return queue.Queue()


@pytest.fixture
def long(tmp_path):
    """A session that is read end first."""
    texts = [f"number {at} " + "x" * 500 for at in range(4 * END // 500)]
    return str(write_session(tmp_path / "long.jsonl", *chain(*texts, id="long")))


@pytest.fixture
def short(tmp_path):
    return str(write_session(tmp_path / "short.jsonl", *chain("one", "two", id="short")))


def failed(error):
    raise AssertionError(error)


def stopped(service):
    """End the service's thread, and wait until it has."""
    service.stop()
    service._latest._thread.join(PATIENCE)


@pytest.fixture
def windows_read(monkeypatch):
    """One more item for each window of lines that is read."""
    count = []
    windows = tree_builder.windows

    def counted(*given):
        for window in windows(*given):
            count.append(None)
            yield window

    monkeypatch.setattr(tree_builder, "windows", counted)
    monkeypatch.setattr(reading, "DRAWN", 0)
    return count


def test_the_end_of_a_long_session_comes_first_then_the_whole(posted, long):
    trees = TreeReader(posted.put, failed)
    trees.open(long, ("pi",), "default")
    end, whole = posted.get(timeout=PATIENCE), posted.get(timeout=PATIENCE)
    assert [message.view.tree.is_whole for message in (end, whole)] == [False, True]
    assert [message.generation for message in (end, whole)] == [1, 1]
    assert end.view.leaf.id == whole.view.leaf.id
    for view in (end.view, whole.view):
        near = view.nodes_around(view.leaf_row(), 100)
        assert all(node.said is not None for node in near)
    assert whole.view.tree.entries[0].said is None
    stopped(trees)


def test_another_session_does_not_wait_for_a_long_one(posted, long, short, windows_read):
    trees = TreeReader(posted.put, failed)
    order = []

    def post(message):
        order.append((message.path, message.view.tree.is_whole, len(windows_read)))
        if message.path == long:
            trees.open(short, ("pi",), "default")
        else:
            posted.put(message)

    trees._post = post
    trees.open(long, ("pi",), "default")
    posted.get(timeout=PATIENCE)
    stopped(trees)
    (first, _, of_the_end), (second, whole, all_read) = order
    assert (first, second, whole) == (long, short, True)
    # one window of the long one, at which reading stopped, and the short one
    assert all_read - of_the_end <= 2


def test_a_session_that_grows_while_it_is_read_is_read_all_the_same(posted, long):
    trees = TreeReader(posted.put, failed)

    def post(message):
        if not message.view.tree.is_whole:
            trees.follow(long, ("pi",), "default")
        posted.put(message)

    trees._post = post
    trees.open(long, ("pi",), "default")
    assert [posted.get(timeout=PATIENCE).view.tree.is_whole for _ in range(2)] == [False, True]
    stopped(trees)


def test_what_cannot_be_read_says_why(posted, tmp_path):
    trees = TreeReader(posted.put, failed)
    trees.open(str(tmp_path / "gone"), ("pi",), "default")
    answer = posted.get(timeout=PATIENCE)
    assert isinstance(answer, TreeFailed)
    assert answer.reason == "cannot be read: No such file or directory"
    stopped(trees)


def test_a_session_that_was_closed_is_not_shown(posted, long, short, windows_read):
    trees = TreeReader(posted.put, failed)

    def post(message):
        if message.path == long:
            trees.close()
            trees.open(short, ("pi",), "default")
        posted.put(message)

    trees._post = post
    trees.open(long, ("pi",), "default")
    found = [posted.get(timeout=PATIENCE) for _ in range(2)]
    assert [(message.path, type(message)) for message in found] == [(long, TreeOpened), (short, TreeOpened)]
    stopped(trees)


def test_rows_come_in_batches_and_the_last_one_says_so(posted, long):
    tree = open_tree(long, ("pi",))
    rows = RowReader(posted.put, failed)
    rows.read(tree, tree.entries[: 2 * BATCH + 1])
    found = [posted.get(timeout=PATIENCE) for _ in range(3)]
    assert [(type(message), message.more) for message in found] == [
        (RowsRead, True),
        (RowsRead, True),
        (RowsRead, False),
    ]
    assert all(node.said is not None for node in tree.entries[: 2 * BATCH + 1])
    stopped(rows)


def test_a_tree_whose_rows_were_read_is_let_go(posted, long):
    tree = open_tree(long, ("pi",))
    gone = threading.Event()
    seen = weakref.ref(tree, lambda _: gone.set())
    rows = RowReader(posted.put, failed)
    rows.read(tree, tree.entries[:1])
    posted.get(timeout=PATIENCE)
    assert seen() is tree
    del tree
    assert gone.wait(PATIENCE)
    stopped(rows)


def test_rows_that_nobody_waits_for_any_more_are_not_read(posted, long):
    tree = open_tree(long, ("pi",))
    rows = RowReader(posted.put, failed)

    def post(message):
        if message.generation == 1:
            rows.read(tree, tree.entries[-1:])
        posted.put(message)

    rows._post = post
    rows.read(tree, tree.entries[: 4 * BATCH])
    found = [posted.get(timeout=PATIENCE) for _ in range(2)]
    assert [message.generation for message in found] == [1, 2]
    assert tree.entries[BATCH].said is None
    stopped(rows)
