"""What is being done to many sessions: how far it is, and the words for that."""

from __future__ import annotations


class Course:
    """One action, of which `done` of `total` sessions are done. The thread that does it says how far it is;
    the screen's stops it.

    what         as it was asked for
    is_stopped   it stops, or has stopped, before its end
    is_seen      the last message about it has arrived: another may be sent
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
    "undo": "taking back",
}
_DONE = {
    "trash": "trashed",
    "trash anyway": "trashed",
    "delete": "deleted for good",
    "pin": "pinned",
    "restore": "restored",
    "undo": "taken back",
}
FOR_GOOD = frozenset(("delete",))
"""What nothing takes back."""


def progress_note(what: str, done: int, total: int) -> str:
    """What the header says meanwhile.

    :param what: as it was asked for.
    """
    return f"{_DOES.get(what, 'doing')} {done:,} of {total:,}"


def stopped_note(what: str, done: int, total: int, undo: str) -> str:
    """What is said when it was stopped before its end.

    :param undo: what takes back what was done, "" for nothing.
    """
    said = f"{done:,} of {total:,} {_DONE.get(what, 'done')}"
    if not undo or what in FOR_GOOD:
        return said
    if what == "undo":
        return f"{said} – {undo} goes on with the others"
    if not done:
        return said
    return f"{said} – {undo} takes {'it' if done == 1 else 'them'} back"
