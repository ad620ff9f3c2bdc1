"""One line of the session list as pieces of styled text."""

from __future__ import annotations

from app.index.row import problem_count
from app.view.ages import age, count
from app.view.cells import fill, shorten_start, steady, width
from app.view.highlight import highlight
from app.view.line import fit_line, line_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.index.row import Row
    from app.view.line import Line
    from app.view.list_line import ListLine

POINTER = "❯"
MARKS = {"live": ("●", "live"), "maybe": ("◐", "maybe")}
LEGEND = "● live  ◐ maybe live  ⑂ branches  ◆ labels  ↳ fork  ! damaged lines  … not read yet"
UNREAD = "…"
AGENT_CELLS, AGENT_CELLS_WIDE = 5, 8
# below these widths of the pane a column gives way to the title
AGENT_FROM = 34
MESSAGES_FROM = 42
WIDE_FROM = 60


def render_list_line(
    line: ListLine,
    cells: int,
    *,
    selected: bool,
    is_open: bool,
    now_ms: int,
    words: list[str],
    states: Mapping[str, str],
) -> Line:
    """A line of the list in exactly ``cells`` cells.

    :param states: path -> ``live`` or ``maybe`` for the sessions that are.
    """
    if line.row is None:
        return _head(line, cells, selected, is_open, words)
    return _session(line, cells, selected, now_ms, words, states)


def _head(line: ListLine, cells: int, selected: bool, is_open: bool, words: list[str]) -> Line:
    group = line.group
    number = f" {group.shown:,} "
    room = max(0, cells - 4 - len(number))
    folder = shorten_start(steady(group.folder), room)
    pieces: Line = [
        (POINTER if selected else " ", "pointer"),
        ("▾ " if is_open else "▸ ", "group"),
        *highlight(folder, words, "group"),
        (" " * max(0, room - width(folder)), "text"),
        (number, "count"),
    ]
    return fit_line(pieces, cells)


def _session(
    line: ListLine, cells: int, selected: bool, now_ms: int, words: list[str], states: Mapping[str, str]
) -> Line:
    row = line.row
    assert row is not None
    mark, mark_style = MARKS.get(states.get(row.path, ""), (" ", "text"))
    prefix = line.prefix or ("↳ " if row.parent_session else "")
    left: Line = [
        (POINTER if selected else " ", "pointer"),
        (" ", "text"),
        (mark, mark_style),
        (" ", "text"),
        (prefix, "fork"),
    ]
    right = _facts(row, cells, now_ms)
    room = max(0, cells - line_width(left) - line_width(right))
    title = fill(steady(row.title), room)
    return fit_line([*left, *highlight(title, words, "name" if row.name else "title"), *right], cells)


def _facts(row: Row, cells: int, now_ms: int) -> Line:
    facts: Line = []
    if row.provisional and cells < MESSAGES_FROM:
        facts.append((f" {UNREAD}", "faint"))
    if problem_count(row, now_ms):
        facts.append((" !", "warning"))
    if row.leaf_count > 1:
        facts.append((f" ⑂{count(row.leaf_count)}", "branches"))
    if row.labels:
        facts.append((f" ◆{count(len(row.labels))}", "labels"))
    if cells >= AGENT_FROM:
        room = AGENT_CELLS_WIDE if cells >= WIDE_FROM else AGENT_CELLS
        facts.append((f" {row.agent[:room]:<{room}}", "agent"))
    if cells >= MESSAGES_FROM:
        number = UNREAD if row.provisional else count(row.message_count)
        facts.append((f" {number:>4}", "faint" if row.provisional else "messages"))
    facts.append((f" {age(row.modified, now_ms):>4} ", "age"))
    return facts
