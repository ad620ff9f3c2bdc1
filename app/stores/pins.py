"""Pinned sessions: oh-my-pi's pins file, and leafmark's own for agents without pins
(formats/README.md, "Pins of oh-my-pi").

oh-my-pi's file `session-pins.json` in its agent folder is a list of ids. It is changed as oh-my-pi does it:
read again under its lock, with all other ids kept, written to a temporary file and moved into place.
Leafmark's file `pins.json` in its state folder has such a list for each agent.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.paths import make_own_folders
from app.small_files import read_small, refuse_link
from app.stores.json_state import LARGEST_CHANGED, Damaged, copy_damaged, file_problem, parse_json, write_json
from app.stores.locks import PATIENCE, file_lock, omp_lock

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

OWN = "pins.json"
"""Name of leafmark's own pins file in its state folder."""


class PinChange(NamedTuple):
    """The result of `set_pin` and `set_own_pin`.

    path      the pins file
    before    whether the session was pinned before
    changed   whether the file was changed
    copy      the copy of a damaged file that was replaced; "" for none
    """

    path: str
    before: bool
    changed: bool
    copy: str = ""


def read_pins(path: str) -> frozenset[str]:
    """The ids in oh-my-pi's pins file (`Store.pins`); a missing or damaged file has none, as for oh-my-pi.

    :param path: "" for an agent without such a file.
    """
    try:
        return frozenset(_ids(parse_json(read_small(path))))
    except (OSError, Damaged):
        return frozenset()


def read_own_pins(state_folder: str) -> frozenset[tuple[str, str]]:
    """(agent, id) of all pins in leafmark's own file; a missing or damaged file has none."""
    try:
        by_agent = _by_agent(parse_json(read_small(own_pins_path(state_folder))))
    except (OSError, Damaged):
        return frozenset()
    return frozenset((agent, id) for agent, ids in by_agent.items() for id in ids)


def own_pins_path(state_folder: str) -> str:
    """The path of leafmark's own pins file, which need not exist."""
    return os.path.join(state_folder, OWN)


def pins_problem(path: str) -> str:
    """The reason why a pins file of either kind cannot be used; "" if it can, or does not exist."""
    return file_problem(path, _by_agent if os.path.basename(path) == OWN else _ids)


def set_pin(path: str, session_id: str, on: bool, state_folder: str, patience: float = PATIENCE) -> PinChange:
    """Pin or unpin a session in oh-my-pi's file at `path`. A missing agent folder is created, as oh-my-pi
    does.

    :param state_folder: leafmark's own, for a copy of a damaged file. A damaged file counts as empty.
    :param patience: seconds to wait while oh-my-pi writes.
    :raises OSError: nothing was changed; `Busy` if another program holds the lock.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return _set(path, "", session_id, on, state_folder, omp_lock(path, patience))


def set_own_pin(
    state_folder: str, agent: str, session_id: str, on: bool, patience: float = PATIENCE
) -> PinChange:
    """The same in leafmark's own file, for a session of any agent."""
    make_own_folders(state_folder)
    path = own_pins_path(state_folder)
    refuse_link(path)
    return _set(path, agent, session_id, on, state_folder, file_lock(f"{path}.lock", patience))


def _set(
    path: str, agent: str, session_id: str, on: bool, state_folder: str, lock: AbstractContextManager[None]
) -> PinChange:
    """Change the file at `path` under its lock; `agent` is "" for oh-my-pi's file, which has a
    single list.
    """
    with lock:
        data = damaged = b""
        by_agent: dict[str, list[str]] = {}
        try:
            data = read_small(path, LARGEST_CHANGED)
            content = parse_json(data)
            by_agent = _by_agent(content) if agent else {"": _ids(content)}
            damaged = b"" if _is_clean(content) else data
        except FileNotFoundError:
            pass
        except Damaged:
            damaged = data
        ids = by_agent.setdefault(agent, [])
        before = session_id in ids
        if before == on:
            return PinChange(path, before, False)
        if on:
            ids.append(session_id)
        else:
            ids.remove(session_id)
        copy = copy_damaged(damaged, os.path.basename(path), state_folder) if damaged else ""
        write_json(path, by_agent if agent else ids)
    return PinChange(path, before, True, copy)


def _ids(content: object) -> list[str]:
    """The distinct ids in a list, in its order. Other values than strings are skipped, as oh-my-pi does."""
    if not isinstance(content, list):
        raise Damaged("not a list")
    return list(dict.fromkeys(id for id in content if isinstance(id, str)))


def _by_agent(content: object) -> dict[str, list[str]]:
    if not isinstance(content, dict):
        raise Damaged("not lists by agent")
    return {agent: _ids(ids) for agent, ids in content.items() if isinstance(ids, list)}


def _is_clean(content: object) -> bool:
    """Whether the content has no value that reading skips."""
    lists = content.values() if isinstance(content, dict) else [content]
    return all(isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in lists)
