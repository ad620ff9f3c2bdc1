"""What stands beside the list at each step from session to session: nothing goes out and comes back."""

from __future__ import annotations

import threading

import pytest

from app.screens import resuming_screen, tree_side
from app.services import resume_planner
from app.services.tree_reader import BranchReader
from tests.ui.conftest import WAYS
from tests.waiting import PATIENCE


@pytest.fixture
def held(monkeypatch):
    """Plans and branches are read when this is set."""
    free = threading.Event()
    free.set()
    plan, read = resume_planner.plan, BranchReader.read

    def later(*arguments):
        assert free.wait(PATIENCE)
        return plan(*arguments)

    def branches(reader, tree):
        if free.is_set():
            read(reader, tree)

    monkeypatch.setattr(resume_planner, "plan", later)
    monkeypatch.setattr(BranchReader, "read", branches)
    yield free
    free.set()


def bar(ui):
    """What Enter would do."""
    return ui.text().splitlines()[-2].strip()


def border(ui):
    """What the border of the tree says."""
    return ui.text().splitlines()[1].partition("╮╭─ ")[2].partition(" ─")[0]


async def step(ui):
    before = ui.sessions.row.path
    await ui.press("down")
    assert ui.sessions.row.path != before


@pytest.mark.parametrize("way", WAYS)
async def test_the_command_of_before_stays_until_the_next_is_known(browser, three, held, monkeypatch, way):
    monkeypatch.setattr(resuming_screen, "PATIENCE", PATIENCE)
    async with browser(**way) as ui:
        before = bar(ui)
        assert "is gone" in before
        held.clear()
        await step(ui)
        assert bar(ui) == before
        assert ui.screen.planned != ui.sessions.row.path
        held.set()
        await ui.settled()


@pytest.mark.parametrize("way", WAYS)
async def test_of_a_plan_that_takes_long_nothing_is_said_meanwhile(browser, three, held, monkeypatch, way):
    monkeypatch.setattr(resuming_screen, "PATIENCE", 0.01)
    async with browser(**way) as ui:
        assert bar(ui)
        held.clear()
        await step(ui)
        await ui.until(lambda: not bar(ui), "an empty bar")
        held.set()
        await ui.settled()
        assert bar(ui)


async def test_the_words_in_the_trees_border_stay_until_the_next_are_known(browser, three, held, monkeypatch):
    monkeypatch.setattr(tree_side, "PATIENCE", PATIENCE)
    async with browser() as ui:
        await ui.until(lambda: "turn" in border(ui), "the branch")
        before = border(ui)
        held.clear()
        row = ui.sessions.row
        await step(ui)
        await ui.until(lambda: ui.tree.view.tree.path == ui.sessions.row.path != row.path, "the tree")
        assert border(ui) == before


async def test_of_branches_that_take_long_nothing_is_said_meanwhile(browser, three, held, monkeypatch):
    monkeypatch.setattr(tree_side, "PATIENCE", 0.01)
    async with browser() as ui:
        await ui.until(lambda: "turn" in border(ui), "the branch")
        held.clear()
        await step(ui)
        await ui.until(lambda: border(ui) == "tree", "no words")
