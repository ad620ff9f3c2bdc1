"""The sessions that a user has pinned: oh-my-pi's own file, and leafmark's for the agents that know no pins
(formats/README.md, "Pins of oh-my-pi").

oh-my-pi's is a list of ids, `session-pins.json` in its agent folder. It is changed as oh-my-pi does it: under
its lock, read anew, all other ids kept, written aside and moved into place. Leafmark's, `pins.json` in its
state folder, has such a list for each agent.

On the fast path of the first frame, which reads them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.paths import make_own_folders
from app.small_files import read_small, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.stores.base import Store
    from app.stores.locks import FileLock, SocketLock

OWN = "pins.json"
"""The name of leafmark's file in its state folder."""

_MODE = 0o600

_CHANGED = 256 << 20
"""Bytes of a file that is changed, at most. One so long counts as without pins, but what is in it is kept."""


class Damaged(ValueError):
    """A pins file is not what its program writes; the text says how."""


class Pinned:
    """What `set_pin` and `set_own_pin` did.

    before, changed   whether the session was pinned before, and whether that is another now
    path              the file it stands in
    copy              where a damaged file was copied to before another took its place; "" for none
    """

    __slots__ = ("before", "changed", "copy", "path")

    def __init__(self, path: str, before: bool, changed: bool, copy: str = "") -> None:
        self.path = path
        self.before = before
        self.changed = changed
        self.copy = copy


def all_pins(stores: Iterable[Store], state_folder: str) -> frozenset[tuple[str, str]]:
    """(agent, id) of every session that is pinned; a pin may be of a session that is gone. Raises nothing."""
    found = set(read_own_pins(state_folder))
    for store in stores:
        for each in (store, *store.twins):
            found.update((each.agent.name, id) for id in each.agent.pins(each))
    return frozenset(found)


def read_pins(path: str) -> frozenset[str]:
    """The ids in oh-my-pi's file at `path`; none where it is not there or damaged, as for oh-my-pi itself."""
    try:
        return frozenset(_ids(_parsed(read_small(path))))
    except (OSError, Damaged):
        return frozenset()


def read_own_pins(state_folder: str) -> frozenset[tuple[str, str]]:
    """(agent, id) of all sessions in leafmark's own file; none where there is none, or it is damaged."""
    try:
        found = _by_agent(_parsed(read_small(own_pins(state_folder))))
    except (OSError, Damaged):
        return frozenset()
    return frozenset((agent, id) for agent, ids in found.items() for id in ids)


def own_pins(state_folder: str) -> str:
    """The path of leafmark's own file; it need not be there."""
    return os.path.join(state_folder, OWN)


def why_no_pins(path: str) -> str:
    """Why a file of either kind counts as one without pins, "" where nothing is wrong or none is there."""
    try:
        content = _parsed(read_small(path))
        _by_agent(content) if os.path.basename(path) == OWN else _ids(content)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or str(error)
    except Damaged as error:
        return str(error)
    return ""


def set_pin(path: str, session_id: str, on: bool, state_folder: str, patience: float | None = None) -> Pinned:
    """Pin a session in oh-my-pi's file at `path`, or take the pin off. The agent folder is made where it is
    not there, as oh-my-pi does.

    :param state_folder: leafmark's, for a copy of a damaged file, which counts as empty.
    :param patience: seconds to wait while oh-my-pi writes; None for as many as it waits itself.
    :raises OSError: nothing was changed; `Busy` where another program went on writing.
    """
    from app.stores.locks import PATIENCE, omp_lock

    os.makedirs(os.path.dirname(path), exist_ok=True)
    lock = omp_lock(path, PATIENCE if patience is None else patience)
    return _set(path, "", session_id, on, state_folder, lock)


def set_own_pin(
    state_folder: str, agent: str, session_id: str, on: bool, patience: float | None = None
) -> Pinned:
    """The same in leafmark's file, for a session of any agent."""
    from app.stores.locks import PATIENCE, FileLock

    make_own_folders(state_folder)
    path = own_pins(state_folder)
    lock = FileLock(f"{path}.lock", PATIENCE if patience is None else patience)
    return _set(path, agent, session_id, on, state_folder, lock)


def _set(
    path: str, agent: str, session_id: str, on: bool, state_folder: str, lock: FileLock | SocketLock
) -> Pinned:
    """Change the file at `path` under its lock; `agent` is "" in oh-my-pi's, which knows no agents."""
    with lock:
        data = copy = b""
        there: dict[str, list[str]] = {}
        try:
            data = read_small(path, _CHANGED)
            content = _parsed(data)
            there = _by_agent(content) if agent else {"": _ids(content)}
            copy = b"" if _is_clean(content) else data
        except FileNotFoundError:
            pass
        except Damaged:
            copy = data
        pinned = there.setdefault(agent, [])
        before = session_id in pinned
        if before == on:
            return Pinned(path, before, False)
        if on:
            pinned.append(session_id)
        else:
            pinned.remove(session_id)
        kept = _keep(copy, os.path.basename(path), state_folder) if copy else ""
        # Who keeps the file elsewhere and links to it goes on doing so.
        spelled = _spelled(there if agent else pinned)
        write_whole(os.path.realpath(path), spelled, _MODE, fsync=True)
    return Pinned(path, before, True, kept)


def _parsed(data: bytes) -> object:
    """:raises Damaged: it is not JSON; neither is what only Python takes for JSON."""
    import json

    try:
        content: object = json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Damaged("not JSON") from None
    return content


def _refuse(word: str) -> object:
    """NaN and the infinities are not JSON, though Python reads them."""
    raise ValueError(word)


def _ids(content: object) -> list[str]:
    """The ids in a list, each once, in its order; what is no text is passed over, as oh-my-pi does."""
    if not isinstance(content, list):
        raise Damaged("not a list")
    return list(dict.fromkeys(id for id in content if isinstance(id, str)))


def _by_agent(content: object) -> dict[str, list[str]]:
    if not isinstance(content, dict):
        raise Damaged("not lists by agent")
    return {agent: _ids(ids) for agent, ids in content.items() if isinstance(ids, list)}


def _is_clean(content: object) -> bool:
    """Whether nothing in the file was passed over."""
    lists = content.values() if isinstance(content, dict) else [content]
    return all(isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in lists)


def _spelled(content: object) -> bytes:
    """As JavaScript's JSON.stringify spells it with tabs, half a surrogate pair escaped."""
    import json

    return json.dumps(content, ensure_ascii=False, indent="\t").encode("utf-8", "backslashreplace")


def _keep(data: bytes, name: str, state_folder: str) -> str:
    """Put what is about to be replaced aside, in leafmark's folder; the path of the copy."""
    from hashlib import sha256

    make_own_folders(state_folder)
    copy = os.path.join(state_folder, f"{name}.damaged-{sha256(data).hexdigest()[:8]}")
    write_whole(copy, data, _MODE, fsync=True)
    return copy
