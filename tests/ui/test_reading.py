"""The transcript in the browser, and scrolling beside the list."""

from __future__ import annotations

import pytest

from app.controllers import entry_texts
from tests.factory import append, chain, message
from tests.ui.conftest import WAYS, pi_session

MEASURE = 96  # most cells of a line of text


def reading(ui):
    """The lines of the transcript in the browser."""
    return ui.screen.beside.transcript_pane.lines


async def shown(ui, text):
    await ui.until(lambda: text in ui.text(), text)


async def read_branchy(ui):
    """Show the transcript of the branched session of `three`."""
    ui.sessions.go_to(str(ui.path("branchy")))
    await ui.settled()
    await ui.press("v")
    await shown(ui, "▌ use redis")


def block(ui):
    """The text of the block with the cursor."""
    placed = reading(ui).transcript.placed
    return placed.block.lines[-1].text.strip("▌ ")


async def test_the_transcript_is_the_preview_and_follows_the_list(browser, three):
    async with browser() as ui:
        await shown(ui, "▌ use redis")
        assert "◆ redis idea" in ui.text()
        assert not ui.tree.is_on_screen
        ui.sessions.go_to(str(ui.path("plain")))
        await shown(ui, "▌ write a man page")
        assert ui.focus == "sessions"


async def test_the_transcript_follows_the_cursor_of_the_tree_to_every_branch(browser, three):
    async with browser() as ui:
        await ui.press("t", "plus")
        seen = []
        for _ in range(ui.tree.view.count):
            node = ui.tree.node
            await ui.until(lambda node=node: pointed(ui) == node.id, "the same entry")
            seen.append(block(ui))
            await ui.press("up")
        assert {"faster", "use redis", "slower", "cache it", "fix the login"} <= set(seen)
        ui.tree.open_at("00000004", -1)
        await ui.until(lambda: "branch 1 of 2" in ui.screen.beside.transcript_pane.words[1], "its branch")


def pointed(ui):
    """The id of the entry of the block with the cursor."""
    ref = reading(ui).transcript.ref()
    return ref.anchor.entry_id if ref is not None else None


async def test_an_entry_near_the_end_has_the_mark_while_the_tree_is_on_it(browser, tmp_path):
    words = [f"text {number}" for number in range(60)]
    pi_session(tmp_path, *chain(*words, id="long"), id="long")
    async with browser() as ui:
        await ui.press("t", "home")
        await ui.until(lambda: pointed(ui) == "00000001", "the first entry")
        await ui.press("end", "up", "up")
        await ui.until(lambda: pointed(ui) == ui.tree.node.id and reading(ui).is_at_bottom, "the entry")
        line = reading(ui).pointer
        assert reading(ui).ground_of(line, False) == "cursor-idle"
        await ui.press("1")
        assert reading(ui).ground_of(line, False) != "cursor-idle"


async def test_the_tree_is_shown_at_the_entry_of_the_transcript_and_read_from_there(browser, three):
    async with browser() as ui:
        await read_branchy(ui)
        await ui.press("left_square_bracket", "left_square_bracket")
        assert block(ui) == "fix the login"
        await ui.press("t")
        await ui.until(lambda: ui.focus == "tree", "the tree")
        assert ui.tree.node.id == "00000001"
        await ui.press("right", "down", "v")
        await ui.until(lambda: ui.focus == "transcript" and block(ui) == "the token is read too early", "it")
        await ui.press("escape")
        assert ui.focus == "tree"
        assert ui.tree.node.id == "00000002"


async def test_a_new_end_is_shown_while_the_tree_follows_its_leaf(browser, three):
    async with browser() as ui:
        await ui.press("t")
        append(ui.path("branchy"), message("n", "h", "user", "and now this", 30))
        await shown(ui, "▌ and now this")
        await ui.press("K")
        top = reading(ui).top
        append(ui.path("branchy"), message("o", "n", "assistant", "word\n\n" * 80, 31))
        await ui.until(lambda: ui.tree.node.id == "o", "the leaf")
        assert reading(ui).top == top or top == 0


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_the_transcript_fits_small_screens(browser, three, size):
    async with browser(size=size) as ui:
        await read_branchy(ui)
        await ui.press("escape")
        await ui.until(lambda: ui.focus == "sessions", "the list")


async def test_a_block_is_labelled_and_gone_on_from(browser, three):
    async with browser() as ui:
        await read_branchy(ui)
        await ui.press("left_square_bracket", "left_square_bracket", "L", *"start", "enter")
        await ui.until(lambda: "start" in ui.path("branchy").read_text(), "the label")
        assert '"targetId":"00000001"' in ui.path("branchy").read_text().splitlines()[-1].replace(" ", "")
        await shown(ui, "◆ start")
        await ui.press("enter")
        await ui.until(lambda: len(ui.app.screen_stack) > 1, "the dialog")
        assert ui.focus != "transcript"


