"""What all commands that change something have in common: their exit codes, and the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.journal import Journal
from app.reports.output import complain

if TYPE_CHECKING:
    from app.sessions.change import Change
    from app.setup import Setup

NOT_FOUND, WRONG_USE, REFUSED = 1, 2, 3


class WrongUse(Exception):
    """The words do not go together; the text says why."""


def record(change: Change, setup: Setup) -> None:
    """Note a change in the journal; where that cannot be written, the change was made all the same."""
    try:
        Journal(setup.state_folder).record(change)
    except OSError as error:
        _complain_of(error)


def taken_back(number: int, setup: Setup) -> None:
    """Note that a change of the journal was taken back, or never can be."""
    try:
        Journal(setup.state_folder).taken_back(number)
    except OSError as error:
        _complain_of(error)


def _complain_of(error: OSError) -> None:
    complain(f"undo will not know of it: {error.filename}: {error.strerror or error}")
