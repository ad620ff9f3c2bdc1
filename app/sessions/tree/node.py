"""One entry of a tree, light enough for tens of thousands of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from app.formats.stamps import parse_time

if TYPE_CHECKING:
    from app.formats.one_line import OneLine


class Node(Struct, eq=False, gc=False):
    """An entry: what it is, where it hangs and where it lies in the file.

    The garbage collector does not look at entries: tens of thousands would hold up the screen each time.
    Their tree takes them off each other when it goes.

    index          its number among the entries, from 0
    id             as written; made up for version 1, and None where an entry of a newer file has none
    line           its line's number, from 1; `offset` and `length` are the line's bytes
    has_text       an answer that says something, and does not only think and call tools
    children       oldest first
    part           which entry of that line, where a line may hold several (lanes)
    said           its row; None until `SessionTree.read_rows` has read it
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
    stop_reason: str | None = None
    has_text: bool = False
    parent: Node | None = None
    children: list[Node] = []
    part: int = 0
    said: OneLine | None = None
    label: str | None = None
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False

    @property
    def timestamp(self) -> int | None:
        """The entry's time in milliseconds since the epoch, UTC; None where it has none."""
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
