"""The first picture of the browser or the selector as styled text: bars, panes and the session list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.formats.text import one_line
from app.keys import footer
from app.view.bars import SEARCH_HINT, header_line, keys_line, list_facts
from app.view.cells import first_fitting, fit_facts, shorten, shorten_start, width
from app.view.empty_states import nothing_found, searching_for
from app.view.formatting import tilde
from app.view.geometry import HEADER, PANES, Box, place, place_selector
from app.view.line import Line, fit_line, wrap
from app.view.list_model import ListModel
from app.view.session_row import render_list_line, render_second_line

Cell = tuple[str, str, str]

SCROLLBAR = 1
# the titles of panes whose title is not their name
TITLES = {"preview": "transcript"}


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
    boxes = place(columns, lines) if query is None else place_selector(columns, lines)
    head = header_line(
        columns, total=model.known, projects=model.projects, live=0, note=note, here=tilde(here, home)
    )
    picture = [_plain(head)]
    content = _Content(model, now_ms, query, boxes[PANES[0]])
    rows: list[list[Cell]] = [[] for _ in range(_height(boxes))]
    for name, box in sorted(boxes.items(), key=lambda item: item[1].x):
        # on the smallest screens, a pane has only its border, or no line at all
        shown = rows[box.y - HEADER :][: box.height]
        for row, pieces in zip(shown, _pane(name, box, content), strict=False):
            row += pieces
    picture += rows
    picture.append(_plain(fit_line([], columns)))
    picture.append(_plain(keys_line(columns, footer(PANES[0]) if keys is None else keys)))
    return picture[:lines]


def _height(boxes: dict[str, Box]) -> int:
    return max(box.y + box.height for box in boxes.values()) - HEADER


def _plain(line: Line) -> list[Cell]:
    return [(text, style, "background") for text, style in line]


def _pane(name: str, box: Box, content: _Content) -> Iterator[list[Cell]]:
    """The lines of a pane from top to bottom, with its border."""
    focused = name == PANES[0]
    border = "border-focus" if focused else "border"
    inside = box.width - 2
    titles = content.model.arrangement.titles() if focused else (TITLES.get(name, name),)
    title = shorten(f" {first_fitting(titles, inside - 4)} ", inside - 2)
    yield [
        ("╭─", border, "background"),
        (title, "border-title-focus" if focused else "border-title", "background"),
        ("─" * (inside - 1 - width(title)) + "╮", border, "background"),
    ]
    side = ("│", border, "background")
    blank = _plain(fit_line([], inside))
    for y in range(box.height - 2):
        yield [side, *(content.line(y, inside) if focused else blank), side]
    facts = fit_facts(content.facts, inside - 4) if focused else ""
    facts = f" {facts} " if facts else ""
    yield [
        ("╰" + "─" * (inside - 1 - width(facts)), border, "background"),
        (facts, "border-title", "background"),
        ("─╯", border, "background"),
    ]


class _Content:
    """The content of the list's pane."""

    def __init__(self, model: ListModel, now_ms: int, query: str | None, box: Box) -> None:
        self.model = model
        self._now_ms = now_ms
        self._query = query
        self._selected = model.first_session()
        searches = bool(query and query.strip()) and model.empty() in ("", "query")
        self.facts = list_facts(model, searches=searches, answered=not query, begins=bool(query))
        height = box.height - 2 - (query is not None)
        self._notice = [] if model.lines else _notice(model, query, box.width - 2 - SCROLLBAR, searches)
        length = len(self._notice) or model.length * model.row_height
        self._bar = _scrollbar(length, height)

    def line(self, y: int, cells: int) -> list[Cell]:
        if self._query is not None:
            if y == 0:
                return _search_line(self._query, cells)
            y -= 1
        return [*self._row(y, cells - SCROLLBAR), self._bar[y]]

    def _row(self, y: int, cells: int) -> list[Cell]:
        model = self.model
        if y < len(self._notice):
            return _plain(fit_line([(f" {self._notice[y]}", "dim")], cells))
        index, below = divmod(y, model.row_height)
        if index >= len(model.lines):
            return _plain(fit_line([], cells))
        line = model.lines[index]
        selected = index == self._selected
        if below:
            drawn = render_second_line(model, line, cells, selected=selected, states={})
        else:
            drawn = render_list_line(model, line, cells, selected=selected, now_ms=self._now_ms, states={})
        focused = "cursor" if self._query is None else "cursor-idle"
        background = focused if selected else "background"
        return [(text, style, background) for text, style in drawn]


def _search_line(query: str, cells: int) -> list[Cell]:
    """The search line with its cursor: behind the text, or on the hint."""
    if query:
        shown, style = shorten_start(one_line(query), cells - 2), "text"
        before, under, after = shown, " ", ""
    else:
        shown, style = shorten(SEARCH_HINT, cells - 2), "hint"
        before, under, after = "", shown[:1], shown[1:]
    room = max(0, cells - 1 - width(before + under + after))
    return [
        (f" {before}", style, "panel"),
        (under, "ground", "text"),
        (after, style, "panel"),
        (" " * room, "text", "panel"),
    ]


def _notice(model: ListModel, query: str | None, cells: int, searches: bool) -> list[str]:
    """The lines of the message in place of rows, as on the screen that follows; empty for none."""
    searched = None if model.known else model.searched
    if searched is None and not searches:
        return []
    message = searching_for(query or "") if searched is None else nothing_found(searched, model.home)
    return [piece for line in message for piece in wrap(line, max(4, cells - 2))]


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
