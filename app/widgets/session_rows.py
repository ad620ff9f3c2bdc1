"""What the list of sessions looks like: its rows, the marks in them and the question in one; or a notice in
place of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region

from app.view.line import Line, fit_line
from app.view.session_row import render_list_line, render_second_line
from app.view.wrapping import wrap
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from app.view.session_list import SessionList


class SessionRows(LineList):
    """Draws the rows of a :class:`app.view.session_list.SessionList`."""

    class MarksChanged(LineList.About):
        """Other sessions are marked."""

    def __init__(self, model: SessionList, now_ms: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.model = model
        self.row_height = self.height_of_rows
        self.now_ms = now_ms
        # path -> live or maybe
        self.states: dict[str, str] = {}
        self.notice: list[str] = []
        self._notice_lines: list[str] = []
        # what is asked, in which session's row, about which paths
        self._question = ""
        self._asked_in = ""
        self._meant: frozenset[str] = frozenset()

    def _set_length(self, rows: int) -> None:
        # the scrollbar tells of all
        super()._set_length(max(rows, self.model.expected))
        self.rows = rows

    @property
    def height_of_rows(self) -> int:
        """Lines that each row takes; those of a notice take one."""
        return self.model.arrangement.row_height if self.model.lines else 1

    # in place of rows

    def show_notice(self, lines: list[str]) -> None:
        """Lines to show while there is no session to list."""
        if lines != self.notice:
            self.notice = lines
            self._lay_out_notice()

    def _lay_out_notice(self) -> None:
        width = self.scrollable_content_region.width
        # before there is a size it is painted whole, as in the picture before
        self._notice_lines = [
            piece for line in self.notice for piece in (wrap(line, max(4, width - 2)) if width else [line])
        ]
        if not self.model.lines:
            self.set_rows(len(self._notice_lines), 0)

    def on_resize(self) -> None:
        super().on_resize()
        self._lay_out_notice()

    @property
    def has_cursor(self) -> bool:
        return bool(self.model.lines)

    # marks, and what is asked in a row

    def toggle_mark(self, path: str) -> None:
        """Mark a session, or no longer."""
        self.model.toggle_mark(path)
        self._redraw_changed()
        self.post_message(self.MarksChanged(self))

    def clear_marks(self) -> None:
        """Mark nothing."""
        marked = set(self.model.marked)
        self.model.clear_marks()
        self._redraw_changed()
        self._tell_of_marks(marked)

    def _tell_of_marks(self, before: set[str]) -> None:
        if before != self.model.marked:
            self.post_message(self.MarksChanged(self))

    def set_question(self, paths: frozenset[str], text: str = "") -> None:
        """Mark what something is asked about.

        :param paths: the sessions that it is about; their rows show it.
        :param text: the question, in the row of the only one; it stays with that session. "": it is asked
            elsewhere. Inert.
        """
        self._asked_in = next(iter(paths)) if text else ""
        self._meant, self._question = paths, text
        self._redraw_changed()

    def clear_question(self) -> None:
        """Nothing is asked any more."""
        self.set_question(frozenset())

    def _asked_at(self, index: int) -> str | None:
        path = self.model.lines[index].path
        if path not in self._meant:
            return None
        return self._question if path == self._asked_in else ""

    def row_region(self, path: str) -> Region | None:
        """Where the first line of a session's row is on the screen; None when it is not in sight."""
        index = self.model.index_of(path)
        inside = self.scrollable_content_region
        if index is None:
            return None
        y = index * self.row_height - self.scroll_offset.y
        return Region(inside.x, inside.y + y, inside.width, 1) if 0 <= y < inside.height else None

    # drawing

    def row_key(self, index: int) -> object:
        model = self.model
        if index >= len(model.lines):
            return None
        line = model.lines[index]
        words, asked = tuple(model.words), self._asked_at(index)
        if line.row is None:
            return line.group.cwd, line.group.shown, model.is_open(line.group), words, asked
        path = line.row.path
        lineage = line.prefix, line.is_orphan and (model.is_complete or model.shows_first), model.is_filtered
        return line.row, lineage, line.pinned, path in model.marked, self.states.get(path), words, asked

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if not self.model.lines:
            return fit_line([(" " + self._notice_lines[index], "dim")], cells)
        return render_list_line(
            self.model,
            self.model.lines[index],
            cells,
            selected=selected,
            now_ms=self.now_ms,
            states=self.states,
            question=self._asked_at(index),
        )

    def draw_below(self, index: int, cells: int, selected: bool) -> Line:
        if not self.model.lines:
            return super().draw_below(index, cells, selected)
        return render_second_line(self.model, self.model.lines[index], cells, selected=selected)
