"""The places of the panes for a size of the terminal. The first frame and the screen both use them."""

from __future__ import annotations

from typing import NamedTuple

PANES = ("sessions", "tree", "entry")
WIDE = 120
"""Columns from which on three panes are shown."""
MEDIUM = 80
"""Columns from which on two panes are shown."""
HEADER = 1
FOOTER = 2
"""Lines of the bars above and below the panes."""


class Box(NamedTuple):
    """A pane's place in cells, border included."""

    x: int
    y: int
    width: int
    height: int


def place(
    columns: int, lines: int, focus: str = "sessions", folded: frozenset[str] = frozenset()
) -> dict[str, Box]:
    """The panes that are shown, and their boxes.

    :param focus: the focused pane; a narrow screen shows it and the pane that it belongs to.
    :param folded: panes that the user closed. The focused pane is never closed.
    """
    height = max(3, lines - HEADER - FOOTER)
    shown = [pane for pane in PANES if pane == focus or pane not in folded]
    if columns < MEDIUM:
        shown = [focus]
    elif columns < WIDE and len(shown) > 2:
        shown = ["tree", "entry"] if focus == "entry" else ["sessions", "tree"]
    if len(shown) == 1:
        return {shown[0]: Box(0, HEADER, columns, height)}
    left = max(36, columns * 42 // 100)
    if shown == ["tree", "entry"]:
        upper = max(3, height // 2)
        return {
            "tree": Box(0, HEADER, columns, upper),
            "entry": Box(0, HEADER + upper, columns, height - upper),
        }
    boxes = {"sessions": Box(0, HEADER, left, height)}
    right = shown[1:]
    if len(right) == 1:
        boxes[right[0]] = Box(left, HEADER, columns - left, height)
        return boxes
    upper = max(3, height * 11 // 20)
    boxes["tree"] = Box(left, HEADER, columns - left, upper)
    boxes["entry"] = Box(left, HEADER + upper, columns - left, height - upper)
    return boxes


def joined(boxes: dict[str, Box], name: str) -> dict[str, Box]:
    """The boxes with one pane, ``name``, in place of the tree and the entry."""
    right = [box for pane, box in boxes.items() if pane != PANES[0]]
    left = {pane: box for pane, box in boxes.items() if pane == PANES[0]}
    if not right:
        return left
    x, y = min(box.x for box in right), min(box.y for box in right)
    width, height = max(box.x + box.width for box in right) - x, max(box.y + box.height for box in right) - y
    return {**left, name: Box(x, y, width, height)}


SELECTOR_PANES = ("sessions", "preview")
BESIDE_FROM = 100
"""Columns from which on the preview is beside the list."""
BELOW_FROM = 16
"""Lines from which on the preview is below the list."""


def place_selector(columns: int, lines: int) -> dict[str, Box]:
    """The panes of the selector: the preview is beside the list, below it on a narrow screen, and left out on
    a small one.
    """
    height = max(3, lines - HEADER - FOOTER)
    if columns >= BESIDE_FROM:
        left = columns * 48 // 100
        return {
            "sessions": Box(0, HEADER, left, height),
            "preview": Box(left, HEADER, columns - left, height),
        }
    if lines < BELOW_FROM:
        return {"sessions": Box(0, HEADER, columns, height)}
    upper = height * 11 // 20
    return {
        "sessions": Box(0, HEADER, columns, upper),
        "preview": Box(0, HEADER + upper, columns, height - upper),
    }
