"""A hit in a session: the tree's cursor moves to its entry, and the entry highlights the words."""

from __future__ import annotations

import json
import re

import pytest

from app.demo import write_demo
from app.sessions.tree import tree as session_tree
from app.view import HitPlace, filter_nodes
from tests.factory import NOW, append, chain, entry, header, message
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

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


def hit(ui, entry_id, *words, place="", again=False):
    path = str(ui.path("s"))
    offset = 0
    with open(path, "rb") as file:
        for line in file:
            if json.loads(line).get("id") == entry_id:
                break
            offset += len(line)
    return HitPlace(path, "", entry_id, offset, words, place, again=again)


def tree_pane(ui):
    return ui.screen.beside.tree_pane


def highlights(ui):
    """The highlighted texts in the visible lines of the transcript."""
    pane = ui.transcript
    visible = range(pane.scroll_offset.y, min(pane.scroll_offset.y + pane.size.height, len(pane.lines)))
    return [text for line in visible for text, style in pane.draw(line, 60, False) if style == "match"]


async def test_a_search_moves_the_cursor_to_the_hit(browser, branched):
    async with browser(size=(159, 45)) as ui:
        await ui.press("slash", *"slower")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "d", "the entry")
        await ui.until(lambda: highlights(ui) == ["slower"], "the mark, in sight")
        assert "slower than before" in ui.text()
        where = " Hit 1 of 1: an answer on branch 1 of 2, not on the active path "
        await ui.until(lambda: where in ui.text(), "what the hit is")
        await ui.press("enter")
        await ui.until(lambda: where not in ui.text(), "what Enter runs")
        assert "branch 1 of 2, not on the active path" in ui.text()
        await ui.press("escape")
        await ui.until(lambda: not highlights(ui), "the end of the mark")
        assert ui.tree.node.id == "d"
        assert "not on the active path" not in ui.text()


def facts(ui, pattern):
    """The numbers in the parts of the screen that match."""
    return [int(number) for number in re.findall(pattern, ui.text())]


@pytest.mark.parametrize("query", ["redis", "cache", "token", "branch redis"])
async def test_list_rule_tree_and_transcript_show_one_count_on_the_examples(browser, tmp_path, query):
    write_demo(str(tmp_path), NOW)
    async with browser(size=(200, 60)) as ui:
        await ui.press("slash", *query)
        await ui.until(lambda: facts(ui, r"of \d+ · (\d+) hits?\b"), "the number in the rule")
        await ui.press("enter")
        lines = ui.sessions.model.lines
        excerpts = ui.sessions.excerpts
        await ui.until(lambda: all(line.row is None or line.path in excerpts for line in lines), "the rows")
        counts = {line.path: excerpts[line.path].hits for line in lines if line.row is not None}
        assert sum(counts.values()) == facts(ui, r"of \d+ · (\d+) hits?\b")[0]
        for _ in range(3):
            if ui.sessions.row is None:  # the head of a project
                await ui.press("down")
                continue
            await ui.settled()
            count = counts[ui.sessions.row.path]
            if count:
                await ui.press("2", "n")
                await ui.until(
                    lambda c=count: set(facts(ui, r"hit \d+ of (\d+)")) == {c}, f"{count} in the tree"
                )
                await ui.press("v", "n")
                await ui.until(
                    lambda c=count: ui.focus == "transcript" and set(facts(ui, r"hit \d+ of (\d+)")) == {c},
                    f"{count} in the transcript",
                )
                await ui.press("escape", "1")
            await ui.press("down")


async def test_the_tree_counts_the_hits_that_the_list_counts(browser, tmp_path):
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "grep wombat"}}
    lines = [
        header("s"),
        message("a", None, "user", "find the wombat"),
        message("b", "a", "assistant", "", content=[call]),
        message("c", "b", "toolResult", "wombat.py", toolCallId="t", toolName="bash"),
        message("d", "c", "assistant", "the wombat lives in a file"),
    ]
    pi_session(tmp_path, *lines, id="s")
    async with browser(size=(159, 45)) as ui:
        await ui.press("slash", *"wombat", "enter")
        await ui.until(lambda: "2 hits" in ui.text() and "of 2" in ui.text(), "both hits")
        await ui.press("v", "n")
        await ui.until(lambda: ui.focus == "transcript" and "of 2" in ui.text(), "the same hits")


