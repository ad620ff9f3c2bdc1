"""Each key of the table in the selector, and what pi's own tests pin for its picker (PARITY 5, "Listing",
"Search", "Picker keys").
"""

from __future__ import annotations

import gzip
import json
import os
import threading

import pytest

from app.actions.taking_back import PASSED
from app.commands import COMMANDS, keys_of, of_pane
from app.index.index import Index
from app.screens.archive_dialog import ArchiveDialog
from app.screens.dialogs import FolderDialog, HelpDialog
from app.screens.questions import RowEditor, RowQuestion
from app.services.indexing import Indexing
from app.view.cells import width
from tests.factory import chain, entry, message, write_session
from tests.ui.conftest import HERE, pi_session

OF_THE_LIST = [
    (command, key) for pane in ("sessions", "side") for command in of_pane(pane) for key in command.keys
]
OF_THE_LINE = [
    (command, key) for pane in ("filter", "side") for command in of_pane(pane) for key in command.keys
]


def named(pair):
    return f"{pair[0].id}-{pair[1]}" if isinstance(pair, tuple) else str(pair)


def noted(it, command, monkeypatch):
    """What the command's action is called with, instead of doing it."""
    called = []
    name, _, rest = command.action.removeprefix("screen.").removeprefix("app.").partition("(")
    target = it.screen if command.action.startswith("screen.") else it.screen.command_target(command.pane)
    assert hasattr(target, f"action_{name}"), command.id
    monkeypatch.setattr(target, f"action_{name}", lambda *given: called.append(given))
    return called, rest


@pytest.mark.parametrize("pair", OF_THE_LIST, ids=named)
async def test_each_key_of_the_list_does_what_the_table_says(browser, three, monkeypatch, pair):
    command, key = pair
    async with browser(selector="") as it:
        await it.press("shift+tab")
        assert it.focus == "sessions"
        called, rest = noted(it, command, monkeypatch)
        await it.press(key)
        assert len(called) == 1
        assert not rest or repr(called[0][0]) == rest.rstrip(")")


@pytest.mark.parametrize("pair", OF_THE_LINE, ids=named)
async def test_each_key_of_the_line_does_what_the_table_says(browser, three, monkeypatch, pair):
    command, key = pair
    async with browser(selector="") as it:
        await it.press("x")
        called, rest = noted(it, command, monkeypatch)
        await it.press(key)
        assert len(called) == 1
        assert not rest or repr(called[0][0]) == rest.rstrip(")")


async def test_the_help_has_every_command_with_its_keys(browser, three):
    async with browser(selector="") as it:
        await it.press("f1")
        assert isinstance(it.screen, HelpDialog)
        said = " ".join(str(it.screen.query_one("#keys Static").content).split())
        for command in COMMANDS:
            selector = it.app.screen_stack[0]
            if not selector.offers(command):
                assert command.pane in ("tree", "entry", "app")
                continue
            assert selector.told(command) in said
            assert keys_of(command) in said
        await it.press("escape")
        assert it.selects


