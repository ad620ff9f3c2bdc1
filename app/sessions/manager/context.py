"""Build the context that the agent itself builds at a leaf (formats/README.md, "Context")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.formats.context import context_edits, edited
from app.sessions.sent_entries import MESSAGE_TYPES, sent_entries
from app.sessions.storage.blobs import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.dialects.base import Dialect
    from app.sessions.manager.entry_store import Entry

    Restore = Callable[[dict[str, Any]], dict[str, Any]]
    """Puts images back into an entry, for agents that keep them outside of the session."""

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


def build_context(path: Sequence[Entry], dialect: Dialect, restore: Restore | None) -> Context:
    """Return the context of `path`, the entries from a root to a leaf.

    Only the messages that the context keeps are decoded.
    """
    context = Context()
    _set_models(context, path)
    _set_state(context, path)
    kept, compaction = _kept_entries(path, dialect)
    edits = context_edits(entry.normalized for entry in kept if entry.type == "context_edit")
    summary: list[dict[str, Any]] = []
    if compaction is not None and edits.get(compaction.id, "") is not None:
        summary = kept_messages(compaction, dialect)
    if compaction is None or compaction.normalized.get("keepsBefore") is not True:
        context.messages += summary
        summary = []
    for entry in kept:
        if summary and compaction is not None and entry.index > compaction.index:
            context.messages += summary
            summary = []
        messages = _messages(entry, dialect, restore)
        context.messages += edited(messages, edits[entry.id]) if entry.id in edits else messages
    context.messages = dialect.prune(context.messages + summary)
    return context


def kept_messages(compaction: Entry, dialect: Dialect) -> list[dict[str, Any]]:
    """The messages that replace all before a compaction: the summary, and those that its line keeps."""
    history = dialect.history(compaction.source) if compaction.source else None
    if history is None:
        return dialect.summary(compaction.normalized, compaction.time_ms)
    return [{**message, "timestamp": compaction.time_ms} for message in history]


def _set_models(context: Context, path: Sequence[Entry]) -> None:
    """Set the models in use. From the end, so that no message before the latest answer is decoded."""
    answered = None
    for entry in reversed(path):
        if entry.type == "message" and answered is None:
            message = entry.normalized.get("message")
            if isinstance(message, dict) and message.get("role") == "assistant":
                answered = {"provider": message.get("provider"), "modelId": message.get("model")}
        elif entry.type == "model_change":
            fields = entry.normalized
            full_name = fields.get("model")
            if isinstance(full_name, str):
                role = fields.get("role")
                key = role if isinstance(role, str) and role else DEFAULT_ROLE
                context.models.setdefault(key, full_name)
            elif answered is None:
                answered = {"provider": fields.get("provider"), "modelId": fields.get("modelId")}
    # A model that was chosen for the default role takes precedence over the one that answered (oh-my-pi).
    chosen = context.models.get(DEFAULT_ROLE)
    if chosen is not None:
        provider, _, model = chosen.partition("/")
        context.model = {"provider": provider, "modelId": model}
        return
    context.model = answered
    if answered and isinstance(answered["provider"], str) and isinstance(answered["modelId"], str):
        context.models[DEFAULT_ROLE] = f"{answered['provider']}/{answered['modelId']}"


def _set_state(context: Context, path: Sequence[Entry]) -> None:
    """Set the thinking level, the mode and the injected rules."""
    for entry in path:
        kind = entry.type
        if kind == "thinking_level_change":
            context.thinking_level = entry.normalized.get("thinkingLevel") or "off"
        elif kind == "mode_change":
            context.mode = entry.normalized.get("mode") or "none"
            context.mode_data = entry.normalized.get("data")
        elif kind == "ttsr_injection":
            rules = entry.normalized.get("injectedRules")
            for rule in rules if isinstance(rules, list) else ():
                if isinstance(rule, str) and rule not in context.injected_rules:
                    context.injected_rules.append(rule)


def _kept_entries(path: Sequence[Entry], dialect: Dialect) -> tuple[Sequence[Entry], Entry | None]:
    """Return the entries of the path that the context keeps, and the compaction that replaces the others."""
    kept = sent_entries(path, dialect, lambda entry: entry.normalized, _is_system)
    return kept.entries, kept.compaction


def _is_system(entry: Entry) -> bool:
    message = entry.normalized.get("message") if entry.type == "message" else None
    return isinstance(message, dict) and message.get("role") == "system"


def _messages(entry: Entry, dialect: Dialect, restore: Restore | None) -> list[dict[str, Any]]:
    if entry.type not in MESSAGE_TYPES:
        return []
    fields, time_ms = entry.raw, None
    if entry.type != "message":
        fields, time_ms = entry.normalized, entry.time_ms
    elif fields.get("type") != "message" or not isinstance(fields.get("message"), dict):
        # A message that is an object in a line of pi's shape is used unchanged; any other is normalized.
        fields = entry.normalized
    if restore is not None and _BLOB in entry.source:
        fields = restore(fields)
    return dialect.messages(fields, time_ms)
