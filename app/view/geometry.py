"""The places of the panes for a size of the terminal. The first frame and the screen both use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

PANES = ("sessions", "tree", "transcript")
BESIDE_FROM = 110
"""Columns from which on the list stands beside the other panes of the browser; on a narrower screen it stands
above them.
"""
COLUMNS_FROM = 160
"""Columns from which on list, tree and transcript stand side by side."""
STACKED_FROM = (50, 18)
"""Columns and lines from which on two panes stand one above the other; a smaller screen has one pane."""
TALL_FROM = 30
"""Lines from which on there are a header and a closing rule."""
SMALLEST = (20, 8)
"""Columns and lines of the smallest screen with panes."""
HEADS_FROM = 8
"""Lines of the list's pane, its rule among them, from which on it has a line with the heads of columns."""
FOOTER = 2
"""Lines of the bars below the panes: the status line and the keys."""
LEAST_COLUMNS = 20
LEAST_LINES = 3
"""The smallest size to which a pane can be dragged."""
COLUMNS_STEP = 4
"""Columns by which a key moves the divider."""
_LIST_OF_WIDE, _LIST_OF_MEDIUM, _WIDE = 400, 440, 140
_TREE, _LIST_ABOVE = 400, 460
_LIST_OF_THREE, _TREE_OF_THREE = 280, 300


class Box(NamedTuple):
    """A pane's place in cells. Its first line is the rule."""

    x: int
    y: int
    width: int
    height: int


class Sizes(NamedTuple):
    """The sizes that the user has chosen, in thousandths of the room; 0 for the usual size.

    left    the width of the list beside the other panes; ``first``: beside two columns of them
    middle  the width of the tree between list and transcript
    upper   the height of the tree above the transcript
    list    the height of the list above another pane
    hidden  panes that are closed
    """

    left: int = 0
    first: int = 0
    middle: int = 0
    upper: int = 0
    list: int = 0
    hidden: tuple[str, ...] = ("tree",)


USUAL = Sizes()


class PaneLayout(NamedTuple):
    """The places of all that is on the screen.

    boxes    the panes that are shown
    divider  the column between the list and the panes beside it; -1 without one
    header   whether there is a header
    closing  whether there is a closing rule below the panes
    second   the column between tree and transcript; -1 without one
    """

    boxes: dict[str, Box]
    divider: int
    header: bool
    closing: bool
    second: int = -1

    @property
    def top(self) -> int:
        """The line of the first rule."""
        return 1 if self.header else 0


def is_too_small(columns: int, lines: int) -> bool:
    """Whether there is no room for a pane."""
    return columns < SMALLEST[0] or lines < SMALLEST[1]


def place(
    columns: int,
    lines: int,
    focus: str = "sessions",
    sizes: Sizes = USUAL,
    zoomed: bool = False,
) -> PaneLayout:
    """The places in the browser.

    :param focus: the focused pane, which is never closed; a narrow screen shows it with one other pane.
    :param zoomed: show only the focused pane.
    """
    is_tall = lines >= TALL_FROM
    top = 1 if is_tall else 0
    height = max(2, lines - top - FOOTER - is_tall)
    shown = [pane for pane in PANES if pane == focus or pane not in sizes.hidden]
    if zoomed or columns < STACKED_FROM[0] or lines < STACKED_FROM[1]:
        shown = [focus]
    elif columns < BESIDE_FROM and len(shown) > 2:
        shown = [PANES[0], "tree" if focus == PANES[0] else focus]
    boxes: dict[str, Box] = {}
    divider, second, x = -1, -1, 0
    has_columns = len(shown) == 3 and columns >= COLUMNS_FROM
    if columns >= BESIDE_FROM and len(shown) > 1 and shown[0] == PANES[0]:
        share = sizes.first or _LIST_OF_THREE if has_columns else sizes.left or _left(columns)
        left = _part(columns, share, LEAST_COLUMNS)
        boxes[PANES[0]] = Box(0, top, left, height)
        divider, x = left, left + 1
        shown = shown[1:]
    if len(shown) == 1:
        boxes[shown[0]] = Box(x, top, columns - x, height)
    elif has_columns:
        width = _part(columns - x, sizes.middle or _TREE_OF_THREE, LEAST_COLUMNS, columns)
        second = x + width
        boxes["tree"] = Box(x, top, width, height)
        boxes["transcript"] = Box(second + 1, top, columns - second - 1, height)
    else:
        is_list = shown[0] == PANES[0]
        share = sizes.list or _LIST_ABOVE if is_list else sizes.upper or _TREE
        upper = _part(height, share, LEAST_LINES)
        boxes[shown[0]] = Box(x, top, columns - x, upper)
        boxes[shown[1]] = Box(x, top + upper, columns - x, height - upper)
    return PaneLayout(boxes, divider, is_tall, is_tall, second)


def has_heads(height: int) -> bool:
    """Whether a list's pane of this height has a line with the heads of the columns."""
    return height >= HEADS_FROM


def _left(columns: int) -> int:
    return _LIST_OF_MEDIUM if columns < _WIDE else _LIST_OF_WIDE


