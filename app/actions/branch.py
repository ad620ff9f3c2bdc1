"""Branches and forks of a session (formats/README.md, "Forks of the agents", "Results of writing")."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.actions.session_edits import (
    ROOT,
    open_session,
    require_entry,
    resolve_entry,
    resolve_folder,
    unchanged,
)
from app.formats.dialects.copies import HANDED_OVER
from app.formats.entry_types import SILENT
from app.formats.text import one_line, string_of
from app.formats.tool_calls import call_blocks
from app.sessions.errors import ReadOnly, UnansweredCalls, UnknownEntry
from app.sessions.manager.change import Change
from app.sessions.manager.entry_store import Entry
from app.sessions.manager.navigation import Target, target_of
from app.sessions.manager.session_manager import SessionManager
from app.sessions.summaries.leaf_trail import MOVED_LEAF
from app.stores import agent_named
from app.stores.base import Store

MARK = MOVED_LEAF
"""The `customType` of the entry that is appended to move the leaf."""

_SAFE_POINT_NAMES = {
    "results": "the last tool result",
    "before": "the step before",
    "prompt": "the prompt, to send it again",
}
"""Kind of a `SafePoint` -> its description."""

_BOOKKEEPING = frozenset(("label", "session_info", "title_change"))


def branch(
    path: str,
    entry: str,
    env: Mapping[str, str],
    summary: str = "",
    store: Store | None = None,
    *,
    keep: bool = False,
) -> Change:
    """Move the leaf of the session at `path` to the `destination` of an entry. The file gets a new time, so
    the session is the latest.

    :param entry: an id, the beginning of one, or "root" for the place before all entries.
    :param summary: of the abandoned branch; the model gets it.
    :param store: where the session was found; None for the one that `env` leads to.
    :param keep: put the leaf on the entry itself, whatever it is.
    :return: the change: `before` and `after` are leaves, `target_id` is the new leaf and `prompt` the text of
        the selected prompt. Nothing is written if the agent would continue from there already.
    :raises UnansweredCalls: nothing was written; the reason names the entries that are accepted.
    :raises SessionError: nothing was written; the class says why.
    """
    manager = open_session(path, "branch", env, store)
    target = Target(None) if entry == ROOT else destination(manager, resolve_entry(manager, entry), keep=keep)
    if not summary.strip():
        return with_prompt(set_leaf(manager, target.leaf_id), target)
    manager.branch_with_summary(target.leaf_id, summary)
    assert manager.last_change is not None
    return with_prompt(manager.last_change, target)


def branch_to_file(
    path: str, entry: str, env: Mapping[str, str], store: Store | None = None, *, keep: bool = False
) -> Change:
    """Make a new session file of the path to the `destination` of an entry.

    :param entry: an id, or the beginning of one.
    :param store: where the session was found; None for the one that `env` leads to.
    :param keep: the path ends with the entry itself, whatever it is.
    :return: the change; `after` is the new file's path.
    :raises UnansweredCalls: there is no new file; the reason names the entries that are accepted.
    :raises SessionError: there is no new file; the class says why.
    """
    manager = open_session(path, "branch", env, store)
    target = destination(manager, resolve_entry(manager, entry), keep=keep, is_new=True)
    return with_prompt(fork_at(manager, target), target)


def destination(manager: SessionManager, entry_id: str, *, keep: bool, is_new: bool = False) -> Target:
    """The entry that the agent continues from when a user names an entry.

    A prompt leads to its parent: after the prompt, the model would get two messages of the user in a row.
    The answer to a question leads to the question (`target_at`). Every other entry leads to itself.

    :param keep: every entry leads to itself.
    :param is_new: the target is for a new session file. Otherwise the present leaf is always accepted.
    :raises UnansweredCalls: tool calls have no result there; the reason names the entries that are accepted.
    """
    if keep:
        return Target(entry_id)
    target = target_at(manager, entry_id, past_leaf=True)
    if target.text is not None or (leaf_is_at(manager, target.leaf_id) and not is_new):
        return target
    path = manager.get_branch(target.leaf_id)
    waiting = waiting_calls(manager, path)
    if waiting:
        tools = ", ".join(list(dict.fromkeys(waiting.values()))[:3])
        safe = " or ".join(
            f"{point.entry_id} ({_SAFE_POINT_NAMES[point.kind]})" for point in safe_points(manager, path)
        )
        raise UnansweredCalls(
            manager.session_file or "",
            0,
            f"tool calls ({tools}) have no result at {entry_id}, and providers refuse such a conversation; "
            + (f"use {safe}" if safe else "no other entry of this turn will do"),
        )
    return target


def fork_at(
    manager: SessionManager, target: Target, target_cwd: str | None = None, store: Store | None = None
) -> Change:
    """Make a new session file of the path to `target`; see `SessionManager.cut` for the other parameters.

    If the target is before all entries, the new session has only the name.
    """
    if target.leaf_id is None:
        return manager.blank(target_cwd, store)
    return manager.cut(target.leaf_id, target_cwd, store)


def with_prompt(change: Change, target: Target) -> Change:
    """`change` with the text of the prompt that `target` is the parent of, and a note about its images."""
    notes = [change.note] if change.note else []
    if target.images:
        images = "an image" if len(target.images) == 1 else f"{len(target.images)} images"
        notes.append(f"the prompt has {images}, to be attached again")
    return replace(change, prompt=target.text, note="; ".join(notes))


def set_leaf(manager: SessionManager, target: str | None) -> Change:
    """Make the agent continue from the entry `target`, or from before all entries; see `branch`."""
    if leaf_is_at(manager, target):
        return unchanged(manager, "leaf", manager.leaf_id, target)
    manager.move_leaf(target, MARK, {"from": manager.leaf_id})
    assert manager.last_change is not None
    return manager.last_change


def leaf_is_at(manager: SessionManager, target: str | None) -> bool:
    """Whether the agent would continue from `target` already: between it and the leaf there are only marks,
    labels and names, which the model does not get.
    """
    for entry in reversed(manager.get_branch()):
        if entry.id == target:
            return True
        if not _is_bookkeeping(entry):
            return False
    return target is None


def _is_bookkeeping(entry: Entry) -> bool:
    is_own = entry.type == "custom" and entry.raw.get("customType") in (MARK, HANDED_OVER)
    return is_own or entry.type in _BOOKKEEPING


def fork(
    path: str,
    env: Mapping[str, str],
    *,
    entry: str | None = None,
    to: str | None = None,
    last: int | None = None,
    store: Store | None = None,
    exact: bool = False,
    keep: bool = False,
) -> Change:
    """Make a new session from the one at `path`, which is not changed.

    The new session has the path to an entry, the labels on it and the name. A fork of nickcecere/agent has
    the last messages instead. oh-my-pi's folder of artifacts is copied, as its own `/fork` does, because the
    entries refer to its files.

    :param entry: an id or the beginning of one; None for the leaf. A prompt leads to its parent, see
        `destination`.
    :param to: the working folder of the new session, which is stored where the agent looks for the sessions
        of that folder. None: the folder of the old session, and the new file is beside the old one.
    :param last: the number of messages in a fork of nickcecere/agent; None for 20.
    :param store: where the session was found; None for the one that `env` leads to.
    :param exact: `entry` is a whole id, of an entry that was shown and may not exist any more.
    :param keep: the path ends with the entry itself, whatever it is.
    :return: the change; `after` is the new file's path.
    :raises NotAFolder: there is no folder `to`.
    :raises UnansweredCalls: tool calls have no result at `entry`; the reason names the entries that are
        accepted.
    :raises SessionError: there is no new file; the class says why.
    """
    folder = None if to is None else resolve_folder(to, path)
    manager = open_session(path, "fork", env, store)
    cwd = manager.cwd if folder is None else folder
    if not manager.forks_last:
        if last is not None:
            raise ReadOnly(path, 0, "only sessions of nickcecere/agent are forked by their last messages")
        if entry is not None:
            entry_id = require_entry(manager, entry) if exact else resolve_entry(manager, entry)
            target = destination(manager, entry_id, keep=keep, is_new=True)
            return with_prompt(fork_at(manager, target, cwd, store), target)
        leaf_id = manager.leaf_id
        if leaf_id is not None and all(step.type in SILENT for step in manager.get_branch(leaf_id)):
            raise UnknownEntry(path, 0, "there is nothing to fork: the leaf is before all that was said")
        return manager.cut(leaf_id, cwd, store)
    if entry is not None:
        raise ReadOnly(path, 0, "sessions of this agent are forked by their last messages, not at an entry")
    agents = () if store is None else store.agents
    beside = os.path.dirname(manager.session_file or path)
    forked = SessionManager.fork_from(path, cwd, beside, last=last, env=env, agents=agents)
    assert forked.last_change is not None
    return forked.last_change


@dataclass(frozen=True, slots=True)
class SafePoint:
    """An entry to continue from instead of one with tool calls that have no result.

    :param kind: "results": the last of the missing results; "before": an earlier step of the same turn;
        "prompt": the prompt of the turn, to be sent again.
    :param entry_id: the entry to pick for it.
    """

    kind: Literal["results", "before", "prompt"]
    entry_id: str


def unanswered(path: Sequence[Entry]) -> dict[str, str]:
    """The tool calls without a result at the end of `path`: the inert names of the tools by the ids of the
    calls.

    Only the calls of the last answer count. If the user wrote after it, the agent has handled them.
    """
    answered: set[str] = set()
    for entry in reversed(path):
        message = _message(entry)
        role = message.get("role")
        if role == "toolResult":
            answered.add(string_of(message.get("toolCallId")))
        elif role == "user":
            return {}
        elif role == "assistant":
            return {call: name for call, name in _calls(entry).items() if call not in answered}
    return {}


def waiting_calls(manager: SessionManager, path: Sequence[Entry]) -> dict[str, str]:
    """The `unanswered` calls at the end of a path, without questions to the user: the agent asks again."""
    questions = agent_named(manager.agent).question_tools
    return {call: name for call, name in unanswered(path).items() if name not in questions}


def target_at(manager: SessionManager, entry_id: str, *, past_leaf: bool = False) -> Target:
    """The new leaf if a user picks an entry: the question if the entry is the answer to one, else that of
    `target_of`, which has the parameters and errors.
    """
    question = _question_of(manager, entry_id)
    return target_of(manager, entry_id, past_leaf=past_leaf) if question is None else Target(question)


def _question_of(manager: SessionManager, entry_id: str) -> str | None:
    """The entry before the answer to a question, if an entry is such an answer and not the leaf: continuing
    from it asks the question again, as in oh-my-pi (formats/README.md, "Safe places to branch").
    """
    entry = manager.get_entry(entry_id)
    message = _message(entry) if entry is not None and entry_id != manager.leaf_id else {}
    tools = agent_named(manager.agent).question_tools
    if entry is None or message.get("role") != "toolResult" or message.get("toolName") not in tools:
        return None
    parent = entry.parent_id
    return parent if parent is not None and manager.get_entry(parent) is not None else None


def safe_points(manager: SessionManager, path: Sequence[Entry]) -> Iterator[SafePoint]:
    """Entries to continue from instead of the end of `path`, which has unanswered calls; the best first."""
    waiting = unanswered(path)
    below = _answered_below(manager, path[-1], frozenset(waiting)) if path else None
    above = None
    prompt = None
    is_last = False
    for index in range(len(path) - 1, -1, -1):
        role = _message(path[index]).get("role")
        if role == "user":
            prompt = path[index]
            break
        if role == "assistant":
            is_last = True
        elif role == "toolResult" and is_last and above is None:
            # Only the last result of one answer can complete it.
            is_last = False
            above = None if unanswered(path[: index + 1]) else path[index]
    if below is not None:
        yield SafePoint("results", below.id)
    elif above is not None:
        yield SafePoint("before", above.id)
    if prompt is not None:
        yield SafePoint("prompt", prompt.id)


def _answered_below(manager: SessionManager, start: Entry, waiting: frozenset[str]) -> Entry | None:
    """The entry below `start` with the last result of the calls `waiting`. An entry on the active path comes
    first, then the latest in the file.
    """
    active = {entry.index for entry in manager.get_branch()} if manager.leaf_id is not None else set()
    visited: set[int] = set()
    stack = [(start, waiting)]
    while stack:
        entry, calls = stack.pop()
        if entry.index in visited:
            continue
        visited.add(entry.index)
        message = _message(entry)
        if message.get("role") == "toolResult":
            calls -= {string_of(message.get("toolCallId"))}
        if not calls:
            return entry
        below = [
            child
            for child in manager.get_children(entry.id)
            if _message(child).get("role") not in ("user", "assistant")
        ]
        below.sort(key=lambda child: (child.index in active, child.index))
        stack += [(child, calls) for child in below]
    return None


def _calls(entry: Entry) -> dict[str, str]:
    calls = {}
    for block in call_blocks(entry.normalized):
        calls[string_of(block.get("id"))] = one_line(string_of(block.get("name"))) or "tool"
    return calls


def _message(entry: Entry) -> dict[str, Any]:
    message = entry.normalized.get("message") if entry.type == "message" else None
    return message if isinstance(message, dict) else {}
