"""What the agent would send to the model from a leaf on
(formats/README.md, "Behaviour of SessionManager").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.formats.collector import Resting
from app.formats.context import edited, messages_of
from app.sessions.storage.blobs import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.dialects.base import Dialect
    from app.sessions.manager.entry import Entry

_SPEAKING = frozenset(("message", "custom_message", "branch_summary"))
_BLOB = PREFIX.encode()
DEFAULT_ROLE = "default"


@dataclass(slots=True)
class Context:
    """The context at a leaf.

    :param messages: as dicts, each message as it is on disk; summaries in the agents' own shape.
    :param thinking_level: of the latest change on the path; "off" before any.
    :param model: ``{"provider", "modelId"}`` of the latest change or answer on the path, or None.
    :param models: "provider/model" by role (oh-my-pi).
    :param mode: the latest mode (oh-my-pi); ``mode_data`` goes with it.
    :param injected_rules: names of the rules that were injected, each once, in order of first use (oh-my-pi).
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    thinking_level: str = "off"
    model: dict[str, Any] | None = None
    models: dict[str, str] = field(default_factory=dict)
    mode: str = "none"
    mode_data: Any = None
    injected_rules: list[str] = field(default_factory=list)


def build_context(
    path: Sequence[Entry], dialect: Dialect, restore: Callable[[dict[str, Any]], dict[str, Any]] | None = None
) -> Context:
    """The context of `path`, the entries from a root to a leaf. Reads only the messages that are kept.

    :param restore: puts images back that an agent keeps outside the session.
    """
    context = Context()
    _models(context, path)
    _state(context, path)
    kept, compaction = _kept(path)
    edits = {
        entry.spelt.get("targetId"): entry.spelt.get("replacement")
        for entry in kept
        if entry.type == "context_edit"
    }
    if compaction is not None and edits.get(compaction.id, "") is not None:
        context.messages += dialect.summary(compaction.spelt, compaction.time_ms)
    with Resting():
        for entry in kept:
            messages = _messages(entry, restore)
            context.messages += edited(messages, edits[entry.id]) if entry.id in edits else messages
    return context


def _models(context: Context, path: Sequence[Entry]) -> None:
    """The models in use. From the end, so that no message before the latest answer is read."""
    answered = None
    for entry in reversed(path):
        if entry.type == "message" and answered is None:
            message = entry.spelt.get("message")
            if isinstance(message, dict) and message.get("role") == "assistant":
                answered = {"provider": message.get("provider"), "modelId": message.get("model")}
        elif entry.type == "model_change":
            fields = entry.spelt
            whole = fields.get("model")
            if isinstance(whole, str):
                role = fields.get("role")
                context.models.setdefault(role if isinstance(role, str) and role else DEFAULT_ROLE, whole)
            elif answered is None:
                answered = {"provider": fields.get("provider"), "modelId": fields.get("modelId")}
    # A model that was chosen for the default role outright counts more than the one that answered (omp).
    chosen = context.models.get(DEFAULT_ROLE)
    if chosen is not None:
        provider, _, model = chosen.partition("/")
        context.model = {"provider": provider, "modelId": model}
        return
    context.model = answered
    if answered and isinstance(answered["provider"], str) and isinstance(answered["modelId"], str):
        context.models[DEFAULT_ROLE] = f"{answered['provider']}/{answered['modelId']}"


def _state(context: Context, path: Sequence[Entry]) -> None:
    for entry in path:
        kind = entry.type
        if kind == "thinking_level_change":
            context.thinking_level = entry.spelt.get("thinkingLevel") or "off"
        elif kind == "mode_change":
            context.mode = entry.spelt.get("mode") or "none"
            context.mode_data = entry.spelt.get("data")
        elif kind == "ttsr_injection":
            rules = entry.spelt.get("injectedRules")
            for rule in rules if isinstance(rules, list) else ():
                if isinstance(rule, str) and rule not in context.injected_rules:
                    context.injected_rules.append(rule)


def _kept(path: Sequence[Entry]) -> tuple[Sequence[Entry], Entry | None]:
    """What of the path still counts, and the compaction that stands for the rest."""
    last = {"compaction": -1, "reset_boundary": -1}
    for place, entry in enumerate(path):
        if entry.type in last:
            last[entry.type] = place
    place = last["compaction"]
    if last["reset_boundary"] > place:
        return path[last["reset_boundary"] + 1 :], None
    if place < 0:
        return path, None
    compaction = path[place]
    first = compaction.spelt.get("firstKeptEntryId")
    start = next((at for at in range(place) if path[at].id == first), place)
    before = [entry for entry in path[start:place] if not _is_system(entry)]
    return [*before, *path[place + 1 :]], compaction


def _is_system(entry: Entry) -> bool:
    message = entry.spelt.get("message") if entry.type == "message" else None
    return isinstance(message, dict) and message.get("role") == "system"


def _messages(
    entry: Entry, restore: Callable[[dict[str, Any]], dict[str, Any]] | None
) -> list[dict[str, Any]]:
    if entry.type not in _SPEAKING:
        return []
    fields, stamp = entry.raw, None
    if entry.type != "message":
        fields, stamp = entry.spelt, entry.time_ms
    elif not isinstance(fields.get("message"), dict):
        # As on disk, whatever its keys are called, unless what is there is no message of its own.
        fields = entry.spelt
    if restore is not None and _BLOB in entry.source:
        fields = restore(fields)
    return messages_of(fields, stamp)
