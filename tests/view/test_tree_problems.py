"""The problems of a session, with their lines."""

from __future__ import annotations

import json

from app.sessions import open_tree
from app.view import problems_of
from tests.factory import chain, entry, header, message, write_session


def faults(tmp_path, *lines):
    tree = open_tree(str(write_session(tmp_path / "s.jsonl", *lines)))
    return [(fault.line, fault.reason) for fault in problems_of(tree)]


def test_an_ordinary_session_has_no_problems(tmp_path):
    lines = [
        *chain("one", "two"),
        entry("model_change", "m", "00000002", 3, provider="p", modelId="x"),
        entry("mode_change", "n", "m", 4),
        entry("custom", "c", "n", 5, customType="session_exit"),
        message("t", "c", "toolResult", "done", 6),
    ]
    assert faults(tmp_path, *lines) == []


def test_every_problem_is_listed_with_its_line_in_file_order(tmp_path):
    lines = [
        header(),
        message("a", None, "user", "one"),
        "{ not json",
        message("b", "gone", "user", "orphan"),
        message("c", "d", "user", "round"),
        message("d", "c", "assistant", "and round"),
        message("e", "a", "user", "twin"),
        message("e", "a", "user", "twin"),
        message("f", None, "user", "root"),
        entry("future", "g", "f"),
        message("h", "g", "oracle", "role"),
        entry("label", "i", "h", targetId="missing", label="lost"),
        entry("label", "j", "i", targetId="a", label="found"),
        entry("label", "k", "j", label="on what?"),
    ]
    listed = faults(tmp_path, *lines)
    assert [line for line, _ in listed] == [3, 4, 5, 7, 8, 9, 10, 11, 12, 14]
    reasons = dict(listed)
    assert "'gone'" in reasons[4]
    assert "go round" in reasons[5]
    assert "'e' is used more than once" in reasons[7]
    assert reasons[7] == reasons[8]
    assert "another root" in reasons[9]
    assert "type 'future'" in reasons[10]
    assert "role 'oracle'" in reasons[11]
    assert "label on 'missing', which is not in the file" in reasons[12]
    assert "label on nothing" in reasons[14]


def test_an_appended_label_on_an_unknown_entry_is_listed(tmp_path):
    path = write_session(tmp_path / "s.jsonl", *chain("one", "two"))
    tree = open_tree(str(path))
    with path.open("a") as file:
        file.write(json.dumps(entry("label", "l", "00000002", targetId="gone", label="x")) + "\n")
    assert problems_of(tree) == []
    tree.extend()
    assert [(fault.line, fault.node.id) for fault in problems_of(tree)] == [(4, "l")]


def test_a_damaged_line_leads_to_the_entry_nearest_to_it(tmp_path):
    first, second = chain("one", "two")[1:]
    lines = ["{", header(), first, "{", second, "{", "{"]
    tree = open_tree(str(write_session(tmp_path / "s.jsonl", *lines)))
    near = [(fault.line, fault.node.line) for fault in problems_of(tree)]
    assert near[-3:] == [(4, 3), (6, 5), (7, 5)]


def test_problems_of_a_file_without_entries_have_no_entry(tmp_path):
    tree = open_tree(str(write_session(tmp_path / "s.jsonl", header(), "{")))
    assert [(fault.line, fault.node) for fault in problems_of(tree)] == [(2, None)]


def test_a_torn_last_line_has_the_number_after_the_complete_lines(tmp_path):
    path = write_session(tmp_path / "s.jsonl", *chain("one", "two"))
    path.write_bytes(path.read_bytes() + b'{"type":"mess')
    problems = problems_of(open_tree(str(path)))
    assert [(fault.line, fault.node.id) for fault in problems] == [(4, "00000002")]
    assert "unfinished" in problems[0].reason


def test_reasons_are_inert(tmp_path):
    listed = faults(tmp_path, header(), message("a", "\x1b[2J\u202e", "user", "one"))
    assert "\x1b" not in listed[0][1]
    assert "\u202e" not in listed[0][1]
