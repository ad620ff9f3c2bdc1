"""Example sessions of Claude Code and Codex, which leafmark only reads, and how they spell them
(formats/README.md, "Claude Code" and "Codex").
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from app.demo.builder import Session, days, hours, uuid4
from app.formats.timestamps import iso

if TYPE_CHECKING:
    from app.demo.builder import Entry

NAMES = ("claude", "codex")
_VERSIONS = {"claude": "2.1.39", "codex": "0.104.0"}
_OLD_NAME = "old name"
"""The key of the name in a rollout; the file beside the sessions of Codex has the newer one."""
_CONTEXT = 11_500
"""Tokens that are read from the cache before the first answer."""


def sessions() -> list[Session]:
    """All of them."""
    return [_cache(), _icons(), _backup(), _alt_texts()]


def _cache() -> Session:
    talk = Session(
        "claude", "weather-bot", "stale", age=days(2) + hours(5), model="anthropic/claude-opus-4-5"
    )
    talk.user("the bot answers with yesterday's forecast until someone restarts it")
    talk.tools(
        ("Grep", {"pattern": "cache", "path": "bot"}, "bot/forecast.py:12: self._cache = {}", False),
        ("Read", {"file_path": "bot/forecast.py"}, "async def forecast(city): ...", False),
        say="I'll look at where the forecast is kept.",
        think="A cache without an age would explain it.",
    )
    cause = talk.reply(
        "The cache has no age: what was asked first stays for ever. Ten minutes, or until midnight?"
    )
    talk.user("ten minutes")
    talk.tool(
        "Edit",
        "The file has been updated.",
        file_path="bot/forecast.py",
        old_string="{}",
        new_string="TTL(600)",
    )
    talk.reply("Done: an entry is dropped after ten minutes.")
    talk.back_to(cause)
    talk.user("until midnight of the city that was asked for")
    talk.tool(
        "Edit",
        "The file has been updated.",
        file_path="bot/forecast.py",
        old_string="{}",
        new_string="{}  # day",
    )
    talk.tool("Bash", "12 passed in 0.61s", command="pytest -q", description="Run the tests")
    talk.reply("The key has the local date of the city now, so midnight ends it. All 12 tests pass.")
    talk.name("Forecasts that are a day old")
    scout = Session("claude", "weather-bot", "scout", age=days(2) + hours(6), dialect="sub-agent")
    scout.user("Find every place where a forecast is kept.")
    scout.reply("Only `bot/forecast.py` keeps one.")
    talk.artifacts["subagents/agent-a2898e3.jsonl"] = scout
    return talk


def _icons() -> Session:
    talk = Session("claude", "site", "icons", age=days(7))
    talk.user("replace the icon font by svg, one file per icon")
    talk.tool(
        "Bash", "148 icons, 9 of them used", command="npx icon-audit src", description="Count the icons"
    )
    kept = talk.reply(
        "Nine icons are used; the font has 148. I'd write those nine as svg and drop the font: -84 kB."
    )
    talk.compact(
        "The icon font is replaced by nine svg files. Two of nine are done: menu and search.", kept, 155_000
    )
    talk.user("go on with the other seven")
    talk.tool("Write", "File created successfully", file_path="src/icons/rss.svg", content="<svg/>")
    talk.reply("All nine are in `src/icons`, and the font is gone.")
    return talk


def _backup() -> Session:
    talk = Session("codex", "dotfiles", "backup", age=days(3) + hours(2), model="openai/gpt-5.1-codex")
    talk.user("restic says the repository is locked. nothing else is running")
    talk.tool(
        "exec_command",
        "1 lock, 3 days old, host: laptop",
        cmd="restic list locks",
        think="**Checking locks**",
    )
    talk.reply(
        "One lock is left from three days ago, from a run that was killed. `restic unlock` removes stale "
        "ones only."
    )
    talk.user("do it, and make the timer stop after two hours")
    talk.tool("exec_command", "successfully removed 1 locks", cmd="restic unlock")
    talk.tool(
        "apply_patch", "Success. Updated backup.service", input="*** Update File: systemd/backup.service"
    )
    talk.reply("The lock is gone, and `RuntimeMaxSec=2h` ends a run that hangs.")
    talk.name("Locked restic repository")
    talk.entries[-1].data[_OLD_NAME] = "Restic repository locked"
    return talk


def _alt_texts() -> Session:
    talk = Session("codex", "site", "alt-texts", age=days(10), model="openai/gpt-5.1-codex")
    talk.user("list all pictures without an alt text")
    talk.tool("exec_command", "23 of 61 pictures", cmd="rg -c '!\\[\\]' content")
    talk.reply("23 of 61 pictures have none; 14 of them are in travel posts.")
    talk.user("write them for the travel posts, one short sentence each")
    talk.reply("", stop="aborted")
    return talk


def lines(session: Session, cwd: str) -> list[Any]:
    """The lines of a session of one of `NAMES`."""
    return _codex(session, cwd) if session.agent == "codex" else _claude(session, cwd)


# Claude Code


def _claude(session: Session, cwd: str) -> list[Any]:
    encoded: list[Any] = []
    last: dict[str, str] = {}
    source = random.Random(f"lines/{session.agent}/{session.project}/{session.slug}")
    context = _CONTEXT

    def add(entry: Entry, fields: dict[str, Any], parent: str | None) -> str:
        own = uuid4(source)
        line: dict[str, Any] = {"parentUuid": parent, "isSidechain": session.dialect == "sub-agent"}
        line |= {"userType": "external", "cwd": cwd, "sessionId": session.id, "version": _VERSIONS["claude"]}
        line |= {"gitBranch": "main", **fields, "uuid": own, "timestamp": iso(entry.time)}
        encoded.append(line)
        last[entry.id] = own
        return own

    for entry in session.entries:
        data = entry.data
        above = last.get(entry.parent.id) if entry.parent else None
        if entry.kind == "name":
            encoded.append({"type": "custom-title", "customTitle": data["name"], "sessionId": session.id})
            last[entry.id] = above or ""
        elif entry.kind == "compaction":
            boundary: dict[str, Any] = {"type": "system", "subtype": "compact_boundary"}
            boundary |= {"logicalParentUuid": above, "content": "Conversation compacted"}
            boundary |= {"compactMetadata": {"trigger": "auto", "preTokens": data["tokens"]}}
            summary = {"role": "user", "content": data["summary"]}
            boundary_id = add(entry, boundary, None)
            add(entry, {"type": "user", "isCompactSummary": True, "message": summary}, boundary_id)
        elif data["role"] == "assistant":
            context += len(data["text"]) // 4 + 200
            for fields in _claude_answer(entry, context):
                above = add(entry, fields, above)
        elif data["role"] == "user":
            add(entry, {"type": "user", "message": {"role": "user", "content": data["text"]}}, above)
        else:
            block: dict[str, Any] = {
                "tool_use_id": data["call"],
                "type": "tool_result",
                "content": data["text"],
            }
            if data["failed"]:
                block["is_error"] = True
            add(entry, {"type": "user", "message": {"role": "user", "content": [block]}}, above)
    return encoded


def _claude_answer(entry: Entry, context: int) -> list[dict[str, Any]]:
    """The lines of an answer: one for each block, with the same usage but for the last one's output."""
    data = entry.data
    blocks: list[dict[str, Any]] = []
    if data["think"]:
        blocks.append({"type": "thinking", "thinking": data["think"], "signature": ""})
    if data["text"]:
        blocks.append({"type": "text", "text": data["text"]})
    for call_id, tool, arguments in data["calls"]:
        blocks.append({"type": "tool_use", "id": call_id, "name": tool, "input": arguments})
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": context // 10,
        "cache_read_input_tokens": context,
    }
    told: list[dict[str, Any]] = []
    for number, block in enumerate(blocks):
        received = len(data["text"]) // 4 + 30 if number == len(blocks) - 1 else 1
        message = {"model": data["model"].partition("/")[2], "id": f"msg_{entry.id}", "type": "message"}
        message |= {"role": "assistant", "content": [block], "stop_reason": None, "stop_sequence": None}
        message["usage"] = {**usage, "output_tokens": received, "service_tier": "standard"}
        told.append({"type": "assistant", "requestId": f"req_{entry.id}", "message": message})
    return told


