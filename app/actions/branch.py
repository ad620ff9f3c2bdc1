"""Moving the leaf of a session to another entry, for the agent to go on from there
(formats/README.md, "Results of writing").

pi forgets such a move when it ends. Here it is written down: as an entry that no agent shows or tells the
model about, below the place that was chosen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.actions.opened import ROOT, entry_named, opened, unchanged
from app.actions.safe_points import safe_points, unanswered
from app.sessions.errors import UnansweredCalls
from app.sessions.manager.navigation import Target, target_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.change import Change
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.manager import SessionManager
    from app.stores.base import Store

MARK = "leafmark.branch"
"""The `customType` of the entry that holds a leaf in its place."""

_SAFE = {
    "results": "the last tool result",
    "before": "the step before",
    "prompt": "the prompt, to send it again",
}
"""What a `SafePoint` of each kind is."""

_BOOKKEEPING = frozenset(("label", "session_info", "title_change"))


def branch(
    path: str,
    entry: str,
    env: Mapping[str, str],
    summary: str = "",
    store: Store | None = None,
    *,
    keep: bool = False,
) -> Change:
    """Put the leaf of the session at `path` where an entry leads; the file gets a new time: it is the latest
    now.

    :param entry: an id, the beginning of one, or "root" for the place before all entries. See `destination`.
    :param summary: of what is left behind; the model is told it.
    :param store: where the session was found; the one that `env` leads to where None.
    :param keep: put the leaf on the entry itself, whatever it is.
    :return: what was done; `before` and `after` are leaves, `target_id` is the new leaf's place and `prompt`
        the text of the prompt that was named. Nothing is written where the agent would go on from there
        already.
    :raises UnansweredCalls: nothing was written; the reason names the entries that will do.
    :raises SessionError: nothing was written; the class says why.
    """
    manager = opened(path, "branch", env, store)
    target = Target(None) if entry == ROOT else destination(manager, entry_named(manager, entry), keep=keep)
    if not summary.strip():
        return with_prompt(put_leaf(manager, target.leaf_id), target)
    manager.branch_with_summary(target.leaf_id, summary)
    assert manager.last_change is not None
    return with_prompt(manager.last_change, target)


def branch_to_file(
    path: str, entry: str, env: Mapping[str, str], store: Store | None = None, *, keep: bool = False
) -> Change:
    """Make a new session file of the path to where an entry leads.

    :param entry: an id, or the beginning of one. See `destination`.
    :param store: where the session was found; the one that `env` leads to where None.
    :param keep: the path ends with the entry itself, whatever it is.
    :return: what was done; `after` is the new file's path.
    :raises UnansweredCalls: there is no new file; the reason names the entries that will do.
    :raises SessionError: there is no new file; the class says why.
    """
    manager = opened(path, "branch", env, store)
    target = destination(manager, entry_named(manager, entry), keep=keep, is_new=True)
    return with_prompt(cut_at(manager, target), target)


def destination(manager: SessionManager, entry_id: str, *, keep: bool, is_new: bool = False) -> Target:
    """Where the agent goes on when a user names an entry.

    A prompt leads to its parent: behind the prompt, the model would get two messages of the user in a row.
    Every other entry leads to itself.

    :param keep: every entry leads to itself.
    :param is_new: it is for a new session file; else nothing is said against the place of the leaf.
    :raises UnansweredCalls: tool calls have no result there; the reason names the entries that will do.
    """
    if keep:
        return Target(entry_id)
    target = target_of(manager, entry_id, past_leaf=True)
    if target.text is not None or (stands_at(manager, entry_id) and not is_new):
        return target
    path = manager.get_branch(entry_id)
    waiting = unanswered(path)
    if waiting:
        tools = ", ".join(list(dict.fromkeys(waiting.values()))[:3])
        safe = " or ".join(f"{point.entry_id} ({_SAFE[point.kind]})" for point in safe_points(manager, path))
        raise UnansweredCalls(
            manager.session_file or "",
            0,
            f"tool calls ({tools}) have no result at {entry_id}, and providers refuse such a conversation; "
            + (f"use {safe}" if safe else "no other entry of this turn will do"),
        )
    return target


def cut_at(
    manager: SessionManager, target: Target, target_cwd: str | None = None, store: Store | None = None
) -> Change:
    """Make a new session file of the path to `target`; see `SessionManager.cut` for the other parameters.

    A new session that begins before all entries has only the name.
    """
    if target.leaf_id is None:
        return manager.blank(target_cwd, store)
    return manager.cut(target.leaf_id, target_cwd, store)


def with_prompt(change: Change, target: Target) -> Change:
    """`change` with the text of the prompt that `target` is the parent of, and a note about its images."""
    notes = [change.note] if change.note else []
    if target.images:
        images = "an image" if len(target.images) == 1 else f"{len(target.images)} images"
        notes.append(f"the prompt has {images}, to be attached again")
    return replace(change, prompt=target.text, note="; ".join(notes))


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
