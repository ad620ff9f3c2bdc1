"""A long session: its end on the screen before the rest is read, and rows that are read when they are near
the screen.
"""

from __future__ import annotations

import threading

import pytest

from app.screens import entry_side
from app.services import tree_reader
from app.services.entry_reader import EntryReader
from app.services.tree_reader import TreeReader
from app.widgets import line_list
from app.widgets.entry_tree import EntryTree
from tests.factory import chain
from tests.ui.conftest import pi_session

LONG = 2_500


@pytest.fixture
def long(tmp_path):
    texts = [f"number {at} " + "x" * 500 for at in range(LONG)]
    pi_session(tmp_path, *chain(*texts, id="long"), id="long")
    return tmp_path


@pytest.fixture
def gate(monkeypatch):
    """The whole of a tree is not read until this is set."""
    opened = threading.Event()
    whole = tree_reader.open_tree

    def wait(*given):
        opened.wait(30)
        return whole(*given)

    monkeypatch.setattr(tree_reader, "open_tree", wait)
    yield opened
    opened.set()


def is_whole(it):
    return it.tree.view is not None and it.tree.view.tree.is_whole


def line_of_the_cursor(it):
    return it.tree.cursor - it.tree.scroll_offset.y


async def test_the_end_is_shown_with_the_cursor_on_the_leaf_until_the_whole_is_there(browser, long, gate):
    async with browser() as it:
        assert not is_whole(it)
        assert "reading…" in it.text()
        assert f"number {LONG - 1}" in it.text()
        assert it.tree.follows
        line = line_of_the_cursor(it)
        gate.set()
        await it.until(lambda: is_whole(it), "the whole tree")
        assert f"{LONG:,} entries" in it.text()
        assert f"number {LONG - 1}" in it.text()
        assert it.tree.follows
        assert line_of_the_cursor(it) == line
        assert it.tree.node is it.tree.view.leaf


async def test_a_cursor_that_was_moved_meanwhile_stays_on_its_entry_and_line(browser, long, gate):
    async with browser() as it:
        await it.press("tab", *["up"] * 3)
        before, line = it.tree.node.id, line_of_the_cursor(it)
        gate.set()
        await it.until(lambda: is_whole(it), "the whole tree")
        assert (it.tree.node.id, line_of_the_cursor(it)) == (before, line)
        assert not it.tree.follows
        await it.press("up")
        assert it.tree.cursor == LONG - 5


async def test_the_entry_is_not_read_again_when_the_whole_tree_comes(browser, long, gate, monkeypatch):
    read = []
    of = EntryReader.read

    def counted(self, *given, **how):
        read.append(None)
        of(self, *given, **how)

    monkeypatch.setattr(EntryReader, "read", counted)
    async with browser() as it:
        await it.press("tab", "tab", "down")
        before = len(read)
        gate.set()
        await it.until(lambda: is_whole(it), "the whole tree")
        await it.pilot.pause(3 * entry_side.REST_SECONDS)
        assert len(read) == before


async def test_an_end_of_which_a_filter_shows_nothing_says_nothing(browser, long, gate):
    async with browser() as it:
        await it.press("tab", "ctrl+l")
        await it.press("shift+tab", "home", "end")
        await it.pilot.pause(0.2)
        assert "no entry passes" not in it.text()
        gate.set()
        await it.until(lambda: "no entry passes" in it.text(), "the word")


async def test_rows_far_away_are_read_when_they_are_shown(browser, long):
    async with browser() as it:
        await it.until(lambda: is_whole(it), "the whole tree")
        first = it.tree.view.tree.entries[0]
        assert first.row_text is None
        await it.press("tab", "home")
        await it.until(lambda: "user: number 0 x" in it.text(), "the text of the first row")
        unread = [node for node in it.tree.view.tree.entries if node.row_text is None]
        assert len(unread) > LONG // 2


async def test_rows_are_read_before_they_come_into_sight(browser, long):
    async with browser() as it:
        await it.until(lambda: is_whole(it), "the whole tree")
        view = it.tree.view
        await it.press("tab")
        for _ in range(60):
            await it.press("pageup")
            await it.until(lambda: not it.tree._rows_requested, "the rows ahead")
            page = it.tree.size.height
            above = range(max(0, it.tree.cursor - page), it.tree.cursor)
            assert all(view.node(at).row_text is not None for at in above)


async def test_in_a_burst_only_the_session_where_the_cursor_rests_is_read(browser, three, monkeypatch):
    opened = []
    of = TreeReader.open

    def counted(self, path, *given, **how):
        opened.append(path)
        of(self, path, *given, **how)

    monkeypatch.setattr(TreeReader, "open", counted)
    async with browser() as it:
        now = line_list.monotonic()
        monkeypatch.setattr(line_list, "monotonic", lambda: now + 10)
        rows = [row for row in it.sessions.model.rows() if row.path != it.sessions.row.path]
        side = it.screen.query_one("#right")
        opened.clear()
        for row in [*rows, rows[0], it.sessions.row]:
            side.show(row)
        assert opened == [row.path for row in rows]
        await it.until(lambda: len(opened) > 2, "the one that it rests on")
        assert opened[2:] == [it.sessions.row.path]


async def test_a_row_out_of_sight_that_is_drawn_is_asked_for_once(browser, long, monkeypatch):
    asked = []
    ask = EntryTree._request_rows
    monkeypatch.setattr(
        EntryTree, "_request_rows", lambda self, index: (asked.append(index), ask(self, index))
    )
    async with browser() as it:
        await it.until(lambda: is_whole(it), "the whole tree")
        await it.pilot.pause()
        asked.clear()
        far = it.tree.view.node(100)
        assert far.row_text is None
        # as where a row was drawn before the list was scrolled
        it.tree.draw(100, 80, False)
        await it.until(lambda: far.row_text is not None, "its text")
        await it.pilot.pause(0.2)
        assert len(asked) <= 2
