"""Move through the rows of a tree, count the hits of a search, and list the facts in the tree's border.

A segment is a sequence of rows from a root, or from a child of a branch point, to the next branch point; pi
uses the same word. The row of a damaged line stands alone: no row is above or below it.

A search hides nothing. Hits that the filter hides are counted separately.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from app.formats.utf8_text import fold
from app.keys import key_of
from app.view.formatting import counted
from app.view.tree_filter import filter_nodes, shows
from app.view.tree_layout import Segment
from app.view.tree_view import TreeOrder, TreeView

if TYPE_CHECKING:
    # this loads the decoder of entries, which no screen needs before its first session
    from app.sessions.tree.node import Node


def parent_row(view: TreeView, row: int) -> int | None:
    """The row of the parent of the entry in a row; None for a root."""
    if row >= view.count:
        return None
    segment = view.segment_at(row)
    if row > segment.start:
        return row - 1
    return None if segment.parent is None else _last(segment.parent)


def child_row(view: TreeView, row: int) -> int | None:
    """The row of the first child of the entry in a row; None if none is shown."""
    if row >= view.count:
        return None
    segment = view.segment_at(row)
    if row < _last(segment):
        return row + 1
    heir = _heir(view, segment)
    return None if heir is None else heir.start


def segment_above(view: TreeView, row: int) -> int:
    """The start of the segment; from there, the start of the segment that it branches from. It is pi's jump
    to the start.
    """
    if row >= view.count:
        return row
    segment = view.segment_at(row)
    if row > segment.start or segment.parent is None:
        return segment.start
    return segment.parent.start


def segment_below(view: TreeView, row: int) -> int:
    """The first row of the next branch below the segment, or the segment's end if there is none. It is pi's
    jump to the end.
    """
    if row >= view.count:
        return row
    segment = view.segment_at(row)
    heir = _heir(view, segment)
    return _last(segment) if heir is None else heir.start


def branch_point(view: TreeView, row: int, step: int) -> int | None:
    """The next branch point after a row (``step`` 1) or before it (-1)."""
    segments = view.segments
    number = view.segment_number(row)
    while 0 <= number < len(segments):
        last = _last(segments[number])
        if (last - row) * step > 0 and _heir(view, segments[number]) is not None:
            return last
        number += step
    return None


def turn(view: TreeView, row: int, step: int) -> int | None:
    """The next message of the user after a row (``step`` 1) or before it (-1)."""
    segments = view.segments
    number = view.segment_number(row)
    while 0 <= number < len(segments):
        segment = segments[number]
        rows = range(segment.start, segment.start + segment.rows)
        for candidate in rows if step > 0 else reversed(rows):
            node = segment.nodes[candidate - segment.start]
            if (candidate - row) * step > 0 and node.role == "user" and node.type == "message":
                return candidate
        number += step
    return None


def labelled(view: TreeView, node: Node | None, step: int) -> Node | None:
    """The next entry with a label after ``node`` (``step`` 1) or before it (-1), folded or not. Entries that
    the filter hides count only if it shows no label. Without a node, the search begins at the end.
    """
    order = view.order()
    places = sorted(
        place
        for target in view.tree.labels
        for place in (order.place(view.tree.by_id.get(target)),)
        if place >= 0
    )
    shown = [place for place in places if view.shows(order.nodes[place])] or places
    start = len(order.nodes) if node is None and step < 0 else order.place(node)
    ahead = [place for place in shown if (place - start) * step > 0]
    if not ahead:
        return None
    return order.nodes[ahead[0] if step > 0 else ahead[-1]]


def _last(segment: Segment) -> int:
    return segment.start + segment.rows - 1


def _heir(view: TreeView, segment: Segment) -> Segment | None:
    """The first shown branch below a segment; None if there is none, or if the segment is folded."""
    number = bisect_right(view.starts, segment.start)
    if number < len(view.segments) and view.segments[number].parent is segment:
        return view.segments[number]
    return None


def words_of(typed: str) -> tuple[str, ...]:
    """The folded words of a search, each once; a hit contains all of them."""
    return tuple(dict.fromkeys(fold(typed).split()))


class TreeHits:
    """The hits of a search: entries that contain all the ``words``. A thread finds them one after the other.

    done   whether every entry was searched
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.done = False
        self._found: dict[int, Node] = {}
        self._marks = bytearray()
        self._order: TreeOrder | None = None
        self._tree_filter = ""
        self._leaf: Node | None = None

    def add(self, nodes: Sequence[Node]) -> None:
        """Add hits; a known one is not counted twice."""
        fresh = [node for node in nodes if node.index not in self._found]
        self._found.update((node.index, node) for node in fresh)
        if self._order is not None:
            self._mark(fresh)

    def has(self, node: Node) -> bool:
        """Whether an entry is a hit."""
        return node.index in self._found

    def next(self, view: TreeView, node: Node | None, step: int) -> Node | None:
        """The next shown hit after an entry (``step`` 1) or before it (-1), in the order of the rows and
        round the end; None if there is none.
        """
        order = self._arranged(view)
        return order.after(order.place(node), self._marks, step)

    def first(self, view: TreeView, node: Node | None) -> Node | None:
        """The entry itself if it is a hit, else the next hit."""
        order = self._arranged(view)
        return order.after(order.place(node) - 1, self._marks, 1)

    def counted(self, view: TreeView, node: Node | None) -> tuple[int, int, int]:
        """The number of the entry among the shown hits (0 for none), the number of shown hits, and of hidden
        ones.
        """
        order = self._arranged(view)
        place = order.place(node)
        number = self._marks.count(1, 0, place + 1) if place >= 0 and self._marks[place] else 0
        shown = self._marks.count(1)
        return number, shown, len(self._found) - shown

    def summary(self, view: TreeView, node: Node | None) -> str:
        """The `counted` numbers in words: ``hit 3 of 17``, of all hits, as the row of the session counts
        them; and how many the filter leaves out.
        """
        number, shown, hidden = self.counted(view, node)
        if not (shown or hidden):
            return "nothing found" if self.done else "searching…"
        words = f"hit {number:,} of {shown + hidden:,}" if number else f"{shown + hidden:,} found"
        words += "" if self.done else "…"
        key = key_of("tree.hidden")
        return words + (f" · {hidden:,} not in this filter" + (f" ({key})" if key else "") if hidden else "")

    def _arranged(self, view: TreeView) -> TreeOrder:
        order = view.order()
        if order is not self._order or view.tree_filter != self._tree_filter or view.leaf is not self._leaf:
            self._order, self._tree_filter, self._leaf = order, view.tree_filter, view.leaf
            self._marks = bytearray(len(order.nodes))
            self._mark(self._found.values())
        return order

    def _mark(self, nodes: Iterable[Node]) -> None:
        order, marks = self._order, self._marks
        if order is None:
            return
        for node in filter_nodes(self._tree_filter, nodes, self._leaf):
            place = order.place(node)
            if place >= 0:
                marks[place] = 1


