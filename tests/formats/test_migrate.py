"""Migration of old entries to version 3 (formats/README.md, "Migrations")."""

from __future__ import annotations

from typing import Any

from app.formats.migrate import migrate
from tests.cases import cases


def test_version_1_gets_ids_and_a_chain_of_parents() -> None:
    first = migrate({"type": "message"}, 1, 0)
    second = migrate({"type": "message", "id": "theirs", "parentId": "other"}, 1, 1)
    assert (first["id"], first["parentId"]) == ("00000000", None)
    assert (second["id"], second["parentId"]) == ("00000001", "00000000")


@cases(("index", "kept"), [(1, "00000000"), (12, "0000000b"), (0, None)])
def test_the_first_kept_index_counts_the_header(index: int, kept: str | None) -> None:
    entry = migrate({"type": "compaction", "firstKeptEntryIndex": index}, 1, 20)
    assert entry.get("firstKeptEntryId") == kept
    assert "firstKeptEntryIndex" not in entry


@cases(("version", "role"), [(1, "custom"), (2, "custom"), (3, "hookMessage")])
def test_the_role_hook_message_becomes_custom(version: int, role: str) -> None:
    entry = migrate({"type": "message", "message": {"role": "hookMessage", "content": "x"}}, version, 0)
    assert entry["message"] == {"role": role, "content": "x"}


@cases("entry", [{"type": "message", "message": None}, {"type": "message", "message": 5}, {}])
@cases("version", [1, 2, 3])
def test_odd_entries_are_accepted(entry: dict[str, Any], version: int) -> None:
    migrate(entry, version, 0)


def test_migrating_twice_changes_nothing_and_the_original_is_kept() -> None:
    original = {"type": "message", "message": {"role": "hookMessage"}}
    once = migrate(original, 1, 3)
    assert migrate(once, 1, 3) == once
    assert original == {"type": "message", "message": {"role": "hookMessage"}}
