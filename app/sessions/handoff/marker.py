"""leafmark's own entry in a session that was handed over: a custom entry, which is not sent to the model.

It is the first entry after the header, and the roots of the tree hang on it. Its `data` has:

    from       the source: `agent`, `dialect`, `session_id`, `path`, `leaf` and the number of `entries`
    path_only  whether the session has one path of the source alone
    ids        id -> id in the source, where they differ
    copies     id -> key of the entry in statistics, where it is not that of its id and time
    originals  id -> digest of the entry, and the entry as the source has it, where the way back gives another
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.dialects.copies import HANDED_OVER

if TYPE_CHECKING:
    from app.sessions.manager.entry_store import Entry


def is_marker(entry: Entry) -> bool:
    """Whether an entry is leafmark's own."""
    return entry.type == "custom" and entry.raw.get("customType") == HANDED_OVER


def data_of(entry: Entry | None) -> dict[str, Any]:
    """The data of leafmark's own entry; empty for None, and for data of another shape."""
    data = entry.raw.get("data") if entry is not None else None
    return data if isinstance(data, dict) else {}
