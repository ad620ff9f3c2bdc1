"""``leafmark resume``: into a session that is named, or to the selector for one that is described."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.view.session_filter import is_plain

if TYPE_CHECKING:
    from app.actions.resume import Plan
    from app.index.row import Row
    from app.options import Options
    from app.setup import Setup

DONE, NOT_FOUND, WRONG_USE, REFUSED = 0, 1, 2, 3
SHORTEST = 8
"""Beginnings of ids are as long at least: shorter ones may be words that somebody looks for."""

_HEX_LETTERS = "abcdef"


def may_name(options: Options) -> bool:
    """Whether the words of ``options`` look as if they named a session. Most do not, and then nothing has to
    be imported, and no session looked at, before the first frame.

    The ids that agents make up have digits or dashes
    (formats/README.md, "pi"). One that somebody made of letters alone
    is a word on the screen, and found as one.
    """
    if len(options.query) != 1:
        return False
    (word,) = options.query
    return _is_path(word) or (_may_be_id(word) and not (word.isalpha() and word.strip(_HEX_LETTERS)))


def _is_path(word: str) -> bool:
    return os.sep in word and os.path.lexists(word)


def _may_be_id(word: str) -> bool:
    """Whether it can be an id or the beginning of one: none has what makes a query more than words."""
    return len(word) >= SHORTEST and is_plain(word)


def look_up(options: Options, setup: Setup, *, alone: bool) -> tuple[Plan | None, int, str]:
    """How to resume the session that is meant, as far as that can be told without a screen.

    :param alone: there can be no screen: with ``--print`` a query may mean its only match.
    :return: the plan, None where the words are a query; the exit code; what went wrong, "" if nothing.
    """
    from app.formats.text import one_line
    from app.index.query.query import QueryError
    from app.index.resolve import Ambiguous, NotFound
    from app.sessions.errors import NotThere, SessionError

    try:
        plan = named(options, setup)
        if plan is None and alone and options.print and options.query:
            plan = only_match(options, setup)
    except (NotFound, NotThere) as error:
        return None, NOT_FOUND, f"leafmark: {one_line(str(error), 1_000)}"
    except (Ambiguous, QueryError) as error:
        return None, WRONG_USE, f"leafmark: {one_line(str(error), 1_000)}"
    except SessionError as error:
        return None, REFUSED, f"leafmark: {one_line(str(error), 1_000)}"
    return plan, DONE, ""


def named(options: Options, setup: Setup) -> Plan | None:
    """How to resume the session that the words of ``options`` name by its path, its id or the beginning of
    its id; None where they name none, and are a query.

    :raises find.Ambiguous: they name several.
    :raises SessionError: it cannot be read.
    """
    word = options.query[0] if len(options.query) == 1 else ""
    is_path = _is_path(word)
    if not is_path and not _may_be_id(word):
        return None
    from app.index.index import Index
    from app.index.resolve import NotFound, check_file, find_session

    path = ""
    if is_path:
        path = _absolute(word)
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
        return _plan_of(find_session(word, rows), setup)
    except NotFound:
        return None


def _absolute(word: str) -> str:
    from app.paths import GONE, Nowhere, absolute
    from app.sessions.errors import NotThere

    try:
        return absolute(word)
    except Nowhere:
        raise NotThere(word, 0, GONE) from None


def only_match(options: Options, setup: Setup) -> Plan:
    """How to resume the only session that matches the query, where there is no screen to choose on.

    :raises find.NotFound: none does.
    :raises find.Ambiguous: several do.
    :raises QueryError: the query cannot be run.
    """
    from app.index.index import Index
    from app.index.resolve import Ambiguous, NotFound

    text = query_of(options)
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
        from app.paths import GONE, here

        # A path that leads nowhere looks like words to search for.
        nowhere = f": {GONE}" if os.sep in text and not os.path.isabs(text) and here() is None else ""
        raise NotFound(f"no session matches {text!r}{nowhere}")
    if len(found) > 1:
        some = ", ".join(row.path for row in found[:3])
        more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
        raise Ambiguous(f"{text!r} matches {len(found):,} sessions: {some}{more}")
    return _plan_of(found[0], setup)


def query_of(options: Options) -> str:
    """The words of a query as one text."""
    return " ".join(options.query)


def hand_over(plan: Plan, *, prints: bool, anyway: bool = False) -> int:
    """Print the command, or become the agent, with the same line on standard error: then this does not
    return.

    :param anyway: go on where the user would have to be asked first, see `Plan.asks`.
    :return: the exit code: 0 printed, 3 it cannot be resumed from here, or the user has to say so. Then one
        line on standard error says why, and another what to run by hand.
    """
    from app.reports.output import complain, hint, write_exactly

    if prints:
        write_exactly(plan.shell)
        for said in filter(None, (plan.warning, *plan.asks, plan.problem)):
            complain(said)
        return DONE
    if plan.asks and not plan.problem and not anyway:
        complain(f"{'; '.join(plan.asks)} (--anyway resumes it all the same)")
        hint(plan.shell)
        return REFUSED
    from app.actions.resume import ResumeError, execute

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
    from app.actions.resume import in_use, plan
    from app.index.live_sessions import verdict_to_resume
    from app.stores.live import look

    store = next(store for store in setup.stores if store.root == row.store)
    made = plan(row.agent, row.path, row.id, row.cwd, store, setup.env, row.dialect)
    found = verdict_to_resume(
        row.agent, row.path, row.id, row.cwd, look(setup.stores), setup.now_ms(), row.grew_ms
    )
    if found is not None:
        made.asks += (in_use(row.agent, found),)
    if setup.demo:
        made.problem = "an example session: there is nothing to resume"
    return made


def _plan_outside(path: str, setup: Setup) -> Plan:
    """Of a file that lies in no store, or is listed in none.

    :raises SessionError: it is no session, or cannot be read.
    """
    from app.actions.resume import in_use, plan
    from app.index.live_sessions import verdict_to_resume
    from app.sessions.errors import Unreadable
    from app.sessions.tree.tree import open_tree
    from app.stores import agent_named, store_holding
    from app.stores.layout import reason
    from app.stores.live import look

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
        made.asks += (in_use(header.agent, found),)
    return made
