"""The bars outside the panes, without a screen."""

from __future__ import annotations

from app.controllers.status_bars import StatusBars
from app.keys import footer
from tests.cases import cases
from tests.controllers.fakes import FakeHost, FakePane, FakePrompt, Recorder, make_setup
from tests.factory import make_row
from tests.view.listed import listed


class Bars:
    """The bars over a list of two sessions."""

    def __init__(self, *rows):
        self.pane = FakePane(listed(*rows))
        self.feed = Recorder(unread=(0, 0), cache_problem="", activity="")
        self.actions = Recorder(progress_note="")
        self.shown = None
        self.bars = StatusBars(
            FakeHost(),
            make_setup(),
            self.pane,
            self.feed,
            FakePrompt(),
            self.actions,
            Recorder(),
            self.message,
        )

    def message(self, cells):
        return self.shown

    def header(self, note=""):
        return "".join(text for text, _ in self.bars.header(100, note))

    def labels(self):
        return self.shown_labels(self.bars.session_keys())

    def shown_labels(self, pairs):
        """The labels in the bar of the keys."""
        shown = [text.strip() for text, style in self.bars.keys(400, pairs) if style == "dim"]
        return [label for _, label in pairs if label in shown]


def test_the_header_counts_sessions_and_those_that_are_live():
    bars = Bars(make_row("a", cwd="/p1"), make_row("b", cwd="/p2"))
    bars.pane.list.states = {"/store/a.jsonl": "live", "/store/b.jsonl": "maybe", "/gone.jsonl": "live"}
    header = bars.header("a note")
    assert "2 sessions · 2 projects · ● 1 open" in header
    assert "a note" in header


def test_the_activity_replaces_the_note_of_the_header():
    bars = Bars()
    bars.feed.activity = "reading 3 of 9"
    assert "reading 3 of 9" in bars.header("a note")
    assert "a note" not in bars.header("a note")
    bars.actions.progress_note = "trashing 1 of 5"
    assert "trashing 1 of 5" in bars.header()


@cases(("progress", "first"), [("", "resume"), ("trashing 1 of 5", "stop")])
def test_while_an_action_runs_the_first_key_stops_it(progress, first):
    bars = Bars(make_row("a"))
    bars.actions.progress_note = progress
    line = bars.bars.keys(100, [("Enter", "resume"), ("?", "help"), ("q", "quit")])
    labels = "".join(text for text, _ in line)
    assert first in labels
    assert ("stop" in labels) == (first == "stop")


def test_only_keys_that_do_something_are_shown():
    assert "rename" in Bars(make_row("a", agent="pi")).labels()
    assert "rename" not in Bars(make_row("a", agent="agent")).labels()
    bars = Bars()
    bars.pane.is_alone = True
    assert bars.labels() == ["try the examples", "rescan", "settings", "help", "quit"]


@cases(
    ("agent", "lacking"),
    [
        ("pi", set()),
        ("agent", {"rename", "label", "continue"}),
        ("claude", {"rename", "label", "continue"}),
        ("codex", {"rename", "label", "continue"}),
    ],
)
@cases("pane", ["sessions", "tree", "entry", "transcript", "filter"])
def test_no_footer_offers_what_the_agent_cannot_do(agent, lacking, pane):
    bars = Bars(make_row("a", agent=agent))
    pairs = footer(pane)
    every = Bars(make_row("a", agent="pi")).shown_labels(pairs)
    assert bars.shown_labels(pairs) == [label for label in every if label not in lacking]


def test_while_sessions_are_marked_only_keys_for_marks_are_shown():
    bars = Bars(make_row("a"), make_row("b"))
    bars.pane.model.toggle_mark("/store/a.jsonl")
    assert bars.labels() == ["trash 1", "pin 1", "export 1", "unmark", "mark", "all", "help", "quit"]


def test_a_message_stands_in_place_of_the_command():
    bars = Bars(make_row("a"))
    bars.shown = [("message", "text")]
    assert bars.bars.status(80, shows_key=True) == [("message", "text")]


def test_the_marked_sessions_stand_in_place_of_the_command():
    bars = Bars(make_row("a"))
    bars.pane.marked = [make_row("a", message_count=40, size=200_000)]
    bars.pane.marked += [make_row(id, agent="omp", message_count=4, size=6_000) for id in "bc"]
    line = "".join(text for text, _ in bars.bars.status(80, shows_key=True, hidden="13 hidden (.)"))
    assert line.startswith(" 3 marked: 2 omp, 1 pi · 48 messages · 212 kB  ")
    assert line.endswith(" 13 hidden (.) ")
