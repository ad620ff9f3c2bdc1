"""Hypothesis strategies for sessions with duplicate ids, later or missing parents, loops and damage."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

IDS = st.sampled_from(
    ["aaaaaaaa", "aaaaaaab", "bbbbbbbb", "0000000c", "short", "a longer id", "", "é", "AAAAAAAA"]
)
FEW_IDS = st.sampled_from([f"{number:08x}" for number in range(12)])


@st.composite
def entries(draw: st.DrawFn, ids: st.SearchStrategy[str] = IDS) -> dict[str, Any]:
    """Draw one entry of any kind."""
    kind = draw(
        st.sampled_from(["message", "message", "custom", "label", "session_info", "usage", "session", "new"])
    )
    entry: dict[str, Any] = {"type": kind, "id": draw(ids), "timestamp": "2026-02-16T10:00:00Z"}
    if draw(st.integers(0, 19)) == 0:
        entry["id"] = 7
    entry["parentId"] = draw(st.none() | ids)
    if kind == "message":
        entry["message"] = draw(messages())
    elif kind == "label":
        entry["targetId"], entry["label"] = draw(ids), draw(st.sampled_from(["one", "two", "", None]))
    elif kind == "session_info":
        entry["name"] = draw(st.sampled_from(["one", "two", "", None]))
    elif kind == "usage":
        entry["usage"] = draw(usages())
    return entry


@st.composite
def messages(draw: st.DrawFn) -> Any:
    """Draw a message, or None for a missing one."""
    role = draw(st.sampled_from(["user", "assistant", "toolResult", None, "none"]))
    if role == "none":
        return None
    texts = st.sampled_from(["", "text", None, [], "hi", "/model", "<a-b>x</a-b>", "<a-b>x</a-b> typed"])
    message: dict[str, Any] = {"role": role, "content": draw(texts)}
    message["timestamp"] = draw(st.none() | st.integers(-5, 2**53))
    if role == "assistant":
        message |= {"usage": draw(usages()), "provider": draw(st.sampled_from(["p", "q"])), "model": "m"}
        calls = [
            {"type": "toolCall", "name": name} for name in draw(st.lists(st.sampled_from(["ask", "read"])))
        ]
        if calls:
            message["content"] = calls
        message["stopReason"] = draw(st.sampled_from(["stop", "toolUse", "error", "aborted", "length", None]))
    return message


def usages() -> st.SearchStrategy[Any]:
    """Draw the usage of an answer, or None."""
    return st.none() | st.fixed_dictionaries(
        {"input": st.integers(0, 99), "cost": st.fixed_dictionaries({"total": st.floats(0, 1)})}
    )


def _lines(ids: st.SearchStrategy[str]) -> st.SearchStrategy[list[bytes]]:
    written = entries(ids).map(lambda entry: json.dumps(entry).encode())
    return st.lists(written | st.sampled_from([b"", b"  ", b"garbage", b"[]", b"\0"]), max_size=25)


LINES = _lines(IDS) | _lines(FEW_IDS)
