"""Something is done to many sessions: how far it is stands in the header, Esc stops it between two of them,
and so does leaving leafmark.
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
    """Lets an action be done to so many sessions."""

    def __init__(self, monkeypatch, module, name, let=0):
        self._free = Semaphore(let)
        act = getattr(module, name)

        def held(*what, **how):
            assert self._free.acquire(timeout=60)
            return act(*what, **how)

        monkeypatch.setattr(module, name, held)

    def let(self, number=1):
        self._free.release(number)


@pytest.fixture
def gate(monkeypatch):
    """Of what moves sessions to the trash."""
    return Gate(monkeypatch, app.actions.row_actions, "trash", let=1)


@pytest.fixture
def four(tmp_path):
    """Four sessions of this folder."""
    for id in IDS:
        pi_session(tmp_path, *chain(f"about {id}", "yes", id=id), id=id)
    return tmp_path


def there(ui):
    return {id for id in IDS if list((ui.folder / "home").rglob(f"*_{id}.jsonl"))}


def header(ui):
    return ui.text().splitlines()[0]


def footer(ui):
    return ui.text().splitlines()[-1]


async def trash_all(ui):
    if ui.selects:
        await ui.press("shift+tab")
    await ui.press("asterisk", "ctrl+d", "enter")


async def said(ui, text):
    await ui.until(lambda: any(text in toast for toast in ui.toasts()), text)


@pytest.mark.parametrize("way", WAYS)
async def test_how_far_it_is_is_said_and_escape_stops_it(browser, four, gate, way):
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
        await said(ui, "Stopped: 3 of 4 trashed – z takes them back" if not ui.selects else "Stopped: 3 of 4")
        assert len(there(ui)) == 1
        await ui.until(lambda: "trashing" not in header(ui), "its end")
        assert "Esc stop" not in footer(ui)
        await ui.until(lambda: len(ui.sessions.model.marked) == 1, "the mark of the one that is left")
        assert marked <= 4
        await ui.press("escape")
        assert not ui.sessions.model.marked, "Esc is what it was"
        await ui.press("z")
        await ui.until(lambda: there(ui) == set(IDS), "all of them")


async def test_escape_stops_it_from_the_tree_and_the_line_as_well(browser, four, gate):
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
        await said(ui, "Stopped: 2 of 4 trashed")


async def test_a_question_gets_escape_first(browser, four, gate):
    async with browser() as ui:
        await trash_all(ui)
        await ui.until(lambda: "trashing 1 of 4" in header(ui), "how far it is")
        await ui.press("ctrl+r", "escape")
        gate.let(3)
        await said(ui, "Moved to the trash: 4 sessions")
        assert not there(ui)


async def test_of_one_session_nothing_is_said_and_escape_is_what_it_was(browser, four, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser() as ui:
        await ui.press("ctrl+d", "enter")
        await ui.press("space")
        assert "trashing" not in header(ui)
        await ui.press("escape")
        assert not ui.sessions.model.marked
        gate.let()
        await said(ui, "Moved to the trash – z takes it back")


async def test_an_undo_is_stopped_and_another_goes_on(browser, four, monkeypatch):
    async with browser() as ui:
        await trash_all(ui)
        await said(ui, "Moved to the trash: 4 sessions")
        gate = Gate(monkeypatch, app.actions.undo, "undo", let=1)
        await ui.press("z")
        await ui.until(lambda: "taking back 1 of 4" in header(ui), "how far it is")
        await ui.press("escape")
        gate.let()
        await said(ui, "Stopped: 2 of 4 taken back – z goes on with the others")
        assert len(there(ui)) == 2
        gate.let(2)
        await ui.press("z")
        await ui.until(lambda: there(ui) == set(IDS), "the others")
        assert not Journal(str(ui.folder / "state")).active()


async def test_an_undo_of_what_was_done_before_is_stopped_and_another_goes_on(browser, four, monkeypatch):
    async with browser() as ui:
        await trash_all(ui)
        await said(ui, "Moved to the trash: 4 sessions")
    gate = Gate(monkeypatch, app.actions.undo, "undo", let=1)
    async with browser() as ui:
        await ui.press("z")
        await ui.until(lambda: "trashed 4 sessions?" in ui.text(), "the question")
        await ui.press("enter")
        await ui.until(lambda: "taking back 1 of 4" in header(ui), "how far it is")
        await ui.press("escape")
        gate.let()
        await said(ui, "Stopped: 2 of 4 taken back")
        await ui.press("z")
        await ui.until(lambda: "trashed 2 sessions?" in ui.text(), "the question")
        gate.let(2)
        await ui.press("enter")
        await ui.until(lambda: there(ui) == set(IDS), "the others")


@pytest.mark.parametrize("leave", ["q", "ctrl+c", "signal"])
@pytest.mark.parametrize("within", [0, 60])
async def test_leaving_stops_what_takes_long(browser, four, gate, monkeypatch, leave, within):
    monkeypatch.setattr(action_runner, "EXIT_SECONDS", within)
    set_deadline = ProgressReporter.set_deadline

    def leaving(progress):
        set_deadline(progress)
        gate.let(3)

    monkeypatch.setattr(ProgressReporter, "set_deadline", leaving)
    async with browser() as ui:
        await trash_all(ui)
        await ui.until(lambda: "trashing 1 of 4" in header(ui), "how far it is")
        if leave == "signal":
            ui.app._leave()
        else:
            await ui.press(leave)
    noted = Journal(str(ui.folder / "state")).active()
    if within:
        assert (there(ui), len(noted), ui.app.parting) == (set(), 4, [])
    else:
        assert ui.app.parting == ["stopped: 2 of 4 trashed – leafmark undo takes them back"]
        assert (len(there(ui)), len(noted)) == (2, 2)


# the keys of what is marked


@pytest.mark.parametrize("way", WAYS)
async def test_on_a_heading_the_footer_has_the_keys_of_what_is_marked(browser, four, way):
    async with browser(size=(160, 45), **way) as ui:
        if ui.selects:
            await ui.press("shift+tab")
            ui.screen.action_turn("grouped")
            await ui.pilot.pause()
        await ui.press("space", "home")
        assert ui.sessions.row is None
        assert "1 marked  Ctrl+D trash  Enter fold  p pin" in footer(ui)
        assert "rename" not in footer(ui)
        await ui.press("slash")
        assert ("Ctrl+D trash" in footer(ui)) == ui.selects
        assert "rename" not in footer(ui)
        await ui.press("escape", "escape", "escape")
        if not ui.selects:
            assert "trash" not in footer(ui)
