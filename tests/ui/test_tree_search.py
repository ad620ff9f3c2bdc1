"""Searching the entries of the tree, key by key, and moves to branch points and labels."""

from __future__ import annotations

import json
import re
import threading
import weakref

import pytest

from app.sessions import TreeText
from app.sessions.tree import tree_text
from tests.factory import chain, entry, header, message
from tests.ui.conftest import pi_session, strips
from tests.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("tree_shown")


def call(id, parent, name, arguments):
    block = {"type": "toolCall", "id": f"call-{id}", "name": name, "arguments": arguments}
    return entry("message", id, parent, message={"role": "assistant", "content": [block]})


def result(id, parent, call_id, name, text):
    body = {"role": "toolResult", "toolCallId": f"call-{call_id}", "toolName": name}
    return entry("message", id, parent, message={**body, "content": [{"type": "text", "text": text}]})


@pytest.fixture
def forked(tmp_path):
    pi_session(
        tmp_path,
        header("s"),
        message("a", None, "user", "Fix the Login"),
        message("b", "a", "assistant", "too early"),
        message("c", "b", "user", "cache the login"),
        message("d", "c", "assistant", "slower"),
        message("e", "b", "user", "use redis"),
        call("t", "e", "bash", {"command": "grep token"}),
        result("r", "t", "t", "bash", "src/auth.py"),
        message("f", "r", "assistant", "faster login, " + "very " * 200 + "hidden"),
        entry("label", "l", "f", 5, targetId="d", label="Slow one"),
        message("g", "l", "user", "ship it"),
        id="s",
    )
    return tmp_path


def cursor_id(ui):
    return ui.tree.node.id


def border(ui):
    return ui.screen.query_one("#tree-pane").words[1]


async def search(ui, text):
    await ui.press("slash", *text)
    assert "Enter to the tree" in ui.text()
    await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "the search")


async def test_a_search_moves_to_the_first_hit_and_n_to_the_next(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home", "down")
        await search(ui, "login")
        assert ui.focus == "find"
        assert (cursor_id(ui), border(ui).split(" · ")[0]) == ("f", "hit 2 of 3")
        await ui.press("enter")
        assert ui.focus == "tree"
        await ui.press("n")
        assert (cursor_id(ui), border(ui).split(" · ")[0]) == ("c", "hit 3 of 3")
        await ui.press("n")
        assert cursor_id(ui) == "a"
        await ui.press("N", "N")
        assert cursor_id(ui) == "f"
        await ui.press("down")
        assert border(ui).startswith("3 found")


@pytest.mark.parametrize(("keys", "reached"), [((), "f"), (("n",), "c"), (("down",), None)])
async def test_keys_before_the_first_hit_have_the_same_effect_as_after_it(
    browser, forked, monkeypatch, keys, reached
):
    go, find = threading.Event(), TreeText.find

    def find_later(*arguments):
        assert go.wait(PATIENCE)
        return find(*arguments)

    monkeypatch.setattr(TreeText, "find", find_later)
    async with browser() as ui:
        await ui.press("tab", "home", "down", "slash", *"login", "enter", *keys)
        before = cursor_id(ui)
        go.set()
        await ui.until(lambda: ui.tree.hits.done, "the search")
        assert cursor_id(ui) == (reached or before)


@pytest.fixture
def texts(monkeypatch):
    """A function that gives the texts of the trees that were read before a search and not released."""
    read = []

    def recorded(tree, **options):
        text = TreeText(tree, **options)
        read.append(weakref.ref(text))
        return text

    monkeypatch.setattr(tree_text, "TreeText", recorded)
    return lambda: [text for reference in read if (text := reference()) is not None]


async def test_texts_are_read_when_the_tree_gets_the_focus(browser, forked, texts):
    async with browser() as ui:
        assert texts() == []
        await ui.press("tab")
        await ui.until(lambda: texts() and texts()[0].kept, "the texts")
        read = texts()[0].read
        await search(ui, "login")
        await ui.press("escape", "slash", "r")
        await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "the search")
        assert [text.read for text in texts()] == [read]


async def test_the_texts_of_another_session_are_dropped(browser, forked, texts):
    pi_session(forked, *chain("other", "yes", id="t"), id="t")
    async with browser() as ui:
        await ui.press("tab")
        await ui.until(lambda: texts() and texts()[0].kept, "the texts")
        await ui.press("tab", "tab", "down")
        await ui.settled()
        await ui.until(lambda: texts() == [], "that they are gone")


async def test_every_word_must_match_and_no_row_is_hidden(browser, forked):
    async with browser() as ui:
        rows = ui.tree.rows
        await ui.press("tab")
        await search(ui, "LOGIN user")
        assert ui.tree.hits.counted(ui.tree.view, None)[1:] == (2, 0)
        assert ui.tree.rows == rows