async def test_the_selectors_own_use_of_tab_is_what_footer_and_help_say(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab")
        assert "Tab all folders" in it.text().splitlines()[-1]
        await it.press("tab")
        await it.until(lambda: "Tab this folder" in it.text().splitlines()[-1], "the other scope")
        assert "Tab pane" not in it.text()
        await it.press("question_mark")
        said = " ".join(str(it.screen.query_one("#keys Static").content).split())
        assert "Tab This folder, or all" in said
        assert "Next pane" not in said
    async with browser() as it:
        assert "Tab pane" in it.text().splitlines()[-1]


# scope


@pytest.fixture
def slow(monkeypatch):
    """What is stored is read when the test lets it."""
    go = threading.Event()
    run = Indexing._run

    def held(self):
        go.wait()
        run(self)

    monkeypatch.setattr(Indexing, "_run", held)
    yield go
    go.set()


@pytest.mark.parametrize(("times", "scope"), [(0, "here"), (1, "all"), (2, "here"), (3, "all")])
async def test_tab_during_a_slow_load_says_the_scope_and_the_load_does_not_turn_it(
    browser, three, slow, times, scope
):
    async with browser(selector="", settle=False) as it:
        await it.press(*["tab"] * times)
        assert it.listed() == []
        slow.set()
        await it.settled()
        assert it.sessions.model.arrangement.scope == scope
        assert len(it.listed()) == (2 if scope == "here" else 3)


async def test_a_load_of_an_empty_folder_turns_nothing_either(browser, three, slow):
    async with browser(selector="", here="/work/nothing", settle=False) as it:
        slow.set()
        await it.until(lambda: it.screen.scanned, "the load")
        await it.press("tab", "tab")
        assert it.sessions.model.arrangement.scope == "here"
        assert it.listed() == []
        assert "Tab shows those of all folders." in it.text()


async def test_all_folders_are_loaded_once(browser, three, monkeypatch):
    made, scans = [], []
    rows, scan = Index.rows, Index.rescan
    monkeypatch.setattr(Index, "rows", lambda self: made.append(self) or rows(self))
    monkeypatch.setattr(Index, "rescan", lambda self: scans.append(self) or scan(self))
    async with browser(selector="") as it:
        before = len(made)
        await it.press("tab", "tab", "tab", "tab", "tab")
        assert len(it.listed()) == 3
        assert (len(made), scans) == (before, [])


async def test_with_both_scopes_empty_it_stays_open(browser, tmp_path):
    async with browser(selector="") as it:
        assert "No sessions found" in it.text()
        await it.press("tab", "tab", "enter", "down", "ctrl+d", "ctrl+r", "ctrl+y", "ctrl+backspace")
        await it.press("shift+tab", "t", "f", "F", "n", "p", "y", "Y", "space", "asterisk", "enter")
        assert not it.app._exit
        assert it.selects
        assert it.toasts() == []
        await it.press("slash", "escape")
        assert it.app._exit


@pytest.mark.parametrize("linked", ["here", "session"])
async def test_a_folder_that_is_spelled_otherwise_is_here(browser, tmp_path, linked):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    here, cwd = (link, real) if linked == "here" else (real, link)
    pi_session(tmp_path, *chain("through a link", "x", id="linked", cwd=str(cwd)), id="linked")
    pi_session(tmp_path, *chain("elsewhere", "x", id="other", cwd="/other"), id="other")
    async with browser(selector="", here=str(here)) as it:
        await it.until(lambda: it.listed() == ["linked"], "the session of this folder")
        await it.press("tab")
        assert len(it.listed()) == 2


async def test_a_parent_that_is_named_through_a_link_is_the_parent(browser, three, tmp_path):
    (tmp_path / "alias").symlink_to(tmp_path / "home")
    parent = next(tmp_path.rglob("*branchy.jsonl"))
    fork = chain("fork of it", "yes", id="forked")
    fork[0]["parentSession"] = str(tmp_path / "alias" / parent.relative_to(tmp_path / "home"))
    pi_session(tmp_path, *fork, id="forked")
    async with browser(selector="") as it:
        listed = it.listed()
        assert listed.index("forked") == listed.index("branchy") + 1
        assert "└" in next(line for line in it.text().splitlines() if "fork of it" in line)


# rows


async def test_newest_is_by_the_last_message_and_not_by_the_files_time(browser, three):
    async with browser(selector="") as it:
        os.utime(it.path("plain"), (2_000_000_000, 2_000_000_000))
        await it.press("f5")
        await it.settled()
        assert it.listed() == ["branchy", "plain"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\ntwo\r\nthree", "one two three"),
        ("tab\there", "tab here"),
        ("bell\x07 and \x1b[31mred", "bell"),
        ("日本語の名前 と 絵文字 🦊", "日本語の名前 と 絵文字 🦊"),
        ("e\u0301clair", "e\u0301clair"),
    ],
)
async def test_names_and_prompts_of_any_kind_take_one_line(browser, tmp_path, text, shown):
    pi_session(tmp_path, *chain(text, "x", id="prompt"), id="prompt")
    name = [*chain("p", "x", id="named"), entry("session_info", "n", "00000002", 13, name=text)]
    pi_session(tmp_path, *name, id="named")
    async with browser(selector="", size=(120, 20)) as it:
        lines = it.text().splitlines()
        assert sum(shown in line.split("│")[1] for line in lines if line.count("│") > 1) == 2
        assert {width(line) for line in lines[:-1]} == {120}
        await it.press("ctrl+r")
        assert isinstance(it.screen, RowEditor)
        assert "\n" not in it.screen.query_one("Input").value


