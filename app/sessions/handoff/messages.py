"""Messages in the spelling of another agent, and what is lost of them. pi and oh-my-pi accept each result and
can send it, also one of a damaged message.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.dialects.omp_entries import PI_TYPES, wrapped
from app.formats.images import BLOB_PREFIX
from app.formats.text import one_line, string_of

if TYPE_CHECKING:
    from app.formats.dialects.base import Dialect, WriteFormat

_AMOUNTS = ("input", "output", "cacheRead", "cacheWrite", "totalTokens")
_COSTS = ("input", "output", "cacheRead", "cacheWrite", "total")
_STOPS = frozenset(("stop", "length", "toolUse", "error", "aborted", "deferred"))
FAILED = frozenset(("error", "aborted"))
"""The reasons to stop of answers that are not sent again."""
_UNKNOWN = {"api": "unknown", "provider": "unknown", "model": "unknown"}
_OTHER_ROLES = frozenset(("bashExecution", "custom", "branchSummary", "compactionSummary", "system"))
_TEXTS = {
    "session_info": {"name": ""},
    "branch_summary": {"summary": "", "fromId": "root"},
    "custom_message": {"customType": "note"},
    "thinking_level_change": {"thinkingLevel": "off"},
}
"""The fields of entries that have to be texts, and what stands for another value."""
_LONGEST_WORD = 40
_SHELL = {"command": "", "output": "", "cancelled": False, "truncated": False}


class Loss(NamedTuple):
    """Parts of a session that are lost, changed or not sent to the model: their kind, why, and how many."""

    kind: str
    reason: str
    number: int


class Losses:
    """Counts parts by kind and reason."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, reason: str, count: int = 1) -> None:
        """Count `count` parts of a kind."""
        if count:
            self._counts[kind, reason] += count

    def found(self) -> list[Loss]:
        """All, in the order in which they were first counted."""
        return [Loss(kind, reason, count) for (kind, reason), count in self._counts.items()]


