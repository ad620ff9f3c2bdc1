"""One entry of a tree, light enough for tens of thousands of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from app.formats.entry_types import UNDISPLAYED
from app.formats.timestamps import parse_time

if TYPE_CHECKING:
    from app.formats.partial_entry import Usage
    from app.sessions.tree.row_text import RowText


class Node(Struct, eq=False, gc=False):
    """An entry: its type, its parent and children, and its place in the file.

    The garbage collector does not track entries, because visiting tens of thousands would block the screen.
    Their tree removes the links between them when it is deleted.

    index          its number among the entries, from 0
    id             as written; made up for version 1, and None if an entry of a newer file has none
    line           the number of its line, from 1
    offset, length the place of the line in the file, and its length, in bytes
    has_text       an answer with text, besides thinking and tool calls
    calls          the number of tool calls of an answer
    usage          the tokens and the cost that the entry gives; None if it gives none
    model          the model of that usage, as "provider/model"; "" if it is not known
    undisplayed    a message of an extension that is not shown to the user
    children       the oldest first
    part           the number of the entry in its line, which may have several (`Dialect.one_entry_a_line`)
    row_text       its row; None until `SessionTree.read_rows` has read it
    label          the label on this entry, raw
    orphan         its parent is not in the file, so that it is a root
    loop           it was its own ancestor; the loop was cut here
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
    stop_reason: str | None = None
    has_text: bool = False
    parent: Node | None = None
    children: list[Node] = []
    part: int = 0
    row_text: RowText | None = None
    label: str | None = None
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False
    undisplayed: bool = False
    calls: int = 0
    usage: Usage | None = None
    model: str = ""

    @property
    def shown_type(self) -> str:
        """The type, or `UNDISPLAYED`; it decides whether the entry is a part of the shown conversation."""
        return UNDISPLAYED if self.undisplayed else self.type

    @property
    def timestamp(self) -> int | None:
        """The entry's time in milliseconds since the epoch, UTC; None if it has none."""
        return parse_time(self.stamp)

    def __repr__(self) -> str:
        return f"Node({self.index}, {self.type}, id={self.id})"


def path_to(leaf: Node | None) -> list[Node]:
    """The entries from a root to `leaf`."""
    path = []
    while leaf is not None:
        path.append(leaf)
        leaf = leaf.parent
    path.reverse()
    return path