def edits(path, *numbers, id="s"):
    """A session with an edit of a file in every other entry, and another branch with one more."""
    lines = [header(id), message("p0", None, "user", "change it")]
    for number in numbers:
        arguments = {"path": path, "oldText": "a", "newText": f"b{number}"}
        call = {"type": "toolCall", "id": f"t{number}", "name": "edit", "arguments": arguments}
        lines.append(message(f"e{number}", f"p{number}", "assistant", "", number + 1, content=[call]))
        result = {"toolCallId": f"t{number}", "toolName": "edit"}
        lines.append(message(f"r{number}", f"e{number}", "toolResult", "done", number + 1, **result))
        lines.append(message(f"p{number + 1}", f"r{number}", "user", f"prompt {number + 1}", number + 1))
    return lines


@pytest.mark.parametrize("query", ["auth.py", "src/auth.py", "edited:auth.py"])
async def test_a_touched_file_is_found_at_its_first_edit_with_one_count_everywhere(browser, tmp_path, query):
    pi_session(tmp_path, *edits("/work/app/src/auth.py", 0, 1, 2), id="s")
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *query, "enter")
        await ui.until(lambda: "3 hits" in ui.text() and "edit src/auth.py" in ui.text(), "the row")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "r0", "the first edit")
        await ui.until(lambda: "hit 1 of 3" in ui.text(), "its number in the tree")
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and "hit 1 of 3" in ui.text(), "the same hits")
        await ui.press("n")
        await ui.until(lambda: "hit 2 of 3" in ui.text(), "the next one")


async def test_the_preview_has_the_number_of_a_hit_in_a_result_near_the_end(browser, tmp_path):
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "grep wombat"}}
    lines = [
        header("s"),
        *(message(f"p{n}", f"p{n - 1}" if n else None, "user", f"a long prompt {n}", n) for n in range(30)),
        message("b", "p29", "assistant", "", 31, content=[call]),
        message("c", "b", "toolResult", "wombat.py: a lyrebird", 32, toolCallId="t", toolName="bash"),
        message("d", "c", "assistant", "done", 33),
    ]
    pi_session(tmp_path, *lines, id="s")
    async with browser(size=(120, 40)) as ui:
        await ui.press("slash", *"lyrebird")
        await ui.until(lambda: "─ hit 1 of 1 · prompt 30 of 30 ─" in ui.text(), "its number")
        await ui.press("escape")
        await ui.until(lambda: "─ prompt 30 of 30 ─" in ui.text(), "no number without a search")


async def test_a_hit_opens_at_the_first_one_on_the_active_path(browser, tmp_path):
    lines = [
        header("s"),
        message("a", None, "user", "hello"),
        message("b", "a", "assistant", "hello"),
        message("c", "b", "user", "the wombat on another branch"),
        message("d", "b", "user", "the wombat here"),
        message("e", "d", "assistant", "a wombat"),
        message("f", "e", "user", "thanks, wombat"),
    ]
    pi_session(tmp_path, *lines, id="s")
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"wombat", "enter")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "d", "the first active one")
        await ui.until(lambda: "4 hits" in ui.text(), "the row")
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and "hit 1 of 4" in ui.text(), "the same")


async def test_a_phrase_is_counted_as_the_search_means_it(browser, tmp_path):
    lines = [
        header("s"),
        message("a", None, "user", "you are not logged in"),
        message("b", "a", "assistant", "in this file it is not really logged"),
        message("c", "b", "user", "still not logged in"),
    ]
    pi_session(tmp_path, *lines, id="s")
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *'"not logged in"', "enter")
        await ui.until(lambda: "2 hits" in ui.text() and "hit 1 of 2" in ui.text(), "the row and the tree")
        assert ui.tree.node.id == "a"
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and "hit 1 of 2" in ui.text(), "the transcript")


