"""One form for a session, made from each reader, so that two readers can be compared.

Ids are replaced by positions: pi, omp and leafmark each make up ids of their own when they write, and pi and
omp new random ones each time they open a session of version 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from app.formats import parse_time

if TYPE_CHECKING:
    from leafmark import SessionManager

    from app.sessions import Context, SessionTree

_REFERENCES = ("parentId", "targetId", "firstKeptEntryId", "fromId")
_MADE_UP = ("id", "timestamp")
_SAYING_NOTHING: dict[str | None, dict[str, Any]] = {
    "label": {"label": ""},
    "model_change": {"role": "default", "resolvedModelIsFallback": False},
    "thinking_level_change": {"configured": None},
}
"""Fields by type of entry, with the value that means the same as leaving them out."""

_NOT_ASKED = ("configuredThinkingLevel", "serviceTier")
_SUMMARIES = ("branchSummary", "compactionSummary")
_MADE = (*_SUMMARIES, "custom", "system")
"""Roles of messages that may be made from an entry; they have its time."""


@dataclass
class View:
    """A session as one reader sees it.

    entries   each as on disk; ids are positions, so that `parentId` 3 is the fourth entry; no id and no time
    leaf      the position of the entry it goes on from; None before the first one
    branch    the positions from a root to the leaf
    labels    label by position
    tree      (position, depth, label) of every node, a parent before its children
    times     the time of every entry as written, by position
    context   messages, thinking level, model or models...; None if the reader makes none
    children  the positions of the children by position; None if the reader gives none
    """

    entries: list[dict[str, Any]]
    leaf: int | None
    branch: list[int]
    labels: dict[int, str]
    name: str | None
    tree: list[tuple[int, int, str | None]]
    times: list[Any] = field(repr=False)
    context: dict[str, Any] | None = None
    children: dict[int, list[int]] | None = None


def differences(one: View, other: View, *leaving_out: str) -> list[str]:
    """Return the differences of two views, a sentence each. `leaving_out` names fields of View to ignore."""
    found = []
    for name in (each.name for each in fields(View)):
        if name in leaving_out:
            continue
        mine, others = getattr(one, name), getattr(other, name)
        if mine == others:
            continue
        if isinstance(mine, list) and isinstance(others, list) and len(mine) == len(others):
            at = next(at for at, pair in enumerate(zip(mine, others, strict=True)) if pair[0] != pair[1])
            found.append(f"{name}[{at}]: {mine[at]!r} and {others[at]!r}")
        elif isinstance(mine, dict) and isinstance(others, dict):
            keys = [key for key in {**mine, **others} if mine.get(key, _NONE) != others.get(key, _NONE)]
            found += [
                f"{name}[{key!r}]: {mine.get(key, _NONE)!r} and {others.get(key, _NONE)!r}" for key in keys
            ]
        else:
            found.append(f"{name}: {mine!r} and {others!r}")
    return found


_NONE = "nothing"


def of_program(state: dict[str, Any]) -> View:
    """Return the view of a real agent (`Session.state`)."""
    entries = state["entries"]
    places = _places([entry.get("id") for entry in entries])
    tree = []
    depths: list[int] = []
    for id, parent, label in state["tree"]:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        tree.append((places[id], depths[-1], label))
    return View(
        entries=[_entry(entry, places) for entry in entries],
        leaf=places.get(state["leaf"]),
        branch=[places[id] for id in state["branch"]],
        labels={places[id]: label for id, label in state["labels"].items() if label is not None},
        name=state["name"] or None,
        tree=tree,
        times=[entry.get("timestamp") for entry in entries],
        context=_context(state["context"], places),
        children={
            places[id]: [places[child] for child in children] for id, children in state["children"].items()
        },
    )


def of_tree(tree: SessionTree) -> View:
    """Return the view of the tree that leafmark's screens draw. It has no context."""
    raw = [tree.read(node) for node in tree.entries]
    places = _places([node.id for node in tree.entries])
    rows = []
    stack = [(node, 0) for node in reversed(tree.roots)]
    while stack:
        node, depth = stack.pop()
        rows.append((node.index, depth, node.label))
        stack += [(child, depth + 1) for child in reversed(node.children)]
    return View(
        entries=[
            _entry({**entry, "parentId": node.parent_id}, places)
            for entry, node in zip(raw, tree.entries, strict=True)
        ],
        leaf=None if tree.leaf is None else tree.leaf.index,
        branch=[node.index for node in tree.active_path()],
        labels={node.index: node.label for node in tree.entries if node.label is not None},
        name=tree.name,
        tree=rows,
        times=[entry.get("timestamp") for entry in raw],
        children={node.index: [child.index for child in node.children] for node in tree.entries},
    )


