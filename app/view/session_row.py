"""A row of the session list as styled text: one line, or two in a roomy arrangement or with paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.formats.text import one_line
from app.index.row import Row, problem_count
from app.sessions.summary import ABORTED, CONTINUED, FAILED, FROM_NAME, FROM_PROMPT, INTERRUPTED, WAITING
from app.view.cells import shorten, shorten_start, stable_width, width
from app.view.formatting import age_or_date, count, file_path, short_agent, size
from app.view.hit_line import HitExcerpt, hit_line
from app.view.line import Line, Span, fit_line, highlight, line_width
from app.view.list_groups import ListLine
from app.view.list_model import ListModel, UsedColumns
from app.view.palette import STYLES
from app.view.sort_column import CELLS, COLUMNS, sort_column

POINTER = "❯"
MARKED = "✓"
TARGET = "✗"
PINNED = "★"
STUCK = "!"
GONE, EXPIRING, KEPT = "†", "⌫", "■"
"""The marks of a kept session whose file is gone, of one that may be deleted soon, and of a kept one."""
FORK, ORPHAN = "↳ ", "↳? "
SORTED_BY = "•"
STATES = {"live": ("●", "live"), "maybe": ("◐", "maybe")}
ENDINGS = {
    WAITING: ("?", "waiting", "warning"),
    INTERRUPTED: ("‖", "interrupted", "dim"),
    ABORTED: ("×", "aborted", "error"),
    FAILED: ("×", "failed", "error"),
    CONTINUED: ("→", "continued", "dim"),
}
"""The mark, the word and the style of each ending that a row shows. A session that is done shows none."""
LEGEND = (
    "• sorted by this column  ✓ marked  ● open  ◐ may be open  ! cannot be resumed, or damaged lines"
    "  ★ pinned  Ψ branches  ◆ labels  └ fork  ↳ fork elsewhere  ↳? fork of a session that is gone"
    "  … not read yet  ↑ newer messages on another branch  ? waits for an answer  ‖ interrupted"
    "  × failed or aborted  → went on in another session  ⌫ may be deleted by its agent within 7 days"
    "  ■ kept  † kept, and its file is gone"
)
UNREAD = "…"
BEHIND = ("↑", "newer", "dim")
"""As in `ENDINGS`, for a session whose last message in the file is on another branch than the leaf."""
# From these widths of the pane on, scrollbar included, a column is shown, and the ending is a word.
COUNT_FROM = 44
AGENT_FROM = 44
AGE_AND_SORT_FROM = 46
BADGES_FROM = 56
FOLDER_FROM = 64
ENDING_WORD_FROM = 110
SCROLLBAR = 1
BADGE_CELLS = 3
FOLDER_CELLS = 14
SHORT_FOLDER_CELLS = 10
"""Cells of the last part of a folder behind a title, where the folder has no column."""
COUNT_CELLS = 4
AGE_CELLS = 4
ENDING_WORD_CELLS = 11
LEAST_TITLE_CELLS, LEAST_FOLDER_CELLS = 12, 4
"""Cells of a title that a folder behind it leaves, and of a folder that is shown."""
INDENT = 3
"""Cells before a title: the cursor, the state and a blank."""
_TITLE_STYLES = {FROM_NAME: "name", FROM_PROMPT: "title"}


def render_list_line(
    model: ListModel,
    line: ListLine,
    cells: int,
    *,
    selected: bool,
    now_ms: int,
    states: Mapping[str, str],
    is_target: bool = False,
) -> Line:
    """A row of the list, or the first of its two lines, in exactly ``cells`` cells.

    :param states: path -> ``live`` or ``maybe`` for the sessions that are.
    :param is_target: whether a prompt is about the session.
    """
    row = line.row
    if row is None:
        return _head(model, line, cells, selected, now_ms)
    state = (TARGET, "error") if is_target else _state(model, line, row, states, now_ms)
    left: Line = [
        (POINTER if selected else " ", "pointer"),
        state,
        (" ", "text"),
        (_lineage(model, line), "fork"),
    ]
    right = _columns(model, line, row, cells, states, now_ms)
    room = max(0, cells - line_width(left) - line_width(right))
    folder = _short_folder(model, line, cells) if not model.is_filtered else ""
    for_folder = room - LEAST_TITLE_CELLS - len(" ·  ")
    folder = f" · {shorten(folder, for_folder)}" if folder and for_folder >= LEAST_FOLDER_CELLS else ""
    room -= width(folder)
    own = _own_title(line, row)
    title = stable_width(own or row.title)
    tags = _tags(line, room - width(title) - 1) if not _tags_are_below(model) else []
    room -= line_width(tags)
    title = shorten(title, max(0, room - 1))
    style = "error" if is_target else "title" if own else title_style(row)
    gap = (" " * max(0, room - width(title)), "text")
    named = [*highlight(title, model.words, style), (folder, "dim")]
    return fit_line([*left, *named, *tags, gap, *right], cells)


def render_second_line(
    model: ListModel,
    line: ListLine,
    cells: int,
    *,
    states: Mapping[str, str],
    found: HitExcerpt | None = None,
) -> Line:
    """The second line of a row in exactly ``cells`` cells: with a query, why the session is a hit; else the
    path if the arrangement shows paths, else the words with which it ends if only what needs the user is
    listed, else its agent's recap or the last prompt, and how the session ended,
    else its size if the arrangement shows sizes.

    :param states: path -> ``live`` or ``maybe`` for the sessions that are.
    :param found: why the session is a hit; None if that is not known.
    """
    row = line.row
    if row is None:
        return fit_line([], cells)
    if model.is_filtered and (found is None or found.where != "row"):
        folder = _short_folder(model, line, cells)
        return hit_line(found, cells, INDENT + width(_lineage(model, line)), folder)
    left: Line = [(" " * INDENT, "text")]
    if model.arrangement.paths:
        return fit_line([*left, (file_path(row.path, model.home, cells - INDENT - 1), "dim")], cells)
    right = _ending_or_size(model, row, states)
    if model.is_filtered and (folder := _short_folder(model, line, cells)):
        right = [(f" {folder} ", "dim"), *right]
    room = max(0, cells - INDENT - max(1, line_width(right)))
    recap = model.recaps.get((row.agent, row.id), "")
    last_words = model.last_words.get((row.agent, row.id), "") if model.arrangement.needs else ""
    if last_words:
        mark, _, style = _ending(row, states) or ("·", "", "faint")
        shown = shorten(stable_width(last_words), max(0, room - 2))
        left += [(f"{mark} ", style), *highlight(shown, model.words, "dim")]
    elif recap:
        recap = shorten(stable_width(one_line(recap, 500)), max(0, room - 2))
        left += [("≡ ", "faint"), *highlight(recap, model.words, "dim")]
    elif row.last_prompt:
        prompt = shorten(stable_width(row.last_prompt), max(0, room - 2))
        left += [("› ", "faint"), *highlight(prompt, model.words, "dim")]
    if _tags_are_below(model):
        left += _tags(line, INDENT + room - line_width(left))
    gap = cells - line_width(left) - line_width(right)
    return fit_line([*left, (" " * max(0, gap), "text"), *right], cells)


def _head(model: ListModel, line: ListLine, cells: int, selected: bool, now_ms: int) -> Line:
    group = line.group
    number = count_of(group.shown).rjust(COUNT_CELLS) if cells + SCROLLBAR >= COUNT_FROM else ""
    last = _age(group.newest, now_ms)
    room = max(0, cells - INDENT - len(number) - width(last[0]) - 1)
    folder = shorten_start(stable_width(group.folder), room)
    return fit_line(
        [
            (POINTER if selected else " ", "pointer"),
            ("▾ " if model.is_open(group) else "▸ ", "group"),
            *highlight(folder, model.words, "group"),
            (" " * max(0, room - width(folder) + 1), "text"),
            (number, "count"),
            last,
        ],
        cells,
    )


def _own_title(line: ListLine, row: Row) -> str:
    """The title of a fork that is called like its parent: the first prompt that the parent does not have, or
    the last one if the agent does not say when the fork was made; "" for other sessions.
    """
    parent = line.parent.row if line.parent is not None else None
    if parent is None or parent.title != row.title:
        return ""
    return row.own_prompt or (row.last_prompt if row.last_prompt != parent.last_prompt else "")


def title_style(row: Row) -> str:
    """The style of the title of a session: by its source."""
    return _TITLE_STYLES.get(row.title_source, "derived")


def _short_folder(model: ListModel, line: ListLine, cells: int) -> str:
    """The last part of the folder of a session, if the list does not say it elsewhere; "" otherwise."""
    if cells + SCROLLBAR >= FOLDER_FROM or not _has_folder(model):
        return ""
    return shorten(stable_width(line.folder.rpartition("/")[2]), SHORT_FOLDER_CELLS)


def agent_style(agent: str) -> str:
    """The style of the name of an agent: each has its own colour."""
    style = f"agent-{agent}"
    return style if style in STYLES else "agent"


def _age(then_ms: int, now_ms: int) -> Span:
    return f" {age_or_date(then_ms, now_ms):>{AGE_CELLS}} ", "age"


def _tags_are_below(model: ListModel) -> bool:
    """Whether tags stand behind the last prompt, in the second line of a row."""
    return model.row_height > 1 and not (model.arrangement.paths or model.is_filtered)


def _tags(line: ListLine, cells: int) -> Line:
    """The tags of a session, as many as fit into `cells` with a blank behind them."""
    shown = ""
    for tag in line.tagging.tags:
        more = f" #{stable_width(tag)}"
        if width(shown) + width(more) >= cells:
            break
        shown += more
    return [(shown, "dim")] if shown else []


def _state(model: ListModel, line: ListLine, row: Row, states: Mapping[str, str], now_ms: int) -> Span:
    """The mark of the first state that holds."""
    if row.path in model.marked:
        return MARKED, "marked"
    if row.path in states:
        return STATES.get(states[row.path], (" ", "text"))
    if model.is_stuck(row) or problem_count(row, now_ms):
        return STUCK, "warning"
    if row.is_gone:
        return GONE, "dim"
    if row.path in model.keeping.expiring:
        return EXPIRING, "warning"
    if line.pinned:
        return PINNED, "pin"
    return (KEPT, "dim") if row.path in model.keeping.kept else (" ", "text")


def _lineage(model: ListModel, line: ListLine) -> str:
    """The connectors; only the mark of a fork if the neighbouring lines are not those of the thread."""
    if line.row is None or not (line.row.parent_session or line.parent is not None):
        return ""
    if line.prefix and not model.is_filtered:
        return line.prefix
    return ORPHAN if line.is_orphan and model.is_complete else FORK


class _Column(NamedTuple):
    """A column behind the title: its name, its cells, its word in the line of heads, and whether that word
    stands at its left end.
    """

    name: str
    cells: int
    head: str = ""
    is_left: bool = False


def _layout(model: ListModel, cells: int) -> Sequence[_Column]:
    """The columns behind the title for a width of the row. A column that no session fills is left out."""
    arrangement = model.arrangement
    shows_prompts = arrangement.roomy and not arrangement.paths
    return _layout_for(
        cells + SCROLLBAR,
        model.used_columns,
        model.shown_order,
        has_folder=_has_folder(model),
        has_words=not shows_prompts,
    )


@lru_cache(maxsize=64)
def _layout_for(
    pane: int, used: UsedColumns, order: str, *, has_folder: bool, has_words: bool
) -> Sequence[_Column]:
    columns = []
    if pane >= BADGES_FROM and used.branches:
        columns.append(_Column("branches", BADGE_CELLS))
    if pane >= BADGES_FROM and used.labels:
        columns.append(_Column("labels", BADGE_CELLS))
    if pane >= FOLDER_FROM and has_folder:
        columns.append(_Column("folder", FOLDER_CELLS + 1, "folder", is_left=True))
    if pane >= AGENT_FROM and used.agent_cells:
        columns.append(_Column("agent", used.agent_cells + 1, "agent", is_left=True))
    is_word = has_words and pane >= ENDING_WORD_FROM
    columns.append(_Column("ending", ENDING_WORD_CELLS if is_word else 1))
    if pane >= COUNT_FROM:
        columns.append(_Column("count", COUNT_CELLS + 1, "n"))
    if order in COLUMNS:
        columns.append(_Column("sort", CELLS + 1, COLUMNS[order]))
    if order not in COLUMNS or pane >= AGE_AND_SORT_FROM:
        columns.append(_Column("age", AGE_CELLS + 1, "age"))
    return columns


def _has_folder(model: ListModel) -> bool:
    """Whether the rows say in which folder each session is, because no head does."""
    arrangement = model.arrangement
    return arrangement.needs or not (model.has_groups or arrangement.is_of_this_folder)


def _columns(
    model: ListModel, line: ListLine, row: Row, cells: int, states: Mapping[str, str], now_ms: int
) -> Line:
    """The columns behind the title, and a blank."""
    layout = _layout(model, cells)
    has_count = any(column.name == "count" for column in layout)
    shown: Line = []
    for column in layout:
        if column.name == "folder":
            folder = shorten_start(stable_width(line.folder), FOLDER_CELLS)
            shown += [*highlight(folder, model.words, "dim"), (" " * (column.cells - width(folder)), "text")]
            continue
        text, style = _cell(model, column, row, states, now_ms)
        if column.name == "ending" and row.provisional and not has_count:
            text, style = UNREAD, "faint"
        shown.append((text, style))
    return [*shown, (" ", "text")]


def _cell(model: ListModel, column: _Column, row: Row, states: Mapping[str, str], now_ms: int) -> Span:
    cells = column.cells
    if column.name == "branches":
        return _badge("Ψ", row.branch_count if row.branch_count > 1 else 0), "branches"
    if column.name == "labels":
        return _badge("◆", len(row.labels)), "labels"
    if column.name == "agent":
        return f"{short_agent(row.agent):<{cells}}", agent_style(row.agent)
    if column.name == "ending":
        mark, word, style = _ending(row, states) or ("", "", "text")
        return f"{mark if cells == 1 else word:<{cells}}", style
    if column.name == "count":
        number = UNREAD if row.provisional else count_of(row.message_count)
        return f"{number:>{cells}}", "faint" if row.provisional else "messages"
    if column.name == "sort":
        return f" {sort_column(model.shown_order, row, now_ms, model.prices):>{CELLS}}", "count"
    return f"{age_or_date(row.newest, now_ms):>{cells}}", "age"


SORTED_HEADS = {"recent": "age", "threaded": "age", "length": "count", "name": "title"}
"""The order -> the column that it sorts by; other orders have a column of their own, or none."""


def render_heads(model: ListModel, cells: int) -> Line:
    """The heads of the columns in exactly `cells` cells; that of the column by which the list is sorted has a
    mark. The line is blank while no session is listed.
    """
    if not model.lines:
        return fit_line([], cells)
    order = model.shown_order
    sorted_by = "sort" if order in COLUMNS else SORTED_HEADS.get(order, "")
    layout = _layout(model, cells)
    room = max(0, cells - INDENT - sum(column.cells for column in layout) - 1)
    line: Line = [(" " * (INDENT - 1), "text")]
    for column in (_Column("title", room + 1, " title", is_left=True), *layout):
        is_sorted = column.name == sorted_by
        head = SORTED_BY + column.head.lstrip() if is_sorted else column.head
        line.append((f"{head:<{column.cells}}" if column.is_left else f"{head:>{column.cells}}", "dim"))
    return fit_line(line, cells)


def _badge(mark: str, number: int) -> str:
    """The mark and a number of at most two digits, in a column."""
    return f"{mark}{min(number, 99)}".ljust(BADGE_CELLS) if number else " " * BADGE_CELLS


def count_of(number: int) -> str:
    """A number in a narrow cell: ``386``, ``3005``, ``12k``."""
    return str(number) if number < 10_000 else count(number)


def _ending(row: Row, states: Mapping[str, str]) -> tuple[str, str, str] | None:
    """The mark, word and style of the ending; None if there is nothing to show. A session that a running
    agent may have open is not interrupted, but at work.
    """
    if row.is_behind and row.ending not in (WAITING, FAILED, ABORTED):
        return BEHIND
    if row.ending == INTERRUPTED and row.path in states:
        return None
    return ENDINGS.get(row.ending)


def _ending_or_size(model: ListModel, row: Row, states: Mapping[str, str]) -> Line:
    """The activity of its agent, else how the session ended, else its size if the arrangement shows sizes."""
    activity = model.activities.get(row.path, "")
    if activity:
        return [(f" {stable_width(activity)} ", "warning" if activity.startswith(WAITING) else "dim")]
    ending = _ending(row, states)
    if ending is not None:
        _, word, style = ending
        if ending is BEHIND:
            word = "newer messages on another branch"
        return [(f" {'waiting for you' if row.ending == WAITING else word} ", style)]
    return [(f" {size(row.size)} ", "dim")] if model.arrangement.sizes else []
