"""Putting a label on an entry, changing it, taking it off (formats/README.md, "Results of writing")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.opened import entry_named, entry_there, opened, unchanged
from app.formats.slot import fold_title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.manager.change import Change
    from app.sessions.manager.manager import SessionManager
    from app.stores.base import Store


def label(
    path: str,
    entry: str,
    text: str,
    env: Mapping[str, str],
    store: Store | None = None,
    *,
    exact: bool = False,
) -> Change:
    """Label an entry of the session at `path`; the leaf stays where it is, and so does the file's time.

    :param entry: an id, or the beginning of one.
    :param text: one line; line breaks and other controls become blanks. "" takes the label off.
    :param store: where the session was found; the one that `env` leads to where None.
    :param exact: `entry` is a whole id, of an entry that was seen and may have gone.
    :return: what was done; `before` is the label there was. Nothing is written where it is that one already.
    :raises SessionError: nothing was written; the class says why.
    """
    manager = opened(path, "label", env, store)
    target = entry_there(manager, entry) if exact else entry_named(manager, entry)
    return put_label(manager, target, fold_title(text) or None)


def put_label(manager: SessionManager, target: str, text: str | None) -> Change:
    """See that the label of the entry `target` is `text`, or that it has none; see `label`."""
    before = manager.get_label(target)
    if before == text:
        return unchanged(manager, "label", text, target)
    manager.append_label_change(target, text)
    assert manager.last_change is not None
    return manager.last_change
