"""Searching the entries of the tree, key by key, and the moves from mark to mark."""

from __future__ import annotations

import json
import threading

import pytest

from app.services.tree_reader import TreeSearch
from tests.factory import chain, entry, header, message
from tests.ui.conftest import pi_session
from tests.waiting import PATIENCE


def call(id, parent, name, arguments):
    block = {"type": "toolCall", "id": f"call-{id}", "name": name, "arguments": arguments}
    return entry("message", id, parent, message={"role": "assistant", "content": [block]})


def result(id, parent, of, name, text):
    body = {"role": "toolResult", "toolCallId": f"call-{of}", "toolName": name}
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


def at(ui):
    return ui.tree.node.id


def border(ui):
    return ui.screen.query_one("#tree-pane")._words[1]


async def search(ui, text):
    await ui.press("slash", *text)
    await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "the search")


async def test_a_search_goes_to_the_first_hit_and_n_from_hit_to_hit(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home", "down")
        await search(ui, "login")
        assert ui.focus == "find"
        assert (at(ui), border(ui).split(" · ")[0]) == ("f", "2 of 3")
        await ui.press("enter")
        assert ui.focus == "tree"
        await ui.press("n")
        assert (at(ui), border(ui).split(" · ")[0]) == ("c", "3 of 3")
        await ui.press("n")
        assert at(ui) == "a"
        await ui.press("N", "N")
        assert at(ui) == "f"
        await ui.press("down")
        assert border(ui).startswith("3 found")


@pytest.mark.parametrize(("keys", "reached"), [((), "f"), (("n",), "c"), (("down",), None)])
async def test_keys_that_come_before_the_first_hit_lead_where_they_would_lead_later(
    browser, forked, monkeypatch, keys, reached
):
    go, run = threading.Event(), TreeSearch._search

    def waits(*arguments):
        assert go.wait(PATIENCE)
        run(*arguments)

    monkeypatch.setattr(TreeSearch, "_search", waits)
    async with browser() as ui:
        await ui.press("tab", "home", "down", "slash", *"login", "enter", *keys)
        before = at(ui)
        go.set()
        await ui.until(lambda: ui.tree.hits.done, "the search")
        assert at(ui) == (reached or before)


def texts(ui):
    """What was read ahead of a search; None before."""
    kept = ui.screen._reading._tree_side.finding._search._texts
    return kept[1] if kept is not None else None


async def test_who_is_in_the_tree_finds_its_texts_read(browser, forked):
    async with browser() as ui:
        assert texts(ui) is None
        await ui.press("tab")
        await ui.until(lambda: texts(ui) is not None and texts(ui).kept, "the texts")
        read = texts(ui).read
        await search(ui, "login")
        await ui.press("escape", "slash", "r")
        await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "the search")
        assert texts(ui).read == read


async def test_the_texts_of_another_session_take_their_place(browser, forked):
    pi_session(forked, *chain("other", "yes", id="t"), id="t")
    async with browser() as ui:
        await ui.press("tab")
        await ui.until(lambda: texts(ui) is not None and texts(ui).kept, "the texts")
        await ui.press("tab", "tab", "down")
        await ui.settled()
        await ui.until(lambda: texts(ui) is None, "that they are gone")


async def test_every_word_must_be_in_an_entry_and_none_hides_a_row(browser, forked):
    async with browser() as ui:
        rows = ui.tree.rows
        await ui.press("tab")
        await search(ui, "LOGIN user")
        assert ui.tree.hits.counted(ui.tree.view, None)[1:] == (2, 0)
        assert ui.tree.rows == rows


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("hidden", "f"),
        ("slow one", "d"),
        ("toolresult", "r"),
        ("bash", "r"),
        ("grep token", "r"),
        ("auth.py", "r"),
        ("redis", "e"),
    ],
)
async def test_text_label_role_and_tool_are_searched(browser, forked, typed, found):
    async with browser() as ui:
        await ui.press("tab")
        keys = ["space" if letter == " " else letter for letter in typed]
        await search(ui, ["full_stop" if key == "." else key for key in keys])
        assert at(ui) == found


async def test_what_the_filter_hides_is_counted_apart(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        await search(ui, "bash")
        assert border(ui).startswith("1 of 1, 1 filtered out")
        await ui.press("enter", "ctrl+a")
        assert border(ui).startswith("2 of 2 ·")
        await ui.press("ctrl+u")
        assert border(ui).startswith("0 found, 2 filtered out")


async def test_a_search_drops_the_folds_and_n_opens_one(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "minus")
        assert ui.tree.view.folded
        await search(ui, "login")
        assert not ui.tree.view.folded
        await ui.press("enter", "minus", "home", "N")
        assert at(ui) == "c"
        assert ui.tree.row.folded
        await ui.press("home", "left")
        assert ui.tree.rows == 1
        await ui.press("n")
        assert at(ui) == "f"


async def test_escape_goes_back_where_one_was(browser, forked):
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "login")
        assert at(ui) != "g"
        await ui.press("escape")
        assert (at(ui), ui.focus, ui.tree.hits) == ("g", "tree", None)
        assert ui.tree.follows
        assert "searching" not in border(ui)


async def test_escape_ends_a_search_that_was_kept_and_leaves_the_cursor(browser, forked):
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "redis")
        await ui.press("enter", "escape")
        assert (at(ui), ui.focus, ui.tree.hits) == ("e", "tree", None)
        await ui.press("escape")
        assert ui.focus == "sessions"


