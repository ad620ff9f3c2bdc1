"""The page with the disk space, and the way from its rows to the sessions."""

from __future__ import annotations

import pytest

from tests.cli.test_disk import du
from tests.factory import chain
from tests.ui.conftest import pi_session
from tests.ui.test_keep import session

PARTS = ["files", "repeated", "artifacts", "sub-agents", "kept", "blobs", "rest", "kept rest", "index"]


@pytest.fixture
def used(tmp_path):
    """Sessions of two projects and agents; one has artifacts, and one is a fork."""
    lines = chain("question", "answer" * 2_000, "more", id="one")
    parent = pi_session(tmp_path, *lines, id="one")
    pi_session(tmp_path, {**lines[0], "id": "two", "parentSession": str(parent)}, *lines[1:3], id="two")
    large = session(tmp_path / "home", "large", 1, "/work/site")
    result = large.with_suffix("") / "tool-results/1.txt"
    result.parent.mkdir(parents=True)
    result.write_text("x" * 50_000)
    return tmp_path


async def open_disk(ui):
    await ui.press("g", "d")
    await ui.until(lambda: " in all, " in ui.text(), "the disk space")


def shares(ui):
    """The rows of the page: (bytes, name)."""
    return [(share.number, share.name) for share, _ in ui.screen.query_one("#figures").items]


async def test_the_parts_add_up_to_what_du_counts_and_lead_to_their_sessions(browser, used):
    async with browser(size=(120, 40)) as ui:
        ui.sessions.go_to(str(ui.path("large")))
        await ui.press("B")
        await ui.until(lambda: list((used / "state/kept").rglob("*.gz")), "the copy")
        await open_disk(ui)
        parts = {name: number for number, name in shares(ui)}
        assert list(parts) == PARTS
        stores = [used / "home/.pi/agent/sessions", used / "home/.claude/projects"]
        total = sum(parts.values()) - parts["repeated"]
        assert total == du(*stores, used / "state/kept", used / "cache")
        assert parts["artifacts"] >= 50_000
        for name, found in (("artifacts", {"large"}), ("repeated", {"two"}), ("kept", {"large"})):
            await ui.press("home", *["down"] * PARTS.index(name), "enter")
            assert set(ui.listed()) - {"[/work/app]", "[/work/site]"} == found
            await ui.press("escape")
            assert {"one", "two", "large"} <= set(ui.listed())
            await open_disk(ui)
        await ui.press("home", *["down"] * PARTS.index("index"), "enter")
        assert ui.is_in("Disk"), "the index belongs to no session"


async def test_projects_and_sessions_are_listed_largest_first(browser, used):
    async with browser(size=(80, 24)) as ui:
        await open_disk(ui)
        await ui.press("tab")
        assert [name for _, name in shares(ui)] == ["/work/site", "/work/app"]
        await ui.press("tab")
        assert shares(ui)[0][1] == "prompt of large"
        await ui.press("enter")
        assert set(ui.listed()) == {"[/work/site]", "large"}
        await ui.press("escape")
        await open_disk(ui)
        await ui.press("escape")
        assert {"one", "two", "large"} <= set(ui.listed())