def hidden_entries(view: TreeView) -> str:
    """The number of entries that the filter of a tree hides, with the key that shows them; "" for none."""
    hidden, key = len(view.tree.entries) - view.shown, key_of("tree.hidden")
    return f"{hidden:,} hidden" + (f" ({key})" if key else "") if hidden else ""


def tree_facts(
    view: TreeView | None,
    node: Node | None,
    *,
    hits: TreeHits | None,
    came: int,
    label_times: bool,
    where: str,
    faults: int,
    has_hit: bool,
) -> str:
    """The facts in the tree's border. Facts that change with the keys come first, because a narrow border
    shows no more.

    :param node: the entry under the cursor.
    :param came: the number of entries that were added since the cursor left the leaf.
    :param where: the branch of the session's search hit.
    :param has_hit: a search of all sessions has a hit in this one.
    :param faults: the number of problems of the session that are known so far.
    """
    if view is None:
        return ""
    if not view.tree.is_whole:
        return "reading…"
    entries = len(view.tree.entries)
    hidden = entries - view.shown
    facts = [f"+{came:,} new"] if came else []
    if view.kept is not None and not shows(view.tree_filter, view.kept, view.leaf):
        facts.append("1 hidden entry shown" + (" for this hit" if has_hit else ""))
    if hits is not None:
        facts.append(hits.summary(view, node))
    filtered = (
        f"{view.tree_filter}: {hidden:,} hidden" if view.tree_filter != "default" else hidden_entries(view)
    )
    if view.tree_filter != "default":
        facts.append(filtered)
    if where:
        facts.append(f"found: {where}")
    facts.append(counted(entries, "entry", "entries"))
    damaged, faulty = len(view.tree.problems), []
    if faults > damaged:
        faulty.append(counted(faults, "fault"))
    if damaged:
        faulty.append(counted(damaged, "damaged line"))
    if faulty:
        facts.append(f"{', '.join(faulty)} (!)")
    if hidden and view.tree_filter == "default":
        facts.append(filtered)
    if label_times:
        facts.append("label times")
    return " · ".join(facts)
