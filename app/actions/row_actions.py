"""The actions on a row of the list.

Each function takes the row, the store in which it was found, the environment of the agents and leafmark's
state folder. All raise `SessionError`; then nothing was changed.

Each function imports its action when it is called, in the thread of the actions: loading the modules that
write sessions takes 35 ms, which would delay the first key.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.index.row import Row
from app.sessions.manager.change import Change
from app.stores.base import Store

if TYPE_CHECKING:  # it loads the decoder
    from app.actions.branch_options import BranchOptions

Env = Mapping[str, str]


def trash(row: Row, store: Store, env: Env, state_folder: str, *, anyway: bool = False) -> Change:
    """See `actions.trash.trash`."""
    from app.actions.trash import trash

    return trash(row.path, env, store, anyway=anyway)


def delete(row: Row, store: Store, env: Env, state_folder: str, *, anyway: bool = False) -> Change:
    """See `actions.trash.delete_for_good`."""
    from app.actions.trash import delete_for_good

    return delete_for_good(row.path, env, store, anyway=anyway)


def rename(row: Row, store: Store, env: Env, state_folder: str, *, name: str) -> Change:
    """See `actions.session_edits.rename`."""
    from app.actions.session_edits import rename

    return rename(row.path, name, env, store)


def pin(row: Row, store: Store, env: Env, state_folder: str, *, on: bool) -> Change:
    """See `actions.session_edits.pin`."""
    from app.actions.session_edits import pin

    return pin(row.agent, row.id, on, store, state_folder)


def tag(
    row: Row, store: Store, env: Env, state_folder: str, *, add: Sequence[str], remove: Sequence[str]
) -> Change:
    """See `actions.tagging.tag`."""
    from app.actions.tagging import tag

    return tag(row.agent, row.id, add, remove, state_folder)


def keep(row: Row, store: Store, env: Env, state_folder: str) -> Change:
    """See `actions.keep.keep_with_undo`."""
    from app.actions.keep import keep_with_undo

    return keep_with_undo(row.path, store, row.agent, row.id)


def restore_kept(row: Row, store: Store, env: Env, state_folder: str) -> Change:
    """See `actions.keep.restore_kept`; the row is that of the copy."""
    from app.actions.keep import restore_kept
    from app.stores.retention import retention_of_file

    retention = retention_of_file(row.original_path, row.agent, row.cwd)
    return restore_kept(row.path, store, retention, time.time_ns() // 1_000_000)


def annotate(row: Row, store: Store, env: Env, state_folder: str, *, note: str) -> Change:
    """See `actions.tagging.annotate`."""
    from app.actions.tagging import annotate

    return annotate(row.agent, row.id, note, state_folder)


def fork(row: Row, store: Store, env: Env, state_folder: str, *, to: str | None = None) -> Change:
    """See `actions.branch.fork`."""
    from app.actions.branch import fork

    return fork(row.path, env, to=to, store=store)


def label(row: Row, store: Store, env: Env, state_folder: str, *, entry: str, text: str) -> Change:
    """See `actions.session_edits.label`."""
    from app.actions.session_edits import label

    return label(row.path, entry, text, env, store, exact=True)


def fork_at_entry(
    row: Row, store: Store, env: Env, state_folder: str, *, entry: str, to: str | None = None
) -> Change:
    """See `actions.branch.fork`. The new session ends with the entry itself."""
    from app.actions.branch import fork

    return fork(row.path, env, entry=entry, to=to, store=store, exact=True, keep=True)


def branch_in_place(
    row: Row,
    store: Store,
    env: Env,
    state_folder: str,
    *,
    question: BranchOptions,
    summary: str,
    draft: str,
) -> Change:
    """See `actions.branch_options.branch_in_place`."""
    from app.actions.branch_options import branch_in_place

    return branch_in_place(question, env, store, summary, draft)


def hand_over(
    row: Row,
    store: Store,
    env: Env,
    state_folder: str,
    *,
    to: str,
    entry: str | None,
    folder: str | None,
    stores: Sequence[Store],
    now_ms: int,
) -> Change:
    """See `actions.handoff.hand_over`. If the session was handed over before, the change is nothing."""
    from app.actions.handoff import Request, hand_over

    handed = hand_over(
        row.path,
        Request(to, entry, exact=True, folder=folder),
        env,
        store=store,
        stores=stores,
        state_folder=state_folder,
        now_ms=now_ms,
    )
    return handed.change if handed.is_new else replace(handed.change, before=handed.change.after)


def branch_to_new_file(
    row: Row, store: Store, env: Env, state_folder: str, *, question: BranchOptions, to: str | None
) -> Change:
    """See `actions.branch_options.branch_to_new_file`."""
    from app.actions.branch_options import branch_to_new_file

    return branch_to_new_file(question, env, store, to)
