"""The actions on sessions, without a screen: what they ask, and what they hand to the runner."""

from __future__ import annotations

import pytest
from leafmark import SessionError

from app.controllers.session_actions import SessionActions
from app.messages import ActionsDone, ActionsProgressed, Outcome
from app.sessions import Change
from app.sessions.errors import NoTrash
from app.settings import Settings
from app.stores.live import LIVE, MAYBE
from app.view.notifications import ActionProgress
from tests.controllers.fakes import FakeHost, FakePane, FakePrompt, FakeStatusMessages, Recorder, make_setup
from tests.factory import make_row
from tests.view.listed import listed


class Acting:
    """The actions on a list of two sessions; the cursor is on the first."""

    def __init__(self, *answers, dialogs=(), settings=None):
        self.rows = [make_row("a", name="Alpha"), make_row("b", name="Beta")]
        self.model = listed(*self.rows)
        self.pane = FakePane(self.model)
        self.host, self.messages, self.prompt = FakeHost(*dialogs), FakeStatusMessages(), FakePrompt(*answers)
        self.facts, self.runner, self.starter = Recorder(reasons={}), Recorder(), Recorder()
        self.actions = SessionActions(
            self.host,
            self.messages,
            self.prompt,
            self.pane,
            self.facts,
            self.runner,
            self.starter,
            make_setup(),
            settings or Settings(),
        )

    def requested(self):
        """(action, ids of sessions) that the runner got."""
        return [(call[1], [row.id for row in call[2]]) for call in self.runner.calls if call[0] == "do"]


@pytest.mark.parametrize(("answer", "requested"), [(True, [("trash", ["a"])]), (False, [])])
async def test_the_session_under_the_cursor_is_trashed_after_a_question(answer, requested):
    acting = Acting(answer)
    acting.actions.trash()
    await acting.host.finish()
    assert '"Alpha"' in acting.prompt.asked[0]
    assert acting.requested() == requested


async def test_the_marked_sessions_are_trashed_and_a_live_one_stays():
    acting = Acting(True)
    acting.model.toggle_mark(acting.rows[0].path)
    acting.model.toggle_mark(acting.rows[1].path)
    acting.pane.list.states = {acting.rows[0].path: LIVE}
    acting.facts.reasons = {acting.rows[0].path: "process 7 has it open"}
    acting.actions.trash()
    await acting.host.finish()
    assert acting.messages.errors == ['Not trashed: process 7 has it open – "Alpha"']
    assert acting.requested() == [("trash", ["b"])]


def test_the_settings_can_switch_the_question_off():
    acting = Acting(settings=Settings(ask_before_trash=False))
    acting.actions.trash()
    assert acting.requested() == [("trash", ["a"])]


async def test_a_session_that_may_be_open_is_asked_about_all_the_same():
    acting = Acting(dialogs=["trash"], settings=Settings(ask_before_trash=False))
    acting.pane.list.states = {acting.rows[0].path: MAYBE}
    acting.facts.reasons = {acting.rows[0].path: "pi runs in its folder"}
    acting.actions.trash()
    await acting.host.finish()
    assert acting.requested() == [("trash anyway", ["a"])]


@pytest.mark.parametrize(
    ("answer", "requested"),
    [("keep", []), (None, []), ("others", [("trash", ["b"])]), ("trash", [("trash anyway", ["a", "b"])])],
)
async def test_of_several_sessions_those_that_no_agent_has_open_can_be_trashed_alone(answer, requested):
    acting = Acting(dialogs=[answer])
    for row in acting.rows:
        acting.model.toggle_mark(row.path)
    acting.pane.list.states = {acting.rows[0].path: MAYBE}
    acting.actions.trash()
    await acting.host.finish()
    assert acting.requested() == requested


