"""The history without a screen: what is blocked, its order, and its words."""

from __future__ import annotations

from app.actions.history import HistoryStep, history
from app.actions.journal import Journal
from app.sessions import Change
from app.view import history_line, words_of_action
from tests.factory import NOW, make_row


def name(before, after, id="s1"):
    return Change("name", f"/store/{id}.jsonl", "e", before, after, agent="pi", session_id=id)


def test_undone_steps_stand_above_in_the_order_of_redo(tmp_path):
    journal = Journal(str(tmp_path))
    numbers = [journal.record(name(before, after)) for before, after in ((None, "a"), ("a", "b"), ("b", "c"))]
    for number, back in ((numbers[2], name("c", "b")), (numbers[1], name("b", "a"))):
        journal.mark_undone(number, back)
    steps = history(journal, [make_row("s1", name="a")], ())
    assert [(step.state, step.action) for step in steps] == [("undone", 3), ("undone", 2), ("done", 1)]
    assert [step.action for step in steps if step.is_undone][-1] == journal.redoable()[0][0].action


def test_a_step_that_another_program_blocks_says_so_and_older_ones_are_judged_without_it(tmp_path):
    journal = Journal(str(tmp_path))
    pin = Change("pin", "/pins", "", None, "pinned", agent="omp", session_id="s2")
    for change in (name(None, "a"), name("a", "b"), pin, name(None, "x", "gone")):
        journal.record(change)
    rows = [make_row("s1", name="theirs"), make_row("s2", agent="omp", title="Move it")]
    newest, pinned, *names = history(journal, rows, ())
    assert (newest.state, newest.reason) == ("blocked", "the session is gone")
    assert (pinned.state, pinned.reason, pinned.title) == (
        "blocked",
        "changed by oh-my-pi since",
        "Move it",
    )
    assert [(step.state, step.reason) for step in names] == [
        ("blocked", "changed by pi since"),
        ("done", ""),
    ]
    assert [step.state for step in history(journal, rows, {("omp", "s2")})][1] == "done"


def test_a_reason_that_was_reported_stays_in_the_history(tmp_path):
    journal = Journal(str(tmp_path))
    number = journal.record(name(None, "a"))
    journal.mark_failed(number, "an entry stays", can_retry=False)
    (step,) = history(journal, [make_row("s1", name="a")], ())
    assert (step.state, step.reason) == ("blocked", "an entry stays")


def test_a_session_that_left_the_trash_blocks_its_undo(tmp_path):
    path, lying = tmp_path / "s.jsonl", tmp_path / "trash.jsonl"
    journal = Journal(str(tmp_path / "state"))
    journal.record(
        Change(
            "trash", str(path), "", str(path), str(lying), moves=((str(path), str(lying)),), session_id="s"
        )
    )
    (step,) = history(journal, [], ())
    assert (step.state, step.reason) == ("blocked", "not in the trash any more")
    lying.write_text("")
    assert history(journal, [], ())[0].state == "done"


def test_words_and_lines_are_inert_and_fit():
    hostile = "bad\x1b[31m\u202ename"
    cases = {
        'Rename "a" to "b"': [name("a", "b")],
        'Clear the name of "a title"': [name("a", None)],
        "Trash 2 sessions": [Change("trash", "/a", "", "/a", "/t")] * 2,
        'Label "x" on a title': [Change("label", "/a", "e", None, "x")],
        'Restore "a title"': [Change("trash", "/a", "", "/a", "/t"), Change("restore", "/a", "", "/t", "/a")],
        'Unpin "a title"': [Change("pin", "/a", "", "pinned", None)],
    }
    for words, changes in cases.items():
        assert words_of_action(changes, "a title") == words
    step = HistoryStep("blocked", 1, NOW, [name(hostile, hostile)], hostile, hostile)
    for cells in (20, 40, 76):
        line = history_line(step, cells, NOW, "z undo")
        text = "".join(part for part, _ in line)
        assert not {"\x1b", "\u202e"} & set(text)
