"""Entries of oh-my-pi in pi's spelling, and back (formats/README.md, "Sessions handed over").

Both functions take and return an entry of version 3 and change none. The calls of tools are spelled by
`calls`. An entry of a type that the other agent does not have becomes a `custom` entry, which is not sent to
the model, and comes back as it was.
"""

from __future__ import annotations

from typing import Any

_TYPES_OF_BOTH = frozenset(
    (
        *("message", "thinking_level_change", "model_change", "compaction", "branch_summary", "custom"),
        *("custom_message", "label"),
    )
)
PI_TYPES = _TYPES_OF_BOTH | {"session_info", "usage", "context_edit", "active_tools_change"}
"""The types of pi's entries."""
OMP_TYPES = _TYPES_OF_BOTH | {
    *("model_usage", "service_tier_change", "title_change", "mode_change", "ttsr_injection"),
    *("session_init", "credential_pin", "reset_boundary"),
}
"""The types of oh-my-pi's entries."""
_HEAD = ("id", "parentId", "timestamp")
_SUMMARIES = ("compaction", "branch_summary")
_DEFAULT = (None, "default")
_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
"""pi's thinking levels."""
_CLEARED = "The conversation before this point was cleared."
"""The summary of a compaction that stands for a reset of oh-my-pi."""
_REDACTED = "[Reasoning redacted]"
"""pi's text of a thought that the provider encrypted."""


