"""The actions as they are done to a row of the list: each takes the row, the store it was found in, the
environment of the agents and the folder in which leafmark keeps its state, and loads what it needs when it is
called. All raise `SessionError`; then nothing was done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.index.row import Row
    from app.sessions.manager.change import Change
    from app.stores.base import Store

    Env = Mapping[str, str]


def trash(row: Row, store: Store, env: Env, state_folder: str, *, anyway: bool = False) -> Change:
    """See `actions.trash.trash`."""
    from app.actions.trash import trash

    return trash(row.path, env, store, anyway=anyway)


def delete(row: Row, store: Store, env: Env, state_folder: str, *, anyway: bool = False) -> Change:
    """See `actions.delete.delete_for_good`."""
    from app.actions.delete import delete_for_good

    return delete_for_good(row.path, env, store, anyway=anyway)


def rename(row: Row, store: Store, env: Env, state_folder: str, *, name: str) -> Change:
    """See `actions.rename.rename`."""
    from app.actions.rename import rename

    return rename(row.path, name, env, store)


def pin(row: Row, store: Store, env: Env, state_folder: str, *, on: bool) -> Change:
    """See `actions.pin.pin`."""
    from app.actions.pin import pin

    return pin(row.agent, row.id, on, store, state_folder)


def fork(row: Row, store: Store, env: Env, state_folder: str, *, to: str | None = None) -> Change:
    """See `actions.fork.fork`."""
    from app.actions.fork import fork

    return fork(row.path, env, to=to, store=store)
