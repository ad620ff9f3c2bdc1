"""Encodes the example sessions byte for byte as each agent does, and places them in its store
(formats/README.md, "The version 3 family").
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from app.demo import read_only
from app.formats.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.demo.builder import Entry, Session


SLOT = 256

# Dollars per million tokens: input, output, cache read, cache write.
PRICES = {
    "claude-sonnet-4-5": (3.0, 15.0, 0.3, 3.75),
    "claude-opus-4-5": (5.0, 25.0, 0.5, 6.25),
    "gpt-5.1-codex": (1.25, 10.0, 0.125, 0.0),
    "gemini-2.5-pro": (1.25, 10.0, 0.31, 0.0),
}
APIS = {
    "anthropic": "anthropic-messages",
    "openai": "openai-responses",
    "google": "google-generative-ai",
    "ollama": "openai-completions",
}


def lines(session: Session, cwd: str, path_of: Callable[[Session], str]) -> list[bytes]:
    """The lines of the session's file, with newlines.

    :param path_of: returns the path of a session, for the parent.
    """
    if session.agent in read_only.NAMES:
        encoded = read_only.lines(session, cwd)
    elif session.agent == "agent":
        encoded = _agent(session, cwd, path_of)
    elif session.dialect == "transcript":
        encoded = _transcript(session)
    else:
        encoded = _pi_family(session, cwd, path_of)
    return [line if isinstance(line, bytes) else dump(line) for line in encoded]


def dump(value: Any) -> bytes:
    """A line as JSON.stringify writes it: without spaces, and with lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def slot(title: str, source: str, updated: str) -> bytes:
    """The first line of omp: 256 bytes with the newline. A title that is too long is cut after a
    code point.
    """
    while True:
        fields: dict[str, Any] = {"type": "title", "v": 1, "title": title}
        if source:
            fields["source"] = source
        bare = dump({**fields, "updatedAt": updated, "pad": ""})
        if len(bare) <= SLOT:
            return dump({**fields, "updatedAt": updated, "pad": " " * (SLOT - len(bare))})
        title = title[:-1]


def _pi_family(session: Session, cwd: str, path_of: Callable[[Session], str]) -> list[Any]:
    """The lines of pi, omp and the old indusagi: version 3, or pi's version 1 without ids."""
    omp = session.agent == "omp"
    created = iso(session.start)
    encoded: list[Any] = []
    header: dict[str, Any] = {"type": "session", "version": 3, "id": session.id}
    if session.dialect == "v1":
        provider, _, model = session.current_model.partition("/")
        header = {"type": "session", "id": session.id, "timestamp": created, "cwd": cwd}
        header |= {"provider": provider, "modelId": model, "thinkingLevel": "off"}
    elif omp and session.dialect == "no slot" and session.title:
        header |= {"title": session.title, "titleSource": "auto", "timestamp": created, "cwd": cwd}
    else:
        header |= {"timestamp": created, "cwd": cwd}
    if session.parent is not None:
        header["parentSession"] = path_of(session.parent)
    if omp and session.dialect != "no slot":
        named = [entry for entry in session.entries if entry.kind == "name"]
        updated = iso(named[-1].time) if named else created
        encoded.append(slot(session.title, "user" if named else "auto", updated))
    encoded.append(header)
    context = 0
    for index, entry in enumerate(session.entries):
        if index in session.raw_lines:
            encoded.append(session.raw_lines[index].encode() + b"\n")
        fields, context = _own_fields(session, entry, context)
        line = {"type": fields.pop("type")}
        if session.dialect != "v1":
            line |= {"id": entry.id, "parentId": entry.parent.id if entry.parent else None}
        encoded.append({**line, "timestamp": iso(entry.time), **fields})
    return encoded


def _own_fields(session: Session, entry: Entry, context: int) -> tuple[dict[str, Any], int]:
    """(the fields of an entry without id, parent and time, the number of tokens in the context after it)"""
    data = entry.data
    omp = session.agent == "omp"
    match entry.kind:
        case "message":
            return _message(session, entry, context)
        case "model" if omp:
            return {"type": "model_change", "model": data["model"], "role": "default"}, context
        case "model":
            provider, _, model = data["model"].partition("/")
            return {"type": "model_change", "provider": provider, "modelId": model}, context
        case "thinking":
            fields = {"type": "thinking_level_change", "thinkingLevel": data["level"]}
            return (fields | {"configured": None} if omp else fields), context
        case "name" if omp:
            fields = {"type": "title_change", "title": data["name"], "previousTitle": data["before"]}
            return fields | {"source": "user", "trigger": "rename"}, context
        case "name":
            return {"type": "session_info", "name": data["name"]}, context
        case "label":
            fields = {"type": "label", "targetId": data["target"].id}
            return (fields | {"label": data["label"]} if data["label"] else fields), context
        case "compaction":
            fields = {"type": "compaction", "summary": data["summary"]}
            fields |= {"firstKeptEntryId": data["kept"].id, "tokensBefore": data["tokens"]}
            return fields | {"details": {"readFiles": [], "modifiedFiles": []}}, len(data["summary"]) // 4
        case "branch_summary":
            left = data["left"].id if data["left"] else "root"
            fields = {"type": "branch_summary", "fromId": left, "summary": data["summary"]}
            return fields | {"details": {"readFiles": [], "modifiedFiles": []}}, context
        case "custom":
            return {"type": "custom", "customType": data["custom_type"], "data": data["data"]}, context
        case "custom_message":
            fields = {"type": "custom_message", "customType": data["custom_type"], "content": data["text"]}
            return fields | {"display": True}, context
        case "other":
            return {"type": data["type"], **data["fields"]}, context
    raise ValueError(entry.kind)


