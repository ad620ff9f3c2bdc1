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


def hit(it, entry_id, *words, where="", again=False):
    path = str(it.path("s"))
    at = 0
    with open(path, "rb") as file:
        for line in file:
            if json.loads(line).get("id") == entry_id:
                break
            at += len(line)
    return HitLocated(path, "", entry_id, at, words, where, again=again)


def reading(it):
    return it.screen._reading


def marked(it):
    """The marked pieces of the lines of the entry that are in sight."""
    pane = it.entry
    seen = range(pane.scroll_offset.y, min(pane.scroll_offset.y + pane.size.height, len(pane.lines)))
    return [text for line in seen for text, style in pane.draw(line, 60, False) if style == "match"]


async def test_a_search_puts_the_cursor_on_what_it_found(browser, branched):
    async with browser(size=(160, 45)) as it:
        await it.press("slash", *"slower")
        await it.until(lambda: it.tree.node is not None and it.tree.node.id == "d", "the entry")
        await it.until(lambda: marked(it) == ["slower"], "the mark, in sight")
        assert "slower than before" in it.text()
        assert "branch 1 of 2, not on the active path" in it.text()
        await it.press("escape")
        await it.until(lambda: not marked(it), "the end of the mark")
        assert it.tree.node.id == "d"
        assert "not on the active path" not in it.text()


async def test_what_is_found_in_another_session_is_gone_to_as_soon_as_that_is_shown(browser, branched):
    pi_session(branched, *chain("zeppelin", "it flies", "and lands", id="o"), id="o")
    async with browser(size=(160, 45)) as it:
        for words, session, node in (("zeppelin", "o", "00000001"), ("slower", "s", "d")):
            await it.press("slash", *words)
            await it.until(lambda id=session: it.sessions.row.id == id, "its session")
            await it.until(lambda id=node: it.tree.node is not None and it.tree.node.id == id, "the entry")
            await it.until(lambda text=words: marked(it)[:1] == [text], "the mark")
            await it.press("escape")


async def test_folds_and_filters_that_hide_it_are_left(browser, branched):
    async with browser() as it:
        await it.press("tab", "ctrl+u", "minus")
        reading(it).open_at(hit(it, "d", "slower"))
        assert it.tree.node.id == "d"
        assert it.tree.mode == "default"
        await it.press("minus")
        assert it.tree.node.id == "c"
        reading(it).open_at(hit(it, "f", "faster"))
        reading(it).open_at(hit(it, "d", "slower"))
        assert it.tree.node.id == "d"
        reading(it).open_at(hit(it, "x", "zebra"))
        assert (it.tree.node.id, it.tree.mode) == ("x", "all")


@pytest.mark.parametrize(("own", "chosen"), [((), "default"), (("ctrl+u",), "user")])
async def test_a_filter_that_was_left_for_it_is_back_in_the_next_session(browser, branched, own, chosen):
    pi_session(branched, *chain("one", "two", id="o"), id="o")
    async with browser() as it:
        it.sessions.go_to(str(it.path("s")))
        await it.settled()
        await it.press("tab", *own, "shift+tab")
        reading(it).open_at(hit(it, "x", "zebra"))
        assert it.tree.mode == "all"
        reading(it).open_at(hit(it, "d", "slower"))
        for id in ("o", "s"):
            it.sessions.go_to(str(it.path(id)))
            await it.settled()
            assert (it.tree.mode, it.tree.view.mode) == (chosen, chosen)
            assert "all: " not in it.text()


async def test_a_filter_that_was_chosen_since_stays(browser, branched):
    pi_session(branched, *chain("one", "two", id="o"), id="o")
    async with browser() as it:
        it.sessions.go_to(str(it.path("s")))
        await it.settled()
        reading(it).open_at(hit(it, "x", "zebra"))
        await it.press("tab", "ctrl+t", "shift+tab")
        it.sessions.go_to(str(it.path("o")))
        await it.settled()
        assert it.tree.mode == it.tree.view.mode == "no-tools"


async def test_its_place_moves_nobody(browser, branched):
    async with browser(size=(160, 45)) as it:
        reading(it).open_at(hit(it, "d", "slower"))
        await it.press("tab", "home")
        assert it.tree.node.id == "a"
        reading(it).open_at(hit(it, "d", "slower", where="branch 1 of 2, not on the active path", again=True))
        await it.pilot.pause()
        assert it.tree.node.id == "a"
        assert "branch 1 of 2, not on the active path" in it.text()


async def test_a_hit_of_another_session_and_one_that_is_gone_move_nobody(browser, branched):
    async with browser() as it:
        before = it.tree.node
        other = hit(it, "d", "slower")
        other.path += ".other"
        reading(it).open_at(other)
        gone = hit(it, "d", "slower")
        gone.entry_id, gone.offset = "nowhere", 3
        reading(it).open_at(gone)
        reading(it).open_at(HitLocated(str(it.path("s")), "", None, -1, ("fix",), ""))
        assert it.tree.node is before


