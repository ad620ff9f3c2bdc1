"""A row of the session list as styled text: one line, or two in a roomy arrangement or with paths."""

from __future__ import annotations

from collections.abc import Mapping

from app.index.row import Row, problem_count
from app.sessions.summary import ABORTED, FAILED, FROM_NAME, FROM_PROMPT, INTERRUPTED, WAITING
from app.view.cells import pad, shorten, shorten_start, stable_width, width
from app.view.formatting import age, count, file_path, size
from app.view.hit_line import HitExcerpt, hit_line
from app.view.line import Line, Span, fit_line, highlight, line_width
from app.view.list_groups import ListLine
from app.view.list_model import ListModel

POINTER = "❯"
MARKED = "✓"
TARGET = "✗"
PINNED = "★"
FORK, ORPHAN = "↳ ", "↳? "
STATES = {"live": ("●", "live"), "maybe": ("◐", "maybe")}
ENDINGS = {
    WAITING: ("?", "waiting", "warning"),
    INTERRUPTED: ("‖", "interrupted", "dim"),
    ABORTED: ("×", "aborted", "error"),
    FAILED: ("×", "error", "error"),
}
"""The mark, the word and the style of each ending that a row shows. A session that is done shows none."""
LEGEND = (
    "● live  ◐ maybe live  ✓ marked  ★ pinned  ⑂ branches  ◆ labels  ↳ fork  ↳? fork of a session that is"
    " gone  ! damaged lines  … not read yet  ? waits for an answer  ‖ interrupted  × error or aborted"
)
UNREAD = "…"
AGENT_CELLS = 8
AGENT_CUT = 6
"""Characters of an agent's name that identify it."""
# From these widths of the pane on, the number of messages, the folder and the agent have a column, and the
# ending is a word. In a narrower pane, messages and agent are on the second line, or take no more cells than
# they need.
COLUMNS_FROM = 42
FOLDER_FROM = 50
AGENT_COLUMN_FROM = 60
ENDING_WORD_FROM = 110
ENDING_WORD_CELLS = 11
FOLDER_CELLS = (11, 30)
INDENT = 4
TITLE_BESIDE_QUESTION = 6
TITLE_LEAST = 8
"""Fewest cells of a longer title."""
_TITLE_STYLES = {FROM_NAME: "name", FROM_PROMPT: "title"}


def render_list_line(
    model: ListModel,
    line: ListLine,
    cells: int,
    *,
    selected: bool,
    now_ms: int,
    states: Mapping[str, str],
    question: str | None = None,
) -> Line:
    """A row of the list, or the first of its two lines, in exactly ``cells`` cells.

    :param states: path -> ``live`` or ``maybe`` for the sessions that are.
    :param question: the question about the session, which replaces the row; "" if it is asked elsewhere, None
        for no question.
    """
    if question:
        return _asking(line, cells, selected, question)
    if line.row is None:
        has_two = model.row_height > 1
        return fit_line([], cells) if has_two else _head(model, line, cells, selected)
    return _session(model, line, cells, selected, now_ms, states, is_target=question is not None)


def render_second_line(
    model: ListModel,
    line: ListLine,
    cells: int,
    *,
    selected: bool,
    states: Mapping[str, str],
    found: HitExcerpt | None = None,
) -> Line:
    """The second line of a row in exactly ``cells`` cells: with a query, why the session is a hit; else the
    path if the arrangement shows paths, else the
    last prompt and the facts for which the first line has no room, or how the session ended, else its size if
    the arrangement shows sizes. The head of a group is drawn on the second line, and its first line is empty.

    :param states: as for `render_list_line`.
    :param found: why the session is a hit; None if that is not known.
    """
    row = line.row
    if row is None:
        return _head(model, line, cells, selected)
    if model.is_filtered and (found is None or found.where != "row"):
        return hit_line(found, cells, INDENT + width(_lineage(model, line)))
    left: Line = [(" " * INDENT, "text")]
    if model.arrangement.paths:
        return fit_line([*left, (file_path(row.path, model.home, cells - INDENT - 1), "dim")], cells)
    if cells < COLUMNS_FROM:
        # below the age
        right: Line = [_agent(row), *_messages(row, 4), (" ", "text")]
    else:
        right = _ending_or_size(model, row, states)
    if row.last_prompt:
        room = max(0, cells - INDENT - 2 - max(1, line_width(right)))
        left += [
            ("› ", "faint"),
            *highlight(shorten(stable_width(row.last_prompt), room), model.words, "dim"),
        ]
    gap = cells - line_width(left) - line_width(right)
    return fit_line([*left, (" " * max(0, gap), "text"), *right], cells)


def _head(model: ListModel, line: ListLine, cells: int, selected: bool) -> Line:
    group = line.group
    number = f" {group.shown:,} "
    room = max(0, cells - 4 - len(number))
    folder = shorten_start(stable_width(group.folder), room)
    pieces: Line = [
        (POINTER if selected else " ", "pointer"),
        ("▾ " if model.is_open(group) else "▸ ", "group"),
        *highlight(folder, model.words, "group"),
        (" " * max(0, room - width(folder)), "text"),
        (number, "count"),
    ]
    return fit_line(pieces, cells)


