"""The first picture of the browser or of the selector as lines of styled text: bars, panes and the session
list, without a screen library.
"""

from __future__ import annotations

from app.commands import footer
from app.formats.text import one_line
from app.view.bars import header_line, keys_line
from app.view.cells import fewer, shorten, shorten_start, width
from app.view.folders import tilde
from app.view.geometry import HEADER, PANES, Box, place, place_selector
from app.view.line import fit_line
from app.view.session_row import render_list_line, render_second_line

TYPE_CHECKING = False
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
    content = _Content(model, now_ms, query)
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
    said = content.model.arrangement.title if focused else TITLES.get(name, name)
    title = shorten(f" {fewer(said, inside - 4)} ", inside - 2)
    yield [
        ("╭─", border, "background"),
        (title, "border-title-focus" if focused else "border-title", "background"),
        ("─" * (inside - 1 - width(title)) + "╮", border, "background"),
    ]
    side = ("│", border, "background")
    blank = _plain(fit_line([], inside))
    for y in range(box.height - 2):
        yield [side, *(content.line(y, inside) if focused else blank), side]
    doing = " … " if focused and content.searches else ""
    yield [
        ("╰" + "─" * (inside - 1 - len(doing)), border, "background"),
        (doing, "border-title", "background"),
        ("─╯", border, "background"),
    ]


class _Content:
    """What is in the list's pane."""

    def __init__(self, model: SessionList, now_ms: int, query: str | None) -> None:
        self.model = model
        self._now_ms = now_ms
        self._query = query
        self._selected = model.first_session()
        self.searches = bool(query and query.strip()) and model.empty() in ("", "query")

    def line(self, y: int, cells: int) -> list[Cell]:
        if self._query is not None:
            if y == 0:
                said, how = shorten_start(one_line(self._query), cells - 2), "text"
                if not self._query:
                    from app.view.hints import SEARCH_HINT

                    said, how = shorten(SEARCH_HINT, cells - 2), "dim"
                return [(text, style, "panel") for text, style in fit_line([(f" {said}", how)], cells)]
            y -= 1
            if self.searches and not self.model.lines:
                notice = _searching(self._query, cells - SCROLLBAR)
                return _plain(fit_line([(f" {notice[y]}", "dim")] if y < len(notice) else [], cells))
        model = self.model
        index, below = divmod(y, model.arrangement.row_height)
        if index >= len(model.lines):
            return _plain(fit_line([], cells))
        line = model.lines[index]
        selected = index == self._selected
        cells -= SCROLLBAR
        if below:
            drawn = render_second_line(model, line, cells, selected=selected)
        else:
            drawn = render_list_line(model, line, cells, selected=selected, now_ms=self._now_ms, states={})
        focused = "cursor" if self._query is None else "cursor-idle"
        background = focused if selected else "background"
        return [
            *((text, style, background) for text, style in drawn),
            (" " * SCROLLBAR, "text", "background"),
        ]


def _searching(query: str, cells: int) -> list[str]:
    """What stands in place of rows while nothing is found yet, as on the screen that follows."""
    # most first frames have rows, and no time for what they do not need
    from app.view.notices import searching_for
    from app.view.wrapping import wrap

    return [piece for line in searching_for(query) for piece in wrap(line, max(4, cells - 2))]
