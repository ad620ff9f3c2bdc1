"""One row of the entry tree on the screen: cursor, active path, gutter, mark of the role, text, label.

A mark stands for the role: `›` is a prompt, `▾` one whose turn is unfolded, `·` a tool call, `≡` a summary,
`×` a failed answer; other answers and bookkeeping have none. `formats/README.md` lists the roles. A prompt
has its time, and without the rows of its turn the number of tool calls and the last line of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.sessions.tree.row_text import RowText
from app.view.cells import shorten, stable_width, width
from app.view.formatting import counted
from app.view.glyphs import UNICODE, Glyphs
from app.view.line import Line, Ranges, Span, fit_line, highlight_line, line_width, mark_pieces
from app.view.line import excerpt as excerpt_of
from app.view.problems import DamagedLine, unknown_type
from app.view.tree_layout import TreeRow

if TYPE_CHECKING:
    # This module loads the decoder of entries, which no screen needs before its first session.
    from app.sessions.tree.node import Node
    from app.view.tree_view import TurnSummary

FLAGS = (
    ("orphan", "its parent is not in the file"),
    ("loop", "its parents go round"),
    ("duplicate", "id used twice"),
)
"""Problems of an entry, with the words that a row says."""
LEGEND = (
    "› prompt  ▾ unfolded turn  · tool call  ≡ summary  × error or aborted  • active path"
    "  ← leaf (the agent goes on from here)  ◆ label  ⊟ open branch  ⊞ folded branch  / hit"
    "  ‹12 levels that are not drawn"
)
_MARKS = re.compile(r"^#{1,6} |^``` | ```(?= |$)|```[\w+-]+(?: |$)|`([^`]+)`|\*\*(?=\S)([^*]+)(?<=\S)\*\*")
"""A heading's mark, the ends of a block of code, code, and strong text in Markdown."""
MOST_LEVELS = 8
"""Levels of the gutter that are drawn. A deeper row shows the nearest levels and the number of all."""
NEAREST_LEVELS = 6
_TIME_FROM = 44
"""Cells of a row from which on a prompt has its time."""
_ANSWER_FROM = 44
"""Cells beside the gutter from which on a prompt has the last line of its answer."""
_TOOLS_CELLS = len("  99 tools")
_TEXT_FROM = 20
"""Cells that the text of a prompt keeps beside the number of its tool calls."""


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
    excerpt: tuple[str, Ranges] | None = None,
    label_time: str = "",
    note: str = "",
    time: str = "",
    turn: TurnSummary | None = None,
    open_turn: bool = False,
) -> Line:
    """A row of the tree in exactly ``cells`` cells. At least a third of it is left to its text.

    :param active: the entry is on the active path.
    :param leaf: the row is that of the leaf, or of its nearest shown ancestor.
    :param words: the folded words of the search, which are highlighted; ``hit``: the entry contains all of
        them.
    :param excerpt: the text of the entry around a hit, inert, and the ranges of the matches in it. It is
        shown in place of a text in which no match is seen.
    :param label_time: the time of the label.
    :param note: a remark about the entry, which is shown before the mark of the leaf if there is room.
    :param time: the time of a prompt.
    :param turn: the entries of a prompt that have no rows; None for an entry that is no prompt, and for a
        prompt whose turn is unfolded.
    :param open_turn: the entry is a prompt whose turn is unfolded.
    """
    node = row.node
    head: Line = [
        (glyphs.pointer if selected else " ", "pointer"),
        (glyphs.active if active else " ", "path"),
        (glyphs.hit if hit else " ", "marked" if hit else "text"),
        *_gutter(row, cells // 2, glyphs),
    ]
    body = row_body(node.row_text or unread_text(node), active, glyphs)
    if open_turn:
        body[0] = (f"{glyphs.open_turn} ", "user")
    if time and cells >= _TIME_FROM:
        head.append((f"{time} ", "dim"))
    left = cells - line_width(head)
    spare = max(0, left - min(line_width(body), left // 3))
    notes = problem_notes(row)
    labels = [
        label for label in (node.label, *(turn.labels if turn is not None else ())) if label is not None
    ]
    right = _right_end(row, labels, leaf, label_time, spare - line_width(notes), glyphs)
    if note and line_width(notes) + line_width(right) + width(note) + 1 <= left * 2 // 3:
        right = [(f" {note}", "dim"), *right]
    if line_width(notes) + line_width(right) > spare:
        notes, right = fit_line([*notes, *right], spare), []
    room = max(left - line_width(notes) - line_width(right), 0)
    below: Line = []
    if turn is not None and not row.folded and (turn.tools or turn.answer is not None):
        # the middle of the row is the same for all levels
        middle_of_row = max(cells // 2 - line_width(head), left // 3)
        has_answers = left >= _ANSWER_FROM and room - middle_of_row >= _TOOLS_CELLS
        least = min(line_width(body), _TEXT_FROM)
        below = _turn_line(turn, room, middle_of_row if has_answers else 0, least, active, glyphs)
    room -= line_width(below)
    text = _shortened(body, room)
    if words:
        text = highlight_line(text, words)
    if excerpt is not None and all(style != "match" for _, style in text):
        text = _excerpt(body[0], *excerpt, room)
    gap = (" " * max(0, room - line_width(text)), "text")
    middle = [*notes, gap] if not below else [gap, *below, *notes]
    return fit_line([*head, *text, *middle, *right], cells)


def _turn_line(turn: TurnSummary, room: int, begin: int, least: int, active: bool, glyphs: Glyphs) -> Line:
    """The number of tool calls, and the last line of the answer.

    :param room: cells for it and the text of the prompt.
    :param begin: the cells of the text before both; 0 if there is no room for an answer.
    :param least: the cells of the text beside the number alone.
    """
    tools = counted(turn.tools, "tool") if turn.tools else ""
    if not begin:
        return [(f"  {tools}", "dim")] if tools and room >= least + width(tools) + 2 else []
    room -= begin
    line: Line = [(f"  {tools:<{_TOOLS_CELLS - 2}}", "dim")]
    if turn.answer is not None:
        answer = turn.answer.row_text or unread_text(turn.answer)
        line += row_body(answer._replace(text=answer.last or answer.text), active, glyphs)
    shown = _shortened(line, room)
    return [*shown, (" " * (room - line_width(shown)), "text")]


def render_damaged_row(line: DamagedLine, cells: int, *, selected: bool, glyphs: Glyphs) -> Line:
    """The row of a damaged line in exactly `cells` cells, at the level of the roots."""
    head: Line = [(glyphs.pointer if selected else " ", "pointer"), ("  ", "text")]
    room = max(cells - line_width(head), 0)
    text = shorten(stable_width(f"! {line.place}: {line.reason}"), room)
    return fit_line([*head, (text, "warning" if line.torn else "error")], cells)


def row_body(row_text: RowText, active: bool, glyphs: Glyphs) -> Line:
    """The mark of the role and the text of an entry.

    :param active: the entry is on the active path; other entries are dim.
    """
    kind, text = row_text.kind, stable_width(row_text.text)
    if kind == "user":
        return [(f"{glyphs.prompt} ", "user"), (text, "strong" if active else "dim")]
    if kind == "error":
        return [(f"{glyphs.failed} ", "error"), (f"error: {text}", "error")]
    if kind == "assistant":
        text = without_marks(text)
    if row_text.failed:
        return [(f"{glyphs.failed} ", "error"), (f"{row_text.failed}: {text}".removesuffix(": "), "error")]
    if kind == "assistant":
        return [("  ", "text"), (text, "text" if active else "dim")]
    if kind in ("tool", "bash"):
        name, arguments = _call(row_text)
        return [(f"{glyphs.tool} ", "dim"), (stable_width(name), "call"), (stable_width(arguments), "dim")]
    if kind in ("summary", "compaction"):
        return [(f"{glyphs.summary} ", "summary"), (_sentence(row_text), "summary" if active else "dim")]
    prefix = stable_width(row_text.prefix)
    return [("  ", "text"), (prefix, kind), (text, kind if kind in ("meta", "system") else "text")]


def without_marks(text: str) -> str:
    """One line of Markdown without the marks of headings, code and strong text."""
    return _MARKS.sub(lambda match: match[1] or match[2] or "", text)


def _call(row_text: RowText) -> tuple[str, str]:
    """The name of a tool, and a blank with its arguments."""
    if row_text.prefix:
        return row_text.prefix.strip("[]: "), f" {row_text.text}"
    text = row_text.text
    if text.startswith("["):
        text = text[1:].removesuffix("]")  # a long one is cut before its end
    name, colon, arguments = text.partition(": ")
    return name, f" {arguments}" if colon else ""


def _sentence(row_text: RowText) -> str:
    """`[branch summary]: text` as `Branch summary: text`."""
    head = stable_width(row_text.prefix).strip("[]: ")
    text = stable_width(row_text.text)
    sentence = head[:1].upper() + head[1:]
    return f"{sentence}: {text}" if text else sentence


def _excerpt(mark: Span, text: str, ranges: Ranges, room: int) -> Line:
    """The mark of the role, and as much of the text around the hit as there is room for."""
    shown, places = excerpt_of(text, ranges, max(0, room - width(mark[0])))
    return _shortened([mark, *mark_pieces(shown, places)], room)


def _shortened(body: Line, room: int) -> Line:
    """The line cut to `room` cells, with an ellipsis where text is missing."""
    line: Line = []
    for text, style in body:
        short = shorten(text, room)
        line.append((short, style))
        room -= width(short)
        if short != text:
            break
    return line


def problem_notes(row: TreeRow) -> Line:
    """Problems of the entry, which stand behind its text."""
    node = row.node
    notes: Line = [(f" ! {text}", "warning") for flag, text in FLAGS if getattr(node, flag)]
    if unknown_type(node.type, node.role):
        notes.append((" ! not known", "warning"))
    if row.another and not (node.orphan or node.loop):
        notes.append((f" (another {row.another})", "dim"))
    return notes


def _right_end(
    row: TreeRow, labels: Sequence[str], leaf: bool, label_time: str, room: int, glyphs: Glyphs
) -> Line:
    """The labels, the number of folded entries and the mark of the leaf. The labels are shortened."""
    after: Line = []
    if row.folded:
        entries = counted(row.hidden, "entry", "entries")
        after.append((f" {glyphs.closed} {glyphs.ellipsis} {entries}", "count"))
    if leaf:
        after.append((f" {glyphs.leaf}", "leaf"))
    if not labels:
        return after
    room -= line_width(after) + 3
    shown = shorten(stable_width(one_line(", ".join(labels), 80)), max(room, 4))
    end: Line = [(f" {glyphs.label} {shown}", "label")]
    if label_time and width(label_time) + 1 <= room - width(shown):
        end.append((f" {label_time}", "dim"))
    return [*end, *after]


def unread_text(node: Node) -> RowText:
    """The text of a row until its entry has been read."""
    if node.role in ("user", "assistant"):
        return RowText(node.role, f"{node.role}: ", "…")
    return RowText("tool" if node.role == "toolResult" else "meta", "", "[…]")


def _gutter(row: TreeRow, most: int, glyphs: Glyphs) -> Line:
    """The lines of the levels, the connector and the mark of a fold, in three cells a level."""
    if row.depth > MOST_LEVELS or 3 * row.depth > most:
        levels = row.gutters(max(0, min(NEAREST_LEVELS, (most - 8) // 3)))
        before = f"{glyphs.deeper}{row.depth} "
    else:
        levels = row.gutters(MOST_LEVELS)
        before = ""
    gutters = "".join(glyphs.bar + "  " if runs_past else "   " for runs_past in levels)
    return [(before + gutters + fold_mark(row, glyphs), "gutter")]


def fold_mark(row: TreeRow, glyphs: Glyphs) -> str:
    """The connector of a row and the mark of its fold; "" for a row with neither."""
    fold = glyphs.closed if row.folded else glyphs.open
    if row.connector:
        return (glyphs.elbow if row.last else glyphs.tee) + (fold if row.foldable else glyphs.branch) + " "
    return fold + " " if row.folded or (row.foldable and row.beside) else ""
