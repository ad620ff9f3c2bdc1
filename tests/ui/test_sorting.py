"""The orders of the list: Ctrl+S and ``sort:``."""

from __future__ import annotations

import pytest

from tests.factory import chain
from tests.ui.conftest import pi_session


@pytest.fixture
def priced(tmp_path):
    for number, (name, dollars) in enumerate({"cheap": 0.01, "dear": 4.0, "middle": 0.5}.items()):
        lines = chain("needle", "found", id=name, cwd=f"/work/{number}")
        lines[2]["message"] |= {
            "provider": "x",
            "model": "m",
            "usage": {"input": 1, "output": 0, "cost": {"total": dollars}},
        }
        pi_session(tmp_path, *lines, id=name)


async def turn_to(ui, order):
    for _ in range(20):
        if ui.sessions.model.arrangement.order == order:
            return
        await ui.press("ctrl+s")
    raise AssertionError(f"no order {order}")


async def test_the_dearest_session_comes_first_and_its_cost_is_shown(browser, priced):
    async with browser() as ui:
        await turn_to(ui, "cost")
        assert ui.listed() == ["dear", "middle", "cheap"]
        rows = ui.text().splitlines()[3:6]
        assert ["$4.00" in rows[0], "$0.50" in rows[1], "$0.01" in rows[2]] == [True] * 3
        await turn_to(ui, "threaded")
        assert "$4.00" not in "".join(line[:50] for line in ui.text().splitlines())
        assert ui.listed()[0].startswith("["), "projects have heads again"


async def test_a_query_names_an_order(browser, priced):
    async with browser() as ui:
        await ui.press("slash", *"needle sort:cost", "enter")
        sessions = ["dear", "middle", "cheap"]
        await ui.until(lambda: [id for id in ui.listed() if id[0] != "["] == sessions, "the order")
        await ui.until(lambda: "Search · cost" in ui.text(), "its name")
        heads, row = ui.text().splitlines()[3:5]
        assert ("•cost" in heads, "$4.00" in row) == (True, True)
        await ui.press("slash", "end", *["ctrl+w"] * 2, "enter")
        await ui.until(lambda: ui.box.value.strip() == "needle" and "best first" in ui.text(), "no order")
        assert "•" not in ui.text().splitlines()[3], "no column decides"
