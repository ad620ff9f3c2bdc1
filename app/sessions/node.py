"""One entry of a tree, light enough for tens of thousands of them (DESIGN "How data flows", 3)."""

from __future__ import annotations

from msgspec import Struct

from app.formats.stamps import parse_time

PREVIEW_LIMIT = 512


class Node(Struct, eq=False):
    """An entry: where it hangs, where it lies in the file, and what its row needs.

    index          its number among the entries, from 0
    id             as written; made up for version 1, and None where an entry of a newer file has none
    children       oldest first
    line           its line's number, from 1; `offset` and `length` are the line's bytes
    part           which entry of that line, where a line may hold several (lanes)
    preview        raw text of the entry, at most PREVIEW_LIMIT characters, not inert
    detail         one more raw word the row needs: a type of custom entry, a model, a level, a name, an id
    tool           the call a tool result answers: name, arguments as JSON (cut when they are long)
    label          the label on this entry, raw
    orphan         its parent is not in the file, so it stands as a root
    loop           its parents go round; the loop was cut here
    duplicate      another entry has the same id
    """

    index: int
    id: str | None
    parent_id: str | None
    type: str
    role: str | None
    line: int
    offset: int
    length: int
    stamp: int | float | str | None
    parent: Node | None = None
    children: list[Node] = []
    part: int = 0
    preview: str = ""
    detail: str | None = None
    tool: tuple[str, bytes] | None = None
    label: str | None = None
    has_text: bool = False
    stop_reason: str | None = None
    error_message: str | None = None
    tokens_before: float | None = None
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False

    @property
    def timestamp(self) -> int | None:
        """The entry's time in milliseconds since the epoch, UTC; None where it has none."""
        return parse_time(self.stamp)

    def __repr__(self) -> str:
        return f"Node({self.index}, {self.type}, id={self.id})"
