"""``leafmark trash``, ``restore`` and ``undo``."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache
from types import FrameType
from typing import Any, TypeVar

from app.actions.archive import unarchive
from app.actions.journal import Journal
from app.actions.journal_entries import JournalEntry
from app.actions.keep import restore_kept
from app.actions.restore import TrashedSession, list_trashed, recover, restore
from app.actions.shell_words import shell_line, shell_of
from app.actions.tagging import tags_and_note
from app.actions.trash import trash
from app.actions.undo import undo_journal_change
from app.actions.undo_steps import RETRY_NOTE, SKIP_NOTE, UndoableAction, UndoAttempt, undo_last
from app.changes.report import (
    as_line,
    change_fields,
    intend,
    record,
    record_failure,
    title_after,
)
from app.formats.dialects import dialect_named
from app.formats.lines import BLOCK_SIZE, opened, read_at
from app.index.index import Index
from app.index.resolve import (
    Ambiguous,
    Candidate,
    NotFound,
    ResolvedSession,
    current_rows,
    resolve_all,
)
from app.index.row import Row
from app.options import FAILED, NOT_FOUND, Options, WrongUse
from app.paths import FOLDER_GONE, CurrentFolderGone, absolute
from app.reports.errors import complain_of, exit_code
from app.reports.output import SCHEMA, complain, write_json, write_text
from app.reports.trash_list import list_trash
from app.sessions.errors import HeaderlessContinuation, LiveSession, NotThere, SessionError
from app.sessions.manager.change import Change
from app.setup import Setup
from app.stores.archive import Archived, archived
from app.stores.kept import copy_path, kept_folder
from app.stores.retention import retention_ms
from app.view.fork_order import dependents_of
from app.view.formatting import short_id
from app.view.notifications import quoted, stopped_note

Item = TypeVar("Item")


def run(options: Options, setup: Setup) -> int:
    """Run one of the three commands; see `app.changes.run`.

    :raises WrongUse: the words and options do not fit together.
    """
    if options.command == "trash":
        return _trash(options, setup)
    if options.command == "restore":
        return _restore(options, setup)
    return _undo(options, setup)


def _trash(options: Options, setup: Setup) -> int:
    if options.list:
        if options.sessions or options.anyway:
            raise WrongUse("--list stands alone: it prints what is in the trash")
        return list_trash(options, setup)
    if options.format is not None:
        raise WrongUse("--format has a place only beside --list")
    if not options.sessions:
        raise WrongUse("trash needs a SESSION; --list prints what is in the trash")
    found = resolve_all(list(dict.fromkeys(options.sessions)), setup.stores, setup.cache_folder, complain)
    code = _complain_of_errors(found, setup.now_ms())
    if code:
        return code
    # Two arguments may name the same session.
    by_path = {session.path: session for session in found if isinstance(session, ResolvedSession)}

    reason = _dependents(by_path, setup)
    if reason and not options.anyway:
        complain(f"{reason} (--anyway trashes it all the same)")
        return FAILED
    if reason:
        complain(reason)

    def act(session: ResolvedSession) -> Iterator[Change]:
        with naming_anyway("trashes"):
            change = trash(session.path, setup.agent_env, session.store, anyway=options.anyway)
        kept = session.store.kept if session.store else ""
        if kept and os.path.lexists(copy_path(session.path, kept)):
            change = replace(change, note="its kept copy stays in the list: leafmark keep --drop removes it")
        yield change

    return run_each(list(by_path.values()), act, options, setup)


@contextmanager
def naming_anyway(does: str) -> Iterator[None]:
    """Name the option --anyway in the error about a session that may be open.

    :param does: the verb for what the command does to it.
    """
    try:
        yield
    except LiveSession as error:
        if error.sure:
            raise
        raise SessionError(error.path, 0, f"{error.reason} (--anyway {does} it all the same)") from None


def _dependents(chosen: Mapping[str, ResolvedSession], setup: Setup) -> str:
    """Why some sessions are better kept: others go on from them, and their agent cannot open these without
    them; "" if none does.
    """
    if not any(session.store and session.store.agent.forks_need_parent for session in chosen.values()):
        return ""
    with closing(Index(setup.stores, setup.cache_folder, on_renewed=complain)) as index:
        index.scan()
        rows = index.rows()
    leaving = [row for row in rows if row.path in chosen]
    others = [row for row in dependents_of(leaving, rows) if _goes_on(row)]
    if not others:
        return ""
    bases = [row for row in leaving if any(other.parent_session == row.id for other in others)]
    named = ", ".join([f"{quoted(row.title)} ({short_id(row.id)})" for row in bases])
    sessions = "another session goes" if len(others) == 1 else f"{len(others):,} other sessions go"
    one, file = ("it", "file") if len(bases) == 1 else ("these", "files")
    return f"{named}: {sessions} on from {one}, and cannot be opened without the {file}"


def _goes_on(row: Row) -> bool:
    """Whether a session goes on from its parent without repeating it."""
    try:
        with opened(row.path) as descriptor:
            return dialect_named(row.dialect).base(read_at(descriptor, BLOCK_SIZE, 0)) is not None
    except OSError:
        return True


def _restore(options: Options, setup: Setup) -> int:
    if options.join and options.aside:
        raise WrongUse("--join has no place beside --aside: the entries are appended or put aside")
    trashed = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
    rows = cache(lambda: _rows_with_gone(setup))
    found = [_resolve(named, trashed, rows, setup) for named in dict.fromkeys(options.sessions)]
    code = _complain_of_errors(found, setup.now_ms())
    if code:
        return code
    by_path = {_paths_and_id(item)[0]: item for item in found if not isinstance(item, Exception)}

    def act(item: TrashedSession | Row | Archived) -> Iterator[Change]:
        if isinstance(item, Row):
            store = next(store for store in setup.stores if store.root == item.store)
            folders = {row.cwd for row in rows() if row.cwd and row.agent == item.agent}
            retention = retention_ms(store.root, item.agent, folders)
            yield restore_kept(item.path, store, retention, setup.now_ms())
            return
        if not isinstance(item, TrashedSession):
            yield unarchive(item)
            return
        try:
            yield restore(item.change, _put_aside(item, setup) if options.join else ())
            return
        except HeaderlessContinuation as error:
            if not options.join and not options.aside:
                ways = _ways_out(error, item.session_id, shell_of(setup.env))
                raise SessionError(error.path, 0, error.reason + ways) from None
        yield from recover(item.change, setup.agent_env, join=options.join)

    return run_each(list(by_path.values()), act, options, setup)


def _put_aside(item: TrashedSession, setup: Setup) -> list[str]:
    """The files in the trash that a `restore --join` of this session put there before it was killed."""
    paths: list[str] = []
    for entry in Journal(setup.state_folder).active():
        change = entry.change
        if change.kind == "trash" and change.path == item.path:
            # A session ends what belongs to an earlier trashing of it.
            paths = [] if change.session_id else [*paths, change.after or ""]
    return list(filter(os.path.lexists, paths))


def _ways_out(error: HeaderlessContinuation, session_id: str, shell: str) -> str:
    """The end of the error message: the commands that restore the session all the same."""

    def command(option: str) -> str:
        words = ["leafmark", "restore", session_id, option]
        if session_id.startswith("-"):
            words[2:] = [option, "--", session_id]
        return shell_line(words, shell)

    aside = f"{command('--aside')} puts this file into the trash and restores the session without them"
    if error.problem:
        return f"; {aside}"
    return f"; {command('--join')} appends them to the restored session, {aside}"


def _undo(options: Options, setup: Setup) -> int:
    """Undo all changes of the last action."""
    journal = Journal(setup.state_folder)
    actions = journal.actions()
    if not actions:
        complain("nothing to undo")
        return NOT_FOUND
    done = [UndoableAction(steps, any(step.is_reported for step in steps)) for steps in actions]

    def undo_step(step: JournalEntry) -> tuple[Change | None, Exception | None]:
        with journal.intend(undoes=step.number) as intent:
            change, error = undo_journal_change(
                step.change, setup.agent_env, setup.stores, setup.state_folder
            )
            if change is not None:
                record(intent, change, setup)
        return change, error

    with Interruptible() as signals, signals.whole():
        index, tried = undo_last(done, undo_step, lambda done, total: not signals.status)
    parts = []
    for attempt in tried:
        if attempt.change is None:
            _report_failure(attempt, has_earlier=index > 0, setup=setup)
            continue
        before, now = attempt.step.change, attempt.change
        for new, old in zip(tags_and_note(now), tags_and_note(before), strict=False):
            if options.json:
                # The path of the change of a pin or a tag is that of leafmark's file.
                path = None if old.kind in ("pin", "tags", "note") else old.path
                undone = change_fields(old, "", "")["change"]
                parts.append({**change_fields(new, path, title_after(new)), "undone": undone})
            else:
                line = as_line(new, title_after(new), hints=False)
                write_text(f"Undone: {line[0].lower()}{line[1:]}\n")
        if now.note:
            complain(now.note)
    if parts:
        write_json({"schema": SCHEMA, "changes": parts})
    count = sum(attempt.change is not None for attempt in tried)
    code = _report_stop(options, signals, count, len(actions[index]))
    return code or (FAILED if any(attempt.change is None for attempt in tried) else 0)


def _report_failure(attempt: UndoAttempt[JournalEntry], *, has_earlier: bool, setup: Setup) -> None:
    """Report why a change was not undone, and record it.

    :param has_earlier: there is an earlier action, which another undo may undo.
    """
    record_failure(attempt, setup)
    reason = str(attempt.error)
    if isinstance(attempt.error, HeaderlessContinuation):
        reason += _ways_out(attempt.error, attempt.step.change.session_id, shell_of(setup.env))
    note = RETRY_NOTE if attempt.can_retry else SKIP_NOTE
    complain(f"{reason}; {note}" if has_earlier else reason)


def run_each(
    items: Sequence[Item], act: Callable[[Item], Iterable[Change]], options: Options, setup: Setup
) -> int:
    """Run `act` on each item, as one action. An item that fails does not stop the others; a signal stops the
    command after the current item.

    :param act: makes one change or several.
    :return: the exit code: that of the signal, else the highest of the items.
    """
    code = action = count = 0
    done: list[dict[str, Any]] = []
    with Interruptible() as signals, suppress(KeyboardInterrupt):
        for item in items:
            if signals.status:
                break
            changes: list[Change] = []
            try:
                with signals.whole(), intend(setup, action) as intent:
                    for change in act(item):
                        changes.append(change)
                        number = record(intent, change, setup)
                        action = action or number
            except NotThere as error:
                complain(str(error))
                code = max(code, NOT_FOUND)
            except SessionError as error:
                complain(str(error))
                code = max(code, FAILED)
            count += bool(changes)
            for change in changes:
                title = title_after(change)
                done.append(change_fields(change, change.path, title))
                if not options.json:
                    write_text(as_line(change, title, hints=len(items) == 1) + "\n")
                if change.note:
                    complain(change.note)
    if options.json and (done or not code):
        write_json({"schema": SCHEMA, "changes": done})
    elif count > 1 and not signals.status:
        write_text(f"`leafmark undo` undoes all {count:,} of them.\n")
    return _report_stop(options, signals, count, len(items)) or code


def _report_stop(options: Options, signals: Interruptible, done: int, total: int) -> int:
    """If a signal stopped the command, report how far it came.

    :return: the exit code; 0 if no signal came.
    """
    if signals.status:
        undo = "another undo" if options.command == "undo" else "run leafmark undo"
        complain(f"stopped: {stopped_note(options.command or '', done, total, undo)}")
    return signals.status


def _complain_of_errors(found: Sequence[object], now_ms: int) -> int:
    """Report the errors among the results of a lookup. After an error, the command changes no session.

    :return: the exit code; 0 without errors.
    """
    code = 0
    for result in found:
        if isinstance(result, Exception):
            complain_of(result, now_ms)
            code = max(code, exit_code(result))
    return code


def _resolve(
    named: str, trashed: list[TrashedSession], rows: Callable[[], Sequence[Row]], setup: Setup
) -> TrashedSession | Row | Archived | NotFound | Ambiguous:
    """The session in the trash, else a kept one whose file is gone, else one in an archive, that ``named``
    stands for: its present path, its old path, its id, or the beginning of its id. An error is returned, not
    raised.

    :param rows: returns all sessions.
    """
    nowhere = path = ""
    try:
        path = absolute(named)
    except CurrentFolderGone:
        nowhere = f": {FOLDER_GONE}"
    sources: tuple[Callable[[], Sequence[TrashedSession | Row | Archived]], ...]
    sources = (
        lambda: trashed,
        lambda: [row for row in rows() if row.is_gone],
        lambda: archived(setup.stores),
    )
    for sessions in sources:
        known = [(item, *_paths_and_id(item)) for item in sessions()]
        for matches in (
            [item for item, present, _, _ in known if path and present == path],
            [item for item, _, old, _ in known if path and old == path],
            [item for item, _, _, id in known if named and id == named],
            [item for item, _, _, id in known if named and id.startswith(named)],
        ):
            if len(matches) == 1:
                return matches[0]
            if matches:
                return Ambiguous(named, [_candidate_of(item) for item in matches])
    return NotFound(f"no session in the trash, in an archive or gone has the path or id {named!r}{nowhere}")


def _rows_with_gone(setup: Setup) -> Sequence[Row]:
    """All sessions, if any is kept; else none."""
    if not os.path.isdir(kept_folder(setup.state_folder)):
        return []
    return current_rows(setup.stores, setup.cache_folder, complain)


def _candidate_of(item: TrashedSession | Row | Archived) -> Candidate:
    if isinstance(item, TrashedSession):
        return Candidate(item.session_id, item.agent, item.title, item.when_ms, item.in_trash)
    if isinstance(item, Row):
        return Candidate(item.id, item.agent, item.title, item.newest, item.path)
    return Candidate(item.id, item.agent, item.title, item.mtime_ms, item.path)


def _paths_and_id(item: TrashedSession | Row | Archived) -> tuple[str, str, str]:
    """The present path, the old path, and the id of a session."""
    if isinstance(item, TrashedSession):
        return item.in_trash, item.path, item.session_id
    if isinstance(item, Row):
        return item.path, item.original_path, item.id
    return item.path, item.target, item.id


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interruptible:
    """Handles the signals that ask the process to end. Within `whole` they only set `status`; otherwise they
    raise KeyboardInterrupt. Ignored signals stay ignored.

    status   128 plus the number of the first signal; 0 before it
    """

    def __init__(self) -> None:
        self.status = 0
        self._waits = False
        self._replaced: list[tuple[int, Any]] = []

    def __enter__(self) -> Interruptible:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None or signal.getsignal(number) in (signal.SIG_IGN, None):
                continue
            try:
                self._replaced.append((number, signal.signal(number, self._asked)))
            except ValueError:
                break  # in a thread of another program: the signals are not leafmark's
        return self

    def __exit__(self, *error: object) -> None:
        while self._replaced:
            signal.signal(*self._replaced.pop())

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Complete the body of a `with` before a signal has an effect."""
        self._waits = True
        try:
            yield
        finally:
            self._waits = False

    def _asked(self, number: int, frame: FrameType | None) -> None:
        self.status = self.status or 128 + number
        if not self._waits:
            raise KeyboardInterrupt
