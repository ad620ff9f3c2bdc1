"""Pinning a session: in its agent's own file where the agent knows pins, else in leafmark's
(formats/README.md, "Pins of oh-my-pi").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.sessions.errors import WriteFailed
from app.sessions.manager.change import Change, announce
from app.sessions.storage.file_storage import refused
from app.stores.locks import PATIENCE, Busy
from app.stores.pins import all_pins, set_own_pin, set_pin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.stores.base import Store

PINNED = "pinned"
"""What a change of a pin has as `before` or `after`, where the session was pinned or is now; else None."""


def pins(stores: Iterable[Store], state_folder: str) -> frozenset[tuple[str, str]]:
    """(agent, id) of every session that is pinned; a pin may be of a session that is gone. Raises nothing."""
    return all_pins(stores, state_folder)


def pin(
    agent: str, session_id: str, on: bool, store: Store, state_folder: str, *, patience: float = PATIENCE
) -> Change:
    """Pin a session, or take the pin off. Where it is so already, nothing is written.

    :param store: where the session was found.
    :param state_folder: leafmark's own.
    :param patience: seconds to wait while another program changes the same file.
    :return: what was done; `path` is the file of the pins, `note` says where a damaged one was put aside.
    :raises KeyError: that agent does not use this store.
    :raises WriteFailed: nothing was changed; the class says why.
    """
    path = store.of(agent).pins
    if ((agent, session_id) in pins([store], state_folder)) != on:
        before, after = (None, PINNED) if on else (PINNED, None)
        announce(Change("pin", path, "", before, after, agent=agent, session_id=session_id))
    try:
        if path:
            done = set_pin(path, session_id, on, state_folder, patience)
        else:
            done = set_own_pin(state_folder, agent, session_id, on, patience)
    except Busy as busy:
        raise WriteFailed(path or state_folder, str(busy.strerror), busy.errno or 0) from None
    except OSError as error:
        refused(str(error.filename or path or state_folder), error)
    return Change(
        "pin",
        done.path,
        entry_id="",
        before=PINNED if done.before else None,
        after=PINNED if on else None,
        agent=agent,
        session_id=session_id,
        note=f"the file of pins was damaged; what it held is in {done.copy}" if done.copy else "",
    )
