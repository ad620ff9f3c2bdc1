"""Taking a change back by one more write: nothing that was written is ever erased (issue 3 "Undo")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.branch import put_leaf, stands_at
from app.actions.label import put_label
from app.actions.opened import opened
from app.sessions.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.sessions.change import Change
    from app.stores.base import Store


class CannotUndo(SessionError):
    """The change is not one that another write takes back, or something else was done since."""


def undo(change: Change, env: Mapping[str, str], store: Store | None = None) -> Change:
    """Put back the label, the name or the leaf that `change` replaced.

    :param store: where the session was found; the one that `env` leads to where None.
    :return: what was done, which can be taken back in turn.
    :raises CannotUndo: it was a new file or a plain entry, or what it did stands no more.
    :raises SessionError: nothing was written; the class says why.
    """
    if change.kind == "label":
        assert change.target_id is not None
        manager = opened(change.path, "label", env, store)
        _expect(manager.get_label(change.target_id) == change.after, change, "the label is another by now")
        return put_label(manager, change.target_id, change.before)
    if change.kind == "name":
        manager = opened(change.path, "name", env, store)
        _expect(manager.session_name == change.after, change, "the name is another by now")
        return manager.set_name(change.before or "")
    if change.kind == "leaf":
        manager = opened(change.path, "branch", env, store)
        _expect(stands_at(manager, change.after), change, "the session has gone on since")
        return put_leaf(manager, change.before)
    what = "a new file is not taken back by writing" if change.kind == "file" else "an entry stays"
    raise CannotUndo(change.path, 0, what)


def _expect(stands: bool, change: Change, otherwise: str) -> None:
    if not stands:
        raise CannotUndo(change.path, 0, otherwise)
