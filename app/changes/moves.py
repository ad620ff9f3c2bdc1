"""``leafmark trash``, ``restore`` and ``undo``."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from app.actions.continuation import clear_place
from app.actions.earlier import undo_journalled
from app.actions.journal import Journal
from app.actions.restore import Trashed, restore, trashed
from app.actions.taking_back import GOES_ON, PASSED, Done, Tried, take_back
from app.actions.trash import trash
from app.changes.codes import NOT_FOUND, REFUSED, WRONG_USE, WrongUse, give_up, intend, record, told
from app.changes.stopping import Stopping
from app.changes.told import SCHEMA, as_line, as_part
from app.formats.text import one_line
from app.index.resolve import Ambiguous, NotFound, Place, places
from app.paths import GONE, Nowhere, absolute
from app.reports.output import complain, write_json, write_text
from app.sessions.errors import HeaderlessContinuation, LiveSession, NotThere, SessionError
from app.view.progress import stopped_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.actions.recorded import Recorded
    from app.options import Options
    from app.sessions.manager.change import Change
    from app.setup import Setup
    from app.stores.archive import Archived

Thing = TypeVar("Thing")


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
        from app.reports import trash as report

        return report.run(options, setup)
    if not options.sessions:
        raise WrongUse("trash needs a SESSION; --list prints what is in the trash")
    found = places(list(dict.fromkeys(options.sessions)), setup.stores, setup.cache_folder, complain)
    code = _complain_of(found)
    if code:
        return code
    # One session may be named in two ways.
    by_path = {place.path: place for place in found if isinstance(place, Place)}

    def act(place: Place) -> Iterator[Change]:
        try:
            yield trash(place.path, setup.agent_env, place.store, anyway=options.anyway)
        except LiveSession as error:
            if error.sure:
                raise
            raise SessionError(error.path, 0, f"{error.reason} (--anyway trashes it all the same)") from None

    return _each(list(by_path.values()), act, options, setup)


def _restore(options: Options, setup: Setup) -> int:
    if options.join and options.aside:
        raise WrongUse("--join has no place beside --aside: the entries are appended or put aside")
    lost = trashed(setup.agent_env, setup.stores, setup.state_folder)
    found = [_meant(named, lost, setup) for named in dict.fromkeys(options.sessions)]
    code = _complain_of(found)
    if code:
        return code
    wanted = {_whereabouts(what)[0]: what for what in found if not isinstance(what, Exception)}

    def act(what: Trashed | Archived) -> Iterator[Change]:
        if not isinstance(what, Trashed):
            from app.actions.unarchive import unarchive

            yield unarchive(what)
            return
        try:
            yield restore(what)
            return
        except HeaderlessContinuation as error:
            if not options.join and not options.aside:
                raise SessionError(error.path, 0, error.reason + _ways_out(error, what.session_id)) from None
        yield clear_place(what, setup.agent_env, join=options.join)
        yield restore(what)

    return _each(list(wanted.values()), act, options, setup)


def _ways_out(error: HeaderlessContinuation, session_id: str) -> str:
    """The commands that restore a session all the same, as they follow the reason."""
    command = f"leafmark restore {session_id}"
    aside = f"{command} --aside puts this file into the trash and restores the session without them"
    if error.problem:
        return f"; {aside}"
    return f"; {command} --join appends them to the restored session, {aside}"


def _undo(options: Options, setup: Setup) -> int:
    """Take back all that was done together last."""
    journal = Journal(setup.state_folder)
    actions = journal.actions()
    if not actions:
        complain("there is nothing left that leafmark did and could take back")
        return NOT_FOUND
    done = [Done(steps, any(step.is_told for step in steps)) for steps in actions]

    def back(recorded: Recorded) -> tuple[Change | None, Exception | None]:
        with journal.intend(undoes=recorded.number) as intent:
            change, error = undo_journalled(
                recorded.change, setup.agent_env, setup.stores, setup.state_folder
            )
            if change is not None:
                record(intent, change, setup)
        return change, error

    with Stopping() as stopping, stopping.whole():
        at, tried = take_back(done, back, lambda done, total: not stopping.status)
    parts = []
    for each in tried:
        if each.change is None:
            _keep(each, is_before=at > 0, setup=setup)
            continue
        before, now = each.step.change, each.change
        if options.json:
            # Of a pin the path is that of the pins.
            path = None if before.kind == "pin" else before.path
            parts.append({**as_part(now, path), "undone": as_part(before, "")["change"]})
        else:
            who = "" if now.kind in ("trash", "restore") else f"{one_line(before.session_id)}: "
            write_text(f"{who}{as_line(now)}\n")
        if now.note:
            complain(now.note)
    if parts:
        write_json({"schema": SCHEMA, "changes": parts})
    taken = sum(each.change is not None for each in tried)
    code = _stopped(options, stopping, taken, len(actions[at]))
    return code or (REFUSED if any(each.change is None for each in tried) else 0)


def _keep(tried: Tried[Recorded], *, is_before: bool, setup: Setup) -> None:
    """Say why it was not taken back, and note whether another undo is to try it."""
    if tried.waits:
        told(tried.step.number, setup)
        why = str(tried.error)
        if isinstance(tried.error, HeaderlessContinuation):
            why += _ways_out(tried.error, tried.step.change.session_id)
        complain(f"{why}; {GOES_ON}" if is_before else why)
    else:
        give_up(tried.step.number, setup)
        complain(f"{tried.error}; {PASSED}" if is_before else str(tried.error))


def _each(
    things: Sequence[Thing], act: Callable[[Thing], Iterable[Change]], options: Options, setup: Setup
) -> int:
    """Do it to each, in one step or several. One that fails does not stop the others. A signal stops it
    between two of them; then the exit code is that of a program ended so, else the worst of theirs.
    """
    code = action = count = 0
    done: list[dict[str, Any]] = []
    with Stopping() as stopping, suppress(KeyboardInterrupt):
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
            done += [as_part(change, change.path) for change in made]
            for change in made:
                if not options.json:
                    write_text(as_line(change) + "\n")
                if change.note:
                    complain(change.note)
    if options.json and (done or not code):
        write_json({"schema": SCHEMA, "changes": done})
    return _stopped(options, stopping, count, len(things)) or code


def _stopped(options: Options, stopping: Stopping, done: int, total: int) -> int:
    """Say how far it came, where somebody asked to end; then the exit code, else 0."""
    if stopping.status:
        again = "another undo" if options.command == "undo" else "leafmark undo"
        complain(f"stopped: {stopped_note(options.command or '', done, total, again)}")
    return stopping.status


def _complain_of(found: Sequence[object]) -> int:
    """Say which of the names mean nothing, or too much: then nothing is done to any. 0 where all are well."""
    code = 0
    for each in found:
        if isinstance(each, Exception):
            complain(str(each))
            code = max(code, _code_of(each))
    return code


def _code_of(error: Exception) -> int:
    if isinstance(error, Ambiguous):
        return WRONG_USE
    return NOT_FOUND if isinstance(error, NotFound | NotThere) else REFUSED


def _meant(named: str, lost: list[Trashed], setup: Setup) -> Trashed | Archived | NotFound | Ambiguous:
    """What ``named`` stands for in the trash, else in an archive: where it lies, where it was, an id, or the
    beginning of one.
    """
    from app.stores.archive import archived

    nowhere = path = ""
    try:
        path = absolute(named)
    except Nowhere:
        nowhere = f": {GONE}"
    for things in (lambda: lost, lambda: archived(setup.stores)):
        told = [(thing, *_whereabouts(thing)) for thing in things()]
        for meant in (
            [thing for thing, lies, _, _ in told if path and lies == path],
            [thing for thing, _, was, _ in told if path and was == path],
            [thing for thing, _, _, id in told if named and id == named],
            [thing for thing, _, _, id in told if named and id.startswith(named)],
        ):
            if len(meant) == 1:
                return meant[0]
            if meant:
                some = ", ".join(_whereabouts(thing)[0] for thing in meant[:3])
                more = f" and {len(meant) - 3:,} more" if len(meant) > 3 else ""
                return Ambiguous(f"{named!r} names {len(meant):,} sessions: {some}{more}")
    return NotFound(f"neither the trash nor an archive has a session with the path or id {named!r}{nowhere}")


def _whereabouts(thing: Trashed | Archived) -> tuple[str, str, str]:
    """Where it lies, where it was, and its id."""
    if isinstance(thing, Trashed):
        return thing.in_trash, thing.path, thing.session_id
    return thing.path, thing.target, thing.id
