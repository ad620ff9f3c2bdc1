"""What is looked for in one entry of a tree: its text, its role, the tools that it calls or answers for.

A result has what the call that it answers was given: its row shows that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from app.formats.content import TOOL_CALLS
from app.formats.everything import arguments_of, parts
from app.formats.kinds import CALL
from app.formats.skim import REFUSALS

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL_ROLE = "toolResult"


class Call(Struct, gc=False):
    """A call of a tool: its id, and its name and arguments as text."""

    id: str
    text: str


class Sought(Struct, gc=False):
    """What one entry says.

    texts    its texts, not folded
    calls    the calls in it; their texts are not in `texts`
    answers  the id of the call that it is the result of
    """

    texts: list[str]
    calls: list[Call] = []
    answers: str | None = None


class _Block(Struct, gc=False):
    type: str | None = None
    text: str = ""
    thinking: str = ""
    name: str = ""
    id: str | None = None
    arguments: Raw = Raw(b"")


class _Message(Struct, gc=False, rename="camel"):
    role: str
    content: str | list[_Block]
    tool_name: str = ""
    tool_call_id: str | None = None
    error_message: str | None = None


class _Line(Struct, gc=False):
    type: str
    message: _Message


_decode: Callable[[bytes], _Line] = msgspec.json.Decoder(_Line).decode
_value: Callable[[Raw], Any] = msgspec.json.Decoder().decode
_PLAIN = frozenset(("user", "assistant", TOOL_ROLE))


def sought_quickly(line: bytes) -> Sought | None:
    """The same as `sought` of most messages, in a third of the time; None of whatever is not as pi and its
    relatives write it.
    """
    try:
        found = _decode(line)
        message = found.message
        if found.type != "message" or message.role not in _PLAIN:
            return None
        content = message.content
        texts: list[str] = []
        calls: list[Call] = []
        if isinstance(content, str):
            texts.append(content)
        else:
            for block in content:
                if block.text:
                    texts.append(block.text)
                elif block.thinking:
                    texts.append(block.thinking)
                elif block.type in TOOL_CALLS:
                    words = [block.name]
                    if block.arguments:
                        words += arguments_of(_value(block.arguments))
                    calls.append(Call(block.id or "", "\n".join(words)))
    except REFUSALS:
        return None
    if message.error_message:
        texts.append(message.error_message)
    if message.tool_name:
        texts.append(message.tool_name)
    return Sought(texts, calls, message.tool_call_id)


def sought(entry: dict[str, Any]) -> Sought:
    """What is looked for in an entry that is a dict, as version 3 of pi spells it. Never raises."""
    message = entry.get("message")
    texts = [text for kind, text, _ in parts(entry) if kind != CALL]
    answers = None
    calls: list[Call] = []
    if entry.get("type") == "message" and isinstance(message, dict):
        answers = message.get("toolCallId")
        name = message.get("toolName")
        if isinstance(name, str) and message.get("role") != TOOL_ROLE:
            texts.append(name)
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") in TOOL_CALLS:
                words = [block.get("name"), *arguments_of(block.get("arguments"))]
                text = "\n".join(word for word in words if isinstance(word, str))
                calls.append(Call(str(block.get("id")), text))
    return Sought(texts, calls, answers if isinstance(answers, str) else None)