async def test_the_question_counts_folders_of_artifacts_in_another_thread(tmp_path):
    acting = Acting(True)
    session = tmp_path / "sessions" / "-work" / "a.jsonl"
    (session.parent / "a").mkdir(parents=True)
    (session.parent / "a" / "1.log").write_bytes(b"x" * 4_000)
    row = make_row("a", name="Alpha", path=str(session), size=2_000)
    acting.model.apply([row], [each.path for each in acting.rows])
    asked = []

    async def confirm(question, about=None):
        asked.append(question.text(80))
        await acting.prompt.renewed.wait()
        asked.append(question.text(80))
        return False

    acting.prompt.confirm = confirm
    acting.actions.trash()
    await acting.host.finish()
    assert asked == ['Trash "Alpha" (2.0 kB)?', 'Trash "Alpha" (6.0 kB, 1 artifact folder)?']


async def test_without_a_trash_there_is_a_question_before_deleting():
    acting = Acting(True)
    row = acting.rows[0]
    acting.actions.done(ActionsDone("trash", [Outcome(row, None, NoTrash(row.path, 0, "no trash"))], []))
    await acting.host.finish()
    assert "no trash" in acting.messages.errors[0]
    assert "for good" in acting.prompt.asked[0]
    assert acting.requested() == [("delete", ["a"])]


async def test_nothing_is_asked_while_another_dialog_has_the_keys():
    acting = Acting()
    acting.host.is_active = False
    row = acting.rows[0]
    acting.actions.done(ActionsDone("trash", [Outcome(row, None, NoTrash(row.path, 0, "no trash"))], []))
    await acting.host.finish()
    assert acting.prompt.asked == []


@pytest.mark.parametrize(("name", "requested"), [("Gamma", [("rename", ["a"])]), ("Alpha", []), (None, [])])
async def test_only_another_name_is_written(name, requested):
    acting = Acting(name)
    acting.actions.rename()
    await acting.host.finish()
    assert acting.requested() == requested


async def test_a_fork_to_be_resumed_is_resumed_in_its_folder():
    acting = Acting(dialogs=["/elsewhere"])
    row = acting.rows[0]
    acting.actions.fork_to_resume(row)
    await acting.host.finish()
    assert acting.requested() == [("fork and resume", ["a"])]
    made = Change("file", "/new.jsonl", "", after="/new.jsonl", after_id="new")
    acting.actions.done(ActionsDone("fork and resume", [Outcome(row, made)], []))
    assert acting.starter.calls == [("resume", row, "/new.jsonl", "new", "/elsewhere")]


@pytest.mark.parametrize("answer", [True, False])
async def test_a_new_session_begins_after_a_question(answer):
    acting = Acting(answer)
    acting.actions.new_session()
    await acting.host.finish()
    assert acting.starter.names() == ["start_new"] * answer


def test_a_done_action_unmarks_its_sessions_and_leaves_failed_ones_marked():
    acting = Acting()
    for row in acting.rows:
        acting.model.toggle_mark(row.path)
    first, second = acting.rows
    pinned = Outcome(first, Change("pin", first.path, "", after="on"))
    acting.actions.done(ActionsDone("pin", [pinned, Outcome(second, None, SessionError("", 0, "no"))], []))
    assert acting.model.marked == {second.path}
    assert len(acting.messages.errors) == 1
    assert acting.messages.errors == ['Not pinned: no – "Beta"']
    assert acting.facts.names() == ["read_pins", "read_journal"]


def test_an_action_on_several_sessions_can_be_stopped_while_it_runs():
    acting = Acting()
    assert not acting.actions.stop_running()
    progress = ActionProgress("trash")
    progress.done, progress.total = 3, 9
    acting.actions.progressed(ActionsProgressed(progress))
    assert "3 of 9" in acting.actions.progress_note
    assert acting.actions.stop_running()
    assert acting.runner.names() == ["stop_at_next"]
    acting.actions.progressed(ActionsProgressed(None))
    assert not acting.actions.stop_running()
