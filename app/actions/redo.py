"""Redo of the changes that were undone last, by one more write or move, with the checks of the first time.

The journal knows what can be redone: what was undone since the last new change. A redo is a change like any
other; an undo undoes it again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.actions.branch import MARK, leaf_is_at, set_leaf
from app.actions.drafts import write_draft_file
from app.actions.journal import Journal, journal_problem
from app.actions.journal_entries import JournalEntry
from app.actions.trash import trash, trash_file
from app.actions.undo import CannotUndo, find_store, open_same, require, undo
from app.actions.undo_steps import UndoAttempt, attempt_all
from app.formats.timestamps import parse_time
from app.sessions.errors import NotThere, SessionError
from app.sessions.manager.change import Change
from app.sessions.manager.entry_store import Entry
from app.sessions.manager.session_manager import SessionManager
from app.sessions.summaries.quick_summary import quick_summary
from app.stores import agent_named, store_holding
from app.stores.base import Store

_REVERSIBLE = frozenset(("label", "name", "pin", "tags", "note", "rewrite", "move"))
"""Kinds of changes whose undo is a change of the same kind."""
_SILENT = frozenset(("label", "session_info", "title_change"))
"""Types of entries that do not continue a conversation."""


def redo(step: JournalEntry, env: Mapping[str, str], store: Store | None, state_folder: str) -> Change:
    """Make an undone change again. A label, name, leaf, pin or note gets its new value again, and so do
    tags, rewritten lines and a working folder. A trashed session is trashed again, and a restored or new
    session is brought back.

    :param step: of `Journal.redoable`.
    :param env: the environment by which agents find their sessions, and the system its trash.
    :param store: where the session was found; None for the one that `env` leads to.
    :param state_folder: where leafmark keeps its pins.
    :return: the new change, which can be undone in turn.
    :raises CannotUndo: the session or its value has changed since.
    :raises SessionError: nothing was written or moved; the class says why.
    """
    change = step.change
    if store is None:
        store = find_store(change, env)
    if change.kind in _REVERSIBLE:
        return undo(_inverse(change), env, store, state_folder=state_folder)
    if change.kind == "leaf":
        return _redo_leaf(change, env, store)
    if change.kind == "trash":
        if not change.session_id:
            return _redo_headless(step, env)
        _require_no_news(step, env, store)
        return trash(change.path, env, store)
    if change.kind in ("restore", "file", "keep") and step.by is not None:
        restored = undo(step.by, env, store)
        # A new session, or copy, stays one, so that its undo sees whether it has gone on.
        return restored if change.kind == "restore" else replace(change, note=restored.note)
    raise CannotUndo(change.path, 0, "this is not done twice; do it again by hand")


def redo_journal_action(
    journal: Journal,
    action: int,
    env: Mapping[str, str],
    stores: Sequence[Store],
    state_folder: str,
    keep_going: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[list[UndoAttempt[JournalEntry]], dict[int, int], list[str]]:
    """Redo the changes of an undone action, and record the results in the journal. A step that fails does
    not stop the others; if it can never succeed, it cannot be redone any more.

    :param action: its number there; the first action of `Journal.redoable` is the one that was undone last.
    :param env: the environment by which agents find their sessions, and the system its trash.
    :param keep_going: see `attempt_all`.
    :return: the attempts in order, none if the action cannot be redone any more; the numbers of the new
        changes in the journal, by those of the undone ones; and notes for the user. Nothing is raised.
    """
    notes: list[str] = []
    numbers: dict[int, int] = {}

    def redo_step(step: JournalEntry) -> tuple[Change | None, Exception | None]:
        with journal.intend(next(iter(numbers.values()), 0), redoes=step.number) as intent:
            try:
                change = redo(step, env, store_holding(step.change.path, stores), state_folder)
            except (SessionError, OSError) as error:
                return None, error
            try:
                number = intent.done(change)
                if number:
                    numbers[step.number] = number
            except OSError as error:
                notes.append(journal_problem(error, state_folder))
        if change.note:
            notes.append(change.note)
        return change, None

    steps = next((steps for steps in journal.redoable() if steps[0].action == action), [])
    attempts = attempt_all(steps, redo_step, keep_going)
    for attempt in attempts:
        if attempt.error is not None and not attempt.can_retry:
            try:
                journal.mark_not_redone(attempt.step.number)
            except OSError as error:
                notes.append(journal_problem(error, state_folder))
    return attempts, numbers, list(dict.fromkeys(notes))


def _inverse(change: Change) -> Change:
    """The change that undid a change. Its undo is the redo."""
    return replace(
        change,
        before=change.after,
        after=change.before,
        moves=tuple((now, was) for was, now in change.moves),
        lines=tuple((entry_id, after, before) for entry_id, before, after in change.lines),
    )


def _redo_leaf(change: Change, env: Mapping[str, str], store: Store | None) -> Change:
    """Move the leaf again, to the summary if one was written, and leave the draft again."""
    manager = open_same(change, "branch", env, store)
    require(leaf_is_at(manager, change.before), change, "the session has gone on since")
    written = manager.get_entry(change.after) if change.after else None
    is_summary = written is not None and written.type == "branch_summary"
    moved = set_leaf(manager, change.after if is_summary else change.target_id)
    draft = agent_named(change.agent).draft_path(change.path) if change.draft else ""
    if not draft:
        return moved
    try:
        result = write_draft_file(draft, change.draft)
    except SessionError as error:
        return replace(moved, note="; ".join(filter(None, (moved.note, str(error)))))
    if not result.is_written:
        return moved
    return replace(moved, draft=change.draft, draft_folder=result.made_folder)


def _redo_headless(step: JournalEntry, env: Mapping[str, str]) -> Change:
    """Trash again what an agent wrote after its session was trashed."""
    path, agent = step.change.path, step.change.agent
    is_same = os.stat(path).st_mtime_ns // 1_000_000 <= step.undone_ms and quick_summary(path, (), 0) is None
    require(is_same, step.change, "the file is another by now")
    return trash_file(path, agent, env)


def _require_no_news(step: JournalEntry, env: Mapping[str, str], store: Store | None) -> None:
    """Pass if the session has no entry of its agent that was written after the undo.

    :raises CannotUndo: it has, or another session has its place.
    """
    change = step.change
    agents = () if store is None else store.agents
    summary = quick_summary(change.path, agents, 0)
    is_same = summary is None or summary.id == change.session_id
    require(is_same, change, "another session has its place by now")
    try:
        if os.stat(change.path).st_mtime_ns // 1_000_000 <= step.undone_ms:
            return
    except OSError as error:
        raise NotThere(change.path, 0, error.strerror or str(error)) from None
    # An undo or redo of leafmark gives the file a new time as well, but says nothing in it.
    manager = SessionManager.open(change.path, env=env, agents=agents, new=False)
    is_new = any(_is_news(entry, step.undone_ms) for entry in manager.get_entries())
    require(not is_new, change, "the session has gone on since")


def _is_news(entry: Entry, since_ms: int) -> bool:
    if entry.type in _SILENT or (entry.type == "custom" and entry.raw.get("customType") == MARK):
        return False
    at_ms = parse_time(entry.timestamp)
    return at_ms is None or at_ms > since_ms
