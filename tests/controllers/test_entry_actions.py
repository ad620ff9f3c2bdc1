"""The actions on entries of the tree, without a screen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.controllers.entry_actions import EntryActions
from app.dialogs.labels import LabelAnswer, Labelled
from tests.controllers.fakes import FakeHost, FakePane, FakePrompt, FakeStatusMessages, Recorder, make_setup
from tests.factory import make_row
from tests.view.listed import listed


class Actions(Recorder):
    """Session actions that answer the question for a folder."""

    folder = "/elsewhere"

    async def ask_folder(self):
        return self.folder

    def requested(self):
        return [(call[1], [row.id for row in call[2]]) for call in self.calls if call[0] == "run"]

    def label(self, rows, entry_id, text, *, shown):
        self.calls.append(("run", "label", rows))


class Acting:
    """The actions on the tree of the first of two sessions."""

    def __init__(self, *answers, dialogs=(), labels=()):
        self.row = make_row("a", labels=labels)
        self.pane = FakePane(listed(self.row, make_row("b", parent_session="")))
        self.host, self.messages, self.prompt = FakeHost(*dialogs), FakeStatusMessages(), FakePrompt(*answers)
        self.node = SimpleNamespace(id="e1", label="old", offset=40, row_text=None)
        tree = SimpleNamespace(path=self.row.path, is_whole=True)
        self.tree = SimpleNamespace(
            node=self.node, damaged=None, spot=self.node, view=SimpleNamespace(tree=tree)
        )
        self.actions, self.jobs, self.places = Actions(), Recorder(), []
        self.entries = EntryActions(
            self.host,
            self.messages,
            self.prompt,
            self.pane,
            self.tree,
            self.actions,
            self.jobs,
            make_setup(),
            show_entry=self.places.append,
            follow_view=lambda: True,
        )


def test_nothing_is_done_while_the_tree_is_that_of_another_session():
    acting = Acting()
    acting.tree.view.tree.path = "/another.jsonl"
    acting.entries.fork_here()
    acting.entries.compare()
    assert acting.actions.requested() == []
    assert acting.messages.errors == ["the session is still being read"] * 2


def test_an_entry_without_an_id_can_only_be_read():
    acting = Acting()
    acting.node.id = None
    assert acting.entries.target() is None
    assert "have no ids" in acting.messages.errors[0]
    assert acting.entries.shown_row() is acting.row


@pytest.mark.parametrize(("text", "requested"), [("new", [("label", ["a"])]), ("old", []), (None, [])])
async def test_only_another_label_is_written(text, requested):
    acting = Acting(text)
    acting.entries.label()
    await acting.host.finish()
    assert acting.actions.requested() == requested


def test_a_label_is_not_asked_for_where_there_are_none():
    acting = Acting("new")
    acting.row.agent = "claude"
    acting.entries.label()
    assert acting.messages.errors[0].startswith("Not labelled: leafmark only reads sessions of Claude Code")
    assert acting.actions.requested() == []


async def test_a_fork_goes_to_the_chosen_folder_or_nowhere():
    acting = Acting()
    acting.entries.fork_here_to()
    await acting.host.finish()
    assert acting.actions.requested() == [("fork", ["a"])]
    acting.actions.folder = None
    acting.entries.fork_here_to()
    await acting.host.finish()
    assert len(acting.actions.requested()) == 1


@pytest.mark.parametrize("what", ["go", "clear"])
async def test_a_listed_label_can_be_visited_and_cleared(what):
    def choose(dialog):
        return LabelAnswer(what, Labelled(acting.row, "e7", "a label"))

    acting = Acting(dialogs=[choose], labels=(("e7", "a label"),))
    acting.pane.list.go_to = lambda path: path == acting.row.path
    acting.entries.show_labels()
    await acting.host.finish()
    assert acting.actions.requested() == ([("label", ["a"])] if what == "clear" else [])
    assert [place.entry_id for place in acting.places] == (["e7"] if what == "go" else [])


def test_an_entry_of_a_session_that_is_gone_is_not_gone_to():
    acting = Acting()
    acting.pane.list.go_to = lambda path: False
    acting.entries.go_to_entry("/gone.jsonl", "e1")
    assert acting.places == []
    assert acting.messages.errors == ["That session is gone"]


def test_a_session_without_forks_says_so():
    acting = Acting()
    acting.entries.other_end()
    assert acting.messages.shown == ["Nowhere to go: no fork"]
