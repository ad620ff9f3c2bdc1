"""The list of sessions, with a cursor that stays on its session."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from app.widgets.bindings import bindings_of
from app.widgets.session_keys import SessionKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from textual.binding import BindingType

    from app.index.row import Row
    from app.view.arrangement import Arrangement
    from app.view.session_list import SessionList


BACK_WITHIN = 1.0
"""Seconds in which a session that went away takes the cursor with it when it comes back; while files are
being read they do not count.
"""


class SessionListView(SessionKeys):
    """Shows a :class:`app.view.session_list.SessionList`, and keeps the cursor on its session meanwhile."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("sessions")]

    def __init__(self, model: SessionList, now_ms: int, *, id: str | None = None) -> None:
        super().__init__(model, now_ms, id=id)
        # how often the user has put the cursor on another row
        self.steps = 0
        self._session: tuple[str, str, str] | None = None
        self._group: str | None = None
        # the session under the cursor, where it went away, and when
        self._lost: tuple[str, str] | None = None
        self._lost_at = 0.0
        self._announced: str | None = None
        # where the cursor was before a filter, and before an arrangement, that does not show its session
        self._before_filter: tuple[str, str, str] | None = None
        self._before_arranged: tuple[str, str, str] | None = None
        # the path to which the cursor went along with its session, when an agent moved its file
        self.followed_to = ""
        self._had_any = bool(model.total)
        # by project or not, and in which scope, when it was last seen to which projects are open
        self._opened_as = self._listed_by

    def on_mount(self) -> None:
        if self._session is None and self._group is None:
            self.cursor = self.model.first_session()
            self._remember()
        self.set_rows(len(self.model.lines), self.cursor)

    # what is shown

    def adopt(self, model: SessionList) -> None:
        """Show the sessions of a list that was filled in another thread."""
        marked = set(self.model.marked)
        self.model.adopt(model)
        self._open_anew()
        self.rows_changed()
        self._tell_of_marks(marked)

    def show_first(self, model: SessionList) -> None:
        """Show the sessions that come first, from a list of them, while the others are not known yet."""
        self.model.show_first(model)
        self.rows_changed()

    def apply(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take over changes on disk; the cursor stays on its session, which may have moved.

        A session that went away and comes back at once (agents rename their folders, and write files anew)
        gets the cursor back, unless the user has moved it meanwhile. Later, another one is being read.
        """
        changed, marked = list(changed), set(self.model.marked)
        self.model.apply(changed, removed)
        if not self._awaits_lost():
            self._lost = None
        for row in changed:
            if self._lost == (row.agent, row.id):
                self._session = (row.path, row.agent, row.id)
                self.followed_to = row.path
                self._lost = None
        self.rows_changed()
        self._tell_of_marks(marked)

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show the sessions in another way. The cursor stays on its session; where that is not shown, it
        comes back when it is again, unless the user has moved it meanwhile.
        """
        self.model.arrange(arrangement)
        if self.model.is_complete:
            self._open_anew()
        self._arranged()

    @property
    def _listed_by(self) -> tuple[bool, str]:
        return self.model.arrangement.grouped, self.model.arrangement.scope

    def _open_anew(self) -> None:
        """Where other projects are listed now, those are open that would be at the beginning, unless the user
        has folded any or unfolded it.
        """
        before, self._opened_as = self._opened_as, self._listed_by
        if before != self._opened_as and self.model.arrangement.grouped and not self._has_folded:
            self.model.open_first(self.size.height, folds=False)

    def also_here(self, cwds: Iterable[str]) -> None:
        """More spellings of the folder that is "here"."""
        self.model.also_here(cwds)
        self._arranged()

    def come_back(self) -> None:
        """Put the cursor on the session that an arrangement has left out, where that is shown again and the
        user has not moved the cursor meanwhile.
        """
        if self._before_arranged is not None:
            self._arranged()

    def _arranged(self) -> None:
        if self._before_arranged is not None and self.model.index_of(self._before_arranged[0]) is not None:
            self._session, self._before_arranged = self._before_arranged, None
        if self._session is not None:
            group = self.model.group_of(self._session[0])
            if group is not None and not self.model.is_open(group):
                self.model.set_open(group, True)
        if self._place() is None:
            self._before_arranged = self._before_arranged or self._session
            self._session = self._group = None
        self.rows_changed()
        self.redraw_rows()

    def set_pins(self, pins: frozenset[tuple[str, str]]) -> None:
        """Other sessions are pinned now: (agent, id) of all of them."""
        self.model.set_pins(pins)
        self.rows_changed()

    def go_to(self, path: str) -> bool:
        """Put the cursor on a session, its project unfolded. False where it is not listed."""
        row = self.model.row_at(path)
        if row is None:
            return False
        self._session, self._group, self._lost = (row.path, row.agent, row.id), None, None
        self._touched = True
        self.steps += 1
        self._arranged()
        return self.row is row

    def open_first(self) -> None:
        """Unfold what a person wants to see first, while the list is being filled for the first time; the
        cursor is on the first session until the user moves it.
        """
        if not self._touched:
            self.model.open_first(self.size.height)
            self._session = self._group = None
            self.rows_changed()

    def forget_place(self) -> None:
        """With what is shown next the cursor goes to the first session, as at the beginning."""
        self._session = self._group = None

    def set_query(self, query: str) -> None:
        """Filter the list; the cursor stays where it can, else goes to the first session that matches."""
        on_head = self.row is None
        if query and not self.model.is_filtered:
            self._before_filter = self._session
        self.model.set_query(query)
        if not query and self._before_filter is not None:
            # a filter that was only looked at leaves the cursor where it was
            self._session, self._before_filter = self._before_filter, None
        if self._place() is None or (on_head and query):
            self._session = self._group = None
        self.rows_changed()

    def set_found(
        self,
        paths: AbstractSet[str],
        words: list[str],
        *,
        by_rows: bool,
        ranks: Mapping[str, int] | None = None,
    ) -> None:
        """Show what a search has found (see the model); the cursor stays where it can."""
        begins, on_head = not self.model.is_filtered, self.row is None
        if begins:
            self._before_filter = self._session
        self.model.set_found(paths, words, by_rows=by_rows, ranks=ranks)
        if self._place() is None or (on_head and begins):
            self._session = self._group = None
        self.rows_changed()

    def set_states(self, states: Mapping[str, str]) -> None:
        """Take over which sessions are live."""
        if self.states != states:
            self.states = dict(states)
            self.model.set_live(states)
            self.rows_changed()

    def rows_changed(self) -> None:
        """The model's lines are others now: find the cursor's session among them."""
        before = self._announced
        if self.model.total and not self._had_any and not self._has_folded:
            # what comes first on an empty screen is what a person waits for
            self.model.open_first(self.size.height)
        self._had_any = bool(self.model.total)
        self.set_row_height(self.height_of_rows)
        place = self._place()
        if place is None:
            if self._session is not None and self.model.row_at(self._session[0]) is None:
                if not self._awaits_lost():
                    # else the user is still on that one, and the cursor only fell on this
                    self._lost = self._session[1:]
                self._lost_at = monotonic()
                self.followed_to = ""
            place = min(self.cursor, len(self.model.lines) - 1)
            if self._session is None:
                place = self.model.first_session()
        self.set_rows(len(self.model.lines) or len(self._notice_lines), max(0, place), keep_offset=True)
        self._remember()
        if self._announced != before:
            self.post_message(self.Moved(self))

    def _awaits_lost(self) -> bool:
        """Whether the session that went away from under the cursor may be on its way back."""
        if self._lost is None:
            return False
        # of a big folder that was renamed all is gone at first, and is there again when it has been read
        is_reading: bool = getattr(self.screen, "is_reading", False)
        return is_reading or monotonic() - self._lost_at <= BACK_WITHIN

    def _place(self) -> int | None:
        model = self.model
        if self._session is not None:
            path, agent, session_id = self._session
            place = model.index_of(path)
            if place is None and model.row_at(path) is None:
                moved = model.same_session(agent, session_id)
                place = model.index_of(moved.path) if moved else None
                self.followed_to = moved.path if moved else self.followed_to
            group = model.group_of(path)
            if place is None and group is not None and not model.is_filtered:
                place = model.index_of_group(group.cwd)  # its project is folded
            return place
        return model.index_of_group(self._group) if self._group is not None else None

    def _remember(self) -> None:
        row, group = self.row, self.group
        self._session = (row.path, row.agent, row.id) if row else None
        self._announced = row.path if row else None
        self._group = group.cwd if group else None

    def move_to(self, index: int) -> None:
        before = self.cursor
        super().move_to(index)
        if self.cursor != before:
            self._touched = True
            self.steps += 1
            self._lost = self._before_filter = self._before_arranged = None
            self.followed_to = ""
            self._remember()
