"""Notes about actions and settings: progress, results, and what is wrong with the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from app.formats.text import one_line
from app.sessions.manager.change import Change
from app.view.line import wrap


class ActionProgress:
    """The progress of one action: `done` of `total` sessions. The thread that runs it updates the numbers;
    the thread of the screen stops it.

    what         the name of the action
    is_stopped   it stops, or has stopped, before its end
    is_seen      the last message about it has arrived, and another may be sent
    """

    __slots__ = ("done", "is_seen", "is_stopped", "total", "what")

    def __init__(self, what: str) -> None:
        self.what = what
        self.done = self.total = 0
        self.is_stopped = False
        self.is_seen = True


_DOES = {
    "trash": "trashing",
    "trash anyway": "trashing",
    "delete": "deleting",
    "pin": "pinning",
    "undo": "undoing",
    "redo": "redoing",
}
_DONE = {
    "trash": "trashed",
    "trash anyway": "trashed",
    "delete": "deleted for good",
    "pin": "pinned",
    "restore": "restored",
    "undo": "undone",
    "redo": "redone",
}
FOR_GOOD = frozenset(("delete",))
"""Actions that cannot be undone."""


def progress_note(what: str, done: int, total: int) -> str:
    """The note in the header while an action runs.

    :param what: the name of the action.
    """
    return f"{_DOES.get(what, 'doing')} {done:,} of {total:,}"


def stopped_note(what: str, done: int, total: int, undo: str) -> str:
    """The note about an action that was stopped before its end.

    :param undo: the key of undo, or the command that undoes; "" for none.
    """
    note = f"{done:,} of {total:,} {_DONE.get(what, 'done')}"
    if not undo or what in FOR_GOOD:
        return note
    if what == "undo":
        return f"{note} – {undo} undoes the others"
    if not done:
        return note
    return f"{note} ({undo} to undo)"


_RESULTS = {
    "trash": "Trashed",
    "restore": "Restored",
    "delete": "Deleted for good",
    "name": "Renamed",
    "pin": "Pinned",
    "label": "Label set",
    "leaf": "Leaf moved",
    "file": "New session created",
}
_UNDO_RESULTS = {
    "restore": "Undone: trash",
    "name": "Undone: rename",
    "pin": "Undone: pin",
    "label": "Undone: label",
    "leaf": "Undone: moving the leaf",
}
_REDO_RESULTS = {
    "trash": "trash",
    "restore": "restore",
    "name": "rename",
    "pin": "pin",
    "label": "label",
    "leaf": "moving the leaf",
    "file": "new session",
}
WIDEST, SHARE = 60, 0.9
"""Widest toast in cells, and as a part of the screen; the smaller one counts (`styles/`)."""
_BESIDE_TEXT = 3
"""Cells beside the text of a toast."""
_AROUND_TEXT = 5
"""Lines of the screen above and below the text of a toast, with the bars."""


def toast(what: str, changes: Sequence[Change], key: str, *, of: int = 0) -> str:
    """The toast about `changes`; "" for none.

    :param what: the name of the action, "undo" if they were undone.
    :param key: the name of the key of undo; "" if there is none here.
    :param of: the number of sessions of an action that was stopped before its end, else 0.
    """
    if of:
        return f"Stopped: {stopped_note(what, len(changes), of, key)}"
    if not changes:
        return ""
    change = changes[-1]
    many = f": {len(changes):,} sessions" if len(changes) > 1 else ""
    if what == "undo":
        return f"{_UNDO_RESULTS.get(change.kind, 'Undone')}{many}"
    if what == "redo":
        undo = f" ({key} to undo)" if key else ""
        return f"Redone: {_REDO_RESULTS.get(change.kind, 'change')}{many}{undo}"
    if what == "unarchive":
        return f"Restored from the archive{many}"
    result = _RESULTS.get(change.kind, "Done")
    if change.after is None and change.kind in ("pin", "name", "label"):
        result = {"pin": "Unpinned", "name": "Name cleared", "label": "Label removed"}[change.kind]
    undo = f" ({key} to undo)" if change.kind not in FOR_GOOD and key else ""
    return f"{result}{many}{undo}"


def settings_toast(problems: Sequence[str], file: str, shown: str, columns: int, lines: int) -> str:
    """The toast about problems with the settings, as many as fit a screen of this size; "" for none. The
    others are counted.

    :param problems: as in `Settings.problems`; most begin with the path of the file.
    :param file: that path; ``shown`` is its spelling on screen.
    """
    if len(problems) < 2:
        return "".join(problems)
    cells = max(1, min(WIDEST, int(columns * SHARE)) - _BESIDE_TEXT)
    head = f"{one_line(shown, 500)} has {len(problems)} problems:"
    texts = [problem.removeprefix(f"{one_line(file, 500)}: ") for problem in problems]
    heights = [sum(1 for _ in wrap(problem, cells)) for problem in (head, *texts)]
    room = lines - _AROUND_TEXT - heights.pop(0)
    fit = len(texts)
    while fit > 1 and sum(heights[:fit]) + (fit < len(texts)) > room:
        fit -= 1
    rest = [f"and {len(texts) - fit} more"] if fit < len(texts) else []
    return "\n".join([head, *texts[:fit], *rest])


RESCANNING = "rescanning…"


class RescanReport:
    """Counts the sessions that a rescan finds new, changed or gone, each once."""

    def __init__(self) -> None:
        self._new: set[str] = set()
        self._changed: set[str] = set()
        self._gone: set[str] = set()

    def add(self, paths: Iterable[str], known: Collection[str], gone: Iterable[str]) -> None:
        """Add a report.

        :param paths: of the reported sessions.
        :param known: the paths that were known before.
        :param gone: of the sessions that are gone.
        """
        for path in paths:
            (self._changed if path in known and path not in self._new else self._new).add(path)
        self._gone.update(gone)

    def words(self) -> str:
        """The result of the rescan in words."""
        counts = ((self._new, "new"), (self._changed, "changed"), (self._gone, "gone"))
        facts = [f"{len(paths):,} {word}" for paths, word in counts if paths]
        return f"Rescanned: {', '.join(facts) or 'no changes'}"
