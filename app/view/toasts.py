"""The line that says what was done (USERS, "Undo `z`, and say so in the toast")."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.change import Change

_DONE = {
    "trash": "Moved to the trash",
    "delete": "Deleted for good",
    "name": "Named",
    "pin": "Pinned",
    "label": "Labelled",
    "leaf": "The leaf has moved",
    "file": "New session made",
}
_TAKEN_BACK = {
    "restore": "Back from the trash",
    "name": "The old name is back",
    "pin": "The pins are as before",
    "label": "The old label is back",
    "leaf": "The leaf is back",
}
_FOR_GOOD = frozenset(("delete",))


def toast(what: str, changes: Sequence[Change], key: str) -> str:
    """What to say of `changes`; "" when there is nothing to say.

    :param what: "undo" where they took something back.
    :param key: of undo, as people write it.
    """
    if not changes:
        return ""
    change = changes[-1]
    many = f": {len(changes):,} sessions" if len(changes) > 1 else ""
    if what == "undo":
        return f"{_TAKEN_BACK.get(change.kind, 'Taken back')}{many}"
    if what == "unarchive":
        return f"Back from the archive{many}"
    said = _DONE.get(change.kind, "Done")
    if change.after is None and change.kind in ("pin", "name", "label"):
        said = {"pin": "No longer pinned", "name": "The name is gone", "label": "The label is gone"}[
            change.kind
        ]
    undo = f" – {key} takes it back" if change.kind not in _FOR_GOOD and key else ""
    return f"{said}{many}{undo}"
