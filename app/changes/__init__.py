"""The commands that write to a session (label, rename, branch, fork), move it (trash, restore, undo) or tag
it.

Each finds the session, runs an action of `app.actions`, and prints a line about the change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.actions.branch import branch, branch_to_file, fork
from app.actions.session_edits import ROOT, label, rename
from app.changes import handoff_command, keep_command, tag_command, trash_commands
from app.changes.report import (
    as_document,
    as_text,
    intend,
    record,
    settle,
)
from app.formats.title_slot import fold_title
from app.index.resolve import Ambiguous, NotFound, ResolvedSession, resolve
from app.options import FAILED, WRONG_USE, Options, WrongUse
from app.reports.errors import complain_of, exit_code
from app.reports.output import complain, say_missing, write_json, write_text
from app.sessions.errors import SessionError, UnansweredCalls
from app.sessions.manager.change import Change
from app.sessions.storage.append_ledger import share_notes
from app.setup import Setup

Action = Callable[[Options, ResolvedSession, Mapping[str, str]], Change]


def run(options: Options, setup: Setup) -> int:
    """Make one change, record it in the journal, and print it.

    :param options: ``command`` names the change.
    :return: the exit code: 0 done, 1 no such session or entry, 2 wrong use or an ambiguous name, 3 refused or
        failed. If it is not 0, nothing was written, and one line on standard error says why. `trash`,
        `restore` and `undo` print such a line for each session that failed, and change the others if every
        session was found. After a signal, their code is 128 plus its number. A catalog that cannot be written
        has its own line and does not change the code.
    """
    say_missing(options, setup)
    share_notes(setup.cache_folder)
    settle(setup)
    try:
        if options.command == "tag":
            return tag_command.run(options, setup)
        if options.command == "handoff":
            return handoff_command.run(options, setup)
        if options.command == "keep":
            return keep_command.run(options, setup)
        if options.command not in _ACTIONS:
            return trash_commands.run(options, setup)
        check, act = _ACTIONS[options.command]
        check(options)
        session = resolve(options.session, setup.stores, setup.cache_folder, complain)
        with intend(setup) as intent:
            change = act(options, session, setup.agent_env)
            # Recorded before it is printed, because printing may fail.
            record(intent, change, setup)
    except WrongUse as error:
        complain(str(error))
        return WRONG_USE
    except UnansweredCalls as error:
        complain(f"{error} (--keep takes this one all the same)")
        return FAILED
    except (NotFound, Ambiguous, SessionError) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    if options.json:
        write_json(as_document(change, session.path))
    else:
        write_text(as_text(change))
    if change.note:
        complain(change.note)
    return 0


def _check_label(options: Options) -> None:
    if options.clear and options.text is not None:
        raise WrongUse("--clear removes the label: TEXT has no place beside it")
    if not options.clear and not fold_title(options.text or ""):
        raise WrongUse("a label needs a TEXT; --clear removes a label")


def _label(options: Options, session: ResolvedSession, env: Mapping[str, str]) -> Change:
    return label(session.path, options.entry or "", options.text or "", env, session.store)


def _check_rename(options: Options) -> None:
    if options.name and not fold_title(options.name):
        raise WrongUse('a name of blanks is none; "" clears the name')


def _rename(options: Options, session: ResolvedSession, env: Mapping[str, str]) -> Change:
    return rename(session.path, options.name, env, session.store)


def _check_branch(options: Options) -> None:
    if options.summary is not None and options.new_file:
        raise WrongUse("--summary has no place beside --new-file: a new session leaves no branch")
    if options.summary is not None and not options.summary.strip():
        raise WrongUse("--summary needs a text")
    if options.new_file and options.entry == ROOT:
        raise WrongUse("--new-file needs an entry: before all entries there is nothing to take along")


def _branch(options: Options, session: ResolvedSession, env: Mapping[str, str]) -> Change:
    if options.new_file:
        return branch_to_file(session.path, options.entry or "", env, session.store, keep=options.keep)
    summary = options.summary or ""
    return branch(session.path, options.entry or "", env, summary, session.store, keep=options.keep)


def _check_fork(options: Options) -> None:
    if options.keep and options.entry is None:
        raise WrongUse("--keep is about the entry of --entry")


def _fork(options: Options, session: ResolvedSession, env: Mapping[str, str]) -> Change:
    return fork(
        session.path,
        env,
        entry=options.entry,
        to=options.to,
        last=options.last,
        store=session.store,
        keep=options.keep,
    )


_ACTIONS: dict[str, tuple[Callable[[Options], None], Action]] = {
    "label": (_check_label, _label),
    "rename": (_check_rename, _rename),
    "branch": (_check_branch, _branch),
    "fork": (_check_fork, _fork),
}