async def test_a_hit_in_another_session_is_shown_with_that_session(browser, branched):
    pi_session(branched, *chain("zeppelin", "it flies", "and lands", id="o"), id="o")
    async with browser(size=(159, 45)) as ui:
        for words, session, node in (("zeppelin", "o", "00000001"), ("slower", "s", "d")):
            await ui.press("slash", *words)
            await ui.until(lambda id=session: ui.sessions.row.id == id, "its session")
            await ui.until(lambda id=node: ui.tree.node is not None and ui.tree.node.id == id, "the entry")
            await ui.until(lambda text=words: highlights(ui)[:1] == [text], "the mark")
            await ui.press("escape", "escape")


async def test_a_hit_keeps_the_filter_and_adds_only_its_row(browser, branched):
    async with browser(size=(159, 45)) as ui:
        await ui.press("tab", "ctrl+u", "minus")
        tree_pane(ui).show_hit(hit(ui, "d", "slower"))
        await ui.pilot.pause()
        assert (ui.tree.node.id, ui.tree.tree_filter, ui.tree.view.shown) == (
            "d",
            "user",
            rows_of("user", ui) + 1,
        )
        assert "1 hidden entry shown for this hit" in ui.text()
        tree_pane(ui).show_hit(hit(ui, "e", "redis"))
        await ui.pilot.pause()
        assert ui.tree.view.kept is None
        assert "hidden entry shown" not in ui.text()


def rows_of(tree_filter, ui):
    """The number of entries that a filter shows."""
    return len(filter_nodes(tree_filter, ui.tree.view.tree.entries, ui.tree.view.leaf))


async def test_the_row_of_a_hit_shows_the_excerpt_and_highlights_it(browser, tmp_path):
    thinking = message("b", "a", "assistant", "")
    thinking["message"]["content"] = [{"type": "thinking", "thinking": "a wombat lives in a burrow"}]
    lines = [header("s"), message("a", None, "user", "hello"), thinking, message("c", "b", "user", "tokens")]
    lines[3]["message"]["content"] = "count the wombats"
    pi_session(tmp_path, *lines, id="s")
    async with browser(size=(159, 45)) as ui:
        await ui.press("slash", *"burrow")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "b", "the hit")
        row = ui.tree.draw(ui.tree.cursor, 60, True)
        assert [text for text, style in row if style == "match"] == ["burrow"]
        assert "1 hidden entry shown for this hit" in ui.text()
        await ui.press("ctrl+u", *"wombats")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "c", "the next hit")
        row = ui.tree.draw(ui.tree.cursor, 60, True)
        assert [text for text, style in row if style == "match"] == ["wombats"]


async def test_leafmarks_own_words_are_never_highlighted(browser, tmp_path):
    answer = message("b", "a", "assistant", "two tokens left")
    answer["message"]["usage"] = {"input": 5, "output": 6, "totalTokens": 11}
    pi_session(tmp_path, header("s"), message("a", None, "user", "hello"), answer, id="s")
    async with browser(size=(159, 45)) as ui:
        await ui.press("slash", *"tokens")
        await ui.until(lambda: highlights(ui) == ["tokens"], "the word of the answer alone")


async def test_folds_that_hide_the_hit_are_opened(browser, branched):
    async with browser() as ui:
        await ui.press("tab")
        tree_pane(ui).show_hit(hit(ui, "d", "slower"))
        await ui.press("minus")
        assert ui.tree.node.id == "c"
        tree_pane(ui).show_hit(hit(ui, "f", "faster"))
        tree_pane(ui).show_hit(hit(ui, "d", "slower"))
        assert ui.tree.node.id == "d"
        tree_pane(ui).show_hit(hit(ui, "x", "zebra"))
        assert (ui.tree.node.id, ui.tree.tree_filter) == ("x", "default")


