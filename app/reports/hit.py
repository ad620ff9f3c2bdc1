"""A hit of a search as JSON, and what it is called there and in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.stamps import iso

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.search.hit_branch import Place
    from app.index.search.results import Hit

    Places = Callable[[Hit], Place]


def role(hit: Hit) -> str | None:
    """What stands for the role: who says it, "name", "label", "folder", "id" or "program"; None of a session
    that is a hit as a whole.
    """
    return hit.role or (None if hit.where == "row" else hit.where)


def as_json(hit: Hit, place: Places) -> dict[str, Any]:
    """The hit's object in `leafmark search --json`."""
    return {
        "path": hit.path,
        "session_id": hit.row.id,
        "entry_id": hit.entry_id,
        "role": role(hit),
        "snippet": hit.snippet,
        "on_active_path": place(hit).on_active_path,
        "timestamp": None if hit.timestamp is None else iso(hit.timestamp),
    }
