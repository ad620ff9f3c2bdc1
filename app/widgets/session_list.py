"""The list of sessions: its rows, marks, folds and prompts, with a cursor that stays on its session."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding

from app.view.line import Line, fit_line, wrap
from app.view.selection import StableSelection
from app.view.session_row import render_list_line, render_second_line
from app.widgets.commands import bindings_of, has_command
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from textual.binding import BindingType
    from textual.geometry import Region

    from app.index.row import Row
    from app.stores.tags import Taggings
    from app.view.arrangement import Arrangement
    from app.view.hit_line import HitExcerpt
    from app.view.keeping import Keeping
    from app.view.list_groups import Group, ListLine
    from app.view.list_model import ListModel


RETURN_SECONDS = 1.0
"""Time within which a session that vanished gets the cursor back when it reappears. While files are being
read, the time does not count.
"""


_EXPLAIN_TRASH = Binding("d", "screen.explain_trash", show=False)
"""In many programs the key deletes."""


class SessionListView(LineList):
    """Shows a `app.view.list_model.ListModel`, or a notice in place of rows.

    model         the sessions
    states        path -> "live" or "maybe"
    excerpts      path -> why the session is a hit
    excerpts_of   the query that the excerpts should be of
    notice        the lines to show while no session is listed
    panel         draws the lines in a width and a height in place of the notice; None for none
    steps         how often the user has moved the cursor
    followed_to   the new path of the cursor's session, if its agent moved the file
    once_known    runs an action on the session under the cursor, now or when the search has an answer
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("sessions"),
        *([] if has_command("d", "sessions", "side", "list", "app") else [_EXPLAIN_TRASH]),
    ]

    class MarksChanged(LineList.ListMessage):
        """Other sessions are marked."""

    class ExcerptsMissing(LineList.ListMessage):
        """Rows in view do not say why they are hits."""

        def __init__(self, line_list: LineList, paths: Sequence[str]) -> None:
            self.paths = paths
            super().__init__(line_list)

    class FoldsChanged(LineList.ListMessage):
        """Projects were folded or unfolded."""

    def __init__(self, model: ListModel, now_ms: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.model = model
        self.row_height = self._model_row_height
        self.now_ms = now_ms
        self.states: dict[str, str] = {}
        self.excerpts: dict[str, HitExcerpt] = {}
        self.excerpts_of = ""
        self._asks = False
        self.notice: list[str] = []
        self._notice_lines: list[str] = []
        self.panel: Callable[[int, int], list[Line]] | None = None
        self._panel_lines: list[Line] = []
        # the paths of the sessions that a prompt is about
        self._prompt_paths: frozenset[str] = frozenset()
        self.steps = 0
        self.followed_to = ""
        self.once_known: Callable[[Callable[[], object]], object] = lambda action: action()
        # whether the user has moved the cursor or changed a fold; whether the user has changed a fold
        self._has_moved = False
        self._has_folded = False
        # the session or the project under the cursor
        self._session: StableSelection | None = None
        self._group: str | None = None
        # the path of a session that gets the cursor when it is listed, and `steps` at that moment
        self._expected = "", 0
        # the session that vanished from under the cursor, and when
        self._lost: StableSelection | None = None
        self._lost_at = 0.0
        self._announced: tuple[str, str | None] = ("", None)
        # the session under the cursor before a filter hid it, and before an arrangement hid it
        self._before_filter: StableSelection | None = None
        self._before_arranged: StableSelection | None = None
        self._had_sessions = bool(model.total)
        # grouping and scope of the list when projects were last opened by default
        self._opened_as = self._grouping_and_scope

    def on_mount(self) -> None:
        if self._session is None and self._group is None:
            self.cursor = self.model.first_session()
            self._remember()
        self.set_rows(len(self.model.lines), self.cursor)

    # rows

    @property
    def row(self) -> Row | None:
        """The session under the cursor."""
        lines = self.model.lines
        return lines[self.cursor].row if self.cursor < len(lines) else None

    @property
    def group(self) -> Group | None:
        """The project under the cursor; None if the list is not grouped by project."""
        lines = self.model.lines
        group = lines[self.cursor].group if self.cursor < len(lines) else None
        return None if group is None or group.is_whole or not self.model.has_groups else group

    @property
    def project(self) -> Group | None:
        """The project whose head is under the cursor; None on a session and on the head of a section."""
        group = self.group
        return group if self.row is None and group is not None and not group.is_section else None

    @property
    def has_cursor(self) -> bool:
        return bool(self.model.lines)

    @property
    def _model_row_height(self) -> int:
        """The lines of each row; a notice has rows of one line."""
        return self.model.row_height if self.model.lines else 1

    @property
    def short_rows(self) -> Sequence[int]:
        """The heads of projects."""
        return self.model.heads

    def row_region(self, path: str) -> Region | None:
        """The screen region of the first line of a session's row; None if it is not in view."""
        return self.region_of(self.model.index_of(path))

    def edit_region(self, path: str) -> Region | None:
        """The region in which the name of a session is edited; None if it is not in view."""
        return self.edit_region_of(self.model.index_of(path))

    # drawing

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if not self.model.lines:
            if self.panel is not None:
                return self._panel_lines[index]
            return fit_line([(" " + self._notice_lines[index], "dim")], cells)
        return render_list_line(
            self.model,
            self.model.lines[index],
            cells,
            selected=selected,
            now_ms=self.now_ms,
            states=self.states,
            is_target=self.model.lines[index].path in self._prompt_paths,
        )

    def draw_below(self, index: int, cells: int, selected: bool) -> Line:
        line = self.model.lines[index]
        found = self._excerpt(line)
        return render_second_line(self.model, line, cells, states=self.states, found=found)

    # excerpts of hits

    def _excerpt(self, line: ListLine) -> HitExcerpt | None:
        """Why a session is a hit; if it is not known, the owner of the list is asked once for all rows in
        view.
        """
        if line.row is None or not self.model.is_filtered:
            return None
        found = self.excerpts.get(line.path)
        if (found is None or found.query != self.excerpts_of) and not self._asks:
            self._asks = True
            self.call_later(self._ask_for_excerpts)
        return found

    def _ask_for_excerpts(self) -> None:
        self._asks = False
        first = self._lines.row_at(self.scroll_offset.y)
        after = self._lines.row_at(self.scroll_offset.y + self.size.height) + 2
        paths = [line.path for line in self.model.lines[first:after] if line.row is not None]
        missing = [
            path
            for path in paths
            if path not in self.excerpts or self.excerpts[path].query != self.excerpts_of
        ]
        if missing and self.model.is_filtered:
            self.post_message(self.ExcerptsMissing(self, missing))

    def show_excerpts(self, excerpts: Mapping[str, HitExcerpt]) -> None:
        """Show why sessions are hits."""
        self.excerpts.update(excerpts)
        indexes = [index for path in excerpts if (index := self.model.index_of(path)) is not None]
        if self.model.is_filtered:
            self._redraw(*indexes)

    # the notice in place of rows

    def show_notice(self, lines: list[str]) -> None:
        """Set the lines to show while no session is listed."""
        if lines != self.notice:
            self.notice = lines
            self._wrap_notice()

    def _wrap_notice(self) -> None:
        width = self.scrollable_content_region.width
        # Before the first layout the lines are not wrapped, as in the first frame.
        self._notice_lines = [
            piece for line in self.notice for piece in (wrap(line, max(4, width - 2)) if width else [line])
        ]
        if not self.model.lines and self.panel is None:
            self.set_rows(len(self._notice_lines), 0)

    def show_panel(self, draw: Callable[[int, int], list[Line]] | None) -> None:
        """Set what draws the lines in place of the notice; None for the notice."""
        if draw is None and self.panel is None:
            return
        self.panel = draw
        self._lay_panel()

    def _lay_panel(self) -> None:
        height = self.size.height
        self._panel_lines = self.panel(self.scrollable_content_region.width, height) if self.panel else []
        if not self.model.lines:
            self.set_rows(len(self._panel_lines if self.panel else self._notice_lines), 0)

    def size_changed(self) -> None:
        super().size_changed()
        if self.panel is not None:
            self._lay_panel()

    def on_resize(self) -> None:
        super().on_resize()
        self._wrap_notice()

    # marks and prompts

    def toggle_mark(self, path: str) -> None:
        """Mark or unmark a session."""
        self.model.toggle_mark(path)
        index = self.model.index_of(path)
        if index is not None:
            self._redraw(index)
        self.post_message(self.MarksChanged(self))

    def clear_marks(self) -> None:
        """Unmark all sessions."""
        marked = set(self.model.marked)
        self.model.clear_marks()
        self.redraw_rows()
        self._post_marks(marked)

    def _post_marks(self, before: set[str]) -> None:
        if before != self.model.marked:
            self.post_message(self.MarksChanged(self))

    def set_question(self, paths: frozenset[str]) -> None:
        """Highlight the sessions that a prompt is about.

        :param paths: their paths.
        """
        self._prompt_paths = paths
        self.redraw_rows()

    def clear_question(self) -> None:
        """Remove the highlights of a prompt."""
        self.set_question(frozenset())

    # keys

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
        """Mark all listed sessions, or unmark them if all are marked."""
        self.once_known(self._mark_all)

    def _mark_all(self) -> None:
        listed = {line.path for line in self.model.lines if line.row is not None}
        marked = self.model.marked
        for path in listed - marked or listed:
            self.model.toggle_mark(path)
        self.redraw_rows()
        if listed:
            self.post_message(self.MarksChanged(self))

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
        self._has_moved = self._has_folded = True
        self.model.open_all(True)
        self._folds_changed()

    def action_close_all(self) -> None:
        if self.group is not None:
            self.move_to(self.group.start)
        self._has_folded = True
        self.model.open_all(False)
        self._folds_changed()

    def _set_open(self, group: Group, is_open: bool) -> None:
        self._has_moved = self._has_folded = True
        if not is_open:
            self.move_to(group.start)
        self.model.set_open(group, is_open)
        self._folds_changed()

    def _folds_changed(self) -> None:
        self.rows_changed()
        self.post_message(self.FoldsChanged(self))

    # other sessions

    def adopt(self, model: ListModel) -> None:
        """Show the sessions of a list that was filled in another thread."""
        marked = set(self.model.marked)
        self.model.adopt(model)
        self._open_anew()
        self.rows_changed()
        self._post_marks(marked)

    def apply(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Apply changes on disk; the cursor stays on its session.

        If a session vanishes and soon reappears (an agent renames its folder, or writes its file anew), it
        gets the cursor back unless the user has moved it. Later, the user is reading another session.
        """
        marked = set(self.model.marked)
        self.model.apply(changed, removed)
        self.rows_changed()
        self._post_marks(marked)

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Arrange the sessions in another way. The cursor stays on its session; if that is hidden, the cursor
        returns to it when it is shown again, unless the user has moved the cursor. In the list of what needs
        the user it goes to the first session, and returns likewise.
        """
        begins_needs = arrangement.needs and not self.model.arrangement.needs
        self.model.arrange(arrangement)
        if self.model.is_complete:
            self._open_anew()
        self._arranged(to_first=begins_needs)

    @property
    def _grouping_and_scope(self) -> tuple[bool, str]:
        return self.model.arrangement.has_groups, self.model.arrangement.scope

    def _open_anew(self) -> None:
        """If other projects are listed now, open those that a new list opens, unless the user has changed a
        fold.
        """
        before, self._opened_as = self._opened_as, self._grouping_and_scope
        if before != self._opened_as and self.model.arrangement.has_groups and not self._has_folded:
            self.model.open_first(self.size.height, folds=False)

    def also_here(self, cwds: Iterable[str]) -> None:
        """Add other names of the current folder."""
        self.model.also_here(cwds)
        self._arranged()

    def come_back(self) -> None:
        """Return the cursor to the session that an arrangement has hidden, if that is shown again and the
        user has not moved the cursor.
        """
        if self._before_arranged is not None:
            self._arranged()

    def _arranged(self, *, to_first: bool = False) -> None:
        before = None if self.model.arrangement.needs else self._before_arranged
        if before is not None and self.model.index_of(_path_of(before)) is not None:
            self._session, self._before_arranged = before, None
        if self._session is not None:
            group = self.model.group_of(_path_of(self._session))
            if group is not None and not self.model.is_open(group):
                self.model.set_open(group, True)
        if to_first or self._cursor_line() is None:
            self._before_arranged = self._before_arranged or self._session
            self._session = self._group = None
        self.rows_changed()
        self.redraw_rows()

    def set_pins(self, pins: frozenset[tuple[str, str]]) -> None:
        """Set the pinned sessions: (agent, id) of all of them."""
        self.model.set_pins(pins)
        self.rows_changed()

    def set_taggings(self, taggings: Taggings) -> None:
        """Set the tags and notes of all sessions."""
        self.model.set_taggings(taggings)
        self.rows_changed()

    def set_recaps(self, recaps: Mapping[tuple[str, str], str]) -> None:
        """Set what the agents say about sessions: (agent, id) -> text."""
        if recaps != self.model.recaps:
            self.model.recaps = recaps
            self.redraw_rows()

    def set_keeping(self, keeping: Keeping) -> None:
        """Set which sessions are kept, and which ones may be deleted soon."""
        self.model.keeping = keeping
        self.redraw_rows()

    def set_last_words(self, last_words: Mapping[tuple[str, str], str]) -> None:
        """Set with which words sessions end: (agent, id) -> text."""
        if last_words != self.model.last_words:
            self.model.last_words = last_words
            self.redraw_rows()

    def set_missing(self, folders: frozenset[str], agents: frozenset[str]) -> None:
        """Set which folders of sessions are gone, and which agents are not installed."""
        if self.model.set_missing(folders, agents):
            self.redraw_rows()

    def set_states(self, states: Mapping[str, str], activities: Mapping[str, str]) -> None:
        """Set which sessions are live, and what their agents do there (`ProcessNote.activity`)."""
        if (self.states, self.model.activities) != (states, activities):
            self.states = dict(states)
            self.model.set_live(states, activities)
            self.redraw_rows()
            self.rows_changed()

    def open_first(self) -> None:
        """Open the first projects while the list is being filled; the cursor is on the first session until
        the user moves it.
        """
        if not self._has_moved:
            self.model.open_first(self.size.height)
            self._session = self._group = None
            self.rows_changed()

    # search

    def set_query(self, query: str) -> None:
        """Filter the list by its rows; the cursor stays on its session, or goes to the first match."""
        self._filter(lambda: self.model.set_query(query), leaves_heading=bool(query))

    def set_found(
        self,
        paths: AbstractSet[str],
        words: list[str],
        *,
        ranks: Mapping[str, int] | None = None,
        sort: str = "",
        hidden: bool = False,
        to_first: bool = False,
    ) -> None:
        """Show the result of a search (see the model); the cursor stays on its session if that is in it.

        :param to_first: move the cursor to the first session instead.
        """
        self._filter(
            lambda: self.model.set_found(paths, words, ranks=ranks, sort=sort, hidden=hidden),
            leaves_heading=not self.model.is_filtered,
            to_first=to_first,
        )

    def _filter(
        self, change_query: Callable[[], None], *, leaves_heading: bool, to_first: bool = False
    ) -> None:
        """Change the model's query.

        :param leaves_heading: move the cursor from the head of a project to the first match.
        """
        session, was_filtered, is_on_heading = self._session, self.model.is_filtered, self.row is None
        change_query()
        if not was_filtered:
            self._before_filter = session
        if not self.model.is_filtered and self._before_filter is not None:
            # The cursor was not moved while the filter was on, so it returns.
            self._session, self._before_filter = self._before_filter, None
        if was_filtered and not self.model.is_filtered and self._session is not None:
            # The head of a folded project would take the cursor from the session that was found.
            group = self.model.group_of(_path_of(self._session))
            if group is not None and not self.model.is_open(group):
                self.model.set_open(group, True)
        if self._cursor_line() is None or (is_on_heading and leaves_heading) or to_first:
            self._session = self._group = None
        self.rows_changed()

    # the cursor

    def keep_cursor(self) -> None:
        """Leave the cursor on its session when the query is removed, and do not move it back."""
        self._before_filter = None

    def go_to(self, path: str) -> bool:
        """Move the cursor to a session and unfold its project. False: it is not listed."""
        row = self.model.row_at(path)
        if row is None:
            return False
        self._session, self._group, self._lost = StableSelection(self.model, [row]), None, None
        self._has_moved = True
        self.steps += 1
        self._arranged()
        return self.row is row

    def expect(self, path: str) -> None:
        """Move the cursor to a session now, or when it is listed, unless the user moves the cursor before."""
        self._expected = path, self.steps
        self._go_to_expected()

    def _go_to_expected(self) -> bool:
        """Move the cursor to the expected session if it is listed."""
        path, steps = self._expected
        if not path or self.model.row_at(path) is None:
            return False
        self._expected = "", 0
        is_listed = self.model.index_of(path) is not None or self.model.group_of(path) is not None
        return is_listed and steps == self.steps and self.go_to(path)

    def forget_place(self) -> None:
        """Move the cursor to the first session at the next change of rows."""
        self._session = self._group = None

    def move_to(self, index: int) -> None:
        before = self.cursor
        super().move_to(index)
        if self.cursor != before:
            self._has_moved = True
            self.steps += 1
            self._lost = self._before_filter = self._before_arranged = None
            self.followed_to = ""
            self._remember()

    def rows_changed(self) -> None:
        """Show the model's new lines, with the cursor on its session, or on the row that represents it."""
        before = self._announced
        if self._go_to_expected():
            return
        if self.model.total and not self._had_sessions and not self._has_folded:
            self.model.open_first(self.size.height)
        self._had_sessions = bool(self.model.total)
        self.set_row_height(self._model_row_height)
        if not self._may_return():
            self._lost = None
        if self._lost is not None and self._line_of(self._lost) is not None:
            self._session, self._lost = self._lost, None
            self.followed_to = _path_of(self._session)
        line = self._cursor_line()
        if line is None:
            if self._session is not None and self.model.row_at(self._session.first.path) is None:
                # If another session vanished before, the cursor came to this one because of that.
                self._lost = self._lost or self._session
                self._lost_at = monotonic()
                self.followed_to = ""
            line = min(self.cursor, len(self.model.lines) - 1)
            if self._session is None:
                line = self.model.first_session()
        shown = len(self.model.lines) or len(self._panel_lines if self.panel else self._notice_lines)
        self.set_rows(shown, max(0, line), keep_offset=True)
        self._remember()
        if self._announced != before:
            self.post_message(self.Moved(self))

    def _may_return(self) -> bool:
        """Whether the session that vanished from under the cursor may reappear."""
        if self._lost is None:
            return False
        # If a large folder is renamed, its sessions vanish, and reappear when it has been read.
        is_reading: bool = getattr(self.screen, "is_reading", False)
        return is_reading or monotonic() - self._lost_at <= RETURN_SECONDS

    def _cursor_line(self) -> int | None:
        """The line of the cursor's session or project; None if it is not listed."""
        if self._session is not None:
            path = _path_of(self._session)
            if path != self._session.first.path:
                self.followed_to = path
            return self._line_of(self._session)
        return self.model.index_of_group(self._group) if self._group is not None else None

    def _line_of(self, session: StableSelection) -> int | None:
        """The line of a session, or of its project if that is folded; None if it is not listed."""
        model, path = self.model, _path_of(session)
        line, group = model.index_of(path), model.group_of(path)
        if line is None and group is not None and not model.is_filtered:
            return model.index_of_group(group.cwd)
        return line

    def _remember(self) -> None:
        row, group = self.row, self.group
        self._session = StableSelection(self.model, [row]) if row else None
        self._group = group.cwd if group else None
        self._announced = (row.path, None) if row else ("", self._group)


def _path_of(session: StableSelection) -> str:
    """The path of a session; the last known one if it is gone."""
    return (session.row or session.first).path
