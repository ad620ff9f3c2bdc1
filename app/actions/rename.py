"""Naming a session
(formats/README.md, "Results of writing"): an entry for pi and indusagi, the title line for oh-my-pi.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.actions.opened import opened
from app.formats.slot import fold_title
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.change import Change
    from app.sessions.manager.manager import SessionManager
    from app.stores.base import Store

_SHOWN = 20
"""Characters that are shown of the end of what was kept."""


def rename(path: str, name: str, env: Mapping[str, str], store: Store | None = None) -> Change:
    """Name the session at `path`; the file's time stays, but for oh-my-pi's, which tells it of the new title.

    :param name: one line; line breaks and other controls become blanks. "" clears the name.
    :param store: where the session was found; the one that `env` leads to where None.
    :return: what was done; `before` is the name there was, `after` what is kept of the new one; where that is
        not all of it, `note` says so.
    :raises SessionError: nothing was written; the class says why.
    """
    return put_name(opened(path, "name", env, store), name)


def put_name(manager: SessionManager, name: str) -> Change:
    """The same in a session that is open."""
    wanted = fold_title(name)
    change = manager.set_name(wanted)
    kept = change.after or ""
    if not kept or kept == wanted or not wanted.startswith(kept):
        return change
    # The title line of oh-my-pi has room for so much and no more (formats/README.md, "oh-my-pi").
    title = agent_named(change.agent).title
    cut = (
        f"the name was cut: {title} has room for the first {len(kept):,} of its {len(wanted):,} characters, "
        f"up to “{kept[-_SHOWN:]}”"
    )
    return replace(change, note="; ".join(filter(None, (cut, change.note))))
