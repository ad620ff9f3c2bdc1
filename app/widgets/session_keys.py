"""What the keys of the session list do: resume, marks, and the folds of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from app.widgets.session_rows import SessionRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.row import Row
    from app.view.group import Group
    from app.view.session_list import SessionList


class SessionKeys(SessionRows):
    """Marks and folds; :class:`app.widgets.session_list.SessionListView` keeps the cursor on its session."""

    class ResumeAsked(Message):
        """The user wants to go on with the session under the cursor; on a head, to fold or unfold it."""

    class FoldsChanged(SessionRows.About):
        """Projects were folded or unfolded."""

    def __init__(self, model: SessionList, now_ms: int, *, id: str | None = None) -> None:
        super().__init__(model, now_ms, id=id)
        # whether the user has put the cursor elsewhere, or folded anything
        self._touched = False
        # whether the user has folded or unfolded a project
        self._has_folded = False
        # does at once, or later, what is asked about the session under the cursor: see the side it is in
        self.once_known: Callable[[Callable[[], object]], object] = lambda act: act()

    @property
    def row(self) -> Row | None:
        """The session under the cursor."""
        lines = self.model.lines
        return lines[self.cursor].row if self.cursor < len(lines) else None

    @property
    def group(self) -> Group | None:
        """The project that the cursor is in; None where the list is not by project."""
        lines = self.model.lines
        group = lines[self.cursor].group if self.cursor < len(lines) else None
        return None if group is None or group.is_whole else group

    def rows_changed(self) -> None:
        """The model's lines are others now; the cursor stays on its session, or on what stands for it."""
        raise NotImplementedError

    # resume, and marks

    def action_resume(self) -> None:
        self.post_message(self.ResumeAsked())

    def action_mark_or_fold(self) -> None:
        self.once_known(self._mark_or_fold)

    def _mark_or_fold(self) -> None:
        row = self.row
        if row is None:
            self.action_toggle_fold()
        else:
            self.toggle_mark(row.path)
            self.move_to(self.cursor + 1)

    def action_mark_all(self) -> None:
        """Mark all sessions that are shown; where they are, none of them."""
        self.once_known(self._mark_all)

    def _mark_all(self) -> None:
        shown = {line.path for line in self.model.lines if line.row is not None}
        marked = self.model.marked
        for path in shown - marked or shown:
            self.model.toggle_mark(path)
        self._redraw_changed()
        if shown:
            self.post_message(self.MarksChanged(self))

    # folds

    def action_toggle_fold(self) -> None:
        group = self.group
        if group is not None:
            self._set_open(group, not self.model.is_open(group))

    def action_open_or_enter(self) -> None:
        group = self.group
        if group is not None and self.row is None and not self.model.is_open(group):
            self._set_open(group, True)
        elif self.model.lines:
            self.move_to(self.cursor + 1)

    def action_close_or_climb(self) -> None:
        group = self.group
        if group is None:
            return
        if self.row is None:
            self._set_open(group, False)
        else:
            self.move_to(group.start)

    def action_open_all(self) -> None:
        self._touched = self._has_folded = True
        self.model.open_all(True)
        self._folds_changed()

    def action_close_all(self) -> None:
        if self.group is not None:
            self.move_to(self.group.start)
        self._has_folded = True
        self.model.open_all(False)
        self._folds_changed()

    def _set_open(self, group: Group, is_open: bool) -> None:
        self._touched = self._has_folded = True
        if not is_open:
            self.move_to(group.start)
        self.model.set_open(group, is_open)
        self._folds_changed()

    def _folds_changed(self) -> None:
        self.rows_changed()
        self.post_message(self.FoldsChanged(self))