# from the search line


@pytest.mark.parametrize("way", WAYS)
async def test_the_pane_beside_is_scrolled_from_the_search_line(browser, tmp_path, way):
    texts = [f"line {number}" for number in range(100)]
    pi_session(tmp_path, *chain("find me", "\n".join(texts), id="long"), id="long")
    async with browser(size=(120, 30), **way) as ui:
        if not ui.selects:
            await ui.press("slash")
        await shown(ui, "find me")
        await ui.press("ctrl+f", "ctrl+f", "ctrl+f", "ctrl+f", "ctrl+f", "ctrl+f")
        await shown(ui, "line 99")
        assert ui.focus == "filter"
        await ui.press("ctrl+b")
        await ui.until(lambda: "line 99" not in ui.text(), "a page up")
        await ui.press("shift+down")
        before = ui.text()
        await ui.press("shift+up")
        assert ui.text() != before
        await ui.press("alt+pagedown", "ctrl+f")
        await shown(ui, "line 99")
        await ui.press(*"find")
        assert ui.box.value == "find", "the keys stay in the line"


async def test_a_search_in_the_transcript_ends_with_escape_before_the_transcript_does(browser, three):
    async with browser() as ui:
        await read_branchy(ui)
        await ui.press("slash", *"token", "enter")
        await shown(ui, "hit 1 of 1")
        assert ui.focus == "transcript"
        await shown(ui, " n N next hit  Esc end search  ")
        await ui.pilot.click("#keys", offset=(3, 0))
        await shown(ui, "hit 1 of 1")
        await ui.press("escape")
        await ui.until(lambda: "hit 1 of 1" not in ui.text(), "the end of the search")
        await ui.until(lambda: "next hit" not in ui.text(), "the end of its keys")
        assert ui.focus == "transcript"
        await ui.press("escape")
        await ui.until(lambda: ui.focus == "sessions", "the list")


async def test_n_in_the_transcript_goes_to_the_hits_of_the_search_of_all_sessions(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"the", "enter")
        ui.sessions.go_to(str(ui.path("branchy")))
        await ui.settled()
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and bool(reading(ui).lines), "the transcript")
        await ui.press("n")
        await shown(ui, "hit ")
        first = block(ui)
        await ui.press("n")
        await ui.until(lambda: block(ui) != first, "the next hit")
        await ui.press("escape", "escape")
        await ui.until(lambda: not ui.box.value, "the end of the search")
        await ui.until(lambda: "hit " not in ui.text(), "no hit any more")


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_live_session_is_followed_and_counts_what_is_below(browser, tmp_path, size):
    path = pi_session(tmp_path, *chain(*map(str, range(60)), id="live"), id="live")
    async with browser(size=size) as ui:
        ui.sessions.states = {str(path): "live"}
        await ui.press("v")
        await shown(ui, "● open, following")
        await ui.press("pageup")
        await ui.until(lambda: "following" not in ui.text(), "the view above the end")
        append(path, message("n", f"{60:08x}", "user", "new"))
        await shown(ui, "1 new entry below (G)")
        await ui.press("G")
        await shown(ui, "▌ new")
        await ui.until(lambda: "new entry" not in ui.text(), "the end")


async def test_the_entry_of_a_block_is_opened_in_the_editor(browser, three, monkeypatch):
    opened = []
    monkeypatch.setattr(
        entry_texts, "open_in_program", lambda app, kind, text, suffix, env, shown: opened.append(text)
    )
    async with browser(size=(120, 40)) as ui:
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and "faster" in ui.text(), "the transcript")
        await ui.press("home", "e")
        await ui.until(lambda: opened, "the editor")
        assert opened[0].startswith("fix the login")


async def test_keys_of_the_tree_never_act_on_it_while_it_is_out_of_sight(browser, three):
    async with browser() as ui:
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and bool(reading(ui).lines), "the transcript")
        before = (ui.tree.cursor, ui.tree.tree_filter, ui.tree.view.count)
        ui.screen.beside.action_in_tree("toggle_hidden")
        assert ui.toasts() == ["This key acts on the tree, which is not shown"]
        # The palette and the list also run these commands.
        ui.screen.beside.action_in_tree("go_parent")
        shown = block(ui)
        ui.screen.beside.action_in_tree("previous_turn")
        assert block(ui) != shown
        assert (ui.tree.cursor, ui.tree.tree_filter, ui.tree.view.count) == before


async def test_a_line_of_a_wide_transcript_has_a_readable_length(browser, tmp_path):
    pi_session(tmp_path, *chain("long", "word " * 200, id="long"), id="long")
    async with browser(size=(200, 50)) as ui:
        await ui.press("v")
        await shown(ui, "word word")
        lines = [line.strip() for line in ui.text().splitlines() if line.strip().startswith("word word")]
        assert 90 < max(map(len, lines)) <= MEASURE
