"""Moving the leaf of a session to another entry, for the agent to go on from there (FORMATS 2.1 c, d).

pi forgets such a move when it ends. Here it is written down: as an entry that no agent shows or tells the
model about, below the place that was chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.opened import ROOT, entry_named, opened, unchanged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.change import Change
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.manager import SessionManager
    from app.stores.base import Store

MARK = "leafmark.branch"
"""The `customType` of the entry that holds a leaf in its place."""

_BOOKKEEPING = frozenset(("label", "session_info", "title_change"))


def branch(
    path: str, entry: str, env: Mapping[str, str], summary: str = "", store: Store | None = None
) -> Change:
    """Put the leaf of the session at `path` on an entry; the file gets a new time: it is the latest now.

    :param entry: an id, the beginning of one, or "root" for the place before all entries.
    :param summary: of what is left behind; the model is told it.
    :param store: where the session was found; the one that `env` leads to where None.
    :return: what was done; `before` and `after` are leaves, `target_id` is the entry. Nothing is written
        where the agent would go on from there already.
    :raises SessionError: nothing was written; the class says why.
    """
    manager = opened(path, "branch", env, store)
    target = None if entry == ROOT else entry_named(manager, entry)
    if not summary.strip():
        return put_leaf(manager, target)
    manager.branch_with_summary(target, summary)
    assert manager.last_change is not None
    return manager.last_change


def branch_to_file(path: str, entry: str, env: Mapping[str, str], store: Store | None = None) -> Change:
    """Make a new session file of the path to an entry.

    :param entry: an id, or the beginning of one.
    :param store: where the session was found; the one that `env` leads to where None.
    :return: what was done; `after` is the new file's path.
    :raises SessionError: there is no new file; the class says why.
    """
    manager = opened(path, "branch", env, store)
    return manager.cut(entry_named(manager, entry))


def put_leaf(manager: SessionManager, target: str | None) -> Change:
    """See that the agent goes on from the entry `target`, or before all entries; see `branch`."""
    if stands_at(manager, target):
        return unchanged(manager, "leaf", manager.leaf_id, target)
    manager.move_leaf(target, MARK, {"from": manager.leaf_id})
    assert manager.last_change is not None
    return manager.last_change


def stands_at(manager: SessionManager, target: str | None) -> bool:
    """Whether going on from the leaf is going on from `target`: all that is between them are marks, labels
    and names, of which the model is not told.
    """
    for entry in reversed(manager.get_branch()):
        if entry.id == target:
            return True
        if not _is_bookkeeping(entry):
            return False
    return target is None


def _is_bookkeeping(entry: Entry) -> bool:
    return entry.type in _BOOKKEEPING or (entry.type == "custom" and entry.raw.get("customType") == MARK)
