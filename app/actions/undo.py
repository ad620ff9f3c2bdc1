"""Undo of the last action, by one more write or a move back. No written line is ever erased.

The changes of one action are undone together (`undo_steps`). Actions of another run, or of the command line,
come from the journal. If a process was killed while it made a change, the files show whether the change was
made.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from app import paths
from app.actions import trash_folder
from app.actions.branch import leaf_is_at, set_leaf
from app.actions.continuation import ends_with_lines, take_off_lines
from app.actions.drafts import delete_draft
from app.actions.journal import Journal, journal_problem
from app.actions.journal_entries import InterruptedChange, JournalEntry
from app.actions.keep import drop, is_current
from app.actions.restore import find_trashed, restore, title_in_trash
from app.actions.session_edits import PINNED, open_session, pin, set_label, set_name
from app.actions.tagging import OtherByNow, is_recorded, revert
from app.actions.trash import trash, trash_file
from app.actions.undo_steps import SKIP_NOTE, JournalAction, UndoAttempt, attempt_all
from app.formats.json_codec import BadLine, decode
from app.sessions.errors import Changed, NotThere, SessionError
from app.sessions.manager.change import Change
from app.sessions.manager.rewriting import to_bytes
from app.sessions.manager.session_manager import SessionManager
from app.sessions.summaries.quick_summary import quick_summary
from app.stores import agent_named, all_pins, discover, store_holding
from app.stores.base import Store
from app.stores.kept import is_copy_of


class CannotUndo(SessionError):
    """The change cannot be undone or redone, or its result has changed since."""


def undo(
    change: Change, env: Mapping[str, str], store: Store | None = None, *, state_folder: str | None = None
) -> Change:
    """Undo a change. A label, name, leaf, pin or note gets its old value, and so do tags; a trashed session
    is restored, and a restored or new session and a new copy are trashed. With a leaf, the draft that was
    left for the agent's editor is deleted if its text is unchanged.

    :param env: the environment by which agents find their sessions, and the system its trash.
    :param store: where the session was found; None for the one that `env` leads to.
    :param state_folder: where leafmark keeps its pins and tags; None for the one that `env` leads to.
    :return: the new change, which can be undone in turn; its note says why a draft stays.
    :raises CannotUndo: it appended an entry, it deleted a session, or its result has changed since.
    :raises SessionError: nothing was written or moved; the class says why.
    """
    if store is None or change.source_agent:
        # A session that was handed over is in the store of another agent than the one it was made from.
        store = find_store(change, env)
    if change.kind == "label" and change.target_id is not None:
        manager = open_same(change, "label", env, store)
        require(manager.get_label(change.target_id) == change.after, change, "the label is another by now")
        return set_label(manager, change.target_id, change.before)
    if change.kind == "name":
        manager = open_same(change, "name", env, store)
        require(manager.session_name == change.after, change, "the name is another by now")
        return set_name(manager, change.before or "")
    if change.kind == "leaf":
        manager = open_same(change, "branch", env, store)
        require(leaf_is_at(manager, change.after), change, "the session has gone on since")
        return _delete_draft_of(change, set_leaf(manager, change.before))
    if change.kind in ("rewrite", "move"):
        return _revert(change, env, store)
    if change.kind == "pin":
        return _restore_pin(change, env, store, state_folder)
    if change.kind in ("tags", "note"):
        try:
            return revert(change, paths.state_folder(env) if state_folder is None else state_folder)
        except OtherByNow as error:
            raise CannotUndo(change.path, 0, str(error)) from None
    if change.kind == "trash":
        return _restore(change)
    if change.kind == "restore":
        return _trash_again(change, env, store)
    if change.kind == "file":
        return _trash_new_session(change, env, store)
    if change.kind == "keep":
        require(os.path.lexists(change.path), change, "its file is gone, and the copy is all that is left")
        require(store is not None and bool(store.kept), change, "its folder is not looked into any more")
        assert store is not None
        return drop(change.after or "", store, env)
    raise CannotUndo(
        change.path, 0, "it was deleted for good" if change.kind == "delete" else "an entry stays"
    )


def _delete_draft_of(change: Change, undo_change: Change) -> Change:
    """Delete the draft that was left with `change`; return `undo_change` with a note if the draft stays."""
    if not change.draft:
        return undo_change
    draft = agent_named(change.agent).draft_path(change.path)
    problem = delete_draft(draft, change.draft, with_folder=change.draft_folder)
    return replace(undo_change, note="; ".join(filter(None, (undo_change.note, problem))))


def open_same(change: Change, ability: str, env: Mapping[str, str], store: Store | None) -> SessionManager:
    """Open the session that was changed, to change it again; see `open_session`.

    :raises CannotUndo: another session has its path.
    """
    manager = open_session(change.path, ability, env, store)
    require(manager.session_id == change.session_id, change, "another session has its place by now")
    return manager


def _revert(change: Change, env: Mapping[str, str], store: Store | None) -> Change:
    path = change.path if change.kind == "rewrite" else change.after or change.path
    manager = SessionManager.open(path, env=env, agents=() if store is None else store.agents, new=False)
    require(manager.session_id == change.session_id, change, "another session has its place by now")
    try:
        return manager.revert(change)
    except Changed:
        raise CannotUndo(change.path, 0, "the session is another by now") from None


def _restore(change: Change) -> Change:
    if not change.after:
        raise CannotUndo(
            change.path, 0, "where it lies in the trash is not known; take it out of there by hand"
        )
    try:
        return restore(change)
    except NotThere as error:
        raise CannotUndo(change.path, 0, error.reason) from None


def _trash_again(change: Change, env: Mapping[str, str], store: Store | None) -> Change:
    """Trash what was restored, without the entries that were appended with it."""
    path = change.after or change.path
    if not change.session_id:
        require(quick_summary(path, (), 0) is None, change, "a session has its place by now")
        return trash_file(path, change.agent, env)
    is_same = not change.lines or ends_with_lines(path, change.lines)
    require(is_same, change, "the session has gone on since its entries were appended")
    return trash(path, env, store, joined=change.lines)


def _trash_new_session(change: Change, env: Mapping[str, str], store: Store | None) -> Change:
    """Trash the session that was made, or restored from a copy, unless it has new entries."""
    path = change.after or ""
    if is_copy_of(change.before or "", path):
        require(os.path.lexists(path), change, "the session is gone")
        is_same = is_current(change.before or "", os.stat(path))
        require(is_same, change, "the session has gone on since")
        return trash(path, env, store)
    require(change.after_id != change.session_id, change, "what came out of the archive stays")
    manager = SessionManager.open(path, env=env, agents=() if store is None else store.agents, new=False)
    require(leaf_is_at(manager, change.target_id), change, "the new session has gone on since")
    return trash(path, env, store)


def _restore_pin(
    change: Change, env: Mapping[str, str], store: Store | None, state_folder: str | None
) -> Change:
    if store is None:
        raise CannotUndo(change.path, 0, "its folder is not looked into any more")
    state_folder = paths.state_folder(env) if state_folder is None else state_folder
    now = PINNED if (change.agent, change.session_id) in all_pins([store], state_folder) else None
    require(now == change.after, change, "the pin is another by now")
    return pin(change.agent, change.session_id, change.before is not None, store, state_folder)


def find_store(change: Change, env: Mapping[str, str]) -> Store | None:
    """The store of the changed file: the one that the file is in, or whose pins it has, else a store of the
    agent in the folder of the file. None if the agent is unknown.
    """
    home, here = paths.home_folder(env), paths.current_folder() or os.sep
    stores = discover(env, home, here)
    for store in stores:
        for candidate in (store, *store.twins):
            if candidate.agent.name == change.agent and candidate.pins and candidate.pins == change.path:
                return store
    holding = store_holding(change.path, stores)
    if holding is not None:
        return holding
    if not change.agent:
        return None
    agent = agent_named(change.agent)
    if change.kind == "pin":
        return agent.own_store(env, home, here)
    return agent.store_at(os.path.dirname(change.path), env, home, here)


def require(is_unchanged: bool, change: Change, reason: str) -> None:
    """Pass if nothing has changed since `change` was made or undone.

    :raises CannotUndo: something has, for `reason`.
    """
    if not is_unchanged:
        raise CannotUndo(change.path, 0, reason)


def settle_interrupted(
    journal: Journal, env: Mapping[str, str], stores: Sequence[Store], state_folder: str
) -> None:
    """Record in the journal the changes of a leafmark that was killed before it could. Changes that were not
    made are dropped. If the files cannot be read now, the change is settled later. Nothing is raised.

    :param env: the environment by which agents find their sessions, and the system its trash.
    """
    with contextlib.suppress(OSError), journal.interrupted() as changes:
        for interrupted in changes:
            with contextlib.suppress(SessionError, OSError):
                journal.settle(interrupted, _change_as_made(interrupted, env, stores, state_folder))


def _change_as_made(
    interrupted: InterruptedChange, env: Mapping[str, str], stores: Sequence[Store], state_folder: str
) -> Change | None:
    """The change, if the files show that it was made; else None.

    :raises SessionError, OSError: they cannot be read.
    """
    change = interrupted.change
    agents = (change.agent,) if change.agent else ()
    if change.kind == "trash":
        if change.session_id:
            stays = _holds_session(change.path, change.session_id, agents)
        else:  # the moved file is no session
            stays = os.path.lexists(change.path)
        made = None if stays else find_trashed(change, env)
        if made is not None and made.after:
            take_off_lines(made.after, change.lines)
        return made
    if change.kind == "pin":
        now = PINNED if (change.agent, change.session_id) in all_pins(stores, state_folder) else None
        return change if now == change.after else None
    if change.kind in ("tags", "note"):
        return change if is_recorded(change, state_folder) else None
    if change.kind in ("file", "restore"):
        after = change.after or ""
        session_id = change.session_id if change.kind == "restore" else change.after_id or ""
        if change.kind == "restore" and _is_same_file(change.before or "", after):
            # The system cannot rename in one step, and the process was killed between the two.
            os.unlink(change.before or "")
            trash_folder.delete_note(change.before or "")
        if _holds_session(after, session_id, agents):
            return change
        if change.kind == "restore" and change.before:
            take_off_lines(change.before, change.lines)
        if change.kind == "file" and session_id != change.session_id and not os.path.lexists(after):
            # A fork copies the artifacts first. Without the session's file, the copy belongs to no session.
            shutil.rmtree(os.path.splitext(after)[0], ignore_errors=True)
        return None
    if change.kind == "move":
        return _complete_move(change, env, agents)
    try:
        manager = SessionManager.open(change.path, env=env, agents=agents, new=False)
    except NotThere:
        return None
    if change.kind == "rewrite":
        lines = {entry.id: entry.source for entry in manager.get_entries()}
        is_same = manager.session_id == change.session_id
        was_made = all(lines.get(entry_id) == to_bytes(after) for entry_id, _, after in change.lines)
        return change if is_same and was_made else None
    if change.entry_id:
        was_made = manager.get_entry(change.entry_id) is not None
    else:
        was_made = manager.session_name == change.after
    return change if was_made and manager.session_id == change.session_id else None


def _complete_move(change: Change, env: Mapping[str, str], agents: Sequence[str]) -> Change | None:
    """Complete a move that was interrupted after its file had the new path; None if it had not: the session
    is where it was, and its artifacts go back to it.
    """
    source, target = change.path, change.after or ""
    if source != target and os.path.lexists(source) and not _is_same_file(source, target):
        for before, now in change.moves:
            if before != source and not os.path.lexists(before) and os.path.isdir(now):
                os.rename(now, before)
        return None
    try:
        manager = SessionManager.open(target, env=env, agents=tuple(agents), new=False)
    except NotThere:
        return None
    if manager.session_id != change.session_id:
        return None
    if _is_same_file(source, target) and source != target:
        os.unlink(source)
    for _, _, after in change.lines:
        try:
            cwd = decode(to_bytes(after)).get("cwd")
        except BadLine:
            continue  # a damaged intent
        if cwd and isinstance(cwd, str) and cwd != manager.header_cwd:
            manager.move_to(cwd, os.path.dirname(target))
    return change


def _holds_session(path: str, session_id: str, agents: Sequence[str]) -> bool:
    summary = quick_summary(path, agents, 0)
    return summary is not None and summary.id == session_id


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def next_journal_action(journal: Journal, own: Collection[int]) -> JournalAction | None:
    """The last action that is not undone; None if there is none. An action for which the reason that it
    cannot be undone was reported is chosen only if there is no other.

    :param own: the numbers of changes whose actions are left out.
    """
    actions = [steps for steps in journal.actions() if not any(step.number in own for step in steps)]
    unreported = [steps for steps in actions if not any(step.is_reported for step in steps)]
    steps = (unreported or actions or [[]])[-1]
    if not steps:
        return None
    changes = [step.change for step in steps]
    title = title_in_trash(changes[0]) if len(changes) == 1 else ""
    return JournalAction(steps[0].action, steps[-1].at_ms, changes, title)


def undo_journal_action(
    journal: Journal,
    action: int,
    env: Mapping[str, str],
    stores: Sequence[Store],
    state_folder: str,
    keep_going: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[list[UndoAttempt[JournalEntry]], list[str]]:
    """Undo the changes of an action of the journal that are not undone yet, and record the results there.

    :param env: the environment by which agents find their sessions, and the system its trash.
    :param keep_going: see `attempt_all`.
    :return: the attempts, the last step first, none if another process undid the action meanwhile; and notes
        for the user. Nothing is raised.
    """
    notes = []

    def undo_step(step: JournalEntry) -> tuple[Change | None, Exception | None]:
        with journal.intend(undoes=step.number) as intent:
            change, error = undo_journal_change(step.change, env, stores, state_folder)
            try:
                if change is not None:
                    intent.done(change)
            except OSError as journal_error:
                notes.append(journal_problem(journal_error, state_folder))
        return change, error

    steps = [step for step in journal.active() if step.action == action]
    if not steps:
        return [], ["it was undone meanwhile"]
    tried = attempt_all(steps[::-1], undo_step, keep_going)
    for attempt in tried:
        if attempt.change is not None:
            continue
        try:
            journal.mark_failed(attempt.step.number, attempt.reason, can_retry=attempt.can_retry)
        except OSError as error:
            notes.append(journal_problem(error, state_folder))
    if any(attempt.error for attempt in tried) and len(journal.actions()) > 1:
        notes.append(SKIP_NOTE)
    return tried, list(dict.fromkeys(notes))


def undo_journal_change(
    change: Change, env: Mapping[str, str], stores: Sequence[Store], state_folder: str
) -> tuple[Change | None, Exception | None]:
    """Undo a change of the journal. Its session need not be in the list."""
    try:
        store = store_holding(change.path, stores)
        return undo(change, env, store, state_folder=state_folder), None
    except (SessionError, OSError) as error:
        return None, error
