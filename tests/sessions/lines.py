"""Sessions of a few lines for tests, as dicts or as bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from app.sessions import Node
    from app.sessions.tree import path_reader

HEADER: dict[str, Any] = {
    "type": "session",
    "version": 3,
    "id": "abc",
    "timestamp": "2026-02-16T10:00:00.000Z",
    "cwd": "/work/app",
}
HEADER_MS = 1_771_236_000_000
MTIME = 1_800_000_000_000


def user(entry_id: Any, parent: Any, text: Any = "hi", **fields: Any) -> dict[str, Any]:
    """Return a prompt."""
    message = {"role": "user", "content": text, **fields}
    return {"type": "message", "id": entry_id, "parentId": parent, "message": message}


def answer(entry_id: Any, parent: Any, text: str = "ok", **fields: Any) -> dict[str, Any]:
    """Return an answer."""
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], **fields}
    return {"type": "message", "id": entry_id, "parentId": parent, "message": message}


def custom(entry_id: Any, parent: Any, **fields: Any) -> dict[str, Any]:
    """Return a custom entry, which is no part of the conversation."""
    return {"type": "custom", "id": entry_id, "parentId": parent, "customType": "x", **fields}


def label(entry_id: Any, parent: Any, target: Any, text: Any) -> dict[str, Any]:
    """Return a label entry, which sets or clears a label."""
    return {"type": "label", "id": entry_id, "parentId": parent, "targetId": target, "label": text}


def content(*lines: dict[str, Any] | bytes, newline: bytes = b"\n", last: bytes | None = None) -> bytes:
    """Return the bytes of a file of `lines`. It ends with `last` if that is not None, else with a newline."""
    written = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return newline.join(written) + (newline if last is None else last)


def put(
    folder: Path, *lines: dict[str, Any] | bytes, newline: bytes = b"\n", last: bytes | None = None
) -> str:
    """Write `lines` to a file and return its path."""
    path = folder / "session.jsonl"
    path.write_bytes(content(*lines, newline=newline, last=last))
    return str(path)


def handed_out(path: path_reader.PathReader, most: int) -> list[Node]:
    """Return all entries of a path, in order.

    :param most: the number of entries that are requested at a time.
    """
    if path.start is None:
        return []
    above: list[Node] = []
    below: list[Node] = []
    while not path.at_root:
        above += path.above(most)
    while not path.at_end:
        below += path.below(most)
    return [*reversed(above), path.start, *below]
