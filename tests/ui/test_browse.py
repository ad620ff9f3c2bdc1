"""The browser, key by key."""

from __future__ import annotations

import json
import os
from threading import Event

import pytest

from app.commands import COMMANDS, keys_of
from app.index.scan import Scanner
from app.screens.browser import BrowserScreen
from app.screens.dialogs import HelpDialog
from app.view.seen_again import LOOKING_AGAIN
from tests.factory import chain, message
from tests.ui.conftest import HERE, pi_session


def is_gone(folder):
    return not os.path.exists(folder)


async def test_it_opens_on_this_folders_newest_session_with_tree_and_entry(browser, three):
    async with browser() as it:
        assert it.listed() == [f"[{HERE}]", "branchy", "plain", "[/work/site]", "site1"]
        assert it.sessions.row.id == "branchy"
        assert it.focus == "sessions"
        text = it.text()
        for expected in ("3 sessions", "2 projects", "Refactor auth", "[redis idea]", "← active", "faster"):
            assert expected in text


@pytest.mark.parametrize(("down", "up"), [("down", "up"), ("j", "k")])
async def test_moving_by_rows_stops_at_the_ends(browser, three, down, up):
    async with browser() as it:
        await it.press(down)
        assert it.sessions.row.id == "plain"
        await it.press(up, up, up, up)
        assert it.sessions.cursor == 0
        await it.press(*[down] * 9)
        assert it.sessions.row.id == "site1"


async def test_first_last_and_pages(browser, three):
    async with browser() as it:
        for key, place in (("G", 4), ("g", 0), ("end", 4), ("home", 0), ("pagedown", 4), ("pageup", 0)):
            await it.press(key)
            assert it.sessions.cursor == place, key
        await it.press("ctrl+f")
        assert it.sessions.cursor == 4
        await it.press("ctrl+b")
        assert it.sessions.cursor == 0


async def test_the_tree_follows_the_cursor(browser, three):
    async with browser() as it:
        await it.press("down")
        await it.settled()
        assert it.tree.view.tree.header.id == "plain"
        assert "write a man page" in it.text()


async def test_groups_fold_and_unfold(browser, three):
    async with browser() as it:
        await it.press("left")
        assert it.sessions.row is None
        await it.press("left")
        assert it.listed() == [f"[{HERE}]", "[/work/site]", "site1"]
        await it.press("right")
        assert "branchy" in it.listed()
        await it.press("l")
        assert it.sessions.row.id == "branchy"
        await it.press("h", "h")
        assert "branchy" not in it.listed()
        await it.press("space")
        assert "branchy" in it.listed()
        await it.press("minus")
        assert it.listed() == [f"[{HERE}]", "[/work/site]"]
        await it.press("plus")
        assert len(it.listed()) == 5
        await it.press("enter")
        assert "branchy" not in it.listed()


async def test_folding_from_a_session_keeps_the_cursor_in_its_project(browser, three):
    async with browser() as it:
        await it.press("G", "left", "left")
        assert it.sessions.group.cwd == "/work/site"
        assert "site1" not in it.listed()


async def test_the_filter_narrows_while_typing_and_goes_with_escape(browser, three):
    async with browser() as it:
        await it.press("slash", "m", "a", "n")
        assert it.listed() == [f"[{HERE}]", "plain"]
        assert it.sessions.row.id == "plain"
        assert "1 of 3" in it.text()
        await it.press("escape")
        assert len(it.listed()) == 5
        assert it.focus == "sessions"


async def test_the_tree_follows_the_filter(browser, three):
    async with browser() as it:
        await it.press("slash", *"site1")
        await it.until(lambda: it.tree.view.tree.header.id == "site1", "the tree of the match")
        await it.until(lambda: it.screen.planned == it.sessions.row.path, "its plan")


async def test_a_kept_filter_goes_with_escape_from_the_list(browser, three):
    async with browser() as it:
        await it.press("slash", *"redis", "enter")
        assert it.focus == "sessions"
        assert it.listed() == [f"[{HERE}]", "branchy"]
        await it.press("escape")
        assert len(it.listed()) == 5


