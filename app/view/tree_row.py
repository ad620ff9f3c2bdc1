"""One row of the entry tree as pieces of styled text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.sessions.tree.row_text import RowText
from app.view.cells import shorten, stable_width, width
from app.view.line import Line, fit_line, highlight_line, line_width
from app.view.problems import DamagedLine, unknown_type
from app.view.tree_layout import TreeRow

if TYPE_CHECKING:
    # these load the decoder of entries, which no screen needs before its first session
    from app.sessions.tree.node import Node


class Glyphs:
    """The characters that draw a tree, in Unicode or in ASCII."""

    __slots__ = (
        "active",
        "bar",
        "branch",
        "closed",
        "elbow",
        "ellipsis",
        "hit",
        "leaf",
        "open",
        "pointer",
        "tee",
    )

    def __init__(self, ascii_only: bool) -> None:
        self.pointer = ">" if ascii_only else "❯"
        self.active = "*" if ascii_only else "•"
        self.bar = "|" if ascii_only else "│"
        self.tee = "|" if ascii_only else "├"
        self.elbow = "`" if ascii_only else "└"
        self.branch = "-" if ascii_only else "─"
        self.open = "=" if ascii_only else "⊟"
        self.closed = "+" if ascii_only else "⊞"
        self.hit = "/"
        self.leaf = "<- active" if ascii_only else "← active"
        self.ellipsis = "~" if ascii_only else "…"


UNICODE = Glyphs(ascii_only=False)
ASCII = Glyphs(ascii_only=True)
FLAGS = (
    ("orphan", "its parent is not in the file"),
    ("loop", "its parents go round"),
    ("duplicate", "id used twice"),
)


def render_tree_row(
    row: TreeRow,
    cells: int,
    *,
    selected: bool,
    active: bool,
    leaf: bool,
    glyphs: Glyphs = UNICODE,
    words: Sequence[str] = (),
    hit: bool = False,
    label_time: str = "",
) -> Line:
    """A row of the tree in exactly ``cells`` cells. At least a third of it is left to its text.

    :param active: the entry is on the active path.
    :param leaf: the row is that of the leaf, or of its nearest shown ancestor.
    :param words: the folded words of the search, which are highlighted; ``hit``: the entry contains all of
        them.
    :param label_time: the time of the label.
    """
    node = row.node
    head: Line = [
        (glyphs.pointer if selected else " ", "pointer"),
        (glyphs.active if active else " ", "path"),
        (glyphs.hit if hit else " ", "match" if hit else "text"),
        *_branching(row, cells // 2, glyphs),
    ]
    row_text = node.row_text or _unread(node)
    text_style = row_text.kind if row_text.kind in ("tool", "meta", "system", "error") else "text"
    prefix, body = stable_width(row_text.prefix), stable_width(row_text.text)
    if row_text.kind == "error":
        # without colours, nothing else distinguishes it from the assistant's text
        body = f"(error) {body}"
    left = cells - line_width(head)
    spare = left - min(width(prefix) + width(body), left // 3)
    tail = _tail(row, spare, leaf, label_time, glyphs)
    room = max(left - line_width(tail), 0)
    prefix = shorten(prefix, room)
    body = shorten(body, max(room - width(prefix), 0))
    text: Line = [(prefix, row_text.kind), (body, text_style)]
    return fit_line([*head, *(highlight_line(text, words) if words else text), *tail], cells)


def render_damaged_row(line: DamagedLine, cells: int, *, selected: bool, glyphs: Glyphs) -> Line:
    """The row of a damaged line in exactly `cells` cells, at the level of the roots."""
    head: Line = [(glyphs.pointer if selected else " ", "pointer"), ("  ", "text")]
    room = max(cells - line_width(head), 0)
    text = shorten(stable_width(f"! {line.place}: {line.reason}"), room)
    return fit_line([*head, (text, "warning" if line.torn else "error")], cells)


def _tail(row: TreeRow, cells: int, leaf: bool, label_time: str, glyphs: Glyphs) -> Line:
    """The notes behind the text, in at most ``cells``. The label is shortened before the other notes."""
    node = row.node
    before: Line = [(f" ({row.hidden:,})", "count")] if row.folded else []
    after: Line = [(f" ! {text}", "warning") for flag, text in FLAGS if getattr(node, flag)]
    if unknown_type(node.type, node.role):
        after.append((" ! not known", "warning"))
    if row.another and not (node.orphan or node.loop):
        after.append((f" (another {row.another})", "dim"))
    if leaf:
        after.append((f" {glyphs.leaf}", "leaf"))
    tail = list(before)
    if node.label is not None:
        room = cells - line_width(before) - line_width(after) - len(" []")
        label = shorten(stable_width(one_line(node.label, 40)), max(room, 4))
        tail.append((f" [{label}]", "label"))
        if label_time and width(label_time) + 1 <= room - width(label):
            tail.append((f" {label_time}", "dim"))
    tail += after
    return tail if line_width(tail) <= cells else fit_line(tail, cells)


def _unread(node: Node) -> RowText:
    """The text of a row until its entry has been read."""
    if node.role in ("user", "assistant"):
        return RowText(node.role, f"{node.role}: ", "…")
    return RowText("tool" if node.role == "toolResult" else "meta", "", "[…]")


def _branching(row: TreeRow, most: int, glyphs: Glyphs) -> Line:
    """The gutters, the connector and the mark of a fold. A deep row shows only its last levels, which leaves
    room for its text.
    """
    levels, more = row.gutters(max(0, most - 4) // 4)
    gutters = "".join(glyphs.bar + "   " if runs_past else "    " for runs_past in levels)
    if more:
        gutters = glyphs.ellipsis + " " + gutters
    mark = ""
    if row.connector:
        fold = (glyphs.closed if row.folded else glyphs.open) if row.foldable else glyphs.branch
        mark = (glyphs.elbow if row.last else glyphs.tee) + fold + " "
    elif row.folded or (row.foldable and row.beside):
        mark = (glyphs.closed if row.folded else glyphs.open) + " "
    return [(gutters + mark, "gutter")]
