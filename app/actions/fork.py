"""Making a new session of another (formats/README.md, "Forks of the agents")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.actions.branch import cut_at, destination, with_prompt
from app.actions.opened import entry_named, entry_there, folder_named, opened
from app.formats.silent import SILENT
from app.sessions.errors import ReadOnly, UnknownEntry
from app.sessions.manager.manager import SessionManager

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.change import Change
    from app.stores.base import Store


def fork(
    path: str,
    env: Mapping[str, str],
    *,
    entry: str | None = None,
    to: str | None = None,
    last: int | None = None,
    store: Store | None = None,
    exact: bool = False,
    keep: bool = False,
) -> Change:
    """A new session of the one at `path`, which is not touched.

    It has the path to an entry, the labels on it and the name. A fork of nickcecere/agent has the last
    messages.

    :param entry: an id or the beginning of one; the leaf where None. A prompt leads to its parent, see
        `actions.branch.destination`.
    :param to: the working folder of the new session, which goes where the agent looks for those of that
        folder; that of the old session, beside its file, where None.
    :param last: how many messages a fork of nickcecere/agent has; 20 where None.
    :param store: where the session was found; the one that `env` leads to where None.
    :param exact: `entry` is a whole id, of an entry that was seen and may have gone.
    :param keep: the path ends with the entry itself, whatever it is.
    :return: what was done; `after` is the new file's path. oh-my-pi's folder of artifacts is copied, as its
        own `/fork` does, because the entries that are kept refer to what is in it.
    :raises NotAFolder: there is no folder `to`.
    :raises UnansweredCalls: tool calls have no result at `entry`; the reason names the entries that will do.
    :raises SessionError: there is no new file; the class says why.
    """
    folder = None if to is None else folder_named(to, path)
    manager = opened(path, "fork", env, store)
    target = manager.cwd if folder is None else folder
    if not manager.forks_last:
        if last is not None:
            raise ReadOnly(path, 0, "only sessions of nickcecere/agent are forked by their last messages")
        if entry is not None:
            named = entry_there(manager, entry) if exact else entry_named(manager, entry)
            place = destination(manager, named, keep=keep, is_new=True)
            return with_prompt(cut_at(manager, place, target, store), place)
        leaf_id = manager.leaf_id
        if leaf_id is not None and all(each.type in SILENT for each in manager.get_branch(leaf_id)):
            raise UnknownEntry(path, 0, "there is nothing to fork: the leaf is before all that was said")
        return manager.cut(leaf_id, target, store)
    if entry is not None:
        raise ReadOnly(path, 0, "sessions of this agent are forked by their last messages, not at an entry")
    agents = () if store is None else store.agents
    beside = os.path.dirname(manager.session_file or path)
    forked = SessionManager.fork_from(path, target, beside, last=last, env=env, agents=agents)
    assert forked.last_change is not None
    return forked.last_change
