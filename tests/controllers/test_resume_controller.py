"""Resuming a session, without a screen."""

from __future__ import annotations

import pytest

from app.controllers.resume_controller import ResumeController
from app.controllers.starter import Starter
from app.stores.live import LIVE, MAYBE, Verdict
from tests.controllers.fakes import (
    FakeHost,
    FakePane,
    FakePrompt,
    FakeStatusMessages,
    Recorder,
    make_plan,
    make_setup,
)
from tests.factory import make_row
from tests.view.listed import listed


class Planner(Recorder):
    """Makes the plan `made` at once."""

    made = in_use = None

    async def make_plan(self, row):
        self.calls.append(("make_plan", row))
        return self.made, self.in_use

    async def plan_start(self, row):
        self.calls.append(("plan_start", row))
        return self.made


class Resuming:
    """A controller over a list of one session."""

    def __init__(self, *dialogs, agent="pi"):
        self.row = make_row("a", ino=1, agent=agent)
        self.pane = FakePane(listed(self.row))
        self.host, self.messages, self.prompt = FakeHost(*dialogs), FakeStatusMessages(), FakePrompt()
        self.facts, self.actions = Recorder(reasons={}), Recorder()
        self.planner, self.starter = Planner(), Recorder()
        self.trees, self.reads = [], []
        self.controller = ResumeController(
            self.host,
            self.messages,
            self.prompt,
            self.pane,
            self.facts,
            self.actions,
            self.planner,
            self.starter,
            make_setup(),
            show_tree=lambda: self.trees.append(self.pane.list.row),
            read=lambda: self.reads.append(self.pane.list.row),
            changed=lambda: None,
        )

    async def answer(self, plan, in_use=None):
        self.planner.made, self.planner.in_use = plan, in_use
        self.controller.make_plan(self.row)
        await self.host.finish()
        self.planner.calls.clear()

    def bar(self):
        return "".join(text for text, _ in self.controller.bar(200, shows_key=True))


async def test_enter_waits_for_the_plan():
    resuming = Resuming()
    resuming.controller.resume()
    assert resuming.host.plan is None
    plan = make_plan(resuming.row)
    await resuming.answer(plan)
    assert resuming.host.plan is plan


async def test_the_bar_has_the_command_and_then_the_reason_against_it():
    resuming = Resuming()
    assert not resuming.bar().strip()
    await resuming.answer(make_plan(resuming.row))
    assert resuming.bar().strip() == "Enter runs pi --session a in /work/app"
    await resuming.answer(make_plan(resuming.row, "pi is not installed"))
    assert "! Cannot resume: pi is not installed. Enter: details and ways out." in resuming.bar()


@pytest.mark.parametrize(
    ("answer", "ends"), [("resume", True), (None, False), ("fork", False), ("read", False)]
)
async def test_a_plan_with_a_question_opens_a_dialog(answer, ends):
    resuming = Resuming(answer)
    plan = make_plan(resuming.row, asks=("pi may have it open",))
    await resuming.answer(plan)
    resuming.controller.resume()
    await resuming.host.finish()
    assert resuming.host.dialogs[0].standing.reason == "pi may have it open"
    assert (resuming.host.plan is plan) == ends
    assert resuming.actions.calls == ([("fork_to_resume", resuming.row)] if answer == "fork" else [])
    assert resuming.trees == ([resuming.row] if answer == "read" else [])


async def test_a_session_that_was_moved_during_the_dialog_is_planned_anew():
    def move(dialog):
        moved = make_row("a", ino=1, path="/moved/a.jsonl")
        resuming.pane.model.apply([moved], [resuming.row.path])
        resuming.controller.sessions_changed(is_reading=False)
        return "resume"

    resuming = Resuming(move)
    await resuming.answer(make_plan(resuming.row, asks=("why",)))
    resuming.controller.resume()
    await resuming.host.finish()
    assert [name for name, row in resuming.planner.calls if row.path == "/moved/a.jsonl"] == ["make_plan"]
    assert resuming.starter.calls[0][2:] == ("/moved/a.jsonl", "a", resuming.row.cwd)


async def test_a_change_of_the_live_state_makes_a_new_plan():
    resuming = Resuming()
    await resuming.answer(make_plan(resuming.row))
    resuming.controller.states_changed()
    assert resuming.planner.calls == []
    resuming.pane.list.states = {resuming.row.path: "maybe"}
    resuming.controller.states_changed()
    assert resuming.controller.planned == ""
    await resuming.host.finish()
    assert resuming.planner.calls == [("make_plan", resuming.row)]
    assert resuming.controller.planned == resuming.row.path


