"""The sessions in the selector's list. Some tests correspond to tests of pi's session picker."""

from __future__ import annotations

import os

import pytest
from leafmark import Index

from app.view.cells import width
from tests.factory import chain, entry, write_session
from tests.ui.conftest import EDIT, WAYS, pi_session

# scope


@pytest.mark.parametrize(("times", "scope"), [(1, "all"), (2, "here")])
async def test_tab_during_a_slow_load_keeps_the_chosen_scope(browser, three, slow, times, scope):
    async with browser(selector="", settle=False) as ui:
        await ui.press(*["tab"] * times)
        assert ui.listed() == []
        slow.set()
        await ui.settled()
        assert ui.sessions.model.arrangement.scope == scope
        assert len(ui.listed()) == (2 if scope == "here" else 3)


@pytest.mark.parametrize("times", [1, 2])
async def test_the_rows_of_the_first_frame_stay_until_all_are_read(browser, begun, slow, times):
    async with browser(selector="", model=begun, settle=False) as ui:
        assert ui.listed() == ["branchy", "plain"]
        await ui.press(*["tab"] * times)
        assert ui.listed() == ["branchy", "plain"]
        assert ("all folders" if times == 1 else "Resume · this folder") in ui.text()
        slow.set()
        await ui.settled()
        assert ("site1" in ui.listed()) == (times == 1)
        assert ui.sessions.row.id == "branchy"


async def test_loading_an_empty_folder_does_not_change_the_scope(browser, three, slow):
    async with browser(selector="", here="/work/nothing", settle=False) as ui:
        slow.set()
        await ui.until(lambda: ui.screen.feed.scanned, "the load")
        await ui.press("tab", "tab")
        assert ui.sessions.model.arrangement.scope == "here"
        assert ui.listed() == []
        assert "Tab shows all folders." in ui.text()


async def test_all_folders_are_loaded_once(browser, three, monkeypatch):
    reads, scans = [], []
    rows, scan = Index.rows, Index.rescan
    monkeypatch.setattr(Index, "rows", lambda self: reads.append(self) or rows(self))
    monkeypatch.setattr(Index, "rescan", lambda self: scans.append(self) or scan(self))
    async with browser(selector="") as ui:
        before = len(reads)
        await ui.press("tab", "tab", "tab", "tab", "tab")
        assert len(ui.listed()) == 3
        assert (len(reads), scans) == (before, [])


async def test_without_any_session_every_key_is_harmless(browser, tmp_path):
    async with browser(selector="") as ui:
        assert "No sessions found" in ui.text()
        await ui.press("tab", "tab", "enter", "down", "ctrl+d", "ctrl+r", "ctrl+y", "ctrl+backspace")
        await ui.press("shift+tab", "t", "f", "F", "n", "p", "y", "y", "Y", "space", "asterisk", "enter")
        assert not ui.has_ended
        assert ui.selects
        assert ui.toasts() == []
        await ui.press("slash", "escape")
        assert ui.has_ended


@pytest.mark.parametrize("linked", ["here", "session"])
async def test_a_folder_behind_a_link_is_this_folder(browser, tmp_path, linked):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    here, cwd = (link, real) if linked == "here" else (real, link)
    pi_session(tmp_path, *chain("through a link", "x", id="linked", cwd=str(cwd)), id="linked")
    pi_session(tmp_path, *chain("elsewhere", "x", id="other", cwd="/other"), id="other")
    async with browser(selector="", here=str(here)) as ui:
        await ui.until(lambda: ui.listed() == ["linked"], "the session of this folder")
        await ui.press("tab")
        assert len(ui.listed()) == 2


async def test_a_parent_named_through_a_link_is_found(browser, three, tmp_path):
    (tmp_path / "alias").symlink_to(tmp_path / "home")
    parent = next(tmp_path.rglob("*branchy.jsonl"))
    fork = chain("fork of it", "yes", id="forked")
    fork[0]["parentSession"] = str(tmp_path / "alias" / parent.relative_to(tmp_path / "home"))
    pi_session(tmp_path, *fork, id="forked")
    async with browser(selector="") as ui:
        listed = ui.listed()
        assert listed.index("forked") == listed.index("branchy") + 1
        assert "└" in next(line for line in ui.text().splitlines() if "fork of it" in line)


