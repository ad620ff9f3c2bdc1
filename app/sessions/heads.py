"""Which headers and title lines are where they should be (FORMATS 1.1, 1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from app.formats.skim import Skim


class Heads(Struct):
    """The headers and title lines met so far. None of them is an entry."""

    seen_header: bool = False
    seen_title: bool = False

    def fault(self, skim: Skim, entries: int) -> str | None:
        """What is wrong with the header or title line `skim`, which `entries` entries precede."""
        if skim.type == "title":
            misplaced = self.seen_header or self.seen_title or entries > 0
            self.seen_title = True
            return "a title line that is not the first line" if misplaced else None
        if skim.id is None:
            return "a header without an id"
        if self.seen_header:
            return "a second header"
        self.seen_header = True
        return "the header is not the first line" if entries else None
