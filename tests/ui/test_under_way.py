"""An action on many sessions: the header shows its progress, and Escape or leaving stops it between two
sessions.
"""

from __future__ import annotations

from threading import Semaphore

import pytest

import app.actions.row_actions
import app.actions.undo
from app.actions.journal import Journal
from app.services import action_runner
from app.services.action_runner import ProgressReporter
from tests.factory import chain
from tests.ui.conftest import WAYS, pi_session

IDS = ("one", "two", "three", "four")


class Gate:
    """Lets an action be done only for as many sessions as the test permits."""

    def __init__(self, monkeypatch, module, name, let=0):
        self.free = Semaphore(let)
        act = getattr(module, name)

        def act_later(*arguments, **options):
            assert self.free.acquire(timeout=60)
            return act(*arguments, **options)

        monkeypatch.setattr(module, name, act_later)

    def let(self, number=1):
        self.free.release(number)


@pytest.fixture
def gate(monkeypatch):
    """A gate for trashing, which permits one session."""
    return Gate(monkeypatch, app.actions.row_actions, "trash", let=1)


@pytest.fixture
def four(tmp_path):
    """Four sessions of this folder."""
    for id in IDS:
        pi_session(tmp_path, *chain(f"about {id}", "yes", id=id), id=id)
    return tmp_path


def present_ids(ui):
    return {id for id in IDS if list((ui.folder / "home").rglob(f"*_{id}.jsonl"))}


def header(ui):
    return ui.text().splitlines()[0]


def footer(ui):
    return ui.text().splitlines()[-1]


async def trash_all(ui):
    if ui.selects:
        await ui.press("shift+tab")
    await ui.press("asterisk", "ctrl+d", "enter")


async def until_toast(ui, text):
    await ui.until(lambda: any(text in toast for toast in ui.toasts()), text)


@pytest.mark.parametrize("way", WAYS)
async def test_the_progress_is_shown_and_escape_stops_the_action(browser, four, gate, way):
    async with browser(size=(80, 24), **way) as ui:
        await trash_all(ui)
        await ui.until(lambda: "trashing 1 of 4" in header(ui), "how far it is")
        assert "Esc stop" in footer(ui)
        marked = len(ui.sessions.model.marked)
        gate.let()
        await ui.until(lambda: "trashing 2 of 4" in header(ui), "how far it is")
        await ui.press("escape")
        assert ui.sessions.model.marked, "Esc has done that alone"
        gate.let(2)
        await until_toast(ui, "Stopped: 3 of 4 trashed (z to undo)" if not ui.selects else "Stopped: 3 of 4")
        assert len(present_ids(ui)) == 1
        await ui.until(lambda: "trashing" not in header(ui), "its end")
        assert "Esc stop" not in footer(ui)
        await ui.until(lambda: len(ui.sessions.model.marked) == 1, "the mark of the one that is left")
        assert marked <= 4
        await ui.press("escape")
        assert not ui.sessions.model.marked, "Esc is what it was"
        await ui.press("z")
        await ui.until(lambda: present_ids(ui) == set(IDS), "all of them")


async def test_escape_stops_the_action_from_tree_and_search_line(browser, four, gate):
    async with browser() as ui:
        await trash_all(ui)
        await ui.until(lambda: "trashing 1 of 4" in header(ui), "how far it is")
        await ui.press("tab")
        assert "Esc stop" in footer(ui)
        await ui.press("slash", *"zz")
        assert "Esc stop" in footer(ui)
        await ui.press("escape")
        assert "zz" in ui.text()
        gate.let(3)
        await until_toast(ui, "Stopped: 2 of 4 trashed")


async def test_escape_answers_a_question_first(browser, four, gate):
    async with browser() as ui:
        await trash_all(ui)
        await ui.until(lambda: "trashing 1 of 4" in header(ui), "how far it is")
        await ui.press("ctrl+r", "escape")
        gate.let(3)
        await until_toast(ui, "Trashed 4 sessions")
        assert not present_ids(ui)


