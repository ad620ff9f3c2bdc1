"""Changes by other programs appear on the screen, and the cursor stays on its session and entry."""

from __future__ import annotations

import json
import os

import pytest

from app.controllers import index_feed
from app.widgets import session_list
from tests.factory import append, chain, entry, message, write_session
from tests.ui.conftest import HERE, pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

BOTH_WATCHERS = pytest.mark.parametrize("env", [{}, {"LEAFMARK_POLL": "1"}], ids=["native", "poll"])
"""The index reports the same changes from both; the screen needs both where files vanish and come back."""


@pytest.fixture
def env():
    return {}


@pytest.fixture(autouse=True)
def _poll(env, monkeypatch):
    for name, value in env.items():
        monkeypatch.setenv(name, value)


@BOTH_WATCHERS
async def test_an_append_at_the_leaf_is_followed(browser, three):
    async with browser() as ui:
        await ui.press("down")
        await ui.settled()
        path = ui.path("plain")
        append(path, message("new", "00000002", "user", "and a changelog", 30))
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "new", "the new leaf")
        await ui.until(lambda: "and a changelog" in ui.conversation, "its text")
        assert ui.sessions.row.id == "plain"
        assert ui.listed()[1] == "plain", "newest activity first"


CLAUDE = ".claude/projects/-work-app/0198.jsonl"
CODEX = ".codex/sessions/2026/02/26/rollout-2026-02-26T14-30-12-0198.jsonl"


def claude_line(own, parent, role, text):
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    ids = {"uuid": own, "parentUuid": parent, "sessionId": "0198", "cwd": HERE}
    return {"type": role, **ids, "timestamp": "2026-02-26T14:30:13Z", "message": message}


def codex_line(role, text):
    content = [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"timestamp": "2026-02-26T14:30:13Z", "type": "response_item", "payload": payload}


@pytest.mark.parametrize(
    ("file", "lines", "later"),
    [
        (
            CLAUDE,
            [claude_line("a", None, "user", "fix the door"), claude_line("b", "a", "assistant", "done")],
            claude_line("c", "b", "user", "now the window"),
        ),
        (
            CODEX,
            [
                {"type": "session_meta", "payload": {"id": "0198", "cwd": HERE}},
                codex_line("user", "fix the door"),
                codex_line("assistant", "done"),
            ],
            codex_line("user", "now the window"),
        ),
    ],
)
async def test_a_session_that_is_only_read_is_followed_at_its_end(browser, tmp_path, file, lines, later):
    path = write_session(tmp_path / "home" / file, *lines)
    async with browser() as ui:
        await ui.until(lambda: ui.sessions.row is not None and ui.sessions.row.id == "0198", "its row")
        await ui.until(lambda: ui.tree.node is not None and "done" in ui.conversation, "its end")
        append(path, later)
        await ui.until(lambda: "now the window" in ui.conversation, "the new end")
        assert ui.tree.node is ui.tree.view.leaf
        assert ui.sessions.row.message_count == 3


async def test_a_cursor_away_from_the_leaf_stays(browser, three):
    async with browser() as ui:
        await ui.press("tab", "home")
        entry = ui.tree.node.id
        append(
            ui.path("branchy"),
            message("n1", "h", "user", "more", 30),
            message("n2", "n1", "assistant", "ok", 31),
        )
        await ui.until(
            lambda: "n2" in ui.tree.view.tree.by_id and ui.tree.view.leaf.id == "n2", "the entries"
        )
        assert ui.tree.node.id == entry


@pytest.mark.parametrize("kind", ["folder", "file"])
async def test_a_moved_session_keeps_the_cursor_on_its_entry(browser, three, kind):
    async with browser() as ui:
        await ui.press("tab", "home")
        entry = ui.tree.node.id
        assert not ui.tree.follows
        path = ui.path("branchy")
        if kind == "folder":
            path.parent.rename(path.parent.with_name("--renamed--"))
        else:
            path.rename(path.with_name("2027_branchy.jsonl"))
        moved = str(ui.path("branchy"))
        await ui.until(
            lambda: ui.tree.view is not None and ui.tree.view.tree.path == moved, "the tree at its new place"
        )
        assert ui.sessions.row.id == "branchy"
        assert ui.tree.node.id == entry


