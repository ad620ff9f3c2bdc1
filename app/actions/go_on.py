"""Going on from an entry of the tree: what can be done there, with which command, and doing it.

Asking writes nothing. `in_place` and `new_file` read the session anew, since it may have changed meanwhile.
"""

from __future__ import annotations

import copy
import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.actions.abandoned import left_behind
from app.actions.branch import cut_at, put_leaf, stands_at
from app.actions.drafts import leave_draft
from app.actions.opened import entry_there, folder_named, opened
from app.actions.resume import plan, quoted
from app.actions.safe_points import SafePoint, safe_points, unanswered
from app.sessions.errors import Changed, SessionError
from app.sessions.manager.change import announce
from app.sessions.manager.navigation import target_of
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.actions.abandoned import Abandoned
    from app.actions.resume import Plan
    from app.sessions.manager.change import Change
    from app.sessions.manager.manager import SessionManager
    from app.sessions.manager.navigation import Target
    from app.stores.base import Store

NEW = "NEW"
"""What stands for the name of a file that is not made yet, in a command that is shown."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to go on.

    :param problem: why it cannot be gone, "" where it can.
    :param plan: what resuming there does; its own `problem` says why the agent cannot be started from here,
        which does not keep the leaf from being moved.
    """

    problem: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Question:
    """What there is to choose from at an entry.

    :param path: the session's file; ``agent`` whose it is.
    :param entry_id: the entry that was picked; ``leaf_id`` the leaf at that moment.
    :param target: where the leaf would go, and the text that is offered for editing.
    :param same: the agent would go on from there already.
    :param waiting: names of the tools whose calls would stay without a result there: no provider takes such
        a conversation. Then ``safe`` has the places that do, the best first.
    :param here: in this session; ``elsewhere`` in a new one of the path to the entry, beside it.
    :param left: what is left behind in this session.
    :param takes_draft: the agent puts a text into its editor, see `write_draft`; ``takes_prompt`` it can be
        sent one at once, see `sending`.
    """

    path: str
    agent: str
    entry_id: str
    leaf_id: str | None
    target: Target
    same: bool
    waiting: tuple[str, ...]
    safe: tuple[SafePoint, ...]
    here: Way
    elsewhere: Way
    left: Abandoned
    takes_draft: bool
    takes_prompt: bool


def points(manager: SessionManager, entry_id: str, store: Store, env: Mapping[str, str]) -> Question:
    """What can be done at an entry of the session that `manager` has opened from a file. Writes nothing.

    :param store: where the session was found; ``env`` the present environment.
    :raises UnknownEntry: the entry has gone from the file.
    """
    target = target_of(manager, entry_there(manager, entry_id))
    path = manager.session_file or ""
    same = target.same or (target.text is None and stands_at(manager, target.leaf_id))
    # A prompt that is said anew follows on what it followed on before, whatever that was.
    stays = target.leaf_id is None or target.text is not None or same
    path_there = [] if stays else manager.get_branch(target.leaf_id)
    waiting = unanswered(path_there)
    home = agent_named(manager.agent)
    there = plan(manager.agent, path, manager.session_id, manager.header_cwd, store, env)
    return Question(
        path,
        manager.agent,
        entry_id,
        manager.leaf_id,
        target,
        same,
        tuple(waiting.values()),
        tuple(safe_points(manager, path_there)) if waiting else (),
        Way(_why_not_here(manager, path), there),
        Way(_why_not_elsewhere(manager, path), _beside(there, path)),
        left_behind(manager, entry_id),
        bool(home.draft_path(path)),
        bool(home.prompt_arguments("text")),
    )


