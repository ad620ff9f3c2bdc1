"""What was found in a session is gone to in its tree, and marked in its entry."""

from __future__ import annotations

import json

import pytest

from app.messages import HitLocated
from app.sessions.tree import tree as session_tree
from tests.factory import append, chain, entry, header, message
from tests.ui.conftest import pi_session

BRANCHED = [
    header("s"),
    message("a", None, "user", "fix the login"),
    message("b", "a", "assistant", "too early"),
    message("c", "b", "user", "cache it"),
    message("d", "c", "assistant", "\n".join(f"line {n}" for n in range(200)) + "\nslower than before"),
    message("e", "b", "user", "use redis"),
    entry("custom", "x", "e", customType="t", data={"zebra": "stripes"}),
    message("f", "x", "assistant", "faster"),
]


@pytest.fixture
def branched(tmp_path):
    pi_session(tmp_path, *BRANCHED, id="s")
    return tmp_path


def hit(ui, entry_id, *words, where="", again=False):
    path = str(ui.path("s"))
    at = 0
    with open(path, "rb") as file:
        for line in file:
            if json.loads(line).get("id") == entry_id:
                break
            at += len(line)
    return HitLocated(path, "", entry_id, at, words, where, again=again)


def reading(ui):
    return ui.screen._reading


def marked(ui):
    """The marked pieces of the lines of the entry that are in sight."""
    pane = ui.entry
    seen = range(pane.scroll_offset.y, min(pane.scroll_offset.y + pane.size.height, len(pane.lines)))
    return [text for line in seen for text, style in pane.draw(line, 60, False) if style == "match"]


async def test_a_search_puts_the_cursor_on_what_it_found(browser, branched):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"slower")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "d", "the entry")
        await ui.until(lambda: marked(ui) == ["slower"], "the mark, in sight")
        assert "slower than before" in ui.text()
        assert "branch 1 of 2, not on the active path" in ui.text()
        await ui.press("escape")
        await ui.until(lambda: not marked(ui), "the end of the mark")
        assert ui.tree.node.id == "d"
        assert "not on the active path" not in ui.text()


async def test_what_is_found_in_another_session_is_gone_to_as_soon_as_that_is_shown(browser, branched):
    pi_session(branched, *chain("zeppelin", "it flies", "and lands", id="o"), id="o")
    async with browser(size=(160, 45)) as ui:
        for words, session, node in (("zeppelin", "o", "00000001"), ("slower", "s", "d")):
            await ui.press("slash", *words)
            await ui.until(lambda id=session: ui.sessions.row.id == id, "its session")
            await ui.until(lambda id=node: ui.tree.node is not None and ui.tree.node.id == id, "the entry")
            await ui.until(lambda text=words: marked(ui)[:1] == [text], "the mark")
            await ui.press("escape")


async def test_folds_and_filters_that_hide_it_are_left(browser, branched):
    async with browser() as ui:
        await ui.press("tab", "ctrl+u", "minus")
        reading(ui).open_at(hit(ui, "d", "slower"))
        assert ui.tree.node.id == "d"
        assert ui.tree.mode == "default"
        await ui.press("minus")
        assert ui.tree.node.id == "c"
        reading(ui).open_at(hit(ui, "f", "faster"))
        reading(ui).open_at(hit(ui, "d", "slower"))
        assert ui.tree.node.id == "d"
        reading(ui).open_at(hit(ui, "x", "zebra"))
        assert (ui.tree.node.id, ui.tree.mode) == ("x", "all")


@pytest.mark.parametrize(("own", "chosen"), [((), "default"), (("ctrl+u",), "user")])
async def test_a_filter_that_was_left_for_it_is_back_in_the_next_session(browser, branched, own, chosen):
    pi_session(branched, *chain("one", "two", id="o"), id="o")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("s")))
        await ui.settled()
        await ui.press("tab", *own, "shift+tab")
        reading(ui).open_at(hit(ui, "x", "zebra"))
        assert ui.tree.mode == "all"
        reading(ui).open_at(hit(ui, "d", "slower"))
        for id in ("o", "s"):
            ui.sessions.go_to(str(ui.path(id)))
            await ui.settled()
            assert (ui.tree.mode, ui.tree.view.mode) == (chosen, chosen)
            assert "all: " not in ui.text()


async def test_a_filter_that_was_chosen_since_stays(browser, branched):
    pi_session(branched, *chain("one", "two", id="o"), id="o")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("s")))
        await ui.settled()
        reading(ui).open_at(hit(ui, "x", "zebra"))
        await ui.press("tab", "ctrl+t", "shift+tab")
        ui.sessions.go_to(str(ui.path("o")))
        await ui.settled()
        assert ui.tree.mode == ui.tree.view.mode == "no-tools"


async def test_its_place_moves_nobody(browser, branched):
    async with browser(size=(160, 45)) as ui:
        reading(ui).open_at(hit(ui, "d", "slower"))
        await ui.press("tab", "home")
        assert ui.tree.node.id == "a"
        reading(ui).open_at(hit(ui, "d", "slower", where="branch 1 of 2, not on the active path", again=True))
        await ui.pilot.pause()
        assert ui.tree.node.id == "a"
        assert "branch 1 of 2, not on the active path" in ui.text()