@pytest.mark.parametrize(("own", "chosen"), [((), "default"), (("ctrl+u",), "user")])
async def test_the_row_added_for_a_hit_is_gone_in_the_next_session(browser, branched, own, chosen):
    pi_session(branched, *chain("one", "two", id="o"), id="o")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("s")))
        await ui.settled()
        await ui.press("tab", *own, "shift+tab")
        tree_pane(ui).show_hit(hit(ui, "x", "zebra"))
        assert ui.tree.tree_filter == chosen
        assert ui.tree.view.kept.id == "x"
        for id in ("o", "s"):
            ui.sessions.go_to(str(ui.path(id)))
            await ui.settled()
            assert (ui.tree.tree_filter, ui.tree.view.tree_filter) == (chosen, chosen)
            assert ui.tree.view.kept is None


async def test_a_filter_chosen_after_the_hit_stays(browser, branched):
    pi_session(branched, *chain("one", "two", id="o"), id="o")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("s")))
        await ui.settled()
        tree_pane(ui).show_hit(hit(ui, "x", "zebra"))
        await ui.press("tab", "ctrl+t", "shift+tab")
        ui.sessions.go_to(str(ui.path("o")))
        await ui.settled()
        assert ui.tree.tree_filter == ui.tree.view.tree_filter == "no-tools"


async def test_the_place_of_a_hit_found_later_moves_no_cursor(browser, branched):
    async with browser(size=(159, 45)) as ui:
        tree_pane(ui).show_hit(hit(ui, "d", "slower"))
        await ui.press("tab", "home")
        assert ui.tree.node.id == "a"
        tree_pane(ui).show_hit(
            hit(ui, "d", "slower", place="branch 1 of 2, not on the active path", again=True)
        )
        await ui.pilot.pause()
        assert ui.tree.node.id == "a"
        assert "branch 1 of 2, not on the active path" in ui.text()


async def test_hits_of_other_sessions_or_removed_entries_move_no_cursor(browser, branched):
    async with browser() as ui:
        before = ui.tree.node
        elsewhere = hit(ui, "d", "slower")
        elsewhere = elsewhere._replace(path=f"{elsewhere.path}.other")
        tree_pane(ui).show_hit(elsewhere)
        removed = hit(ui, "d", "slower")
        removed = removed._replace(entry_id="nowhere", offset=3)
        tree_pane(ui).show_hit(removed)
        tree_pane(ui).show_hit(HitPlace(str(ui.path("s")), "", None, -1, ("fix",), ""))
        assert ui.tree.node is before


async def test_highlights_end_with_the_session(browser, branched, tmp_path):
    pi_session(tmp_path, *chain("one", "two faster", id="other"), id="other")
    async with browser() as ui:
        first = ui.sessions.row.path
        located = HitPlace(first, "", None, -1, ("faster",), "")
        tree_pane(ui).show_hit(located)
        await ui.until(lambda: tree_pane(ui).searched_words == ("faster",), "the words")
        await ui.press("down")
        await ui.settled()
        assert ui.sessions.row.path != first
        assert tree_pane(ui).searched_words == ()


async def test_in_a_long_session_the_cursor_moves_when_the_whole_tree_is_read(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(session_tree, "END_BYTES", 4096)
    lines = chain(*(f"text {n} " + "word " * 20 for n in range(400)), id="s")
    pi_session(tmp_path, *lines, id="s")
    async with browser() as ui:
        tree_pane(ui).show_session(None)
        tree_pane(ui).show_session(ui.sessions.row)
        tree_pane(ui).show_hit(hit(ui, f"{3:08x}", "text 2"))
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == f"{3:08x}", "the entry")
        assert ui.tree.view.tree.is_whole


