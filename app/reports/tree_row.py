"""One row of the tree that `leafmark tree` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.cells import shorten, stable_width, width
from app.view.glyphs import ASCII, UNICODE, Glyphs
from app.view.line import Line, fit_line, line_width
from app.view.problems import unknown_type
from app.view.tree_layout import TreeRow
from app.view.tree_row import unread_text

if TYPE_CHECKING:
    # these load the decoder of entries, which no screen needs before its first session
    pass


FLAGS = (
    ("orphan", "its parent is not in the file"),
    ("loop", "its parents go round"),
    ("duplicate", "id used twice"),
)


def render_tree_row(
    row: TreeRow,
    cells: int,
    *,
    active: bool,
    leaf: bool,
    glyphs: Glyphs = UNICODE,
) -> Line:
    """A row of the tree in exactly ``cells`` cells. At least a third of it is left to its text.

    :param active: the entry is on the active path.
    :param leaf: the row is that of the leaf, or of its nearest shown ancestor.
    """
    node = row.node
    head: Line = [
        (" ", "text"),
        (glyphs.active if active else " ", "path"),
        (" ", "text"),
        *_branching(row, cells // 2, glyphs),
    ]
    row_text = node.row_text or unread_text(node)
    text_style = row_text.kind if row_text.kind in ("tool", "meta", "system", "error") else "text"
    prefix, body = stable_width(row_text.prefix), stable_width(row_text.text)
    if row_text.kind == "error":
        # without colours, nothing else distinguishes it from the assistant's text
        body = f"(error) {body}"
    left = cells - line_width(head)
    spare = left - min(width(prefix) + width(body), left // 3)
    tail = _tail(row, spare, leaf, glyphs)
    room = max(left - line_width(tail), 0)
    prefix = shorten(prefix, room)
    body = shorten(body, max(room - width(prefix), 0))
    text: Line = [(prefix, row_text.kind), (body, text_style)]
    return fit_line([*head, *text, *tail], cells)


def leaf_mark(glyphs: Glyphs) -> str:
    """The note on the row of the leaf."""
    return "<- active" if glyphs is ASCII else "← active"


def _tail(row: TreeRow, cells: int, leaf: bool, glyphs: Glyphs) -> Line:
    """The notes behind the text, in at most ``cells``. The label is shortened before the other notes."""
    node = row.node
    before: Line = [(f" ({row.hidden:,})", "count")] if row.folded else []
    after: Line = [(f" ! {text}", "warning") for flag, text in FLAGS if getattr(node, flag)]
    if unknown_type(node.type, node.role):
        after.append((" ! not known", "warning"))
    if row.another and not (node.orphan or node.loop):
        after.append((f" (another {row.another})", "dim"))
    if leaf:
        after.append((f" {leaf_mark(glyphs)}", "leaf"))
    tail = list(before)
    if node.label is not None:
        room = cells - line_width(before) - line_width(after) - len(" []")
        label = shorten(stable_width(one_line(node.label, 40)), max(room, 4))
        tail.append((f" [{label}]", "label"))
    tail += after
    return tail if line_width(tail) <= cells else fit_line(tail, cells)


def _branching(row: TreeRow, most: int, glyphs: Glyphs) -> Line:
    """The gutters, the connector and the mark of a fold. A deep row shows only its last levels, which leaves
    room for its text.
    """
    levels = row.gutters(max(0, most - 4) // 4)
    gutters = "".join(glyphs.bar + "   " if runs_past else "    " for runs_past in levels)
    if row.depth > len(levels):
        gutters = glyphs.ellipsis + " " + gutters
    mark = ""
    if row.connector:
        fold = (glyphs.closed if row.folded else glyphs.open) if row.foldable else glyphs.branch
        mark = (glyphs.elbow if row.last else glyphs.tee) + fold + " "
    elif row.folded or (row.foldable and row.beside):
        mark = (glyphs.closed if row.folded else glyphs.open) + " "
    return [(gutters + mark, "gutter")]
