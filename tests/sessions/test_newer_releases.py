"""Sessions as pi since 1.5 and oh-my-pi 18.3.4 write them.

The lines were written by hand from the source of both packages; oh-my-pi 18.3.4 was not run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from leafmark import SessionManager

from app.formats import text_pieces
from app.formats.entry_parts import entry_parts
from app.sessions import open_tree, summarise
from app.view import TreeView
from tests.factory import append, entry, header, message, write_session

# pi 1.5 creates the file at the first prompt, with the setup entries before it.
PI_PROMPT = [
    header(),
    entry("model_change", "00000001", None, provider="pi", modelId="auto"),
    entry("thinking_level_change", "00000002", "00000001", thinkingLevel="off"),
    message("00000003", "00000002", "user", "fix the login"),
]
# A router chose the model and the thinking level of this answer.
PI_ANSWER = [
    entry(
        "custom",
        "00000004",
        "00000003",
        customType="pi.virtual-model-state",
        data={"provider": "pi", "modelId": "auto", "state": {"tier": "small"}},
    ),
    message(
        "00000005",
        "00000004",
        "assistant",
        "done",
        provider="anthropic",
        model="claude",
        thinkingLevel="high",
        stopReason="stop",
    ),
]
OMP_SUBAGENT = [
    {**header(), "title": "t"},
    entry(
        "session_init",
        "00000001",
        None,
        systemPrompt="You scout.",
        task="look around",
        tools=["read"],
        agent="scout",
        compactionThreshold={"thresholdPercent": 60, "thresholdTokens": -1},
    ),
    message("00000002", "00000001", "user", "look around"),
]


def in_pis_store(home: Path, *lines: dict[str, Any]) -> Path:
    return write_session(home / ".pi" / "agent" / "sessions" / "--work-app--" / "s.jsonl", *lines)


def test_a_session_with_nothing_but_a_prompt_is_an_ordinary_one(tmp_path: Path) -> None:
    path = in_pis_store(tmp_path, *PI_PROMPT)
    row = summarise(str(path), ("pi",), 0).summary
    assert row is not None
    assert (row.title, row.message_count, row.leaf_id, row.errors, row.torn) == (
        "fix the login",
        1,
        "00000003",
        0,
        False,
    )
    manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
    before = path.read_bytes()
    added = manager.append_session_info("login")
    assert path.read_bytes().startswith(before)
    assert manager.get_branch()[-1].id == added
    assert [message["role"] for message in manager.build_session_context().messages] == ["user"]


def test_the_state_of_a_virtual_model_is_hidden_and_has_a_row(tmp_path: Path) -> None:
    path = in_pis_store(tmp_path, *PI_PROMPT, *PI_ANSWER)
    tree = open_tree(str(path))
    view = TreeView(tree, "default")
    assert [view.node(row).id for row in range(view.count)] == ["00000003", "00000005"]
    tree.read_rows(tree.entries)
    (row,) = [node.row_text for node in tree.entries if node.id == "00000004"]
    assert row is not None
    assert row.text == "[custom: pi.virtual-model-state]"


def test_an_answer_shows_the_thinking_level_that_was_asked_of_it(tmp_path: Path) -> None:
    path = in_pis_store(tmp_path, *PI_PROMPT, *PI_ANSWER)
    manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
    found = entry_parts(manager.get_branch()[-1].raw)
    assert [part.kind for part in found] == ["text", "meta"]
    assert "model: anthropic/claude\nthinking: high\nstopped: stop" in found[-1].text
    # pi takes the session's level from thinking_level_change entries alone.
    assert manager.build_session_context().thinking_level == "off"


def test_an_odd_thinking_level_of_an_answer_is_left_out(tmp_path: Path) -> None:
    odd = message("00000005", None, "assistant", "done", thinkingLevel=["high"])
    assert "thinking" not in entry_parts(odd)[-1].text


def test_the_session_goes_on_where_the_first_answer_follows(tmp_path: Path) -> None:
    path = in_pis_store(tmp_path, *PI_PROMPT)
    manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
    append(path, *PI_ANSWER)
    assert manager.refresh()
    assert manager.leaf_id == "00000005"


def test_a_manager_follows_a_file_that_a_rolled_back_write_made_shorter(tmp_path: Path) -> None:
    path = in_pis_store(tmp_path, *PI_PROMPT)
    size = path.stat().st_size
    append(path, *PI_ANSWER)
    manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
    os.truncate(path, size)
    assert manager.refresh()
    assert manager.leaf_id == "00000003"
    append(path, message("0000000b", "00000003", "assistant", "done at last, and at some length"))
    assert manager.refresh()
    assert [each.id for each in manager.get_branch()][2:] == ["00000003", "0000000b"]
    assert manager.problems == []


def test_the_compaction_threshold_of_a_sub_agent_is_shown(tmp_path: Path) -> None:
    path = write_session(tmp_path / "s.jsonl", *OMP_SUBAGENT)
    tree = open_tree(str(path), ("omp",))
    assert len(tree.entries) == 2
    assert "thresholdPercent: 60" in entry_parts(tree.read(tree.entries[0]))[0].text


SNAPSHOT = {"anthropicCompaction": {"provider": "anthropic", "content": "so far"}}


def compaction(through: str) -> dict[str, Any]:
    return entry(
        "compaction",
        "00000009",
        "00000004",
        summary="so far",
        firstKeptEntryId="",
        tokensBefore=7,
        providerReplayThroughEntryId=through,
        preserveData=SNAPSHOT,
    )


def test_a_fork_keeps_what_follows_a_snapshot_that_ended_with_a_label(tmp_path: Path) -> None:
    path = write_session(
        tmp_path / ".omp" / "agent" / "sessions" / "-work" / "s.jsonl",
        {**header(), "title": "t"},
        message("00000001", None, "user", "one"),
        message("00000002", "00000001", "assistant", "two"),
        entry("label", "00000003", "00000002", targetId="00000001", label="here"),
        message("00000004", "00000003", "user", "three"),
        compaction("00000003"),
        message("0000000a", "00000009", "user", "four"),
    )
    manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
    before = manager.build_session_context().messages
    assert [each.get("summary") or each["content"][0]["text"] for each in before] == [
        "so far",
        "three",
        "four",
    ]
    manager.create_branched_session("0000000a")
    after = manager.build_session_context().messages
    assert after == before


def test_a_fork_names_no_end_of_a_snapshot_that_it_does_not_have(tmp_path: Path) -> None:
    """The snapshot ends with an entry of another branch, or with a label before all messages."""
    for place, end in enumerate(("0000000b", "00000000")):
        path = write_session(
            tmp_path / ".omp" / "agent" / "sessions" / "-work" / f"s{place}.jsonl",
            {**header(), "title": "t"},
            entry("label", "00000000", None, targetId="0000000b", label="here"),
            message("00000004", "00000000", "user", "three"),
            message("0000000b", "00000000", "assistant", "elsewhere"),
            compaction(end),
            message("0000000a", "00000009", "user", "four"),
        )
        manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
        fork = manager.create_branched_session("0000000a")
        assert "providerReplayThroughEntryId" not in manager.get_entries()[1].raw
        assert b"providerReplayThroughEntryId" not in Path(fork or "").read_bytes()


def test_the_id_where_a_snapshot_ends_is_no_text_to_search() -> None:
    assert not any("00000003" in piece.text for piece in text_pieces(compaction("00000003")))
