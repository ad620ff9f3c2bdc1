"""Naming a session (FORMATS 2.1 b): an entry for pi and indusagi, the title line for oh-my-pi."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.opened import opened
from app.formats.slot import fold_title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.change import Change
    from app.stores.base import Store


def rename(path: str, name: str, env: Mapping[str, str], store: Store | None = None) -> Change:
    """Name the session at `path`; the file's time stays, but for oh-my-pi's, which tells it of the new title.

    :param name: one line; line breaks and other controls become blanks. "" clears the name.
    :param store: where the session was found; the one that `env` leads to where None.
    :return: what was done; `before` is the name there was.
    :raises SessionError: nothing was written; the class says why.
    """
    return opened(path, "name", env, store).set_name(fold_title(name))