async def test_the_selectors_preview_opens_at_the_hit(browser, branched):
    async with browser(size=(140, 30), selector="") as ui:
        await ui.until(lambda: "faster" in ui.text(), "the end")
        await ui.press(*"slower")
        await ui.until(lambda: "branch 1 of 2, not on the active path" in ui.text(), "where it is")
        assert "slower than before" in ui.text()
        await ui.until(lambda: "prompt 2 of 2" in ui.text(), "the prompt")
        await ui.press("escape")
        await ui.until(lambda: "slower" not in ui.text(), "the end again")


# from match to match


def border(ui):
    return ui.screen.query_one("#tree-pane").words[1]


async def go(ui, key, node):
    await ui.press(key)
    await ui.until(lambda: ui.tree.hits is not None and ui.tree.hits.done, "all that there is")
    await ui.until(lambda: ui.tree.node.id == node, "the next place")


async def test_after_a_search_n_moves_from_match_to_match(browser, tmp_path):
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
        start = order.index(ui.tree.node.id)
        for step, key in ((1, "n"), (2, "n"), (3, "n"), (2, "N"), (1, "N")):
            await go(ui, key, order[(start + step) % 3])
        assert border(ui).startswith(f"hit {order.index(ui.tree.node.id) + 1} of 3")
        await ui.until(
            lambda: highlights(ui) and highlights(ui)[0].casefold() == "token", "the mark, in its entry"
        )
        await ui.press("escape")
        assert ui.box.value == ""
        await ui.until(lambda: ui.tree.hits is None, "the end of the hits")
        assert "of 3" not in border(ui)


@pytest.mark.parametrize("keys", [[], ["t"]], ids=["list", "tree"])
async def test_the_transcript_opens_at_the_hit_that_n_went_to(browser, branched, keys):
    async with browser() as ui:
        await ui.press("slash", *"use", "enter")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "e", "the hit")
        await ui.press("slash", "ctrl+u", *"e", "enter")
        await ui.settled()
        start = ui.tree.node.id
        await ui.press(*keys)
        for _ in range(2):
            before = ui.tree.node.id
            await ui.press("n")
            await ui.until(lambda before=before: ui.tree.node.id != before, "the next hit")
        entry = ui.tree.node.id
        assert entry != start
        await ui.press("v")
        shown = ui.screen.beside.transcript_pane
        await ui.until(lambda: shown.entry is not None and not shown.is_reading, "the transcript")
        assert shown.entry.entry_id == entry
        # The session grows, and its hit is located anew.
        append(ui.path("s"), message("g", "f", "user", "more e", 90))
        await ui.until(lambda: ui.tree.view.tree.by_id.get("g") is not None, "the new entry")
        await ui.settled()
        assert shown.entry.entry_id == entry


async def test_words_that_are_in_no_single_entry_are_visited_one_by_one(browser, branched):
    async with browser() as ui:
        await ui.press("slash", *"redis", "space", *"cache", "space", *"login", "enter", "t")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id in "ace", "the entry")
        visited = []
        for _ in range(3):
            before = ui.tree.node.id
            await ui.press("n")
            await ui.until(lambda last=before: ui.tree.node.id != last, "the next place")
            visited.append(ui.tree.node.id)
        assert sorted(visited) == ["a", "c", "e"]
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
        await ui.until(lambda: "slower again" in ui.text(), "both sessions")
        await ui.press("up")
        await ui.until(lambda: ui.sessions.row.id == "o" and ui.tree.view is not None, "the other session")
        await ui.press("enter", "t")
        await ui.until(lambda: ui.tree.node is not None, "its tree")
        first = ui.tree.node.id
        await ui.until(lambda: "hit " in border(ui) and "of 2" in border(ui), "the count")
        await ui.press("n")
        await ui.until(lambda: ui.tree.node.id != first, "the other place")


async def test_n_without_a_search_says_so(browser, branched):
    async with browser() as ui:
        await ui.press("t", "n")
        assert ui.toasts() == ["No words are looked for here: / searches the tree"]