@BOTH_WATCHERS
async def test_a_session_deleted_and_written_again_gets_the_cursor_back(browser, three, monkeypatch):
    monkeypatch.setattr(session_list, "monotonic", lambda: 0.0)
    async with browser() as ui:
        await ui.press("tab", "home")
        path = ui.path("branchy")
        content = path.read_bytes()
        path.unlink()
        await ui.until(lambda: "branchy" not in ui.listed(), "the removal")
        await ui.pilot.pause(0.2)
        path.write_bytes(content)
        await ui.until(lambda: ui.sessions.row is not None and ui.sessions.row.id == "branchy", "the session")
        await ui.until(lambda: ui.tree.view is not None and ui.tree.view.tree.path == str(path), "its tree")
        assert ui.tree.node.id == "00000001"


@pytest.mark.parametrize("way", [{"selector": ""}, {}], ids=["selector", "browser"])
async def test_a_session_written_again_later_does_not_get_the_cursor(browser, three, monkeypatch, way):
    now = [0.0]
    monkeypatch.setattr(session_list, "monotonic", lambda: now[0])
    async with browser(**way) as ui:
        path = ui.path("branchy")
        content = path.read_bytes()
        path.unlink()
        await ui.until(lambda: "branchy" not in ui.listed(), "the removal")
        await ui.settled()
        assert ui.sessions.row.id == "plain"
        now[0] = session_list.RETURN_SECONDS + 0.1
        path.write_bytes(content)
        await ui.until(lambda: "branchy" in ui.listed(), "the session")
        await ui.settled()
        assert ui.sessions.row.id == "plain"
        assert ui.screen.resume_controller.planned == str(ui.path("plain"))
        now[0] *= 3
        append(path, message("more", "h", "user", "later still", 60))
        await ui.until(lambda: ui.sessions.model.row_at(str(path)).message_count > 6, "the message")
        assert ui.sessions.row.id == "plain"


@BOTH_WATCHERS
@pytest.mark.parametrize(("index", "way"), [(2, {"selector": ""}), (38, {})], ids=["selector", "browser"])
async def test_the_cursor_stays_when_a_large_folder_is_renamed(browser, tmp_path, monkeypatch, index, way):
    # removals come first, in slices; then the new files take a while to be read
    monkeypatch.setattr(index_feed, "SLICE", 7)
    for number in range(40):
        name = f"s{number:02}"
        file = pi_session(tmp_path, *chain(name, "yes", "and", "so", id=name), id=name)
        os.utime(file, (1_780_000_000 - number, 1_780_000_000 - number))
    pi_session(tmp_path, *chain("other", "x", id="other", cwd="/work/other"), id="other", project="other")
    async with browser(**way) as ui:
        monkeypatch.setattr(
            session_list, "monotonic", lambda: (session_list.RETURN_SECONDS + 1) * ui.screen.is_reading
        )
        path = ui.path(f"s{index:02}")
        ui.sessions.go_to(str(path))
        await ui.settled()
        if not ui.selects:
            await ui.press("tab", "home", "down")
            entry = ui.tree.node.id
        path.parent.rename(path.parent.with_name("--renamed--"))
        model = ui.sessions.model
        await ui.until(lambda: sum("--renamed--" in row.path for row in model.rows()) == 40, "the others")
        await ui.until(lambda: not ui.screen.is_reading, "the end")
        await ui.settled()
        assert ui.sessions.row is not None
        assert ui.sessions.row.path == str(path.parent.with_name("--renamed--") / path.name)
        if not ui.selects:
            assert ui.tree.node.id == entry


