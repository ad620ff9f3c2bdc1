"""A reference to an entry that stays valid while its session is read again."""

from __future__ import annotations

from typing import NamedTuple


class EntryRef(NamedTuple):
    """An entry of a session, by its id and its place in the file.

    entry_id   its id; None if it has none
    offset     the offset of its line in the file; -1 if only the id is known
    """

    entry_id: str | None
    offset: int


FIRST_ENTRY = EntryRef(None, -1)
"""The first entry of the active path."""
LAST_PROMPT = EntryRef(None, -2)
"""The last prompt of the active path, as far as the end of the file has one."""
