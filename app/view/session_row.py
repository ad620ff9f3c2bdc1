"""One row of the session list as lines of styled text: one, or two in a roomy arrangement and with paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.row import problem_count
from app.view.ages import age, count
from app.view.cells import fill, shorten, shorten_start, steady, width
from app.view.folders import file_path
from app.view.highlight import highlight
from app.view.line import fit_line, line_width
from app.view.passing import is_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.index.row import Row
    from app.view.line import Line, Span
    from app.view.list_line import ListLine
    from app.view.session_list import SessionList

POINTER = "❯"
MARKED = "✓"
MEANT = "✗"
PINNED = "★"
FORK, ORPHAN = "↳ ", "↳? "
STATES = {"live": ("●", "live"), "maybe": ("◐", "maybe")}
LEGEND = (
    "● live  ◐ maybe live  ✓ marked  ★ pinned  ⑂ branches  ◆ labels  ↳ fork  ↳? fork of a session that is"
    " gone  ! damaged lines  … not read yet"
)
UNREAD = "…"
AGENT_CELLS = 8
AGENT_CUT = 6
"""As much of a program's name as tells which it is."""
# from these widths of the pane on messages have a column, and program, too; below, both have the second line,
# and in a row of one line no more than they need
COLUMNS_FROM = 42
FOLDER_FROM = 50
AGENT_COLUMN_FROM = 60
FOLDER_CELLS = (11, 30)
INDENT = 4
TITLE_BESIDE_QUESTION = 6
TITLE_LEAST = 8
"""A title that is longer keeps so many cells beside all else."""


def render_list_line(
    model: SessionList,
    line: ListLine,
    cells: int,
    *,
    selected: bool,
    now_ms: int,
    states: Mapping[str, str],
    question: str | None = None,
) -> Line:
    """A row of the list, or the first line of its two, in exactly ``cells`` cells.

    :param states: path -> ``live`` or ``maybe`` for the sessions that are.
    :param question: what is asked about the session; "" where it is meant and that is asked elsewhere, None
        where it is not.
    """
    if question:
        return _asking(line, cells, selected, question)
    if line.row is None:
        has_two = model.arrangement.row_height > 1
        return fit_line([], cells) if has_two else _head(model, line, cells, selected)
    return _session(model, line, cells, selected, now_ms, states, is_meant=question is not None)


def render_second_line(model: SessionList, line: ListLine, cells: int, *, selected: bool) -> Line:
    """The second line of a row in exactly ``cells`` cells: the path where it is wanted, else the last prompt,
    and what the first has no room for; or the head itself, which has its first line empty.
    """
    row = line.row
    if row is None:
        return _head(model, line, cells, selected)
    left: Line = [(" " * INDENT, "text")]
    if model.arrangement.paths:
        return fit_line([*left, (file_path(row.path, model.home, cells - INDENT - 1), "dim")], cells)
    right: Line = []
    if cells < COLUMNS_FROM:
        # beneath the age
        right = [_agent(row), *_messages(row, 4), (" ", "text")]
    if row.last_prompt:
        room = max(0, cells - INDENT - 2 - max(1, line_width(right)))
        left += [("› ", "faint"), *highlight(shorten(steady(row.last_prompt), room), model.words, "dim")]
    gap = cells - line_width(left) - line_width(right)
    return fit_line([*left, (" " * max(0, gap), "text"), *right], cells)


def _head(model: SessionList, line: ListLine, cells: int, selected: bool) -> Line:
    group = line.group
    number = f" {group.shown:,} "
    room = max(0, cells - 4 - len(number))
    folder = shorten_start(steady(group.folder), room)
    pieces: Line = [
        (POINTER if selected else " ", "pointer"),
        ("▾ " if model.is_open(group) else "▸ ", "group"),
        *highlight(folder, model.words, "group"),
        (" " * max(0, room - width(folder)), "text"),
        (number, "count"),
    ]
    return fit_line(pieces, cells)