async def test_pages_move_while_one_types(browser, tmp_path):
    for at in range(60):
        pi_session(tmp_path, *chain(f"task {at:02}", "x", id=f"s{at:02}"), id=f"s{at:02}")
    async with browser(selector="", size=(120, 30)) as it:
        first = it.sessions.row.id
        await it.press("pagedown")
        assert it.sessions.cursor == it.sessions.page
        await it.press("pageup")
        assert it.sessions.row.id == first
        await it.press("pageup")
        assert it.sessions.cursor == 0, "it does not go round"
        await it.press(*["pagedown"] * 9, "down")
        assert it.sessions.cursor == 59
        assert it.focus == "filter"


# the line


async def test_what_is_not_found_here_may_be_elsewhere(browser, three):
    async with browser(selector="dark") as it:
        await it.until(lambda: "No session in this folder matches “dark”." in it.text(), "nothing")
        assert "Tab looks in all folders." in it.text()
        await it.press("tab")
        await it.until(lambda: it.listed() == ["site1"], "the session")


@pytest.mark.parametrize("key", ["insert", "ctrl+@"])
async def test_marks_are_set_while_something_is_typed(browser, three, key):
    async with browser(selector="") as it:
        await it.press(*"done")
        await it.until(lambda: it.listed() == ["plain"], "the session")
        await it.press(key)
        assert it.sessions.model.marked == {str(it.path("plain"))}
        assert it.box.value == "done"


@pytest.mark.parametrize("key", ["ctrl+w", "alt+backspace", "ctrl+backspace"])
async def test_words_are_deleted_to_the_left(browser, three, key):
    async with browser(selector="") as it:
        await it.press(*"man page")
        await it.press(key)
        assert it.box.value == "man "
        await it.press(key)
        assert it.box.value == ""
        assert not isinstance(it.screen, RowQuestion)


async def test_ctrl_d_asks_also_where_something_is_typed_and_where_nothing_is(browser, three):
    async with browser(selector="") as it:
        for typed in ("", "man"):
            await it.press(*typed)
            await it.press("ctrl+d")
            assert isinstance(it.screen, RowQuestion)
            await it.press("escape")
            assert it.box.value == typed
            assert it.path("plain").exists()


async def test_a_phrase_is_found_over_any_blanks(browser, three, tmp_path):
    pi_session(tmp_path, *chain("a", "two   words\n\tthree", id="spaced"), id="spaced")
    async with browser(selector="") as it:
        await it.press(*'"two words three"')
        await it.until(lambda: it.listed() == ["spaced"], "the phrase")


async def test_a_pattern_without_capitals_does_not_heed_case(browser, three, tmp_path):
    pi_session(tmp_path, *chain("a", "MAN  Pages", id="loud"), id="loud")
    async with browser(selector="") as it:
        await it.press(*"re:man\\s+p")
        await it.until(lambda: sorted(it.listed()) == ["loud", "plain"], "the sessions")


async def test_what_fits_best_comes_first_only_where_that_is_asked_for(browser, tmp_path):
    pi_session(tmp_path, *chain("x", "zebra " * 30, id="much"), id="much")
    late = chain("y", "one zebra among many other words " + "w " * 200, id="little")
    late[-1]["timestamp"] = "2026-05-02T10:00:00.000Z"
    pi_session(tmp_path, *late, id="little")
    async with browser(selector="") as it:
        await it.press(*"zebra")
        await it.until(lambda: it.listed() == ["little", "much"], "both, the newest first")
        await it.press("ctrl+s")
        assert it.listed() == ["little", "much"]
        await it.press("ctrl+s")
        await it.until(lambda: it.listed() == ["much", "little"], "the best first")
        assert it.box.value == "zebra"


async def test_what_matches_is_marked_in_the_row(browser, three):
    async with browser(selector="") as it:
        await it.press(*"page")
        await it.until(lambda: it.listed() == ["plain"], "the session")
        line = it.sessions.draw(0, 50, False)
        assert [text for text, style in line if style == "match"] == ["page"]


