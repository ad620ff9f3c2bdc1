"""What toasts say: what was done, and what is wrong with the
settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.progress import FOR_GOOD, stopped_note
from app.view.wrapping import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.manager.change import Change

_DONE = {
    "trash": "Moved to the trash",
    "restore": "Back from the trash",
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
WIDEST, SHARE = 60, 0.9
"""A toast has so many cells, or this part of the screen's where that is less (the styles)."""
_BESIDE_TEXT = 3
_AROUND_TEXT = 5
"""Cells beside the text of one toast, and lines of the screen above and below it, the bars among them."""


def toast(what: str, changes: Sequence[Change], key: str, *, of: int = 0) -> str:
    """What to say of `changes`; "" when there is nothing to say.

    :param what: as it was asked for: "undo" where they took something back.
    :param key: of undo, as people write it; "" where it does not do that here.
    :param of: so many there were to be, where it was stopped before its end.
    """
    if of:
        return f"Stopped: {stopped_note(what, len(changes), of, key)}"
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
    undo = f" – {key} takes it back" if change.kind not in FOR_GOOD and key else ""
    return f"{said}{many}{undo}"


def settings_toast(problems: Sequence[str], file: str, shown: str, columns: int, lines: int) -> str:
    """All that is wrong with the settings, in one toast that a screen of this size has room for; "" where
    nothing is. What has none is counted, and comes up when the rest is mended.

    :param problems: as in `Settings.problems`: most begin with the path of the file.
    :param file: that path; ``shown`` as it is shown.
    """
    if len(problems) < 2:
        return "".join(problems)
    cells = max(1, min(WIDEST, int(columns * SHARE)) - _BESIDE_TEXT)
    head = f"{one_line(shown, 500)} has {len(problems)} faults:"
    said = [each.removeprefix(f"{one_line(file, 500)}: ") for each in problems]
    heights = [sum(1 for _ in wrap(each, cells)) for each in (head, *said)]
    room = lines - _AROUND_TEXT - heights.pop(0)
    fit = len(said)
    while fit > 1 and sum(heights[:fit]) + (fit < len(said)) > room:
        fit -= 1
    more = [f"and {len(said) - fit} more"] if fit < len(said) else []
    return "\n".join([head, *said[:fit], *more])
