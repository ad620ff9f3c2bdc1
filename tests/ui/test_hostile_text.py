"""Hostile text in everything that a session or a setting can name reaches the screen as inert text."""

from __future__ import annotations

import json

import pytest

from tests.factory import chain, entry, header, message, write_session
from tests.ui.conftest import EDIT, QUESTION, WAYS, asked, pack, pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

HOSTILE = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\u202eevil\u2066\x1bPq\x1b\\[bold red]x[/]\r\n2nd\u2028third\x00"
BAD = ("\x1b", "\x07", "\x9b", "\x00", "\u202e", "\u2066", "\u2028", "\r")


def inert_screen(ui):
    """The text of the screen, after a check that it contains no control characters."""
    text = ui.text()
    for bad in BAD:
        assert bad not in text, repr(bad)
    assert len(text.splitlines()) == ui.app.size.height
    return text


# the selector, its rows, questions and dialogs


@pytest.fixture
def hostile(tmp_path):
    """A session in which all text is hostile, in a folder with a hostile name."""
    folder = f"/work/{HOSTILE.replace(chr(0), '')}"
    lines = chain(HOSTILE, HOSTILE, id="evil", cwd=folder)
    lines += [
        message("z", "00000002", "user", HOSTILE, 20),
        entry("label", "l", "z", 21, targetId="z", label=HOSTILE),
        entry("session_info", "n", "l", 22, name=HOSTILE),
    ]
    pi_session(tmp_path, *lines, id="evil", project="evil")
    pi_session(tmp_path, *chain("harmless", "x", id="good"), id="good")
    return tmp_path


@pytest.mark.parametrize("size", [(160, 45), (80, 24), (44, 12)])
async def test_hostile_text_is_inert_in_rows_preview_and_bars(browser, hostile, size):
    async with browser(selector="", size=size) as ui:
        await ui.press("tab", "ctrl+p")
        inert_screen(ui)
        await ui.press("ctrl+p", "shift+tab", "D")
        await ui.press("home", *["down"] * ui.listed().index("evil"))
        assert ui.sessions.row.id == "evil"
        await ui.settled()
        if size[1] > 16:
            await ui.until(lambda: "▌" in ui.text(), "the transcript")
        text = inert_screen(ui)
        if size[0] > 100:
            assert "evil" in text
            assert "[bold red]x[/]" in text, "markup is text"
        await ui.press("slash", *"evil")
        await ui.until(lambda: ui.listed() == ["evil"], "the session")
        inert_screen(ui)


async def test_hostile_text_is_inert_in_question_editor_and_dialogs(browser, hostile):
    async with browser(selector="evil", here="/work/app", size=(159, 30)) as ui:
        await ui.press("tab")
        await ui.until(lambda: ui.listed() == ["evil"], "the session")
        await ui.settled()
        await ui.press("ctrl+d")
        assert ui.is_in(QUESTION)
        inert_screen(ui)
        await ui.press("escape", "ctrl+r")
        assert ui.is_in(EDIT)
        assert "evil" in inert_screen(ui)
        path, before = ui.path("evil"), ui.path("evil").read_bytes()
        await ui.press("enter")
        assert ui.selects
        assert path.read_bytes() == before, "a name that nobody changed stays as it is"
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        assert "evil" in inert_screen(ui)
        await ui.press("escape", "shift+tab", "F")
        assert ui.is_in("Folder")
        inert_screen(ui)
        await ui.press("ctrl+u", *"/nowhere[bold]x", "enter")
        assert "No such folder: /nowhere[bold]x" in inert_screen(ui)


async def test_hostile_text_is_inert_in_toasts(browser, hostile):
    async with browser(selector="evil", size=(159, 30), notifications=True) as ui:
        await ui.press("tab")
        await ui.until(lambda: ui.listed() == ["evil"], "the session")
        await ui.press("ctrl+d")
        ui.path("evil").unlink()
        await ui.press("enter")
        await ui.until(ui.toasts, "why not")
        assert not any(bad in toast for toast in ui.toasts() for bad in BAD)
        inert_screen(ui)


