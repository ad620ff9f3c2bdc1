"""The tree and entry panes, key by key."""

from __future__ import annotations

import pytest

from tests.factory import chain, entry, header, message
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")


@pytest.fixture
def two_ends(tmp_path):
    pi_session(
        tmp_path,
        header("s"),
        message("a", None, "user", "fix the login"),
        message("b", "a", "assistant", "too early"),
        message("c", "b", "user", "cache it"),
        message("d", "c", "assistant", "slower"),
        message("e", "b", "user", "use redis"),
        message("f", "e", "assistant", "faster"),
        entry("custom", "x", "f", customType="t"),
        message("g", "x", "user", "ship it"),
        id="s",
    )
    return tmp_path


def ids(ui):
    return [ui.tree.view.node(row).id for row in range(ui.tree.view.count)]


def cursor_id(ui):
    return ui.tree.node.id


def pointed(ui):
    """The id of the entry that the transcript has its cursor on."""
    ref = ui.transcript.transcript.ref()
    return ref.anchor.entry_id if ref is not None else None


async def test_it_opens_on_the_leaf(browser, two_ends):
    async with browser() as ui:
        assert ids(ui) == ["a", "e", "g", "c"], "the turns are folded"
        assert cursor_id(ui) == "g"
        assert ui.tree.follows
        assert "ship it" in ui.conversation


async def test_left_and_right_fold_and_move(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "left")
        assert cursor_id(ui) == "e"
        await ui.press("left")
        assert ids(ui) == ["a", "e", "c"]
        await ui.press("left")
        assert cursor_id(ui) == "a"
        await ui.press("right")
        assert ids(ui) == ["a", "b", "e", "c"], "the turn first"
        await ui.press("right", "right", "right", "right")
        assert ids(ui) == ["a", "b", "e", "f", "g", "c"]
        await ui.press("right")
        assert cursor_id(ui) == "f"
        await ui.press("left")
        assert cursor_id(ui) == "e", "its prompt"
        await ui.press("left")
        assert ids(ui) == ["a", "b", "e", "g", "c"]
        await ui.press("left")
        assert ids(ui) == ["a", "b", "e", "c"]


async def test_moves_by_segment_are_those_of_pi(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "plus")
        for modifier in ("ctrl", "alt"):
            await ui.press(f"{modifier}+left")
            assert cursor_id(ui) == "e"
            await ui.press(f"{modifier}+right")
            assert cursor_id(ui) == "g"
            await ui.press(f"{modifier}+left", f"{modifier}+left")
            assert ids(ui) == ["a", "b", "e", "c", "d"]
            await ui.press(f"{modifier}+right")
            assert len(ids(ui)) == 7
            await ui.press("at")


async def test_space_folds_and_a_folded_leaf_keeps_its_mark(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "plus", "ctrl+left", "ctrl+left")
        row = next(line for line in ui.text().splitlines() if "⊞" in line)
        assert "2 entries" in row
        assert "← leaf" in row
        await ui.press("space")
        assert len(ids(ui)) == 7
        await ui.press("minus")
        assert ids(ui) == ["a", "e", "g", "c"], "the turns, and all but the active path"
        await ui.press("equals_sign")
        assert len(ids(ui)) == 7


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_space_unfolds_a_turn_and_folds_it(browser, two_ends, size):
    async with browser(size=size) as ui:

        def row_of(text):
            return next(
                line for line in ui.text().splitlines() if text in line and ("•" in line or "/" in line)
            )

        await ui.press("tab", "up")
        assert cursor_id(ui) == "e"
        await ui.until(lambda: "faster" in ui.text(), "the last line of the answer")
        assert "faster" in row_of("› use redis")
        await ui.press("space")
        assert ids(ui) == ["a", "e", "f", "g", "c"]
        assert "faster" not in row_of("▾ use redis")
        await ui.press("space")
        assert ids(ui) == ["a", "e", "g", "c"]
        assert cursor_id(ui) == "e"


async def test_a_search_unfolds_the_turn_of_its_hit(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "slash", *"slower")
        await ui.until(lambda: cursor_id(ui) == "d", "the hit")
        assert ids(ui) == ["a", "e", "g", "c", "d"]


async def test_moves_by_turn(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "left_square_bracket")
        assert cursor_id(ui) == "e"
        await ui.press("alt+up")
        assert cursor_id(ui) == "a"
        await ui.press("right_square_bracket", "alt+down")
        assert cursor_id(ui) == "g"


