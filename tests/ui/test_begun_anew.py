"""A session whose leaf is before all entries, so that its agent begins anew: every view of it says so."""

from __future__ import annotations

import pytest

from tests.factory import append, entry, header, message
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

ANEW = "← leaf: the agent begins anew here"


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
async def test_the_tree_says_so_and_the_cursor_is_on_the_first_entry(browser, begun_anew, size):
    async with browser(size=size) as ui:
        assert ANEW in ui.text()
        assert ui.text().count("← leaf") == 1
        assert ui.tree.node.id == "a"
        await ui.until(lambda: "branch 1 of 3, not on the active path" in ui.text(), "the branches")
        await ui.press("tab", "down", "at")
        assert ui.tree.node.id == "c"
        assert ui.toasts() == ["The leaf is before all entries: the agent begins anew"]


async def test_a_leaf_with_a_shown_row_is_marked_there(browser, begun_anew):
    async with browser() as ui:
        await ui.press("tab", "ctrl+a")
        assert ANEW not in ui.text()
        assert ui.text().count("← leaf") == 1
        await ui.press("at")
        assert ui.tree.node.id == "x"
        await ui.press("ctrl+u")
        assert ANEW in ui.text()


async def test_the_cursor_follows_the_agents_first_entry(browser, begun_anew):
    async with browser() as ui:
        assert ANEW in ui.text()
        append(begun_anew, message("n", "x", "user", "begin again"))
        await ui.until(lambda: ui.tree.view.leaf.id == "n", "what was said")
        assert ui.tree.node.id == "n"
        assert ANEW not in ui.text()


async def test_a_cursor_elsewhere_stays_and_new_entries_are_counted(browser, begun_anew):
    async with browser() as ui:
        await ui.press("tab", "down")
        append(begun_anew, message("n", "x", "user", "begin again"))
        await ui.until(lambda: ui.tree.view.leaf.id == "n", "what was said")
        assert ui.tree.node.id == "c"
        assert "+1 new" in ui.text()


@pytest.mark.parametrize("tree_filter", ["user", "labelled"])
async def test_a_leaf_hidden_by_a_filter_does_not_begin_anew(browser, three, tree_filter):
    async with browser() as ui:
        ui.tree.set_filter(tree_filter)
        await ui.pilot.pause()
        assert not ui.tree.view.begins_anew
        assert ANEW not in ui.text()


async def test_a_transcript_without_a_block_has_nothing_to_act_on(browser, begun_anew):
    before = begun_anew.read_bytes()
    async with browser() as ui:
        await ui.press("v")
        await ui.until(lambda: "Nothing is on" in ui.text(), "the transcript")
        for number, key in enumerate(("L", "f", "enter")):
            await ui.press(key)
            refused = ["No entry is under the cursor, or the tree has not read it yet"]
            await ui.until(lambda n=number, texts=refused: ui.toasts() == texts * (n + 1), "the reason")
            assert ui.focus == "transcript"
        assert begun_anew.read_bytes() == before


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_the_preview_says_which_branches_have_the_messages(browser, begun_anew, size):
    async with browser(selector="", size=size) as ui:
        await ui.until(lambda: "Nothing is on" in ui.text(), "the preview")
        box = ui.screen.pane_layout.boxes["preview"]
        preview = [line[box.x :] for line in ui.text().splitlines()[box.y + 1 : box.y + box.height]]
        words = " ".join(" ".join(preview).split())
        assert "Nothing is on the active path: the agent begins anew." in words
        assert "The other branches have 4 messages." in words
