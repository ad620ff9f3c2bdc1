"""Questions name their sessions, at any width."""

from __future__ import annotations

from app.sessions import Change
from app.view import delete_question, earlier_question, new_question, trash_question
from app.view.cells import width
from tests.cases import cases


def test_the_question_names_a_single_session_and_says_if_it_is_not_shown():
    assert trash_question(["Refactor"], 80, hidden=0) == 'Trash "Refactor"?'
    assert trash_question(["Refactor"], 80, hidden=1) == 'Trash "Refactor", which is not shown?'
    assert trash_question(["Refactor all of it"], 36, hidden=1) == 'Trash "Refactor all of…", not shown?'
    assert delete_question(["Refactor"], 80, hidden=0) == 'No trash: delete for good "Refactor"?'
    assert delete_question(["Refactor"], 36, hidden=0) == 'Delete for good "Refactor"?'


def test_the_question_counts_several_sessions_and_those_not_shown():
    several = ["a"] * 12
    assert trash_question(several, 80, hidden=0) == "Trash 12 sessions?"
    assert trash_question(several, 80, hidden=10) == "Trash 12 sessions, 10 of them not shown?"
    assert trash_question(several, 80, hidden=12) == "Trash 12 sessions, none of them shown?"
    assert trash_question(several, 36, hidden=12) == "Trash 12, 12 not shown?"
    assert delete_question(several, 36, hidden=3) == "Delete for good 12, 3 not shown?"


def test_the_question_has_size_and_folders_of_artifacts_if_they_fit():
    facts = {"size": "212 kB", "folders": 1}
    several = ["a"] * 3
    assert trash_question(several, 60, hidden=0, **facts) == "Trash 3 sessions (212 kB, 1 artifact folder)?"
    assert trash_question(several, 40, hidden=0, **facts) == "Trash 3 sessions (212 kB)?"
    needed = trash_question(several, 60, hidden=0, size="212 kB", dependents=2)
    assert needed == "Trash 3 sessions (212 kB, 2 sessions need them)?"
    assert trash_question(["Refactor"], 40, hidden=0, size="2 kB", dependents=1).endswith(
        "(1 session needs it)?"
    )
    assert trash_question(several, 20, hidden=0, **facts) == "Trash 3 sessions?"
    assert trash_question(several, 60, hidden=2, size="9 B") == "Trash 3 sessions, 2 of them not shown (9 B)?"
    assert trash_question(["Refactor"], 60, hidden=0, size="9 B", folders=2) == (
        'Trash "Refactor" (9 B, 2 artifact folders)?'
    )
    assert trash_question(["Refactor"], 20, hidden=0, **facts) == 'Trash "Refactor"?'


def test_the_question_about_a_new_session_names_agent_and_folder():
    assert new_question("pi", "~/work", 80) == "Close leafmark and start a new pi session in ~/work?"
    assert new_question("pi", "~/work", 36) == "Start a new pi session in ~/work?"
    assert new_question("indusagi", "~/work/" + "x" * 90, 36) == "Start a new indusagi session?"
    assert new_question("pi", "", 80) == "Start a new pi session?"
    for cells in range(36, 120):
        assert width(new_question("indusagi", "漢字" * 30, cells)) <= cells


@cases("hidden", [0, 1])
@cases("titles", [["a title of some words " * 5], ["漢字" * 30], ["x"] * 5_000])
@cases("cells", [36, 56, 76, 116])
def test_no_question_is_longer_than_its_line(titles, hidden, cells):
    hidden *= len(titles)
    assert width(trash_question(titles, cells, hidden=hidden, size="212 kB", folders=3)) <= cells
    assert width(delete_question(titles, cells, hidden=hidden)) <= max(cells, 42)


def test_titles_in_questions_are_inert():
    assert "\x1b" not in trash_question(["a\x1b[31m\nb"], 80, hidden=0)


def change(kind, **about):
    return Change(kind, "/s", "", **about)


@cases(
    ("done", "words"),
    [
        (change("trash", after="/t"), 'trash "Refactor"'),
        (change("restore", after="/s"), 'restore "Refactor"'),
        (change("name", after="x"), 'rename "Refactor"'),
        (change("name", before="x"), 'clear the name of "Refactor"'),
        (change("pin", before="pinned"), 'unpin "Refactor"'),
        (change("label", before="x"), 'remove a label in "Refactor"'),
        (change("leaf"), 'move the leaf of "Refactor"'),
        (change("file", session_id="a", after_id="b"), 'create "Refactor"'),
        (change("file", session_id="a", after_id="a"), 'restore "Refactor"'),
    ],
)
def test_the_question_about_an_earlier_action_names_it_and_its_age(done, words):
    assert earlier_question([done], "Refactor", "2h", 80) == f"Undo: {words} (2h ago)?"
    assert earlier_question([done] * 3, "", "now", 80).startswith("Undo: ")
    assert earlier_question([done] * 3, "", "now", 80).endswith(" 3 sessions (just now)?")


def test_the_question_about_an_earlier_action_is_shorter_in_a_narrow_line():
    trashed = [change("trash", after="/t")]
    assert (
        earlier_question(trashed, "Refactor and rename", "2h", 36) == 'Undo: trash "Refactor an…" (2h ago)?'
    )
