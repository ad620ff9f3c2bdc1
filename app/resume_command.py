"""``leafmark resume``: into a session that is named, or to the selector for one that is described."""

from __future__ import annotations

import os

from app.actions.resume import Plan, ResumeError, execute, in_use_warning, plan
from app.formats.text import one_line
from app.index.index import Index
from app.index.live_sessions import verdict_to_resume
from app.index.query.query import QueryError
from app.index.resolve import Ambiguous, NotFound, check_file, find_session
from app.index.row import Row
from app.options import Options
from app.paths import FOLDER_GONE, CurrentFolderGone, absolute, current_folder
from app.reports.output import complain, hint, write_exactly
from app.sessions.errors import NotThere, SessionError, Unreadable
from app.sessions.tree.tree import open_tree
from app.setup import Setup
from app.stores import agent_named, store_holding
from app.stores.layout import reason
from app.stores.live import look

DONE, NOT_FOUND, WRONG_USE, REFUSED = 0, 1, 2, 3


def find_plan(options: Options, setup: Setup, reference: str, *, alone: bool) -> tuple[Plan | None, int, str]:
    """How to resume the session that is meant, as far as that can be told without a screen.

    :param reference: "path" or "id" if the query can be one, else "".
    :param alone: there can be no screen: with ``--print`` a query may mean its only match.
    :return: the plan, None if the words are a query; the exit code; the error, "" for none.
    """
    plan = None
    try:
        if reference:
            plan = plan_by_reference(options.query[0], setup, is_path=reference == "path")
        if plan is None and alone and options.print and options.query:
            plan = plan_only_match(options, setup)
    except (NotFound, NotThere) as error:
        return None, NOT_FOUND, f"leafmark: {one_line(str(error), 1_000)}"
    except (Ambiguous, QueryError) as error:
        return None, WRONG_USE, f"leafmark: {one_line(str(error), 1_000)}"
    except SessionError as error:
        return None, REFUSED, f"leafmark: {one_line(str(error), 1_000)}"
    return plan, DONE, ""


def plan_by_reference(reference: str, setup: Setup, *, is_path: bool) -> Plan | None:
    """How to resume the session with that path, or with that id or an id that begins so; None if no session
    has such an id.

    :raises Ambiguous: several sessions have an id that begins so.
    :raises SessionError: the session cannot be read.
    """
    path = ""
    if is_path:
        path = _absolute(reference)
        check_file(path)
    index = Index(setup.stores, setup.cache_folder)
    try:
        index.scan()
        rows = index.rows()
    finally:
        index.close()
    if is_path:
        real = os.path.realpath(path)
        row = next((row for row in rows if row.path == path or os.path.realpath(row.path) == real), None)
        return _plan_of(row, setup) if row is not None else _plan_outside(path, setup)
    try:
        return _plan_of(find_session(reference, rows), setup)
    except NotFound:
        return None


def _absolute(word: str) -> str:
    try:
        return absolute(word)
    except CurrentFolderGone:
        raise NotThere(word, 0, FOLDER_GONE) from None


def plan_only_match(options: Options, setup: Setup) -> Plan:
    """How to resume the only session that matches the query, where there is no screen to choose on.

    :raises NotFound: none does.
    :raises Ambiguous: several do.
    :raises QueryError: the query cannot be run.
    """
    text = " ".join(options.query)
    index = Index(setup.stores, setup.cache_folder, setup.now_ms, home=setup.home)
    try:
        index.scan()
        rows: dict[str, Row] = {}
        for page in index.query(text):
            rows.update((hit.path, hit.row) for hit in page.hits)
        found = list(rows.values())
    finally:
        index.close()
    if not found:
        # A path that leads nowhere looks like words to search for.
        nowhere = (
            f": {FOLDER_GONE}"
            if os.sep in text and not os.path.isabs(text) and current_folder() is None
            else ""
        )
        raise NotFound(f"no session matches {text!r}{nowhere}")
    if len(found) > 1:
        some = ", ".join(row.path for row in found[:3])
        more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
        raise Ambiguous(f"{text!r} matches {len(found):,} sessions: {some}{more}")
    return _plan_of(found[0], setup)


def hand_over(plan: Plan, *, prints: bool, anyway: bool = False) -> int:
    """Print the command, or become the agent, with the same line on standard error: then this does not
    return.

    :param anyway: go on where the user would have to be asked first, see `Plan.asks`.
    :return: the exit code: 0 printed, 3 it cannot be resumed from here, or the user has to say so. Then one
        line on standard error says why, and another what to run by hand.
    """
    if prints:
        write_exactly(plan.shell)
        for said in filter(None, (plan.warning, *plan.asks, plan.problem)):
            complain(said)
        return DONE
    if plan.asks and not plan.problem and not anyway:
        complain(f"{'; '.join(plan.asks)} (--anyway resumes it all the same)")
        hint(plan.shell)
        return REFUSED

    try:
        if not plan.problem:
            if plan.warning:
                complain(plan.warning)
            hint(plan.shell)
        execute(plan)
    except ResumeError as error:
        complain(str(error))
        hint(plan.shell)
        return REFUSED


def _plan_of(row: Row, setup: Setup) -> Plan:
    store = next(store for store in setup.stores if store.root == row.store)
    made = plan(row.agent, row.path, row.id, row.cwd, store, setup.env, row.dialect)
    found = verdict_to_resume(
        row.agent, row.path, row.id, row.cwd, look(setup.stores), setup.now_ms(), row.grew_ms
    )
    if found is not None:
        made.asks += (in_use_warning(row.agent, found),)
    if setup.demo:
        made.problem = "an example session: there is nothing to resume"
    return made


def _plan_outside(path: str, setup: Setup) -> Plan:
    """The plan for a file that lies in no store, or is listed in none.

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
    made = plan(header.agent, path, header.id, header.cwd, store, setup.env, header.dialect)
    found = verdict_to_resume(
        header.agent, path, header.id, header.cwd, look([*setup.stores, store]), setup.now_ms()
    )
    if found is not None:
        made.asks += (in_use_warning(header.agent, found),)
    return made