def _session(
    model: SessionList,
    line: ListLine,
    cells: int,
    selected: bool,
    now_ms: int,
    states: Mapping[str, str],
    *,
    is_meant: bool,
) -> Line:
    row = line.row
    assert row is not None
    mark = (MARKED, "marked") if row.path in model.marked else (" ", "text")
    left: Line = [
        (POINTER if selected else " ", "pointer"),
        (MEANT, "error") if is_meant else mark,
        STATES.get(states.get(row.path, ""), (" ", "text")),
        (" ", "text"),
        (_lineage(model, line), "fork"),
    ]
    if line.pinned:
        left.append((f"{PINNED} ", "pin"))
    title = steady(row.title)
    right = [*_marks(row, now_ms), *_columns(row, cells), (f" {age(row.modified, now_ms):>4} ", "age")]
    if cells < COLUMNS_FROM:
        prompts = model.arrangement.roomy and not model.arrangement.paths
        right = _narrow(row, cells - line_width(left), width(title), now_ms, roomy=prompts)
    room = max(0, cells - line_width(left) - line_width(right))
    where = _where(model, line, cells)
    room -= line_width(where)
    title = fill(title, room)
    style = "error" if is_meant else "name" if is_named(row) else "title"
    return fit_line([*left, *highlight(title, model.words, style), *where, *right], cells)


def _lineage(model: SessionList, line: ListLine) -> str:
    """The connectors; where the lines around are not those of the thread, that it is a fork."""
    if line.row is None or not line.row.parent_session:
        return ""
    if line.prefix and not model.is_filtered:
        return line.prefix
    return ORPHAN if line.is_orphan and (model.is_complete or model.shows_first) else FORK


def _where(model: SessionList, line: ListLine, cells: int) -> Line:
    """The folder where the list is not of one folder."""
    if model.arrangement.grouped or model.arrangement.scope == "here" or cells < FOLDER_FROM:
        return []
    least, most = FOLDER_CELLS
    size = max(least, min(most, (cells - FOLDER_FROM) // 2))
    folder = shorten_start(steady(line.folder), size)
    return [("  ", "text"), *highlight(folder, model.words, "dim"), (" " * (size - width(folder)), "text")]


def _marks(row: Row, now_ms: int) -> Line:
    marks: Line = []
    if problem_count(row, now_ms):
        marks.append((" !", "warning"))
    if row.branch_count > 1:
        marks.append((f" ⑂{count(row.branch_count)}", "branches"))
    if row.labels:
        marks.append((f" ◆{count(len(row.labels))}", "labels"))
    return marks


def _columns(row: Row, cells: int) -> Line:
    # the title of a program with a short name has what others need for theirs
    return [_agent(row, AGENT_CELLS if cells >= AGENT_COLUMN_FROM else 0), *_messages(row, 4)]


def _agent(row: Row, cells: int = 0) -> Span:
    """The program, in a column of so many cells or in as many as it takes, of which no column is wider."""
    return (f" {shorten(row.agent, AGENT_CELLS):<{cells}}", "agent")


def _messages(row: Row, cells: int) -> Line:
    number = UNREAD if row.provisional else count(row.message_count)
    return [(f" {number:>{cells}}", "faint" if row.provisional else "messages")]


def _narrow(row: Row, cells: int, title: int, now_ms: int, *, roomy: bool) -> Line:
    """What stands behind the title in a row without columns: of marks, program, messages and age as much as
    leaves the title its least. The program is the last to go, for each row has to say what opens it.

    :param cells: how many there are for the title and this; ``title``: how many that would take in whole.
    :param roomy: program and messages are on the second line.
    """
    marks = _marks(row, now_ms)
    when = age(row.modified, now_ms)
    if roomy:
        return [*marks, (f" {when:>4} ", "age")]
    last: Line = [(f" {when:>3} ", "age")]
    agent = _agent(row)
    cut = (shorten(agent[0], 1 + AGENT_CUT), "agent")
    number = _messages(row, 1)
    # that it is not read yet is said in place of all that is not known
    least = number if row.provisional else []
    ways: list[Line] = [
        [*marks, agent, *_messages(row, 3)],
        [*marks, agent, *number],
        [*marks, cut, *number],
        [*marks, agent, *least],
        [*marks, cut, *least],
        [agent, *least],
        [cut, *least],
        least,
    ]
    room = cells - line_width(last) - min(title, TITLE_LEAST)
    return [*next((way for way in ways if line_width(way) <= room), least), *last]


def _asking(line: ListLine, cells: int, selected: bool, question: str) -> Line:
    """A question in place of the row, with as much of the title as there is room for."""
    pieces: Line = [
        (POINTER if selected else " ", "pointer"),
        (MEANT, "error"),
        ("  ", "text"),
        (shorten(steady(question), max(0, cells - INDENT - 1)), "error"),
    ]
    room = cells - line_width(pieces) - 3
    if line.row is not None and room >= TITLE_BESIDE_QUESTION:
        pieces += [("  ", "text"), (shorten(steady(line.row.title), room), "dim")]
    return fit_line(pieces, cells)