async def test_the_arrows_step_while_one_types_and_a_slash_is_a_letter(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        await search(ui, "login")
        assert at(ui) == "a"
        await ui.press("down")
        assert at(ui) == "f"
        await ui.press("up")
        assert at(ui) == "a"
        await ui.press("slash")
        assert ui.screen.query_one("#find").value == "login/"
        await ui.until(lambda: border(ui).startswith("nothing found"), "the answer")


async def test_hits_are_marked_by_a_character_and_in_the_entry(browser, forked):
    async with browser() as ui:
        await ui.press("tab")
        await search(ui, "redis")
        row = next(line for line in ui.text().splitlines() if "use redis" in line)
        assert "❯•/" in row
        assert ui.entry.words == ("redis",)
        await ui.press("escape")
        assert ui.entry.words == ()


async def test_what_is_appended_is_searched_too(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        await search(ui, "xylograph")
        assert border(ui).startswith("nothing found")
        with ui.path("s").open("a") as file:
            file.write(json.dumps(message("h", "g", "assistant", "a xylograph")) + "\n")
        await ui.until(lambda: ui.tree.hits.counted(ui.tree.view, None)[1] == 1, "the new entry")


async def test_another_session_is_searched_for_the_same(browser, forked):
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
        assert border(ui).startswith("1 of 1")


async def test_branch_points_labels_and_the_parent(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home", "b")
        assert at(ui) == "b"
        await ui.press("b")
        assert at(ui) == "b"
        await ui.press("m")
        assert at(ui) == "d"
        await ui.press("m")
        assert at(ui) == "d"
        await ui.press("p")
        assert at(ui) == "c"
        await ui.press("p")
        assert at(ui) == "b"
        await ui.press("end", "B")
        assert at(ui) == "b"
        await ui.press("end", "M")
        assert at(ui) == "d"


async def test_a_label_in_a_fold_is_gone_to(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "minus", "home", "m")
        assert at(ui) == "d"


async def test_the_cursor_goes_round_the_ends_as_in_pi(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home", "up")
        assert at(ui) == "d"
        await ui.press("down")
        assert at(ui) == "a"


async def test_the_times_of_labels(browser, forked):
    async with browser() as ui:
        row = next(line for line in ui.text().splitlines() if "[Slow one]" in line)
        await ui.press("tab", "T")
        timed = next(line for line in ui.text().splitlines() if "[Slow one]" in line)
        assert ":" in timed.split("[Slow one]")[1]
        assert ":" not in row.split("[Slow one]")[1]
        assert "label times" in border(ui)
        await ui.press("T")
        assert "label times" not in border(ui)


async def test_the_branch_under_the_cursor_is_told_of(browser, tmp_path):
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

    def title(ui):
        return ui.screen.query_one("#tree-pane")._words[0]

    async with browser() as ui:
        await ui.until(lambda: "branch" in title(ui), "the facts")
        assert title(ui) == "tree · branch 2 of 2 · 3 turns · 1.2k tokens · $0.25 · 1 h 02 min"
        await ui.press("tab", "end")
        assert at(ui) == "c"
        assert title(ui) == "tree · branch 1 of 2 · 2 turns · 1.2k tokens · $0.25 · 2 min 00 s"
        with ui.path("s").open("a") as file:
            file.write(json.dumps(message("f", "e", "user", "six", 63)) + "\n")
        await ui.press("home")
        await ui.until(lambda: "4 turns" in title(ui), "the new turn")


async def test_half_of_eighty_columns_says_all_of_the_branch(browser, tmp_path):
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
        await ui.until(lambda: ui.screen._reading.knows_branches, "the branches")
        await ui.press("tab")
        ui.tree.open_at("b", -1)
        await ui.pilot.pause()
        assert "─ 1/2 · 1 turn · 30k · $0.25 · 50m00s ─" in ui.text()


async def test_what_comes_while_the_cursor_is_elsewhere_is_counted(browser, forked):
    async with browser() as ui:
        await ui.press("tab", "home")
        parent = "g"
        for number in range(3):
            with ui.path("s").open("a") as file:
                file.write(json.dumps(message(f"n{number}", parent, "user", "more")) + "\n")
            parent = f"n{number}"
        await ui.until(lambda: border(ui).startswith("+3 new"), "the count")
        assert at(ui) == "a"
        await ui.press("full_stop")
        assert "new" not in border(ui)
        assert at(ui) == "n2"


async def test_ascii_says_the_same(browser, forked, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("ascii = true\n")
    async with browser() as ui:
        await ui.press("tab", "minus")
        text = ui.text()
        assert text.isascii()
        assert "<- active" in text
        assert ">* " in text
        assert "`+ user: cache the login (1)" in text


async def test_a_terminal_without_other_characters_gets_none(browser, forked):
    async with browser(env={"LANG": "C"}) as ui:
        assert ui.text().isascii()


async def test_without_colour_nothing_is_lost(browser, forked, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with browser() as ui:
        await ui.press("tab", "minus")
        await search(ui, "redis")
        row = next(line for line in ui.text().splitlines() if "use redis" in line)
        assert "❯•/├⊟ user: use redis" in row
        colours = {
            colour.triplet
            for strip in ui.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None and colour.triplet is not None
        }
        assert all(red == green == blue for red, green, blue in colours)
