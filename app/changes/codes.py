"""What all commands that change something have in common: their exit codes, and the journal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.actions.journal import Journal
from app.reports.output import complain

if TYPE_CHECKING:
    from app.sessions.manager.change import Change
    from app.setup import Setup

NOT_FOUND, WRONG_USE, REFUSED = 1, 2, 3


class WrongUse(Exception):
    """The words do not go together; the text says why."""


def record(change: Change, setup: Setup, action: int = 0) -> int:
    """Note a change in the journal; where that cannot be written, the change was made all the same.

    :param action: the number of the first of those that are made together with it; 0: it is the first.
    :return: its number there, 0 where it has none.
    """
    try:
        # Undo does not need the prompt, which stays in the session.
        return Journal(setup.state_folder).record(replace(change, prompt=None), action)
    except OSError as error:
        _complain_of(error, setup)
        return 0


def taken_back(number: int, setup: Setup, by: Change | None = None) -> None:
    """Note that a change of the journal was taken back, or never can be.

    :param by: what took it back, if it is to be known where a session lies by that.
    """
    try:
        Journal(setup.state_folder).taken_back(number, by)
    except OSError as error:
        _complain_of(error, setup)


def told(number: int, setup: Setup) -> None:
    """Note that it was said what stands in the way of taking a change back."""
    try:
        Journal(setup.state_folder).told(number)
    except OSError as error:
        _complain_of(error, setup)


def _complain_of(error: OSError, setup: Setup) -> None:
    # a write to an open file that fails names no path
    complain(f"undo will not know of it: {error.filename or setup.state_folder}: {error.strerror or error}")