def _part(cells: int, share: int, least: int, whole: int = 0) -> int:
    """A part of the cells that leaves both parts their least size.

    :param share: of the cells, or of the ``whole``.
    """
    return max(min(least, cells // 2), min((whole or cells) * share // 1000, cells - least))


def share_of(part: int, cells: int) -> int:
    """A part of the cells in thousandths, for `Sizes`."""
    return max(1, min(999, -(-part * 1000 // max(1, cells))))


class Moved(NamedTuple):
    """The panes after a border between them was moved.

    size    the cells of the panes before the border
    hidden  the panes that are closed now
    """

    size: int
    hidden: tuple[str, ...]


def move_border(
    size: int, room: int, least: int, step: int, before: tuple[str, ...], after: tuple[str, ...]
) -> Moved:
    """Move the border between some panes. The panes on one side close if it comes near their edge.

    :param size: the cells of the panes ``before`` the border that are wanted.
    :param room: the cells of the panes on both sides.
    :param least: the smallest size of a pane.
    :param step: by how many cells less than that the panes close.
    """
    if size <= least - step:
        return Moved(least, before)
    if size >= room - least + step:
        return Moved(room - least, after)
    return Moved(max(least, min(size, room - least)), ())


def with_divider(sizes: Sizes, columns: int, places: PaneLayout, screen_columns: int) -> Sizes:
    """The sizes after the divider between the list and the panes beside it was moved.

    :param columns: the wanted columns of the list.
    """
    room = places.second if places.second >= 0 else screen_columns
    others = ("tree",) if places.second >= 0 else PANES[1:]
    moved = move_border(columns, room, LEAST_COLUMNS, COLUMNS_STEP, PANES[:1], others)
    share = share_of(moved.size, screen_columns)
    changed = sizes._replace(left=share)
    if places.second >= 0:
        # The transcript keeps its width.
        middle = share_of(places.second - moved.size - 1, screen_columns)
        changed = sizes._replace(first=share, middle=middle)
    return _closed(changed, moved.hidden)


def with_second(sizes: Sizes, column: int, places: PaneLayout, screen_columns: int) -> Sizes:
    """The sizes after the column between tree and transcript was moved.

    :param column: its wanted column on the screen.
    """
    x = places.boxes["tree"].x
    moved = move_border(
        column - x, screen_columns - x, LEAST_COLUMNS, COLUMNS_STEP, ("tree",), ("transcript",)
    )
    return _closed(sizes._replace(middle=share_of(moved.size, screen_columns)), moved.hidden)


def with_rule(sizes: Sizes, places: PaneLayout, lower: str, y: int) -> Sizes | None:
    """The sizes after the rule above the pane `lower` was moved; None if no pane is above it.

    :param y: the wanted line of the rule on the screen.
    """
    boxes, x = places.boxes, places.boxes[lower].x
    upper = next((pane for pane, box in boxes.items() if box[:2] == (x, places.top)), lower)
    if upper == lower:
        return None
    room = boxes[upper].height + boxes[lower].height
    # A pane in place of others cannot be closed.
    after = (lower,) if lower in PANES else ()
    moved = move_border(y - places.top, room, LEAST_LINES, 1, (upper,), after)
    share = share_of(moved.size, room)
    changed = sizes._replace(list=share) if upper == "sessions" else sizes._replace(upper=share)
    return _closed(changed, moved.hidden)


def _closed(sizes: Sizes, panes: tuple[str, ...]) -> Sizes:
    """The sizes with these panes closed as well."""
    return sizes._replace(hidden=tuple(dict.fromkeys((*sizes.hidden, *panes))))


def joined(boxes: dict[str, Box], name: str) -> dict[str, Box]:
    """The boxes with one pane, ``name``, in place of the tree and the transcript."""
    right = [box for pane, box in boxes.items() if pane != PANES[0]]
    left = {pane: box for pane, box in boxes.items() if pane == PANES[0]}
    if not right:
        return left
    x, y = min(box.x for box in right), min(box.y for box in right)
    width, height = max(box.x + box.width for box in right) - x, max(box.y + box.height for box in right) - y
    return {**left, name: Box(x, y, width, height)}


_SELECTOR_BESIDE_FROM = 100
"""Columns from which on the preview is beside the list."""
_BELOW_FROM = 16
"""Lines from which on the preview is below the list."""


def place_selector(columns: int, lines: int) -> PaneLayout:
    """The places in the selector: the preview is beside the list, below it on a narrow screen, and left out
    on a small one.
    """
    is_tall = lines >= TALL_FROM
    height = max(2, lines - FOOTER - is_tall)
    boxes, divider = {"sessions": Box(0, 0, columns, height)}, -1
    if columns >= _SELECTOR_BESIDE_FROM:
        divider = columns // 2
        right = columns - divider - 1
        boxes = {"sessions": Box(0, 0, divider, height), "preview": Box(divider + 1, 0, right, height)}
    elif lines >= _BELOW_FROM:
        upper = height // 2
        boxes = {"sessions": Box(0, 0, columns, upper), "preview": Box(0, upper, columns, height - upper)}
    return PaneLayout(boxes, divider, header=False, closing=is_tall)


def saved_sizes(sizes: Sizes) -> dict[str, str]:
    """The values that the next run begins with, for `app.paths.write_screen`; `initial_sizes` reads them."""
    numbers = {f"pane-{name}": str(getattr(sizes, name)) for name in _NUMBERS}
    return numbers | {_CLOSED: ",".join(sizes.hidden)}


def initial_sizes(last: Mapping[str, str]) -> Sizes:
    """The sizes that a run begins with. Values that are none are ignored.

    :param last: the values that the last run stored.
    """
    values: dict[str, Any] = {}
    for name in _NUMBERS:
        text = last.get(f"pane-{name}", "")
        values[name] = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if _CLOSED not in last:
        return Sizes(**values)
    named = last[_CLOSED].split(",")
    # The list has the focus at first.
    hidden = tuple(pane for pane in PANES[1:] if pane in named)
    return Sizes(**values, hidden=hidden)


_NUMBERS = ("left", "first", "middle", "upper", "list")
_CLOSED = "panes-closed"