async def test_the_start_folder_may_have_any_name(browser, tmp_path):
    here = tmp_path / "a\x1b]52;c;aGk=\x07b"
    here.mkdir()
    pi_session(tmp_path, *chain("in an odd folder", "x", id="odd", cwd=str(here)), id="odd")
    async with browser(selector="", here=str(here)) as ui:
        assert ui.listed() == ["odd"]
        inert_screen(ui)
        await ui.press("shift+tab", "F")
        assert ui.is_in("Folder")
        inert_screen(ui)
        await ui.press("enter")
        await ui.until(lambda: len(ui.listed()) == 2, "a fork in that very folder")
        inert_screen(ui)


async def test_hostile_titles_are_inert_in_the_archive(browser, three, tmp_path):
    pack(tmp_path, "evil", *chain(HOSTILE, "x", id="evil"))
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "A")
        assert ui.is_in("Archive")
        await ui.until(lambda: "evil" in ui.text(), "the archive")
        inert_screen(ui)


async def test_a_query_of_the_command_line_is_inert(browser, three):
    async with browser(selector="a\x1b]52;c;aGk=\x07b", size=(159, 30)) as ui:
        await ui.until(lambda: ui.screen.feed.scanned, "the sessions")
        await ui.pilot.pause()
        inert_screen(ui)


async def test_bytes_that_are_no_text_are_copied_as_escapes(browser, tmp_path):
    """A terminal takes text only: the path is quoted for the user's shell."""
    path = tmp_path / "home/.pi/agent/sessions" / "--tmp-w\udce9rk--" / "1.jsonl"
    write_session(path, header("a\\ud800b", "/no/such/folder"), message("u1", None, "user", "a question", 1))
    quoted = f"'{path.parent.parent}/--tmp-w'\\Xe9'rk--/1.jsonl'"
    async with browser(env={"SHELL": "/usr/bin/fish"}) as ui:
        await ui.press("Y")
        assert ui.app.clipboard == quoted
        assert ui.toasts() == ['Copied the path, quoted for the shell, of "a question"']
        await ui.press("y", "y")
        assert ui.app.clipboard.isprintable()
        await ui.press("ctrl+y")
        await ui.until(lambda: ui.app.clipboard == f"pi --session {quoted}", "the command")


