"""The actions on sessions of the list: trash, delete, rename, pin, fork, undo, copy, new. They ask
first if they must, run in a thread (`app.services.action_runner`), and show their result.

A question about several sessions gives their number, and how many of them are not shown.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from app.actions import row_actions
from app.actions.shell_words import shell_line, shell_of
from app.controllers.dialog_host import started
from app.controllers.row_prompt import Question, RowEdit
from app.formats.text import one_line
from app.index.subagents import subagent_totals
from app.services.background import in_background
from app.sessions.errors import HeaderlessContinuation, NoTrash
from app.stores import agent_named
from app.stores.live import LIVE, MAYBE
from app.stores.tags import known_tags
from app.view.cells import shorten
from app.view.fork_order import count_dependents
from app.view.formatting import age, size, tilde
from app.view.keeping import NEVER, NOW, THIS, keep_choices
from app.view.notifications import done_text, not_done_text, progress_note, quoted, reason_of
from app.view.prompts import (
    continued_question,
    delete_question,
    earlier_question,
    new_question,
    trash_question,
)
from app.view.selection import StableSelection
from app.view.session_details import session_facts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from textual.geometry import Region

    from app.actions.outcome import Outcome
    from app.actions.undo_steps import JournalAction
    from app.controllers.dialog_host import DialogHost
    from app.controllers.facts_feed import FactsFeed
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.starter import Starter
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.messages import ActionsDone, ActionsProgressed
    from app.panes.sessions_pane import SessionsPane
    from app.services.action_runner import Action, ActionRunner
    from app.sessions.manager.change import Change
    from app.settings import Settings
    from app.setup import Setup
    from app.view.notifications import ActionProgress

TRASH, TRASH_ANYWAY = "trash", "trash anyway"
"""Names of actions; the second after the user was told that an agent may have a session open."""

FORK_AND_RESUME = "fork and resume"

MOST_NAME = 120
"""Most characters of a name."""


@dataclass(eq=False, repr=False)
class SessionActions:
    """Acts on the sessions that are marked, or on the one under the cursor.

    :param runner: runs the actions and posts their results; call `done` and `progressed` with them.
    :param starter: resumes a new session.
    """

    _host: DialogHost
    _messages: StatusMessages
    _prompt: RowPrompt
    _pane: SessionsPane
    _facts: FactsFeed
    _runner: ActionRunner
    _starter: Starter
    _setup: Setup
    _settings: Settings

    def __post_init__(self) -> None:
        self._fork_folder = ""
        self._progress: ActionProgress | None = None
        # (agent, id) -> raw title of the sessions of earlier actions, which the list may not have any more
        self._known_titles: dict[tuple[str, str], str] = {}
        # (agent, session id, entry id) -> text of the entries that are labelled
        self._entry_texts: dict[tuple[str, str, str], str] = {}
        # name of an action of `run_one` -> its result
        self._awaited: dict[str, asyncio.Future[Outcome]] = {}

    def targets(self) -> list[Row]:
        """The sessions that are marked, else the one under the cursor."""
        row = self._pane.list.row
        return self._pane.model.marked_rows() or ([row] if row is not None else [])

    def run(self, what: str, rows: Sequence[Row], action: Action) -> None:
        """Run an action on each of `rows` in the background.

        :param what: the name of the action, which comes back in the message with its result.
        """
        if rows:
            self._runner.do(what, rows, action)

    async def run_one(self, what: str, row: Row, action: Action) -> Outcome:
        """Run an action on one session, and wait for its result, which is shown as well."""
        outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._awaited[what] = outcome
        self.run(what, [row], action)
        return await outcome

    def label(self, rows: Sequence[Row], entry_id: str, text: str, *, shown: str) -> None:
        """Label an entry, or remove its label if `text` is "".

        :param shown: the text of the entry, which the message quotes; "" if it is unknown.
        """
        for row in rows:
            self._entry_texts[row.agent, row.id, entry_id] = shown
        self.run("label", rows, lambda *about: row_actions.label(*about, entry=entry_id, text=text))

    def _selection(self, *rows: Row) -> StableSelection:
        return StableSelection(self._pane.model, rows)

    # trash

    def trash(self) -> None:
        """Trash the sessions, after a question unless the settings say otherwise."""
        rows, states, reasons = self.targets(), self._pane.list.states, self._facts.reasons
        live = [row for row in rows if states.get(row.path) == LIVE]
        if live:
            number = f"{len(live):,} sessions not" if len(live) > 1 else "Not"
            reason = reasons.get(live[0].path, "it is in use")
            self._messages.complain(f"{number} trashed: {reason} – {quoted(live[0].title)}")
        deleted = [row for row in rows if row.is_deleted]
        if deleted:
            agent = agent_named(deleted[0].agent).title
            self._messages.complain(f"Not trashed: {agent} deleted it already – {quoted(deleted[0].title)}")
        rows = [row for row in rows if states.get(row.path) != LIVE and not row.is_deleted]
        maybe = [row for row in rows if states.get(row.path) == MAYBE]
        if not rows:
            return
        if maybe:
            self._host.start(self._ask_to_trash_in_use(rows, maybe, reasons.get(maybe[0].path, "")))
        elif self._settings.ask_before_trash:
            self._host.start(self._ask_to_trash(rows))
        else:
            self._trash(rows, anyway=False)

    async def _ask_to_trash(self, rows: Sequence[Row]) -> None:
        from app.actions.trash_place import artifact_sizes

        selection = self._selection(*rows)
        artifacts = 0, 0
        dependents = 0

        async def measure() -> None:
            nonlocal artifacts, dependents
            paths = [row.path for row in rows]
            dependents = await asyncio.to_thread(count_dependents, rows, self._pane.model.rows())
            artifacts = await asyncio.to_thread(artifact_sizes, paths, self._setup.stores)
            self._prompt.renew()

        def text(cells: int) -> str:
            folders, in_folders = artifacts
            total = sum(row.size for row in selection.rows() or rows) + in_folders
            titles, hidden = self._titles(selection), self._hidden(selection)
            facts = {"hidden": hidden, "folders": folders, "dependents": dependents}
            return trash_question(titles, cells, size=size(total), **facts)

        self._host.start(measure())
        if await self._prompt.confirm(Question(text, (("enter", "trash"),), "keep"), selection):
            self._trash(await self._prompt.rows_of(selection), anyway=False)

    async def _ask_to_trash_in_use(self, rows: Sequence[Row], maybe: Sequence[Row], reason: str) -> None:
        """Ask before sessions are trashed of which an agent may have some open.

        :param maybe: those; ``reason``: who may have the first of them open; raw.
        """
        from app.dialogs import questions

        others = [row for row in rows if row not in maybe]
        selection, idle = self._selection(*rows), self._selection(*others) if others else None
        harm = agent_named(maybe[0].agent).dangers["trash"][1]
        ways = questions.ways_to_trash(len(maybe), len(others))
        answer = await self._host.open(questions.InUseDialog(reason, harm, ways, number=len(maybe)))
        if idle is not None and answer == questions.OTHERS:
            self._trash(await self._prompt.rows_of(idle), anyway=False)
        elif answer == questions.TRASH:
            self._trash(await self._prompt.rows_of(selection), anyway=True)

    def _trash(self, rows: Sequence[Row], *, anyway: bool) -> None:
        what = TRASH_ANYWAY if anyway else TRASH
        self.run(what, rows, lambda *about: row_actions.trash(*about, anyway=anyway))

    async def _ask_to_delete(self, selection: StableSelection, *, anyway: bool) -> None:
        question = Question(
            lambda cells: delete_question(self._titles(selection), cells, hidden=self._hidden(selection)),
            (("x", "delete"),),
            "keep",
        )
        if await self._prompt.confirm(question, selection):
            rows = await self._prompt.rows_of(selection)
            self.run("delete", rows, lambda *about: row_actions.delete(*about, anyway=anyway))

    def _titles(self, selection: StableSelection) -> list[str]:
        return [row.title for row in selection.rows() or selection.last_known]

    def _hidden(self, selection: StableSelection) -> int:
        """How many of the sessions are not shown."""
        return sum(self._pane.model.index_of(row.path) is None for row in selection.rows())

    # rename and pin

    def rename(self) -> None:
        """Edit the name of the session under the cursor, in its row."""
        row = self._pane.list.row
        if row is None:
            return
        why_not = agent_named(row.agent).why_not("name", row.path)
        if why_not:
            self._messages.complain(f"Not renamed: {why_not} – {quoted(row.title)}")
        else:
            self._host.start(self._edit_name(row))

    async def _edit_name(self, row: Row) -> None:
        # Imported here: the first key would wait for it.
        from app.formats.title_slot import fold_title

        sessions, selection = self._pane.list, self._selection(row)
        # The name in the file may be longer, or not be printable.
        before = one_line(fold_title(row.name or ""), len(row.name or "") + 1)

        def region() -> Region | None:
            row = selection.row
            if row is None:
                return None
            if sessions.row is row:
                sessions.show_cursor()
            return sessions.edit_region(row.path)

        edit = RowEdit(
            before,
            "New name",
            lambda cells: shorten("Empty: use the first prompt as title", cells),
            "save",
            region,
            "Rename",
            MOST_NAME,
        )
        name = await self._prompt.edit(edit, sessions, selection)
        if name is None or name.strip() == before:
            return
        rows = await self._prompt.rows_of(selection, lost=f': "{name}" is not written')
        self.run("rename", rows, lambda *about: row_actions.rename(*about, name=name.strip()))

    def pin(self) -> None:
        """Pin the sessions, or remove the pins if all of them are pinned."""
        rows = self.targets()
        pinned = self._pane.model.pins
        on = not all((row.agent, row.id) in pinned for row in rows)
        self.run("pin", rows, lambda *about: row_actions.pin(*about, on=on))

    # copies

    def keep(self) -> None:
        """Keep copies of the sessions. While the header warns of sessions that may be deleted and none is
        marked, a question comes first.
        """
        model = self._pane.model
        if model.keeping.asks and not model.marked:
            self._host.start(self._ask_to_keep(self._pane.list.row))
        else:
            self._keep(self.targets())

    async def _ask_to_keep(self, row: Row | None) -> None:
        from app.dialogs.menu import MenuDialog, MenuRow

        model = self._pane.model
        paths = [*model.keeping.expiring]
        choices = [MenuRow(*each) for each in keep_choices(model.keeping, row)]
        title = model.keeping.warnings(self._setup.now_ms(), with_key=False)[0]
        answer = await self._host.open(MenuDialog(title, choices))
        if answer == THIS:
            self._keep([row] if row is not None else [])
        elif answer == NEVER:
            await self._facts.set_keep(NEVER)
        elif answer == NOW or (answer is not None and await self._facts.set_keep(answer)):
            self._keep([row for path in paths if (row := model.row_at(path)) is not None])

    def _keep(self, rows: Sequence[Row]) -> None:
        here = [row for row in rows if not (row.is_gone or row.is_deleted)]
        if len(here) < len(rows):
            self._messages.warn("Not kept again: the file is gone")
        self.run("keep", here, row_actions.keep)

    def restore(self) -> None:
        """Restore the kept sessions whose files are gone."""
        rows = [row for row in self.targets() if row.is_gone]
        if not rows:
            self._messages.warn("Nothing to restore: the file is there")
        self.run("restore", rows, row_actions.restore_kept)

    # tags and note

    def tag(self) -> None:
        """Edit the tags of the sessions, and the note of a single one."""
        rows = self.targets()
        if rows:
            self._host.start(self._edit_tags(rows))

    async def _edit_tags(self, rows: Sequence[Row]) -> None:
        from app.dialogs.tags import TagDialog

        model, selection = self._pane.model, self._selection(*rows)
        first, *others = [model.tagging(row) for row in rows]
        tags = [tag for tag in first.tags if all(tag in other.tags for other in others)]
        title = rows[0].title if not others else f"{len(rows):,} sessions"
        note = None if others else first.note
        answer = await self._host.open(TagDialog(title, tags, note, known_tags(model.taggings)))
        if answer is None or not (answer.add or answer.remove or answer.note is not None):
            return
        rows = await self._prompt.rows_of(selection, lost=": the tags are not written")
        if answer.add or answer.remove:
            add, remove = answer.add, answer.remove
            self.run("tag", rows, lambda *about: row_actions.tag(*about, add=add, remove=remove))
        if answer.note is not None:
            text = answer.note
            self.run("note", rows, lambda *about: row_actions.annotate(*about, note=text))

    # fork and new

    def fork(self) -> None:
        """Fork the session under the cursor in the same folder."""
        row = self._pane.list.row
        if row is not None:
            self.run("fork", [row], row_actions.fork)

    def fork_to(self) -> None:
        """Ask for a folder, and fork the session under the cursor into it."""
        row = self._pane.list.row
        if row is not None:
            self._host.start(self._fork_to(row, "fork"))

    def fork_to_resume(self, row: Row) -> None:
        """Ask for a folder, fork the session of `row` into it, and resume the fork."""
        self._host.start(self._fork_to(row, FORK_AND_RESUME))

    def fork_and_resume(self, row: Row) -> None:
        """Fork the session of `row` in the same folder, and resume the fork."""
        self._fork_folder = row.cwd
        self.run(FORK_AND_RESUME, [row], row_actions.fork)

    async def _fork_to(self, row: Row, what: str) -> None:
        selection = self._selection(row)
        folder = await self.ask_folder()
        if folder is not None:
            self._fork_folder = folder
            rows = await self._prompt.rows_of(selection)
            self.run(what, rows, lambda *about: row_actions.fork(*about, to=folder))

    @started
    async def resume_elsewhere(self, row: Row) -> None:
        """Ask for a folder, and resume the session of `row` there."""
        selection = self._selection(row)
        folder = await self.ask_folder("Folder to resume in")
        for session in await self._prompt.rows_of(selection) if folder is not None else ():
            self._starter.resume(session, session.path, session.id, folder or "")

    async def ask_folder(self, title: str = "Folder of the new session") -> str | None:
        """Ask for the folder of a session; None if the user cancels."""
        from app.dialogs.questions import FolderDialog

        setup = self._setup
        return await self._host.open(FolderDialog(setup.here[0], setup.home, title))

    def new_session(self) -> None:
        """Start a new session of the same agent in the same folder, after a question: leafmark ends then. On
        a project, the agent is that of its newest session.
        """
        project = self._pane.list.project
        newest = project.latest.row if project is not None and project.latest is not None else None
        row = self._pane.list.row or newest
        if row is not None:
            self._host.start(self._new_session(row))

    async def _new_session(self, row: Row) -> None:
        folder = tilde(row.cwd, self._setup.home)
        question = Question(
            lambda cells: new_question(row.agent, folder, cells), (("enter", "start"),), cancel="stay"
        )
        # For an example the starter only says that none can be started.
        if self._setup.demo or await self._prompt.confirm(question):
            self._starter.start_new(row)

    # details

    def details(self) -> None:
        """Show all facts about the session under the cursor."""
        row = self._pane.list.row
        if row is not None:
            self._host.start(self._details(row))

    async def _details(self, row: Row) -> None:
        from app.dialogs.session_facts import SessionDetailsDialog

        model = self._pane.model
        rows, stores = list(model.rows()), self._setup.stores
        prices = self._setup.prices
        subagents = await in_background(
            lambda: subagent_totals(row.path, row.agent, row.id, stores, rows, prices)
        )
        facts = session_facts(
            row,
            model.tagging(row),
            home=self._setup.home,
            now_ms=self._setup.now_ms(),
            pinned=(row.agent, row.id) in model.pins,
            state=self._facts.reasons.get(row.path, ""),
            prices=prices,
            subagents=subagents,
        )
        answer = await self._host.open(SessionDetailsDialog(row.title, facts))
        if answer == "id":
            self._messages.copy(row.id, "id", row.title)
        elif answer == "path":
            self._copy_path(row)

    # copy

    def copy_id(self) -> None:
        """Copy the id of the session under the cursor."""
        row = self._pane.list.row
        if row is not None:
            self._messages.copy(row.id, "id", row.title)

    def copy_path(self) -> None:
        """Copy the path of its file."""
        row = self._pane.list.row
        if row is not None:
            self._copy_path(row)

    def copy_link(self) -> None:
        """Copy a link to its file, which other programs open."""
        row = self._pane.list.row
        if row is not None:
            self._messages.copy(f"file://{quote(os.fsencode(row.path))}", "link", row.title)

    def _copy_path(self, row: Row) -> None:
        """Copy the path; quoted for the user's shell if it has bytes that are no text, which many terminals
        refuse.
        """
        is_text = row.path.encode("utf-8", "replace").decode() == row.path
        text = row.path if is_text else shell_line([row.path], shell_of(self._setup.env))
        what = "path" if is_text else "path, quoted for the shell,"
        self._messages.copy(text, what, row.title)

    # undo

    @property
    def can_undo(self) -> bool:
        """Whether something can be undone; False until the journal was read."""
        return self._facts.can_undo or self._runner.has_unrecorded

    def undo(self) -> None:
        """Undo the last action; the last one of an earlier run only after a question."""
        self._host.start(self._ask_to_undo(self._runner.undo(), is_redo=False))

    def redo(self) -> None:
        """Redo the action that was undone last; one that an earlier run undid only after a question."""
        self._host.start(self._ask_to_undo(self._runner.redo(), is_redo=True))

    async def _ask_to_undo(self, found: Awaitable[JournalAction | None], *, is_redo: bool) -> None:
        """Ask whether to undo, or redo, the last action of an earlier run."""
        earlier = await found
        # If a dialog is open by now, its keys must not answer this question.
        if earlier is None or not self._host.is_active:
            return
        change = earlier.changes[-1]
        rows = self._pane.model.rows_with_id(change.session_id)
        titles = [row.title for row in rows if row.agent == change.agent]
        title = earlier.title or next(iter(titles), change.session_id or change.path)
        ago = age(earlier.at_ms, self._setup.now_ms())
        question = Question(
            lambda cells: earlier_question(earlier.changes, title, ago, cells, is_redo=is_redo),
            (("enter", "redo" if is_redo else "undo"),),
        )
        if await self._prompt.confirm(question):
            if is_redo:
                self._runner.redo_earlier(earlier.action)
            else:
                self._runner.undo_earlier(earlier.action)

    # progress

    @property
    def progress_note(self) -> str:
        """The progress of an action on several sessions; "" if there is none."""
        progress = self._progress
        return "" if progress is None else progress_note(progress.what, progress.done, progress.total)

    def progressed(self, event: ActionsProgressed) -> None:
        """Keep the progress of an action on several sessions, or note that it has ended."""
        self._progress = event.progress
        if event.progress is not None:
            event.progress.is_seen = True

    def stop_running(self) -> bool:
        """Stop an action on several sessions after the current one. False: there is no such action."""
        return self._progress is not None and self._runner.stop_at_next()

    # results

    def done(self, event: ActionsDone) -> None:
        """Show the result of an action, and ask what it leaves open."""
        done = [outcome for outcome in event.outcomes if outcome.change is not None]
        failures: list[tuple[str, Exception]] = []
        for outcome in event.outcomes:
            title = self._title_of(outcome)
            change = outcome.change
            if title and change is not None:
                self._known_titles[change.agent, change.after_id or change.session_id] = title
            if isinstance(outcome.error, HeaderlessContinuation) and outcome.undone is not None:
                self._messages.complain(not_done_text(event.what, [(title, outcome.error)]))
                # If a dialog is open by now, its keys must not answer this question.
                if self._host.is_active:
                    self._host.start(self._ask_to_join(outcome.error, outcome.undone))
            elif outcome.error is not None and not _is_without_trash(outcome):
                failures.append((title, outcome.error))
        if failures:
            self._messages.complain(not_done_text(event.what, failures))
        is_undo = event.what == "undo"
        changes = [outcome.change for outcome in done if outcome.change is not None]
        shown = [outcome.undone or outcome.change for outcome in done] if is_undo else changes
        title = self._title_of(done[-1]) if done else ""
        about = changes[-1] if changes else None
        entry = "" if about is None else self._entry_text(about)
        self._messages.show_done(
            lambda key: done_text(
                event.what, list(filter(None, shown)), key, title, entry=entry, of=event.of
            ),
            is_undo=is_undo,
        )
        for note in event.notes:
            self._messages.warn(note)
        if is_undo and not (event.outcomes or event.notes or event.of):
            self._messages.show("Nothing to undo")
        if event.what == "redo" and not (event.outcomes or event.notes or event.of):
            self._messages.show("Nothing to redo")
        self._show_result(done, is_undo=is_undo)
        self._unmark([outcome.row.path for outcome in done if outcome.row is not None])
        if event.what in (TRASH, TRASH_ANYWAY):
            self._trashed(event.outcomes, anyway=event.what == TRASH_ANYWAY)
        if any(change.kind in ("pin", "tags", "note") for change in changes):
            self._facts.read_pins()
        self._facts.read_journal()
        self._facts.read_keeping()
        awaited = self._awaited.pop(event.what, None)
        if awaited is not None and not awaited.done() and event.outcomes:
            awaited.set_result(event.outcomes[0])
        if event.what == FORK_AND_RESUME and done and done[0].row is not None:
            made = changes[0]
            self._starter.resume(done[0].row, made.after or "", made.after_id or "", self._fork_folder)

    def _entry_text(self, change: Change) -> str:
        """The text of the entry whose label changed; "" if it is unknown."""
        return self._entry_texts.get((change.agent, change.session_id, change.target_id or ""), "")

    def _title_of(self, outcome: Outcome) -> str:
        """The raw title of a session, which may have no row in the result; "" if it is not listed."""
        change = outcome.undone or outcome.change
        if outcome.row is not None or change is None:
            return "" if outcome.row is None else outcome.row.title
        session_id = change.after_id or change.session_id
        rows = self._pane.model.rows_with_id(session_id)
        listed = next((row.title for row in rows if row.agent == change.agent), "")
        return outcome.title or listed or self._known_titles.get((change.agent, session_id), "")

    def _show_result(self, done: Sequence[Outcome], *, is_undo: bool) -> None:
        """Move the cursor to the session that was made, or that is back."""
        for outcome in reversed(done):
            change, undone = outcome.change, outcome.undone
            if is_undo and undone is not None and undone.kind == "file":
                # The fork is gone: the cursor goes to the session that it was made from.
                path = undone.before or ""
            elif change is not None and change.kind in ("file", "restore"):
                path = change.after or ""
            else:
                continue
            if path:
                self._pane.list.expect(path)
            return

    def _trashed(self, outcomes: Sequence[Outcome], *, anyway: bool) -> None:
        """Remove trashed sessions from the list, and ask about those that have no trash."""
        gone = [outcome.row.path for outcome in outcomes if outcome.row and outcome.change]
        if gone:
            # at once: the watch needs a moment
            self._pane.list.apply((), gone)
        without = [outcome for outcome in outcomes if _is_without_trash(outcome)]
        if without:
            error = without[0].error
            self._messages.complain("" if error is None else f"Not trashed: {reason_of(error)}")
            # If a dialog is open by now, its keys must not answer this question.
            if self._host.is_active:
                selection = self._selection(*[outcome.row for outcome in without if outcome.row is not None])
                self._host.start(self._ask_to_delete(selection, anyway=anyway))

    def _unmark(self, paths: Sequence[str]) -> None:
        """Unmark the sessions of a finished action. Sessions for which it failed stay marked for another
        try.
        """
        for path in self._pane.model.marked.intersection(paths):
            self._pane.list.toggle_mark(path)

    async def _ask_to_join(self, error: HeaderlessContinuation, trashed: Change) -> None:
        """Ask what becomes of the entries that an agent wrote after its session was trashed."""
        keys = [("a", "trash them, restore without")]
        if not error.problem:
            keys.insert(0, ("j", "append"))
        answer = await self._prompt.ask(Question(continued_question, keys))
        if answer is not None:
            self._runner.restore(trashed, join=answer == "j")


def _is_without_trash(outcome: Outcome) -> bool:
    """Whether a session was not trashed because there is no trash: a question follows, not a message."""
    return isinstance(outcome.error, NoTrash)
