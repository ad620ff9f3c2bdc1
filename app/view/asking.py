"""The words of the questions that are asked before sessions are taken away, each as long as there is room
for.
"""

from __future__ import annotations

from app.formats.text import one_line
from app.view.cells import shorten, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_TITLE = 10
"""Of a title at least so many cells stand in a question, and all of it where there is room."""


def trash_question(titles: Sequence[str], cells: int, *, hidden: int, why: str = "") -> str:
    """What stands below the panes while it is asked.

    :param titles: of the sessions that are meant, at least one; raw.
    :param hidden: so many of them are not shown.
    :param why: what to know of them before; raw.
    """
    before = f"{one_line(why, 60)} – " if why else ""
    asked = _about("Trash", titles, cells - width(before), hidden)
    return before + asked if before and width(before + asked) <= cells else _about("Trash", titles, cells, hidden)


def delete_question(titles: Sequence[str], cells: int, *, hidden: int) -> str:
    """The same where there is no trash."""
    return _about("No trash: delete for good", titles, cells, hidden, brief="Delete for good")


def _about(what: str, titles: Sequence[str], cells: int, hidden: int, *, brief: str = "") -> str:
    """Which sessions are meant, by title or number, and how many of them nobody sees."""
    if len(titles) == 1:
        unseen = ", which is not shown" if hidden else ""
        for verb in (what, brief or what):
            room = cells - width(f"{verb} “”{unseen}?")
            if room >= LEAST_TITLE:
                break
        return f"{verb} “{shorten(one_line(titles[0], 500), max(LEAST_TITLE, room))}”{unseen}?"
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
