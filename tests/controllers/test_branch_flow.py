"""Going on from an entry, question by question, without a screen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.actions.branch_options import BranchOption, BranchOptions
from app.controllers import branch_flow
from app.controllers.branch_flow import BranchFlow
from app.messages import Outcome, PointsFound, SummaryMade
from app.sessions.errors import SessionError
from app.sessions.manager.change import Change
from app.sessions.manager.navigation import Target
from app.settings import Settings
from tests.controllers.fakes import FakeHost, FakePrompt, FakeToasts, Recorder, make_plan
from tests.factory import make_row
from tests.view.listed import listed


class Actions(Recorder):
    """Session actions that end at once with an outcome."""

    folder = "/elsewhere"

    def run(self, what, rows, action):
        self.calls.append((what, [row.path for row in rows]))
        self.flow.done(self.outcome(rows[0]))

    def outcome(self, row):
        return Outcome(row, Change("file", row.path, "e1", after="/new.jsonl", after_id="new"))

    async def ask_folder(self):
        return self.folder


class Jobs(Recorder):
    """Branch jobs whose outline is made at once; the first command fails, the second makes a summary."""

    def outline(self, question):
        self.flow.summaries.outlined("the outline")


class Flow:
    """A flow over a list of one session."""

    def __init__(self, *answers, text=None, left=(), takes_draft=False, **settings):
        self.row = make_row("a", ino=1)
        self.model = listed(self.row)
        self.host, self.toasts = FakeHost(*answers), FakeToasts()
        self.actions, self.jobs, self.starter = Actions(), Jobs(), Recorder()
        self.compared = []
        self.flow = self.actions.flow = self.jobs.flow = BranchFlow(
            self.host,
            self.toasts,
            FakePrompt(),
            self.model,
            self.actions,
            self.jobs,
            self.starter,
            Settings(**settings),
            compare=lambda: self.compared.append(True),
        )
        option = BranchOption("", make_plan(self.row))
        target = Target("e1", text)
        self.question = BranchOptions(
            self.row.path, "pi", "e1", "e9", target, False, (), (), option, option, left, takes_draft, True
        )

    async def run(self):
        """Ask, and answer all questions; the titles of the dialogs."""
        self.flow.begin(self.row, "e1")
        self.flow.found(PointsFound(self.row, self.question, ""))
        await self.host.finish()
        return [dialog._title for dialog in self.host.dialogs]


@pytest.fixture(autouse=True)
def small_text_dialogs(monkeypatch):
    """A text area needs an application."""
    monkeypatch.setattr(
        branch_flow, "TextDialog", lambda title, text, hint: SimpleNamespace(_title=title, text=text)
    )


@pytest.mark.parametrize(
    ("way", "path", "id", "folder"),
    [
        ("here", "/store/a.jsonl", "a", None),
        ("elsewhere", "/new.jsonl", "new", None),
        ("folder", "/new.jsonl", "new", "/elsewhere"),
    ],
)
async def test_the_session_is_resumed_where_the_branch_was_written(way, path, id, folder):
    flow = Flow(way)
    await flow.run()
    assert flow.actions.calls == [("go on", [flow.row.path])]
    assert flow.starter.calls == [
        ("resume", flow.row, path, id, folder or flow.row.cwd, None, ("sends", False))
    ]


@pytest.mark.parametrize("way", ["stay", "compare", "cancel", None])
async def test_no_agent_is_started_for_the_other_choices(way):
    flow = Flow(way)
    await flow.run()
    assert flow.starter.calls == []
    assert bool(flow.actions.calls) == (way == "stay")
    assert bool(flow.compared) == (way == "compare")


@pytest.mark.parametrize(("answer", "sends"), [("send", True), ("no", False)])
async def test_an_edited_text_is_copied_and_can_be_sent(answer, sends):
    flow = Flow("elsewhere", "edited", answer, text="as it was")
    await flow.run()
    assert flow.host.dialogs[1].text == "as it was"
    assert flow.toasts.copies == ["edited"]
    assert flow.starter.calls[0][-2:] == ("edited", ("sends", sends))


@pytest.mark.parametrize(
    "answers", [("here", None), ("here", "edited", None), ("here", "edited", "no", None)]
)
async def test_nothing_is_written_before_the_last_answer(answers):
    flow = Flow(*answers, text="as it was", left=("an entry",))
    titles = await flow.run()
    assert len(titles) == len(answers)
    assert flow.actions.calls == []


async def test_a_text_of_a_leaf_that_only_moves_is_left_as_a_draft():
    flow = Flow("stay", "edited", text="as it was", takes_draft=True)
    await flow.run()
    assert flow.jobs.calls[1:] == [("leave_draft", flow.row, "edited")]


async def test_a_written_summary_begins_with_the_outline():
    flow = Flow("here", "write", "my summary", left=("an entry",))
    await flow.run()
    assert flow.host.dialogs[-1].text == "the outline"
    assert flow.actions.calls


async def test_after_a_failed_command_the_summary_is_asked_for_again():
    def fail(dialog):
        dialog.dismiss = lambda result: None
        flow.flow.summaries.made(SummaryMade("", "it exited with 1"))

    flow = Flow("here", "command", fail, "none", left=("an entry",), summary_command=("summarise",))
    titles = await flow.run()
    assert titles.count("Summarize the branch you leave?") == 2
    assert flow.toasts.errors == ["it exited with 1"]
    assert "cancel" not in flow.jobs.names()
    assert flow.actions.calls


async def test_a_cancelled_command_is_ended():
    flow = Flow("here", "command", None, left=("an entry",), summary_command=("summarise",))
    await flow.run()
    assert "cancel" in flow.jobs.names()
    assert flow.actions.calls == []


async def test_a_summary_that_could_not_be_written_is_on_the_clipboard():
    flow = Flow("here", "write", "my summary", left=("an entry",))
    flow.actions.outcome = lambda row: Outcome(row, None, SessionError(row.path, 0, "no"))
    await flow.run()
    assert flow.toasts.copies == ["my summary"]
    assert flow.starter.calls == []


def test_a_point_without_options_says_why():
    flow = Flow()
    flow.flow.begin(flow.row, "e1")
    flow.flow.found(PointsFound(flow.row, None, "the entry has gone"))
    assert flow.toasts.errors == ["the entry has gone"]


def test_the_options_of_a_session_that_was_moved_are_found_again():
    flow = Flow()
    flow.flow.begin(flow.row, "e1")
    moved = make_row("a", ino=1, path="/moved/a.jsonl")
    flow.model.apply([moved], [flow.row.path])
    flow.flow.found(PointsFound(flow.row, flow.question, ""))
    assert flow.jobs.calls == [("find_points", flow.row, "e1"), ("find_points", moved, "e1")]
    assert flow.host.dialogs == []