async def test_a_requested_plan_with_a_problem_is_shown():
    resuming = Resuming()
    starter = Starter(resuming.host, resuming.messages, resuming.planner)
    resuming.planner.made = make_plan(resuming.row, "no such program")
    starter.start_new(resuming.row)
    await resuming.host.finish()
    assert (resuming.messages.errors, resuming.host.plan) == (["No such program"], None)
    resuming.planner.made = plan = make_plan(resuming.row)
    starter.start_new(resuming.row)
    await resuming.host.finish()
    assert resuming.host.plan is plan


async def test_the_command_is_copied_once_it_is_known():
    resuming = Resuming()
    resuming.controller.copy_command()
    assert resuming.messages.copies == []
    plan = make_plan(resuming.row)
    await resuming.answer(plan)
    assert resuming.messages.copies == [plan.shell]


@pytest.mark.parametrize(
    ("answer", "actions", "resumes", "reads"),
    [
        ("fork", ["fork_and_resume"], False, 0),
        ("open", [], True, 0),
        ("read", [], False, 1),
        (None, [], False, 0),
    ],
)
async def test_a_session_that_may_be_open_asks_once(answer, actions, resumes, reads):
    resuming = Resuming(answer)
    plan = make_plan(resuming.row, asks=("it may be in use",))
    await resuming.answer(plan, in_use=Verdict(MAYBE, "pi runs in the same folder", 4822))
    bar = resuming.bar()
    assert "◐ May be open in pi (pid 4822 runs in /work/app). Enter asks first." in bar
    resuming.controller.resume()
    await resuming.host.finish()
    assert resuming.actions.names() == actions
    assert (resuming.host.plan is plan) == resumes
    assert len(resuming.reads) == reads


async def test_a_session_that_is_open_for_certain_says_what_enter_offers():
    resuming = Resuming()
    plan = make_plan(resuming.row, asks=("it is in use",))
    await resuming.answer(plan, in_use=Verdict(LIVE, "process 7 (pi) has it open", 7))
    assert "● Open in pi (pid 7). Enter asks: fork, read, cancel." in resuming.bar()


@pytest.mark.parametrize(
    ("agent", "state", "answers"),
    [
        ("pi", LIVE, ["fork", "read", "open"]),
        ("pi", MAYBE, ["fork", "open", "read"]),
        ("claude", LIVE, ["read", "open"]),
        ("codex", MAYBE, ["read", "open"]),
    ],
)
async def test_a_fork_is_offered_for_an_agent_that_has_forks(agent, state, answers):
    resuming = Resuming(None, agent=agent)
    plan = make_plan(resuming.row, asks=("it is in use",))
    await resuming.answer(plan, in_use=Verdict(state, "process 7 has it open", 7))
    assert ("fork" in resuming.bar()) == (agent == "pi" and state == LIVE)
    resuming.controller.resume()
    await resuming.host.finish()
    assert [way.answer for way in resuming.host.dialogs[0]._ways] == answers


@pytest.mark.parametrize("answer", [True, False])
async def test_with_other_marks_enter_asks_whether_to_resume_only_this_one(answer):
    resuming = Resuming()
    resuming.prompt.answers.append(answer)
    plan = make_plan(resuming.row)
    await resuming.answer(plan)
    resuming.pane.model.toggle_mark(resuming.row.path)
    resuming.controller.resume()
    assert resuming.host.plan is plan, "the only mark"
    resuming.host.plan = None
    resuming.pane.model.marked.add("/store/other.jsonl")
    resuming.controller.resume()
    await resuming.host.finish()
    assert resuming.prompt.asked == ['Resume only "a session"?']
    assert (resuming.host.plan is plan) == answer


async def test_enter_on_a_project_folds_it_also_while_sessions_are_marked():
    resuming = Resuming()
    group = resuming.pane.model.lines[0].group
    resuming.pane.list.project = group
    resuming.planner.made = make_plan(resuming.row, "the folder /p1 is gone")
    resuming.controller.plan_start()
    assert "starts a new pi session in" in resuming.bar()
    await resuming.host.finish()
    assert resuming.planner.calls == [("plan_start", resuming.row)]
    assert "! Cannot start a session: folder gone." in resuming.bar()
    folds = []
    resuming.pane.list.action_toggle_fold = lambda: folds.append(group)
    resuming.controller.resume()
    resuming.pane.model.toggle_mark(resuming.row.path)
    resuming.controller.resume()
    assert (folds, resuming.starter.calls, resuming.actions.calls) == ([group] * 2, [], [])