async def test_a_filter_key_toggles_its_filter(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab")
        for key, tree_filter, shown in (
            ("ctrl+u", "user", ["a", "e", "g", "c"]),
            ("ctrl+t", "no-tools", ["a", "e", "g", "c"]),
            ("ctrl+l", "labelled", []),
            ("ctrl+a", "all", ["a", "b", "e", "f", "x", "g", "c", "d"]),
        ):
            await ui.press(key)
            assert ui.tree.tree_filter == tree_filter
            assert ids(ui) == shown
            await ui.press(key)
            assert ui.tree.tree_filter == "default"
            assert cursor_id(ui) == "g"
            await ui.press(key, "ctrl+d")
            assert ui.tree.tree_filter == "default"


@pytest.mark.parametrize("key", ["ctrl+t", "ctrl+o"])
async def test_a_filter_unfolds_the_branches(browser, two_ends, key):
    async with browser() as ui:
        await ui.press("tab", "left", "left")
        assert "g" not in ids(ui)
        await ui.press(key)
        assert ids(ui) == ["a", "e", "f", "g", "c"], "and the turn of the cursor"
        assert "⊞" not in ui.text()
        await ui.press("ctrl+d")
        assert ids(ui) == ["a", "e", "f", "g", "c"]


async def test_full_stop_shows_the_hidden_entries_and_hides_them_again(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "ctrl+t", "tab", "full_stop", "e")
        assert (ui.focus, ui.tree.tree_filter) == ("transcript", "all")
        assert "x" in ids(ui)
        await ui.press("full_stop", "e")
        assert ui.tree.tree_filter == "no-tools"
        assert "x" not in ids(ui)


async def test_filters_cycle(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab")
        filters = []
        for _ in range(5):
            await ui.press("ctrl+o")
            filters.append(ui.tree.tree_filter)
        assert filters == ["no-tools", "user", "labelled", "all", "default"]
        await ui.press("ctrl+shift+o")
        assert ui.tree.tree_filter == "all"


async def test_a_hidden_entry_moves_the_cursor_to_its_nearest_shown_ancestor_and_gets_it_back(
    browser, two_ends
):
    async with browser() as ui:
        await ui.press("tab", "ctrl+a", "up")
        assert cursor_id(ui) == "x"
        await ui.press("ctrl+d")
        assert cursor_id(ui) == "f"
        await ui.press("ctrl+a")
        assert cursor_id(ui) == "x"


async def test_j_and_k_scroll_the_other_pane_alone(browser, tmp_path):
    long = "\n\n".join(f"line {number}" for number in range(300))
    pi_session(tmp_path, *chain("first", long, *["more"] * 200, id="s"), id="s")
    pi_session(tmp_path, *chain("second", id="t"), id="t")
    async with browser() as ui:
        await ui.until(lambda: ui.tree.view.tree.is_whole, "the tree")
        for focus, other in (("sessions", "transcript"), ("tree", "transcript"), ("transcript", "tree")):
            assert ui.focus == focus
            lines = ui.screen.query_one(f"#{other}")
            top, row = lines.scroll_offset.y, ui.sessions.cursor
            await ui.press("K")
            assert lines.scroll_offset.y == top - 3
            await ui.press("J")
            assert lines.scroll_offset.y == top
            assert (ui.focus, ui.sessions.cursor) == (focus, row)
            await ui.press("tab")


async def test_the_transcript_follows_the_cursor_through_a_filter(browser, two_ends, tmp_path):
    pi_session(
        tmp_path,
        *chain("one", "two", "three", id="lab"),
        entry("label", "l", "00000003", targetId="00000001", label="here"),
        id="lab",
    )
    async with browser() as ui:
        await ui.press("slash", *"lab", "enter")
        await ui.settled()
        await ui.press("tab", "ctrl+l")
        await ui.until(lambda: pointed(ui) == "00000001", "the labelled entry")
        await ui.press("ctrl+l")
        assert cursor_id(ui) == "00000003"
        await ui.until(lambda: pointed(ui) == "00000003", "the entry under the cursor")


async def test_a_narrow_border_has_the_filter_first(browser, three):
    async with browser(size=(80, 24)) as ui:
        await ui.press("tab", "ctrl+t")
        border = ui.screen.query_one("#tree-pane").words[1]
        assert border.startswith("no-tools: ")
        assert "no-tools: " in ui.text()


async def test_a_filter_without_rows_says_so(browser, two_ends):
    async with browser() as ui:
        await ui.press("tab", "ctrl+l")
        assert "no entry passes the filter" in ui.text()
        await ui.press("up", "down", "left", "right", "space", "enter", "at", "minus")


async def test_a_session_without_entries_and_a_group_row(browser, two_ends, tmp_path):
    pi_session(tmp_path, header("empty"), id="empty")
    async with browser() as ui:
        # empty sessions are shown on demand
        await ui.press("full_stop", "e", "slash", *"empty", "enter")
        await ui.until(lambda: "no entries yet" in ui.text(), "the word")
        await ui.press("escape", "home")
        await ui.pilot.pause()
        assert ui.sessions.row is None
        assert "entries" not in ui.text()
        assert "Enter fold" in ui.text()
        await ui.press("tab")
        assert "read" not in ui.text().splitlines()[-1]
        assert "quit" in ui.text().splitlines()[-1]


async def test_rows_of_tools_use_the_width_and_leave_out_the_folder(browser, tmp_path):
    words = "one two three four five six seven eight nine ten eleven"
    commands = [
        f"cd /work/app && echo {words}",
        'cd "/work/app/" ; ls src',
        "cd /work/application && ls there",
        "cd /work/app",
        "printf " + "x" * 400,
    ]
    lines = [header("s"), message("p", None, "user", "go")]
    parent = "p"
    for number, command in enumerate(commands):
        call = {"type": "toolCall", "id": f"t{number}", "name": "bash", "arguments": {"command": command}}
        lines.append(message(f"a{number}", parent, "assistant", "", number, content=[call]))
        result = {"toolCallId": f"t{number}", "toolName": "bash"}
        lines.append(message(f"r{number}", f"a{number}", "toolResult", "done", number, **result))
        parent = f"r{number}"
    read = {"type": "toolCall", "id": "t9", "name": "read", "arguments": {"path": "/work/app/src/a.py"}}
    lines.append(message("a9", parent, "assistant", "", 9, content=[read]))
    lines.append(message("r9", "a9", "toolResult", "x = 1", 9, toolCallId="t9", toolName="read"))
    pi_session(tmp_path, *lines, id="s")
    async with browser(size=(150, 40)) as ui:
        await ui.press("tab", "plus")
        await ui.until(lambda: f"· bash echo {words}" in ui.text(), "the whole command")
        text = ui.text()
        assert "· bash ls src" in text
        assert "· bash cd /work/application && ls there" in text
        assert "· bash cd /work/app " in text
        assert "· bash printf x" in text
        assert "· read src/a.py" in text
