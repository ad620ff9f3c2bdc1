"""One tree of a session for all parts of a process."""

from __future__ import annotations

import json
import weakref
from threading import Event, Thread

import pytest

from app.formats import Cancelled
from app.services.transcript_outline import outline_of
from app.sessions import open_path, open_tree, shared_tree
from app.sessions.tree import tree as trees
from tests.factory import chain, header, message, write_session
from tests.waiting import PATIENCE


def test_a_session_that_two_read_is_in_memory_once_and_each_learns_what_is_new(tmp_path):
    path = write_session(tmp_path / "s.jsonl", *chain("one", "two", id="s"))
    first, second = shared_tree(str(path), ("pi",)), shared_tree(str(path), ("pi",))
    assert first is second
    known = len(first.entries)
    with path.open("a") as file:
        file.write(json.dumps(message("new", None, "user", "three")) + "\n")
    assert [node.id for node in first.extend(known)] == ["new"]
    assert [node.id for node in second.extend(known)] == ["new"]
    assert second.extend(known + 1) == []
    path.write_text("".join(json.dumps(line) + "\n" for line in chain("other", "words", id="s")))
    assert shared_tree(str(path), ("pi",)) is not first
    weak = weakref.ref(first)
    del first, second
    assert weak() is None


def test_a_path_gets_the_entries_that_another_thread_read(tmp_path):
    path = write_session(tmp_path / "s.jsonl", *chain("one", "two", id="s"))
    reader = open_path(str(path))
    leaf = reader.tree.leaf
    assert leaf is not None
    with path.open("a") as file:
        file.write(json.dumps(message("new", leaf.id, "user", "three")) + "\n")
    assert shared_tree(str(path)) is reader.tree
    reader.look_again()
    assert [node.id for node in reader.below(5)] == ["new"]


def test_a_tree_that_is_not_wanted_is_not_waited_for(tmp_path, monkeypatch):
    path = str(write_session(tmp_path / "s.jsonl", *chain("one", "two", id="s")))
    begun, go_on = Event(), Event()
    real_open = trees.open_tree

    def slow(*arguments):
        begun.set()
        go_on.wait(PATIENCE)
        return real_open(*arguments)

    monkeypatch.setattr(trees, "open_tree", slow)
    thread = Thread(target=shared_tree, args=(path,))
    thread.start()
    assert begun.wait(PATIENCE)
    with pytest.raises(Cancelled):
        shared_tree(path, (), lambda: False)
    go_on.set()
    thread.join()


def test_the_prompts_of_a_path_that_is_not_in_the_order_of_the_file_are_counted(tmp_path):
    lines = [
        header(),
        message("b", "a", "assistant", "answer"),
        message("a", None, "user", "first"),
        message("c", "b", "user", "second"),
    ]
    tree = open_tree(str(write_session(tmp_path / "s.jsonl", *lines)))
    prompts = outline_of(tree, None).prompts
    assert [prompts.up_to(tree.by_id[entry].offset) for entry in "abc"] == [1, 1, 2]
    assert prompts.up_to(10_000) == 0
