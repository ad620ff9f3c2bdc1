"""Entries that are replaced, sessions that are moved, and the undo of both."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from app.actions import JournalEntry, encode_entry, parse_entries
from app.actions.undo import CannotUndo, undo
from app.sessions import (
    AlreadyThere,
    AmbiguousSession,
    BadValue,
    Changed,
    LiveSession,
    NotThere,
    ReadOnly,
    UnknownEntry,
    open_tree,
)
from app.stores import LIVE, MAYBE
from app.view import filter_nodes
from tests.factory import agents_session, chain, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content
from tests.sessions.manager.test_beside_agents import set_state

if TYPE_CHECKING:
    from tests.sessions.manager.conftest import Home

CALL = {"type": "toolCall", "id": "call_1", "name": "bash", "arguments": {"command": "ls"}}


def called(home: Home, agent: str = "omp") -> SessionManager:
    """A session with a tool call and its result."""
    manager = home.answered(agent)
    manager.append_message({**ANSWER, "content": [{"type": "text", "text": "a"}, CALL]})
    manager.append_message({"role": "toolResult", "toolCallId": "call_1", "content": "a\nb\n"})
    return home.open(manager.session_file or "")


def shortened(manager: SessionManager, at: int = -1) -> dict[str, Any]:
    entry = manager.get_entries()[at]
    return {**entry.raw, "message": {**entry.raw["message"], "content": "[shortened]"}}


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_rewritten_entry_is_the_only_change_and_its_undo_is_exact(home: Home, agent: str) -> None:
    manager = called(home, agent)
    before, leaf = content(manager.session_file), manager.leaf_id
    change = manager.rewrite_entries([shortened(manager)])
    after = content(manager.session_file).splitlines()
    assert after[:-1] == before.splitlines()[:-1]
    assert json.loads(after[-1])["message"]["content"] == "[shortened]"
    assert (manager.leaf_id, change.kind, manager.last_change) == (leaf, "rewrite", change)
    back = undo(change, home.env)
    assert content(manager.session_file) == before
    undo(back, home.env)
    assert content(manager.session_file).splitlines() == after


def test_odd_bytes_around_a_rewritten_entry_stay(home: Home) -> None:
    head, first, second = (json.dumps(line).encode() for line in chain("one", "two"))
    odd = first.replace(b"one", b"caf\xe9 \\ud800")
    data = b"\xef\xbb\xbf" + b"\r\n".join([head, b"  ", odd, b"no json", second]) + b"\n"
    path = home.folder / "loose.jsonl"
    path.write_bytes(data)
    manager = home.open(path)
    change = manager.rewrite_entries([shortened(manager, 0)])
    assert b"[shortened]" in path.read_bytes()
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    (parsed,) = parse_entries(encode_entry(JournalEntry(1, 1, change, 1)))
    assert parsed.change == change
    home.open(path).revert(parsed.change)
    assert path.read_bytes() == data


def test_a_rewrite_keeps_the_tree(home: Home) -> None:
    manager = called(home)
    before = content(manager.session_file)
    raw = shortened(manager)
    for bad in ({"parentId": None}, {"type": "custom"}):
        with pytest.raises(BadValue):
            manager.rewrite_entries([{**raw, **bad}])
    with pytest.raises(UnknownEntry):
        manager.rewrite_entries([{**raw, "id": "nope"}])
    with pytest.raises(BadValue):
        manager.rewrite_entries([{**raw, "number": float("nan")}])
    assert manager.rewrite_entries([manager.get_entries()[0].raw]).is_nothing
    assert content(manager.session_file) == before


def test_the_arguments_of_a_tool_call_are_replaced(home: Home) -> None:
    manager = called(home)
    before = content(manager.session_file)
    assert manager.rewrite_assistant_tool_call_args("call_1", {"command": "ls -l"})
    blocks = manager.build_session_context().messages[2]["content"]
    assert [block.get("arguments") for block in blocks] == [None, {"command": "ls -l"}]
    assert manager.last_change is not None
    manager.revert(manager.last_change)
    assert content(manager.session_file) == before
    assert not manager.rewrite_assistant_tool_call_args("call_2", {})
    memory = SessionManager.in_memory("/x")
    memory.append_message({**ANSWER, "content": [CALL]})
    assert memory.rewrite_assistant_tool_call_args("call_1", {"command": "pwd"})
    assert memory.get_entries()[0].raw["message"]["content"][0]["arguments"] == {"command": "pwd"}


def test_a_move_takes_file_artifacts_and_header_and_its_undo_is_exact(home: Home) -> None:
    manager = called(home)
    old = Path(manager.session_file or "")
    artifacts = old.with_suffix("")
    artifacts.mkdir()
    (artifacts / "1.bash.log").write_text("log")
    before = content(str(old))
    change = manager.move_to(home.folder / "elsewhere")
    new = Path(manager.session_file or "")
    assert new.parent.name == "-elsewhere"
    assert (new.name, old.exists(), artifacts.exists()) == (old.name, False, False)
    assert (new.with_suffix("") / "1.bash.log").read_text() == "log"
    assert home.open(new).cwd == str(home.folder / "elsewhere") == manager.cwd
    assert content(str(new)).replace(b"/elsewhere", b"/work") == before
    manager.append_message(USER)
    line = content(str(new)).splitlines(keepends=True)[-1]
    undo(change, home.env)
    assert content(str(old)) == before + line
    assert (artifacts / "1.bash.log").exists()
    assert not new.exists()


def test_a_move_overwrites_nothing(home: Home) -> None:
    manager = called(home)
    old = Path(manager.session_file or "")
    target = home.folder / "flat" / old.name
    target.parent.mkdir()
    target.write_text("mine")
    before = content(str(old))
    with pytest.raises(AlreadyThere):
        manager.move_to(home.folder / "elsewhere", target.parent)
    old.with_suffix("").mkdir()
    target.unlink()
    target.with_suffix("").mkdir()
    with pytest.raises(AlreadyThere):
        manager.move_to(home.folder / "elsewhere", target.parent)
    assert content(str(old)) == before
    assert os.listdir(target.parent) == [old.stem]


def test_a_session_that_is_not_written_yet_is_moved_in_memory(home: Home) -> None:
    manager = home.create()
    manager.append_message(USER)
    change = manager.move_to(home.folder / "elsewhere")
    assert change.kind == "move"
    manager.append_message(ANSWER)
    assert home.open(manager.session_file or "").cwd == str(home.folder / "elsewhere")
    assert "elsewhere" in os.path.basename(os.path.dirname(manager.session_file or ""))


@pytest.mark.parametrize("state", [LIVE, MAYBE])
@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_beside_a_running_agent_nothing_is_rewritten_or_moved(
    home: Home, monkeypatch: pytest.MonkeyPatch, agent: str, state: str
) -> None:
    manager = called(home, agent)
    change = manager.rewrite_entries([shortened(manager)])
    before = content(manager.session_file)
    set_state(monkeypatch, state)
    for write in (
        lambda: manager.rewrite_entries([{**shortened(manager), "more": 1}]),
        lambda: manager.rewrite_assistant_tool_call_args("call_1", {}),
        lambda: manager.move_to("/elsewhere"),
        lambda: undo(change, home.env),
    ):
        with pytest.raises(LiveSession):
            write()
    assert content(manager.session_file) == before


def test_a_change_that_was_changed_again_is_not_undone(home: Home) -> None:
    manager = called(home)
    change = manager.rewrite_entries([shortened(manager)])
    other = home.open(manager.session_file or "")
    other.rewrite_entries([{**shortened(other), "more": 1}])
    before = content(manager.session_file)
    with pytest.raises(Changed):
        manager.revert(change)
    with pytest.raises(CannotUndo):
        undo(change, home.env)
    assert content(manager.session_file) == before


def test_lines_that_another_process_appends_survive_a_rewrite(home: Home) -> None:
    manager = called(home)
    path = manager.session_file or ""
    raw = shortened(manager)
    line = b'{"type":"custom","id":"0000000f","parentId":null,"customType":"other"}\n'
    with open(path, "ab") as file:
        file.write(line)
    change = manager.rewrite_entries([raw])
    assert content(path).endswith(line)
    manager.revert(change)
    assert content(path).endswith(line)


def test_a_file_of_version_1_is_migrated_by_a_rewrite(home: Home) -> None:
    head = {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/w"}
    path = write_session(
        home.folder / "old.jsonl",
        head,
        {"type": "message", "message": USER},
        {"type": "message", "message": ANSWER},
    )
    manager = home.open(path)
    manager.rewrite_entries([shortened(manager, 0)])
    manager.move_to("/elsewhere", home.folder)
    again = home.open(path)
    assert (again.header["version"], again.cwd, len(again.get_entries())) == (3, "/elsewhere", 2)
    assert again.get_entries()[0].raw["message"]["content"] == "[shortened]"


def test_entries_of_oh_my_pi_are_appended(home: Home) -> None:
    manager = home.answered("omp")
    manager.append_ttsr_injection(["a", "b"])
    manager.append_ttsr_injection(["a"])
    manager.append_session_init("prompt", "task", ["read"], {"type": "object"})
    manager.append_mode_change("plan", {"planFile": "/tmp/plan.md"})
    opened = home.open(manager.session_file or "")
    raw = [entry.raw for entry in opened.get_entries()[2:]]
    own = [
        {key: value for key, value in fields.items() if key not in ("id", "parentId", "timestamp")}
        for fields in raw
    ]
    assert own == [
        {"type": "ttsr_injection", "injectedRules": ["a", "b"]},
        {"type": "ttsr_injection", "injectedRules": ["a"]},
        {
            "type": "session_init",
            "systemPrompt": "prompt",
            "task": "task",
            "tools": ["read"],
            "outputSchema": {"type": "object"},
        },
        {"type": "mode_change", "mode": "plan", "data": {"planFile": "/tmp/plan.md"}},
    ]
    context = opened.build_session_context()
    assert (context.injected_rules, context.mode) == (["a", "b"], "plan")
    assert context.mode_data == {"planFile": "/tmp/plan.md"}
    for bad in (lambda: manager.append_mode_change(1), lambda: manager.append_ttsr_injection("a")):  # type: ignore[arg-type]
        with pytest.raises(BadValue):
            bad()
    with pytest.raises(ReadOnly, match="mode_change"):
        home.answered("pi").append_mode_change("plan")


def test_a_session_is_loaded_by_the_beginning_of_its_id(home: Home) -> None:
    folder = home.folder / "sessions"
    ids = ["a3f7c901-1", "a3f7c9ff-2", "b0000000-3"]
    for number, session_id in enumerate(ids):
        write_session(folder / f"2026022{number}-143012-{session_id[:8]}.jsonl", *agents_session(session_id))
    (folder / "notes.txt").write_text("none")
    assert SessionManager.load(folder, "a3f7c90").session_id == ids[0]
    manager = SessionManager.load(str(folder), "b")
    assert (manager.session_id, manager.agent) == (ids[2], "agent")
    assert [message["role"] for message in manager.build_session_context().messages] == ["user"]
    with pytest.raises(AmbiguousSession, match="2 sessions"):
        SessionManager.load(folder, "a3f7c9")
    for missing in ("c", "", "A3F7C901"):
        with pytest.raises(NotThere):
            SessionManager.load(folder, missing)


def test_a_message_that_is_not_displayed_is_hidden_in_the_tree(home: Home) -> None:
    manager = home.answered()
    shown = manager.append_custom_message_entry("note", "seen", display=True)
    hidden = manager.append_custom_message_entry("note", "not seen", display=False)
    tree = open_tree(manager.session_file or "")
    for tree_filter, is_shown in (("default", False), ("no-tools", False), ("all", True)):
        ids = {node.id for node in filter_nodes(tree_filter, tree.entries, tree.leaf)}
        assert shown in ids
        assert (hidden in ids) is is_shown
    assert [message["role"] for message in manager.build_session_context().messages][2:] == [
        "custom",
        "custom",
    ]
