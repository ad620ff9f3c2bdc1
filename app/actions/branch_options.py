"""The options for continuing from an entry of the tree, and their execution.

`find_branch_options` writes nothing. `branch_in_place` and `branch_to_new_file` read the session anew, since
it may have changed meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app import paths
from app.actions.abandoned_branch import AbandonedBranch, find_abandoned
from app.actions.branch import (
    SafePoint,
    fork_at,
    leaf_is_at,
    safe_points,
    set_leaf,
    target_at,
    waiting_calls,
)
from app.actions.drafts import write_draft_file
from app.actions.handoff import TARGETS
from app.actions.resume import NEW_FILE, Plan, plan, plan_new
from app.actions.session_edits import open_session, require_entry, resolve_folder
from app.formats.timestamps import parse_time
from app.sessions.errors import Changed, SessionError
from app.sessions.manager.change import Change, announce
from app.sessions.manager.navigation import Target
from app.sessions.manager.session_manager import SessionManager
from app.stores import agent_named
from app.stores.base import Store


@dataclass(frozen=True, slots=True)
class BranchOption:
    """One way to continue.

    :param problem: why it is impossible, "" if it is possible.
    :param plan: of resuming there. The plan's own `problem` says why the agent cannot be started from here;
        the leaf can be moved all the same.
    """

    problem: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class BranchOptions:
    """The choices at an entry.

    :param path: the session's file; ``agent`` the name of its agent.
    :param entry_id: the entry that was picked; ``leaf_id`` the leaf at that moment.
    :param target: the new leaf, and the text that is offered for editing.
    :param same: the agent would continue from there already.
    :param waiting: names of the tools whose calls would have no result there: providers refuse such a
        conversation. A question to the user is none of them, because the agent asks it again. If there are
        any, ``safe`` has the entries that are accepted, the best first.
    :param here: in this session; ``elsewhere`` in a new session of the path to the entry, beside it.
    :param left: the branch of this session that would be abandoned.
    :param takes_draft: the agent puts a text into its editor, see `write_draft`; ``takes_prompt``: it can be
        sent a first prompt at once, see `with_first_prompt`.
    :param sent_ms: the time of the entry, in milliseconds since the epoch; None if it has none.
    :param turns_back: how many prompts of the active path do not stand above the entry.
    :param others: the other agents that the session can be handed over to, by name, each with the plan of
        resuming it there.
    """

    path: str
    agent: str
    entry_id: str
    leaf_id: str | None
    target: Target
    same: bool
    waiting: tuple[str, ...]
    safe: tuple[SafePoint, ...]
    here: BranchOption
    elsewhere: BranchOption
    left: AbandonedBranch
    takes_draft: bool
    takes_prompt: bool
    sent_ms: int | None = None
    turns_back: int = 0
    others: Mapping[str, Plan] = field(default_factory=dict)


def find_branch_options(
    manager: SessionManager, entry_id: str, store: Store, env: Mapping[str, str]
) -> BranchOptions:
    """The choices at an entry of the session that `manager` has opened from a file. Writes nothing.

    :param store: where the session was found; ``env`` the present environment.
    :raises UnknownEntry: the entry has gone from the file.
    """
    home = agent_named(manager.agent)
    target = target_at(manager, require_entry(manager, entry_id))
    path = manager.session_file or ""
    same = target.same or (target.text is None and leaf_is_at(manager, target.leaf_id))
    # A prompt that is sent again follows the same entry as before, so nothing has to be checked.
    stays = target.leaf_id is None or target.text is not None or same
    path_to_leaf = [] if stays else manager.get_branch(target.leaf_id)
    waiting = waiting_calls(manager, path_to_leaf)
    resume_plan = plan(manager.agent, path, manager.session_id, manager.header_cwd, store, env)
    return BranchOptions(
        path,
        manager.agent,
        entry_id,
        manager.leaf_id,
        target,
        same,
        tuple(waiting.values()),
        tuple(safe_points(manager, path_to_leaf)) if waiting else (),
        BranchOption(_branch_problem(manager, path), resume_plan),
        BranchOption(_fork_problem(manager, path), _plan_for_new_file(resume_plan, path)),
        find_abandoned(manager, entry_id),
        bool(home.draft_path(path)),
        bool(home.prompt_arguments("text")),
        *_place_of(manager, entry_id),
        _plans_of_others(manager, env),
    )


def _plans_of_others(manager: SessionManager, env: Mapping[str, str]) -> dict[str, Plan]:
    home, cwd = paths.home_folder(env), manager.header_cwd
    plans = {}
    for name in TARGETS:
        if name != manager.agent:
            agent = agent_named(name)
            store = agent.own_store(env, home, cwd or os.sep)
            new = os.path.join(agent.folder_of(store, cwd, home), f"{NEW_FILE}.jsonl")
            made = plan_new(name, cwd, store, env)
            made.argv = [agent.command, *agent.resume_arguments(new, NEW_FILE, store)]
            plans[name] = made
    return plans


def _place_of(manager: SessionManager, entry_id: str) -> tuple[int | None, int]:
    """The time of an entry, and the number of prompts of the active path that do not stand above it."""
    *above, entry = manager.get_branch(entry_id)
    shared = {before.index for before in above}
    path = manager.get_branch() if manager.leaf_id is not None else []
    prompts = sum(_is_prompt(later.normalized) for later in path if later.index not in shared)
    return parse_time(entry.normalized.get("timestamp")), prompts


def _is_prompt(entry: Mapping[str, Any]) -> bool:
    message = entry.get("message")
    return entry.get("type") == "message" and isinstance(message, dict) and message.get("role") == "user"


def branch_in_place(
    question: BranchOptions,
    env: Mapping[str, str],
    store: Store | None = None,
    summary: str = "",
    draft: str = "",
) -> Change:
    """Move the leaf to the target, in the session itself: one appended entry
    (formats/README.md, "Results of writing").

    :param summary: of the abandoned branch; the model gets it. The files that were read and changed are
        stored with it, as pi does.
    :param draft: a text to leave for the agent's editor, see `write_draft`; undo of the move removes it. To
        learn why it could not be left, call `write_draft` again.
    :return: the change. Nothing is written if the agent would continue from there already.
    :raises UnknownEntry: the entry is gone from the file.
    :raises Changed: there is a summary, and the session has new entries since.
    :raises SessionError: nothing was written; the class says why.
    """
    change = _move_leaf(_open(question, env, store), question, summary)
    draft_path = agent_named(question.agent).draft_path(question.path)
    if draft_path and draft and not change.is_nothing:
        is_new = not os.path.isdir(os.path.dirname(draft_path))
        announce(replace(change, draft=draft, draft_folder=is_new))
    try:
        result = write_draft_file(draft_path, draft)
    except SessionError:
        # The leaf has moved all the same.
        return change
    return replace(change, draft=draft, draft_folder=result.made_folder) if result.is_written else change


def _move_leaf(manager: SessionManager, question: BranchOptions, summary: str) -> Change:
    leaf_id = question.target.leaf_id
    if question.same or not summary.strip():
        return set_leaf(manager, leaf_id)
    if manager.leaf_id != question.leaf_id:
        raise Changed(question.path)
    files = question.left.files
    details = files.details if files.read or files.changed else None
    manager.branch_with_summary(leaf_id, summary.strip(), details)
    assert manager.last_change is not None
    return manager.last_change


def branch_to_new_file(
    question: BranchOptions, env: Mapping[str, str], store: Store | None = None, to: str | None = None
) -> Change:
    """Make a new session of the path to the target; the old session stays as it is
    (formats/README.md, "Forks of the agents").

    The new session has the labels on the path and the name. If the target is before all entries, it has only
    the name.

    :param to: the working folder of the new session; None for that of the old one.
    :return: the change; `after` is the new file's path.
    :raises NotAFolder: there is no folder `to`.
    :raises UnknownEntry: the entry is gone from the file.
    :raises SessionError: there is no new file; the class says why.
    """
    folder = None if to is None else resolve_folder(to, question.path)
    manager = _open(question, env, store)
    cwd = manager.cwd if folder is None else folder
    return fork_at(manager, question.target, cwd, store)


def write_draft(agent: str, path: str, text: str) -> str:
    """Leave `text` for the agent's editor, which shows it when the session at `path` is resumed.

    :return: the path of the draft; "" if the agent takes none, or `text` is "".
    :raises AlreadyThere: the user has another draft there, which is not sent yet; it is untouched.
    :raises WriteFailed: it cannot be written.
    """
    draft = agent_named(agent).draft_path(path)
    write_draft_file(draft, text)
    return draft if text else ""


def with_first_prompt(plan: Plan, agent: str, text: str) -> Plan:
    """The same plan with `text` sent as the first prompt; `plan` itself if the agent cannot be sent one."""
    arguments = agent_named(agent).prompt_arguments(text)
    return replace(plan, argv=[*plan.argv, *arguments]) if arguments else plan


def _open(question: BranchOptions, env: Mapping[str, str], store: Store | None) -> SessionManager:
    """Open the session as it is now. It must still have the entries of `question`."""
    manager = open_session(question.path, "branch", env, store)
    for entry_id in (question.entry_id, question.target.leaf_id):
        if entry_id is not None:
            require_entry(manager, entry_id)
    return manager


def _fork_problem(manager: SessionManager, path: str) -> str:
    reason = agent_named(manager.agent).why_not("branch", path)
    if reason or manager.can_write:
        return reason
    return "sessions of this format are only read here"


def _branch_problem(manager: SessionManager, path: str) -> str:
    reason = _fork_problem(manager, path) or manager.danger("branch")
    return reason if reason or os.access(path, os.W_OK) else "the file may not be written"


def _plan_for_new_file(plan: Plan, path: str) -> Plan:
    """The plan as it will be for a new file in the same folder."""
    new = os.path.join(os.path.dirname(path), NEW_FILE + os.path.splitext(path)[1])
    argv = [new if word == path else word for word in plan.argv]
    return replace(plan, argv=argv, asks=())