async def test_what_tools_gave_back_streams_in_when_it_is_asked_for(browser, three, tmp_path):
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls quokka"}}
    lines = chain("look", id="tooled")
    lines.append(message("a", "00000001", "assistant", "looking"))
    lines[-1]["message"]["content"].append(call)
    lines.append(message("b", "a", "toolResult", "wombat.txt", toolCallId="t", toolName="bash"))
    pi_session(tmp_path, *lines, id="tooled")
    async with browser(selector="") as it:
        await it.press(*"wombat")
        await it.until(lambda: "No session matches" in it.text(), "nothing")
        await it.press("ctrl+t")
        await it.until(lambda: it.listed() == ["tooled"], "what the tool gave back")
        assert it.box.value == "wombat"
        await it.press("ctrl+u", *"quokka")
        await it.until(lambda: it.listed() == ["tooled"], "what the tool was asked")


async def test_count_and_scope_are_said(browser, three):
    async with browser(selector="") as it:
        await it.press(*"done")
        await it.until(lambda: "1 of 2" in it.text(), "the count")
        await it.press("tab")
        await it.until(lambda: "2 of 3" in it.text(), "the count of all")


# actions


async def test_the_program_is_turned_and_said(browser, three, tmp_path):
    write_session(
        tmp_path / "home/.omp/agent/sessions/-work-app/2026_omp1.jsonl", *chain("of omp", "x", id="omp1")
    )
    async with browser(selector="") as it:
        await it.press("shift+tab", "a")
        assert it.listed() == ["omp1"]
        await it.press("a")
        assert sorted(it.listed()) == ["branchy", "plain"]
        await it.press("a")
        assert len(it.listed()) == 3


async def test_enter_in_the_list_goes_on_with_the_session(browser, tmp_path):
    work, program = tmp_path / "work", tmp_path / "bin" / "pi"
    for folder in (work, program.parent):
        folder.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = pi_session(tmp_path, *chain("go on", "yes", id="s", cwd=str(work)), id="s")
    for keys in (["enter"], ["shift+tab", "enter"]):
        async with browser(selector="", here=str(work)) as it:
            await it.press(*keys)
            assert it.app.return_value.argv == ["pi", "--session", str(path)]


async def test_copies_in_the_selector(browser, three):
    async with browser(selector="") as it:
        path = str(it.path("branchy"))
        await it.press("ctrl+y")
        assert path in it.app.clipboard
        assert "Command copied" in it.toasts()
        await it.press("shift+tab", "y")
        assert it.app.clipboard == "branchy"
        await it.press("Y")
        assert it.app.clipboard == path


