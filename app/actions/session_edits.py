"""Opening a session to change it, and the small changes: its labels, name and pin
(formats/README.md, "Rules for every write", "Results of writing", "Pins of oh-my-pi").
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from app import paths
from app.formats.title_slot import fold_title
from app.sessions.errors import AmbiguousEntry, NotAFolder, ReadOnly, UnknownEntry, WriteFailed
from app.sessions.manager.change import Change, announce
from app.sessions.manager.session_manager import SessionManager
from app.sessions.storage.file_storage import refused
from app.stores import agent_named, all_pins
from app.stores.base import Store
from app.stores.locks import PATIENCE, Busy
from app.stores.pins import set_own_pin, set_pin

ROOT = "root"
"""The word for the place before all entries, on the command line."""


def open_session(
    path: str, ability: str, env: Mapping[str, str], store: Store | None = None
) -> SessionManager:
    """Open the session at `path` for a change that its format supports.

    :param ability: one of `app.stores.base.ABILITIES`.
    :param env: the environment by which agents find their sessions.
    :param store: where the session was found; None for the one that `env` leads to.
    :raises ReadOnly: the agent or the format does not support it; the reason says why.
    :raises SessionError: it cannot be opened. No session is made of a missing or empty file.
    """
    agents = () if store is None else store.agents
    manager = SessionManager.open(path, env=env, agents=agents, new=False)
    reason = agent_named(manager.agent).why_not(ability, path)
    if not (reason or manager.can_write or (ability == "fork" and manager.forks_last)):
        reason = "sessions of this format are only read here"
    if reason:
        raise ReadOnly(path, 0, reason)
    return manager


def resolve_entry(manager: SessionManager, named: str) -> str:
    """The id of the entry that `named` stands for: `named` itself, else the only id that begins so.

    :raises UnknownEntry: there is none.
    :raises AmbiguousEntry: there are several.
    """
    path = manager.session_file or ""
    if manager.get_entry(named) is not None:
        return named
    ids = {entry.id for entry in manager.get_entries() if named and entry.id.startswith(named)}
    if len(ids) > 1:
        first = ", ".join(sorted(ids)[:3])
        more = f" and {len(ids) - 3:,} more" if len(ids) > 3 else ""
        raise AmbiguousEntry(path, 0, f"{named!r} names {len(ids):,} entries: {first}{more}")
    if not ids:
        raise UnknownEntry(path, 0, f"there is no entry {named!r}")
    return ids.pop()


def require_entry(manager: SessionManager, entry_id: str) -> str:
    """Return `entry_id`, if the entry still exists.

    :raises UnknownEntry: it does not, because the file was changed since.
    """
    if manager.get_entry(entry_id) is None:
        path = manager.session_file or ""
        raise UnknownEntry(path, 0, f"the entry {entry_id!r} has gone: the file was changed")
    return entry_id


def resolve_folder(to: str, path: str) -> str:
    """The folder `to` for a new session as a real path, because programs see the real path of their folder.

    :param path: of the session from which the new one is made.
    :raises NotAFolder: there is no such folder.
    """
    try:
        # The system calls "." a folder even if that folder is gone.
        paths.absolute(to)
    except paths.CurrentFolderGone:
        raise NotAFolder(path, 0, f"there is no folder {to!r}: {paths.FOLDER_GONE}") from None
    if not os.path.isdir(to):
        raise NotAFolder(path, 0, f"there is no folder {to!r}")
    return os.path.realpath(to)


def unchanged(
    manager: SessionManager, kind: Literal["label", "leaf"], value: str | None, target: str | None
) -> Change:
    """A change that does nothing, because the value was `value` before."""
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


def label(
    path: str,
    entry: str,
    text: str,
    env: Mapping[str, str],
    store: Store | None = None,
    *,
    exact: bool = False,
) -> Change:
    """Label an entry of the session at `path`. The leaf and the time of the file stay the same.

    :param entry: an id, or the beginning of one.
    :param text: one line; line breaks and other controls become blanks. "" removes the label.
    :param store: where the session was found; None for the one that `env` leads to.
    :param exact: `entry` is a whole id, of an entry that was shown and may not exist any more.
    :return: the change; `before` is the old label. Nothing is written if the entry has this label already.
    :raises SessionError: nothing was written; the class says why.
    """
    manager = open_session(path, "label", env, store)
    target = require_entry(manager, entry) if exact else resolve_entry(manager, entry)
    return set_label(manager, target, fold_title(text) or None)


def set_label(manager: SessionManager, target: str, text: str | None) -> Change:
    """Set or remove the label of the entry `target`; see `label`."""
    before = manager.get_label(target)
    if before == text:
        return unchanged(manager, "label", text, target)
    manager.append_label_change(target, text)
    assert manager.last_change is not None
    return manager.last_change


_SHOWN = 20
"""Characters that are shown of the end of a name that was cut."""


def rename(path: str, name: str, env: Mapping[str, str], store: Store | None = None) -> Change:
    """Name the session at `path`. The time of the file stays the same, except for oh-my-pi, which notices the
    new title by the new time.

    :param name: one line; line breaks and other controls become blanks. "" clears the name.
    :param store: where the session was found; None for the one that `env` leads to.
    :return: the change: `before` is the old name, `after` the new one. If the agent has no room for the whole
        name, `note` says where it was cut.
    :raises SessionError: nothing was written; the class says why.
    """
    return set_name(open_session(path, "name", env, store), name)


def set_name(manager: SessionManager, name: str) -> Change:
    """Name a session that is open; see `rename`."""
    wanted = fold_title(name)
    change = manager.set_name(wanted)
    kept = change.after or ""
    if not kept or kept == wanted or not wanted.startswith(kept):
        return change
    # The title line of oh-my-pi has a fixed length (formats/README.md, "Titles of oh-my-pi").
    title = agent_named(change.agent).title
    cut = (
        f"the name was cut: {title} has room for the first {len(kept):,} of its {len(wanted):,} characters, "
        f"up to “{kept[-_SHOWN:]}”"
    )
    return replace(change, note="; ".join(filter(None, (cut, change.note))))


PINNED = "pinned"
"""The `before` or `after` of a `Change` of a pin, if the session was or is pinned; otherwise it is None."""


def pin(
    agent: str, session_id: str, on: bool, store: Store, state_folder: str, *, patience: float = PATIENCE
) -> Change:
    """Pin or unpin a session. Nothing is written if it is pinned or unpinned already.

    :param store: where the session was found.
    :param state_folder: leafmark's own.
    :param patience: seconds to wait while another program changes the same file.
    :return: the change; `path` is the file of the pins. If that was damaged, `note` names its copy.
    :raises KeyError: that agent does not use this store.
    :raises WriteFailed: nothing was changed; the class says why.
    """
    path = store.of(agent).pins
    if ((agent, session_id) in all_pins([store], state_folder)) != on:
        before, after = (None, PINNED) if on else (PINNED, None)
        announce(Change("pin", path, "", before, after, agent=agent, session_id=session_id))
    try:
        if path:
            result = set_pin(path, session_id, on, state_folder, patience)
        else:
            result = set_own_pin(state_folder, agent, session_id, on, patience)
    except Busy as busy:
        raise WriteFailed(path or state_folder, str(busy.strerror), busy.errno or 0) from None
    except OSError as error:
        refused(str(error.filename or path or state_folder), error)
    return Change(
        "pin",
        result.path,
        entry_id="",
        before=PINNED if result.before else None,
        after=PINNED if on else None,
        agent=agent,
        session_id=session_id,
        note=f"the file of pins was damaged; what it held is in {result.copy}" if result.copy else "",
    )
