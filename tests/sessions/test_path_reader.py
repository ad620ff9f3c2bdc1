"""A path that is read from the file's end equals the path of the tree."""

from __future__ import annotations

import json
import os
import random

import pytest

from app.formats import Cancelled
from app.sessions import Changed, open_path, open_tree
from app.sessions.tree import FIRST_ENTRY, EntryRef
from app.sessions.tree import tree as trees
from tests.cases import cases
from tests.factory import chain, entry, header, message, write_session
from tests.sessions.lines import handed_out


def all_of(path, most=3):
    """Return the ids of all entries of a path, in order."""
    return [node.id for node in handed_out(path, most)]


def grown(at_random, entries):
    """Return a session with many branches."""
    lines = [header()]
    ids: list[str] = []
    for number in range(entries):
        goes_back = ids and at_random.random() < 0.2
        parent = at_random.choice(ids) if goes_back else ids[-1] if ids else None
        ids.append(f"e{number}")
        lines.append(message(ids[-1], parent, "user", "x" * at_random.randrange(300)))
    return lines


def expected(tree, node):
    """Return the ids of the path through an entry, found in the tree."""
    active = tree.active_path()
    if node in active:
        return [each.id for each in active]
    for leaf in tree.entries:
        steps, at = [], leaf
        while at is not None:
            steps.append(at)
            at = at.parent
        if not leaf.children and node in steps:
            return [each.id for each in reversed(steps)]
    raise AssertionError(node)


@cases("seed", range(6))
def test_every_path_equals_that_of_the_tree(tmp_path, short_end, seed):
    file = str(write_session(tmp_path / "s.jsonl", *grown(random.Random(seed), 40)))
    tree = open_tree(file)
    assert all_of(open_path(file)) == [node.id for node in tree.active_path()]
    for node in tree.entries:
        path = open_path(file, anchor=EntryRef(node.id, node.offset))
        assert path.found
        assert path.start.id == node.id
        assert all_of(path) == expected(tree, node)
        assert path.total == len(expected(tree, node))


@cases("most", [1, 7, 100])
def test_a_linear_session_is_read_from_its_end_and_from_its_middle(tmp_path, short_end, most):
    file = str(write_session(tmp_path / "s.jsonl", *chain(*(f"text {n}" for n in range(50)))))
    tree = open_tree(file)
    ids = [node.id for node in tree.entries]
    path = open_path(file, entries=50)
    assert not path.tree.is_whole
    assert path.total == 50
    for anchor in (None, FIRST_ENTRY, EntryRef(ids[20], tree.entries[20].offset)):
        path = open_path(file, anchor=anchor)
        assert all_of(path, most) == ids
        assert path.total == 50


@cases(
    "lines",
    [
        [header()],
        [header(), message("b", "a", "user", "child first"), message("a", None, "user", "parent")],
        [header(), message("b", "gone", "user", "orphan"), message("c", "b", "user", "x")],
        [header(), message("a", "a", "user", "its own parent"), message("c", "a", "user", "x")],
        [header(), message("a", None, "user", "1"), "damaged {", message("b", "a", "user", "2"), "", "[]"],
        [header(), entry("custom", "a", None, customType="x"), message("a", "a", "user", "twice")],
        [{**header(), "version": 1}, {"type": "message", "message": {"role": "user", "content": "hi"}}],
    ],
)
def test_paths_of_odd_files_equal_those_of_the_tree(tmp_path, short_end, lines):
    file = str(write_session(tmp_path / "s.jsonl", *lines))
    assert all_of(open_path(file)) == [node.id for node in open_tree(file).active_path()]


@pytest.mark.parametrize("tail", ["", '{"type":"mess', json.dumps(message("z", "00000002", "user", "last"))])
def test_an_unfinished_last_line_is_read_like_the_tree(tmp_path, short_end, tail):
    file = write_session(tmp_path / "s.jsonl", *chain("a", "b"))
    with file.open("a") as out:
        out.write(tail)
    path = open_path(str(file))
    assert all_of(path) == [node.id for node in open_tree(str(file)).active_path()]


def append(file, line):
    with open(file, "a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")


@cases("end", [600, 1 << 20])
def test_appended_entries_follow(tmp_path, monkeypatch, end):
    monkeypatch.setattr(trees, "END_BYTES", end)
    file = str(write_session(tmp_path / "s.jsonl", *chain(*"abcdefghijklmnopqrst")))
    path = open_path(file)
    assert path.tree.is_whole is (end > 600)
    path.look_again()
    assert path.at_end
    append(file, message("c", path.start.id, "user", "more"))
    path.look_again()
    assert [node.id for node in path.below(9)] == ["c"]
    append(file, message("d", path.start.id, "user", "another branch"))
    with pytest.raises(Changed):
        path.look_again()


def test_an_append_to_another_branch_changes_no_path(tmp_path):
    lines = [header(), message("a", None, "user", "1"), message("b", "a", "user", "2")]
    file = str(write_session(tmp_path / "s.jsonl", *lines, message("c", "a", "user", "3")))
    path = open_path(file, anchor=EntryRef("b", -1))
    append(file, message("d", "c", "user", "4"))
    path.look_again()
    assert path.below(9) == []
    assert path.at_end
    append(file, message("e", "b", "user", "5"))
    path.look_again()
    assert [node.id for node in path.below(9)] == ["e"]


def test_a_rewritten_file_raises(tmp_path, short_end):
    file = write_session(tmp_path / "s.jsonl", *chain(*"abcdefghijklmnopqrst"))
    path = open_path(str(file))
    other = write_session(tmp_path / "other.jsonl", *chain(*"bcdefghijklmnopqrstu"))
    os.replace(other, file)
    with pytest.raises(Changed):
        path.look_again()
    with pytest.raises(Changed):
        path.above(30)


def test_a_cancelled_read_raises(tmp_path, short_end):
    file = str(write_session(tmp_path / "s.jsonl", *chain(*"abcdefghijklmnopqrst")))
    going = [True]
    path = open_path(file, keep_going=lambda: going[0])
    going[0] = False
    with pytest.raises(Cancelled):
        path.above(30)


def test_the_end_of_a_long_session_is_read_without_the_rest(tmp_path):
    count = 80_000
    with open(tmp_path / "s.jsonl", "w", encoding="utf-8") as out:
        out.write(json.dumps(header()) + "\n")
        for number in range(count):
            parent = f"{number - 1:08x}" if number else None
            out.write(json.dumps(message(f"{number:08x}", parent, "user", "word " * 20)) + "\n")
    path = open_path(str(tmp_path / "s.jsonl"))
    found = [path.start, *path.above(100)]
    assert [node.id for node in found] == [f"{count - 1 - back:08x}" for back in range(101)]
    assert not path.tree.is_whole


def test_a_long_text_above_the_end_is_not_read(tmp_path):
    lines = chain("x" * 10_000_000, *(f"text {number}" for number in range(200)))
    path = open_path(str(write_session(tmp_path / "s.jsonl", *lines)))
    assert len(path.above(100)) == 100
    assert not path.tree.is_whole
