"""Continuing from an entry, without a screen."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from app.actions.branch_options import BranchOption, BranchOptions
from app.controllers.branch_flow import BranchFlow
from app.dialogs import continue_from_here
from app.messages import Outcome
from app.sessions.errors import SessionError
from app.sessions.manager.change import Change
from app.sessions.manager.navigation import Target
from app.settings import Settings
from app.view.branch_choices import Choice
from tests.controllers.fakes import FakeHost, FakePrompt, FakeStatusMessages, Recorder, make_plan, make_setup
from tests.factory import make_row
from tests.view.listed import listed


@pytest.fixture(autouse=True)
def no_text_areas(monkeypatch):
    """A text area needs an application."""
    monkeypatch.setattr(continue_from_here, "ContinueDialog", FakeDialog)


class FakeDialog(SimpleNamespace):
    """A dialog that keeps what it was made with."""

    def __init__(self, question, **options):
        super().__init__(question=question, **options)


class Actions(Recorder):
    """Session actions that end at once with an outcome."""

    folder = "/elsewhere"

    async def run_one(self, what, row, action):
        self.calls.append((what, [row.path]))
        return self.outcome(row)

    def outcome(self, row):
        return Outcome(row, Change("file", row.path, "e1", after="/new.jsonl", after_id="new"))

    async def ask_folder(self):
        return self.folder


class Jobs(Recorder):
    """Jobs that end at once."""

    question = error = None
    summary = "the summary"

    async def find_points(self, row, entry_id):
        self.calls.append(("find_points", row, entry_id))
        if self.error is not None:
            raise self.error
        return self.question

    async def summarise(self, *arguments):
        self.calls.append(("summarise", *arguments))
        if self.summary is None:
            raise SessionError("", 0, "it exited with 1")
        return self.summary

    async def leave_draft(self, *arguments):
        self.calls.append(("leave_draft", *arguments))


class Flow:
    """A flow over a list of one session."""

    def __init__(self, *answers, text=None, left=(), takes_draft=False, problem=None, **settings):
        self.row = make_row("a", ino=1)
        self.model = listed(self.row)
        self.host, self.messages = FakeHost(*answers), FakeStatusMessages()
        self.actions, self.jobs, self.starter = Actions(), Jobs(), Recorder()
        self.resumed = []
        self.flow = BranchFlow(
            self.host,
            self.messages,
            FakePrompt(),
            self.model,
            self.actions,
            self.jobs,
            self.starter,
            make_setup(),
            Settings(**settings),
            resume=lambda: self.resumed.append(True),
        )
        option = BranchOption("", make_plan(self.row, problem))
        target = Target("e1", text)
        self.question = BranchOptions(
            self.row.path, "pi", "e1", "e9", target, False, (), (), option, option, left, takes_draft, True
        )

    async def run(self):
        """Ask, and answer all dialogs."""
        self.jobs.question = self.question
        self.flow.begin(self.row, "e1")
        await self.host.finish()
        return self.host.dialogs


async def test_without_its_program_the_text_is_left_as_a_draft():
    flow = Flow(Choice("here", text="edited"), text="as it was", takes_draft=True, problem="pi is gone")
    await flow.run()
    assert flow.jobs.calls[1:] == [("leave_draft", flow.row, "edited")]
    assert flow.starter.calls == []


async def test_after_a_failed_command_the_dialog_comes_back_with_what_was_chosen():
    async def fail(dialog):
        ended = asyncio.get_running_loop().create_future()
        dialog.end = ended.set_result
        return await ended

    chosen = Choice("here", text="edited", summary="command", instructions="be brief")
    flow = Flow(chosen, fail, Choice("here"), left=("an entry",), summary_command=("summarise",))
    flow.jobs.summary = None
    dialogs = await flow.run()
    assert dialogs[0].choice is None
    assert dialogs[2].choice == chosen
    assert flow.messages.errors == ["it exited with 1"]
    name, *about, instructions = flow.jobs.calls[-1]
    assert (name, about[:3]) == ("summarise", [flow.question, ("summarise",), flow.row.cwd])
    assert instructions == "be brief"
    assert flow.actions.calls


async def test_a_point_without_options_says_why():
    flow = Flow()
    flow.jobs.error = SessionError(flow.row.path, 0, "the entry has gone")
    await flow.run()
    assert flow.messages.errors == ["the entry has gone"]
