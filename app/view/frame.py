"""The first picture of the browser or of the selector as lines of styled text: bars, panes and the session
list, without a screen library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.commands import footer
from app.formats.text import one_line
from app.view.bars import header_line, keys_line, list_facts
from app.view.cells import fewer, fitting, shorten, shorten_start, width
from app.view.folders import tilde
from app.view.geometry import HEADER, PANES, Box, place, place_selector
from app.view.line import fit_line
from app.view.session_row import render_list_line, render_second_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.view.line import Line
    from app.view.session_list import SessionList

    Cell = tuple[str, str, str]

SCROLLBAR = 1
# what a pane is called in its border, where that is not its name
TITLES = {"preview": "transcript"}


def frame(
    model: SessionList,
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

    The first session of the list is under the cursor, as on the screen that follows.

    :param note: what is going on.
    :param query: the selector's picture, with this in the line above the list, which has the focus; None for
        the browser's, where the list has it.
    :param keys: what the last line offers, as (key, label); None for the keys of the browser's list.
    """
    boxes = place(columns, lines) if query is None else place_selector(columns, lines)
    head = header_line(
        columns, total=model.known, projects=model.projects, live=0, note=note, here=tilde(here, home)
    )
    picture = [_plain(head)]
    content = _Content(model, now_ms, query, boxes[PANES[0]])
    rows: list[list[Cell]] = [[] for _ in range(_height(boxes))]
    for name, box in sorted(boxes.items(), key=lambda item: item[1].x):
        # on the smallest screens a pane has no line, or its border alone
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
    ways = content.model.arrangement.titles() if focused else (TITLES.get(name, name),)
    title = shorten(f" {fitting(ways, inside - 4)} ", inside - 2)
    yield [
        ("╭─", border, "background"),
        (title, "border-title-focus" if focused else "border-title", "background"),
        ("─" * (inside - 1 - width(title)) + "╮", border, "background"),
    ]
    side = ("│", border, "background")
    blank = _plain(fit_line([], inside))
    for y in range(box.height - 2):
        yield [side, *(content.line(y, inside) if focused else blank), side]
    facts = fewer(content.facts, inside - 4) if focused else ""
    facts = f" {facts} " if facts else ""
    yield [
        ("╰" + "─" * (inside - 1 - width(facts)), border, "background"),
        (facts, "border-title", "background"),
        ("─╯", border, "background"),
    ]


class _Content:
    """What is in the list's pane."""

    def __init__(self, model: SessionList, now_ms: int, query: str | None, box: Box) -> None:
        self.model = model
        self._now_ms = now_ms
        self._query = query
        self._selected = model.first_session()
        searches = bool(query and query.strip()) and model.empty() in ("", "query")
        self.facts = list_facts(model, searches=searches, answered=not query, begins=bool(query))
        height = box.height - 2 - (query is not None)
        self._notice = [] if model.lines else _notice(model, query, box.width - 2 - SCROLLBAR, searches)
        length = len(self._notice) or model.length * model.arrangement.row_height
        self._bar = _scrollbar(length, height)

    def line(self, y: int, cells: int) -> list[Cell]:
        if self._query is not None:
            if y == 0:
                return _search_line(self._query, cells)
            y -= 1
        beside = self._bar[y]
        cells -= SCROLLBAR
        return [*self._row(y, cells), beside]

    def _row(self, y: int, cells: int) -> list[Cell]:
        model = self.model
        if y < len(self._notice):
            return _plain(fit_line([(f" {self._notice[y]}", "dim")], cells))
        index, below = divmod(y, model.arrangement.row_height)
        if index >= len(model.lines):
            return _plain(fit_line([], cells))
        line = model.lines[index]
        selected = index == self._selected
        if below:
            drawn = render_second_line(model, line, cells, selected=selected)
        else:
            drawn = render_list_line(model, line, cells, selected=selected, now_ms=self._now_ms, states={})
        focused = "cursor" if self._query is None else "cursor-idle"
        background = focused if selected else "background"
        return [(text, style, background) for text, style in drawn]


def _search_line(query: str, cells: int) -> list[Cell]:
    """The line above the list, with its cursor: behind what is typed, or on the hint."""
    if query:
        said, style = shorten_start(one_line(query), cells - 2), "text"
        before, under, after = said, " ", ""
    else:
        from app.view.footer import SEARCH_HINT

        said, style = shorten(SEARCH_HINT, cells - 2), "hint"
        before, under, after = "", said[:1], said[1:]
    room = max(0, cells - 1 - width(before + under + after))
    return [
        (f" {before}", style, "panel"),
        (under, "ground", "text"),
        (after, style, "panel"),
        (" " * room, "text", "panel"),
    ]


def _notice(model: SessionList, query: str | None, cells: int, searches: bool) -> list[str]:
    """What stands in place of rows, as on the screen that follows: that there are none, or that nothing is
    found yet.
    """
    nowhere = None if model.known else model.nowhere
    if nowhere is None and not searches:
        return []
    # most first frames have rows, and no time for what they do not need
    from app.view.empty_states import nothing_found, searching_for
    from app.view.wrapping import wrap

    said = searching_for(query or "") if nowhere is None else nothing_found(nowhere, model.home)
    return [piece for line in said for piece in wrap(line, max(4, cells - 2))]


_BARS = " ▇▆▅▄▃▂▁"
"""What is left at the end of the thumb, by how many eighths of the cell it covers."""


def _scrollbar(length: int, height: int) -> list[Cell]:
    """The scrollbar of so many lines in so many, at their beginning; blank where all are in sight. As Textual
    draws it.
    """
    bar: list[Cell] = []
    if length > height > 0:
        eighths = -int(-max(1.0, height * height / length) * 8 // 1)
        whole, part = divmod(eighths, 8)
        bar = [(" ", "text", "border")] * whole
        if part:
            bar.append((_BARS[part], "ground", "border"))
    return [*bar[:height], *[(" ", "text", "background")] * (height - len(bar))]
