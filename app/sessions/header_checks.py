"""Which headers and title lines are where they should be (formats/README.md, "pi")."""

from __future__ import annotations

from msgspec import Struct

MORE_THAN_ENTRIES = frozenset(("session", "title", "label", "session_info"))
"""The types of lines that say something about the session besides being an entry, or are none."""


class Heads(Struct, array_like=True):
    """The headers and title lines met so far. None of them is an entry."""

    seen_header: bool = False
    seen_title: bool = False

    def fault(self, kind: str | None, entry_id: str | None, entries: int) -> str | None:
        """What is wrong with a header or title line of that `kind` and id after that many entries."""
        if kind == "title":
            misplaced = self.seen_header or self.seen_title or entries > 0
            self.seen_title = True
            return "a title line that is not the first line" if misplaced else None
        if entry_id is None:
            return "a header without an id"
        if self.seen_header:
            return "a second header"
        self.seen_header = True
        return "the header is not the first line" if entries else None
