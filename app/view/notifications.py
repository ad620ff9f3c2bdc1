"""Notes about actions and settings: progress, results, and what is wrong with the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from app.formats.text import one_line
from app.sessions.errors import SessionError
from app.sessions.manager.change import Change
from app.stores.kept import is_copy_of
from app.view.cells import shorten, shorten_start, width
from app.view.formatting import counted, size, tilde


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
    "keep": "keeping",
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


_DONE = {
    "trash": "Trashed",
    "restore": "Restored",
    "delete": "Deleted for good",
    "pin": "Pinned",
    "leaf": "Moved the leaf of",
    "file": "Forked",
    "tags": "Tagged",
    "note": "Saved tags and note of",
    "keep": "Kept",
    "name": "Renamed",
    "label": "Labelled",
}
_REMOVED = {
    "pin": "Unpinned",
    "note": "Removed the note of",
    "name": "Cleared the name of",
    "label": "Removed a label of",
}
_ACTIONS = {
    "trash": "trash",
    "restore": "restore",
    "name": "rename",
    "pin": "pin",
    "label": "label",
    "leaf": "move of the leaf",
    "file": "fork",
    "keep": "keep",
    "tags": "tags",
    "note": "note",
}
"""Kind of a change -> the noun for it, after "Undone:" and "Redone:"."""
_REMOVALS = {
    "pin": "unpin",
    "note": "removal of the note",
    "name": "removal of the name",
    "label": "removal of the label",
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
    "keep": "kept",
    "go on": "continued",
}
MOST_PROBLEMS = 5
"""The most problems of the settings that are shown one after the other, or in one text."""
MOST_TITLE = 40
"""Cells of a title in a message, so that the key of undo has room behind it."""
SHORT_TITLE = 25
"""Cells of the title of a session or the text of an entry beside what was written to it."""
LEAST_VALUE = 12
"""Cells that are left at least to what was written."""
MOST_MESSAGE = 77
"""Cells of a message: with its mark, it fits on a screen of 80 columns."""


def done_text(
    what: str, changes: Sequence[Change], key: str, title: str, *, entry: str = "", of: int = 0
) -> str:
    """The message about `changes`: what was done, and to what; "" for no change. It is inert, and has at most
    `MOST_MESSAGE` cells.

    :param what: the name of the action; "undo" if they were undone.
    :param key: the name of the key of undo; "" if there is none here.
    :param title: the raw title of the session; "" if it is unknown. It is not used for several.
    :param entry: the text of the entry that was labelled; "" if it is unknown.
    :param of: the number of sessions of an action that was stopped before its end, else 0.
    """
    if of:
        return f"Stopped: {stopped_note(what, len(changes), of, key)}"
    if not changes:
        return ""
    kind = changes[-1].kind
    undo = (
        f" ({key} to undo)" if key and what != "undo" and what != "unarchive" and kind not in FOR_GOOD else ""
    )
    if what in ("undo", "redo"):
        begin = "Undone" if what == "undo" else "Redone"
        return _fitted(*_action(changes, title, f"{begin}: "), undo)
    if what == "unarchive":
        return f"Restored {_sessions(changes, title)} from the archive"
    return _fitted(*_result(changes, title, entry), undo)


def _result(changes: Sequence[Change], title: str, entry: str) -> tuple[str, str, str]:
    """The action that was done, in three parts: before the written text, that text (raw), and after it."""
    change = changes[-1]
    if change.source_agent:
        before = " before" if change.is_nothing else ""
        return f"Handed {_sessions(changes, title)} over to {change.agent}{before}", "", ""
    if len(changes) == 1 and change.kind == "label" and change.after:
        of = quoted(entry or title, SHORT_TITLE) or "an entry"
        return f"Labelled {of}: ", change.after, ""
    if len(changes) == 1 and change.kind == "name" and change.after:
        return 'Renamed to "', change.after, '"'
    if len(changes) == 1 and change.kind in ("label", "name") and change.before:
        verb = "Removed the label" if change.kind == "label" else "Cleared the name"
        return f'{verb} "', change.before, '"'
    if change.kind == "tags":
        return f"Tagged {_sessions(changes, title, SHORT_TITLE)}: ", _tag_changes(changes), ""
    if len(changes) == 1 and change.kind == "note" and change.after:
        return f"Saved tags and note of {_sessions(changes, title, SHORT_TITLE)}: ", change.after, ""
    is_removed = change.after is None and change.kind in _REMOVED
    if change.kind == "file" and is_copy_of(change.before or "", change.after or ""):
        return f"Restored {_sessions(changes, title)}", "", ""
    verb = _REMOVED[change.kind] if is_removed else _DONE.get(change.kind, "Changed")
    return f"{verb} {_sessions(changes, title)}", "", ""


def _action(changes: Sequence[Change], title: str, begin: str) -> tuple[str, str, str]:
    """The action that was undone or redone, in the parts of `_result`."""
    change = changes[-1]
    is_removal = change.after is None and change.kind in _REMOVALS
    action = _REMOVALS[change.kind] if is_removal else _ACTIONS.get(change.kind, "change")
    action = "hand-over" if change.source_agent else action
    if change.kind == "file" and is_copy_of(change.before or "", change.after or ""):
        action = "restore"
    value = change.before if is_removal else change.after
    if len(changes) == 1 and change.kind in ("label", "name") and value:
        to = " to" if change.kind == "name" and not is_removal else ""
        return f'{begin}{action}{to} "', value, '"'
    if change.kind == "tags":
        return f"{begin}{action} ", _tag_changes(changes), f" of {_sessions(changes, title, SHORT_TITLE)}"
    return f"{begin}{action} of {_sessions(changes, title)}", "", ""


def _fitted(before: str, value: str, after: str, undo: str) -> str:
    """The parts of a message in at most `MOST_MESSAGE` cells: the value is cut.

    :param value: raw.
    """
    room = MOST_MESSAGE - width(before) - width(after) - width(undo)
    return f"{before}{shorten(one_line(value, 500), max(room, LEAST_VALUE))}{after}{undo}"


def _sessions(changes: Sequence[Change], title: str, cells: int = MOST_TITLE) -> str:
    """The title of a single session, or the number of several."""
    return f"{len(changes):,} sessions" if len(changes) > 1 else quoted(title, cells) or "a session"


def _tag_changes(changes: Sequence[Change]) -> str:
    """The tags that were added to one of the sessions, and those that were removed: "+new -old"."""
    added: dict[str, None] = {}
    removed: dict[str, None] = {}
    for change in changes:
        before, after = (change.before or "").split(), (change.after or "").split()
        added |= dict.fromkeys(tag for tag in after if tag not in before)
        removed |= dict.fromkeys(tag for tag in before if tag not in after)
    return " ".join([*(f"+{tag}" for tag in added), *(f"-{tag}" for tag in removed)]) or "as before"


def exported_text(paths: Sequence[str], written: int, replaced: int | None, home: str, key: str) -> str:
    """The message about a finished export. The number of secrets is left out first if there is no room.

    :param paths: of the files, at least one; ``written`` are their bytes.
    :param replaced: the number of secrets that were replaced; None if nothing was redacted.
    :param key: opens what was written; "" for none.
    """
    begin, path = "Exported to ", paths[0]
    if len(paths) > 1:
        begin, path = f"Exported {len(paths):,} sessions to ", path.rpartition("/")[0]
    end = f", {size(written)}" + (f" ({key} to open)" if key else "")
    shown = shorten_start(one_line(tilde(path, home), 4_000), MOST_MESSAGE - width(begin + end))
    secrets = "nothing redacted" if replaced is None else f"{counted(replaced, 'secret')} replaced"
    return f"{begin}{shown}{end}; {secrets}"


def copied_text(what: str, title: str = "") -> str:
    """The message about a text that was copied.

    :param what: the name of the text, such as "id"; raw.
    :param title: the raw title of the session whose text it is; "" for none.
    """
    of = f" of {quoted(title)}" if title else ""
    return f"Copied the {one_line(what)}{of}"


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


def quoted(title: str, cells: int = MOST_TITLE) -> str:
    """A raw title in quotation marks, inert and with room for more text behind it; "" for none.

    :param cells: the cells of what stands between the marks.
    """
    return f'"{shorten(one_line(title, 500), cells)}"' if title else ""


def settings_messages(problems: Sequence[str], file: str) -> list[str]:
    """A message for each of the first problems of the settings, with its number if there are several.

    :param problems: the problems of a `Settings`; most begin with the path of the file.
    :param file: that path.
    """
    of = len(problems)
    messages = []
    for number, problem in enumerate(problems[:MOST_PROBLEMS], 1):
        text = problem.removeprefix(f"{one_line(file, 500)}: ")
        messages.append(f"config.toml: {text}" + (f" (problem {number} of {of:,})" if of > 1 else ""))
    if of > MOST_PROBLEMS:
        messages.append("config.toml: `leafmark config --check` lists all problems")
    return messages


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
