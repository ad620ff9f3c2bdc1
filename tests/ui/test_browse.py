"""The browser, key by key: the list, and the tree and entry beside it."""

from __future__ import annotations

from threading import Event

import pytest

from app.commands import COMMANDS, command_by_id
from app.index.scan import Scanner
from tests.factory import chain, message
from tests.ui.conftest import HERE, pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")


async def test_it_opens_on_this_folders_newest_session_with_tree_and_entry(browser, three):
    async with browser() as ui:
        assert ui.listed() == [f"[{HERE}]", "branchy", "plain", "[/work/site]", "site1"]
        assert ui.sessions.row.id == "branchy"
        assert ui.focus == "sessions"
        text = ui.text()
        for expected in ("3 sessions", "2 projects", "Refactor auth", "◆ redis idea", "← leaf", "faster"):
            assert expected in text


@pytest.mark.parametrize(("down", "up"), [("down", "up"), ("j", "k")])
async def test_row_moves_stop_at_the_ends(browser, three, down, up):
    async with browser() as ui:
        await ui.press(down)
        assert ui.sessions.row.id == "plain"
        await ui.press(up, up, up, up)
        assert ui.sessions.cursor == 0
        await ui.press(*[down] * 9)
        assert ui.sessions.row.id == "site1"


async def test_keys_for_first_last_and_pages(browser, three):
    async with browser() as ui:
        for key, index in (("G", 4), ("end", 4), ("home", 0), ("pagedown", 4), ("pageup", 0)):
            await ui.press(key)
            assert ui.sessions.cursor == index, key
        await ui.press("ctrl+f")
        assert ui.sessions.cursor == 4
        await ui.press("ctrl+b")
        assert ui.sessions.cursor == 0


async def test_groups_fold_and_unfold(browser, three):
    async with browser() as ui:
        await ui.press("left")
        assert ui.sessions.row is None
        await ui.press("left")
        assert ui.listed() == [f"[{HERE}]", "[/work/site]", "site1"]
        await ui.press("right")
        assert "branchy" in ui.listed()
        await ui.press("l")
        assert ui.sessions.row.id == "branchy"
        await ui.press("h", "h")
        assert "branchy" not in ui.listed()
        await ui.press("space")
        assert "branchy" in ui.listed()
        await ui.press("minus")
        assert ui.listed() == [f"[{HERE}]", "[/work/site]"]
        await ui.press("plus")
        assert len(ui.listed()) == 5
        await ui.press("space")
        assert "branchy" not in ui.listed()


async def test_f5_says_what_it_found(browser, three, tmp_path, monkeypatch):
    real_scan, may_scan = Scanner.scan, Event()
    may_scan.set()

    def scan_later(self, *arguments, **options):
        may_scan.wait(10)
        real_scan(self, *arguments, **options)

    monkeypatch.setattr(Scanner, "scan", scan_later)
    async with browser() as ui:
        may_scan.clear()
        await ui.press("f5")
        assert "rescanning…" in ui.text().splitlines()[0]
        may_scan.set()
        await ui.until(lambda: "Rescanned: no changes" in ui.toasts(), "how it ended")
        assert "rescanning…" not in ui.text()
        may_scan.clear()
        await ui.press("f5")
        pi_session(tmp_path, *chain("late", id="late"), id="late")
        ui.path("plain").unlink()
        may_scan.set()
        await ui.until(lambda: "Rescanned: 1 new, 1 gone" in ui.toasts(), "what it has found")
        assert "late" in ui.listed()


async def test_browsing_changes_nothing_in_the_agents_folders(browser, three, tmp_path):
    def state():
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
            for path in sorted((tmp_path / "home").rglob("*"))
        }

    before = state()
    async with browser() as ui:
        for command in COMMANDS:
            leaving_commands = ("app.quit", "session.resume", "session.new", "shown.new", "demo.open")
            if (
                not command.keys
                or command.id in leaving_commands
                or command.keys[0] == command_by_id("session.fork").keys[0]
            ):
                continue
            await ui.press(command.keys[0])
            for _ in range(2):
                if ui.focus != "sessions" or len(ui.app.screen_stack) > 1:
                    await ui.press("escape")
        await ui.settled()
        await ui.press("enter")
    assert state() == before


async def test_a_cursor_move_draws_two_rows(browser, tmp_path):
    for number in range(60):
        pi_session(tmp_path, *chain(f"task {number}", id=f"s{number:02}"), id=f"s{number:02}")
    async with browser() as ui:
        await ui.press("down")
        before = ui.sessions.drawn
        await ui.press("down")
        assert ui.sessions.drawn - before <= 2


async def test_opening_draws_only_visible_rows(browser, tmp_path):
    lines = chain(*(f"line {number}" for number in range(5_000)), id="long")
    pi_session(tmp_path, *lines, id="long")
    async with browser() as ui:
        assert ui.tree.rows == 2_501, "the prompts and the last answer"
        assert ui.tree.drawn < 200
        await ui.press("tab", "home")
        assert ui.tree.drawn < 300


async def test_a_fork_of_many_forks_shows_its_title(browser, tmp_path):
    for number in range(40):
        parent = {"parentSession": f"/x/2026_f{number - 1:02}.jsonl"} if number else {}
        lines = chain(f"title {number}", id=f"f{number:02}")
        lines[0] |= parent
        pi_session(tmp_path, *lines, id=f"f{number:02}")
    async with browser(size=(120, 60)) as ui:
        row = next(line for line in ui.text().splitlines() if "title 39" in line)
        assert row[:52].rstrip().endswith("7mo")


async def test_a_row_says_what_was_wanted_and_how_it_ended_and_its_size_on_request(browser, tmp_path):
    prompts = ("/model opus", "hello!", "mend the door")
    lines = chain(*[text for prompt in prompts for text in (prompt, "yes")][:-1], id="failed")
    stopped = message("x", lines[-1]["id"], "assistant", "", 9, stopReason="aborted")
    pi_session(tmp_path, *lines, stopped, id="failed")
    pi_session(tmp_path, *chain("paint it", "done", id="good"), id="good")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text("show_size = true\n")

    def listed(ui):
        return [line.split("│")[0] for line in ui.text().splitlines()]

    async with browser() as ui:
        (row,) = [line for line in listed(ui) if "   mend the door " in line or "❯  mend the door " in line]
        assert " × " in row
        await ui.press("D")
        shown = listed(ui)[2:]
        mended, painted = (
            next(index for index, line in enumerate(shown) if name in line)
            for name in ("mend the door", "paint it")
        )
        assert shown[mended + 1].split()[-1] == "aborted"
        assert shown[painted + 1].split()[-1] in ("B", "kB")
