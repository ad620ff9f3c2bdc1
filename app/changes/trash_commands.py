"""``leafmark trash``, ``restore`` and ``undo``."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

from app.actions.archive import unarchive
from app.actions.journal import Journal
from app.actions.journal_entries import JournalEntry
from app.actions.restore import TrashedSession, list_trashed, restore, trash_continuation
from app.actions.trash import trash
from app.actions.undo import (
    RETRY_NOTE,
    SKIP_NOTE,
    UndoableAction,
    UndoAttempt,
    undo_journal_change,
    undo_last,
)
from app.changes.report import (
    NOT_FOUND,
    REFUSED,
    SCHEMA,
    WRONG_USE,
    WrongUse,
    as_line,
    change_fields,
    intend,
    mark_impossible,
    mark_reported,
    record,
)
from app.formats.text import one_line
from app.formats.timestamps import iso
from app.index.resolve import Ambiguous, NotFound, ResolvedSession, resolve_all
from app.options import Options
from app.paths import FOLDER_GONE, CurrentFolderGone, absolute
from app.reports.listing import short_id
from app.reports.output import columns, complain, write_json, write_text
from app.sessions.errors import HeaderlessContinuation, LiveSession, NotThere, SessionError
from app.sessions.manager.change import Change
from app.setup import Setup
from app.stores.archive import Archived, archived
from app.view.cells import pad, shorten, width
from app.view.formatting import age
from app.view.notifications import stopped_note

Item = TypeVar("Item")


def run(options: Options, setup: Setup) -> int:
    """Do one of the three; see `app.changes.run`."""
    try:
        if options.command == "trash":
            return _trash(options, setup)
        if options.command == "restore":
            return _restore(options, setup)
        return _undo(options, setup)
    except WrongUse as error:
        complain(str(error))
        return WRONG_USE


def _trash(options: Options, setup: Setup) -> int:
    if options.list:
        if options.sessions or options.anyway:
            raise WrongUse("--list stands alone: it prints what is in the trash")
        return list_trash(options, setup)
    if not options.sessions:
        raise WrongUse("trash needs a SESSION; --list prints what is in the trash")
    found = resolve_all(list(dict.fromkeys(options.sessions)), setup.stores, setup.cache_folder, complain)
    code = _complain_of_errors(found)
    if code:
        return code
    # One session may be named in two ways.
    by_path = {place.path: place for place in found if isinstance(place, ResolvedSession)}

    def act(place: ResolvedSession) -> Iterator[Change]:
        try:
            yield trash(place.path, setup.agent_env, place.store, anyway=options.anyway)
        except LiveSession as error:
            if error.sure:
                raise
            raise SessionError(error.path, 0, f"{error.reason} (--anyway trashes it all the same)") from None

    return _run_each(list(by_path.values()), act, options, setup)


def _restore(options: Options, setup: Setup) -> int:
    if options.join and options.aside:
        raise WrongUse("--join has no place beside --aside: the entries are appended or put aside")
    lost = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
    found = [_resolve(named, lost, setup) for named in dict.fromkeys(options.sessions)]
    code = _complain_of_errors(found)
    if code:
        return code
    wanted = {_paths_and_id(what)[0]: what for what in found if not isinstance(what, Exception)}

    def act(what: TrashedSession | Archived) -> Iterator[Change]:
        if not isinstance(what, TrashedSession):
            yield unarchive(what)
            return
        try:
            yield restore(what)
            return
        except HeaderlessContinuation as error:
            if not options.join and not options.aside:
                raise SessionError(error.path, 0, error.reason + _ways_out(error, what.session_id)) from None
        yield trash_continuation(what, setup.agent_env, join=options.join)
        yield restore(what)

    return _run_each(list(wanted.values()), act, options, setup)


def _ways_out(error: HeaderlessContinuation, session_id: str) -> str:
    """The commands that restore a session all the same, as they follow the reason."""
    command = f"leafmark restore {session_id}"
    aside = f"{command} --aside puts this file into the trash and restores the session without them"
    if error.problem:
        return f"; {aside}"
    return f"; {command} --join appends them to the restored session, {aside}"


def _undo(options: Options, setup: Setup) -> int:
    """Undo all changes of the last action."""
    journal = Journal(setup.state_folder)
    actions = journal.actions()
    if not actions:
        complain("there is nothing left that leafmark did and could take back")
        return NOT_FOUND
    done = [UndoableAction(steps, any(step.is_reported for step in steps)) for steps in actions]

    def back(recorded: JournalEntry) -> tuple[Change | None, Exception | None]:
        with journal.intend(undoes=recorded.number) as intent:
            change, error = undo_journal_change(
                recorded.change, setup.agent_env, setup.stores, setup.state_folder
            )
            if change is not None:
                record(intent, change, setup)
        return change, error

    with Interruptible() as stopping, stopping.whole():
        at, tried = undo_last(done, back, lambda done, total: not stopping.status)
    parts = []
    for each in tried:
        if each.change is None:
            _report_failure(each, is_before=at > 0, setup=setup)
            continue
        before, now = each.step.change, each.change
        if options.json:
            # The path of a pin's change is that of the file of pins.
            path = None if before.kind == "pin" else before.path
            parts.append({**change_fields(now, path), "undone": change_fields(before, "")["change"]})
        else:
            who = "" if now.kind in ("trash", "restore") else f"{one_line(before.session_id)}: "
            write_text(f"{who}{as_line(now)}\n")
        if now.note:
            complain(now.note)
    if parts:
        write_json({"schema": SCHEMA, "changes": parts})
    taken = sum(each.change is not None for each in tried)
    code = _report_stop(options, stopping, taken, len(actions[at]))
    return code or (REFUSED if any(each.change is None for each in tried) else 0)


def _report_failure(tried: UndoAttempt[JournalEntry], *, is_before: bool, setup: Setup) -> None:
    """Report why it was not undone, and record whether another undo is to try it."""
    if tried.can_retry:
        mark_reported(tried.step.number, setup)
        why = str(tried.error)
        if isinstance(tried.error, HeaderlessContinuation):
            why += _ways_out(tried.error, tried.step.change.session_id)
        complain(f"{why}; {RETRY_NOTE}" if is_before else why)
    else:
        mark_impossible(tried.step.number, setup)
        complain(f"{tried.error}; {SKIP_NOTE}" if is_before else str(tried.error))


def _run_each(
    things: Sequence[Item], act: Callable[[Item], Iterable[Change]], options: Options, setup: Setup
) -> int:
    """Do it to each, in one step or several. One that fails does not stop the others. A signal stops it
    between two of them; then the exit code is that of a program ended so, else the worst of theirs.
    """
    code = action = count = 0
    done: list[dict[str, Any]] = []
    with Interruptible() as stopping, suppress(KeyboardInterrupt):
        for thing in things:
            if stopping.status:
                break
            made: list[Change] = []
            try:
                with stopping.whole(), intend(setup, action) as intent:
                    for change in act(thing):
                        made.append(change)
                        number = record(intent, change, setup)
                        action = action or number
            except NotThere as error:
                complain(str(error))
                code = max(code, NOT_FOUND)
            except SessionError as error:
                complain(str(error))
                code = max(code, REFUSED)
            count += bool(made)
            done += [change_fields(change, change.path) for change in made]
            for change in made:
                if not options.json:
                    write_text(as_line(change) + "\n")
                if change.note:
                    complain(change.note)
    if options.json and (done or not code):
        write_json({"schema": SCHEMA, "changes": done})
    return _report_stop(options, stopping, count, len(things)) or code


def _report_stop(options: Options, stopping: Interruptible, done: int, total: int) -> int:
    """If a signal stopped the command, report how far it came. The exit code; 0 if none came."""
    if stopping.status:
        again = "another undo" if options.command == "undo" else "leafmark undo"
        complain(f"stopped: {stopped_note(options.command or '', done, total, again)}")
    return stopping.status


def _complain_of_errors(found: Sequence[object]) -> int:
    """Say which of the names mean nothing, or too much: then nothing is done to any. 0 where all are well."""
    code = 0
    for each in found:
        if isinstance(each, Exception):
            complain(str(each))
            code = max(code, _exit_code(each))
    return code


def _exit_code(error: Exception) -> int:
    if isinstance(error, Ambiguous):
        return WRONG_USE
    return NOT_FOUND if isinstance(error, NotFound | NotThere) else REFUSED


def _resolve(
    named: str, lost: list[TrashedSession], setup: Setup
) -> TrashedSession | Archived | NotFound | Ambiguous:
    """The session that ``named`` stands for in the trash, else in an archive: its present path, its old path,
    its id, or the beginning of its id.
    """
    nowhere = path = ""
    try:
        path = absolute(named)
    except CurrentFolderGone:
        nowhere = f": {FOLDER_GONE}"
    for things in (lambda: lost, lambda: archived(setup.stores)):
        places = [(thing, *_paths_and_id(thing)) for thing in things()]
        for meant in (
            [thing for thing, lies, _, _ in places if path and lies == path],
            [thing for thing, _, was, _ in places if path and was == path],
            [thing for thing, _, _, id in places if named and id == named],
            [thing for thing, _, _, id in places if named and id.startswith(named)],
        ):
            if len(meant) == 1:
                return meant[0]
            if meant:
                some = ", ".join(_paths_and_id(thing)[0] for thing in meant[:3])
                more = f" and {len(meant) - 3:,} more" if len(meant) > 3 else ""
                return Ambiguous(f"{named!r} names {len(meant):,} sessions: {some}{more}")
    return NotFound(f"neither the trash nor an archive has a session with the path or id {named!r}{nowhere}")


def _paths_and_id(thing: TrashedSession | Archived) -> tuple[str, str, str]:
    """Its present path, its old path, and its id."""
    if isinstance(thing, TrashedSession):
        return thing.in_trash, thing.path, thing.session_id
    return thing.path, thing.target, thing.id


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interruptible:
    """Handles the signals that ask to end. Within `whole` they only set `status`; otherwise they raise
    KeyboardInterrupt. Ignored signals stay ignored.

    status   128 and the number of the first that came; 0 while none has
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
        """Finish the body before a signal has effect."""
        self._waits = True
        try:
            yield
        finally:
            self._waits = False

    def _asked(self, number: int, frame: FrameType | None) -> None:
        self.status = self.status or 128 + number
        if not self._waits:
            raise KeyboardInterrupt


