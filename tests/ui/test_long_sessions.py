"""A long session: its end is shown before the rest is read, and rows are read when they come near the
screen.
"""

from __future__ import annotations

import threading

import pytest

from app.services.transcript_reader import TranscriptReader
from app.services.tree_reader import TreeReader
from app.sessions.tree import tree
from app.widgets import line_list
from tests.factory import chain
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

LONG = 2_500


@pytest.fixture
def long(tmp_path):
    texts = [f"number {number} " + "x" * 500 for number in range(LONG)]
    pi_session(tmp_path, *chain(*texts, id="long"), id="long")
    return tmp_path


@pytest.fixture
def gate(monkeypatch):
    """The complete tree is read only after this is set."""
    opened = threading.Event()
    real_open_tree = tree.open_tree

    def wait(*arguments):
        opened.wait(30)
        return real_open_tree(*arguments)

    monkeypatch.setattr(tree, "open_tree", wait)
    yield opened
    opened.set()


def is_whole(ui):
    return ui.tree.view is not None and ui.tree.view.tree.is_whole


def line_of_the_cursor(ui):
    return ui.tree.cursor - ui.tree.scroll_offset.y


async def test_the_end_is_shown_with_the_cursor_on_the_leaf_until_the_whole_tree_is_read(browser, long, gate):
    async with browser() as ui:
        assert not is_whole(ui)
        assert "reading…" in ui.text()
        assert f"number {LONG - 1}" in ui.text()
        assert ui.tree.follows
        line = line_of_the_cursor(ui)
        gate.set()
        await ui.until(lambda: is_whole(ui), "the whole tree")
        assert f"{LONG:,} entries" in ui.text()
        assert f"number {LONG - 1}" in ui.text()
        assert ui.tree.follows
        assert line_of_the_cursor(ui) == line
        assert ui.tree.node is ui.tree.view.leaf


async def test_a_cursor_moved_meanwhile_keeps_its_entry_and_line(browser, long, gate):
    async with browser() as ui:
        await ui.press("tab", *["up"] * 3)
        before, line = ui.tree.node.id, line_of_the_cursor(ui)
        gate.set()
        await ui.until(lambda: is_whole(ui), "the whole tree")
        assert (ui.tree.node.id, line_of_the_cursor(ui)) == (before, line)
        assert not ui.tree.follows
        await ui.press("up")
        assert ui.tree.cursor == ui.tree.view.count - 5


async def test_the_transcript_is_not_read_again_when_the_whole_tree_comes(browser, long, gate, monkeypatch):
    read = []
    real_open = TranscriptReader.open

    def counted(self, *arguments, **options):
        read.append(None)
        return real_open(self, *arguments, **options)

    monkeypatch.setattr(TranscriptReader, "open", counted)
    async with browser() as ui:
        await ui.press("tab", "up")
        await ui.pilot.pause(3 * line_list.REST_SECONDS)
        before = len(read)
        gate.set()
        await ui.until(lambda: is_whole(ui), "the whole tree")
        await ui.pilot.pause(3 * line_list.REST_SECONDS)
        assert len(read) == before


async def test_an_end_without_rows_in_the_filter_gives_no_message(browser, long, gate):
    async with browser() as ui:
        await ui.press("tab", "ctrl+l")
        await ui.press("shift+tab", "home", "end")
        await ui.pilot.pause(0.2)
        assert "no entry passes" not in ui.text()
        gate.set()
        await ui.until(lambda: "no entry passes" in ui.text(), "the word")


async def test_distant_rows_are_read_when_they_are_shown(browser, long):
    async with browser() as ui:
        await ui.until(lambda: is_whole(ui), "the whole tree")
        first = ui.tree.view.tree.entries[0]
        assert first.row_text is None
        await ui.press("tab", "home")
        await ui.until(lambda: "number 0 x" in ui.text(), "the text of the first row")
        unread = [node for node in ui.tree.view.tree.entries if node.row_text is None]
        assert len(unread) > LONG // 2


async def test_rows_are_read_before_they_become_visible(browser, long):
    async with browser() as ui:
        await ui.until(lambda: is_whole(ui), "the whole tree")
        view = ui.tree.view
        await ui.press("tab")
        for _ in range(60):
            await ui.press("pageup")
            above = range(max(0, ui.tree.cursor - ui.tree.size.height), ui.tree.cursor)
            nodes = [view.node(index) for index in above]
            await ui.until(lambda nodes=nodes: all(node.row_text for node in nodes), "the rows ahead")


async def test_only_the_session_where_the_cursor_rests_is_read(browser, three, monkeypatch):
    opened = []
    real_open = TreeReader.open

    def counted(self, path, *arguments, **options):
        opened.append(path)
        real_open(self, path, *arguments, **options)

    monkeypatch.setattr(TreeReader, "open", counted)
    async with browser() as ui:
        now = line_list.monotonic()
        monkeypatch.setattr(line_list, "monotonic", lambda: now + 10)
        rows = [row for row in ui.sessions.model.rows() if row.path != ui.sessions.row.path]
        opened.clear()
        for row in [*rows, rows[0], ui.sessions.row]:
            ui.screen.beside.tree_pane.show_session(row)
        assert opened == [row.path for row in rows]
        await ui.until(lambda: len(opened) > 2, "the one that it rests on")
        assert opened[2:] == [ui.sessions.row.path]


async def test_a_row_drawn_outside_of_the_screen_is_requested_once(browser, long, monkeypatch):
    requested = []
    async with browser() as ui:
        kind = type(ui.tree)
        request = kind._request_rows
        monkeypatch.setattr(
            kind, "_request_rows", lambda self, index: (requested.append(index), request(self, index))
        )
        await ui.until(lambda: is_whole(ui), "the whole tree")
        await ui.pilot.pause()
        requested.clear()
        far = ui.tree.view.node(100)
        assert far.row_text is None
        # as if the row was drawn before the list was scrolled
        ui.tree.draw(100, 80, False)
        await ui.until(lambda: far.row_text is not None, "its text")
        await ui.pilot.pause(0.2)
        assert len(requested) <= 2


async def test_tree_and_transcript_share_what_they_read(browser, long, monkeypatch):
    opened = []
    real_open_tree = tree.open_tree

    def counted(path, *arguments):
        opened.append(path)
        return real_open_tree(path, *arguments)

    monkeypatch.setattr(tree, "open_tree", counted)
    async with browser() as ui:
        await ui.until(lambda: is_whole(ui), "the whole tree")
        await ui.press("v", "home")
        await ui.until(lambda: "number 0 x" in ui.text(), "the first entry")
        await ui.until(lambda: f"prompt 1 of {LONG // 2:,}" in ui.text(), "the outline")
        assert len(opened) == 1
