"""What the background tells of the session under the cursor: its tree, its branches, an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.header import Fault
    from app.formats.parts import Part as EntryPart
    from app.sessions.tree.tree import Node
    from app.view.branch_table import BranchTable
    from app.view.document_line import DocumentLine
    from app.view.image_lines import Drawing
    from app.view.tree_view import TreeView


class TreeOpened(Message):
    """A session's tree was read, or the end of a long one: then the whole follows. ``again`` is true when the
    same session was read anew because it changed.
    """

    def __init__(self, generation: int, path: str, view: TreeView, again: bool) -> None:
        self.generation = generation
        self.path = path
        self.view = view
        self.again = again
        super().__init__()


class RowsRead(Message):
    """What some rows of the tree say was read; ``more`` when others of the same generation follow."""

    def __init__(self, generation: int, more: bool) -> None:
        self.generation = generation
        self.more = more
        super().__init__()


class TreeGrew(Message):
    """Entries were appended to the session whose tree is shown, or lines that are none (`faults`); `torn` is
    its unfinished last line.
    """

    def __init__(
        self,
        generation: int,
        nodes: list[Node],
        leaf: Node | None,
        faults: Sequence[Fault] = (),
        torn: Fault | None = None,
    ) -> None:
        self.generation = generation
        self.nodes = nodes
        self.leaf = leaf
        self.faults = faults
        self.torn = torn
        super().__init__()


class TreeFailed(Message):
    """A session could not be read."""

    def __init__(self, generation: int, path: str, reason: str) -> None:
        self.generation = generation
        self.path = path
        self.reason = reason
        super().__init__()


class BranchesRead(Message):
    """What the branches of the tree come to, and how many ``faults`` there are in it."""

    def __init__(self, generation: int, table: BranchTable, faults: int) -> None:
        self.generation = generation
        self.table = table
        self.faults = faults
        super().__init__()


class EntryRead(Message):
    """Lines of an entry; ``more`` when they come after those of the same generation that came before.
    ``parts`` are what the lines are made of, with the first of them.
    """

    def __init__(
        self, generation: int, lines: list[DocumentLine], more: bool, parts: Sequence[EntryPart] = ()
    ) -> None:
        self.generation = generation
        self.lines = lines
        self.more = more
        self.parts = parts
        super().__init__()


class ImageDecoded(Message):
    """An image of the entry whose lines came before can be drawn now, or has a problem."""

    def __init__(self, generation: int, drawing: Drawing) -> None:
        self.generation = generation
        self.drawing = drawing
        super().__init__()
