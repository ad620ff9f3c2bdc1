"""The tree and entry panes, key by key."""

from __future__ import annotations

import pytest

from tests.factory import chain, entry, header, message
from tests.ui.conftest import pi_session


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


def ids(it):
    return [it.tree.view.node(at).id for at in range(it.tree.view.count)]


def at(it):
    return it.tree.node.id


async def test_it_opens_on_the_leaf(browser, two_ends):
    async with browser() as it:
        assert ids(it) == ["a", "b", "e", "f", "g", "c", "d"]
        assert at(it) == "g"
        assert it.tree.follows
        assert "ship it" in it.entry.lines[0].text


async def test_left_closes_then_climbs_and_right_opens_then_enters(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "left")
        assert at(it) == "e"
        await it.press("left")
        assert ids(it) == ["a", "b", "e", "c", "d"]
        await it.press("left")
        assert at(it) == "b"
        await it.press("right", "right")
        assert ids(it) == ["a", "b", "e", "f", "g", "c", "d"]
        await it.press("right")
        assert at(it) == "f"


@pytest.mark.parametrize("modifier", ["ctrl", "alt"])
async def test_folds_and_stretches_as_in_pi(browser, two_ends, modifier):
    async with browser() as it:
        await it.press("tab", f"{modifier}+left")
        assert at(it) == "e"
        await it.press(f"{modifier}+right")
        assert at(it) == "g"
        await it.press(f"{modifier}+left", f"{modifier}+left")
        assert ids(it) == ["a", "b", "e", "c", "d"]
        await it.press(f"{modifier}+right")
        assert len(ids(it)) == 7


async def test_space_folds_and_a_folded_leaf_keeps_its_mark(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "left", "space")
        row = next(line for line in it.text().splitlines() if "⊞" in line)
        assert "(2)" in row
        assert "← active" in row
        await it.press("space")
        assert len(ids(it)) == 7


async def test_fold_all_but_the_active_path_and_unfold_all(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "minus")
        assert ids(it) == ["a", "b", "e", "f", "g", "c"]
        await it.press("equals_sign")
        assert len(ids(it)) == 7


async def test_turns(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "left_square_bracket")
        assert at(it) == "e"
        await it.press("alt+up")
        assert at(it) == "a"
        await it.press("right_square_bracket", "alt+down")
        assert at(it) == "g"


async def test_back_to_the_leaf(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "home")
        assert at(it) == "a"
        assert not it.tree.follows
        await it.press("full_stop")
        assert at(it) == "g"
        assert it.tree.follows


@pytest.mark.parametrize(
    ("key", "mode", "shown"),
    [
        ("ctrl+u", "user", ["a", "e", "g", "c"]),
        ("ctrl+t", "no-tools", ["a", "b", "e", "f", "g", "c", "d"]),
        ("ctrl+l", "labelled", []),
        ("ctrl+a", "all", ["a", "b", "e", "f", "x", "g", "c", "d"]),
    ],
)
async def test_filters_and_back(browser, two_ends, key, mode, shown):
    async with browser() as it:
        await it.press("tab", key)
        assert it.tree.mode == mode
        assert ids(it) == shown
        await it.press(key)
        assert it.tree.mode == "default"
        assert at(it) == "g"
        await it.press(key, "ctrl+d")
        assert it.tree.mode == "default"


@pytest.mark.parametrize("key", ["ctrl+t", "ctrl+a", "ctrl+o", "O"])
async def test_a_filter_unfolds_what_was_folded(browser, two_ends, key):
    async with browser() as it:
        await it.press("tab", "minus")
        assert "d" not in ids(it)
        await it.press("left", "space")
        assert "f" not in ids(it)
        await it.press(key)
        assert {"a", "b", "e", "f", "g", "c", "d"} <= set(ids(it))
        assert "⊞" not in it.text()
        await it.press("ctrl+d")
        assert ids(it) == ["a", "b", "e", "f", "g", "c", "d"]


async def test_filters_cycle(browser, two_ends):
    async with browser() as it:
        await it.press("tab")
        seen = []
        for _ in range(5):
            await it.press("ctrl+o")
            seen.append(it.tree.mode)
        assert seen == ["no-tools", "user", "labelled", "all", "default"]
        await it.press("O")
        assert it.tree.mode == "all"


async def test_a_hidden_entry_leaves_the_cursor_on_its_nearest_ancestor_and_gets_it_back(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "ctrl+a", "up")
        assert at(it) == "x"
        await it.press("ctrl+d")
        assert at(it) == "f"
        await it.press("ctrl+a")
        assert at(it) == "x"


