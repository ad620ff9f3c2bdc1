"""What leafmark did before, in another run or on the command line, as its journal has it: what of it would be
taken back next, and taking it back once the user has said so.

A change at which a process was killed is settled by a look at the files.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from app.actions.pin import PINNED, pins
from app.actions.restore import found_in_trash
from app.actions.taking_back import PASSED, Tried, take_back_all
from app.actions.undo import undo
from app.sessions.errors import NotThere, SessionError
from app.sessions.manager.manager import SessionManager
from app.sessions.tally.ends import provisional
from app.stores import store_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from app.actions.journal import Journal
    from app.actions.recorded import Interrupted, Recorded
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


def settle_interrupted(
    journal: Journal, env: Mapping[str, str], stores: Sequence[Store], state_folder: str
) -> None:
    """Put into the journal what a leafmark did that was killed before it could; what did not happen is
    dropped. Where the files cannot be read now, it is settled another time. Nothing is raised.

    :param env: the environment by which agents find their sessions, and the system its trash.
    """
    with contextlib.suppress(OSError), journal.interrupted() as found:
        for each in found:
            with contextlib.suppress(SessionError, OSError):
                journal.settle(each, _as_it_was_made(each, env, stores, state_folder))


def _as_it_was_made(
    interrupted: Interrupted, env: Mapping[str, str], stores: Sequence[Store], state_folder: str
) -> Change | None:
    """The change, if the files show that it was made; else None.

    :raises SessionError, OSError: they cannot be read.
    """
    change = interrupted.change
    agents = (change.agent,) if change.agent else ()
    if change.kind == "trash":
        if change.session_id:
            stays = _is_there(change.path, change.session_id, agents)
        else:  # what was moved is no session
            stays = os.path.lexists(change.path)
        return None if stays else found_in_trash(change, env)
    if change.kind == "pin":
        now = PINNED if (change.agent, change.session_id) in pins(stores, state_folder) else None
        return change if now == change.after else None
    if change.kind in ("file", "restore"):
        after = change.after or ""
        wanted = change.session_id if change.kind == "restore" else change.after_id or ""
        if change.kind == "restore" and _is_one_file(change.before or "", after):
            return None  # it still has its name in the trash, and another restore ends the move
        if _is_there(after, wanted, agents):
            return change
        if change.kind == "file" and wanted != change.session_id and not os.path.lexists(after):
            # The copy of the artifacts is made first; no session has the name.
            shutil.rmtree(os.path.splitext(after)[0], ignore_errors=True)
        return None
    try:
        manager = SessionManager.open(change.path, env=env, agents=agents, new=False)
    except NotThere:
        return None
    if change.entry_id:
        was_made = manager.get_entry(change.entry_id) is not None
    else:
        was_made = manager.session_name == change.after
    return change if was_made and manager.session_id == change.session_id else None


def _is_there(path: str, session_id: str, agents: Sequence[str]) -> bool:
    told = provisional(path, agents, 0)
    return told is not None and told.id == session_id


def _is_one_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


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

    notes = []

    def unwritten(error: OSError) -> None:
        # a write to an open file that fails names no path
        where = error.filename or state_folder
        notes.append(f"the journal cannot be written: {where}: {error.strerror or error}")

    def back(step: Recorded) -> tuple[Change | None, Exception | None]:
        with journal.intend(undoes=step.number) as intent:
            change, error = undo_journalled(step.change, env, stores, state_folder)
            try:
                if change is not None:
                    intent.done(change)
            except OSError as failed:
                unwritten(failed)
        return change, error

    steps = [step for step in journal.standing() if step.action == action]
    if not steps:
        return [], ["it has been taken back meanwhile"]
    tried = take_back_all(steps, back, goes_on)
    for each in tried:
        try:
            if each.waits:
                journal.told(each.step.number)
            elif each.change is None:
                journal.taken_back(each.step.number)
        except OSError as error:
            unwritten(error)
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