async def test_text_label_role_and_tool_are_searched(browser, forked):
    hits = {
        "hidden": "f",
        "slow one": "d",
        "toolresult": "r",
        "bash": "r",
        "grep token": "r",
        "auth.py": "r",
        "redis": "e",
    }
    async with browser() as ui:
        await ui.press("tab")
        for typed, hit_id in hits.items():
            await ui.press("at")
            names = {" ": "space", ".": "full_stop"}
            await search(ui, [names.get(letter, letter) for letter in typed])
            assert cursor_id(ui) == hit_id, typed
            await ui.press("escape")
            assert ui.tree.hits is None


async def test_hidden_hits_are_counted_separately(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        await search(ui, "bash")
        assert border(ui).startswith("hit 1 of 2 · 1 not in this filter (. e)")
        await ui.press("enter", "ctrl+a")
        assert border(ui).startswith("hit 2 of 2 ·")
        await ui.press("ctrl+u")
        assert border(ui).startswith("2 found · 2 not in this filter (. e)")


async def test_a_search_opens_the_folds_and_n_opens_one(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "plus", "end", "ctrl+left", "ctrl+left")
        assert ui.tree.view.folded
        await search(ui, "login")
        assert not ui.tree.view.folded
        await ui.press("enter", "minus", "home", "N")
        assert cursor_id(ui) == "c"
        await ui.press("home", "left")
        assert ui.tree.rows == 1
        await ui.press("n")
        assert cursor_id(ui) == "f"


async def test_escape_returns_to_the_entry_before_the_search(browser, forked):
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "login")
        assert cursor_id(ui) != "g"
        await ui.press("escape")
        assert (cursor_id(ui), ui.focus, ui.tree.hits) == ("g", "tree", None)
        assert ui.tree.follows
        assert "searching" not in border(ui)


async def test_escape_ends_a_kept_search_and_leaves_the_cursor(browser, forked):
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "redis")
        await ui.press("enter", "escape")
        assert (cursor_id(ui), ui.focus, ui.tree.hits) == ("e", "tree", None)
        await ui.press("escape")
        assert ui.focus == "sessions"


async def test_arrows_move_between_hits_while_typing(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        await search(ui, "login")
        assert cursor_id(ui) == "a"
        await ui.press("down")
        assert cursor_id(ui) == "f"
        await ui.press("up")
        assert cursor_id(ui) == "a"
        await ui.press("slash")
        assert ui.screen.query_one("#find").value == "login/"
        await ui.until(lambda: border(ui).startswith("nothing found"), "the answer")


async def test_hits_have_a_mark_and_highlights(browser, forked):
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "redis")
        row = next(line for line in ui.text().splitlines() if "use redis" in line)
        assert "❯•/" in row
        assert ui.screen.beside.tree_pane.searched_words == ("redis",)
        await ui.press("escape")
        assert ui.screen.beside.tree_pane.searched_words == ()


async def test_appended_entries_are_searched(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        await search(ui, "xylograph")
        assert border(ui).startswith("nothing found")
        with ui.path("s").open("a") as file:
            file.write(json.dumps(message("h", "g", "assistant", "a xylograph")) + "\n")
        await ui.until(lambda: ui.tree.hits.counted(ui.tree.view, None)[1] == 1, "the new entry")


async def test_another_session_is_searched_for_the_same_words(browser, forked):
    pi_session(forked, header("o"), message("x", None, "user", "login here"), id="o")
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "login")
        await ui.press("enter", "shift+tab", "down")
        await ui.settled()
        if ui.tree.view.tree.header.id != "o":
            await ui.press("up")
            await ui.settled()
        await ui.until(lambda: ui.tree.hits.done and ui.tree.view.tree.header.id == "o", "the other")
        assert border(ui).startswith("hit 1 of 1")


async def test_moves_to_branch_points_labels_and_the_parent(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "plus", "home", "b")
        assert cursor_id(ui) == "b"
        await ui.press("b")
        assert cursor_id(ui) == "b"
        await ui.press("m")
        assert cursor_id(ui) == "d"
        await ui.press("m")
        assert cursor_id(ui) == "d"
        await ui.press("backspace")
        assert cursor_id(ui) == "c"
        await ui.press("backspace")
        assert cursor_id(ui) == "b"
        await ui.press("end", "B")
        assert cursor_id(ui) == "b"
        await ui.press("end", "M")
        assert cursor_id(ui) == "d"


async def test_a_label_in_a_fold_is_reached(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "minus", "home", "m")
        assert cursor_id(ui) == "d"


async def test_the_cursor_wraps_around_as_in_pi(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "plus", "home", "up")
        assert cursor_id(ui) == "d"
        await ui.press("down")
        assert cursor_id(ui) == "a"


