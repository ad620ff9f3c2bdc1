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


def there(it):
    return {id for id in IDS if list((it.folder / "home").rglob(f"*_{id}.jsonl"))}


def header(it):
    return it.text().splitlines()[0]


def footer(it):
    return it.text().splitlines()[-1]


async def trash_all(it):
    if it.selects:
        await it.press("shift+tab")
    await it.press("asterisk", "ctrl+d", "enter")


async def said(it, text):
    await it.until(lambda: any(text in toast for toast in it.toasts()), text)


@pytest.mark.parametrize("way", WAYS)
async def test_how_far_it_is_is_said_and_escape_stops_it(browser, four, gate, way):
    async with browser(size=(80, 24), **way) as it:
        await trash_all(it)
        await it.until(lambda: "trashing 1 of 4" in header(it), "how far it is")
        assert "Esc stop" in footer(it)
        marked = len(it.sessions.model.marked)
        gate.let()
        await it.until(lambda: "trashing 2 of 4" in header(it), "how far it is")
        await it.press("escape")
        assert it.sessions.model.marked, "Esc has done that alone"
        gate.let(2)
        await said(it, "Stopped: 3 of 4 trashed – z takes them back" if not it.selects else "Stopped: 3 of 4")
        assert len(there(it)) == 1
        await it.until(lambda: "trashing" not in header(it), "its end")
        assert "Esc stop" not in footer(it)
        await it.until(lambda: len(it.sessions.model.marked) == 1, "the mark of the one that is left")
        assert marked <= 4
        await it.press("escape")
        assert not it.sessions.model.marked, "Esc is what it was"
        await it.press("z")
        await it.until(lambda: there(it) == set(IDS), "all of them")


async def test_escape_stops_it_from_the_tree_and_the_line_as_well(browser, four, gate):
    async with browser() as it:
        await trash_all(it)
        await it.until(lambda: "trashing 1 of 4" in header(it), "how far it is")
        await it.press("tab")
        assert "Esc stop" in footer(it)
        await it.press("slash", *"zz")
        assert "Esc stop" in footer(it)
        await it.press("escape")
        assert "zz" in it.text()
        gate.let(3)
        await said(it, "Stopped: 2 of 4 trashed")


async def test_a_question_gets_escape_first(browser, four, gate):
    async with browser() as it:
        await trash_all(it)
        await it.until(lambda: "trashing 1 of 4" in header(it), "how far it is")
        await it.press("ctrl+r", "escape")
        gate.let(3)
        await said(it, "Moved to the trash: 4 sessions")
        assert not there(it)


async def test_of_one_session_nothing_is_said_and_escape_is_what_it_was(browser, four, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser() as it:
        await it.press("ctrl+d", "enter")
        await it.press("space")
        assert "trashing" not in header(it)
        await it.press("escape")
        assert not it.sessions.model.marked
        gate.let()
        await said(it, "Moved to the trash – z takes it back")


async def test_an_undo_is_stopped_and_another_goes_on(browser, four, monkeypatch):
    async with browser() as it:
        await trash_all(it)
        await said(it, "Moved to the trash: 4 sessions")
        gate = Gate(monkeypatch, app.actions.undo, "undo", let=1)
        await it.press("z")
        await it.until(lambda: "taking back 1 of 4" in header(it), "how far it is")
        await it.press("escape")
        gate.let()
        await said(it, "Stopped: 2 of 4 taken back – z goes on with the others")
        assert len(there(it)) == 2
        gate.let(2)
        await it.press("z")
        await it.until(lambda: there(it) == set(IDS), "the others")
        assert not Journal(str(it.folder / "state")).active()


async def test_an_undo_of_what_was_done_before_is_stopped_and_another_goes_on(browser, four, monkeypatch):
    async with browser() as it:
        await trash_all(it)
        await said(it, "Moved to the trash: 4 sessions")
    gate = Gate(monkeypatch, app.actions.undo, "undo", let=1)
    async with browser() as it:
        await it.press("z")
        await it.until(lambda: "trashed 4 sessions?" in it.text(), "the question")
        await it.press("enter")
        await it.until(lambda: "taking back 1 of 4" in header(it), "how far it is")
        await it.press("escape")
        gate.let()
        await said(it, "Stopped: 2 of 4 taken back")
        await it.press("z")
        await it.until(lambda: "trashed 2 sessions?" in it.text(), "the question")
        gate.let(2)
        await it.press("enter")
        await it.until(lambda: there(it) == set(IDS), "the others")


@pytest.mark.parametrize("leave", ["q", "ctrl+c", "signal"])
@pytest.mark.parametrize("within", [0, 60])
async def test_leaving_stops_what_takes_long(browser, four, gate, monkeypatch, leave, within):
    monkeypatch.setattr(action_runner, "EXIT_SECONDS", within)
    set_deadline = ProgressReporter.set_deadline

    def leaving(progress):
        set_deadline(progress)
        gate.let(3)

    monkeypatch.setattr(ProgressReporter, "set_deadline", leaving)
    async with browser() as it:
        await trash_all(it)
        await it.until(lambda: "trashing 1 of 4" in header(it), "how far it is")
        if leave == "signal":
            it.app._leave()
        else:
            await it.press(leave)
    noted = Journal(str(it.folder / "state")).active()
    if within:
        assert (there(it), len(noted), it.app.parting) == (set(), 4, [])
    else:
        assert it.app.parting == ["stopped: 2 of 4 trashed – leafmark undo takes them back"]
        assert (len(there(it)), len(noted)) == (2, 2)


# the keys of what is marked


@pytest.mark.parametrize("way", WAYS)
async def test_on_a_heading_the_footer_has_the_keys_of_what_is_marked(browser, four, way):
    async with browser(size=(160, 45), **way) as it:
        if it.selects:
            await it.press("shift+tab")
            it.screen.action_turn("grouped")
            await it.pilot.pause()
        await it.press("space", "home")
        assert it.sessions.row is None
        assert "1 marked  Ctrl+D trash  Enter fold  p pin" in footer(it)
        assert "rename" not in footer(it)
        await it.press("slash")
        assert ("Ctrl+D trash" in footer(it)) == it.selects
        assert "rename" not in footer(it)
        await it.press("escape", "escape", "escape")
        if not it.selects:
            assert "trash" not in footer(it)