def _message(session: Session, entry: Entry, context: int) -> tuple[dict[str, Any], int]:
    data = entry.data
    context += len(data["text"]) // 4 + 8
    message: dict[str, Any] = {"role": data["role"]}
    if data["role"] == "user":
        message["content"] = [{"type": "text", "text": data["text"]}]
        if data["image"]:
            message["content"].append({"type": "image", "data": data["image"], "mimeType": "image/png"})
        if session.agent == "omp":
            message["attribution"] = "user"
    elif data["role"] == "assistant":
        message |= _answer(data, context)
    elif data["role"] == "toolResult":
        message |= {"toolCallId": data["call"], "toolName": data["tool"]}
        message |= {"content": [{"type": "text", "text": data["text"]}], "isError": data["failed"]}
    else:
        message |= {"command": data["command"], "output": data["text"], "exitCode": data["code"]}
        message |= {"cancelled": False, "truncated": False}
    message["timestamp"] = entry.time - 2
    if data.get("error"):
        message["errorMessage"] = data["error"]
    return {"type": "message", "message": message}, context


def _answer(data: dict[str, Any], context: int) -> dict[str, Any]:
    """The fields of an assistant message in the pi family."""
    provider, _, model = data["model"].partition("/")
    content: list[dict[str, Any]] = []
    if data["think"]:
        content.append({"type": "thinking", "thinking": data["think"], "thinkingSignature": ""})
    if data["text"]:
        content.append({"type": "text", "text": data["text"]})
    for call_id, tool, arguments in data["calls"]:
        content.append({"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments})
    counts = tokens(data, context)
    names = ("input", "output", "cacheRead", "cacheWrite")
    prices = PRICES.get(model, (0.0, 0.0, 0.0, 0.0))
    cost = {
        name: round(count * price / 1e6, 6) for name, count, price in zip(names, counts, prices, strict=True)
    }
    usage: dict[str, Any] = dict(zip(names, counts, strict=True))
    usage |= {"totalTokens": sum(counts), "cost": {**cost, "total": round(sum(cost.values()), 6)}}
    return {
        "content": content,
        "api": APIS[provider],
        "provider": provider,
        "model": model,
        "usage": usage,
        "stopReason": data["stop"],
    }


def tokens(data: dict[str, Any], context: int) -> tuple[int, int, int, int]:
    """Plausible numbers of tokens: input, output, cache read and cache write."""
    if data["stop"] in ("error", "aborted") and not data["text"]:
        return 0, 0, 0, 0
    characters = len(data["text"]) + len(data["think"]) + 40 * len(data["calls"])
    return 4, characters // 4 + 12, 3_900 + context * 9 // 10, context // 10


def _agent(session: Session, cwd: str, path_of: Callable[[Session], str]) -> list[Any]:
    """The lines of nickcecere/agent: linear, with names in snake case and times in seconds."""
    encoded: list[Any] = [
        {"type": "session", "id": session.id, "version": 1, "timestamp": _seconds(session.start), "cwd": cwd}
    ]
    if session.parent is not None:
        fork_entry = [entry for entry in session.entries if entry.session is not session][-1]
        fields = {"type": "branch", "id": f"{session.random.getrandbits(32):08x}"}
        fields |= {"timestamp": _seconds(session.start), "parent_session_path": path_of(session.parent)}
        encoded.append(fields | {"fork_entry_id": fork_entry.id, "branch_summary": session.title})
    context = 0
    for entry in session.entries:
        line: dict[str, Any] = {"type": entry.kind, "id": entry.id}
        if entry.parent is not None:
            line["parent_id"] = entry.parent.id
        line["timestamp"] = _seconds(entry.time)
        if entry.kind == "compaction":
            data = entry.data
            line |= {"summary": data["summary"], "first_kept_entry_id": data["kept"].id}
            encoded.append(line | {"tokens_before": data["tokens"]})
            continue
        context += len(entry.data["text"]) // 4 + 8
        message = _agent_message(entry, context)
        encoded.append(line | {"role": message["role"], "message": message})
    return encoded


def _agent_message(entry: Entry, context: int) -> dict[str, Any]:
    data = entry.data
    text = [{"type": "text", "text": data["text"]}] if data["text"] else []
    if data["role"] == "user":
        message: dict[str, Any] = {"role": "user", "content": text}
    elif data["role"] == "toolResult":
        message = {"role": "tool_result", "tool_call_id": data["call"], "tool_name": data["tool"]}
        message |= {"content": text, "details": None, "is_error": data["failed"]}
    else:
        provider, _, model = data["model"].partition("/")
        blocks = [{"type": "thinking", "thinking": data["think"]}] if data["think"] else []
        calls = [
            {"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments}
            for call_id, tool, arguments in data["calls"]
        ]
        counts = tokens(data, context)
        usage = dict(zip(("input", "output", "cache_read", "cache_write"), counts, strict=True))
        message = {"role": "assistant", "content": [*blocks, *text, *calls], "model": model}
        message |= {"provider": provider, "usage": {**usage, "total_tokens": sum(counts)}}
        message["stop_reason"] = {"toolUse": "tool_use"}.get(data["stop"], data["stop"])
    message["timestamp"] = entry.time
    return message


def _seconds(at_ms: int) -> str:
    return iso(at_ms)[:19] + "Z"


def _transcript(session: Session) -> list[Any]:
    """The lines of indus/transcript@1 (formats/README.md, "indusagi"): a head with the leaf, then the
    entries.
    """
    schema = {"schema": "indus/transcript@1"}
    leaf = session.leaf.id if session.leaf else None
    encoded: list[Any] = [{**schema, "kind": "head", "sessionId": session.id, "leaf": leaf}]
    roles = {"toolResult": "tool"}
    for entry in session.entries:
        data = entry.data
        role = "condense" if entry.kind == "compaction" else roles.get(data["role"], data["role"])
        content: list[dict[str, Any]] = []
        if data.get("summary") or data.get("text"):
            content.append({"type": "text", "text": data.get("summary") or data["text"]})
        for call_id, tool, arguments in data.get("calls", []):
            content.append({"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments})
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "tool":
            message |= {"toolCallId": data["call"], "toolName": data["tool"], "isError": data["failed"]}
        line = {**schema, "kind": "entry", "id": entry.id, "prev": entry.parent.id if entry.parent else None}
        encoded.append({**line, "role": role, "message": message, "at": iso(entry.time)})
    return encoded


ROOTS = {
    "pi": (".pi", "agent", "sessions"),
    "omp": (".omp", "agent", "sessions"),
    "indusagi": (".indusagi", "agent", "sessions"),
    "agent": (".config", "agent", "sessions"),
    "claude": (".claude", "projects"),
    "codex": (".codex", "sessions"),
}
TRANSCRIPTS = (".pindusagi", "sessions")
CODEX_NAMES = (".codex", "session_index.jsonl")


def store_roots(home: str) -> list[tuple[str, str]]:
    """The stores below `home`, as (agent, folder)."""
    found = [(agent, os.path.join(home, *parts)) for agent, parts in ROOTS.items()]
    return [*found, ("indusagi", os.path.join(home, *TRANSCRIPTS))]


def session_root(home: str, session: Session) -> str:
    """The root of the session's store."""
    return os.path.join(home, *(TRANSCRIPTS if session.dialect == "transcript" else ROOTS[session.agent]))


def folder_name(session: Session, cwd: str) -> str:
    """The folder in the store for a working folder; "" for an agent without such folders."""
    if session.agent == "agent":
        return ""
    if session.agent == "claude":
        return re.sub("[^0-9A-Za-z]", "-", cwd)
    if session.agent == "codex":
        return os.path.join(*iso(session.start)[:10].split("-"))
    if session.dialect == "transcript":
        return f"--{re.sub('[^0-9A-Za-z]+', '-', cwd).strip('-')}--"
    if session.agent == "omp":
        real = os.path.realpath(cwd)
        # omp writes "-tmp-..." for folders below the system's folder for temporary files.
        return _dashed(real) if real.startswith("/tmp/") else f"--{_dashed(real.lstrip('/'))}--"
    return f"--{_dashed(cwd.lstrip('/'))}--"


def _dashed(path: str) -> str:
    return re.sub(r"[/\\:]", "-", path)


def file_name(session: Session) -> str:
    """The name of the session's file, from its time and id."""
    created = iso(session.start)
    if session.dialect == "transcript":
        return f"{session.id}.ndjson"
    if session.agent == "claude":
        return f"{session.id}.jsonl"
    if session.agent == "codex":
        return f"rollout-{created[:19].replace(':', '-')}-{session.id}.jsonl"
    if session.agent == "agent":
        digits = re.sub("[^0-9]", "", created)
        return f"{digits[:8]}-{digits[8:14]}-{session.id[:8]}.jsonl"
    return f"{re.sub('[:.]', '-', created)}_{session.id}.jsonl"