TITLE_CELLS = 40
"""Cells of a title on a terminal."""


def list_trash(options: Options, setup: Setup) -> int:
    """Print them, the last to be trashed first. Exit code 1 where there are none."""
    found = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
    if options.json:
        write_json({"schema": SCHEMA, "sessions": [_trashed_as_json(one) for one in found]})
    else:
        write_text("".join(line + "\n" for line in _trash_table(found, setup.now_ms())))
    if not found:
        complain("no session is in the trash")
        return 1
    return 0


def _trashed_as_json(one: TrashedSession) -> dict[str, object]:
    return {
        "agent": one.agent,
        "id": one.session_id,
        "path": one.path,
        "in_trash": one.in_trash,
        "artifacts": one.artifacts or None,
        "title": one.title,
        "trashed": iso(one.when_ms),
    }


def _trash_table(found: list[TrashedSession], now_ms: int) -> list[str]:
    """Id, age in the trash, agent, title and where it was, side by side and inert; no path is cut."""
    on_terminal = columns() is not None
    cells = []
    for one in found:
        title = one_line(one.title)
        cells.append(
            [
                one_line(short_id(one.session_id)),
                f"{age(one.when_ms, now_ms):>4}",
                one.agent,
                shorten(title, TITLE_CELLS) if on_terminal else title,
                one_line(one.path, 4_000),
            ]
        )
    widest = [max(map(width, column)) for column in list(zip(*cells, strict=True))[:-1]]
    return ["  ".join([*map(pad, first, widest), last]) for *first, last in cells]