async def test_an_action_on_one_session_has_no_progress(browser, four, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser() as ui:
        await ui.press("ctrl+d", "enter")
        await ui.press("space")
        assert "trashing" not in header(ui)
        await ui.press("escape")
        assert not ui.sessions.model.marked
        gate.let()
        await until_toast(ui, "(z to undo)")


async def test_an_undo_can_be_stopped_and_continued(browser, four, monkeypatch):
    async with browser() as ui:
        await trash_all(ui)
        await until_toast(ui, "Trashed 4 sessions")
        gate = Gate(monkeypatch, app.actions.undo, "undo", let=1)
        await ui.press("z")
        await ui.until(lambda: "undoing 1 of 4" in header(ui), "how far it is")
        await ui.press("escape")
        gate.let()
        await until_toast(ui, "Stopped: 2 of 4 undone – z undoes the others")
        assert len(present_ids(ui)) == 2
        gate.let(2)
        await ui.press("z")
        await ui.until(lambda: present_ids(ui) == set(IDS), "the others")
        assert not Journal(str(ui.folder / "state")).active()


async def test_an_undo_of_an_earlier_run_can_be_stopped_and_continued(browser, four, monkeypatch):
    async with browser() as ui:
        await trash_all(ui)
        await until_toast(ui, "Trashed 4 sessions")
    gate = Gate(monkeypatch, app.actions.undo, "undo", let=1)
    async with browser() as ui:
        await ui.press("z")
        await ui.until(lambda: "trash 4 sessions" in ui.text(), "the question")
        await ui.press("enter")
        await ui.until(lambda: "undoing 1 of 4" in header(ui), "how far it is")
        await ui.press("escape")
        gate.let()
        await until_toast(ui, "Stopped: 2 of 4 undone")
        await ui.press("z")
        await ui.until(lambda: "trash 2 sessions" in ui.text(), "the question")
        gate.let(2)
        await ui.press("enter")
        await ui.until(lambda: present_ids(ui) == set(IDS), "the others")


@pytest.mark.parametrize("leave", ["q", "ctrl+c", "signal"])
@pytest.mark.parametrize("within", [0, 60])
async def test_leaving_stops_a_long_action(browser, four, gate, monkeypatch, leave, within):
    monkeypatch.setattr(action_runner, "EXIT_SECONDS", within)
    set_deadline = ProgressReporter.set_deadline

    def set_deadline_and_permit(progress):
        set_deadline(progress)
        gate.let(3)

    monkeypatch.setattr(ProgressReporter, "set_deadline", set_deadline_and_permit)
    async with browser() as ui:
        await trash_all(ui)
        await ui.until(lambda: "trashing 1 of 4" in header(ui), "how far it is")
        if leave == "signal":
            ui.app._leave()
        else:
            await ui.press(leave)
    noted = Journal(str(ui.folder / "state")).active()
    if within:
        assert (present_ids(ui), len(noted), ui.app.parting) == (set(), 4, [])
    else:
        assert ui.app.parting == ["stopped: 2 of 4 trashed (run leafmark undo to undo)"]
        assert (len(present_ids(ui)), len(noted)) == (2, 2)


# the keys for marked sessions


@pytest.mark.parametrize("way", WAYS)
async def test_on_a_group_row_the_footer_has_the_keys_for_marked_sessions(browser, four, way):
    async with browser(size=(160, 45), **way) as ui:
        if ui.selects:
            await ui.press("shift+tab")
            ui.screen.action_turn("grouped")
            await ui.pilot.pause()
        await ui.press("space", "home")
        assert ui.sessions.row is None
        assert " Ctrl+D trash 1  p pin 1  " in footer(ui)
        assert "rename" not in footer(ui)
        await ui.press("slash")
        assert ("Ctrl+D trash" in footer(ui)) == ui.selects
        assert "rename" not in footer(ui)
        await ui.press("escape", "escape", "escape")
        if not ui.selects:
            assert "trash" not in footer(ui)
