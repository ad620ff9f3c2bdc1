"""One row of the entry tree as pieces of styled text."""

from __future__ import annotations

from app.formats.one_line import OneLine
from app.formats.text import one_line
from app.view.cells import shorten, steady, width
from app.view.line import fit_line, line_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.sessions.tree import Node
    from app.view.line import Line
    from app.view.tree_view import TreeRow


class Glyphs:
    """The characters that draw a tree, and their plain spellings."""

    __slots__ = ("active", "bar", "branch", "closed", "elbow", "ellipsis", "leaf", "open", "pointer", "tee")

    def __init__(self, ascii_only: bool) -> None:
        self.pointer = ">" if ascii_only else "❯"
        self.active = "*" if ascii_only else "•"
        self.bar = "|" if ascii_only else "│"
        self.tee = "|" if ascii_only else "├"
        self.elbow = "`" if ascii_only else "└"
        self.branch = "-" if ascii_only else "─"
        self.open = "-" if ascii_only else "⊟"
        self.closed = "+" if ascii_only else "⊞"
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
) -> Line:
    """A row of the tree in exactly ``cells`` cells.

    :param active: the entry is on the active path.
    :param leaf: the row stands for the leaf.
    """
    node = row.node
    head: Line = [
        (glyphs.pointer if selected else " ", "pointer"),
        (glyphs.active if active else " ", "path"),
        (" ", "text"),
        *_branching(row, cells // 2, glyphs),
    ]
    tail: Line = []
    if row.folded:
        tail.append((f" ({row.hidden:,})", "count"))
    if node.label is not None:
        tail.append((f" [{steady(one_line(node.label, 40))}]", "label"))
    for flag, text in FLAGS:
        if getattr(node, flag):
            tail.append((f" ! {text}", "warning"))
    if leaf:
        tail.append((f" {glyphs.leaf}", "leaf"))
    said = node.said or _unread(node)
    room = cells - line_width(head) - line_width(tail)
    prefix = shorten(steady(said.prefix), max(room, 0))
    body = shorten(steady(said.text), max(room - width(prefix), 0))
    text_style = said.kind if said.kind in ("tool", "meta", "system", "error") else "text"
    return fit_line([*head, (prefix, said.kind), (body, text_style), *tail], cells)


def _unread(node: Node) -> OneLine:
    """What a row says until its text has been read."""
    if node.role in ("user", "assistant"):
        return OneLine(node.role, f"{node.role}: ", "…")
    return OneLine("tool" if node.role == "toolResult" else "meta", "", "[…]")


def _branching(row: TreeRow, most: int, glyphs: Glyphs) -> Line:
    """Gutters, connector and fold mark; of a deep tree only the last levels, so that the text stays on the
    row.
    """
    levels, more = row.gutters(max(0, most - 4) // 4)
    gutters = "".join(glyphs.bar + "   " if runs_past else "    " for runs_past in levels)
    if more:
        gutters = glyphs.ellipsis + " " + gutters
    mark = ""
    if row.connector:
        fold = (glyphs.closed if row.folded else glyphs.open) if row.foldable else glyphs.branch
        mark = (glyphs.elbow if row.last else glyphs.tee) + fold + " "
    elif row.folded:
        mark = glyphs.closed + " "
    return [(gutters + mark, "gutter")]
