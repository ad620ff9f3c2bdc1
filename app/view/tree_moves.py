"""Where the keys of the tree lead, by rows.

A segment is what pi calls the rows from a root, or from a child of a branch point, to the next branch point:
a stretch. A row behind the last entry's, of a line that is none, stands alone: nothing is above or below it.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.sessions.tree.tree import Node
    from app.view.segments import Stretch
    from app.view.tree_view import TreeView


def parent_row(view: TreeView, at: int) -> int | None:
    """The row of the entry that the one in row ``at`` hangs on; None for a root."""
    if at >= view.count:
        return None
    stretch = view.stretch_at(at)
    if at > stretch.start:
        return at - 1
    return None if stretch.parent is None else _last(stretch.parent)


def child_row(view: TreeView, at: int) -> int | None:
    """The row of the first entry that hangs on the one in row ``at``; None where none is on the screen."""
    if at >= view.count:
        return None
    stretch = view.stretch_at(at)
    if at < _last(stretch):
        return at + 1
    heir = _heir(view, stretch)
    return None if heir is None else heir.start


def segment_above(view: TreeView, at: int) -> int:
    """As pi's jump to the segment's start: from there to the start of the segment that it branches from."""
    if at >= view.count:
        return at
    stretch = view.stretch_at(at)
    if at > stretch.start or stretch.parent is None:
        return stretch.start
    return stretch.parent.start


def segment_below(view: TreeView, at: int) -> int:
    """As pi's jump to the segment's end: the first row of the next branch that goes on from here, or the end
    where none does.
    """
    if at >= view.count:
        return at
    stretch = view.stretch_at(at)
    heir = _heir(view, stretch)
    return _last(stretch) if heir is None else heir.start


def branch_point(view: TreeView, at: int, step: int) -> int | None:
    """The next row on which several branches hang, behind row ``at`` (``step`` 1) or before it (-1)."""
    stretches = view.stretches
    number = view.number_of_stretch(at)
    while 0 <= number < len(stretches):
        row = _last(stretches[number])
        if (row - at) * step > 0 and _heir(view, stretches[number]) is not None:
            return row
        number += step
    return None


def turn(view: TreeView, at: int, step: int) -> int | None:
    """The next row with a message of the user, behind row ``at`` (``step`` 1) or before it (-1)."""
    stretches = view.stretches
    number = view.number_of_stretch(at)
    while 0 <= number < len(stretches):
        stretch = stretches[number]
        rows = range(stretch.start, stretch.start + stretch.rows)
        for row in rows if step > 0 else reversed(rows):
            node = stretch.nodes[row - stretch.start]
            if (row - at) * step > 0 and node.role == "user" and node.type == "message":
                return row
        number += step
    return None


def labelled(view: TreeView, node: Node | None, step: int) -> Node | None:
    """The next entry with a label behind ``node`` (``step`` 1) or before it (-1), folded or not; one that the
    filter hides counts only where it shows none. Where the cursor is on none it is behind all of them.
    """
    order = view.order()
    places = sorted(
        place
        for target in view.tree.labels
        for place in (order.place(view.tree.by_id.get(target)),)
        if place >= 0
    )
    shown = [place for place in places if view.shows(order.nodes[place])] or places
    at = len(order.nodes) if node is None and step < 0 else order.place(node)
    ahead = [place for place in shown if (place - at) * step > 0]
    if not ahead:
        return None
    return order.nodes[ahead[0] if step > 0 else ahead[-1]]


def _last(stretch: Stretch) -> int:
    return stretch.start + stretch.rows - 1


def _heir(view: TreeView, stretch: Stretch) -> Stretch | None:
    """The first of the branches that go on from the end of a stretch; a folded one shows none."""
    number = bisect_right(view.starts, stretch.start)
    if number < len(view.stretches) and view.stretches[number].parent is stretch:
        return view.stretches[number]
    return None
