"""A session opened to be changed, and the entry a user means in it
(formats/README.md, "Rules for every write").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from app import paths
from app.sessions.errors import AmbiguousEntry, NotAFolder, ReadOnly, UnknownEntry
from app.sessions.manager.change import Change
from app.sessions.manager.manager import SessionManager
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.stores.base import Store

ROOT = "root"
"""What a user writes for the place before all entries."""


def opened(path: str, ability: str, env: Mapping[str, str], store: Store | None = None) -> SessionManager:
    """The session at `path`, if its files carry what is wanted.

    :param ability: one of `app.stores.base.ABILITIES`.
    :param env: the environment that tells where agents keep things.
    :param store: where the session was found; the one that `env` leads to where None.
    :raises ReadOnly: they do not; the reason is the store's.
    :raises SessionError: it cannot be opened; a file that is missing or empty is not made one.
    """
    agents = () if store is None else store.agents
    manager = SessionManager.open(path, env=env, agents=agents, new=False)
    reason = agent_named(manager.agent).why_not(ability, path)
    if not (reason or manager.can_write or (ability == "fork" and manager.forks_last)):
        reason = "sessions of this format are only read here"
    if reason:
        raise ReadOnly(path, 0, reason)
    return manager


def entry_named(manager: SessionManager, named: str) -> str:
    """The id of the entry that `named` stands for: its id, else the only id that begins so.

    :raises UnknownEntry: there is none.
    :raises AmbiguousEntry: there are several.
    """
    path = manager.session_file or ""
    if manager.get_entry(named) is not None:
        return named
    found = {entry.id for entry in manager.get_entries() if named and entry.id.startswith(named)}
    if len(found) > 1:
        some = ", ".join(sorted(found)[:3])
        more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
        raise AmbiguousEntry(path, 0, f"{named!r} names {len(found):,} entries: {some}{more}")
    if not found:
        raise UnknownEntry(path, 0, f"there is no entry {named!r}")
    return found.pop()


def entry_there(manager: SessionManager, entry_id: str) -> str:
    """The same id, of an entry that was seen before.

    :raises UnknownEntry: it has gone: the file was changed since. No other is taken for it.
    """
    if manager.get_entry(entry_id) is None:
        path = manager.session_file or ""
        raise UnknownEntry(path, 0, f"the entry {entry_id!r} has gone: the file was changed")
    return entry_id


def folder_named(to: str, path: str) -> str:
    """The folder `to` for a new session, by its real path: so programs know the folder that they run in.

    :param path: of the session that the new one is made of.
    :raises NotAFolder: there is no such folder.
    """
    try:
        # Also of a folder that is gone the system says that "." is one.
        paths.absolute(to)
    except paths.Nowhere:
        raise NotAFolder(path, 0, f"there is no folder {to!r}: {paths.GONE}") from None
    if not os.path.isdir(to):
        raise NotAFolder(path, 0, f"there is no folder {to!r}")
    return os.path.realpath(to)


def unchanged(
    manager: SessionManager, kind: Literal["label", "leaf"], value: str | None, target: str | None
) -> Change:
    """What an action returns that has nothing to do, because `value` is there already."""
    return Change(
        kind,
        manager.session_file or "",
        entry_id="",
        before=value,
        after=value,
        target_id=target,
        agent=manager.agent,
        session_id=manager.session_id,
    )
