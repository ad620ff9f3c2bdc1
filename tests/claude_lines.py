"""Lines and files of Claude Code for tests (formats/README.md, "Claude Code")."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = {"cwd": "/work/app", "sessionId": "s", "isSidechain": False}


def line(kind: str, own: str | None, parent: str | None, content: Any = None, **fields: Any) -> str:
    """A line of Claude Code; `own` None for one that is no entry."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message["id"] = f"m-{own}"
        if isinstance(content, str):
            message["content"] = [{"type": "text", "text": content}]
    ids = {} if own is None else {"parentUuid": parent, **ENTRY}
    end = {} if own is None else {"message": message, "uuid": own, "timestamp": "2026-03-01T10:00:00.000Z"}
    return json.dumps({**ids, "type": kind, **end, **fields})


def boundary(own: str, after: str, metadata: dict[str, Any] | None = None) -> str:
    """The boundary of a compaction."""
    named = {} if metadata is None else {"compactMetadata": metadata}
    return line("system", own, None, subtype="compact_boundary", logicalParentUuid=after, **named)


def summary(own: str, parent: str, text: str) -> str:
    """The summary of a compaction."""
    return line("user", own, parent, text, isCompactSummary=True)


def picture(size: int) -> dict[str, Any]:
    """A block with a picture of `size` characters."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * size}}


def write(home: Path, *lines: str, name: str = "one", folder: str = "-work-app") -> Path:
    """Write a session into the history folder `folder` below the home folder, and return its path."""
    path = home / ".claude/projects" / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{each}\n" for each in lines))
    return path