async def test_marks_go_with_the_session(browser, branched, tmp_path):
    pi_session(tmp_path, *chain("one", "two faster", id="other"), id="other")
    async with browser() as it:
        first = it.sessions.row.path
        where = HitLocated(first, "", None, -1, ("faster",), "")
        reading(it).open_at(where)
        assert it.entry.words == ("faster",)
        await it.press("down")
        await it.settled()
        assert it.sessions.row.path != first
        assert it.entry.words == ()


async def test_in_a_long_session_it_is_gone_to_when_the_whole_is_there(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(session_tree, "END_BYTES", 4096)
    lines = chain(*(f"text {n} " + "word " * 20 for n in range(400)), id="s")
    pi_session(tmp_path, *lines, id="s")
    async with browser() as it:
        reading(it).show(None)
        reading(it).show(it.sessions.row)
        reading(it).open_at(hit(it, f"{3:08x}", "text 2"))
        await it.until(lambda: it.tree.node is not None and it.tree.node.id == f"{3:08x}", "the entry")
        assert it.tree.view.tree.is_whole
        await it.until(lambda: marked(it) == ["text 2"], "the mark")


async def test_the_selector_opens_its_preview_at_what_was_found(browser, branched):
    async with browser(size=(140, 30), selector="") as it:
        await it.until(lambda: "faster" in it.text(), "the end")
        await it.press(*"slower")
        await it.until(lambda: "branch 1 of 2, not on the active path" in it.text(), "where it is")
        assert "slower than before" in it.text()
        assert "4 of 4" in it.text()
        await it.press("escape")
        await it.until(lambda: "slower" not in it.text(), "the end again")


async def test_the_selectors_preview_follows_a_session_that_grows(browser, branched):
    async with browser(size=(140, 30), selector="") as it:
        await it.until(lambda: "faster" in it.text(), "the end")
        append(it.path("s"), message("new", "f", "user", "one thing more", 60))
        await it.until(lambda: "one thing more" in it.text(), "what came")


# from place to place


def border(it):
    return it.screen.query_one("#tree-pane")._words[1]


async def go(it, key, node):
    await it.press(key)
    await it.until(lambda: it.tree.hits is not None and it.tree.hits.done, "all that there is")
    await it.until(lambda: it.tree.node.id == node, "the next place")


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
    async with browser() as it:
        await it.press("slash", *"token", "enter", "t")
        await it.until(lambda: it.tree.node is not None and it.tree.node.id in "ace", "the entry")
        order = ["a", "e", "c"]
        at = order.index(it.tree.node.id)
        for step, key in ((1, "n"), (2, "n"), (3, "n"), (2, "N"), (1, "N")):
            await go(it, key, order[(at + step) % 3])
        assert border(it).startswith(f"{order.index(it.tree.node.id) + 1} of 3")
        await it.until(lambda: marked(it) and marked(it)[0].casefold() == "token", "the mark, in its entry")
        await it.press("escape")
        assert it.tree.hits is None
        assert "of 3" not in border(it)
        assert (it.focus, it.box.value) == ("tree", "token"), "one step back"
        await it.press("escape")
        assert it.box.value == ""


async def test_words_that_no_entry_has_all_of_are_gone_to_one_by_one(browser, branched):
    async with browser() as it:
        await it.press("slash", *"redis", "space", *"cache", "space", *"login", "enter", "t")
        await it.until(lambda: it.tree.node is not None and it.tree.node.id in "ace", "the entry")
        seen = []
        for _ in range(3):
            before = it.tree.node.id
            await it.press("n")
            await it.until(lambda last=before: it.tree.node.id != last, "the next place")
            seen.append(it.tree.node.id)
        assert sorted(seen) == ["a", "c", "e"]
        assert "of 3" in border(it)


async def test_another_search_of_the_sessions_ends_the_one_in_the_tree(browser, branched):
    pi_session(branched, *chain("slower", "a second", "slower again", id="o"), id="o")
    async with browser() as it:
        await it.press("slash", *"redis", "enter", "t")
        await it.until(lambda: it.tree.node is not None and it.tree.node.id == "e", "the entry")
        await go(it, "n", "e")
        assert "1 of 1" in border(it)
        await it.press("slash")
        assert it.tree.hits is None
        await it.press("escape", "escape", "slash", *"slower")
        await it.until(lambda: it.sessions.row.id == "o" and it.tree.view is not None, "the other session")
        await it.press("enter", "t")
        await it.until(lambda: it.tree.node is not None, "its tree")
        first = it.tree.node.id
        assert it.tree.hits is None
        await it.press("n")
        await it.until(lambda: it.tree.hits is not None and it.tree.hits.done, "the search")
        await it.until(lambda: it.tree.node.id != first, "the other place")


async def test_where_no_words_are_looked_for_that_is_said(browser, branched):
    async with browser() as it:
        await it.press("t", "n")
        assert it.toasts() == ["No words are looked for here: / searches the tree"]
