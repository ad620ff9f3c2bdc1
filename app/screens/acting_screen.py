"""What is done to sessions from their list: trash, rename, pin, fork, undo, copy. Everything is asked where
it must be, done in a thread by `app.services.acting`, and said when it is done.
"""

from __future__ import annotations

from textual import on
from textual.screen import Screen

from app.actions import on_rows
from app.commands import key_name, named
from app.formats.slot import fold_title
from app.formats.text import one_line
from app.messages import ActionsDone, PlanReady
from app.screens.dialogs import FolderDialog
from app.screens.questions import RowEditor, RowQuestion
from app.services.acting import Acting
from app.services.liveness import Starter
from app.stores import agent_named
from app.stores.live import LIVE, MAYBE
from app.view.cells import width
from app.view.session_row import INDENT
from app.view.toasts import toast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.messages import Outcome
    from app.screens.sessions_side import SessionsSide
    from app.services.acting import Action
    from app.settings import Settings
    from app.setup import Setup
    from app.stores.archive import Archived


TRASH, TRASH_ANYWAY = "trash", "trash anyway"
"""What is done; the latter where an agent may have a session open and the user knows."""


class ActingScreen(Screen[None]):
    """Acts on the sessions that are marked, or on the one under the cursor."""

    setup: Setup
    settings: Settings
    side: SessionsSide
    reasons: dict[str, str]

    def begin_acting(self) -> None:
        """Make the services, once the fields above are there."""
        self._acting = Acting(self.setup, self.post_message, self.service_failed)
        self._went_to = ""
        self._starter = Starter(self.setup, self.post_message, self.service_failed)

    def share_undo(self, above: ActingScreen) -> None:
        """What is done here is taken back there as well, and the other way round."""
        above._acting.shares_with(self._acting)

    def end_acting(self) -> None:
        """End them; what was asked for is done first."""
        self._acting.stop()
        self._starter.stop()

    def service_failed(self, error: BaseException) -> None:
        """Called in a thread."""
        raise NotImplementedError

    # which sessions

    def _meant(self) -> list[Row]:
        """The sessions that are marked, else the one under the cursor."""
        sessions = self.side.list
        marked = sessions.model.marked_rows()
        return marked or ([sessions.row] if sessions.row is not None else [])

    def act(self, what: str, rows: Sequence[Row], action: Action) -> None:
        """Do `action` to each of `rows` in the background; `what` comes back with what became of it."""
        if rows:
            self._acting.do(what, rows, action)

    # trash

    def action_trash(self) -> None:
        """Move what is meant to the trash, after a question in the row unless the settings say otherwise."""
        rows = self._meant()
        states = self.side.list.states
        for row in [row for row in rows if states.get(row.path) == LIVE]:
            self.complain(f"{_named(row)} stays: {self.reasons.get(row.path, 'it is in use')}")
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
        sessions = self.side.list
        # the wheel may have left the row
        sessions.show_cursor()
        sessions.set_question(frozenset(row.path for row in rows), question)

        def answered(answer: str | None) -> None:
            sessions.clear_question()
            if answer is not None:
                go_on()

        self.app.push_screen(RowQuestion(answers), answered)

    def _trashed(self, outcomes: Sequence[Outcome], *, anyway: bool) -> None:
        gone = [outcome.row.path for outcome in outcomes if outcome.row and outcome.change]
        if gone:
            # at once: the watch needs a moment
            self.side.list.apply((), gone)
        without = [outcome for outcome in outcomes if outcome.error and _is_asked_again(outcome.error)]
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

    # other changes

    def action_rename(self) -> None:
        """Edit the name of the session under the cursor, in its row."""
        row = self.side.list.row
        self.side.list.show_cursor()
        region = self.side.list.row_region(row.path) if row is not None else None
        if row is None or region is None:
            return
        why_not = agent_named(row.agent).why_not("name", row.path)
        if why_not:
            self.complain(f"{_named(row)}: {why_not}")
            return
        # whatever the file says, what is edited is one line that a terminal can show
        before = one_line(fold_title(row.name or ""), len(row.name or "") + 1)

        def renamed(name: str | None) -> None:
            if name is not None and name.strip() != before:
                self.act("rename", [row], lambda *about: on_rows.rename(*about, name=name.strip()))

        self.app.push_screen(RowEditor(before, region, "a name; nothing takes it off"), renamed)

    def action_pin(self) -> None:
        """Pin what is meant, or take the pins off where all of it is pinned."""
        rows = self._meant()
        pinned = self.side.list.model.pins
        on = not all((row.agent, row.id) in pinned for row in rows)
        self.act("pin", rows, lambda *about: on_rows.pin(*about, on=on))

    def action_fork(self) -> None:
        """Make a new session of the one under the cursor, in the same folder."""
        row = self.side.list.row
        if row is not None:
            self.act("fork", [row], on_rows.fork)

    def action_fork_to(self) -> None:
        """The same in a folder that is asked for."""
        row = self.side.list.row
        if row is not None:
            self.fork_elsewhere(row, "fork")

    def fork_elsewhere(self, row: Row, what: str) -> None:
        """Ask for a folder and make a new session of `row` there.

        :param what: "fork", or "fork and resume" to go on with it.
        """

        def chosen(folder: str | None) -> None:
            if folder is not None:
                self._went_to = folder
                self.act(what, [row], lambda *about: on_rows.fork(*about, to=folder))

        start = self.setup.here[0]
        self.app.push_screen(FolderDialog("the new session's folder", start, self.setup.home), chosen)

    def action_undo(self) -> None:
        """Take back what was done last."""
        self._acting.undo()

    def action_show_archive(self) -> None:
        """List what agents have put into their archives."""

        from app.screens.archive_dialog import ArchiveDialog

        def chosen(archived: Archived | None) -> None:
            from app.actions.unarchive import unarchive

            if archived is not None:
                self._acting.run("unarchive", lambda: unarchive(archived))

        self.app.push_screen(ArchiveDialog(self.setup, self.service_failed), chosen)

    # begin and copy

    def action_new_session(self) -> None:
        """Begin a new session, of the same agent and in the same folder."""
        row = self.side.list.row
        if row is not None:
            self._starter.begin(row)

    def action_copy_id(self) -> None:
        """Copy the id of the session under the cursor."""
        if self.side.list.row is not None:
            self.copy(self.side.list.row.id, "Id")

    def action_copy_path(self) -> None:
        """Copy the path of its file."""
        if self.side.list.row is not None:
            self.copy(self.side.list.row.path, "Path")

    def copy(self, text: str, what: str) -> None:
        """Put `text` on the clipboard, by the terminal (OSC 52), and say so."""
        self.app.copy_to_clipboard(text)
        self.notify(f"{what} copied", markup=False)

    # what became of it

    @on(ActionsDone)
    def _actions_done(self, event: ActionsDone) -> None:
        done = [outcome for outcome in event.outcomes if outcome.change is not None]
        for outcome in event.outcomes:
            if outcome.error is not None and not _is_asked_again(outcome.error):
                self.complain(f"{_named(outcome.row)}: {outcome.error}")
        for note in event.notes:
            self.notify(one_line(note, 500), severity="warning", markup=False)
        changes = [outcome.change for outcome in done if outcome.change is not None]
        # in the line, the first one is a letter
        undo_key = named("change.undo").keys[-1 if self.side.box.has_focus else 0]
        said = toast(event.what, changes, key_name(undo_key))
        if said:
            self.notify(one_line(said, 500), markup=False)
        if event.what == "undo" and not event.outcomes:
            self.notify("Nothing to take back", markup=False)
        if done:
            self.side.list.clear_marks()
        if event.what in (TRASH, TRASH_ANYWAY):
            self._trashed(event.outcomes, anyway=event.what == TRASH_ANYWAY)
        if any(change.kind == "pin" for change in changes):
            self.pins_changed()
        if event.what == "fork and resume" and done and done[0].row is not None:
            made = changes[0]
            self.go_on(done[0].row, made.after or "", made.after_id or "", self._went_to)
        self.acted(event)
        self.side.post_message(self.side.Changed())

    def acted(self, event: ActionsDone) -> None:
        """Something was done, and has been said."""

    def go_on(
        self, row: Row, path: str, session_id: str, cwd: str, text: str | None = None, *, sends: bool = False
    ) -> None:
        """Go on with a session, see `Starter.resume`; this process becomes the agent."""
        self._starter.resume(row, path, session_id, cwd, text, sends=sends)

    @on(PlanReady)
    def _plan_ready(self, event: PlanReady) -> None:
        if event.plan.problem or event.note:
            self.complain(event.plan.problem or event.note)
        else:
            self.app.exit(event.plan)

    def pins_changed(self) -> None:
        """Pins are others now: have them read."""
        raise NotImplementedError

    def complain(self, text: str) -> None:
        """Say why something was not done; `text` is raw."""
        self.notify(one_line(text, 500), severity="error", markup=False, timeout=10)


def _named(row: Row | None) -> str:
    return f"“{one_line(row.title, 50)}”" if row is not None else "the archive"


def _is_asked_again(error: Exception) -> bool:
    from app.actions.trash import NoTrash

    return isinstance(error, NoTrash)
