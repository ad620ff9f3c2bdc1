"""Rollouts of Codex for tests: their lines, and files in a home folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ID = "019c8a52-7f3a-7bd2-9d5e-0a1b2c3d4e5f"
AT = "2026-02-23T11:40:29.275Z"


def line(kind: str, at: str = AT, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def meta(session_id: str = ID, at: str = AT, cwd: str = "/w", **fields: Any) -> dict[str, Any]:
    return line("session_meta", at, id=session_id, timestamp=at, cwd=cwd, **fields)


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return line("response_item", type=kind, **fields)


def said(role: str, *texts: str, kinds: list[str] | None = None) -> dict[str, Any]:
    """A message; `kinds` are the marks of its blocks, as 0.171 writes them."""
    block = "output_text" if role == "assistant" else "input_text"
    notes = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}} if kinds else {}
    content = [{"type": block, "text": text} for text in texts]
    return item("message", role=role, content=content, **notes)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return line("event_msg", type=kind, **fields)


def typed_item(text: str) -> dict[str, Any]:
    """The note that a typed prompt was taken, of versions around 0.150."""
    done = {"type": "UserMessage", "id": "1", "content": [{"type": "text", "text": text}]}
    return event("item_completed", thread_id=ID, item=done)


def write_rollout(
    home: Path, *lines: dict[str, Any], name: str = f"rollout-2026-02-23T11-40-29-{ID}.jsonl"
) -> Path:
    """Write a rollout below a home folder."""
    path = home / ".codex" / "sessions" / "2026" / "02" / "23" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path