async def test_hidden_entries_are_counted(browser, two_ends):
    async with browser() as it:
        assert "9 entries" not in it.text()
        assert "8 entries · default: 1 hidden" in it.text()


async def test_the_filter_is_kept_for_the_next_session(browser, two_ends, tmp_path):
    pi_session(tmp_path, *chain("one", "two", id="other"), id="other")
    async with browser() as it:
        first = it.sessions.row.id
        await it.press("tab", "ctrl+u", "shift+tab", "down")
        await it.settled()
        assert it.sessions.row.id != first
        assert all(it.tree.view.node(row).role == "user" for row in range(it.tree.rows))


async def test_the_entry_scrolls_and_steps_to_its_neighbours(browser, tmp_path):
    long = "\n".join(f"line {number}" for number in range(300))
    pi_session(tmp_path, *chain("first", long, id="s"), id="s")
    async with browser() as it:
        await it.press("tab", "tab", "end")
        assert "line 299" in it.text() or "role: assistant" in it.text()
        await it.press("home")
        assert "line 0" in it.text()
        await it.press("pagedown", "down", "up", "pageup")
        assert it.entry.scroll_offset.y == 0
        await it.press("left_square_bracket")
        await it.until(lambda: it.entry.lines and it.entry.lines[0].text == "first", "the entry before")
        await it.press("right_square_bracket")
        await it.until(lambda: it.entry.lines and it.entry.lines[0].text == "line 0", "the entry after")


async def test_the_entry_is_wrapped_anew_for_another_width(browser, tmp_path):
    pi_session(tmp_path, *chain("word " * 100, id="s"), id="s")
    async with browser(size=(160, 40)) as it:
        before = len(it.entry.lines)
        await it.pilot.resize_terminal(120, 40)
        await it.until(lambda: len(it.entry.lines) > before, "narrower lines")
        assert all(len(line.text) <= it.entry.cells for line in it.entry.lines)


async def test_a_megabyte_is_shown_a_window_at_a_time(browser, tmp_path):
    pi_session(tmp_path, *chain("x" * 600_000 + "\n" + "y\n" * 200_000, id="s"), id="s")
    async with browser() as it:
        await it.until(lambda: len(it.entry.lines) > 200_000, "all lines")
        # some windows: not the 200,000 lines, whose batches come while what is in sight is drawn
        assert it.entry.drawn < 10_000


async def test_damage_is_counted_in_the_tree(browser, tmp_path):
    pi_session(tmp_path, *chain("one", "two", id="s"), '{"broken', id="s")
    async with browser() as it:
        assert "1 damaged" in it.text()
        assert " ! " in next(line for line in it.text().splitlines() if "❯" in line)


async def test_the_entry_follows_a_filter_that_gives_the_cursor_back(browser, two_ends, tmp_path):
    pi_session(
        tmp_path,
        *chain("one", "two", "three", id="lab"),
        entry("label", "l", "00000003", targetId="00000001", label="here"),
        id="lab",
    )
    async with browser() as it:
        await it.press("slash", *"lab", "enter")
        await it.settled()
        await it.press("tab", "ctrl+l")
        await it.until(lambda: it.entry.lines[0].text == "one", "the labelled entry")
        await it.press("ctrl+l")
        assert at(it) == "00000003"
        await it.until(lambda: it.entry.lines[0].text == "three", "the entry under the cursor")


async def test_a_narrow_border_says_the_filter_first(browser, three):
    async with browser(size=(80, 24)) as it:
        await it.press("tab", "ctrl+t")
        said = it.screen.query_one("#tree-pane")._words[1]
        assert said.startswith("no-tools: ")
        assert "no-tools: " in it.text()


async def test_a_filter_that_shows_nothing_says_so(browser, two_ends):
    async with browser() as it:
        await it.press("tab", "ctrl+l")
        assert "no entry passes the filter" in it.text()
        await it.press("up", "down", "left", "right", "space", "enter", "full_stop", "minus")


async def test_a_session_without_entries_says_so_and_a_project_head_shows_nothing(
    browser, two_ends, tmp_path
):
    pi_session(tmp_path, header("empty"), id="empty")
    async with browser() as it:
        # empty sessions are shown on demand
        await it.press("full_stop", "slash", *"empty", "enter")
        await it.until(lambda: "no entries yet" in it.text(), "the word")
        await it.press("escape", "home")
        await it.pilot.pause()
        assert it.sessions.row is None
        assert "entries" not in it.text()
        assert "Enter fold" in it.text()
        await it.press("tab")
        assert "read" not in it.text().splitlines()[-1]
        assert "quit" in it.text().splitlines()[-1]