async def test_wrong_settings_are_reported_in_inert_lines(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text('"\\u001b]52;c;aGk=\\u0007[bold]x" = 1\n')
    async with browser(selector="") as ui:
        assert any("there is no such setting" in toast for toast in ui.toasts())
        assert not any(bad in toast for toast in ui.toasts() for bad in BAD)
        inert_screen(ui)


# the dialogs, questions and toasts of the browser

HOSTILE_NAME = HOSTILE.replace("/", "_").replace("\0", "")
"""The same text without characters that a file name cannot have."""


@pytest.fixture
def branches(tmp_path):
    """A session with two branches. Texts, name, labels, ids, tools, paths, damage, file name and folder name
    are hostile. The folder exists, and the agent is installed.
    """
    folder = tmp_path / f"work{HOSTILE_NAME}"
    folder.mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pi").write_text("#!/bin/sh\n")
    (tmp_path / "bin/pi").chmod(0o755)
    reads = {"type": "toolCall", "id": "c", "name": HOSTILE, "arguments": {"path": HOSTILE}}
    edits = {"type": "toolCall", "id": "d", "name": "edit", "arguments": {"path": HOSTILE, "x": HOSTILE}}
    return write_session(
        tmp_path / "home/.pi/agent/sessions/--work--" / f"2026_{HOSTILE_NAME}.jsonl",
        header(HOSTILE, cwd=str(folder)),
        message("u1", None, "user", HOSTILE, 1),
        message("a1", "u1", "assistant", HOSTILE, 2),
        message("u2", "a1", "user", HOSTILE, 3),
        entry("message", "a2", "u2", 4, message={"role": "assistant", "content": [reads, edits]}),
        "{" + HOSTILE.replace("\n", ""),
        message(HOSTILE, "not there " + HOSTILE, "user", HOSTILE, 5),
        message("u3", "a1", "user", HOSTILE, 6),
        message("a3", "u3", "assistant", HOSTILE, 7, stopReason="error", errorMessage=HOSTILE),
        entry("label", "l1", "a3", 8, targetId="u2", label=HOSTILE),
        entry("label", "l2", "l1", 9, targetId="a3", label=HOSTILE),
        entry("session_info", "n", "l2", 10, name=HOSTILE),
    )


OPENED = {
    "labels": ("Labels", ["apostrophe"]),
    "problems": ("Damaged lines", ["exclamation_mark"]),
    "comparison": ("Compare branches", ["C"]),
    "label": (EDIT, ["L"]),
    "folder of a fork": ("Folder", ["F"]),
    "continue from here": ("Continue from here", ["enter"]),
    "command that sums up": ("Summary", ["shift+enter", "ctrl+s"]),
}
"""Name -> the title of the dialog that these keys open in the tree, with the cursor on a prompt."""


@pytest.mark.parametrize("name", OPENED)
async def test_hostile_text_is_inert_in_the_dialogs_of_the_tree(browser, branches, tmp_path, name):
    title, keys = OPENED[name]
    waits = ["/bin/sh", "-c", "exec /bin/sleep 100", HOSTILE.replace("\0", "")]
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text(f"summary_command = {json.dumps(waits)}\n")
    async with browser(here="/elsewhere", size=(159, 45)) as ui:
        await ui.press("tab")
        ui.tree.open_at("u2", -1)
        await ui.pilot.pause()
        below = ui.screen
        inert_screen(ui)
        for key in keys:
            before = ui.screen
            await ui.press(key)
            await ui.until(lambda before=before: ui.screen not in (before, below), f"the dialog of {key}")
            inert_screen(ui)
        assert ui.is_in(title)
        if name == "comparison":
            await ui.until(lambda: "Both follow" in ui.text(), "the comparison")
        text = inert_screen(ui)
        assert "evil" in text
        assert "[bold red]x[/]" in text or "[bold red]x[_]" in text, "markup is text"
        await ui.pilot.resize_terminal(60, 20)
        await ui.pilot.pause()
        inert_screen(ui)


async def test_a_missing_hostile_folder_is_inert_above_the_choices(browser, branches, tmp_path):
    (tmp_path / f"work{HOSTILE_NAME}").rmdir()
    async with browser(here="/elsewhere", size=(159, 45)) as ui:
        await ui.press("tab")
        ui.tree.open_at("u2", -1)
        await ui.press("enter")
        await ui.until(lambda: "nothing: the folder" in ui.text(), "why")
        inert_screen(ui)


@pytest.mark.parametrize("way", WAYS)
async def test_hostile_titles_and_folders_are_inert_in_the_questions_of_the_list(browser, branches, way):
    async with browser(here="/elsewhere", size=(159, 45), **way) as ui:
        if ui.selects:
            await ui.press("tab", "shift+tab")
        ui.sessions.go_to(str(branches))
        await ui.settled()
        for key, question in (("ctrl+d", 'Trash "'), ("c", "new pi session in ")):
            await ui.press(key)
            assert question in asked(ui)[0]
            assert "␛" in asked(ui)[0]
            inert_screen(ui)
            await ui.press("escape")
        await ui.press("ctrl+r")
        assert "Empty: use the first prompt" in asked(ui)[0]
        edited = next(line for line in inert_screen(ui).splitlines() if "Rename:" in line)
        assert "evil" in edited
        assert "[bold red]x[/]" in edited, "markup is text"


@pytest.mark.parametrize("way", WAYS)
async def test_hostile_titles_are_inert_in_the_question_of_a_later_undo(browser, branches, way):
    async with browser(here="/elsewhere", size=(159, 45), **way) as ui:
        await ui.press(*(["tab", "shift+tab"] if ui.selects else []))
        await ui.press("p")
        await ui.until(ui.toasts, "the pin")
    async with browser(here="/elsewhere", size=(159, 45), **way) as ui:
        await ui.press(*(["tab", "shift+tab"] if ui.selects else []))
        await ui.press("z")
        await ui.until(lambda: "Undo" in asked(ui)[0], "the question")
        assert "evil" in asked(ui)[0]
        inert_screen(ui)
