"""Moving sessions from their list to the trash: what is asked in the row before, and asked again where there
is no trash.
"""

from __future__ import annotations

from app.actions import on_rows
from app.formats.text import one_line
from app.stores.live import LIVE, MAYBE
from app.view.cells import width
from app.view.session_row import INDENT
from app.widgets.lean_compositor import LeanScreen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.messages import ActionsDone, Outcome
    from app.screens.sessions_side import SessionsSide
    from app.services.acting import Acting, Action
    from app.settings import Settings
    from app.setup import Setup

TRASH, TRASH_ANYWAY = "trash", "trash anyway"
"""What is done; the latter where an agent may have a session open and the user knows."""


class TrashingScreen(LeanScreen):
    """Trashes the sessions that are marked, or the one under the cursor."""

    setup: Setup
    settings: Settings
    side: SessionsSide
    reasons: dict[str, str]
    acting: Acting

    # which sessions

    def meant(self) -> list[Row]:
        """The sessions that are marked, else the one under the cursor."""
        sessions = self.side.list
        marked = sessions.model.marked_rows()
        return marked or ([sessions.row] if sessions.row is not None else [])

    def act(self, what: str, rows: Sequence[Row], action: Action) -> None:
        """Do `action` to each of `rows` in the background; `what` comes back with what became of it."""
        if rows:
            self.acting.do(what, rows, action)

    # trash

    def action_trash(self) -> None:
        """Move what is meant to the trash, after a question in the row unless the settings say otherwise."""
        rows = self.meant()
        states = self.side.list.states
        for row in [row for row in rows if states.get(row.path) == LIVE]:
            self.complain(f"{title_of(row)} stays: {self.reasons.get(row.path, 'it is in use')}")
        rows = [row for row in rows if states.get(row.path) != LIVE]
        if not rows:
            return
        maybe = [self.reasons.get(row.path, "") for row in rows if states.get(row.path) == MAYBE]
        if maybe or self.settings.ask_before_trash:
            what, brief = "Trash this session?", "Trash it?"
            if len(rows) > 1:
                what, brief = f"Trash {len(rows):,} sessions?", f"Trash {len(rows):,}?"
            why = f" {one_line(maybe[0], 60)};" if maybe else ""
            question = self._fitting(
                f"{what}{why} Enter trashes · Esc keeps",
                f"{what} Enter · Esc keeps",
                f"{brief} Enter · Esc keeps",
            )
            if why not in question:
                self.notify(one_line(maybe[0], 500), severity="warning", markup=False)
            self._ask(rows, question, {"enter": "trash"}, lambda: self._trash(rows, anyway=bool(maybe)))
        else:
            self._trash(rows, anyway=False)

    def _trash(self, rows: Sequence[Row], *, anyway: bool) -> None:
        what = TRASH_ANYWAY if anyway else TRASH
        self.act(what, rows, lambda *about: on_rows.trash(*about, anyway=anyway))

    def _fitting(self, *questions: str) -> str:
        """The first that a row has room for, as the keys that answer it stand at its end; else the last."""
        room = self.side.list.scrollable_content_region.width - INDENT
        return next((question for question in questions if width(question) < room), questions[-1])

    def _ask(
        self, rows: Sequence[Row], question: str, answers: dict[str, str], go_on: Callable[[], object]
    ) -> None:
        # as the other dialogs, it comes with its first use: imports hold up the first key
        from app.screens.questions import RowQuestion

        sessions = self.side.list
        # the wheel may have left the row
        sessions.show_cursor()
        sessions.set_question(frozenset(row.path for row in rows), question)

        def answered(answer: str | None) -> None:
            sessions.clear_question()
            if answer is not None:
                go_on()

        self.app.push_screen(RowQuestion(answers), answered)

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
            how_many = f"{len(rows):,} sessions" if len(rows) > 1 else "it"
            self.complain(str(without[0].error))
            question = self._fitting(
                f"No trash here. x deletes {how_many} for good · Esc keeps",
                f"x deletes {how_many} for good · Esc",
                "For good? x deletes · Esc",
            )
            self._ask(
                rows,
                question,
                {"x": "delete"},
                lambda: self.act("delete", rows, lambda *about: on_rows.delete(*about, anyway=anyway)),
            )

    def complain(self, text: str) -> None:
        """Say why something was not done; `text` is raw."""
        self.notify(one_line(text, 500), severity="error", markup=False, timeout=10)


def title_of(row: Row | None) -> str:
    """A session as it is named in a message; what is in no row came from the archive."""
    return f"“{one_line(row.title, 50)}”" if row is not None else "the archive"


def is_asked_again(error: Exception) -> bool:
    """Whether it is answered by a question and not by a message."""
    from app.actions.trash import NoTrash

    return isinstance(error, NoTrash)
