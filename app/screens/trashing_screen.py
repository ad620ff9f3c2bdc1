"""Moving sessions to the trash, with a question before it, and another one if there is no trash.

A question below the panes gives the title or the number of its sessions, and how many of them are not shown.
A question in a row is about the session of that row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.actions import row_actions
from app.formats.text import one_line
from app.keys import key_name
from app.panes.sessions_pane import once_known
from app.screens.asking_screen import CANCEL, AskingScreen, Prompt
from app.stores import agent_named
from app.view.cells import width
from app.view.prompts import delete_question, trash_question
from app.view.selection import StableSelection
from app.view.session_row import INDENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.messages import ActionsDone, Outcome
    from app.panes.sessions_pane import SessionsPane
    from app.services.action_runner import Action, ActionRunner
    from app.settings import Settings
    from app.setup import Setup

TRASH, TRASH_ANYWAY = "trash", "trash anyway"
"""Names of actions; the second after the user was told that an agent may have a session open."""


class _Asking(NamedTuple):
    """A question about sessions.

    words    makes its text for (titles, cells, number of sessions that are not shown)
    in_row   its texts for the row of a single session, the longest first
    key      the key that answers yes; `does`: the label of that key
    go_on    runs the action
    """

    words: Callable[[Sequence[str], int, int], str]
    in_row: Sequence[str]
    key: str
    does: str
    go_on: Callable[[Sequence[Row]], object]


class TrashingScreen(AskingScreen):
    """Trashes the sessions that are marked, or the one under the cursor."""

    setup: Setup
    settings: Settings
    side: SessionsPane
    reasons: dict[str, str]
    actions: ActionRunner

    # which sessions

    def meant(self) -> list[Row]:
        """The sessions that are marked, else the one under the cursor."""
        sessions = self.side.list
        marked = sessions.model.marked_rows()
        return marked or ([sessions.row] if sessions.row is not None else [])

    def act(self, what: str, rows: Sequence[Row], action: Action) -> None:
        """Do `action` to each of `rows` in the background; `what` comes back with what became of it."""
        if rows:
            self.actions.do(what, rows, action)

    def once_there(
        self,
        meant: StableSelection,
        do: Callable[[Sequence[Row]], object],
        *,
        lost: str = "",
        otherwise: Callable[[], object] = lambda: None,
    ) -> None:
        """Do something to the sessions that are meant, wherever they are by now: their agent may have moved
        their files while it was asked. Those that are just being moved are waited for.

        :param lost: is said as well where all are gone; raw. ``otherwise`` is done then.
        """

        def then() -> None:
            rows = meant.rows()
            if rows:
                do(rows)
                return
            self.complain(f"{title_of(meant.first)} is gone{lost}")
            otherwise()

        self.once(lambda: meant.are_all_there, then)

    # trash

    @once_known
    def action_trash(self) -> None:
        """Move what is meant to the trash, after a question in the row unless the settings say otherwise."""
        from app.stores.live import LIVE, MAYBE

        rows = self.meant()
        states = self.side.list.states
        for row in [row for row in rows if states.get(row.path) == LIVE]:
            self.complain(f"{title_of(row)} stays: {self.reasons.get(row.path, 'it is in use')}")
        rows = [row for row in rows if states.get(row.path) != LIVE]
        if not rows:
            return
        maybe = [row for row in rows if states.get(row.path) == MAYBE]
        if not maybe and not self.settings.ask_before_trash:
            self._trash(rows, anyway=False)
            return
        why = one_line(self.reasons.get(maybe[0].path, ""), 500) if maybe else ""
        harm = agent_named(maybe[0].agent).dangers["trash"][1] if maybe else ""
        shown = trash_question([rows[0].title] * len(rows), self.size.width, hidden=1, why=why, harm=harm)
        if why not in shown or harm not in shown:
            self.notify(f"{why}: {harm}" if why else harm, severity="warning", markup=False)
        asking = _Asking(
            lambda titles, cells, hidden: trash_question(titles, cells, hidden=hidden, why=why, harm=harm),
            (
                "Trash this session? Enter trashes · Esc keeps",
                "Trash this session? Enter · Esc keeps",
                "Trash it? Enter · Esc keeps",
            ),
            "enter",
            "trash",
            lambda rows: self._trash(rows, anyway=bool(maybe)),
        )
        self._ask_about(rows, asking)

    def _trash(self, rows: Sequence[Row], *, anyway: bool) -> None:
        what = TRASH_ANYWAY if anyway else TRASH
        self.act(what, rows, lambda *about: row_actions.trash(*about, anyway=anyway))

    def _fitting(self, *questions: str) -> str:
        """The first that a row has room for, as the keys that answer it stand at its end; else the last."""
        room = self.side.list.scrollable_content_region.width - INDENT
        return next((question for question in questions if width(question) < room), questions[-1])

    def _ask_about(self, rows: Sequence[Row], asking: _Asking) -> None:
        """Ask, and go on with those of `rows` that are still there when the answer is yes, wherever they are
        by then.
        """
        sessions, model = self.side.list, self.side.model
        meant = StableSelection(model, rows)

        def words(cells: int) -> str:
            there = meant.rows()
            hidden = sum(model.index_of(row.path) is None for row in there)
            return asking.words([row.title for row in there or rows], cells, hidden)

        def mark(there: Sequence[Row]) -> None:
            sessions.set_question(frozenset(row.path for row in there), in_row)

        waits = False

        def follow() -> None:
            nonlocal waits
            there = meant.rows()
            if there:
                mark(there)
                self.refresh_bars()
            elif not waits:
                waits = True
                self.once(lambda: bool(meant.rows()), look)

        def look() -> None:
            nonlocal waits
            waits = False
            if sessions.when_laid_out is not follow:
                return
            if meant.rows():
                follow()
            else:
                sessions.when_laid_out = None
                what = f"{title_of(rows[0])} is" if len(rows) == 1 else f"the {len(rows):,} sessions are"
                self.withdraw(question, f"{what} gone: nothing is left to {asking.does}")

        def answered(answer: str | None) -> None:
            if sessions.when_laid_out is follow:
                sessions.when_laid_out = None
            sessions.clear_question()
            if answer is not None:
                self.once_there(meant, asking.go_on)

        row, in_row = sessions.row, ""
        if len(rows) == 1 and row is not None and row.path == rows[0].path:
            # the wheel may have left the row
            sessions.show_cursor()
            in_row = self._fitting(*asking.in_row)
        mark(rows)
        keys = ((key_name(asking.key), asking.does), (CANCEL, "keep"))
        question = self.ask(Prompt(words, keys), {asking.key: asking.does}, answered)
        sessions.when_laid_out = follow

    def trashed(self, event: ActionsDone) -> None:
        """Something was trashed: it leaves the list, and what has no trash is asked for again."""
        if event.what in (TRASH, TRASH_ANYWAY):
            self._trashed(event.outcomes, anyway=event.what == TRASH_ANYWAY)

    def _trashed(self, outcomes: Sequence[Outcome], *, anyway: bool) -> None:
        gone = [outcome.row.path for outcome in outcomes if outcome.row and outcome.change]
        if gone:
            # at once: the watch needs a moment
            self.side.list.apply((), gone)
        without = [outcome for outcome in outcomes if outcome.error and is_asked_again(outcome.error)]
        if without:
            rows = [outcome.row for outcome in without if outcome.row is not None]
            self.complain(str(without[0].error))
            if not self.is_active:
                return  # something else is asked by now, whose keys must not answer this
            asking = _Asking(
                lambda titles, cells, hidden: delete_question(titles, cells, hidden=hidden),
                (
                    "No trash here. x deletes it for good · Esc keeps",
                    "x deletes it for good · Esc",
                    "For good? x deletes · Esc",
                ),
                "x",
                "delete",
                lambda rows: self.act(
                    "delete", rows, lambda *about: row_actions.delete(*about, anyway=anyway)
                ),
            )
            self._ask_about(rows, asking)


def title_of(row: Row) -> str:
    """A session as it is named in a message."""
    return f"“{one_line(row.title, 50)}”"


def is_asked_again(error: Exception) -> bool:
    """Whether it is answered by a question and not by a message."""
    # Imported here: the modules of the trash are loaded with the first action.
    from app.actions.trash import NoTrash

    return isinstance(error, NoTrash)
