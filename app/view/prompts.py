"""The questions before sessions are changed, in words that fit the width."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.text import one_line
from app.index.row import Row
from app.sessions.manager.change import Change
from app.view.cells import shorten, shorten_start, width
from app.view.formatting import counted

LEAST_TITLE = 10
"""Fewest cells of a title in a question."""


def trash_question(
    titles: Sequence[str], cells: int, *, hidden: int, size: str = "", folders: int = 0, dependents: int = 0
) -> str:
    """The question before sessions are trashed.

    :param titles: raw titles of the sessions, at least one.
    :param hidden: how many of them are not shown.
    :param size: the size of their files; ``folders``: the number of their folders of artifacts;
        ``dependents``: the number of other sessions that cannot be opened without them. All are left out if
        there is no room, the last one last.
    """
    need = "1 session needs" if dependents == 1 else f"{dependents:,} sessions need"
    needed = f"{need} {'it' if len(titles) == 1 else 'them'}" if dependents else ""
    artifacts = counted(folders, "artifact folder") if folders else ""
    every = (
        ", ".join(filter(None, facts)) for facts in ((size, artifacts, needed), (size, needed), (needed,))
    )
    details = tuple(f" ({detail})" for detail in (*every, size) if detail)
    return _about("Trash", titles, cells, hidden, details=details)


def delete_question(titles: Sequence[str], cells: int, *, hidden: int) -> str:
    """The question before sessions are deleted because there is no trash."""
    return _about("No trash: delete for good", titles, cells, hidden, brief="Delete for good")


_EARLIER = {
    "trash": "trash",
    "restore": "restore",
    "name": "rename",
    "pin": "pin",
    "label": "label in",
    "leaf": "move the leaf of",
    "file": "create",
    "keep": "keep",
    "tags": "tag",
    "note": "write a note on",
}
_EARLIER_OFF = {"name": "clear the name of", "pin": "unpin", "label": "remove a label in"}


def earlier_question(
    changes: Sequence[Change], title: str, ago: str, cells: int, *, is_redo: bool = False
) -> str:
    """The question before an action of an earlier run is undone, or redone if that undid it.

    :param changes: all changes of the action.
    :param title: the raw title of the session, if there is only one.
    :param ago: the age of the action, as `app.view.formatting` gives it.
    """
    # the changes may begin with a move that made room for a restored file
    first = changes[-1]
    changes = [change for change in changes if change.kind == first.kind]
    verb = _EARLIER.get(first.kind, "change")
    if first.kind in _EARLIER_OFF and first.after is None:
        verb = _EARLIER_OFF[first.kind]
    elif first.kind == "file" and first.after_id == first.session_id:
        verb = "restore"
    when = "just now" if ago == "now" else f"{ago} ago"
    start, end = f"{'Redo' if is_redo else 'Undo'}: {verb}", f"({when})?"
    if len(changes) > 1:
        return f"{start} {len(changes):,} sessions {end}"
    room = max(LEAST_TITLE, cells - width(start) - width(end) - 4)
    return f'{start} "{shorten(one_line(title, 500), room)}" {end}'


def continued_question(cells: int) -> str:
    """The question about entries that an agent wrote after its session was trashed."""
    for question in (
        "The agent wrote more entries after the session was trashed. Append them to the session?",
        "Append the entries that the agent wrote since?",
    ):
        if width(question) <= cells:
            break
    return question


def restore_question(title: str, cells: int) -> str:
    """The question before a kept session is restored and resumed.

    :param title: raw.
    """
    return _about("Its file is gone. Restore and resume", [title], cells, 0, brief="Restore and resume")


def resume_only_question(title: str, cells: int) -> str:
    """The question before one session is resumed while others are marked.

    :param title: raw.
    """
    return _about("Resume only", [title], cells, 0)


def new_question(agent: str, folder: str, cells: int) -> str:
    """The question before a new session begins.

    :param folder: its folder as it is shown; raw.
    """
    shown, short = one_line(folder, 500), f"Start a new {agent} session"
    for before in (f"Close leafmark and start a new {agent} session", short):
        room = cells - width(before) - 5
        if shown and room >= min(LEAST_TITLE, width(shown)):
            return f"{before} in {shorten_start(shown, room)}?"
    return f"{short}?"


def _about(
    what: str,
    titles: Sequence[str],
    cells: int,
    hidden: int,
    *,
    brief: str = "",
    details: Sequence[str] = (),
) -> str:
    """The sessions by title or number, and how many of them are not shown.

    :param details: facts about them, the longest first; the first of them that fits is shown.
    """
    if len(titles) == 1:
        ends = (", which is not shown?", ", not shown?") if hidden else ("?",)
        ends = (*(detail + end for end in ends for detail in details), *ends)
        for verb, end in [(verb, end) for verb in (what, brief or what) for end in ends]:
            room = cells - width(f'{verb} ""{end}')
            if room >= LEAST_TITLE:
                break
        return f'{verb} "{shorten(one_line(titles[0], 500), max(LEAST_TITLE, room))}"{end}'
    number = f"{len(titles):,}"
    unseen = f"{hidden:,} of them not shown" if hidden < len(titles) else "none of them shown"
    forms = [f"{what} {number} sessions", f"{brief or what} {number}"]
    if hidden:
        forms = [
            f"{forms[0]}, {unseen}",
            f"{brief or what} {number} sessions, {unseen}",
            f"{forms[1]}, {hidden:,} not shown",
        ]
    detailed = (form + detail for form in forms for detail in (*details, ""))
    return next((form for form in detailed if width(form) < cells), forms[-1]) + "?"


def quoted_title(row: Row) -> str:
    """The title of a session in a message, inert and in quotation marks."""
    return f'"{one_line(row.title, 50)}"'
