"""Tags and notes in leafmark's own file."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from app.actions import annotate, redo_journal_action, tag
from app.actions.journal import Journal
from app.actions.undo import CannotUndo, settle_interrupted, undo, undo_journal_action
from app.sessions import WriteFailed
from app.stores import (
    BadTag,
    Tagging,
    change_tagging,
    known_tags,
    parse_note,
    parse_tag,
    read_taggings,
    tags_path,
    tags_problem,
    with_tags,
)
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


@cases(
    ("text", "expected"),
    [("client-x", "client-x"), (" #a/b_c.d ", "a/b_c.d"), ("été", "été"), ("語", "語"), ("x" * 32, "x" * 32)],
)
def test_tags_have_letters_digits_and_four_marks(text: str, expected: str) -> None:
    assert parse_tag(text) == expected


@cases(
    ("text", "reason"),
    [
        ("", "at least one character"),
        ("#", "at least one character"),
        ("x" * 33, "at most 32 characters, not 33"),
        ("a b", "only, not ' '"),
        ("a\x1b[31m", "only, not U+001B"),
        ("a\u202eb", "only, not U+202E"),
        ("-a", "begins with a letter or a digit"),
        ("a:b", "only, not ':'"),
    ],
)
def test_other_texts_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadTag, match=re.escape(reason)):
        parse_tag(text)


def test_a_note_is_one_line_of_limited_length() -> None:
    assert parse_note("  ask\nAda \t about it ") == "ask Ada about it"
    with pytest.raises(BadTag, match="at most 2,000"):
        parse_note("x" * 2_001)


def test_changes_are_kept_by_agent_and_id_for_this_user_alone(state: str) -> None:
    for agent, id, add in (("pi", "one", ["b", "a"]), ("omp", "one", ["c"]), ("pi", "two", ["a"])):
        tag(agent, id, add, [], state)
    change = tag("pi", "one", ["d"], ["b", "never there"], state)
    assert (change.before, change.after) == ("b a", "a d")
    assert annotate("pi", "one", "a note", state).after == "a note"
    taggings = read_taggings(state)
    assert taggings["pi", "one"] == Tagging(("a", "d"), "a note")
    assert taggings["omp", "one"] == Tagging(("c",))
    assert known_tags(taggings) == {"a": 2, "c": 1, "d": 1}
    assert stat.S_IMODE(os.stat(tags_path(state)).st_mode) == 0o600
    assert tag("pi", "one", ["a"], [], state).is_nothing
    tag("omp", "one", [], ["c"], state)
    with open(tags_path(state)) as file:
        assert json.load(file)["omp"] == {}


def test_what_a_later_version_keeps_stays(state: str) -> None:
    os.makedirs(state)
    with open(tags_path(state), "w") as file:
        json.dump({"pi": {"one": {"tags": ["a", 5, "b b"], "colour": "red"}}, "newer": {"x": 1}}, file)
    assert read_taggings(state) == {("pi", "one"): Tagging(("a",))}
    tag("pi", "one", ["c"], ["a"], state)
    with open(tags_path(state)) as file:
        content = json.load(file)
    assert content == {"pi": {"one": {"tags": ["c"], "colour": "red", "note": ""}}, "newer": {"x": 1}}


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"pi": []}', b"\xff\xfe"])
def test_a_damaged_file_is_copied_before_it_is_replaced(state: str, damage: bytes) -> None:
    os.makedirs(state)
    with open(tags_path(state), "wb") as file:
        file.write(damage)
    assert read_taggings(state) == {}
    assert tags_problem(state)
    change = tag("pi", "one", ["a"], [], state)
    copy = change.note.rpartition(" ")[2]
    with open(copy, "rb") as file:
        assert file.read() == damage
    assert read_taggings(state) == {("pi", "one"): Tagging(("a",))}
    assert not tags_problem(state)


_MANY = """
import sys
from app.actions.tagging import tag
state, name = sys.argv[1:]
for number in range(20):
    tag("pi", "one", [f"{name}{number}"], [], state, patience=60)
"""


def test_two_processes_that_tag_at_once_lose_nothing(state: str) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", _MANY, state, name]) for name in ("a", "b")]
    assert [process.wait() for process in processes] == [0, 0]
    expected = {f"{name}{number}" for name in "ab" for number in range(20)}
    assert set(read_taggings(state)["pi", "one"].tags) == expected


def test_a_file_that_cannot_be_written_keeps_its_content(state: str) -> None:
    tag("pi", "one", ["a"], [], state)

    def full(now: Tagging) -> Tagging:
        raise OSError(28, os.strerror(28))

    with pytest.raises(OSError, match="space"):
        change_tagging(state, "pi", "one", full)
    os.unlink(f"{tags_path(state)}.lock") if os.path.exists(f"{tags_path(state)}.lock") else None
    os.mkdir(f"{tags_path(state)}.lock")
    with pytest.raises(WriteFailed):
        tag("pi", "one", ["b"], [], state, patience=0)
    assert read_taggings(state) == {("pi", "one"): Tagging(("a",))}


def test_undo_and_redo_keep_what_was_tagged_since(state: str, tmp_path: Path) -> None:
    env, journal = {"HOME": str(tmp_path)}, Journal(state)
    number = journal.record(tag("pi", "one", ["a", "b"], [], state))
    noted = journal.record(annotate("pi", "one", "first", state))
    change_tagging(state, "pi", "one", lambda now: with_tags(now, ["theirs"], []))
    undo_journal_action(journal, noted, env, [], state)
    undo_journal_action(journal, number, env, [], state)
    assert read_taggings(state)["pi", "one"] == Tagging(("theirs",))
    for _ in range(2):
        redo_journal_action(journal, journal.redoable()[0][0].action, env, [], state)
    assert read_taggings(state)["pi", "one"] == Tagging(("theirs", "a", "b"), "first")


def test_undo_is_refused_if_there_is_nothing_to_undo(state: str, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    tagged, noted = tag("pi", "one", ["a"], [], state), annotate("pi", "one", "mine", state)
    tag("pi", "one", [], ["a"], state)
    annotate("pi", "one", "theirs", state)
    with pytest.raises(CannotUndo, match="the tags are others by now"):
        undo(tagged, env, state_folder=state)
    with pytest.raises(CannotUndo, match="the note is another by now"):
        undo(noted, env, state_folder=state)
    assert read_taggings(state)["pi", "one"].note == "theirs"


def test_a_tag_of_a_process_that_was_killed_is_recorded(state: str, tmp_path: Path) -> None:
    journal = Journal(state)
    with journal.intend():
        tag("pi", "one", ["a"], [], state)
        # it was killed here
    settle_interrupted(journal, {"HOME": str(tmp_path)}, [], state)
    assert [entry.change.after for entry in journal.active()] == ["a"]
