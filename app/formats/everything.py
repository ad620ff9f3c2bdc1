"""All that a person might look for in one entry, and who says it (issue 4, `in:tools` and `in:all`).

What is left out is what nobody reads: ids, times, signatures, words for types, and base64.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.content import TOOL_CALLS
from app.formats.kinds import ASSISTANT, CALL, CUSTOM, OTHER, RESULT, SHELL, SUMMARY, THINKING, USER
from app.formats.skim import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = {"bashExecution": "command", "pythonExecution": "code"}
"""The roles of what the user ran himself, and the fields that say what."""
SUMMED = frozenset(("branchSummary", "compactionSummary"))
"""The roles of messages that are summaries."""
EXTENSIONS = frozenset(("custom", "hookMessage"))
"""The roles of messages that extensions put into the conversation."""

# What an agent itself writes under these names is not for people; what tools and extensions keep under their
# own "data", "details" and "arguments" is taken whole.
_UNSAID = frozenset(
    (
        *("id", "parentId", "targetId", "fromId", "firstKeptEntryId", "forkEntryId", "leafId"),
        *("toolCallId", "responseId", "itemId", "seq", "kind", "type", "role", "api", "stopReason"),
        *("timestamp", "thinkingSignature", "textSignature", "thoughtSignature", "signature"),
    )
)
_CODED = frozenset(("image", "redactedThinking"))
"""Types of blocks whose `data` is base64."""
_BASE64 = re.compile(r"(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{512,}={0,2}")


class Said(NamedTuple):
    """One piece: its kind (`formats.kinds`), its text, and for calls and results the name of the tool."""

    kind: int
    text: str
    tool: str = ""


def everything(entry: dict[str, Any]) -> list[Said]:
    """The pieces of an entry as `read_entry` gives it: one for each kind and tool, never an empty one.

    A call is the tool's name with the names and values of its arguments, a result its texts and the texts of
    its details. Nothing is cut; lone surrogates are replaced and NUL characters left out, as in the text that
    `sessions.summarise` finds, whose pieces are those of kinds 1 to 5 here. Never raises.
    """
    found = _Found()
    message = entry.get("message")
    kind = _string(entry.get("type"))
    told: tuple[str, ...] = ()
    if kind == "message" and isinstance(message, dict):
        _message(found, message)
        told = ("message",)
    elif kind in ("compaction", "branch_summary"):
        told = found.field(SUMMARY, entry, "summary")
    elif kind == "branch":
        told = found.field(SUMMARY, entry, "branchSummary")
    elif kind == "custom_message":
        found.content(CUSTOM, entry.get("content"))
        told = ("content",)
    found.rest(OTHER, entry, told)
    return found.pieces()


def _message(found: _Found, message: dict[str, Any]) -> None:
    role = _string(message.get("role"))
    told: tuple[str, ...] = ("content",)
    tool = ""
    if role == "user":
        kind = USER
    elif role == "assistant":
        kind = ASSISTANT
    elif role == "toolResult":
        kind = RESULT
        told = ("content", "details", "toolName")
        tool = clean(_string(message.get("toolName")))
    elif role in SHELLS:
        kind = SHELL
        told += found.field(SHELL, message, SHELLS[role]) + found.field(SHELL, message, "output")
    elif role in SUMMED:
        kind = OTHER
        told += found.field(SUMMARY, message, "summary")
    elif role in EXTENSIONS:
        kind = CUSTOM
    else:
        kind = OTHER
    found.content(kind, message.get("content"), tool)
    if role == "toolResult":
        found.strings(RESULT, message.get("details"), tool)
    found.rest(OTHER, message, told)


class _Found:
    """Gathers texts by kind and tool, in the order in which they are written."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, str], list[str]] = {}

    def pieces(self) -> list[Said]:
        found = []
        for (kind, tool), texts in self._texts.items():
            text = "\n".join(texts).replace("\0", "")
            if text:
                found.append(Said(kind, text, tool))
        return found

    def add(self, kind: int, text: str, tool: str = "") -> None:
        if text:
            self._texts.setdefault((kind, tool), []).append(clean(text))

    def field(self, kind: int, value: dict[str, Any], key: str) -> tuple[str, ...]:
        """Add the text of a field; its name in a tuple, which is empty where it is no text."""
        text = value.get(key)
        if not isinstance(text, str):
            return ()
        self.add(kind, text)
        return (key,)

    def content(self, kind: int, content: Any, tool: str = "") -> None:
        """Add the content of a message: a text, or blocks."""
        if isinstance(content, str):
            self.add(kind, content, tool)
        elif isinstance(content, list):
            for block in content:
                self._block(kind, block, tool)
        else:
            self.strings(OTHER, content)

    def _block(self, kind: int, block: Any, tool: str) -> None:
        if not isinstance(block, dict):
            self.strings(OTHER, block)
            return
        type_ = _string(block.get("type"))
        if type_ == "text" and isinstance(block.get("text"), str):
            self.add(kind, block["text"], tool)
            self.rest(OTHER, block, ("text",))
        elif type_ == "thinking" and isinstance(block.get("thinking"), str):
            self.add(THINKING if kind == ASSISTANT else OTHER, block["thinking"])
            self.rest(OTHER, block, ("thinking",))
        elif type_ in TOOL_CALLS:
            name = clean(_string(block.get("name")))
            self.add(CALL, name, name)
            for text in _words(block.get("arguments")):
                self.add(CALL, text, name)
            self.rest(OTHER, block, ("name", "arguments"))
        elif type_ in _CODED:
            self.rest(OTHER, block, ("data",))
        else:
            self.rest(OTHER, block)

    def strings(self, kind: int, value: Any, tool: str = "") -> None:
        """Add every text in `value`, but no names of fields."""
        for text in _scalars(value):
            if isinstance(text, str) and not _is_coded(text):
                self.add(kind, text, tool)

    def rest(self, kind: int, value: dict[str, Any], told: tuple[str, ...] = ()) -> None:
        """Add the texts of the fields that are for people and not `told` yet."""
        for key, field in value.items():
            if key not in _UNSAID and key not in told:
                self.strings(kind, field)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _scalars(value: Any, *, keys: bool = False) -> Iterator[Any]:
    """What is in `value` that holds nothing else, in its order, with or without the names of fields.

    Without recursion: `decode` allows more levels than Python.
    """
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, dict):
            for key, field in reversed(value.items()):
                waiting.append(field)
                if keys:
                    waiting.append(key)
        else:
            yield value


def _words(arguments: Any) -> Iterator[str]:
    """The names and values of the arguments of a call; numbers as JSON has them."""
    for value in _scalars(arguments, keys=True):
        if isinstance(value, str):
            if not _is_coded(value):
                yield value
        elif value is not None:
            yield json.dumps(value)


def _is_coded(text: str) -> bool:
    return len(text) > 512 and _BASE64.fullmatch(text) is not None
