"""What leafmark did before, in another run or on the command line, as its journal has it: what of it would be
taken back next, and taking it back once the user has said so (issue 5 "Undo").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.actions.taking_back import PASSED, Tried, take_back_all
from app.actions.undo import undo
from app.sessions.errors import SessionError
from app.sessions.tally.ends import provisional
from app.stores import store_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from app.actions.journal import Journal
    from app.actions.recorded import Recorded
    from app.sessions.manager.change import Change
    from app.stores.base import Store


class Earlier(NamedTuple):
    """What was done together.

    :param action: its number in the journal.
    :param at_ms: when, milliseconds since the epoch.
    :param changes: what was done, in order; at least one.
    :param title: of the session of the only one, where that lies in the trash; raw, else "".
    """

    action: int
    at_ms: int
    changes: Sequence[Change]
    title: str


def next_earlier(journal: Journal, own: Collection[int]) -> Earlier | None:
    """What was done last and still stands; what something stands in the way of comes after all else.

    :param own: numbers of changes that are left out.
    """
    actions = [steps for steps in journal.actions() if not any(step.number in own for step in steps)]
    untold = [steps for steps in actions if not any(step.is_told for step in steps)]
    steps = (untold or actions or [[]])[-1]
    if not steps:
        return None
    changes = [step.change for step in steps]
    title = _title_in_trash(changes[0]) if len(changes) == 1 else ""
    return Earlier(steps[0].action, steps[-1].at_ms, changes, title)


def take_back_earlier(
    journal: Journal,
    action: int,
    env: Mapping[str, str],
    stores: Sequence[Store],
    state_folder: str,
    goes_on: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[list[Tried[Recorded]], list[str]]:
    """Take back what still stands of an action of the journal, and note there what became of it.

    :param env: the environment by which agents find their sessions, and the system its trash.
    :param goes_on: see `take_back_all`.
    :return: what became of each step that was tried, the last first, none where somebody else was quicker;
        and what there is to say besides. Nothing is raised.
    """

    def back(step: Recorded) -> tuple[Change | None, Exception | None]:
        return undo_journalled(step.change, env, stores, state_folder)

    steps = [step for step in journal.standing() if step.action == action]
    if not steps:
        return [], ["it has been taken back meanwhile"]
    tried = take_back_all(steps, back, goes_on)
    notes = []
    for each in tried:
        try:
            if each.waits:
                journal.told(each.step.number)
            else:
                journal.taken_back(each.step.number, each.change)
        except OSError as error:
            # a write to an open file that fails names no path
            where = error.filename or state_folder
            notes.append(f"the journal cannot be written: {where}: {error.strerror or error}")
    if any(each.error for each in tried) and len(journal.actions()) > 1:
        notes.append(PASSED)
    return tried, list(dict.fromkeys(notes))


def undo_journalled(
    change: Change, env: Mapping[str, str], stores: Sequence[Store], state_folder: str
) -> tuple[Change | None, Exception | None]:
    """Take one change back, of which no more is known than the change itself."""
    try:
        store = store_holding(change.path, stores)
        return undo(change, env, store, state_folder=state_folder), None
    except (SessionError, OSError) as error:
        return None, error


def _title_in_trash(change: Change) -> str:
    if change.kind != "trash" or not change.after:
        return ""
    told = provisional(change.after, (change.agent,) if change.agent else (), 0)
    return told.title if told is not None and told.id == change.session_id else ""
