"""A row of the session list as styled text: one line, or two in a roomy arrangement or with paths."""

from __future__ import annotations

from collections.abc import Mapping

from app.index.row import Row, problem_count
from app.sessions.summary import ABORTED, CONTINUED, FAILED, FROM_NAME, FROM_PROMPT, INTERRUPTED, WAITING
from app.view.cells import shorten, shorten_start, stable_width, width
from app.view.formatting import age_or_date, count, file_path, short_agent, size
from app.view.hit_line import HitExcerpt, hit_line
from app.view.line import Line, Span, fit_line, highlight, line_width
from app.view.list_groups import ListLine
from app.view.list_model import ListModel
from app.view.sort_column import CELLS, COLUMNS, sort_column

POINTER = "❯"
MARKED = "✓"
TARGET = "✗"
PINNED = "★"
STUCK = "!"
FORK, ORPHAN = "↳ ", "↳? "
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
    "✓ marked  ● open  ◐ may be open  ! cannot be resumed, or damaged lines  ★ pinned  Ψ branches"
    "  ◆ labels  └ fork  ↳ fork elsewhere  ↳? fork of a session that is gone  … not read yet"
    "  ? waits for an answer  ‖ interrupted  × failed or aborted"
    "  → went on in another session"
)
UNREAD = "…"
# From these widths of the pane on, scrollbar included, a column is shown, and the ending is a word.
COUNT_FROM = 44
BADGES_FROM = 46
AGENT_FROM = 58
FOLDER_FROM = 64
ENDING_WORD_FROM = 110
SCROLLBAR = 1
BADGE_CELLS = 3
FOLDER_CELLS = 14
COUNT_CELLS = 4
AGE_CELLS = 4
ENDING_WORD_CELLS = 11
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
    title = stable_width(row.title)
    tags = _tags(line, room - width(title) - 1) if not _tags_are_below(model) else []
    room -= line_width(tags)
    title = shorten(title, max(0, room - 1))
    style = "error" if is_target else title_style(row)
    gap = (" " * max(0, room - width(title)), "text")
    return fit_line([*left, *highlight(title, model.words, style), *tags, gap, *right], cells)


def render_second_line(
    model: ListModel,
    line: ListLine,
    cells: int,
    *,
    states: Mapping[str, str],
    found: HitExcerpt | None = None,
) -> Line:
    """The second line of a row in exactly ``cells`` cells: with a query, why the session is a hit; else the
    path if the arrangement shows paths, else the last prompt and how the session ended, else its size if the
    arrangement shows sizes.

    :param states: path -> ``live`` or ``maybe`` for the sessions that are.
    :param found: why the session is a hit; None if that is not known.
    """
    row = line.row
    if row is None:
        return fit_line([], cells)
    if model.is_filtered and (found is None or found.where != "row"):
        return hit_line(found, cells, INDENT + width(_lineage(model, line)))
    left: Line = [(" " * INDENT, "text")]
    if model.arrangement.paths:
        return fit_line([*left, (file_path(row.path, model.home, cells - INDENT - 1), "dim")], cells)
    right = _ending_or_size(model, row, states)
    room = max(0, cells - INDENT - max(1, line_width(right)))
    if row.last_prompt:
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


def title_style(row: Row) -> str:
    """The style of the title of a session: by its source."""
    return _TITLE_STYLES.get(row.title_source, "derived")


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
    if model.cannot_resume(row) or problem_count(row, now_ms):
        return STUCK, "warning"
    return (PINNED, "pin") if line.pinned else (" ", "text")


def _lineage(model: ListModel, line: ListLine) -> str:
    """The connectors; only the mark of a fork if the neighbouring lines are not those of the thread."""
    if line.row is None or not (line.row.parent_session or line.parent is not None):
        return ""
    if line.prefix and not model.is_filtered:
        return line.prefix
    return ORPHAN if line.is_orphan and model.is_complete else FORK


def _columns(
    model: ListModel, line: ListLine, row: Row, cells: int, states: Mapping[str, str], now_ms: int
) -> Line:
    """The columns behind the title. A column that no session fills is left out."""
    pane, arrangement = cells + SCROLLBAR, model.arrangement
    used = model.used_columns
    columns: Line = []
    if pane >= BADGES_FROM and used.branches:
        columns.append((_badge("Ψ", row.branch_count if row.branch_count > 1 else 0), "branches"))
    if pane >= BADGES_FROM and used.labels:
        columns.append((_badge("◆", len(row.labels)), "labels"))
    has_folder = arrangement.needs or not (arrangement.has_groups or arrangement.is_of_this_folder)
    if pane >= FOLDER_FROM and has_folder:
        folder = shorten_start(stable_width(line.folder), FOLDER_CELLS)
        columns += [*highlight(folder, model.words, "dim")]
        columns.append((" " * (FOLDER_CELLS + 1 - width(folder)), "text"))
    if pane >= AGENT_FROM and used.agent_cells:
        columns.append((f"{short_agent(row.agent):<{used.agent_cells}} ", "agent"))
    prompts = arrangement.roomy and not arrangement.paths
    mark, word, style = _ending(row, states) or ("", "", "text")
    has_count = pane >= COUNT_FROM
    if pane >= ENDING_WORD_FROM and not prompts:
        columns.append((f"{word:<{ENDING_WORD_CELLS}}", style))
    elif row.provisional and not has_count:
        columns.append((UNREAD, "faint"))
    else:
        columns.append((f"{mark:<1}", style))
    if has_count:
        number = UNREAD if row.provisional else count_of(row.message_count)
        columns.append((f"{number:>{COUNT_CELLS}}", "faint" if row.provisional else "messages"))
    if arrangement.order in COLUMNS:
        value = sort_column(arrangement.order, row, now_ms, model.prices)
        columns.append((f" {value:>{CELLS}}", "count"))
        if pane < BADGES_FROM:
            return [*columns, (" ", "text")]
    return [*columns, _age(row.newest, now_ms)]


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
    if row.ending == INTERRUPTED and row.path in states:
        return None
    return ENDINGS.get(row.ending)


def _ending_or_size(model: ListModel, row: Row, states: Mapping[str, str]) -> Line:
    """How the session ended, else its size if the arrangement shows sizes."""
    ending = _ending(row, states)
    if ending is not None:
        _, word, style = ending
        return [(f" {'waiting for you' if row.ending == WAITING else word} ", style)]
    return [(f" {size(row.size)} ", "dim")] if model.arrangement.sizes else []
