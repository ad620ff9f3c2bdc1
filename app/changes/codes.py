"""What all commands that change something have in common: their exit codes, and the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.earlier import settle_interrupted
from app.actions.journal import Intent, Journal
from app.reports.output import complain

if TYPE_CHECKING:
    from app.sessions.manager.change import Change
    from app.setup import Setup

NOT_FOUND, WRONG_USE, REFUSED = 1, 2, 3


class WrongUse(Exception):
    """The words do not go together; the text says why."""


def settle(setup: Setup) -> None:
    """Put into the journal what a leafmark did that was killed before it could."""
    try:
        state_folder = setup.state_folder
    except OSError:
        return  # whatever needs the folder says so
    settle_interrupted(Journal(state_folder), setup.agent_env, setup.stores, state_folder)


def intend(setup: Setup, action: int = 0) -> Intent:
    """Note what is changed in the body of a `with` before it is changed; then `record` it.

    :param action: the number of the first of the changes that are made together with it; 0: it is the first.
    """
    return Intent(lambda: Journal(setup.state_folder), action)


def record(intent: Intent, change: Change, setup: Setup) -> int:
    """Note in the journal that a change was made; where that cannot be written, it was made all the same.

    :return: its number there, 0 where it has none.
    """
    try:
        return intent.done(change)
    except OSError as error:
        _complain_of(error, setup)
        return 0


def give_up(number: int, setup: Setup) -> None:
    """Note that a change of the journal can never be undone."""
    try:
        Journal(setup.state_folder).taken_back(number)
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
