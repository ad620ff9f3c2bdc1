"""Entries and session names in the dialect of each agent (formats/README.md, "pi")."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from app.formats import BadLine, dialect_named
from tests.cases import cases


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def test_an_unknown_dialect_reads_as_pi() -> None:
    assert dialect_named("something new").name == "pi"


def test_an_entry_of_nickcecere_agent_has_the_keys_of_pi() -> None:
    entry = dialect_named("agent").entry(
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


def node(role: str, message: Any, **fields: Any) -> bytes:
    return line(
        schema="indus/transcript@1", kind="entry", id="a", prev="b", role=role, message=message, **fields
    )


@cases(
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
        (node("condense", {"role": "condense", "content": "s"}), "compaction", None),
    ],
)
def test_the_nodes_of_a_transcript(written: bytes, kind: str, role: str | None) -> None:
    entry = dialect_named("transcript").entry(written)
    (partial,) = dialect_named("transcript").partial_entries(written)
    assert (entry["type"], entry["id"], entry["parentId"]) == (kind, "a", "b")
    assert (partial.type, partial.id, partial.parent_id) == (kind, "a", "b")
    assert (entry.get("message") or {}).get("role") == role
    assert (partial.message.role if partial.message else None) == role


ODD: st.SearchStrategy[Any] = st.none() | st.integers(0, 9) | st.sampled_from(["x", "", "user"]) | st.just([])


@given(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["entry", "entry", "entry", "head", "other"]) | ODD,
            "role": st.sampled_from(["user", "assistant", "tool", "note", "condense"]) | ODD,
        },
        optional={
            "id": st.just("i") | ODD,
            "prev": st.just("p") | ODD,
            "at": st.integers(0, 2**50) | ODD,
            "meta": ODD,
            "message": ODD
            | st.fixed_dictionaries(
                {},
                optional={
                    "role": st.sampled_from(["user", "toolResult", "branchSummary"]) | ODD,
                    "content": ODD,
                    "summary": ODD,
                    "timestamp": st.integers(0, 2**50) | ODD,
                    "usage": ODD | st.fixed_dictionaries({"input": st.integers(0, 9) | ODD}),
                },
            ),
        },
    )
)
def test_both_decoders_read_a_node_of_a_transcript_alike(node: dict[str, Any]) -> None:
    def partial_fields(written: bytes) -> Any:
        try:
            return [facts(partial) for partial in dialect_named("transcript").partial_entries(written)]
        except BadLine as bad:
            return bad.reason

    # The typed decoder refuses a lone surrogate, so the lenient decoder reads the line.
    odd = {**node, "extra": "\ud800"}
    assert partial_fields(line(**node)) == partial_fields(line(**odd))


def facts(value: Any) -> Any:
    """Return the fields of a partial entry, with raw JSON decoded."""
    if isinstance(value, Raw):
        return json.loads(bytes(value)) if bytes(value) else "absent"
    if isinstance(value, Struct):
        return {name: facts(getattr(value, name)) for name in value.__struct_fields__}
    return value


def test_a_head_of_a_transcript_is_a_leaf_and_no_entry() -> None:
    head = line(schema="indus/transcript@1", kind="head", sessionId="s", leaf="x")
    (record,) = dialect_named("transcript").partial_entries(head)
    assert (record.type, record.target_id) == ("leaf", "x")
    with pytest.raises(BadLine):
        dialect_named("transcript").entry(head)
    with pytest.raises(BadLine):
        dialect_named("transcript").partial_entries(b'{"some":"thing"}')