def entry_for_pi(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of oh-my-pi, in pi's spelling."""
    kind = entry.get("type")
    if kind == "model_change":
        return _model_for_pi(entry)
    if kind == "model_usage":
        names = {"purpose": "kind"}
        left_out = ("api", "stopReason")
        return {names.get(key, key): value for key, value in entry.items() if key not in left_out} | {
            "type": "usage"
        }
    if kind == "thinking_level_change" and entry.get("thinkingLevel") not in _LEVELS:
        return {**entry, "thinkingLevel": "off"}
    if kind == "reset_boundary":
        cleared = {"summary": _CLEARED, "firstKeptEntryId": entry.get("id"), "tokensBefore": 0}
        return {**entry, "type": "compaction", **cleared}
    if kind in _SUMMARIES:
        return _with_hook(entry, "fromExtension", "fromHook")
    if kind == "message" and isinstance(entry.get("message"), dict):
        return _message_for_pi(entry, entry["message"])
    if kind == "custom" and (restored := _unwrapped(entry, "pi")) is not None:
        return restored
    return entry if kind in PI_TYPES else wrapped(entry, "omp")


def entry_for_omp(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of pi, in oh-my-pi's spelling."""
    kind = entry.get("type")
    if kind == "model_change":
        provider, model = entry.get("provider"), entry.get("modelId")
        rest = {key: value for key, value in entry.items() if key not in ("provider", "modelId")}
        return {**rest, "model": f"{provider}/{model}", "role": "default"}
    if kind == "usage":
        names = {"kind": "purpose"}
        renamed = {names.get(key, key): value for key, value in entry.items()}
        return {**renamed, "type": "model_usage", "api": "unknown", "stopReason": "stop"}
    if kind in _SUMMARIES:
        return _with_hook(entry, "fromHook", "fromExtension")
    if kind == "custom_message" and entry.get("content") is None:
        # oh-my-pi leaves out a message without a content; pi sends it as an empty one.
        return {**entry, "content": []}
    if kind == "message" and isinstance(entry.get("message"), dict):
        return {**entry, "message": _with_blocks(entry["message"], _block_for_omp)}
    if kind == "custom" and (restored := _unwrapped(entry, "omp")) is not None:
        return restored
    return entry if kind in OMP_TYPES else wrapped(entry, "pi")


def _model_for_pi(entry: dict[str, Any]) -> dict[str, Any]:
    """A change of the model. pi knows one model at a time: others become custom entries."""
    model = entry.get("model")
    if not isinstance(model, str):
        return entry
    if entry.get("role") not in _DEFAULT:
        return wrapped(entry, "omp")
    provider, _, name = model.partition("/")
    rest = {key: value for key, value in entry.items() if key not in ("model", "role")}
    return {**rest, "provider": provider, "modelId": name}


def _message_for_pi(entry: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """A message. Those of roles that pi does not send become messages of an extension, which it sends."""
    role = message.get("role")
    if role == "developer":
        return _sent(entry, role, message.get("content"))
    if role == "pythonExecution" and not message.get("excludeFromContext"):
        text = f"Ran Python:\n```python\n{message.get('code')}\n```\n"
        output = message.get("output")
        text += f"Output:\n```\n{output}\n```" if output else "(no output)"
        return _sent(entry, role, text, shown=True)
    if role == "fileMention":
        files = [each for each in message.get("files") or () if isinstance(each, dict)]
        texts = [
            f'<file path="{each.get("path")}">\n' + (f"{inner}\n" if inner else "") + "</file>"
            for each, inner in zip(files, [each.get("content") for each in files], strict=True)
        ]
        images = [each["image"] for each in files if isinstance(each.get("image"), dict)]
        return _sent(entry, role, [{"type": "text", "text": "\n".join(texts)}, *images], shown=True)
    if role == "hookMessage":
        message = {**message, "role": "custom"}
    elif role == "pythonExecution":
        return wrapped({**entry, "type": role}, "omp")
    return {**entry, "message": _with_blocks(message, _block_for_pi)}


def _sent(entry: dict[str, Any], role: Any, content: Any, *, shown: bool = False) -> dict[str, Any]:
    head = {key: entry[key] for key in _HEAD if key in entry}
    fields = {"customType": f"omp.{role}", "content": content, "display": shown}
    return {"type": "custom_message", **head, **fields}


def _block_for_pi(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("type") != "redactedThinking":
        return block
    redacted = {"thinking": _REDACTED, "thinkingSignature": block.get("data"), "redacted": True}
    return {"type": "thinking", **redacted}


def _block_for_omp(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("type") != "thinking" or block.get("redacted") is not True:
        return block
    return {"type": "redactedThinking", "data": block.get("thinkingSignature") or ""}


def _with_blocks(message: dict[str, Any], change: Any) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    blocks = [change(block) if isinstance(block, dict) else block for block in content]
    same = all(one is other for one, other in zip(blocks, content, strict=True))
    return message if same else {**message, "content": blocks}


def _with_hook(entry: dict[str, Any], own: str, other: str) -> dict[str, Any]:
    """A summary, with the field that says that an extension made it, as the other agent calls it."""
    return {other if key == own else key: value for key, value in entry.items()} if own in entry else entry


def wrapped(entry: dict[str, Any], agent: str) -> dict[str, Any]:
    """An entry of a type that the other agent does not have, as a custom entry.

    :param agent: the name of the dialect that has it.
    """
    head = {key: entry[key] for key in _HEAD if key in entry}
    data = {key: value for key, value in entry.items() if key not in ("type", *_HEAD)}
    return {"type": "custom", **head, "customType": f"{agent}.{entry.get('type') or 'entry'}", "data": data}


def _unwrapped(entry: dict[str, Any], agent: str) -> dict[str, Any] | None:
    """The entry of that agent which `wrapped` made a custom entry of; None if it made none."""
    name, data = entry.get("customType"), entry.get("data")
    types = PI_TYPES if agent == "pi" else OMP_TYPES
    if not isinstance(name, str) or not isinstance(data, dict) or not name.startswith(f"{agent}."):
        return None
    kind = name.removeprefix(f"{agent}.")
    if kind not in types or not data.keys().isdisjoint(("type", *_HEAD)):
        return None
    head = {key: entry[key] for key in _HEAD if key in entry}
    return {"type": kind, **head, **data}
