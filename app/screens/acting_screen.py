"""The actions on sessions of the list other than trash: rename, pin, fork, undo, copy. They ask first if they
must, run in a thread (`app.services.action_runner`), and report their result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from app.actions import row_actions
from app.dialogs.lists import ArchiveDialog
from app.dialogs.questions import FolderDialog
from app.formats.text import one_line
from app.formats.title_slot import fold_title
from app.keys import key_name
from app.messages import ActionsDone, EarlierFound, PlanReady
from app.panes.sessions_pane import once_known
from app.screens.asking_screen import CANCEL, Prompt, RowEdit
from app.screens.trashing_screen import is_asked_again, title_of
from app.screens.under_way_screen import UnderWayScreen
from app.services.action_runner import ActionRunner
from app.services.resume_planner import Starter
from app.sessions.errors import HeaderlessContinuation
from app.stores import agent_named
from app.view.formatting import age, tilde
from app.view.notifications import stopped_note, toast
from app.view.prompts import continued_question, earlier_question, named_question, new_question
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.geometry import Region

    from app.index.row import Row
    from app.sessions.errors import HeaderlessContinuation
    from app.sessions.manager.change import Change
    from app.stores.archive import Archived


class ActingScreen(UnderWayScreen):
    """Acts on the sessions that are marked, or on the one under the cursor."""

    def begin_acting(self) -> None:
        """Create the services that act."""
        self._fork_folder = ""
        self.actions = ActionRunner(self.setup, self.post_message, self.service_failed)
        self._starter = Starter(self.setup, self.post_message, self.service_failed)

    def share_undo(self, above: ActingScreen) -> None:
        """Let this screen and the one above undo each other's actions."""
        above.actions.shares_with(self.actions)

    def end_acting(self) -> None:
        """Stop the services. Requested actions end first; a long action stops, and its progress is
        reported.
        """
        self.actions.stop()
        self._starter.stop()
        # the browser says it when the terminal is the shell's again
        parting = getattr(self.app, "parting", None)
        if isinstance(parting, list):
            for what, done, total in self.actions.stopped:
                parting.append(f"stopped: {stopped_note(what, done, total, 'leafmark undo')}")

    def service_failed(self, error: BaseException) -> None:
        """Called in a thread."""
        raise NotImplementedError

    # other changes

    @once_known
    def action_rename(self) -> None:
        """Edit the name of the session under the cursor, in its row."""
        sessions = self.side.list
        row = sessions.row
        if row is None:
            return
        why_not = agent_named(row.agent).why_not("name", row.path)
        if why_not:
            self.complain(f"{title_of(row)}: {why_not}")
            return
        # The name in the file may be longer, or not be printable.
        before = one_line(fold_title(row.name or ""), len(row.name or "") + 1)
        meant = StableSelection(self.side.model, [row])

        def where() -> Region | None:
            there = meant.row
            if there is None:
                return None
            if sessions.row is there:
                sessions.show_cursor()
            return sessions.row_region(there.path)

        def renamed(name: str) -> None:
            if name.strip() == before:
                return
            self.once_there(
                meant,
                lambda rows: self.act(
                    "rename", rows, lambda *about: row_actions.rename(*about, name=name.strip())
                ),
                lost=f": “{name}” is not written",
            )

        self.edit(
            sessions,
            RowEdit(
                before,
                "a name; nothing takes it off",
                lambda cells: named_question("Name of", meant.first.title, cells),
                "name it",
                where,
                lambda: "" if meant.row is not None else f"{title_of(meant.first)} is gone",
            ),
            renamed,
        )

    @once_known
    def action_pin(self) -> None:
        """Pin what is meant, or take the pins off where all of it is pinned."""
        rows = self.meant()
        pinned = self.side.list.model.pins
        on = not all((row.agent, row.id) in pinned for row in rows)
        self.act("pin", rows, lambda *about: row_actions.pin(*about, on=on))

    @once_known
    def action_fork(self) -> None:
        """Make a new session of the one under the cursor, in the same folder."""
        row = self.side.list.row
        if row is not None:
            self.act("fork", [row], row_actions.fork)

    @once_known
    def action_fork_to(self) -> None:
        """The same in a folder that is asked for."""
        row = self.side.list.row
        if row is not None:
            self.fork_elsewhere(row, "fork")

    def fork_elsewhere(self, row: Row, what: str) -> None:
        """Ask for a folder and make a new session of `row` there.

        :param what: "fork", or "fork and resume" to go on with it.
        """
        meant = StableSelection(self.side.model, [row])

        def chosen(folder: str | None) -> None:
            if folder is not None:
                self._fork_folder = folder
                self.once_there(
                    meant,
                    lambda rows: self.act(what, rows, lambda *about: row_actions.fork(*about, to=folder)),
                )

        start = self.setup.here[0]
        self.app.push_screen(FolderDialog("the new session's folder", start, self.setup.home), chosen)

    def action_undo(self) -> None:
        """Take back what was done last; what was done in another run, when that has been seen."""
        self.actions.undo()

    @on(EarlierFound)
    def _earlier_found(self, event: EarlierFound) -> None:
        if not self.is_active:
            return  # something else is asked by now, whose keys must not answer this
        earlier = event.earlier
        change = earlier.changes[-1]
        row = self.side.model.same_session(change.agent, change.session_id)
        title = earlier.title or (row.title if row is not None else change.session_id or change.path)
        ago = age(earlier.at_ms, self.setup.now_ms())

        def answered(answer: str | None) -> None:
            if answer is not None:
                self.actions.undo_earlier(earlier.action)

        self.ask(
            Prompt(
                lambda cells: earlier_question(earlier.changes, title, ago, cells),
                ((key_name("enter"), "take it back"), (CANCEL, "leave it")),
            ),
            {"enter": "undo"},
            answered,
        )

    def action_show_archive(self) -> None:
        """List what agents have put into their archives."""

        def chosen(archived: Archived | None) -> None:
            # Imported here: few users have an archive.
            from app.actions.archive import unarchive

            if archived is not None:
                self.actions.run("unarchive", lambda: unarchive(archived))

        self.app.push_screen(ArchiveDialog(self.setup, self.service_failed), chosen)

    # begin and copy

    @once_known
    def action_new_session(self) -> None:
        """Begin a new session, of the same agent and in the same folder. It is asked before: leafmark ends
        with it, and in the tree the key goes to the next hit.
        """
        row = self.side.list.row
        if row is None:
            return

        def answered(answer: str | None) -> None:
            if answer is not None:
                self._starter.start_new(row)

        folder = tilde(row.cwd, self.setup.home)
        self.ask(
            Prompt(
                lambda cells: new_question(row.agent, folder, cells),
                ((key_name("enter"), "begin it"), (CANCEL, "leave it")),
            ),
            {"enter": "begin"},
            answered,
        )

    @once_known
    def action_copy_id(self) -> None:
        """Copy the id of the session under the cursor."""
        if self.side.list.row is not None:
            self.copy(self.side.list.row.id, "Id")

    @once_known
    def action_copy_path(self) -> None:
        """Copy the path of its file."""
        if self.side.list.row is not None:
            self.copy(self.side.list.row.path, "Path")

    def copy(self, text: str, what: str) -> None:
        """Put `text` on the clipboard, by the terminal (OSC 52), and say so."""
        self.app.copy_to_clipboard(text)
        self.notify(f"{what} copied", markup=False)

    # results

    def _ask_continued(self, error: HeaderlessContinuation, trashed: Change) -> None:
        """The agent of a trashed session went on writing: ask what becomes of what it wrote."""
        self.complain(str(error))
        if not self.is_active:
            return  # something else is asked by now, whose keys must not answer this
        answers = {"a": "aside"} if error.problem else {"j": "join", "a": "aside"}
        does = {"join": "append", "aside": "trash them, restore without"}

        def answered(answer: str | None) -> None:
            if answer is not None:
                self.actions.restore(trashed, join=answer == "join")

        keys = [(key_name(key), does[answer]) for key, answer in answers.items()]
        self.ask(Prompt(continued_question, (*keys, (CANCEL, "leave it"))), answers, answered)

    @on(ActionsDone)
    def _actions_done(self, event: ActionsDone) -> None:
        done = [outcome for outcome in event.outcomes if outcome.change is not None]
        for outcome in event.outcomes:
            if isinstance(outcome.error, HeaderlessContinuation) and outcome.undone is not None:
                self._ask_continued(outcome.error, outcome.undone)
            elif outcome.error is not None and not is_asked_again(outcome.error):
                who = f"{title_of(outcome.row)}: " if outcome.row is not None else ""
                self.complain(f"{who}{outcome.error}")
        for note in event.notes:
            self.notify(one_line(note, 500), severity="warning", markup=False)
        changes = [outcome.change for outcome in done if outcome.change is not None]
        takes_back = event.what == "undo"
        self.say_done(lambda key: toast(event.what, changes, key, of=event.of), takes_back=takes_back)
        if takes_back and not (event.outcomes or event.notes or event.of):
            self.notify("Nothing to take back", markup=False)
        self._unmark([outcome.row.path for outcome in done if outcome.row is not None])
        self.trashed(event)
        if any(change.kind == "pin" for change in changes):
            self.pins_changed()
        if event.what == "fork and resume" and done and done[0].row is not None:
            made = changes[0]
            self.go_on(done[0].row, made.after or "", made.after_id or "", self._fork_folder)
        self.acted(event)
        self.side.changed()

    def _unmark(self, paths: Sequence[str]) -> None:
        """Unmark the sessions of a finished action. Sessions for which it failed stay marked for another
        try.
        """
        sessions = self.side.list
        for path in sessions.model.marked.intersection(paths):
            sessions.toggle_mark(path)

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
