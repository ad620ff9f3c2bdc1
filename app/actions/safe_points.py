"""Places at which a conversation is whole: every tool that was called has answered
(formats/README.md, "Results of writing").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from app.formats.text import one_line
from app.formats.touched import call_blocks
from app.sessions.manager.navigation import target_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.sessions.manager.entry import Entry
    from app.sessions.manager.manager import SessionManager
    from app.sessions.manager.navigation import Target


@dataclass(frozen=True, slots=True)
class SafePoint:
    """A place to go on from instead of one where tools have not answered.

    :param kind: "results" after the last of the answers, "before" after an earlier step of the same turn,
        "prompt" before the turn, with its prompt to be said again.
    :param entry_id: the entry to pick for it.
    """

    kind: Literal["results", "before", "prompt"]
    entry_id: str
    target: Target


def unanswered(path: Sequence[Entry]) -> dict[str, str]:
    """The calls that have no result at the end of `path`: names of tools, inert, by the ids of the calls.

    Those of the last answer are meant. Where the user spoke after it the agent has settled what to do.
    """
    answered: set[str] = set()
    for entry in reversed(path):
        message = _message(entry)
        role = message.get("role")
        if role == "toolResult":
            answered.add(_string(message.get("toolCallId")))
        elif role == "user":
            return {}
        elif role == "assistant":
            return {call: name for call, name in _calls(entry).items() if call not in answered}
    return {}


def safe_points(manager: SessionManager, path: Sequence[Entry]) -> Iterator[SafePoint]:
    """Where to go on instead of the end of `path`, at which tools have not answered; the best first."""
    waiting = unanswered(path)
    below = _answered_below(manager, path[-1], frozenset(waiting)) if path else None
    above = None
    prompt = None
    is_last = False
    for at in range(len(path) - 1, -1, -1):
        role = _message(path[at]).get("role")
        if role == "user":
            prompt = path[at]
            break
        if role == "assistant":
            is_last = True
        elif role == "toolResult" and is_last and above is None:
            # Of the results of one answer only the last can be whole.
            is_last = False
            above = None if unanswered(path[: at + 1]) else path[at]
    if below is not None:
        yield SafePoint("results", below.id, target_of(manager, below.id))
    elif above is not None:
        yield SafePoint("before", above.id, target_of(manager, above.id))
    if prompt is not None:
        yield SafePoint("prompt", prompt.id, target_of(manager, prompt.id))


def _answered_below(manager: SessionManager, start: Entry, waiting: frozenset[str]) -> Entry | None:
    """The entry below `start` that answers the last of the calls `waiting`; that on the active path, else the
    latest in the file.
    """
    active = {entry.index for entry in manager.get_branch()} if manager.leaf_id is not None else set()
    seen: set[int] = set()
    stack = [(start, waiting)]
    while stack:
        entry, left = stack.pop()
        if entry.index in seen:
            continue
        seen.add(entry.index)
        message = _message(entry)
        if message.get("role") == "toolResult":
            left -= {_string(message.get("toolCallId"))}
        if not left:
            return entry
        below = [
            child
            for child in manager.get_children(entry.id)
            if _message(child).get("role") not in ("user", "assistant")
        ]
        below.sort(key=lambda child: (child.index in active, child.index))
        stack += [(child, left) for child in below]
    return None


def _calls(entry: Entry) -> dict[str, str]:
    calls = {}
    for block in call_blocks(entry.spelt):
        calls[_string(block.get("id"))] = one_line(_string(block.get("name"))) or "tool"
    return calls


def _message(entry: Entry) -> dict[str, Any]:
    message = entry.spelt.get("message") if entry.type == "message" else None
    return message if isinstance(message, dict) else {}


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