async def test_letters_that_are_commands_are_typed_into_the_filter(browser, three):
    async with browser() as it:
        await it.press("slash", "q", "j", "1", "question_mark")
        assert it.app.is_running
        assert it.screen.query_one("#filter").value == "qj1?"
        assert "No session matches" in it.text()


async def test_a_slash_in_the_filter_is_a_letter(browser, three):
    async with browser() as it:
        await it.press("slash", "slash", "w")
        assert it.screen.query_one("#filter").value == "/w"


async def test_arrows_move_the_list_while_the_filter_has_the_keys(browser, three):
    async with browser() as it:
        await it.press("slash", "d", "o", "n")
        await it.press("backspace", "backspace", "backspace", "down")
        assert it.focus == "filter"
        assert it.sessions.row.id == "plain"


async def test_a_word_is_deleted_to_the_left(browser, three):
    async with browser() as it:
        await it.press("slash", *"man page", "ctrl+w")
        assert it.screen.query_one("#filter").value == "man "


async def test_the_cursor_stays_on_its_session_through_a_filter(browser, three):
    async with browser() as it:
        await it.press("G")
        await it.press("slash", "s", "i", "t", "e", "escape")
        assert it.sessions.row.id == "site1"


async def test_tab_goes_round_the_panes(browser, three):
    async with browser() as it:
        seen = []
        for _ in range(4):
            seen.append(it.focus)
            await it.press("tab")
        assert seen == ["sessions", "tree", "entry", "sessions"]
        await it.press("shift+tab", "shift+tab")
        assert it.focus == "entry"


async def test_escape_steps_back_to_the_list(browser, three):
    async with browser() as it:
        await it.press("tab", "v")
        assert it.focus == "entry"
        await it.press("escape")
        assert it.focus == "tree"
        await it.press("escape")
        assert it.focus == "sessions"


async def test_panes_close_and_open(browser, three):
    async with browser() as it:
        await it.press("3")
        assert not it.screen.query_one("#entry-pane").display
        await it.press("1")
        assert it.focus == "tree"
        assert not it.screen.query_one("#sessions-pane").display
        await it.press("2")
        assert it.screen.query_one("#tree-pane").display, "the last pane stays"
        await it.press("1", "3")
        assert all(it.screen.query_one(f"#{name}-pane").display for name in ("sessions", "tree", "entry"))


@pytest.mark.parametrize(
    ("size", "focus", "panes"),
    [
        ((120, 40), "sessions", {"sessions", "tree", "entry"}),
        ((100, 30), "sessions", {"sessions", "tree"}),
        ((100, 30), "tree", {"sessions", "tree"}),
        ((100, 30), "entry", {"tree", "entry"}),
        ((79, 24), "sessions", {"sessions"}),
        ((79, 24), "tree", {"tree"}),
        ((79, 24), "entry", {"entry"}),
    ],
)
async def test_three_layouts_by_width(browser, three, size, focus, panes):
    async with browser(size=size) as it:
        for _ in range(("sessions", "tree", "entry").index(focus)):
            await it.press("tab")
        assert it.focus == focus
        shown = {
            name for name in ("sessions", "tree", "entry") if it.screen.query_one(f"#{name}-pane").display
        }
        assert shown == panes


async def test_resizing_keeps_the_cursor(browser, three):
    async with browser() as it:
        await it.press("down")
        await it.pilot.resize_terminal(60, 20)
        await it.pilot.pause()
        assert it.sessions.row.id == "plain"
        assert "write a man page" in it.text()


async def test_help_shows_every_command_and_closes(browser, three):
    async with browser(size=(120, 140)) as it:
        await it.press("question_mark")
        assert isinstance(it.screen, HelpDialog)
        text = it.text()
        assert [command.help for command in COMMANDS if command.help[:40] not in text] == []
        await it.press("escape")
        assert isinstance(it.screen, BrowserScreen)
        await it.press("f1", "q")
        assert isinstance(it.screen, BrowserScreen)


