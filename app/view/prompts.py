"""The words of the questions that are asked before sessions are taken away, each as long as there is room
for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.cells import shorten, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.manager.change import Change

LEAST_TITLE = 10
"""Of a title at least so many cells stand in a question, and all of it where there is room."""


def trash_question(titles: Sequence[str], cells: int, *, hidden: int, why: str = "", harm: str = "") -> str:
    """What stands below the panes while it is asked.

    :param titles: of the sessions that are meant, at least one; raw.
    :param hidden: so many of them are not shown.
    :param why: what to know of them before; raw. ``harm``: what may come of it, where there is room.
    """
    reason = one_line(why, 60)
    reasons = ([f"{reason}: {harm} – "] if harm else []) + [f"{reason} – "]
    for before in reasons if why else ():
        asked = before + _about("Trash", titles, cells - width(before), hidden)
        if width(asked) <= cells:
            return asked
    return _about("Trash", titles, cells, hidden)


def delete_question(titles: Sequence[str], cells: int, *, hidden: int) -> str:
    """The same where there is no trash."""
    return _about("No trash: delete for good", titles, cells, hidden, brief="Delete for good")


_EARLIER = {
    "trash": "trashed",
    "restore": "brought back",
    "name": "named",
    "pin": "pinned",
    "label": "labelled in",
    "leaf": "moved the leaf of",
    "file": "made a session of",
}
_EARLIER_OFF = {"name": "took the name off", "pin": "took the pin off", "label": "took a label off in"}


def earlier_question(changes: Sequence[Change], title: str, ago: str, cells: int) -> str:
    """Whether what was done in an earlier run is to be taken back.

    :param changes: all that was done together, of one kind.
    :param title: of the session of the only one; raw.
    :param ago: how long ago, as `app.view.ages` has it.
    """
    # A restore may come after a move that made room for it.
    first = changes[-1]
    changes = [change for change in changes if change.kind == first.kind]
    did = _EARLIER.get(first.kind, "changed")
    if first.kind in _EARLIER_OFF and first.after is None:
        did = _EARLIER_OFF[first.kind]
    elif first.kind == "file" and first.after_id == first.session_id:
        did = "brought back"
    when = "just now" if ago == "now" else f"{ago} ago"
    for before in (f"Take back what was done {when}: {did}", f"Take back, {when}: {did}"):
        if len(changes) > 1:
            asked = f"{before} {len(changes):,} sessions?"
        else:
            room = max(LEAST_TITLE, cells - width(before) - 4)
            asked = f"{before} “{shorten(one_line(title, 500), room)}”?"
        if width(asked) <= cells:
            break
    return asked


def continued_question(cells: int) -> str:
    """What to do with what an agent wrote after its session was trashed."""
    for question in (
        "The agent went on writing after the session was trashed. Append its entries to the session?",
        "Append to the session what its agent wrote since?",
    ):
        if width(question) <= cells:
            break
    return question


def new_question(agent: str, folder: str, cells: int) -> str:
    """Whether a new session is to begin.

    :param folder: where, as it is shown; raw.
    """
    shown, short = one_line(folder, 500), f"New session of {agent}"
    for before in (f"Leave leafmark for a new session of {agent}", short):
        room = cells - width(before) - 5
        if shown and room >= min(LEAST_TITLE, width(shown)):
            return f"{before} in {shorten(shown, room)}?"
    return f"{short}?"


def named_question(what: str, title: str, cells: int) -> str:
    """What is edited in a row.

    :param what: what of it; ``title``: of the session or entry, raw.
    """
    room = max(LEAST_TITLE, cells - width(what) - 3)
    return f"{what} “{shorten(one_line(title, 500), room)}”"


def _about(what: str, titles: Sequence[str], cells: int, hidden: int, *, brief: str = "") -> str:
    """Which sessions are meant, by title or number, and how many of them nobody sees."""
    if len(titles) == 1:
        ends = (", which is not shown?", ", not shown?") if hidden else ("?",)
        for verb, end in [(verb, end) for verb in (what, brief or what) for end in ends]:
            room = cells - width(f"{verb} “”{end}")
            if room >= LEAST_TITLE:
                break
        return f"{verb} “{shorten(one_line(titles[0], 500), max(LEAST_TITLE, room))}”{end}"
    number = f"{len(titles):,}"
    unseen = f"{hidden:,} of them not shown" if hidden < len(titles) else "none of them shown"
    forms = [f"{what} {number} sessions", f"{brief or what} {number}"]
    if hidden:
        forms = [
            f"{forms[0]}, {unseen}",
            f"{brief or what} {number} sessions, {unseen}",
            f"{forms[1]}, {hidden:,} not shown",
        ]
    return next((form for form in forms if width(form) < cells), forms[-1]) + "?"
