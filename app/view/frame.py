"""The browser's first picture as lines of styled text: bars, panes and the session list, without a screen
library.
"""

from __future__ import annotations

from app.commands import footer
from app.view.bars import header_line, keys_line
from app.view.cells import shorten, width
from app.view.folders import tilde
from app.view.geometry import HEADER, PANES, Box, place
from app.view.line import fit_line
from app.view.session_row import render_list_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.view.line import Line
    from app.view.session_list import SessionList

    Cell = tuple[str, str, str]

SCROLLBAR = 1


def frame(
    model: SessionList, columns: int, lines: int, *, now_ms: int, here: str, home: str
) -> list[list[tuple[str, str, str]]]:
    """The whole screen: for each line its pieces as (text, style, background colour name).

    The session list has the focus and its first session is under the cursor, as on the screen that follows.
    """
    boxes = place(columns, lines)
    head = header_line(
        columns, total=model.total, projects=model.projects, live=0, note="", here=tilde(here, home)
    )
    picture = [_plain(head)]
    picture += [_row(model, boxes, y, columns, now_ms) for y in range(HEADER, HEADER + _height(boxes))]
    picture.append(_plain(fit_line([], columns)))
    picture.append(_plain(keys_line(columns, footer(PANES[0]))))
    return picture[:lines]


def _height(boxes: dict[str, Box]) -> int:
    return max(box.y + box.height for box in boxes.values()) - HEADER


def _plain(line: Line) -> list[Cell]:
    return [(text, style, "background") for text, style in line]


def _row(model: SessionList, boxes: dict[str, Box], y: int, columns: int, now_ms: int) -> list[Cell]:
    pieces: list[Cell] = []
    for name, box in sorted(boxes.items(), key=lambda item: item[1].x):
        if not box.y <= y < box.y + box.height:
            continue
        focused = name == PANES[0]
        border = "border-focus" if focused else "border"
        inside = box.width - 2
        at = y - box.y
        if at == 0:
            title = shorten(f" {name} ", inside - 2)
            pieces += [
                ("╭─", border, "background"),
                (title, "border-title-focus" if focused else "border-title", "background"),
                ("─" * (inside - 1 - width(title)) + "╮", border, "background"),
            ]
        elif at == box.height - 1:
            pieces.append(("╰" + "─" * inside + "╯", border, "background"))
        else:
            pieces.append(("│", border, "background"))
            pieces += _content(model, at - 1, inside, now_ms) if focused else _plain(fit_line([], inside))
            pieces.append(("│", border, "background"))
    return pieces


def _content(model: SessionList, index: int, inside: int, now_ms: int) -> list[Cell]:
    if index >= len(model.lines):
        return _plain(fit_line([], inside))
    line = model.lines[index]
    selected = index == model.first_session()
    drawn = render_list_line(
        line,
        inside - SCROLLBAR,
        selected=selected,
        is_open=model.is_open(line.group),
        now_ms=now_ms,
        words=[],
        states={},
    )
    background = "cursor" if selected else "background"
    return [
        *((text, style, background) for text, style in drawn),
        (" " * SCROLLBAR, "text", "background"),
    ]
