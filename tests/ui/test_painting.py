"""The cost of a change on the screen: rows drawn, borders and bars painted, layouts. They are counted;
tests/benchmarks measures the times.
"""

from __future__ import annotations

import pytest
from textual._compositor import Compositor

from app.messages import SessionsChanged
from app.panes import sessions_pane
from app.screens import sessions_screen
from app.services.session_search import SessionSearch
from tests.factory import NOW, append, chain, make_row, message
from tests.ui.conftest import HERE, pi_session

pytestmark = pytest.mark.usefixtures("every_frame", "tree_shown")


@pytest.fixture(autouse=True)
def no_live_checks(monkeypatch):
    """Live marks would be drawn at any time."""
    monkeypatch.setattr(sessions_screen, "LOOK_EVERY", 3_600.0)


@pytest.fixture
def counted(monkeypatch):
    """A function that counts calls: ``counted(Class, "method")`` returns a list that gets one item for each
    call.
    """

    def count(cls, name):
        calls = []
        original = getattr(cls, name)

        def counting(self, *args, **options):
            calls.append(self)
            return original(self, *args, **options)

        monkeypatch.setattr(cls, name, counting)
        return calls

    return count


async def quiet(ui, calls):
    """Wait until nothing more is drawn, then clear the calls."""
    before, now = None, ()
    while before != now:
        await ui.pilot.pause(0.15)
        before, now = now, (len(calls), ui.sessions.drawn, ui.tree.drawn, ui.transcript.drawn)
    calls.clear()


async def test_opening_the_search_line_needs_at_most_two_layouts(browser, three, counted):
    layouts = counted(Compositor, "reflow")
    async with browser() as ui:
        await quiet(ui, layouts)
        await ui.press("slash")
        await ui.until(lambda: ui.sessions.region.y > ui.screen.query_one("Input").region.y, "the line")
        await ui.pilot.pause(0.1)
        assert 1 <= len(layouts) <= 2


async def test_an_append_to_another_session_draws_only_the_list(browser, three, counted):
    layouts = counted(Compositor, "reflow")
    async with browser() as ui:
        bars = counted(type(ui.screen.query_one("#header")), "refresh")
        await quiet(ui, layouts)
        bars.clear()
        before, tree, read = ui.sessions.drawn, ui.tree.drawn, ui.transcript.drawn
        path = ui.path("site1")
        append(path, message("n", "00000002", "user", "and in print?", 0.5))
        await ui.until(lambda: ui.sessions.drawn > before, "the count of messages")
        await ui.pilot.pause(0.1)
        assert 1 <= ui.sessions.drawn - before <= 2 * ui.sessions.size.height
        assert (ui.tree.drawn, ui.transcript.drawn) == (tree, read)
        assert layouts == []
        assert bars == []


async def test_a_growing_leaf_needs_no_layout_and_draws_only_visible_rows(browser, three, counted):
    layouts = counted(Compositor, "reflow")
    async with browser() as ui:
        path = ui.path("branchy")
        parent = "h"
        for number in range(60):
            append(path, message(f"b{number}", parent, "user", f"go on {number}", 20 + number))
            parent = f"b{number}"
        await ui.until(lambda: ui.tree.node.id == "b59", "the last of many")
        await quiet(ui, layouts)
        before = ui.tree.drawn
        append(path, message("last", parent, "user", "the last one", 90))
        await ui.until(lambda: ui.tree.node.id == "last" and "the last one" in ui.text(), "the last one")
        await ui.pilot.pause(0.1)
        # each visible row is compared once, and drawn once if it has changed
        assert ui.tree.drawn - before <= 2 * ui.tree.size.height + 4
        assert layouts == []


async def test_a_list_at_its_start_stays_there(browser, tmp_path):
    for number in range(60):
        pi_session(tmp_path, *chain(f"task {number}", id=f"s{number:02}"), id=f"s{number:02}")
    async with browser() as ui:
        await ui.press(*["down"] * 5)
        row = ui.sessions.row
        append(ui.path(row.id), message("n", "00000001", "assistant", "answer", 90))
        await ui.until(lambda: ui.sessions.cursor == 1, "the session to be the first")
        assert ui.sessions.row.id == row.id
        assert ui.sessions.scroll_offset.y == 0


async def test_further_down_the_cursor_keeps_its_line(browser, tmp_path):
    for number in range(60):
        pi_session(tmp_path, *chain(f"task {number}", id=f"s{number:02}"), id=f"s{number:02}")
    async with browser() as ui:
        await ui.press("G", "up", "up")
        line = ui.sessions.cursor - ui.sessions.scroll_offset.y
        pi_session(tmp_path, *chain("brand new", id="fresh"), id="fresh")
        await ui.until(lambda: len(ui.listed()) == 62, "the new session")
        assert ui.sessions.cursor - ui.sessions.scroll_offset.y == line


