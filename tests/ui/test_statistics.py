"""The screen with statistics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factory import header, message
from tests.ui.conftest import WAYS, pi_session


@pytest.fixture
def apart(tmp_path):
    """Three sessions that share no entry, each with one prompt, in two folders."""
    for number, name in enumerate(("one", "two", "site1")):
        cwd = "/work/site" if name == "site1" else "/work/app"
        lines = [
            header(name, cwd),
            message(f"{number}a", None, "user", "prompt", number + 1),
            message(f"{number}b", f"{number}a", "assistant", "answer", number + 2),
        ]
        pi_session(tmp_path, *lines, id=name, project=cwd.rpartition("/")[2])


async def open_statistics(ui):
    await ui.press("S")
    await ui.until(lambda: ui.is_in("Statistics"), "the screen")
    await ui.until(lambda: "3 sessions, 3 prompts" in ui.text(), "the figures")


@pytest.mark.parametrize("size", [(80, 24), (44, 16)])
async def test_it_shows_figures_in_seven_groupings_at_each_size(browser, apart, size):
    async with browser(size=size) as ui:
        await open_statistics(ui)
        assert ("Mon " in ui.text()) is (size[1] >= 20)
        seen = []
        for _ in range(7):
            seen.append(ui.screen.query_one("#figures-by").value)
            await ui.until(lambda: f"  {seen[-1].capitalize()}" in ui.text(), "the table")
            await ui.press("tab")
        assert seen == ["day", "week", "project", "model", "agent", "tool", "session"]
        # The orders are those by cost, tokens, time and prompts, and the usual one.
        await ui.press("s", "o")
        if size[0] == 80:
            await ui.until(lambda: "cost▾" in ui.text(), "the order")
        await ui.press("o")
        if size[0] == 80:
            await ui.until(lambda: "tokens▾" in ui.text(), "the order")
        await ui.press("o", "o", "o")
        await ui.until(lambda: "▾" not in ui.text(), "the usual order")
        await ui.press("S")
        assert not ui.is_in("Statistics")


@pytest.mark.parametrize("way", WAYS)
async def test_enter_on_a_figure_lists_its_sessions_until_escape(browser, apart, way):
    async with browser(**way) as ui:
        await ui.press(*(["shift+tab"] if way else []))
        await open_statistics(ui)
        await ui.press("p")
        await ui.until(lambda: "/work/site" in ui.text(), "the projects")
        names = [group.key for group, _ in ui.screen.query_one("#figures").items]
        await ui.press(*["down"] * names.index("/work/site"), "enter")
        await ui.until(lambda: ui.listed()[-1:] == ["site1"] and "one" not in ui.listed(), "the list")
        assert "stats: /work/site" in ui.text()
        await ui.press("escape")
        await ui.until(lambda: {"one", "two"} <= set(ui.listed()), "all sessions")
        assert "stats: " not in ui.text()


async def test_a_day_lists_a_session_that_went_on_later_and_none_without_a_message_on_it(browser, tmp_path):
    for name, days in (("later", (1, 5)), ("then", (1, 1)), ("after", (5, 5))):
        lines = [
            {
                **message(f"{name[0]}{number}", None, "user", "prompt"),
                "timestamp": f"2026-05-0{day}T12:00:00Z",
            }
            for number, day in enumerate(days)
        ]
        pi_session(tmp_path, header(name, "/work/app"), *lines, id=name, project="app")
    async with browser() as ui:
        await ui.press("S")
        await ui.until(lambda: "3 sessions, 6 prompts" in ui.text(), "the figures")
        await ui.press("down", "enter")
        await ui.until(lambda: "stats: " in ui.text() and "after" not in ui.listed(), "the list")
        assert {"later", "then"} <= set(ui.listed())


def adding_up():
    """The processes of this one that add up figures."""
    command = b"app.index.figures_process"
    children = [
        child
        for task in Path("/proc/self/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [child for child in children if command in Path("/proc", child, "cmdline").read_bytes()]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not list child processes")
async def test_its_process_ends_with_it(browser, apart):
    async with browser() as ui:
        await open_statistics(ui)
        await ui.until(adding_up, "the process")
        await ui.press("escape")
        await ui.until(lambda: not adding_up(), "the end of the process")
        # It is ended before it has its answer, too, and the screen says nothing of it.
        await ui.press("S")
        await ui.until(adding_up, "the process")
        await ui.press("escape")
        await ui.until(lambda: not adding_up(), "the end of the process")
        assert "has ended" not in ui.text()
