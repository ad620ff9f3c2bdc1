"""What the tree of a session looks like: its rows, of which the text is read when they come into sight; or a
message in place of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.message import Message

from app.view.ages import clock
from app.view.damaged_rows import render_damaged_row
from app.view.line import fit_line
from app.view.tree_row import ASCII, UNICODE, render_tree_row
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions.tree.tree import Node
    from app.view.line import Line
    from app.view.tree_search import TreeHits
    from app.view.tree_view import TreeView

# screens on either side of the one that is shown, of which the text of the rows is read too
AHEAD = 4


class TreeRows(LineList):
    """Draws the rows of a :class:`app.view.tree_view.TreeView`."""

    class RowsWanted(Message):
        """The rows of these entries are on the screen or near it and not read; the first are wanted first."""

        def __init__(self, nodes: list[Node]) -> None:
            self.nodes = nodes
            super().__init__()

    def __init__(
        self, *, now_ms: Callable[[], int] = lambda: 0, ascii_only: bool = False, id: str | None = None
    ) -> None:
        """:param now_ms: milliseconds since the epoch, beside which label times are told.
        :param ascii_only: draw with plain characters.
        """
        super().__init__(id=id)
        self.view: TreeView | None = None
        self.hits: TreeHits | None = None
        self.message = ""
        self.label_times = False
        self._now_ms = now_ms
        self._glyphs = ASCII if ascii_only else UNICODE
        # which row the leaf is
        self._leaf_row: int | None = None
        # somebody was asked for the text of rows
        self._asked = False

    @property
    def has_cursor(self) -> bool:
        return self.view is not None and not self.message

    # drawing

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if self.view is None or self.message:
            return fit_line([(" " + self.message, "dim")], cells)
        damaged = self.view.damaged(index)
        if damaged is not None:
            return render_damaged_row(damaged, cells, selected=selected, glyphs=self._glyphs)
        row = self.view.row(index)
        self._look_ahead(self.view, index, row.node)
        return render_tree_row(
            row,
            cells,
            selected=selected,
            active=row.node.index in self.view.active,
            leaf=index == self._leaf_row,
            glyphs=self._glyphs,
            words=self.hits.words if self.hits is not None else (),
            hit=self.hits is not None and self.hits.has(row.node),
            label_time=self._label_time(self.view, row.node),
        )

    def _label_time(self, view: TreeView, node: Node) -> str:
        given = view.tree.label_time(node) if self.label_times else None
        return "" if given is None else clock(given, self._now_ms())

    def row_region(self, node: Node) -> Region | None:
        """Where the row of an entry is on the screen; None when it is not in sight."""
        index = self.view.index_of(node) if self.view is not None else None
        inside = self.scrollable_content_region
        if index is None or self.view is None or self.view.node(index) is not node:
            return None
        y = index - self.scroll_offset.y
        return Region(inside.x, inside.y + y, inside.width, 1) if 0 <= y < inside.height else None

    # what rows say

    def _look_ahead(self, view: TreeView, index: int, node: Node) -> None:
        """Ask for the text of rows a screen before they come into sight."""
        if self._asked:
            return
        page = max(1, self.size.height)
        near = (node, view.node(index - page), view.node(index + page))
        if any(one is not None and one.said is None for one in near):
            self._asked = True
            self.call_later(self._ask, index)

    def _ask(self, index: int) -> None:
        view = self.view
        if view is None:
            return
        page = max(1, self.size.height)
        middle = min(self.scroll_offset.y + page // 2, view.count - 1)
        # The row that was drawn need not be near what is in sight; without it, it would be asked for again.
        nodes = (*view.nodes_around(middle, AHEAD * page), *view.nodes_around(index, page))
        wanted = list(dict.fromkeys(node for node in nodes if node.said is None))
        if wanted:
            self.post_message(self.RowsWanted(wanted))
        else:
            self.rows_read(more=False)

    def rows_read(self, *, more: bool) -> None:
        """The text of some rows is there now, and of more soon."""
        self._asked = more
        self._redraw_changed()
