"""The content of a message as far as people speak in it: texts, thoughts, and which tools are called.

What a call is given is skipped and not built: it may be a whole file (PERFORMANCE 2.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from app.formats.decode import BadLine, decode
from app.formats.skim import ABSENT, REFUSALS, clean

if TYPE_CHECKING:
    from collections.abc import Callable

    from msgspec import Raw

_SILENT = ("image", "redactedThinking", "fallback", "anthropicServerTool")


class Text(Struct, gc=False, tag_field="type", tag="text"):
    """What is said."""

    text: str = ""


class Thought(Struct, gc=False, tag_field="type", tag="thinking"):
    """What is thought."""

    thinking: str = ""


class Call(Struct, gc=False, tag_field="type", tag="toolCall"):
    """A tool that is called."""

    name: str = ""


class SnakeCall(Struct, gc=False, tag_field="type", tag="tool_call"):
    """The same as nickcecere/agent spells it."""

    name: str = ""


class Image(Struct, gc=False, tag_field="type", tag="image"):
    """A picture; nothing of it is read."""


class Redacted(Struct, gc=False, tag_field="type", tag="redactedThinking"):
    """What was thought, and nobody can read."""


class ServerTool(Struct, gc=False, tag_field="type", tag="anthropicServerTool"):
    """A tool that the provider ran."""


class Other(Struct, gc=False, tag_field="type", tag="fallback"):
    """Any other block."""


Spoken = str | list[Text | Thought | Call | SnakeCall | Image | Redacted | ServerTool | Other] | None
"""The content of a message. A decoder that is given this type refuses what only `read_spoken` understands."""

_decode: Callable[[Raw], Spoken] = msgspec.json.Decoder(Spoken).decode


def read_spoken(content: Raw) -> Spoken:
    """What `content` holds; None where it is null, absent or of another type.

    Blocks that are no objects are left out, fields of a wrong type are empty.
    """
    if content is ABSENT:
        return None
    try:
        return _decode(content)
    except REFUSALS:
        pass
    try:
        value = decode(b'{"content":' + bytes(content) + b"}")["content"]
    except BadLine:
        return None
    if isinstance(value, str):
        return clean(value)
    if not isinstance(value, list):
        return None
    return [_block(block) for block in value if isinstance(block, dict)]


def texts_of(content: Spoken) -> list[str]:
    """The texts of `content`; thoughts are left out."""
    if type(content) is str:
        return [content]
    return [block.text for block in content if type(block) is Text] if content else []


def lines_of(content: Spoken) -> str:
    """The texts of `content` below each other, without those that are empty."""
    if type(content) is str:
        return content
    return "\n".join(filter(None, texts_of(content)))


def holds_image(content: Raw) -> bool:
    """Whether one of the blocks is a picture."""
    found = read_spoken(content)
    return type(found) is list and any(type(block) is Image for block in found)


def _block(block: dict[str, Any]) -> Text | Thought | Call | Image | Other:
    kind = block.get("type")
    if kind == "text":
        return Text(_string(block.get("text")))
    if kind == "thinking":
        return Thought(_string(block.get("thinking")))
    if kind in ("toolCall", "tool_call"):
        return Call(_string(block.get("name")))
    if kind == "image":
        return Image()
    return Other()


def _string(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""
