"""The panes beside the list while the cursor moves: their content changes without flicker."""

from __future__ import annotations

import asyncio
import threading

import pytest

from app.controllers import resume_controller
from app.panes import tree_pane
from app.services import resume_planner
from app.services.tree_reader import BranchReader
from tests.ui.conftest import WAYS
from tests.waiting import PATIENCE


@pytest.fixture
def may_read(monkeypatch):
    """Plans and branches are read only while this is set."""
    free = threading.Event()
    free.set()
    plan, read = resume_planner.plan_now, BranchReader.read

    def plan_later(*arguments):
        assert free.wait(PATIENCE)
        return plan(*arguments)

    def read_if_set(reader, tree):
        return read(reader, tree) if free.is_set() else asyncio.Event().wait()

    monkeypatch.setattr(resume_planner, "plan_now", plan_later)
    monkeypatch.setattr(BranchReader, "read", read_if_set)
    yield free
    free.set()


def bar(ui):
    """The bar with the effect of Enter."""
    return ui.text().splitlines()[-2].strip()


def border(ui):
    """The figures of the branch in the rule below the panes."""
    return ui.screen.beside.tree_pane.closing


async def step(ui):
    before = ui.sessions.row.path
    await ui.press("down")
    assert ui.sessions.row.path != before


@pytest.mark.parametrize("way", WAYS)
async def test_the_old_command_stays_until_the_next_is_known(browser, three, may_read, monkeypatch, way):
    monkeypatch.setattr(resume_controller, "PATIENCE", PATIENCE)
    async with browser(**way) as ui:
        before = bar(ui)
        assert "Cannot resume:" in before
        may_read.clear()
        await step(ui)
        assert bar(ui) == before
        assert ui.screen.resume_controller.planned != ui.sessions.row.path
        may_read.set()
        await ui.settled()


@pytest.mark.parametrize("way", WAYS)
async def test_a_slow_plan_empties_the_bar(browser, three, may_read, monkeypatch, way):
    monkeypatch.setattr(resume_controller, "PATIENCE", 0.01)
    async with browser(**way) as ui:
        assert bar(ui)
        may_read.clear()
        await step(ui)
        await ui.until(lambda: not bar(ui), "an empty bar")
        may_read.set()
        await ui.settled()
        assert bar(ui)


async def test_the_border_of_the_tree_keeps_its_text_until_the_next_is_known(
    browser, three, may_read, monkeypatch
):
    monkeypatch.setattr(tree_pane, "PATIENCE", PATIENCE)
    async with browser() as ui:
        await ui.until(lambda: "turn" in border(ui), "the branch")
        before = border(ui)
        may_read.clear()
        row = ui.sessions.row
        await step(ui)
        await ui.until(lambda: ui.tree.view.tree.path == ui.sessions.row.path != row.path, "the tree")
        assert border(ui) == before


async def test_slow_branches_empty_the_border(browser, three, may_read, monkeypatch):
    monkeypatch.setattr(tree_pane, "PATIENCE", 0.01)
    async with browser() as ui:
        await ui.until(lambda: "turn" in border(ui), "the branch")
        may_read.clear()
        await step(ui)
        await ui.until(lambda: border(ui) == "", "no words")
