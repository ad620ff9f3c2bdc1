"""``leafmark resume``: finds the session that the query names, and resumes it or prints the command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing

from app.actions.resume import EXAMPLE_PROBLEM, Plan, ResumeError, continued_note, execute, plan_now
from app.formats.text import one_line
from app.index.index import Index
from app.index.query.query import QueryError
from app.index.resolve import Ambiguous, NotFound, candidate_of, check_file, find_session
from app.index.row import LISTED, Row, is_ahead, kind_of
from app.options import DONE, FAILED, WRONG_USE, Options
from app.paths import FOLDER_GONE, CurrentFolderGone, absolute, current_folder
from app.reports.errors import ambiguity_lines, exit_code
from app.reports.output import complain, hint, write_exactly, write_lines
from app.sessions.errors import NotThere, SessionError, Unreadable
from app.sessions.tree.tree import open_tree
from app.setup import Setup
from app.stores import agent_named, store_holding
from app.stores.layout import reason
from app.stores.live import look
from app.view.fork_order import newer_of
from app.view.formatting import tilde
from app.view.toy_agent import toy_agent_text


def find_plan(options: Options, setup: Setup, reference: str, *, alone: bool) -> tuple[Plan | None, int, str]:
    """Plan to resume the session that the query names.

    :param reference: "path" or "id" if the query can be one, else "".
    :param alone: there is no screen; with ``--print``, a query with a single match then names that session.
    :return: the plan, None if the query names no session; the exit code; the error, "" for none.
    """
    if options.newest and options.query:
        return None, WRONG_USE, "leafmark: --last has no place beside a query"
    plan = None
    try:
        if options.newest:
            plan = plan_newest(setup)
        elif reference:
            plan = plan_by_reference(options.query[0], setup, is_path=reference == "path")
        if plan is None and alone and options.print and options.query:
            plan = plan_only_match(options, setup)
    except (NotFound, Ambiguous, QueryError, SessionError) as error:
        return None, *_failure(error, setup)
    return plan, DONE, ""


def _failure(error: Exception, setup: Setup) -> tuple[int, str]:
    """The exit code, and the text for standard error."""
    if isinstance(error, Ambiguous):
        return WRONG_USE, "leafmark: " + "\n".join(ambiguity_lines(error, setup.now_ms()))
    code = WRONG_USE if isinstance(error, QueryError) else exit_code(error)
    return code, f"leafmark: {one_line(str(error), 1_000)}"


def find_path(reference: str, setup: Setup, *, is_path: bool) -> tuple[str, int, str]:
    """Find the session that the browser opens at.

    :param reference: a path, an id, or the beginning of one id.
    :return: the path of its file, "" if no session has such an id; the exit code; the error, "" for none.
    """
    try:
        if is_path:
            path = _absolute(reference)
            check_file(path)
            row = _row_of_file(path, _all_rows(setup))
            if row is None:
                raise NotFound(f"{path}: in no known store; --store adds one, and `leafmark tree` prints it")
            return row.path, DONE, ""
        return find_session(reference, _all_rows(setup)).path, DONE, ""
    except (NotFound, Ambiguous, SessionError) as error:
        if not is_path and isinstance(error, NotFound | NotThere):
            return "", DONE, ""
        return "", *_failure(error, setup)


def _all_rows(setup: Setup) -> Sequence[Row]:
    """The sessions of all stores, after a look at their files."""
    with closing(Index(setup.stores, setup.cache_folder, on_renewed=complain)) as index:
        index.scan()
        return index.rows()


def _row_of_file(path: str, rows: Sequence[Row]) -> Row | None:
    real = os.path.realpath(path)
    return next((row for row in rows if row.path == path or os.path.realpath(row.path) == real), None)


def plan_newest(setup: Setup) -> Plan:
    """Plan to resume the session of the current folder with the newest activity; one whose time is in the
    future only if there is no other.

    :raises NotFound: the folder has no session.
    """
    rows = _all_rows(setup)
    here = [row for row in rows if row.cwd in setup.here and kind_of(row) == LISTED]
    if not here:
        raise NotFound(f"no session works in {setup.here[0]}; `leafmark resume` finds those of other folders")
    now_ms = setup.now_ms()
    newest = max(here, key=lambda row: (not is_ahead(row, now_ms), row.modified, row.path))
    return _plan_of(newer_of(newest, rows) or newest, setup, rows)


def plan_by_reference(reference: str, setup: Setup, *, is_path: bool) -> Plan | None:
    """Plan to resume the session with a path or an id, or the only one whose id begins like that; None if no
    session has such an id.

    :param is_path: `reference` is a path.
    :raises Ambiguous: several sessions have such an id.
    :raises SessionError: the session cannot be read.
    """
    path = ""
    if is_path:
        path = _absolute(reference)
        check_file(path)
    rows = _all_rows(setup)
    if is_path:
        row = _row_of_file(path, rows)
        return _plan_of(row, setup, rows) if row is not None else _plan_outside(path, setup)
    try:
        return _plan_of(find_session(reference, rows), setup, rows)
    except NotFound:
        return None


def _absolute(word: str) -> str:
    try:
        return absolute(word)
    except CurrentFolderGone:
        raise NotThere(word, 0, FOLDER_GONE) from None


def plan_only_match(options: Options, setup: Setup) -> Plan:
    """Plan to resume the only session that matches the query.

    :raises NotFound: no session matches.
    :raises Ambiguous: several sessions match.
    :raises QueryError: the query is invalid.
    """
    text = " ".join(options.query)
    with closing(setup.open_index(complain)) as index:
        index.scan()
        found = {hit.path: hit.row for page in index.query(text) for hit in page.hits}
        rows = index.rows()
    matches = [row for row in found.values() if not row.is_deleted]
    if not matches:
        # The text may be a relative path that cannot be resolved.
        is_relative = os.sep in text and not os.path.isabs(text)
        suffix = f": {FOLDER_GONE}" if is_relative and current_folder() is None else ""
        raise NotFound(f"no session matches {text!r}{suffix}")
    if len(matches) > 1:
        raise Ambiguous(text, [candidate_of(row) for row in matches], verb="matches")
    return _plan_of(matches[0], setup, rows)


def hand_over(plan: Plan, *, prints: bool, anyway: bool, shell: str = "") -> int:
    """Print the command on standard output, or print it on standard error and become the agent, which does
    not return.

    :param prints: only print it.
    :param shell: the shell that the printed command is quoted for, one of `SHELLS`; "" for sh.
    :param anyway: resume even if the user would be asked first, see `Plan.asks`.
    :return: the exit code: 0 if the command was printed, or the text of the toy agent for an example session;
        3 if the session cannot be resumed from here, or only with ``--anyway``. Standard error then has the
        reason and the command to run by hand.
    """
    if plan.example and not prints:
        write_lines(plan.example.splitlines())
        return DONE
    if prints:
        write_exactly(plan.line_for(shell or "sh"))
        for message in filter(None, (*plan.asks, plan.problem)):
            complain(message)
        return DONE
    if plan.asks and not plan.problem and not anyway:
        complain(f"{'; '.join(plan.asks)} (--anyway resumes it all the same)")
        hint(plan.shell)
        return FAILED

    try:
        if not plan.problem:
            hint(plan.shell)
        execute(plan)
    except ResumeError as error:
        complain(str(error))
        hint(plan.shell)
        return FAILED


def _plan_of(row: Row, setup: Setup, rows: Sequence[Row]) -> Plan:
    store = next(store for store in setup.stores if store.root == row.store)
    processes, now_ms = look(setup.stores), setup.now_ms()
    result, _ = plan_now(
        *(row.agent, row.path, row.id, row.cwd, store, setup.env),
        *(processes, now_ms, row.grew_ms),
    )
    newer = newer_of(row, rows)
    if newer is not None:
        result.asks += (continued_note(newer.id),)
    if setup.demo:
        result.problem = EXAMPLE_PROBLEM
        result.example = toy_agent_text(row.agent, row.title, tilde(result.cwd, setup.home), result.shell)
    return result


def _plan_outside(path: str, setup: Setup) -> Plan:
    """The plan for a session that is not in the index.

    :raises SessionError: it is no session, or cannot be read.
    """
    holding = store_holding(path, setup.stores)
    try:
        header = open_tree(path, holding.agents if holding is not None else ()).header
    except OSError as error:
        raise Unreadable(path, 0, reason(error)) from None
    agent = agent_named(header.agent)
    store = agent.own_store(setup.env, setup.home, setup.here[0])
    if holding is not None and header.agent in holding.agents:
        store = holding.of(header.agent)
    processes, now_ms = look([*setup.stores, store]), setup.now_ms()
    result, _ = plan_now(*(header.agent, path, header.id, header.cwd, store, setup.env), *(processes, now_ms))
    return result