async def test_label_times_can_be_shown(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "plus")
        row = next(line for line in ui.text().splitlines() if "Slow one" in line and "◆" in line)
        await ui.press("T")
        timed = next(line for line in ui.text().splitlines() if "Slow one" in line and "◆" in line)
        assert re.search(r"◆ Slow one \d+(m|h|d|w|mo|y)\b", timed)
        assert not re.search(r"◆ Slow one \d", row)
        assert "label times" in border(ui)
        await ui.press("T")
        assert "label times" not in border(ui)


async def test_the_border_describes_the_branch_under_the_cursor(browser, tmp_path):
    usage = {"input": 1000, "output": 200, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.25}}
    pi_session(
        tmp_path,
        header("s"),
        message("a", None, "user", "one", 0),
        message("b", "a", "assistant", "two", 1, usage=usage),
        message("c", "b", "user", "three", 2),
        message("d", "b", "user", "four", 61),
        message("e", "d", "user", "five", 62),
        id="s",
    )

    def figures(ui):
        return ui.text().splitlines()[-3].partition("┴")[2].strip("─━ ")

    async with browser() as ui:
        await ui.until(lambda: "branch" in figures(ui), "the facts")
        assert figures(ui) == "branch 2 of 2 · 3 turns · 1.2k tokens · $0.25 · 1h 02m"
        await ui.press("tab", "end")
        assert cursor_id(ui) == "c"
        assert figures(ui) == "branch 1 of 2 · 2 turns · 1.2k tokens · $0.25 · 2m 00s"
        with ui.path("s").open("a") as file:
            file.write(json.dumps(message("f", "e", "user", "six", 63)) + "\n")
        await ui.press("home")
        await ui.until(lambda: "4 turns" in figures(ui), "the new turn")


async def test_a_narrow_rule_shows_the_facts_of_the_branch_that_fit(browser, tmp_path):
    usage = {"input": 30_000, "output": 200, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.25}}
    pi_session(
        tmp_path,
        header("s"),
        message("a", None, "user", "one", 0),
        message("b", "a", "assistant", "two", 50, usage=usage),
        message("c", "a", "user", "three", 55),
        id="s",
    )
    async with browser(size=(80, 24)) as ui:
        await ui.until(lambda: ui.screen.beside.tree_pane.knows_branches, "the branches")
        await ui.press("tab")
        ui.tree.open_at("b", -1)
        await ui.pilot.pause()
        assert "━ branch 1 of 2 · 1 turn · 30k tokens · $0.25 · 50m 00s ━" in ui.text()
        await ui.pilot.resize_terminal(57, 24)
        await ui.until(lambda: "━ branch 1 of 2 · 1 turn · $0.25 ━" in ui.text(), "the shorter facts")
        await ui.pilot.resize_terminal(47, 24)
        await ui.until(lambda: "━ branch 1 of 2 · 1 turn ━" in ui.text(), "the first facts")


async def test_new_entries_are_counted_while_the_cursor_is_elsewhere(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        parent = "g"
        for number in range(3):
            with ui.path("s").open("a") as file:
                file.write(json.dumps(message(f"n{number}", parent, "user", "more")) + "\n")
            parent = f"n{number}"
        await ui.until(lambda: border(ui).startswith("+3 new"), "the count")
        assert cursor_id(ui) == "a"
        await ui.press("at")
        assert "new" not in border(ui)
        assert cursor_id(ui) == "n2"


async def test_ascii_has_the_same_content(browser, forked, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("ascii = true\n")
    async with browser() as ui:
        await ui.press("tab", "plus", "end", "ctrl+left", "ctrl+left", "home")
        text = ui.text()
        assert text.isascii()
        assert "<- leaf" in text
        assert ">* " in text
        assert re.search(r"`\+ \d\d:\d\d > cache the login", text)
        y = next(y for y, line in enumerate(text.splitlines()) if "> cache the login" in line)
        x = text.splitlines()[y].index("`+ ")
        await ui.pilot.click(offset=(x + 14, y))
        assert "`+ " in ui.text()
        await ui.pilot.click(offset=(x + 1, y))
        assert re.search(r"`= \d\d:\d\d v cache the login", ui.text()), "a click on the mark unfolds"


async def test_a_terminal_without_unicode_gets_ascii(browser, forked):
    async with browser(env={"LANG": "C"}) as ui:
        assert ui.text().isascii()


async def test_without_colour_marks_remain(browser, forked, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with browser() as ui:
        await ui.press("tab", "minus")
        await search(ui, "redis")
        row = next(line for line in ui.text().splitlines() if "use redis" in line)
        assert re.search(r"❯•/├⊟ \d\d:\d\d › use redis", row)
        colours = {
            colour.triplet
            for strip in strips(ui.screen)
            for segment in strip
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None and colour.triplet is not None
        }
        assert all(red == green == blue for red, green, blue in colours)