async def test_a_cursor_moved_while_a_folder_is_renamed_stays(browser, three, monkeypatch):
    monkeypatch.setattr(session_list, "monotonic", lambda: 0.0)
    async with browser() as ui:
        path = ui.path("branchy")
        content = path.read_bytes()
        path.unlink()
        await ui.until(lambda: "branchy" not in ui.listed(), "the removal")
        ui.sessions.go_to(str(ui.path("site1")))
        await ui.settled()
        path.write_bytes(content)
        await ui.until(lambda: "branchy" in ui.listed(), "the session")
        await ui.settled()
        assert ui.sessions.row.id == "site1"


async def test_the_second_file_with_one_id_opens_on_its_own_leaf(browser, three, tmp_path):
    twin = [
        *chain("fix the login", "another way", id="branchy"),
        message("tail", "00000002", "user", "its own end", 50),
    ]
    pi_session(tmp_path, *twin, id="twin-of-branchy")
    async with browser() as ui:
        await ui.press("home", "down", "tab", "home", "shift+tab", "down")
        await ui.settled()
        assert ui.tree.follows


@BOTH_WATCHERS
async def test_a_replaced_file_is_read_again_and_the_cursor_keeps_its_entry(browser, three, tmp_path):
    async with browser() as ui:
        await ui.press("down")
        await ui.settled()
        await ui.press("tab", "home")
        path = ui.path("plain")
        new = write_session(tmp_path / "new.jsonl", *chain("write a man page", "other", "words", id="plain"))
        os.replace(new, path)
        await ui.until(
            lambda: ui.tree.view is not None and len(ui.tree.view.tree.entries) == 3, "the new tree"
        )
        assert ui.tree.node.id == "00000001"


async def test_a_name_and_a_label_set_by_another_program_are_shown(browser, three):
    async with browser() as ui:
        info = {
            "type": "session_info",
            "id": "nm",
            "parentId": "00000002",
            "timestamp": "x",
            "name": "Man page",
        }
        append(ui.path("plain"), info)
        await ui.until(lambda: "Man page" in ui.text(), "the name")
        assert ui.sessions.row.id == "branchy"
        append(ui.path("branchy"), entry("label", "lb", "h", targetId="00000001", label="start"))
        await ui.until(lambda: "◆ start" in ui.text(), "the label")


async def test_a_burst_of_entries_is_complete(browser, three):
    async with browser() as ui:
        path = ui.path("branchy")
        parent = "h"
        with path.open("a") as file:
            for number in range(1_000):
                file.write(json.dumps(message(f"b{number}", parent, "user", f"burst {number}", 30)) + "\n")
                file.flush()
                parent = f"b{number}"
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "b999", "the last entry")
        await ui.until(lambda: ui.sessions.row.message_count == 1_006, "the count")


async def test_a_torn_line_is_not_damage_and_then_an_entry(browser, three):
    async with browser() as ui:
        path = ui.path("branchy")
        line = json.dumps(message("half", "h", "user", "whole at last", 30))
        with path.open("a") as file:
            file.write(line[:40])
        append(ui.path("plain"), message("x", "00000002", "user", "elsewhere", 31))
        await ui.until(
            lambda: ui.sessions.model.row_at(str(ui.path("plain"))).message_count == 3, "the other one"
        )
        assert "damaged" not in ui.text()
        with path.open("a") as file:
            file.write(line[40:] + "\n")
        await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "half", "the whole line")


@BOTH_WATCHERS
async def test_the_first_session_of_an_empty_machine_appears(browser, tmp_path):
    async with browser() as ui:
        assert "No sessions found" in ui.text()
        pi_session(tmp_path, *chain("hello", "hi", id="first"), id="first")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "first"], "the first session")
        await ui.until(lambda: ui.sessions.row is not None and ui.tree.view is not None, "its tree")
        assert "Welcome" not in ui.text()
        ui.path("first").unlink()
        await ui.until(lambda: "Welcome to leafmark" in ui.text(), "the panel")
        assert "hello" not in ui.text()
