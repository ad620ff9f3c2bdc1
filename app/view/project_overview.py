"""The pane beside a project: its figures, its latest sessions, its labels, and what waits for the
user; and the lines of that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from app.formats.amounts import finite, finite_int, token_count
from app.formats.prices import LIST_PRICES, NO_COST, Prices, Spending
from app.formats.text import one_line
from app.index.row import Row
from app.sessions.summary import ABORTED, FAILED, INTERRUPTED, WAITING
from app.view.cells import fit_facts, shorten, stable_width, width
from app.view.formatting import age, ago, count, counted, day, spent
from app.view.line import Line, Span, fit_line, line_width
from app.view.session_row import ENDINGS, POINTER, title_style

if TYPE_CHECKING:
    from app.index.statistics import Group as Figures

MOST_LATEST = 5
MOST_LABELS = 8
MOST_NEEDS = 5

_NEEDS = {
    WAITING: "waiting for an answer",
    FAILED: "ended with an error",
    ABORTED: "aborted",
    INTERRUPTED: "interrupted",
}
"""The endings that need the user -> the words about them."""
_INDENT = 7
"""Cells before a title: the pointer, the age, and two blanks."""

EntryTimes = Mapping[tuple[str, str], int | None]
"""(path of the session, id of the entry) -> its time in milliseconds."""


class ProjectLabel(NamedTuple):
    """A label of a session of the project.

    label   raw
    time    of the labelled entry in milliseconds; None while it is not read, or has none
    """

    row: Row
    entry_id: str
    label: str
    time: int | None = None


class ProjectOverview(NamedTuple):
    """The facts about a project.

    agents          (agent, number of its sessions), the most first
    first, last     the first and the newest activity in milliseconds; 0 if there is none
    latest          the newest sessions
    labels          the newest labels; ``label_count`` of all
    needs           the newest sessions that wait for the user; ``need_count`` of all
    figures         the figures with each entry counted once, also if forks have it; None until they are known
    """

    sessions: int = 0
    agents: tuple[tuple[str, int], ...] = ()
    messages: int = 0
    tokens: int = 0
    spending: Spending = NO_COST
    first: int = 0
    last: int = 0
    latest: tuple[Row, ...] = ()
    labels: tuple[ProjectLabel, ...] = ()
    label_count: int = 0
    needs: tuple[Row, ...] = ()
    need_count: int = 0
    figures: Figures | None = None

    def with_times(self, times: EntryTimes) -> ProjectOverview:
        """The overview with the times of the labelled entries, the newest label first."""
        labels = [label._replace(time=times.get((label.row.path, label.entry_id))) for label in self.labels]
        labels.sort(key=lambda label: -(label.time or label.row.modified))
        return self._replace(labels=tuple(labels))


def project_overview(
    rows: Iterable[Row], busy: Collection[str] = (), prices: Prices = LIST_PRICES
) -> ProjectOverview:
    """The overview of a project.

    :param rows: its sessions. They are all looked at: call this off the event loop.
    :param busy: paths of the sessions that a running agent may have open; they are at work, not interrupted.
    :param prices: those of tokens without a cost.
    """
    newest = sorted(rows, key=lambda row: (-row.modified, row.path))
    labels = _labels(newest)
    needs = [
        row for row in newest if row.ending in _NEEDS and not (row.ending == INTERRUPTED and row.path in busy)
    ]
    # As in the list of what needs the user.
    needs.sort(key=lambda row: row.ending != WAITING)
    times = [time for row in newest for time in (row.created, row.modified) if time]
    return ProjectOverview(
        sessions=len(newest),
        agents=tuple(Counter(row.agent for row in newest).most_common()),
        messages=sum(row.message_count for row in newest),
        tokens=finite_int(sum(token_count(row.tokens) for row in newest)),
        spending=prices.spending(
            finite(sum(row.cost for row in newest)), chain.from_iterable(row.unpriced for row in newest)
        ),
        first=min(times, default=0),
        last=max(times, default=0),
        latest=tuple(newest[:MOST_LATEST]),
        labels=tuple(labels[:MOST_LABELS]),
        label_count=len(labels),
        needs=tuple(needs[:MOST_NEEDS]),
        need_count=len(needs),
    )


def _labels(newest: Sequence[Row]) -> list[ProjectLabel]:
    """The labels of some sessions, of the newest session first. A label that forks carried over is there
    once, for the session that began first.
    """
    makers: dict[tuple[str, str], Row] = {}
    for row in sorted(newest, key=lambda row: (row.created or 0, bool(row.parent_session), row.path)):
        for label in row.labels:
            makers.setdefault(label, row)
    return [
        ProjectLabel(row, entry_id, label)
        for row in newest
        for entry_id, label in reversed(row.labels)
        if makers[entry_id, label] is row
    ]


class ProjectRow(NamedTuple):
    """A row of the pane. A row with a session can have the cursor.

    row       the session; None for a row of words
    entry_id  the labelled entry; "" for the session itself
    words     the words of a row without a session
    style     of the words
    age_of    the time whose age is shown, in milliseconds
    mark      stands before the text
    text      of a row with a session; inert
    right     stands at the right end; inert
    below     the second line; "" for none
    """

    row: Row | None = None
    entry_id: str = ""
    words: str = ""
    style: str = "text"
    age_of: int = 0
    mark: Span = ("", "text")
    text: Span = ("", "text")
    right: str = ""
    below: str = ""


def project_rows(overview: ProjectOverview, now_ms: int) -> list[ProjectRow]:
    """The rows of the pane from top to bottom. Sections without content are left out."""
    rows = [ProjectRow(words=words) for words in _figures(overview, now_ms) if words]
    needs = [_need(row) for row in overview.needs]
    left_out = overview.need_count - len(needs)
    if left_out:
        needs.append(ProjectRow(words=f"{' ' * (_INDENT - 1)}{left_out:,} more", style="dim"))
    rows += _section("Needs you", needs)
    rows += _section("Latest", [_latest(row, overview) for row in overview.latest])
    more = f"  {overview.label_count:,}" if overview.label_count else ""
    return rows + _section(f"Labels{more}", [_label(label) for label in overview.labels])


def _figures(overview: ProjectOverview, now_ms: int) -> tuple[str, str]:
    number = overview.sessions
    agents = [f"{many:,} {one_line(agent, 40)}" for agent, many in overview.agents]
    figures = overview.figures
    messages, tokens, spending, turns = overview.messages, overview.tokens, overview.spending, 0
    if figures is not None:
        messages, spending, turns = figures.messages, figures.spending, figures.turns
        tokens = token_count((figures.input, figures.output))
    used = [
        counted(turns, "prompt") if figures is not None else "",
        counted(messages, "message"),
        f"{count(tokens)} tokens" if tokens else "",
        spent(spending),
    ]
    sessions = [
        counted(number, "session"),
        *agents,
        f"first {day(overview.first, now_ms)}" if overview.first else "",
        f"last {ago(overview.last, now_ms)}" if overview.last else "",
    ]
    return " · ".join(filter(None, sessions)), " · ".join(filter(None, used))


def _section(head: str, rows: list[ProjectRow]) -> list[ProjectRow]:
    return [ProjectRow(), ProjectRow(words=head, style="group"), *rows] if rows else []


def _title(row: Row) -> str:
    return stable_width(one_line(row.title, 500))


def _latest(row: Row, overview: ProjectOverview) -> ProjectRow:
    agent = row.agent if len(overview.agents) > 1 else ""
    prompt = stable_width(one_line(row.last_prompt, 500))
    text = (_title(row), title_style(row))
    return ProjectRow(row, age_of=row.newest, text=text, right=agent, below=prompt)


def _label(label: ProjectLabel) -> ProjectRow:
    words = stable_width(one_line(label.label, 200))
    return ProjectRow(
        label.row,
        label.entry_id,
        age_of=label.time or label.row.modified,
        mark=("◆ ", "label"),
        text=(words, "label"),
        right=_title(label.row),
    )


def _need(row: Row) -> ProjectRow:
    mark, _, style = ENDINGS[row.ending]
    text = (_title(row), title_style(row))
    return ProjectRow(row, age_of=row.newest, mark=(f"{mark} ", style), text=text, right=_NEEDS[row.ending])


def render_project_row(item: ProjectRow, cells: int, *, selected: bool, now_ms: int) -> Line:
    """A row of the pane, or the first of its two lines, in exactly ``cells`` cells."""
    if item.row is None:
        shown = fit_facts(item.words, max(0, cells - 2)) if " · " in item.words else item.words
        return fit_line([(" ", "text"), (shown, item.style)], cells)
    left: Line = [
        (POINTER if selected else " ", "pointer"),
        (f"{age(item.age_of, now_ms):>4}  ", "age"),
        item.mark,
    ]
    text, style = item.text
    room = max(0, cells - line_width(left) - 1)
    # The text keeps at least half of the room.
    beside = max(room // 2, room - width(text) - 2)
    right = shorten(item.right, beside) if item.right and beside >= 4 else ""
    text = shorten(text, max(0, room - (width(right) + 2 if right else 0)))
    gap = max(0, room - width(text) - width(right))
    return fit_line([*left, (text, style), (" " * gap, "text"), (right, "dim")], cells)


def render_project_row_below(item: ProjectRow, cells: int) -> Line:
    """The second line of a row in exactly ``cells`` cells: the last prompt of the session."""
    room = max(0, cells - _INDENT - 3)
    return fit_line([(" " * _INDENT + "› ", "faint"), (shorten(item.below, room), "dim")], cells)