async def test_many_changes_are_applied_in_slices(browser, three, monkeypatch):
    sizes, most = [], 100

    def apply(self, changed, removed):
        changed, removed = list(changed), list(removed)
        sizes.append((len(changed), len(removed)))
        original(self, changed, removed)

    async with browser() as ui:
        kind = type(ui.sessions)
        original = kind.apply
        monkeypatch.setattr(kind, "apply", apply)
        rows = [make_row(f"m{number}", cwd=HERE, modified=NOW - number) for number in range(2 * most + 5)]
        ui.screen.post_message(SessionsChanged(rows, [], 1, 1))
        await ui.until(lambda: ui.sessions.model.total == len(rows) + 3, "all rows")
        assert sizes == [(most, 0), (most, 0), (5, 0)]
        sizes.clear()
        ui.screen.post_message(SessionsChanged(rows[:5], [row.path for row in rows[5:]], 1, 1))
        await ui.until(lambda: ui.sessions.model.total == 8, "the removals")
        assert sizes == [(5, most), (0, most)]


async def test_letters_that_arrive_together_cause_one_search(browser, three, counted):
    searches = counted(SessionSearch, "search")
    async with browser() as ui:
        await ui.press("slash")
        searches.clear()
        box = ui.screen.query_one("#filter")
        for typed in ("d", "da", "dar", "dark"):
            box.value = typed
        await ui.until(lambda: ui.listed() == ["site1"], "the matches")
        assert len(searches) == 1


async def test_no_row_moves_before_the_search_answers(browser, three, monkeypatch):
    monkeypatch.setattr(sessions_pane, "FILTER_DELAY", 0)
    search = SessionSearch.search
    monkeypatch.setattr(SessionSearch, "search", lambda *args, **options: None)
    async with browser() as ui:
        before = ui.listed()
        await ui.press("slash", *"dark")
        await ui.until(lambda: "━ 3 · … ━" in ui.text(), "the search")
        await ui.pilot.pause(0.1)
        assert ui.listed() == before
        monkeypatch.setattr(SessionSearch, "search", search)
        await ui.press("space")
        await ui.until(lambda: ui.listed() == ["site1"], "the matches")


async def test_words_in_a_border_are_painted_when_they_change(browser, three, counted):
    async with browser() as ui:
        pane = ui.screen.query_one("#tree-pane")
        painted = counted(type(pane), "refresh")
        await quiet(ui, painted)
        pane.say("seven entries")
        pane.say("seven entries")
        assert painted == [pane]
        await ui.pilot.pause()
        assert "seven entries" in ui.text()
        pane.say("", "oak")
        await ui.pilot.pause()
        assert "seven entries" not in ui.text()
        assert "─ oak ─" in ui.text()
        pane.say("", "oak · ash and elm")
        await ui.pilot.resize_terminal(20, 40)
        await ui.press("tab")
        await ui.pilot.pause()
        assert "oak · ash and e…" in ui.text()
        await ui.pilot.resize_terminal(120, 40)
        await ui.pilot.pause()
        assert "━ oak · ash and elm ━" in ui.text()


async def test_typing_needs_no_layout_and_shows_the_end_of_a_long_query(browser, three, counted):
    layouts = counted(Compositor, "reflow")
    async with browser() as ui:
        await ui.press("slash")
        await quiet(ui, layouts)
        await ui.press(*"dark")
        await ui.until(lambda: ui.listed() == ["site1"], "the matches")
        assert layouts == []
        await ui.press(*"0123456789" * 6, "z")
        assert "456789z " in ui.text().split("\n")[2]
        await ui.press("home")
        assert "dark01234" in ui.text().split("\n")[2]


async def test_the_list_of_completions_comes_in_the_picture_of_its_letter(browser, three, monkeypatch):
    async with browser() as ui:
        await ui.press("slash", *"has")
        pictures = []
        render_update = Compositor.render_update

        def note_and_render(self, *args, **options):
            update = render_update(self, *args, **options)
            pictures.append((ui.box.value, ui.screen.sessions_pane.popup in self.visible_widgets))
            return update

        monkeypatch.setattr(Compositor, "render_update", note_and_render)
        await ui.press("colon")
        assert ("has:", True) in pictures
        assert ("has:", False) not in pictures


@pytest.mark.parametrize("size", [(160, 45), (80, 20)], ids=str)
async def test_every_frame_after_a_resize_shows_the_cursor(browser, tmp_path, monkeypatch, size):
    words = [f"prompt {number}" if number % 2 == 0 else f"answer {number}" for number in range(160)]
    pi_session(tmp_path, *chain(*words, id="long"), id="long")
    async with browser(size=(100, 36)) as ui:
        assert ui.tree.cursor > 40
        is_visible = []
        kind = type(ui.tree)
        real_render_lines = kind.render_lines

        def note_and_render(self, crop):
            top, height = self.scroll_offset.y, self.scrollable_content_region.height
            if self is ui.tree:
                is_visible.append(top <= self.cursor < top + height)
            return real_render_lines(self, crop)

        monkeypatch.setattr(kind, "render_lines", note_and_render)
        await ui.pilot.resize_terminal(*size)
        await ui.pilot.pause()
        assert is_visible
        assert all(is_visible)
