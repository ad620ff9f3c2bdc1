"""Taking a change back: by one more write, for nothing that was written is ever erased, or by a move back."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from app import paths
from app.actions.branch import put_leaf, stands_at
from app.actions.drafts import drop_draft
from app.actions.label import put_label
from app.actions.opened import opened
from app.actions.rename import put_name
from app.actions.restore import restore
from app.actions.trash import trash
from app.sessions.errors import NotThere, SessionError
from app.sessions.manager.manager import SessionManager
from app.stores import agent_named, discover, store_holding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.change import Change
    from app.stores.base import Store


class CannotUndo(SessionError):
    """The change is not one that can be taken back, or something else was done since."""


def undo(
    change: Change, env: Mapping[str, str], store: Store | None = None, *, state_folder: str | None = None
) -> Change:
    """Put back the label, the name, the leaf or the pin that `change` replaced, and with the leaf take back
    the text that was left for the agent's editor as long as it is that text; take a session out of the
    trash, or put it there again; put a new session into the trash.

    :param env: the environment by which agents find their sessions, and the system its trash.
    :param store: where the session was found; the one that `env` leads to where None.
    :param state_folder: where leafmark keeps its pins; the one that `env` leads to where None.
    :return: what was done, which can be taken back in turn; its note says why a draft stays.
    :raises CannotUndo: it was a plain entry or is gone for good, or what it did stands no more.
    :raises SessionError: nothing was written or moved; the class says why.
    """
    if store is None:
        store = _store_of(change, env)
    if change.kind == "label":
        assert change.target_id is not None
        manager = _opened(change, "label", env, store)
        _expect(manager.get_label(change.target_id) == change.after, change, "the label is another by now")
        return put_label(manager, change.target_id, change.before)
    if change.kind == "name":
        manager = _opened(change, "name", env, store)
        _expect(manager.session_name == change.after, change, "the name is another by now")
        return put_name(manager, change.before or "")
    if change.kind == "leaf":
        manager = _opened(change, "branch", env, store)
        _expect(stands_at(manager, change.after), change, "the session has gone on since")
        return _with_draft(put_leaf(manager, change.before), change)
    if change.kind == "pin":
        assert store is not None
        return _unpin(change, env, store, state_folder)
    if change.kind == "trash":
        return _restore(change)
    if change.kind == "restore":
        return trash(change.after or change.path, env, store)
    if change.kind == "file":
        return _drop(change, env, store)
    raise CannotUndo(
        change.path, 0, "it was deleted for good" if change.kind == "delete" else "an entry stays"
    )


def _with_draft(done: Change, change: Change) -> Change:
    """The leaf is back: so goes the text that was left for the agent's editor with the move."""
    if not change.draft:
        return done
    draft = agent_named(change.agent).draft_path(change.path)
    kept = drop_draft(draft, change.draft, with_folder=change.draft_folder)
    return replace(done, note="; ".join(filter(None, (done.note, kept))))


def _opened(change: Change, ability: str, env: Mapping[str, str], store: Store | None) -> SessionManager:
    manager = opened(change.path, ability, env, store)
    _expect(manager.session_id == change.session_id, change, "another session has its place by now")
    return manager


def _restore(change: Change) -> Change:
    if not change.after:
        raise CannotUndo(
            change.path, 0, "where it lies in the trash is not known; take it out of there by hand"
        )
    try:
        return restore(change)
    except NotThere as error:
        raise CannotUndo(change.path, 0, error.reason) from None


def _drop(change: Change, env: Mapping[str, str], store: Store | None) -> Change:
    """Trash the session that was made, unless somebody has gone on in it."""
    made = change.after or ""
    _expect(change.after_id != change.session_id, change, "what came out of the archive stays")
    manager = SessionManager.open(made, env=env, agents=() if store is None else store.agents, new=False)
    _expect(stands_at(manager, change.target_id), change, "the new session has gone on since")
    return trash(made, env, store)


def _unpin(change: Change, env: Mapping[str, str], store: Store, state_folder: str | None) -> Change:
    from app.actions.pin import PINNED, pin, pins

    state_folder = paths.state_folder(env) if state_folder is None else state_folder
    now = PINNED if (change.agent, change.session_id) in pins([store], state_folder) else None
    _expect(now == change.after, change, "the pin is another by now")
    return pin(change.agent, change.session_id, change.before is not None, store, state_folder)


def _store_of(change: Change, env: Mapping[str, str]) -> Store | None:
    """The store that the file lies in, or whose pins it holds; else, of that agent, the folder it lies in.
    None where that is not known either.
    """
    home, here = paths.home_folder(env), paths.here() or os.sep
    found = discover(env, home, here)
    for store in found:
        for each in (store, *store.twins):
            if each.agent.name == change.agent and each.pins and each.pins == change.path:
                return store
    holding = store_holding(change.path, found)
    if holding is not None:
        return holding
    if not change.agent:
        return None
    agent = agent_named(change.agent)
    if change.kind == "pin":
        return agent.own_store(env, home, here)
    return agent.store_at(os.path.dirname(change.path), env, home, here)


def _expect(stands: bool, change: Change, otherwise: str) -> None:
    if not stands:
        raise CannotUndo(change.path, 0, otherwise)
