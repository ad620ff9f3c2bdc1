"""Resume plans and live states, which threads of their own compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.services import list_facts
from app.services.list_facts import ListFacts
from app.services.resume_planner import ResumePlanner
from app.setup import Setup
from tests.factory import make_row

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_session_of_an_unknown_store_has_a_reason_why_it_cannot_be_resumed(tmp_path: Path) -> None:
    row = make_row("one", store="/gone")
    setup = Setup(env={}, home=str(tmp_path), here=(), stores=[], cache_folder=str(tmp_path))
    planner = ResumePlanner(setup, lambda message: None)
    plan, _ = await planner.make_plan(row)
    plans = [plan, await planner.plan_start(row), await planner.plan_resume(row, row.path, row.id, row.cwd)]
    assert {plan.problem for plan in plans} == {"its folder, /gone, is no store of sessions any more"}
    planner.stop()


async def test_unchanged_rows_are_not_examined_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen passes a new list each time, mostly with the same rows."""
    requests: list[Any] = []
    monkeypatch.setattr(list_facts, "live_sessions", lambda rows, *_: (requests.append(rows), {})[1])
    setup = Setup(env={}, home=str(tmp_path), here=(), stores=[], cache_folder=str(tmp_path))
    looker = ListFacts(setup, lambda message: None)
    rows = [make_row("one"), make_row("two")]
    for now in [rows[:], rows[:], [*rows, make_row("three")], rows[:1]]:
        await looker.find_live(now)
        assert list(requests[-1]) == now
    looker.stop()
    assert requests[0] is requests[1]
    assert len({id(rows) for rows in requests}) == 3


async def test_a_folder_with_an_impossible_name_is_not_this_folder(tmp_path: Path) -> None:
    folder, link = tmp_path / "work", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    setup = Setup(env={}, home=str(tmp_path), here=(str(folder),), stores=[], cache_folder=str(tmp_path))
    surroundings = ListFacts(setup, lambda message: None)
    # no locale can encode the first name, and no system allows the second
    names = [str(tmp_path / "half \ud83d"), str(tmp_path / "nul\0"), str(link)]
    assert await surroundings.find_here(names) == [str(link)]
    surroundings.stop()
