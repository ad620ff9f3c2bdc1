"""The first picture of the browser or the selector as styled text: bars, rules and the session list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.formats.text import one_line
from app.keys import footer
from app.view.bars import (
    TREE_SUFFIX,
    header_line,
    hidden_note,
    joined_facts,
    keys_line,
    list_facts,
    list_titles,
    no_session_keys,
    order_note,
    search_hint,
    session_title,
    without_undo,
)
from app.view.cells import shorten, shorten_start, width
from app.view.empty_states import searching_for
from app.view.formatting import tilde
from app.view.geometry import PANES, Box, PaneLayout, has_heads
from app.view.line import Line, fit_line, wrap
from app.view.list_model import ListModel
from app.view.preset import BROWSER, SELECTOR
from app.view.rules import LAST, divider_char, rule_line
from app.view.session_row import SCROLLBAR, render_heads, render_list_line, render_second_line
from app.view.status_line import with_right
from app.view.welcome import welcome_panel

Cell = tuple[str, str, str]

TITLES = {"tree": "Tree", "transcript": "Transcript", "preview": "Transcript"}
"""The titles of the panes that show no session."""


def frame(
    model: ListModel,
    columns: int,
    lines: int,
    *,
    now_ms: int,
    here: str,
    home: str,
    note: str = "",
    query: str | None = None,
    keys: Sequence[tuple[str, str]] | None = None,
) -> list[list[tuple[str, str, str]]]:
    """The whole screen: for each line its pieces as (text, style, background colour name).

    The cursor is on the first session, as on the screen that follows.

    :param note: the note in the header.
    :param query: the text of the selector's search line, which has the focus; None for the browser, whose
        list has the focus.
    :param keys: the keys in the last line as (key, label); None for the keys of the browser's list.
    """
    preset = BROWSER if query is None else SELECTOR
    if model.finds_nothing:
        places = preset.place_alone(columns, lines)
    else:
        places = preset.place(columns, lines, PANES[0], model.arrangement.panes, False)
    boxes = places.boxes
    picture: list[list[Cell]] = []
    if places.header:
        head = header_line(
            columns,
            total=model.total,
            projects=model.projects,
            hidden=model.hidden,
            live=0,
            note=note,
            here=tilde(here, home),
            order=order_note(model.arrangement),
        )
        picture.append(_plain(head))
    content = _Content(model, now_ms, query, boxes[PANES[0]], None if places.header else note)
    rows: list[list[Cell]] = [[] for _ in range(_height(places))]
    for name, box in sorted(boxes.items(), key=lambda item: item[1].x):
        shown = rows[box.y - places.top :][: box.height]
        if box.x and box.y == places.top:
            middles = [other.y for other in boxes.values() if other.x == box.x and other.y > places.top]
            middle = middles[0] - places.top if middles else -1
            for y, row in enumerate(rows):
                row.append((divider_char(y, middle), "border", "background"))
        for row, pieces in zip(shown, _pane(name, box, content), strict=False):
            row += pieces
    picture += rows
    if places.closing:
        picture.append(_plain(closing_line(columns, places, {PANES[0]: content.hidden}, focus=PANES[0])))
    hidden = "" if places.closing else content.hidden
    picture.append(_plain(with_right(fit_line([], columns), columns, hidden=hidden)))
    picture.append(_plain(keys_line(columns, without_undo(footer(PANES[0]) if keys is None else keys))))
    return picture[:lines]


def _height(places: PaneLayout) -> int:
    return max(box.y + box.height for box in places.boxes.values()) - places.top


def closing_line(columns: int, places: PaneLayout, figures: Mapping[str, str], *, focus: str) -> Line:
    """The rule below the panes.

    :param figures: those of the panes, by name.
    :param focus: the pane with the focus.
    """
    edges = [column for column in (places.divider, places.second) if column >= 0]
    line: Line = []
    begin = 0
    for end in [*edges, columns]:
        inside = [name for name, box in places.boxes.items() if begin <= box.x < end]
        shown = [figures.get(name, "") for name in inside]
        both = " · ".join(filter(None, shown))
        is_focused = focus in inside and _is_lowest(places, focus)
        line += [(LAST, "border")] if begin else []
        line += rule_line(end - begin, (), (both, *filter(None, shown[1:])), focused=is_focused)
        begin = end + 1
    return line


def _is_lowest(places: PaneLayout, focus: str) -> bool:
    """Whether no pane is below the focused one."""
    box = places.boxes.get(focus)
    return box is not None and not any(
        other.y > box.y and other.x == box.x for other in places.boxes.values()
    )


def _plain(line: Line) -> list[Cell]:
    return [(text, style, "background") for text, style in line]


def _pane(name: str, box: Box, content: _Content) -> Iterator[list[Cell]]:
    """The lines of a pane from top to bottom."""
    is_list, is_alone = name == PANES[0], content.model.finds_nothing
    if not is_alone:
        yield _plain(content.rule(box.width) if is_list else content.rule_beside(name, box.width))
    blank = _plain(fit_line([], box.width))
    for y in range(box.height - (not is_alone)):
        yield content.line(y, box.width) if is_list else blank


class _Content:
    """The content of the list's pane, and the rules beside it.

    note   the note that stands in the rule of the list; None if the screen has a header for it
    """

    def __init__(self, model: ListModel, now_ms: int, query: str | None, box: Box, note: str | None) -> None:
        self.model = model
        self.hidden = hidden_note(model.hidden) if note is not None else ""
        self.query = query
        self._now_ms = now_ms
        self._note = note
        self._selected = model.first_session()
        searches = bool(query and query.strip()) and model.empty() in ("", "query")
        self.facts = list_facts(model, searches=searches, answered=not query, begins=bool(query))
        self._has_heads = has_heads(box.height) and not model.finds_nothing
        height = box.height - (not model.finds_nothing) - (query is not None) - self._has_heads
        cells = box.width - SCROLLBAR
        self._panel: list[Line] = []
        if model.searched is not None and model.finds_nothing:
            hints = no_session_keys(typing=query is not None, typed=bool(query))
            self._panel = welcome_panel(model.searched, model.home, cells, height, hints)
        self._notice = _notice(query, cells) if searches and not (model.lines or self._panel) else []
        self._lines = model.row_lines
        length = len(self._panel) or len(self._notice) or self._lines.total
        self._bar = _scrollbar(length, height)

    def rule(self, cells: int) -> Line:
        """The rule of the list."""
        titles = list_titles(self.model, BROWSER if self.query is None else SELECTOR)
        selections: tuple[str, ...] = (self.facts,)
        if self._note is not None:
            projects = self.model.projects if self.query is None else 0
            selections = joined_facts(self.facts, projects=projects, live=0, note=self._note)
        return rule_line(cells, titles, selections, focused=True)

    def rule_beside(self, name: str, cells: int) -> Line:
        """The rule of a pane beside the list."""
        row = self.model.lines[self._selected].row if self.model.lines else None
        if row is None:
            return rule_line(cells, (TITLES[name],))
        title, suffix = session_title(row)
        return rule_line(cells, (title,), suffix=suffix + (TREE_SUFFIX if name == "tree" else ""))

    def line(self, y: int, cells: int) -> list[Cell]:
        if self.query is not None:
            if y == 0:
                here = self.model.arrangement.scope == "here"
                return _search_line(self.query, search_hint(SELECTOR, here=here), cells)
            y -= 1
        if self._has_heads:
            if y == 0:
                return [*_plain(render_heads(self.model, cells - SCROLLBAR)), (" ", "text", "background")]
            y -= 1
        return [*self._row(y, cells - SCROLLBAR), self._bar[y]]

    def _row(self, y: int, cells: int) -> list[Cell]:
        model = self.model
        if y < len(self._panel):
            return _plain(self._panel[y])
        if y < len(self._notice):
            return _plain(fit_line([(f" {self._notice[y]}", "dim")], cells))
        index = self._lines.row_at(y)
        below = y > self._lines.first(index)
        if index >= len(model.lines):
            return _plain(fit_line([], cells))
        line = model.lines[index]
        selected = index == self._selected
        if below:
            drawn = render_second_line(model, line, cells, states={})
        else:
            drawn = render_list_line(model, line, cells, selected=selected, now_ms=self._now_ms, states={})
        focused = "cursor" if self.query is None else "cursor-idle"
        background = focused if selected else "background"
        return [(text, style, background) for text, style in drawn]


def _search_line(query: str, hint: str, cells: int) -> list[Cell]:
    """The search line with its cursor: behind the text, or on the hint."""
    if query:
        shown, style = shorten_start(one_line(query), cells - 2), "text"
        before, under, after = shown, " ", ""
    else:
        shown, style = shorten(hint, cells - 2), "hint"
        before, under, after = "", shown[:1], shown[1:]
    room = max(0, cells - 1 - width(before + under + after))
    return [
        (f" {before}", style, "panel"),
        (under, "ground", "text"),
        (after, style, "panel"),
        (" " * room, "text", "panel"),
    ]


def _notice(query: str | None, cells: int) -> list[str]:
    """The lines of the message in place of rows during a search, as on the screen that follows."""
    return [piece for line in searching_for(query or "") for piece in wrap(line, max(4, cells - 2))]


_BARS = " ▇▆▅▄▃▂▁"
"""The end of the scrollbar's thumb, by the eighths of the cell that it covers."""


def _scrollbar(length: int, height: int) -> list[Cell]:
    """The scrollbar at the beginning of a list, as Textual draws it; blank if the whole list is in sight."""
    bar: list[Cell] = []
    if length > height > 0:
        eighths = -int(-max(1.0, height * height / length) * 8 // 1)
        whole, part = divmod(eighths, 8)
        bar = [(" ", "text", "border")] * whole
        if part:
            bar.append((_BARS[part], "ground", "border"))
    return [*bar[:height], *[(" ", "text", "background")] * (height - len(bar))]