# rows


@pytest.fixture
def with_helper(tmp_path):
    """Two sessions. A sub-agent of the first one worked in another folder."""
    folder = tmp_path / "home/.omp/agent/sessions/-work-app"
    write_session(folder / "2026_boss.jsonl", *chain("look into it", "done", id="boss"))
    write_session(
        folder / "2026_boss" / "0-Explore.jsonl", *chain("explore", "found", id="helper", cwd="/work/else")
    )
    write_session(folder / "2026_other.jsonl", *chain("something else", "done", id="other"))


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_hiding_sub_agents_again_restores_the_counts(browser, with_helper, way):
    def first_line(ui):
        """The first line of the screen, without the rule of the preview."""
        return ui.text().splitlines()[0].partition("┬")[0]

    async with browser(**way) as ui:
        if ui.selects:
            await ui.press("shift+tab", "full_stop", "s")
        header = first_line(ui)
        assert ui.screen.sessions_pane.words[1] == "2"
        await ui.press("full_stop", "e")
        await ui.until(lambda: ui.screen.sessions_pane.words[1] == "3", "the sub-agent")
        await ui.press("full_stop", "e")
        assert "helper" not in ui.listed()
        assert first_line(ui) == header
        assert "hidden" not in ui.screen.sessions_pane.words[1]


async def test_the_cursor_returns_to_a_hidden_sub_agent(browser, with_helper):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "full_stop", "s", "full_stop", "e")
        await ui.until(lambda: "helper" in ui.listed(), "the sub-agent")
        ui.sessions.move_to(ui.listed().index("helper"))
        await ui.press("full_stop", "e")
        assert ui.sessions.row.id != "helper"
        await ui.press("full_stop", "e")
        await ui.until(lambda: "helper" in ui.listed(), "the sub-agent")
        await ui.until(lambda: ui.sessions.row.id == "helper", "the cursor")


async def test_the_newest_is_by_the_last_message_and_not_by_the_file_time(browser, three):
    async with browser(selector="") as ui:
        os.utime(ui.path("plain"), (2_000_000_000, 2_000_000_000))
        await ui.press("f5")
        await ui.settled()
        assert ui.listed() == ["branchy", "plain"]


async def test_any_name_or_prompt_takes_one_line(browser, tmp_path):
    texts = {
        "one\ntwo\r\nthree": "one two three",
        "tab\there": "tab here",
        "bell\x07 and \x1b[31mred": "bell",
        "日本語の名前 と 絵文字 🦊": "日本語の名前 と 絵文字 🦊",
        "e\u0301clair": "e\u0301clair",
    }
    for number, text in enumerate(texts):
        pi_session(tmp_path, *chain(text, "x", id=f"prompt{number}"), id=f"prompt{number}")
        name = [*chain("p", "x", id=f"named{number}"), entry("session_info", "n", "00000002", 13, name=text)]
        pi_session(tmp_path, *name, id=f"named{number}")
    async with browser(selector="", size=(120, 40)) as ui:
        lines = ui.text().splitlines()
        for shown in texts.values():
            assert sum(shown in line.split("│")[0] for line in lines if "│" in line) == 2, shown
        assert {width(line) for line in lines[:-1]} == {120}
        ui.sessions.go_to(str(ui.path("named0")))
        await ui.press("ctrl+r")
        assert ui.is_in(EDIT)
        assert ui.screen.query_one("Input").value.startswith("one")
        assert "\n" not in ui.screen.query_one("Input").value


async def test_page_keys_move_while_typing(browser, tmp_path):
    for number in range(60):
        pi_session(tmp_path, *chain(f"task {number:02}", "x", id=f"s{number:02}"), id=f"s{number:02}")
    async with browser(selector="", size=(120, 30)) as ui:
        first = ui.sessions.row.id
        await ui.press("pagedown")
        assert ui.sessions.cursor == ui.sessions.page
        await ui.press("pageup")
        assert ui.sessions.row.id == first
        await ui.press("pageup")
        assert ui.sessions.cursor == 0, "it does not go round"
        await ui.press(*["pagedown"] * 9, "down")
        assert ui.sessions.cursor == 59
        assert ui.focus == "filter"
