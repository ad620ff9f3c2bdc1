"""How each agent spells an entry, and what names a session (FORMATS 1.1 to 1.4, specs 003)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.formats.decode import BadLine
from app.formats.dialects import named


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("dialect", "names", "result"),
    [
        ("pi", ["a", "b"], "b"),
        ("pi", ["a", None], None),
        ("indusagi", ["a", None], "a"),
        ("indusagi", ["a", None, "b"], "b"),
        ("omp", ["a", None], "slot"),
        ("agent", ["a"], None),
        ("transcript", ["a"], None),
    ],
)
def test_what_names_a_session(dialect: str, names: list[str | None], result: str | None) -> None:
    name = "slot" if dialect == "omp" else None
    for given in names:
        name = named(dialect).renamed(name, given)
    assert name == result


def test_an_unknown_dialect_reads_as_pi() -> None:
    assert named("something new").name == "pi"


def test_nickcecere_agent_as_pi_would_say_it() -> None:
    entry = named("agent").entry(
        line(
            type="message",
            id="e5",
            parent_id="d4",
            message={
                "role": "tool_result",
                "tool_call_id": "c",
                "tool_name": "bash",
                "is_error": True,
                "stop_reason": "tool_use",
                "usage": {"input": 1, "cache_read": 2, "total_tokens": 3},
                "content": [{"type": "tool_call", "name": "x"}, {"type": "text", "text": "tool_call"}, None],
            },
        )
    )
    message = entry["message"]
    assert entry["parentId"] == "d4"
    assert (message["role"], message["toolCallId"], message["toolName"]) == ("toolResult", "c", "bash")
    assert (message["isError"], message["stopReason"]) == (True, "toolUse")
    assert message["usage"] == {"input": 1, "cacheRead": 2, "totalTokens": 3}
    assert message["content"] == [
        {"type": "toolCall", "name": "x"},
        {"type": "text", "text": "tool_call"},
        None,
    ]


def test_agent_skims_snake_case() -> None:
    (skim,) = named("agent").skims(line(type="message", id="a", parent_id="b", message={"tool_call_id": "c"}))
    assert skim.parent_id == "b"
    assert skim.message is not None
    assert skim.message.tool_call_id == "c"


def node(role: str, message: Any, **fields: Any) -> bytes:
    return line(
        schema="indus/transcript@1", kind="entry", id="a", prev="b", role=role, message=message, **fields
    )


@pytest.mark.parametrize(
    ("written", "kind", "role"),
    [
        (node("user", {"role": "user", "content": "hi"}), "message", "user"),
        (node("tool", {"role": "toolResult", "toolName": "bash"}), "message", "toolResult"),
        (node("tool", {"toolName": "bash"}), "message", "toolResult"),
        (node("assistant", "text alone"), "message", "assistant"),
        (node("note", {"role": "bashExecution", "command": "ls"}), "message", "bashExecution"),
        (node("condense", {"role": "compactionSummary", "summary": "s"}), "compaction", None),
        (node("condense", {"role": "branchSummary", "summary": "s"}), "branch_summary", None),
        (node("condense", "s"), "compaction", None),
    ],
)
def test_the_nodes_of_a_transcript(written: bytes, kind: str, role: str | None) -> None:
    entry = named("transcript").entry(written)
    (skim,) = named("transcript").skims(written)
    assert (entry["type"], entry["id"], entry["parentId"]) == (kind, "a", "b")
    assert (skim.type, skim.id, skim.parent_id) == (kind, "a", "b")
    assert (entry.get("message") or {}).get("role") == role
    assert (skim.message.role if skim.message else None) == role


def test_a_head_of_a_transcript_is_a_leaf_and_no_entry() -> None:
    head = line(schema="indus/transcript@1", kind="head", sessionId="s", leaf="x")
    (mark,) = named("transcript").skims(head)
    assert (mark.type, mark.target_id) == ("leaf", "x")
    with pytest.raises(BadLine):
        named("transcript").entry(head)
    with pytest.raises(BadLine):
        named("transcript").skims(b'{"some":"thing"}')


def lane_entry(entry_id: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {"kind": "entry", "seq": 1, "id": entry_id, "parentId": parent, "timestamp": 5, **fields}


def test_a_transaction_of_lanes() -> None:
    lanes = named("lanes")
    usage = {"input": 7, "output": 1, "cost": {"total": 0.5}}
    written = json.dumps(
        [
            lane_entry(
                "a", None, type="message", message={"role": "assistant", "content": [], "usage": usage}
            ),
            {"kind": "usage", "id": "u", "usage": usage},
            {"kind": "value", "op": "set", "namespace": "pi.branch.tip", "key": "main", "value": "a"},
            {"kind": "value", "op": "set", "namespace": "pi.entry.label", "key": "a", "value": "mark"},
            {"kind": "value", "op": "set", "namespace": "pi.session.name", "key": "", "value": "Name"},
            {"kind": "value", "op": "delete", "namespace": "pi.session.name", "key": ""},
            {"kind": "list", "op": "append", "namespace": "x", "key": "", "value": 1},
            lane_entry("b", "a", type="custom", customType="x"),
        ]
    ).encode()
    found = lanes.skims(written)
    assert [skim.type for skim in found] == [
        "message",
        "usage",
        "leaf",
        "label",
        "session_info",
        "session_info",
        "custom",
    ]
    assert found[0].message is not None
    assert found[0].message.usage is None
    assert (found[5].name, found[3].label) == (None, "mark")
    assert lanes.entry(written, 1)["customType"] == "x"
    with pytest.raises(BadLine):
        lanes.entry(written, 2)


@pytest.mark.parametrize("written", [b"[1", b'[1],"a":2', b"7", b'{"kind":"new"}', b"[\xff]"])
def test_lines_that_are_no_transaction(written: bytes) -> None:
    with pytest.raises(BadLine):
        named("lanes").skims(written)