class MessageSpeller:
    """Spells the entries of one session for another agent.

    :param source: the dialect of the session.
    :param writing: that of the target, whose name is `title`.
    :param losses: counts what is left out, and what will not be sent.
    """

    def __init__(self, source: Dialect, writing: WriteFormat, title: str, losses: Losses) -> None:
        self._source = source
        self._writing = writing
        self._title = title
        self._losses = losses
        self._names: dict[str, str] = {}
        self._open: set[str] = set()
        self._model = _UNKNOWN["model"]

    def entry(self, raw: dict[str, Any], time_ms: int) -> dict[str, Any]:
        """An entry as the target has it.

        :param raw: the entry as the source has it, with all pictures in it.
        :param time_ms: its time.
        """
        entry = self._source.entry_for_pi(raw)
        if entry.get("type") not in PI_TYPES:
            entry = wrapped(entry, self._source.name)
        for name, default in _TEXTS.get(entry["type"], {}).items():
            if not isinstance(entry.get(name), str):
                entry = {**entry, name: default}
        if entry["type"] == "message":
            entry = self._message_entry(entry, time_ms)
        elif entry["type"] == "custom_message":
            content = entry.get("content")
            if content is not None and not isinstance(content, str):
                entry = {**entry, "content": self._shown(content)}
            if self._source.writing is None:
                entry = {"display": True, **entry}
        elif entry["type"] == "compaction":
            entry = self._compaction(entry)
        return self._writing.entry(entry)

    def finish(self) -> None:
        """Count the calls that have no result."""
        self._losses.add("tool calls", f"they have no result, and {self._title} sends none", len(self._open))

    def _compaction(self, entry: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(entry.get("summary"), str):
            self._losses.add("summaries", "the provider encrypted them")
            entry = {**entry, "summary": ""}
        if entry.get("preserveData"):
            self._losses.add("snapshots of compactions", "only the provider that made them reads them")
        if isinstance(entry.get("firstKeptEntryId"), str) and "tokensBefore" in entry:
            return entry
        return {**entry, "firstKeptEntryId": entry.get("firstKeptEntryId") or entry["id"]} | {
            "tokensBefore": entry.get("tokensBefore") or 0
        }

    def _message_entry(self, entry: dict[str, Any], time_ms: int) -> dict[str, Any]:
        message = entry.get("message")
        if not isinstance(message, dict):
            self._losses.add("messages", "they are no messages that an agent reads")
            return wrapped({**entry, "type": "damaged"}, "leafmark")
        role = message.get("role")
        if self._source.writing is None and not isinstance(message.get("timestamp"), int | float):
            message = {**message, "timestamp": time_ms}
        if role == "user":
            content = message.get("content")
            message = message if isinstance(content, str) else {**message, "content": self._shown(content)}
        elif role == "assistant":
            message = self._answer(message)
        elif role == "toolResult":
            message = self._result(message)
        elif role == "bashExecution":
            message = _SHELL | message
        elif role == "system" and not self._writing.keeps_system_messages:
            self._losses.add("system messages", f"{self._title} writes its own")
        elif role not in _OTHER_ROLES:
            self._losses.add("messages", f"{self._title} has no role {_word(role)}")
            return wrapped({**entry, "type": "message"}, self._source.name)
        return {**entry, "message": message}

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        blocks = self._blocks(message.get("content"))
        has_calls = any(block["type"] == "toolCall" for block in blocks)
        stop = message.get("stopReason")
        if stop not in _STOPS:
            stop = "toolUse" if has_calls else "stop"
        if stop in FAILED:
            self._losses.add("failed and aborted answers", f"{self._title} shows them and does not send them")
        provider, own = message.get("provider"), self._source.answers
        # Codex calls the provider "openai" whether it is asked by a subscription or by a key.
        is_own = provider is None or own.get("provider", "").startswith(provider)
        who = _UNKNOWN | {key: value for key, value in message.items() if key in _UNKNOWN and value}
        who |= own if is_own else {}
        # An answer that the agent wrote itself, such as an error, does not change the model.
        who["model"] = self._model = message.get("model") or self._model
        return {
            **message,
            **who,
            "content": blocks,
            "usage": _usage(message.get("usage")),
            "stopReason": stop,
        }

    def _blocks(self, content: Any) -> list[dict[str, Any]]:
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        found = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        by_provider = {
            block.get("tool_use_id") for block in found if string_of(block.get("type")).endswith("_result")
        }
        blocks: list[dict[str, Any]] = []
        for block in found:
            kind = block.get("type")
            if kind == "text":
                blocks.append(block if isinstance(block.get("text"), str) else {**block, "text": ""})
            elif kind == "thinking":
                self._count_thought(block)
                blocks.append(block if isinstance(block.get("thinking"), str) else {**block, "thinking": ""})
            elif kind == "toolCall" and block.get("id") not in by_provider:
                blocks.append(self._call(block))
            else:
                self._losses.add(*_reason(kind, self._title))
        return blocks

    def _count_thought(self, block: dict[str, Any]) -> None:
        if not self._writing.sends_foreign_thoughts:
            self._losses.add("thoughts", f"{self._title} sends them to the model alone that had them")
        elif block.get("thinkingSignature"):
            self._losses.add("signatures of thoughts", "they are sent to the model alone that had them")

    def _call(self, block: dict[str, Any]) -> dict[str, Any]:
        arguments = block.get("arguments")
        if not isinstance(arguments, dict):
            arguments = {} if arguments is None else {"input": arguments}
        name = string_of(block.get("name")) or "tool"
        called, given = self._writing.call(*self._source.call_for_pi(name, arguments))
        call_id = string_of(block.get("id"))
        self._names[call_id] = called
        self._open.add(call_id)
        return {**block, "id": call_id, "name": called, "arguments": given}

    def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        call_id = string_of(message.get("toolCallId"))
        self._open.discard(call_id)
        name = string_of(message.get("toolName")) or "unknown"
        called = self._names.get(call_id) or self._writing.call(*self._source.call_for_pi(name, {}))[0]
        is_error = message.get("isError") is True
        content = self._shown(message.get("content"))
        return {**message, "toolCallId": call_id, "toolName": called, "content": content, "isError": is_error}

    def _shown(self, content: Any) -> list[dict[str, Any]]:
        """The texts and pictures of a content; a text for every other block."""
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        blocks: list[dict[str, Any]] = []
        for block in content if isinstance(content, list) else ():
            kind = block.get("type") if isinstance(block, dict) else None
            if (kind == "text" and isinstance(block.get("text"), str)) or (
                kind == "image" and _has_bytes(block)
            ):
                blocks.append(block)
            else:
                name, reason = _reason(kind, self._title)
                self._losses.add(name, reason)
                blocks.append({"type": "text", "text": f"[{_word(kind)} left out: {reason}]"})
        return blocks


def _has_bytes(block: dict[str, Any]) -> bool:
    data = block.get("data")
    if not isinstance(block.get("mimeType"), str) or not isinstance(data, str):
        return False
    return data != "" and not data.startswith(BLOB_PREFIX)


def _reason(kind: Any, title: str) -> tuple[str, str]:
    """The kind of a block that is left out, and why."""
    if kind == "image":
        return "images", "their bytes are not in the session"
    if kind == "document":
        return "documents", f"{title} has no place for them"
    return f"blocks of type {_word(kind)}", f"{title} has no such block"


def _word(value: Any) -> str:
    """A word of the session in a text; inert and short."""
    return one_line(string_of(value), _LONGEST_WORD) or "(none)"


def _usage(usage: Any) -> dict[str, Any]:
    """The usage of an answer, with all numbers that the agents add up."""
    found = usage if isinstance(usage, dict) else {}
    cost = found.get("cost")
    counts = _numbers(found, _AMOUNTS)
    if "totalTokens" not in found:
        counts["totalTokens"] = sum(counts[name] for name in _AMOUNTS)
    return {**found, **counts, "cost": _numbers(cost if isinstance(cost, dict) else {}, _COSTS)}


def _numbers(values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return values | {
        name: value if isinstance(value := values.get(name), int | float) else 0 for name in names
    }