async def test_forks_in_the_selector(browser, three, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    async with browser(selector="") as it:
        await it.press("shift+tab", "f")
        await it.until(lambda: len(it.listed()) == 3, "the fork")
        assert it.sessions.row.id == "branchy", "the cursor stays"
        await it.press("F")
        assert isinstance(it.screen, FolderDialog)
        await it.press("ctrl+u", *str(other), "enter")
        await it.until(lambda: any("New session" in toast for toast in it.toasts()), "the other fork")
        await it.press("s")
        await it.until(lambda: len(it.listed()) == 5, "both")
        heads = [json.loads(path.open().readline()) for path in (tmp_path / "home").rglob("*.jsonl")]
        assert str(other) in [head["cwd"] for head in heads]


@pytest.mark.parametrize("way", [{"selector": ""}, {}], ids=["selector", "browser"])
async def test_what_cannot_be_renamed_says_why_and_offers_no_key(browser, three, tmp_path, way):
    write_session(
        tmp_path / "home/.config/agent/sessions/20260501-100000-abcdef12.jsonl",
        {
            "id": "abcdef12-0000-4000-8000-000000000000",
            "agent": "a",
            "model": "m",
            "provider": "p",
            "cwd": HERE,
            "created": "2026-05-01T10:00:00Z",
            "name": "",
            "version": 1,
            "type": "session",
            "timestamp": "2026-05-01T10:00:00Z",
        },
        {
            "type": "message",
            "id": "m1",
            "timestamp": "2026-05-01T20:00:01Z",
            "message": {"role": "user", "content": [{"type": "text", "text": "plain agent"}]},
        },
    )
    async with browser(**way) as it:
        await it.until(lambda: "agent" in {row.agent for row in it.sessions.model.rows()}, "its session")
        agents = [line.row.agent if line.row else "" for line in it.sessions.model.lines]
        await it.press(*["pageup"] * 2, *["down"] * agents.index("agent"))
        assert "Ctrl+R rename" not in it.text()
        await it.press("ctrl+r")
        assert not isinstance(it.screen, RowEditor)
        assert any("nickcecere/agent" in toast for toast in it.toasts())
        await it.press("up" if it.sessions.cursor else "down")
        assert it.sessions.row is None or "Ctrl+R rename" in it.text()


async def test_marks_of_all_that_are_shown(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "asterisk")
        assert "2 marked" in it.text()
        await it.press("asterisk")
        assert "marked" not in it.text()


async def test_several_are_pinned_and_unpinned_at_once(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "asterisk", "p")
        await it.until(lambda: it.text().count("★") == 2, "the pins")
        await it.press("asterisk", "p")
        await it.until(lambda: "★" not in it.text(), "their end")
        await it.press("ctrl+z")
        await it.until(lambda: it.text().count("★") == 2, "the pins again")


async def test_each_fold_key_in_the_browser(browser, three):
    async with browser() as it:
        await it.press("minus")
        assert [each[0] for each in it.listed()] == ["[", "["]
        await it.press("plus")
        assert len(it.listed()) == 5
        await it.press("home", "left")
        assert it.listed()[:2] == [f"[{HERE}]", "[/work/site]"]
        await it.press("right")
        assert it.listed()[1] == "branchy"
        await it.press("right", "h")
        assert it.sessions.row is None, "at its head"
        await it.press("space")
        assert it.listed()[1] == "[/work/site]"
        await it.press("l", "l")
        assert it.sessions.row.id == "branchy"


# the archive


def pack(tmp_path, name, *lines, cut=None):
    path = tmp_path / "home/.omp/agent/archive/sessions/-work-app" / f"{name}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    path.write_bytes(data[:cut])
    return path


async def test_the_archive_is_listed_and_a_session_brought_back(browser, three, tmp_path):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    pack(tmp_path, "older", *chain("packed before", "x", id="older"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        assert isinstance(it.screen, ArchiveDialog)
        await it.until(lambda: "packed away" in it.text() and "packed before" in it.text(), "the archive")
        await it.press("down", "up") if "❯ packed away" in it.text() else await it.press("down")
        await it.press("enter")
        await it.until(lambda: len(it.listed()) == 3, "its row")
        assert any("Back from the archive" in toast for toast in it.toasts())
        assert (
            packed.exists()
            != (tmp_path / "home/.omp/agent/archive/sessions/-work-app/older.jsonl.gz").exists()
        )


async def test_what_came_out_of_the_archive_stays_and_undo_says_so_before_it_goes_on(
    browser, three, tmp_path
):
    pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "p")
        await it.until(lambda: "★" in it.text(), "the pin")
        await it.press("A")
        await it.until(lambda: "packed away" in it.text(), "the archive")
        await it.press("enter")
        await it.until(lambda: "Back from the archive" in it.toasts(), "the word")
        await it.press("z")
        await it.until(
            lambda: any("what came out of the archive stays" in toast for toast in it.toasts()), "the reason"
        )
        assert PASSED in it.toasts()
        assert "old" in it.listed()
        assert "★" in it.text()
        await it.press("z")
        await it.until(lambda: "The pins are as before" in it.toasts(), "what was done before")


async def test_escape_leaves_the_archive_as_it_is(browser, three, tmp_path):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "packed away" in it.text(), "the archive")
        await it.press("escape")
        assert it.selects
        assert packed.exists()


async def test_what_is_damaged_in_the_archive_says_so_by_its_name(browser, three, tmp_path):
    pack(tmp_path, "cut-off", *chain("packed away", "x", id="old"), cut=30)
    pack(tmp_path, "no-prompt", *chain("packed away", "x", id="old")[:1])
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "no-prompt.jsonl.gz" in it.text(), "the archive")
        assert "cut off before its end: cut-off.jsonl.gz" in it.text()


async def test_an_archive_without_sessions_says_so(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "Nothing is archived" in it.text(), "that")
        await it.press("enter", "escape")
        assert it.selects


async def test_a_damaged_archive_is_named_and_stays(browser, three, tmp_path):
    packed = pack(tmp_path, "torn", *chain("packed away " * 500, "x", id="torn"), cut=-9)
    before = packed.read_bytes()
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "packed away" in it.text() or "torn" in it.text(), "the archive")
        await it.press("enter")
        await it.until(lambda: it.toasts(), "why not")
        assert "torn.jsonl.gz" in it.toasts()[0]
        assert packed.read_bytes() == before
        assert len(it.listed()) == 2