@pytest.mark.parametrize("width", [60, 80])
async def test_what_help_says_on_hangs_below_its_beginning(browser, three, width):
    async with browser(size=(width, 160)) as it:
        await it.press("question_mark")
        await it.pilot.pause()
        lines = it.text().splitlines()
        at = next(at for at, line in enumerate(lines) if "Mark the session" in line)
        start = lines[at].index("Mark the session")
        assert not lines[at + 1][:start].strip(" │")
        assert lines[at + 1][start].isalpha()


async def test_help_parts_every_key_from_what_it_does(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('[keys]\n"session.tree" = "t,f7,f8,ctrl+g,alt+t,T"')
    async with browser(size=(100, 160)) as it:
        await it.press("question_mark")
        await it.pilot.pause()
        lines = it.text().splitlines()
        starts = set()
        for command in COMMANDS:
            at, line = next((at, line) for at, line in enumerate(lines) if command.help[:30] in line)
            starts.add(line.index(command.help[:30]))
            keys, rest = keys_of(command), line[: line.index(command.help[:30])]
            assert rest.endswith("  ")
            assert keys in rest or keys in lines[at - 1]
        assert len(starts) == 1


@pytest.mark.parametrize("size", [(200, 3), (10, 3), (5, 3), (200, 1)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_screen_without_room_for_the_panes_has_no_scrollbar(browser, three, size, selector):
    async with browser(size=size, selector=selector) as it:
        await it.pilot.pause()
        assert not it.screen.show_vertical_scrollbar
        assert not it.screen.show_horizontal_scrollbar


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving(browser, three, key):
    async with browser() as it:
        await it.press(key)
        assert it.app._exit
        assert it.app.return_value is None


async def test_ctrl_q_leaves_from_the_filter_and_from_a_dialog(browser, three):
    async with browser() as it:
        await it.press("slash", "ctrl+q")
        assert it.app._exit
    async with browser() as it:
        await it.press("question_mark", "ctrl+q")
        assert it.app._exit


async def test_the_theme_changes_and_is_remembered(browser, three):
    async with browser() as it:
        await it.press("f2")
        assert it.app.theme == "leafmark-light"
    async with browser() as it:
        assert it.app.theme == "leafmark-light"
        await it.press("f2")
        assert it.app.theme == "leafmark-dark"


async def test_the_palette_offers_every_command_and_runs_it(browser, three):
    async with browser() as it:
        offered = {command.title for command in it.app.get_system_commands(it.screen)}
        assert offered == {command.help for command in COMMANDS}
        await it.press("ctrl+k")
        await it.pilot.pause(0.1)
        for key in "Fold every project":
            await it.press("space" if key == " " else key)
        await it.pilot.pause(0.5)
        await it.press("enter")
        await it.until(lambda: it.listed() == [f"[{HERE}]", "[/work/site]"], "the fold")


async def test_every_key_of_the_table_is_bound_where_it_belongs(browser, three):
    async with browser() as it:
        widgets = {
            "sessions": it.sessions,
            "tree": it.tree,
            "entry": it.entry,
            "app": it.screen,
            "list": it.tree,
            "filter": it.screen.query_one("#filter"),
            "side": it.screen.side,
        }
        for command in COMMANDS:
            bound = widgets[command.pane]._bindings.key_to_bindings
            for key in command.keys:
                assert any(binding.id == command.id for binding in bound.get(key, [])), (command.id, key)


async def test_rescan_finds_what_is_there(browser, three, tmp_path):
    async with browser(env={"LEAFMARK_POLL": "1"}) as it:
        pi_session(tmp_path, *chain("late", id="late"), id="late")
        await it.press("f5")
        await it.until(lambda: "late" in it.listed(), "the new session")


async def test_looking_again_says_so_and_how_it_ended(browser, three, tmp_path, monkeypatch):
    scan, held = Scanner.scan, Event()
    held.set()

    def waits(self, *about, **how):
        held.wait(10)
        scan(self, *about, **how)

    monkeypatch.setattr(Scanner, "scan", waits)
    async with browser() as it:
        held.clear()
        await it.press("f5")
        assert LOOKING_AGAIN in it.text().splitlines()[0]
        held.set()
        await it.until(lambda: "Looked again: nothing has changed" in it.toasts(), "how it ended")
        assert LOOKING_AGAIN not in it.text()
        held.clear()
        await it.press("f5")
        pi_session(tmp_path, *chain("late", id="late"), id="late")
        it.path("plain").unlink()
        held.set()
        await it.until(lambda: "Looked again: 1 new, 1 gone" in it.toasts(), "what it has found")
        assert "late" in it.listed()


async def test_an_empty_machine_says_where_it_looked_and_opens_the_examples(browser, tmp_path):
    async with browser() as it:
        text = it.text()
        assert "No sessions found" in text
        assert "~/.pi/agent/sessions" in text
        assert "F6" in text
        await it.press("f6")
        await it.until(lambda: len(it.listed()) > 10, "the examples")
        await it.settled()
        assert "example sessions" in it.text()
        folder = it.screen.setup.demo
        assert folder
        known = it.screen.model.known
        await it.press("escape", "f6")
        await it.until(lambda: it.screen.setup.demo and it.screen.scanned, "the examples again")
        assert it.screen.model.known == known
    assert is_gone(folder)


async def test_a_session_that_cannot_be_read_says_why(browser, three):
    async with browser() as it:
        it.path("plain").unlink()
        await it.until(lambda: "plain" not in it.listed(), "the removal")
        assert it.sessions.row.id == "branchy"


async def test_hostile_text_reaches_the_screen_as_text(browser, tmp_path):
    hostile = "\x1b]0;owned\x07\x1b[31mred\u202egnp.exe [/bold] [@click=app.quit]x[/] \x9b2J"
    lines = chain(hostile, hostile, id="evil")
    lines.append(message("l", "00000002", "user", hostile))
    lines.append(
        {"type": "label", "id": "m", "parentId": "l", "timestamp": "x", "targetId": "l", "label": hostile}
    )
    lines.append({"type": hostile, "id": "n", "parentId": "m"})
    pi_session(tmp_path, *lines, id="evil")
    async with browser() as it:
        await it.press("tab", "ctrl+a", "up", "up")
        await it.settled()
        for key in ("slash", "escape", "question_mark", "escape", "r"):
            await it.press(key)
        text = it.text()
        assert "[/bold]" in text
        for bad in ("\x1b", "\x07", "\x9b", "\u202e"):
            assert bad not in text


async def test_nothing_in_an_agents_folder_changes(browser, three, tmp_path):
    def state():
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
            for path in sorted((tmp_path / "home").rglob("*"))
        }

    before = state()
    async with browser() as it:
        for command in COMMANDS:
            leaving = ("app.quit", "session.resume", "session.new", "demo.open")
            if command.id in (*leaving, "session.fork", "entry.fork"):
                continue
            await it.press(command.keys[0])
            await it.press("escape", "escape")
        await it.settled()
        await it.press("enter")
    assert state() == before


async def test_cursor_moves_draw_two_rows(browser, tmp_path):
    for at in range(60):
        pi_session(tmp_path, *chain(f"task {at}", id=f"s{at:02}"), id=f"s{at:02}")
    async with browser() as it:
        await it.press("down")
        before = it.sessions.drawn
        await it.press("down")
        assert it.sessions.drawn - before <= 2


async def test_opening_draws_only_what_is_on_screen(browser, tmp_path):
    lines = chain(*(f"line {at}" for at in range(5_000)), id="long")
    pi_session(tmp_path, *lines, id="long")
    async with browser() as it:
        assert it.tree.rows == 5_000
        assert it.tree.drawn < 200
        await it.press("tab", "home")
        assert it.tree.drawn < 300


async def test_json_of_no_session_is_shown_raw(browser, three):
    async with browser() as it:
        await it.press("tab", "tab", "r")
        await it.until(lambda: any('"parentId"' in line.text for line in it.entry.lines), "the raw entry")
        raw = "".join(line.text for line in it.entry.lines)
        assert json.loads(raw)["id"] == "f"


@pytest.mark.parametrize(("key", "pane"), [("2", "tree"), ("3", "entry"), ("1", "sessions")])
async def test_on_a_narrow_screen_the_keys_of_panes_go_there(browser, three, key, pane):
    async with browser(size=(60, 20)) as it:
        await it.press(key)
        assert it.focus == pane
        assert it.screen.query_one(f"#{pane}-pane").display


async def test_the_entry_is_opened_where_there_is_room_for_two(browser, three):
    async with browser(size=(90, 30)) as it:
        await it.press("3")
        assert it.focus == "entry"


async def test_a_session_that_cannot_be_opened_says_so_and_is_tried_again(browser, three, monkeypatch):
    from app.sessions import tree

    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", path)

    async with browser() as it:
        with monkeypatch.context() as patched:
            patched.setattr(tree, "open_tree", refuse)
            await it.press("down")
            await it.until(lambda: "cannot be read: Permission denied" in it.text(), "the reason")
            await it.pilot.pause(0.5)
            assert "reading" not in it.text()
        await it.press("f5")
        await it.until(lambda: "write a man page" in it.text(), "the tree")


async def test_the_footer_of_an_empty_screen_offers_what_works(browser, tmp_path):
    async with browser(size=(80, 24)) as it:
        text = it.text()
        assert "F6 examples" in text
        assert "resume" not in text.splitlines()[-1]
        assert "throw-away folder" in " ".join(line[1:34].strip() for line in text.splitlines())


async def test_a_typo_in_the_filter_does_not_move_the_cursor(browser, three):
    async with browser() as it:
        await it.press("down")
        await it.press("slash", *"zzz", "escape")
        assert it.sessions.row.id == "plain"


async def test_a_click_in_the_entry_does_not_scroll_it(browser, tmp_path):
    pi_session(tmp_path, *chain("q", "\n".join(f"line {at}" for at in range(200)), id="s"), id="s")
    async with browser() as it:
        await it.pilot.click("#entry", offset=(5, 8))
        assert it.entry.scroll_offset.y == 0


async def test_an_entry_in_a_hidden_pane_is_not_wrapped_and_comes_when_the_pane_does(browser, three):
    async with browser(size=(100, 30)) as it:
        assert it.entry.lines == []
        await it.press("3")
        await it.until(lambda: it.entry.lines and it.entry.lines[0].text == "faster", "the entry")


async def test_a_lone_surrogate_is_shown_raw(browser, tmp_path):
    line = '{"type":"message","id":"z","parentId":"00000001","timestamp":"x",'
    line += '"message":{"role":"user","content":"a\\ud83dz"}}'
    pi_session(tmp_path, *chain("q", id="s"), line, id="s")
    async with browser() as it:
        await it.press("tab", "tab", "r")
        await it.until(lambda: any('"content"' in each.text for each in it.entry.lines), "the raw entry")
        assert "as it stands in the file" in it.text()


async def test_an_error_in_one_entry_stays_in_its_pane(browser, three, monkeypatch):
    from app.formats import parts

    def fail(entry):
        raise KeyError("role")

    monkeypatch.setattr(parts, "parts", fail)
    async with browser() as it:
        assert "cannot be shown: KeyError" in it.text()
        assert "not followed" not in it.text()


async def test_a_fork_of_forks_still_shows_its_title(browser, tmp_path):
    for at in range(40):
        parent = {"parentSession": f"/x/2026_f{at - 1:02}.jsonl"} if at else {}
        lines = chain(f"title {at}", id=f"f{at:02}")
        lines[0] |= parent
        pi_session(tmp_path, *lines, id=f"f{at:02}")
    async with browser(size=(120, 60)) as it:
        row = next(line for line in it.text().splitlines() if "title 39" in line)
        assert " pi " in row[:51]
