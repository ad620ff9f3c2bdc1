"""A home folder with a session of each agent for `leafmark context`, the same to the byte each time.

Each has a compaction, an unanswered call, a failed and an aborted answer, and two branches if its format has
branches; those of oh-my-pi have snapshots of providers too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.golden.corpus import START_MS, call, dashed, encoded, entry, header, message, put, result, stamp

if TYPE_CHECKING:
    from pathlib import Path

    from tests.golden.corpus import Line

PI = "0195a000-0000-7000-8000-0000000000c1"
OMP = "0195b000-0000-7000-8000-0000000000c1"
OPENAI = "0195b000-0000-7000-8000-0000000000c2"
ANTHROPIC = "0195b000-0000-7000-8000-0000000000c3"
INDUSAGI = "0195c000-0000-7000-8000-0000000000c1"
TRANSCRIPT = "t-0000c1"
LINEAR = "11112222-0000-4000-8000-0000000000c1"
CLAUDE = "0195d000-0000-4000-8000-0000000000c1"
CODEX = "0195e000-0000-7000-8000-0000000000c1"
SUMMARY = "The build fails in line 7."

CONTEXTS = [
    *(
        ["context", session]
        for session in (PI, OMP, OPENAI, ANTHROPIC, INDUSAGI, TRANSCRIPT, LINEAR, CLAUDE, CODEX)
    ),
    # the other branch, and the path before the compaction
    *(["context", session, "--entry", "c000000d"] for session in (PI, OMP, INDUSAGI)),
    *(["context", session, "--entry", "c0000008"] for session in (PI, OMP)),
    ["context", TRANSCRIPT, "--entry", "n5"],
    ["context", LINEAR, "--entry", "aa000005"],
    *(["context", CLAUDE, "--entry", f"0195dddd-0000-4000-8000-00000000000{end}"] for end in "8b"),
    ["context", OMP, "--for-agent"],
    ["context", PI, "--entry", "no-such-entry"],
]
"""The commands, one after the other in one home."""


def answered(model: str = "claude-sonnet-4", stop: str = "stop", **more: Any) -> Line:
    return {"provider": "anthropic", "model": model, "stopReason": stop, **more}


def family(session_id: str, cwd: str, **compaction: Any) -> list[Line]:
    """A session of pi, oh-my-pi or the older indusagi.

    :param compaction: more fields of the compaction.
    """
    thought = {"type": "thinking", "thinking": "The log is long.", "thinkingSignature": "c2ln"}
    half = [thought, {"type": "text", "text": "I read both."}, call("call_1", "read"), call("call_2", "read")]
    cut = [{"type": "text", "text": "The first li"}]
    return [
        header(session_id, cwd, 0),
        message("c0000001", None, 1, "user", "Why does the build fail?"),
        message("c0000002", "c0000001", 2, "assistant", half, **answered(stop="toolUse")),
        result("c0000003", "c0000002", 3, "call_1", "read", "error in line 7"),
        message(
            "c0000004",
            "c0000003",
            4,
            "assistant",
            [call("call_3", "bash", command="make")],
            **answered(stop="error", errorMessage="overloaded"),
        ),
        result("c0000005", "c0000004", 5, "call_3", "bash", "not run", failed=True),
        message("c0000006", "c0000005", 6, "assistant", cut, **answered(stop="aborted")),
        message("c0000007", "c0000006", 7, "user", "Go on."),
        message("c0000008", "c0000007", 8, "assistant", "Line 7 has no colon.", **answered()),
        entry(
            "compaction",
            "c0000009",
            "c0000008",
            9,
            **{"summary": SUMMARY, "firstKeptEntryId": "c0000002", "tokensBefore": 5400, **compaction},
        ),
        message("c000000a", "c0000009", 10, "user", "Add it."),
        message(
            "c000000b",
            "c000000a",
            11,
            "assistant",
            [call("call_4", "edit", path="build.py")],
            **answered(stop="toolUse"),
        ),
        entry("branch_summary", "c000000c", "c0000003", 12, fromId="c000000b", summary="It was not added."),
        message("c000000d", "c000000c", 13, "user", "Is there another error?"),
        message("c000000e", "c000000a", 14, "assistant", "Added.", **answered(model="claude-opus-4")),
    ]


def write(root: Path) -> None:
    """Write `root`/home with the sessions and `root`/work with their project."""
    home, cwd = root / "home", str(root / "work" / "shop")
    (root / "work" / "shop").mkdir(parents=True)
    openai = {"openaiRemoteCompaction": {"provider": "openai", "replacementHistory": [{"type": "reasoning"}]}}
    native = {"provider": "anthropic", "content": "so far", "encryptedContent": "c2Vh", "model": "claude"}
    snapshot = {"tokensAfter": 900, "method": "remote", "warning": "short of space"}
    for store, session_id, fields in (
        (".pi", PI, {}),
        (".omp", OMP, {"shortSummary": "Line 7", **snapshot}),
        (".omp", OPENAI, {**snapshot, "providerReplayThroughEntryId": "c0000006", "preserveData": openai}),
        (
            ".omp",
            ANTHROPIC,
            {
                **snapshot,
                "firstKeptEntryId": "",
                "providerReplayThroughEntryId": "c0000007",
                "preserveData": {"anthropicCompaction": native},
            },
        ),
        (".indusagi", INDUSAGI, {}),
    ):
        folder = home / store / "agent/sessions" / dashed(cwd)
        put(
            folder / f"2026-05-01T12-00-00-000Z_{session_id}.jsonl",
            encoded(family(session_id, cwd, **fields)),
            14,
        )
    put(home / ".pindusagi/sessions/--work-shop--" / f"{TRANSCRIPT}.ndjson", encoded(_transcript()), 14)
    put(home / ".config/agent/sessions/20260501-120000-11112222.jsonl", encoded(_linear(cwd)), 14)
    folder = "".join(letter if letter.isalnum() else "-" for letter in cwd)
    put(home / ".claude/projects" / folder / f"{CLAUDE}.jsonl", encoded(_claude(cwd)), 14)
    rollout = home / ".codex/sessions/2026/05/01" / f"rollout-2026-05-01T12-00-00-{CODEX}.jsonl"
    put(rollout, encoded(_codex(cwd)), 14)


def _text(text: str) -> list[Line]:
    return [{"type": "text", "text": text}]


def _transcript() -> list[Line]:
    nodes: list[tuple[str, str | None, str, Line]] = [
        ("n1", None, "user", {"role": "user", "content": "Why does the build fail?"}),
        ("n2", "n1", "assistant", {"role": "assistant", "content": [call("call_1", "read")]}),
        ("n3", "n2", "assistant", {"role": "assistant", "content": [], "stopReason": "error"}),
        ("n4", "n3", "assistant", {"role": "assistant", "content": _text("The f"), "stopReason": "aborted"}),
        ("n5", "n4", "user", {"role": "user", "content": "Is there another error?"}),
        ("n6", "n4", "condense", {"summary": SUMMARY, "firstKeptEntryId": "n2"}),
        ("n7", "n6", "user", {"role": "user", "content": "Go on."}),
    ]
    schema = "indus/transcript@1"
    return [
        {"schema": schema, "kind": "head", "sessionId": TRANSCRIPT, "leaf": "n7"},
        *(
            {
                "schema": schema,
                "kind": "entry",
                "id": own,
                "prev": above,
                "role": role,
                "message": body,
                "at": at,
            }
            for at, (own, above, role, body) in enumerate(nodes, START_MS)
        ),
    ]


def _linear(cwd: str) -> list[Line]:
    tool_call = {"type": "tool_call", "id": "call_1", "name": "read", "arguments": {}}
    turns: list[tuple[str, list[Line], str | None]] = [
        ("user", _text("Why does the build fail?"), None),
        ("assistant", [tool_call], "tool_use"),
        ("assistant", _text("Half of"), "error"),
        ("assistant", _text("The first li"), "aborted"),
        ("user", _text("Go on."), None),
    ]
    lines: list[Line] = [{"type": "session", "id": LINEAR, "version": 1, "timestamp": stamp(0), "cwd": cwd}]
    for number, (role, content, stop) in enumerate(turns, 1):
        body: Line = {"role": role, "content": content}
        if stop is not None:
            body["stop_reason"] = stop
        lines.append(_below({"type": "message", "role": role, "message": body}, number))
    kept = {"summary": SUMMARY, "first_kept_entry_id": "aa000002", "tokens_before": 5400}
    lines.append(_below({"type": "compaction", **kept}, 6))
    answer = {"role": "assistant", "content": _text("Line 7 has no colon."), "stop_reason": "stop"}
    lines.append(_below({"type": "message", "role": "assistant", "message": answer}, 7))
    return lines


def _below(fields: Line, number: int) -> Line:
    """An entry of nickcecere/agent below the one before it."""
    parent = {} if number == 1 else {"parent_id": f"aa{number - 1:06}"}
    return {**fields, "id": f"aa{number:06}", **parent, "timestamp": stamp(number)}


def _claude(cwd: str) -> list[Line]:
    def own(number: int) -> str:
        return f"0195dddd-0000-4000-8000-{number:012x}"

    def line(number: int, parent: int | None, kind: str, **fields: Any) -> Line:
        ids = {
            "uuid": own(number),
            "parentUuid": None if parent is None else own(parent),
            "sessionId": CLAUDE,
        }
        return {"type": kind, **ids, "cwd": cwd, "version": "2.1.332", "timestamp": stamp(number), **fields}

    def user(number: int, parent: int, content: Any, **fields: Any) -> Line:
        return line(number, parent or None, "user", message={"role": "user", "content": content}, **fields)

    def answer(number: int, parent: int, *content: Line, stop: str = "end_turn", **fields: Any) -> Line:
        body = {"role": "assistant", "id": f"m{number}", "model": "claude-opus-4", "content": list(content)}
        return line(number, parent, "assistant", message={**body, "stop_reason": stop}, **fields)

    read = {"type": "tool_use", "id": "call_1", "name": "Read", "input": {"file_path": "a.py"}}
    done = {"type": "tool_result", "tool_use_id": "call_1", "content": "error in line 7"}
    edit = {"type": "tool_use", "id": "call_2", "name": "Edit", "input": {"file_path": "a.py"}}
    return [
        user(1, 0, "Why does the build fail?"),
        answer(2, 1, *_text("I read it."), read, stop="tool_use"),
        user(3, 2, [done]),
        answer(4, 3, *_text("API Error: 529"), isApiErrorMessage=True),
        user(5, 4, "Go on."),
        answer(6, 5, *_text("The first li"), isAbortedMidStream=True),
        user(7, 6, "Once more."),
        answer(8, 7, edit, stop="tool_use"),
        user(11, 6, "Is there another error?"),
        line(12, None, "system", subtype="compact_boundary", content="", logicalParentUuid=own(8)),
        user(13, 12, SUMMARY, isCompactSummary=True),
        user(14, 13, "Add it."),
        answer(15, 14, *_text("Added.")),
    ]


def _codex(cwd: str) -> list[Line]:
    def said(role: str, text: str) -> Line:
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    def shell(call_id: str) -> Line:
        arguments = json.dumps({"cmd": "make"})
        return {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call_id}

    meta = {"id": CODEX, "timestamp": stamp(0), "cwd": cwd, "model_provider": "openai", "source": "cli"}
    payloads: list[tuple[str, Line]] = [
        ("session_meta", meta),
        ("turn_context", {"cwd": cwd, "model": "gpt-5"}),
        ("response_item", said("user", "Why does the build fail?")),
        ("response_item", shell("call_1")),
        ("response_item", {"type": "function_call_output", "call_id": "call_1", "output": "error in line 7"}),
        ("response_item", said("assistant", "Line 7 has no colon.")),
        ("compacted", {"message": SUMMARY}),
        ("response_item", said("user", "Is there another error?")),
        ("response_item", shell("call_2")),
        ("event_msg", {"type": "error", "message": "overloaded"}),
        ("response_item", said("user", "Once more.")),
        ("response_item", said("assistant", "The first li")),
        ("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
        ("response_item", said("user", "This prompt is rolled back.")),
        ("response_item", said("assistant", "So is this answer.")),
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
        ("response_item", said("user", "Add it.")),
        ("response_item", said("assistant", "Added.")),
    ]
    return [
        {"timestamp": stamp(number), "type": kind, "payload": payload}
        for number, (kind, payload) in enumerate(payloads)
    ]