# Codex


def _codex(session: Session, cwd: str) -> list[Any]:
    encoded: list[Any] = []
    sums = [0, 0, 0]

    def add(at_ms: int, kind: str, **payload: Any) -> None:
        encoded.append({"timestamp": iso(at_ms), "type": kind, "payload": payload})

    meta = {"id": session.id, "timestamp": iso(session.start), "cwd": cwd, "originator": "codex_cli_rs"}
    meta |= {"cli_version": _VERSIONS["codex"], "source": "cli", "model_provider": "openai"}
    add(session.start, "session_meta", **meta)
    text = f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
    context = {"role": "user", "content": [{"type": "input_text", "text": text}]}
    add(session.start, "response_item", type="message", **context)
    model = session.current_model.partition("/")[2]
    for entry in session.entries:
        data, at_ms = entry.data, entry.time
        if entry.kind == "name":
            named = {"thread_id": session.id, "thread_name": data[_OLD_NAME]}
            add(at_ms, "event_msg", type="thread_name_updated", **named)
        elif data["role"] == "user":
            content = [{"type": "input_text", "text": data["text"]}]
            add(at_ms, "turn_context", cwd=cwd, approval_policy="on-request", model=model)
            add(at_ms, "response_item", type="message", role="user", content=content)
            add(at_ms, "event_msg", type="user_message", message=data["text"], images=[])
        elif data["role"] == "assistant":
            _codex_answer(entry, add)
            sums = [before + more for before, more in zip(sums, (900, 700, 120), strict=True)]
            told = dict(zip(("input_tokens", "cached_input_tokens", "output_tokens"), sums, strict=True))
            add(at_ms, "event_msg", type="token_count", info={"total_token_usage": told})
        else:
            output = f"Exit code: {int(data['failed'])}\nOutput:\n{data['text']}"
            kind = "custom_tool_call_output" if data["tool"] == "apply_patch" else "function_call_output"
            add(at_ms, "response_item", type=kind, call_id=data["call"], output=output)
    return encoded


def codex_names(session: Session) -> list[dict[str, str]]:
    """The lines of a session in the file beside the sessions of Codex that has their names; none for a
    session of another agent.
    """
    if session.agent != "codex":
        return []
    return [
        {"id": session.id, "thread_name": entry.data["name"], "updated_at": iso(entry.time)}
        for entry in session.entries
        if entry.kind == "name"
    ]


def _codex_answer(entry: Entry, add: Any) -> None:
    data, at_ms = entry.data, entry.time
    if data["think"]:
        thought = [{"type": "summary_text", "text": data["think"]}]
        add(at_ms, "response_item", type="reasoning", summary=thought, content=None, encrypted_content="")
    if data["text"]:
        content = [{"type": "output_text", "text": data["text"]}]
        add(at_ms, "response_item", type="message", role="assistant", content=content)
    for call_id, tool, arguments in data["calls"]:
        if tool == "apply_patch":
            told = {"type": "custom_tool_call", "name": tool, "input": arguments["input"]}
        else:
            told = {"type": "function_call", "name": tool, "arguments": json.dumps(arguments)}
        add(at_ms, "response_item", **told, call_id=call_id)
    if data["stop"] == "aborted":
        add(at_ms, "event_msg", type="turn_aborted", reason="interrupted")