def in_place(
    question: Question,
    env: Mapping[str, str],
    store: Store | None = None,
    summary: str = "",
    draft: str = "",
) -> Change:
    """Put the leaf where the question leads, in the session itself: one appended entry
    (formats/README.md, "Results of writing").

    :param summary: of what is left behind; the model is told it, and the files that were read and changed are
        written down with it as pi does.
    :param draft: left for the agent's editor as by `write_draft`, so that taking the move back takes back the
        text as well; whoever wants to know why it could not be left calls that again.
    :return: what was done. Nothing is written where the agent would go on from there already.
    :raises UnknownEntry: the entry is gone from the file.
    :raises Changed: there is a summary, and the session went on since.
    :raises SessionError: nothing was written; the class says why.
    """
    change = _moved(_opened(question, env, store), question, summary)
    draft_path = agent_named(question.agent).draft_path(question.path)
    if draft_path and draft and not change.is_nothing:
        is_new = not os.path.isdir(os.path.dirname(draft_path))
        announce(replace(change, draft=draft, draft_folder=is_new))
    try:
        left = leave_draft(draft_path, draft)
    except SessionError:
        # the leaf has moved all the same
        return change
    return replace(change, draft=draft, draft_folder=left.made_folder) if left.is_written else change


def _moved(manager: SessionManager, question: Question, summary: str) -> Change:
    leaf_id = question.target.leaf_id
    if question.same or not summary.strip():
        return put_leaf(manager, leaf_id)
    if manager.leaf_id != question.leaf_id:
        raise Changed(question.path)
    files = question.left.files
    details = files.details if files.read or files.changed else None
    manager.branch_with_summary(leaf_id, summary.strip(), details)
    assert manager.last_change is not None
    return manager.last_change


def new_file(
    question: Question, env: Mapping[str, str], store: Store | None = None, to: str | None = None
) -> Change:
    """Make a new session of the path to where the question leads; the old one stays as it is
    (formats/README.md, "Forks of the agents").

    Labels on the path and the name come along. Before all entries, the new session has only the name.

    :param to: the working folder of the new session; that of the old one where None.
    :return: what was done; `after` is the new file's path.
    :raises NotAFolder: there is no folder `to`.
    :raises UnknownEntry: the entry is gone from the file.
    :raises SessionError: there is no new file; the class says why.
    """
    folder = None if to is None else folder_named(to, question.path)
    manager = _opened(question, env, store)
    target = manager.cwd if folder is None else folder
    return cut_at(manager, question.target, target, store)


def write_draft(agent: str, path: str, text: str) -> str:
    """Leave `text` for the agent's editor, to be found when the session at `path` is continued.

    :return: the path of the draft; "" where the agent takes none, or there is nothing to leave.
    :raises AlreadyThere: the user has another draft there, which is not sent yet; it is untouched.
    :raises WriteFailed: it cannot be written.
    """
    draft = agent_named(agent).draft_path(path)
    leave_draft(draft, text)
    return draft if text else ""


def sending(plan: Plan, agent: str, text: str) -> Plan:
    """The same plan with `text` sent as the first prompt; `plan` itself where the agent has no way to."""
    more = agent_named(agent).prompt_arguments(text)
    if not more:
        return plan
    found = copy.copy(plan)
    found.argv = [*plan.argv, *more]
    found.shell = " ".join((plan.shell, *map(shlex.quote, more)))
    return found


def _opened(question: Question, env: Mapping[str, str], store: Store | None) -> SessionManager:
    """The session as it is now, with the entries of the question still in it."""
    manager = opened(question.path, "branch", env, store)
    for entry_id in (question.entry_id, question.target.leaf_id):
        if entry_id is not None:
            entry_there(manager, entry_id)
    return manager


def _why_not_elsewhere(manager: SessionManager, path: str) -> str:
    reason = agent_named(manager.agent).why_not("branch", path)
    if reason or manager.can_write:
        return reason
    return "sessions of this format are only read here"


def _why_not_here(manager: SessionManager, path: str) -> str:
    reason = _why_not_elsewhere(manager, path) or manager.danger("branch")
    return reason if reason or os.access(path, os.W_OK) else "the file may not be written"


def _beside(plan: Plan, path: str) -> Plan:
    """The plan as it will be for a new file in the same folder."""
    new = os.path.join(os.path.dirname(path), NEW + os.path.splitext(path)[1])
    found = copy.copy(plan)
    found.asks = ()
    found.argv = [new if word == path else word for word in plan.argv]
    found.shell = plan.shell.replace(quoted(path), quoted(new))
    return found