def of_manager(manager: SessionManager, agent: str = "pi") -> View:
    """Return the view of `app.sessions` of a session that this agent wrote."""
    entries = manager.get_entries()
    places = _places([entry.id for entry in entries])
    rows = []
    stack = [(node, 0) for node in reversed(manager.get_tree())]
    while stack:
        node, depth = stack.pop()
        rows.append((places[node.entry.id], depth, node.label))
        stack += [(child, depth + 1) for child in reversed(node.children)]
    labels = {places[entry.id]: manager.get_label(entry.id) for entry in entries}
    context = manager.build_session_context()
    return View(
        entries=[_entry(entry.raw, places) for entry in entries],
        leaf=None if manager.leaf_id is None else places[manager.leaf_id],
        branch=[places[entry.id] for entry in manager.get_branch()],
        labels={place: label for place, label in labels.items() if label is not None},
        name=manager.session_name,
        tree=rows,
        times=[entry.timestamp for entry in entries],
        context=_context(context_of(context, agent=agent), places),
        children={
            places[entry.id]: [places[child.id] for child in manager.get_children(entry.id)]
            for entry in entries
        },
    )


def _places(ids: list[str | None]) -> dict[str | None, int]:
    return {id: place for place, id in enumerate(ids)}


def _entry(entry: dict[str, Any], places: dict[str | None, int]) -> dict[str, Any]:
    saying_nothing = _SAYING_NOTHING.get(entry.get("type"), {})
    found = {
        key: value
        for key, value in entry.items()
        if key not in _MADE_UP and not (key in saying_nothing and value == saying_nothing[key])
    }
    for key in _REFERENCES:
        if key in found:
            found[key] = _place(found[key], places)
    return found


def context_of(context: Context, *, agent: str = "pi") -> dict[str, Any]:
    """Return the context of `app.sessions` in the agent's terms."""
    found: dict[str, Any] = {"messages": context.messages, "thinkingLevel": context.thinking_level}
    if agent == "pi":
        return {**found, "model": context.model}
    found |= {"models": context.models, "mode": context.mode, "injectedTtsrRules": context.injected_rules}
    return found if context.mode_data is None else {**found, "modeData": context.mode_data}


def _place(id: Any, places: dict[str | None, int]) -> Any:
    """Return the position of an entry; "elsewhere" if it is not, or no longer, in this session."""
    return places.get(id, id if id in (None, "root") else "elsewhere")


def _context(context: dict[str, Any], places: dict[str | None, int]) -> dict[str, Any]:
    messages = []
    for message in context["messages"]:
        if message.get("role") in _SUMMARIES and "fromId" in message:
            message = {**message, "fromId": _place(message["fromId"], places)}
        messages.append(message)
    return {key: value for key, value in context.items() if key not in _NOT_ASKED} | {"messages": messages}


def untimed(view: View) -> View:
    """Return the view without the times that each agent takes from its own clock: those of the entries, and
    of the messages that are made from an entry.
    """
    context = view.context
    if context is not None:
        messages = [
            _untimed(message) if message.get("role") in _MADE else message for message in context["messages"]
        ]
        context = {**context, "messages": messages}
    entries = [
        {**entry, "systemMessage": _untimed(entry["systemMessage"])} if entry.get("systemMessage") else entry
        for entry in view.entries
    ]
    return replace(view, entries=entries, times=[], context=context)


def _untimed(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "timestamp"}


def times_in_context(view: View) -> bool:
    """Whether every summary and every custom message in the context has its entry's time, in milliseconds."""
    assert view.context is not None
    entries = {parse_time(time) for time in view.times}
    return all(
        message["timestamp"] in entries
        for message in view.context["messages"]
        if message.get("role") in (*_SUMMARIES, "custom")
    )
