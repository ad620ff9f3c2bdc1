"""Notes about actions and settings: progress, results, and what is wrong with the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from app.formats.text import one_line
from app.sessions.errors import SessionError
from app.sessions.manager.change import Change
from app.view.cells import shorten


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
    "export": "exporting",
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
    note = f"{done:,} of {total:,} {_PAST.get(what, 'done')}{' for good' if what in FOR_GOOD else ''}"
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
    "label": "Labelled",
    "leaf": "Moved the leaf of",
    "file": "Forked",
    "tags": "Tagged",
    "note": "Saved the note of",
}
_REMOVED = {
    "pin": "Unpinned",
    "name": "Cleared the name of",
    "label": "Removed a label of",
    "tags": "Removed the tags of",
    "note": "Removed the note of",
}
_UNDONE = {
    "trash": "trash",
    "restore": "restore",
    "name": "rename",
    "pin": "pin",
    "label": "label",
    "leaf": "move of the leaf",
    "file": "fork",
    "tags": "tags",
    "note": "note",
}
_PAST = {
    "trash": "trashed",
    "trash anyway": "trashed",
    "delete": "deleted",
    "rename": "renamed",
    "pin": "pinned",
    "fork": "forked",
    "fork and resume": "forked",
    "label": "labelled",
    "tag": "tagged",
    "note": "noted",
    "undo": "undone",
    "redo": "redone",
    "restore": "restored",
    "unarchive": "restored",
    "go on": "continued",
}
MOST_TITLE = 40
"""Cells of a title in a message, so that the key of undo has room behind it."""


def done_text(what: str, changes: Sequence[Change], key: str, title: str, *, of: int = 0) -> str:
    """The message about `changes`; "" for none.

    :param what: the name of the action; "undo" if they were undone.
    :param key: the name of the key of undo; "" if there is none here.
    :param title: the raw title of the session; "" if it is unknown. It is not used for several.
    :param of: the number of sessions of an action that was stopped before its end, else 0.
    """
    if of:
        return f"Stopped: {stopped_note(what, len(changes), of, key)}"
    if not changes:
        return ""
    change = changes[-1]
    sessions = f"{len(changes):,} sessions" if len(changes) > 1 else quoted(title) or "a session"
    if what == "undo":
        return f"Undone: {_UNDONE.get(change.kind, 'change')} of {sessions}"
    if what == "redo":
        undo = f" ({key} to undo)" if key else ""
        return f"Redone: {_UNDONE.get(change.kind, 'change')} of {sessions}{undo}"
    if what == "unarchive":
        return f"Restored {sessions} from the archive"
    result = _RESULTS.get(change.kind, "Changed")
    if change.after is None and change.kind in _REMOVED:
        result = _REMOVED[change.kind]
    undo = f" ({key} to undo)" if change.kind not in FOR_GOOD and key else ""
    return f"{result} {sessions}{undo}"


def not_done_text(what: str, failures: Sequence[tuple[str, Exception]]) -> str:
    """The message about sessions for which an action failed: the reason first.

    :param what: the name of the action.
    :param failures: (raw title or "", error) of each, at least one.
    """
    title, error = failures[0]
    number = f"{len(failures):,} sessions not" if len(failures) > 1 else "Not"
    about = f" – {quoted(title)}" if title else ""
    return f"{number} {_PAST.get(what, 'done')}: {reason_of(error)}{about}"


def reason_of(error: Exception) -> str:
    """The reason of an error without the path of a file."""
    if isinstance(error, SessionError):
        return error.reason
    return (isinstance(error, OSError) and error.strerror) or str(error)


def quoted(title: str) -> str:
    """A raw title in quotation marks, inert and with room for more text behind it; "" for none."""
    return f'"{shorten(one_line(title, 500), MOST_TITLE)}"' if title else ""


def settings_messages(problems: Sequence[str], file: str) -> list[str]:
    """A message for each problem of the settings, with its number if there are several.

    :param problems: as in `Settings.problems`; most begin with the path of the file.
    :param file: that path.
    """
    texts = [problem.removeprefix(f"{one_line(file, 500)}: ") for problem in problems]
    numbers = [f" (problem {number} of {len(texts)})" for number in range(1, len(texts) + 1)]
    return [
        f"config.toml: {text}{number if len(texts) > 1 else ''}"
        for text, number in zip(texts, numbers, strict=True)
    ]


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
