"""The content of a message as far as people speak in it: texts, thoughts, and which tools are called.

What a call is given is skipped and not built: it may be a whole file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from app.formats.content import string_of
from app.formats.decode import BadLine, decode
from app.formats.skim import ABSENT, REFUSALS, clean, raw_json

if TYPE_CHECKING:
    from collections.abc import Callable

_EMPTY = Raw(b'""')


class Text(Struct, gc=False, tag_field="type", tag="text"):
    """What is said, as JSON not yet read: most texts are never needed one by one (`formats.folded`)."""

    text: Raw = _EMPTY


class Thought(Struct, gc=False, tag_field="type", tag="thinking"):
    """What is thought, as in a `Text`."""

    thinking: Raw = _EMPTY


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


def read_spoken(content: Raw, wrong: list[str] | None = None) -> Spoken:
    """What `content` holds; None where it is null, absent or of another type.

    Blocks that are no objects are left out, fields of a wrong type are empty.

    :param wrong: gets "content" where any of this happens, but for null.
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
    is_list = isinstance(value, list)
    if wrong is not None and value is not None and not (is_list and all(map(_is_valid, value))):
        wrong.append("content")
    return [_block(block) for block in value if isinstance(block, dict)] if is_list else None


def texts_of(content: Spoken) -> list[str]:
    """The texts of `content`; thoughts are left out."""
    if type(content) is str:
        return [content]
    return [string_of(block.text) for block in content if type(block) is Text] if content else []


def lines_of(content: Spoken) -> Raw | None:
    """The texts of `content` below each other as one JSON string; None where there is none."""
    if type(content) is not list:
        return raw_json(content) if content else None
    return _below_each_other([block.text for block in content if type(block) is Text])


def thoughts_of(content: Spoken) -> Raw | None:
    """The thoughts, likewise."""
    if type(content) is not list:
        return None
    return _below_each_other([block.thinking for block in content if type(block) is Thought])


def _below_each_other(strings: list[Raw]) -> Raw | None:
    """Those that are not empty."""
    if len(strings) < 2:
        return strings[0] if strings else None
    return raw_json("\n".join(filter(None, map(string_of, strings))))


def holds_image(content: Raw) -> bool:
    """Whether one of the blocks is a picture."""
    found = read_spoken(content)
    return type(found) is list and any(type(block) is Image for block in found)


def _block(block: dict[str, Any]) -> Text | Thought | Call | Image | Other:
    kind = block.get("type")
    if kind == "text":
        return Text(raw_json(block.get("text")))
    if kind == "thinking":
        return Thought(raw_json(block.get("thinking")))
    if kind in ("toolCall", "tool_call"):
        return Call(_string(block.get("name")))
    if kind == "image":
        return Image()
    return Other()


_TEXT_FIELDS = {"text": "text", "thinking": "thinking", "toolCall": "name", "tool_call": "name"}
"""The field with the text of a block, by the block's type."""


def _is_valid(block: Any) -> bool:
    """Whether `block` is an object with a type, and with a text where a block of that type has one."""
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return False
    field = _TEXT_FIELDS.get(block["type"])
    return field is None or isinstance(block.get(field, ""), str)


def _string(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""