async def test_a_hit_of_another_session_and_one_that_is_gone_move_nobody(browser, branched):
    async with browser() as ui:
        before = ui.tree.node
        other = hit(ui, "d", "slower")
        other.path += ".other"
        reading(ui).open_at(other)
        gone = hit(ui, "d", "slower")
        gone.entry_id, gone.offset = "nowhere", 3
        reading(ui).open_at(gone)
        reading(ui).open_at(HitLocated(str(ui.path("s")), "", None, -1, ("fix",), ""))
        assert ui.tree.node is before


async def test_marks_go_with_the_session(browser, branched, tmp_path):
    pi_session(tmp_path, *chain("one", "two faster", id="other"), id="other")
    async with browser() as ui:
        first = ui.sessions.row.path
        where = HitLocated(first, "", None, -1, ("faster",), "")
        reading(ui).open_at(where)
        assert ui.entry.words == ("faster",)
        await ui.press("down")
        await ui.settled()
        assert ui.sessions.row.path != first
        assert ui.entry.words == ()


async def test_in_a_long_session_it_is_gone_to_when_the_whole_is_there(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(session_tree, "END_BYTES", 4096)
    lines = chain(*(f"text {n} " + "word " * 20 for n in range(400)), id="s")
    pi_session(tmp_path, *lines, id="s")
    async with browser() as ui:
        reading(ui).show(None)
        reading(ui).show(ui.sessions.row)
        reading(ui).open_at(hit(ui, f"{3:08x}", "text 2"))
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == f"{3:08x}", "the entry")
        assert ui.tree.view.tree.is_whole
        await ui.until(lambda: marked(ui) == ["text 2"], "the mark")


async def test_the_selector_opens_its_preview_at_what_was_found(browser, branched):
    async with browser(size=(140, 30), selector="") as ui:
        await ui.until(lambda: "faster" in ui.text(), "the end")
        await ui.press(*"slower")
        await ui.until(lambda: "branch 1 of 2, not on the active path" in ui.text(), "where it is")
        assert "slower than before" in ui.text()
        assert "4 of 4" in ui.text()
        await ui.press("escape")
        await ui.until(lambda: "slower" not in ui.text(), "the end again")


async def test_the_selectors_preview_follows_a_session_that_grows(browser, branched):
    async with browser(size=(140, 30), selector="") as ui:
        await ui.until(lambda: "faster" in ui.text(), "the end")
        append(ui.path("s"), message("new", "f", "user", "one thing more", 60))
        await ui.until(lambda: "one thing more" in ui.text(), "what came")


# from place to place


def border(ui):
    return ui.screen.query_one("#tree-pane")._words[1]


async def go(ui, key, node):
    await ui.press(key)
    await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "all that there is")
    await ui.until(lambda: ui.tree.node.id == node, "the next place")


async def test_after_a_search_of_the_sessions_n_goes_from_place_to_place(browser, tmp_path):
    lines = [
        header("s"),
        message("a", None, "user", "the token is old"),
        message("b", "a", "assistant", "which?"),
        message("c", "b", "user", "the session Token"),
        message("d", "c", "assistant", "fine"),
        message("e", "b", "user", "use redis for tokens"),
    ]
    pi_session(tmp_path, *lines, id="s")
    async with browser() as ui:
        await ui.press("slash", *"token", "enter", "t")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id in "ace", "the entry")
        order = ["a", "e", "c"]
        at = order.index(ui.tree.node.id)
        for step, key in ((1, "n"), (2, "n"), (3, "n"), (2, "N"), (1, "N")):
            await go(ui, key, order[(at + step) % 3])
        assert border(ui).startswith(f"{order.index(ui.tree.node.id) + 1} of 3")
        await ui.until(lambda: marked(ui) and marked(ui)[0].casefold() == "token", "the mark, in its entry")
        await ui.press("escape")
        assert ui.tree.hits is None
        assert "of 3" not in border(ui)
        assert (ui.focus, ui.box.value) == ("tree", "token"), "one step back"
        await ui.press("escape")
        assert ui.box.value == ""


async def test_words_that_no_entry_has_all_of_are_gone_to_one_by_one(browser, branched):
    async with browser() as ui:
        await ui.press("slash", *"redis", "space", *"cache", "space", *"login", "enter", "t")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id in "ace", "the entry")
        seen = []
        for _ in range(3):
            before = ui.tree.node.id
            await ui.press("n")
            await ui.until(lambda last=before: ui.tree.node.id != last, "the next place")
            seen.append(ui.tree.node.id)
        assert sorted(seen) == ["a", "c", "e"]
        assert "of 3" in border(ui)


async def test_another_search_of_the_sessions_ends_the_one_in_the_tree(browser, branched):
    pi_session(branched, *chain("slower", "a second", "slower again", id="o"), id="o")
    async with browser() as ui:
        await ui.press("slash", *"redis", "enter", "t")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "e", "the entry")
        await go(ui, "n", "e")
        assert "1 of 1" in border(ui)
        await ui.press("slash")
        assert ui.tree.hits is None
        await ui.press("escape", "escape", "slash", *"slower")
        await ui.until(lambda: ui.sessions.row.id == "o" and ui.tree.view is not None, "the other session")
        await ui.press("enter", "t")
        await ui.until(lambda: ui.tree.node is not None, "its tree")
        first = ui.tree.node.id
        assert ui.tree.hits is None
        await ui.press("n")
        await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "the search")
        await ui.until(lambda: ui.tree.node.id != first, "the other place")


async def test_where_no_words_are_looked_for_that_is_said(browser, branched):
    async with browser() as ui:
        await ui.press("t", "n")
        assert ui.toasts() == ["No words are looked for here: / searches the tree"]
