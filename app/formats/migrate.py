"""Converts old entries to version 3, in memory only (formats/README.md, "Migrations").

Version 1 has no ids. The id that an entry gets is its number in the file, so that it is always the same.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from app.formats.json_codec import REMOVED, decode, edit_fields, raw_fields

CURRENT_VERSION = 3


def made_up_id(index: int) -> str:
    """The id of entry number `index` (from 0) of a file without ids: eight hex digits, as agents write."""
    return f"{index:08x}"


def migrated_role(role: str | None, version: int) -> str | None:
    """The role in version 3: hookMessage became custom."""
    return "custom" if role == "hookMessage" and version < CURRENT_VERSION else role


def migrate(entry: dict[str, Any], version: int, index: int) -> dict[str, Any]:
    """Entry number `index` of a file of `version`, converted to version 3. `entry` is not changed."""
    if version >= CURRENT_VERSION:
        return entry
    entry = dict(entry)
    if version < 2:
        entry["id"] = made_up_id(index)
        entry["parentId"] = made_up_id(index - 1) if index else None
        kept = entry.get("firstKeptEntryIndex")
        if entry.get("type") == "compaction" and isinstance(kept, int) and not isinstance(kept, bool):
            del entry["firstKeptEntryIndex"]
            if kept >= 1:
                # That index counts the header as number 0.
                entry["firstKeptEntryId"] = made_up_id(kept - 1)
    message = entry.get("message")
    if entry.get("type") == "message" and isinstance(message, dict) and message.get("role") == "hookMessage":
        entry["message"] = {**message, "role": "custom"}
    return entry


def migrate_line(line: bytes, version: int, index: int) -> bytes:
    """The line of entry number `index` of a file of `version`, converted to version 3
    (formats/README.md, "Migrations").

    :raises BadLine: `line` is not a JSON object.
    """
    if version >= CURRENT_VERSION:
        return line
    before = decode(line)
    after = migrate(before, version, index)
    changes: dict[str, Any] = {name: REMOVED for name in before if name not in after}
    changes |= {
        name: value for name, value in after.items() if name not in before or before[name] is not value
    }
    if "message" in changes:
        role = {"role": after["message"]["role"]}
        changes["message"] = Raw(edit_fields(bytes(raw_fields(line)["message"]), role))
    return edit_fields(line, changes) if changes else line
