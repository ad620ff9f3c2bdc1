"""Check the places of headers and title lines in a file (formats/README.md, "pi")."""

from __future__ import annotations

from msgspec import Struct

MORE_THAN_ENTRIES = frozenset(("session", "title", "label", "session_info"))
"""The types of lines that describe the session: headers, title lines, and entries with a meaning for it."""


class HeaderChecks(Struct, array_like=True):
    """The headers and title lines that were read so far. They are no entries."""

    seen_header: bool = False
    seen_title: bool = False

    def fault(self, kind: str | None, entry_id: str | None, entries: int) -> str | None:
        """Return what is wrong with a header or title line, None if nothing is.

        :param kind: the type of the line.
        :param entries: the number of entries before it.
        """
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
