"""Whether the leaf of a session was left behind: the last message in the file is on another branch.

A killed oh-my-pi writes its last line below the leaf that it knew, and of two pis in one session the one that
writes last does. The agent then goes on from an older message than the last one in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.entry_types import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.summary_fields import SummaryFields

MOVED_LEAF = "leafmark.branch"
"""The custom type of the entries that leafmark writes to set a leaf, which is done on purpose."""


class LeafTrail:
    """The entries behind the last message of the file, of which there are few, in a format whose leaf is the
    last line.
    """

    __slots__ = ("_last", "_parents")

    def __init__(self) -> None:
        self._last: str | None = None
        # id -> parent of each entry without conversation behind it; None for one that was set on purpose
        self._parents: dict[str | None, tuple[str | None, bool]] = {}

    def add(self, entries: Sequence[SummaryFields]) -> None:
        """Add the next entries of the file."""
        after: list[SummaryFields] = []
        for entry in reversed(entries):
            if entry.type not in SILENT:
                self._last, self._parents = entry.id, {}
                break
            after.append(entry)
        for entry in reversed(after):
            self._parents[entry.id] = entry.parent_id, entry.custom_type == MOVED_LEAF

    def is_behind(self, leaf: str | None) -> bool:
        """Whether the last message is no ancestor of the leaf, and the leaf was not set on purpose."""
        seen = set()
        while leaf in self._parents and leaf not in seen:
            seen.add(leaf)
            leaf, is_on_purpose = self._parents[leaf]
            if is_on_purpose:
                return False
        return self._last is not None and leaf is not None and leaf != self._last
