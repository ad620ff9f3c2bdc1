"""A session whose leaf is before all entries: that the agent begins anew there is said wherever one looks."""

from __future__ import annotations

import pytest

from tests.factory import append, entry, header, message
from tests.ui.conftest import pi_session

ANEW = "← active: the agent begins anew here"


@pytest.fixture
def begun_anew(tmp_path):
    return pi_session(
        tmp_path,
        header("s"),
        message("a", None, "user", "fix the login"),
        message("b", "a", "assistant", "too early"),
        message("c", "b", "user", "cache it"),
        message("d", "b", "user", "use redis"),
        entry("custom", "x", None, customType="t"),
        id="s",
    )


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 45)])
async def test_the_tree_says_so_and_its_cursor_is_on_no_leaf(browser, begun_anew, size):
    async with browser(size=size) as ui:
        assert ANEW in ui.text()
        assert ui.text().count("← active") == 1
        assert ui.tree.node.id == "a"
        await ui.press("tab", "down", "full_stop")
        assert ui.tree.node.id == "b"
        assert ui.toasts() == ["The leaf is before all entries: the agent begins anew"]


async def test_the_border_claims_no_branch_for_the_leaf(browser, begun_anew):
    async with browser(size=(160, 45)) as ui:
        await ui.until(lambda: "branch 1 of 3, not on the active path" in ui.text(), "the branches")
    async with browser(size=(80, 24)) as ui:
        await ui.until(lambda: "1/3 not active" in ui.text(), "the branches")


async def test_where_the_leaf_has_a_row_it_is_marked_there(browser, begun_anew):
    async with browser() as ui:
        await ui.press("tab", "ctrl+a")
        assert ANEW not in ui.text()
        assert ui.text().count("← active") == 1
        await ui.press("full_stop")
        assert ui.tree.node.id == "x"
        await ui.press("ctrl+u")
        assert ANEW in ui.text()


async def test_the_cursor_goes_along_when_the_agent_begins(browser, begun_anew):
    async with browser() as ui:
        assert ANEW in ui.text()
        append(begun_anew, message("n", "x", "user", "begin again"))
        await ui.until(lambda: ui.tree.view.leaf.id == "n", "what was said")
        assert ui.tree.node.id == "n"
        assert ANEW not in ui.text()


async def test_who_reads_elsewhere_is_told_of_what_comes(browser, begun_anew):
    async with browser() as ui:
        await ui.press("tab", "down")
        append(begun_anew, message("n", "x", "user", "begin again"))
        await ui.until(lambda: ui.tree.view.leaf.id == "n", "what was said")
        assert ui.tree.node.id == "b"
        assert "+1 new" in ui.text()


@pytest.mark.parametrize("mode", ["user", "labelled"])
async def test_a_leaf_that_a_filter_hides_is_not_before_all(browser, three, mode):
    async with browser() as ui:
        ui.tree.set_mode(mode)
        await ui.pilot.pause()
        assert not ui.tree.view.begins_anew
        assert ANEW not in ui.text()


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_the_preview_says_where_the_messages_are(browser, begun_anew, size):
    async with browser(selector="", size=size) as ui:
        await ui.until(lambda: "Nothing is on" in ui.text(), "the preview")
        preview = [line.split("│")[-2] for line in ui.text().splitlines() if line.endswith("│")]
        said = " ".join(" ".join(preview).split())
        assert "Nothing is on the active path: the agent begins anew." in said
        assert "The other branches have 4 messages." in said
