"""By what an entry is named where one of its session is to be found again."""

from __future__ import annotations

from typing import NamedTuple


class EntryRef(NamedTuple):
    """An entry that a path leads through.

    entry_id   its id; None where it has none
    offset     where its line begins in the file; -1 where only the id is known
    """

    entry_id: str | None
    offset: int


BEGINNING = EntryRef(None, -1)
"""The first entry of the active path."""
