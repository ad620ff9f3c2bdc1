"""A row as `leafmark list --json` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.stamps import iso
from app.index.row import problem_count

if TYPE_CHECKING:
    from typing import Any

    from app.index.row import Row

SCHEMA = 1
"""The number that `leafmark list --json` carries; it changes when a field changes its meaning."""


def to_json(row: Row, state: str, now_ms: int) -> dict[str, Any]:
    """The row's JSON object. Times become ISO 8601, UTC.

    :param row: loaded in full, so that `first_message` is there.
    :param state: "live", "maybe" or "idle".
    :param now_ms: decides whether an unfinished last line is damage yet.
    """
    return {
        "agent": row.agent,
        "id": row.id,
        "path": row.path,
        "cwd": row.cwd,
        "name": row.name,
        "title": row.title,
        "first_message": row.first_message,
        "created": None if row.created is None else iso(row.created),
        "modified": iso(row.modified),
        "message_count": row.message_count,
        "entry_count": row.entry_count,
        "leaf_count": row.leaf_count,
        "labels": [{"entry_id": entry_id, "label": label} for entry_id, label in row.labels],
        "leaf_id": row.leaf_id,
        "parent_session": row.parent_session,
        "size": row.size,
        "models": list(row.models),
        "tokens": dict(zip(("input", "output", "cache_read", "cache_write"), row.tokens, strict=True)),
        "cost": row.cost,
        "state": state,
        "problems": problem_count(row, now_ms),
    }