def _session(
    model: ListModel,
    line: ListLine,
    cells: int,
    selected: bool,
    now_ms: int,
    states: Mapping[str, str],
    *,
    is_target: bool,
) -> Line:
    row = line.row
    assert row is not None
    mark = (MARKED, "marked") if row.path in model.marked else (" ", "text")
    left: Line = [
        (POINTER if selected else " ", "pointer"),
        (TARGET, "error") if is_target else mark,
        STATES.get(states.get(row.path, ""), (" ", "text")),
        (" ", "text"),
        (_lineage(model, line), "fork"),
    ]
    if line.pinned:
        left.append((f"{PINNED} ", "pin"))
    title = stable_width(row.title)
    prompts = model.arrangement.roomy and not model.arrangement.paths
    as_word = cells >= ENDING_WORD_FROM and not prompts
    ending = _ending_column(row, states, as_word=as_word)
    last: Line = [(f" {age(row.modified, now_ms):>4} ", "age")]
    right = [*_marks(row, now_ms), *_columns(row, cells, ending), *last]
    if cells < COLUMNS_FROM:
        ending = ending if _ending(row, states) else []
        right = _narrow(row, cells - line_width(left), width(title), now_ms, ending, roomy=prompts)
    room = max(0, cells - line_width(left) - line_width(right))
    where = _where(model, line, cells)
    room -= line_width(where)
    tags = _tags(line, room - width(title))
    title = pad(title, room - line_width(tags))
    style = "error" if is_target else _TITLE_STYLES.get(row.title_source, "derived")
    return fit_line([*left, *highlight(title, model.words, style), *tags, *where, *right], cells)


def _tags(line: ListLine, cells: int) -> Line:
    """The tags of a session, as many as fit beside its whole title."""
    shown = ""
    for tag in line.tagging.tags:
        more = f" #{stable_width(tag)}"
        if width(shown) + width(more) >= cells:
            break
        shown += more
    return [(shown, "dim")] if shown else []


def _lineage(model: ListModel, line: ListLine) -> str:
    """The connectors; only the mark of a fork if the neighbouring lines are not those of the thread."""
    if line.row is None or not line.row.parent_session:
        return ""
    if line.prefix and not model.is_filtered:
        return line.prefix
    return ORPHAN if line.is_orphan and model.is_complete else FORK


def _where(model: ListModel, line: ListLine, cells: int) -> Line:
    """The folder, if the list may have sessions of several folders."""
    if model.arrangement.grouped or model.arrangement.scope == "here" or cells < FOLDER_FROM:
        return []
    least, most = FOLDER_CELLS
    size = max(least, min(most, (cells - FOLDER_FROM) // 2))
    folder = shorten_start(stable_width(line.folder), size)
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


def _columns(row: Row, cells: int, ending: Line) -> Line:
    # without a column, a short name of an agent leaves more room for the title
    return [_agent(row, AGENT_CELLS if cells >= AGENT_COLUMN_FROM else 0), *ending, *_messages(row, 4)]


def _ending(row: Row, states: Mapping[str, str]) -> tuple[str, str, str] | None:
    """The mark, word and style of the ending; None if there is nothing to show. A session that a running
    agent may have open is not interrupted, but at work.
    """
    if row.ending == INTERRUPTED and row.path in states:
        return None
    return ENDINGS.get(row.ending)


def _ending_column(row: Row, states: Mapping[str, str], *, as_word: bool) -> Line:
    mark, word, style = _ending(row, states) or ("", "", "text")
    return [(f" {word:<{ENDING_WORD_CELLS}}" if as_word else f" {mark:<1}", style)]


def _ending_or_size(model: ListModel, row: Row, states: Mapping[str, str]) -> Line:
    """How the session ended, else its size if the arrangement shows sizes."""
    ending = _ending(row, states)
    if ending is not None:
        _, word, style = ending
        return [(f" {'waiting for you' if row.ending == WAITING else word} ", style)]
    return [(f" {size(row.size)} ", "dim")] if model.arrangement.sizes else []


def _agent(row: Row, cells: int = 0) -> Span:
    """The agent, in a column of ``cells`` or as wide as its name, up to the widest column."""
    return (f" {shorten(row.agent, AGENT_CELLS):<{cells}}", "agent")


def _messages(row: Row, cells: int) -> Line:
    number = UNREAD if row.provisional else count(row.message_count)
    return [(f" {number:>{cells}}", "faint" if row.provisional else "messages")]


def _narrow(row: Row, cells: int, title: int, now_ms: int, ending: Line, *, roomy: bool) -> Line:
    """The facts behind the title in a row without columns: as many of marks, agent, messages and age as leave
    the title its fewest cells. The agent is left out last, because each row has to tell which agent opens it.
    The ending and the age are never left out.

    :param cells: the width of the title and these facts; ``title``: the width of the whole title.
    :param ending: the column of the ending.
    :param roomy: agent and messages are on the second line.
    """
    marks = _marks(row, now_ms)
    when = age(row.modified, now_ms)
    if roomy:
        return [*marks, *ending, (f" {when:>4} ", "age")]
    last: Line = [*ending, (f" {when:>3} ", "age")]
    agent = _agent(row)
    cut = (shorten(agent[0], 1 + AGENT_CUT), "agent")
    number = _messages(row, 1)
    # the mark of a session that is not read yet stands for all unknown facts
    least = number if row.provisional else []
    candidates: list[Line] = [
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
    return [*next((facts for facts in candidates if line_width(facts) <= room), least), *last]


def _asking(line: ListLine, cells: int, selected: bool, question: str) -> Line:
    """A question in place of the row, and the title if there is room for it."""
    pieces: Line = [
        (POINTER if selected else " ", "pointer"),
        (TARGET, "error"),
        ("  ", "text"),
        (shorten(stable_width(question), max(0, cells - INDENT - 1)), "error"),
    ]
    room = cells - line_width(pieces) - 3
    if line.row is not None and room >= TITLE_BESIDE_QUESTION:
        pieces += [("  ", "text"), (shorten(stable_width(line.row.title), room), "dim")]
    return fit_line(pieces, cells)
