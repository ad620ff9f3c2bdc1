"""The content of a message: a string, a list of blocks, or nothing (formats/README.md, "Messages").

`read_content` gives each block with its arguments. `read_typed_content` gives only the conversation, one
class for each type of block: it skips the arguments of a call, which may be a whole file. `read_json_strings`
reads many texts at once, because making a `str` of each short text would take longer than folding them.
"""

from __future__ import annotations

from codecs import escape_decode
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from app.formats.json_codec import DECODE_ERRORS, BadLine, decode, raw_json
from app.formats.partial_entry import ABSENT, struct_of
from app.formats.text import replace_surrogates, valid_string_of
from app.formats.utf8_text import find, fold_text, fold_utf8, nfc_text, nfc_utf8, split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Block(Struct, gc=False):
    """One block; only the fields that rows need."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = ABSENT


_decode: Callable[[Raw], str | list[Block]] = msgspec.json.Decoder(str | list[Block]).decode
_decode_text = msgspec.json.Decoder(str).decode


def read_content(content: Raw) -> str | list[Block]:
    """The text or the blocks of `content`; an empty list if it is null, absent or of another type.

    Blocks that are not objects are left out.
    """
    try:
        return _decode(content)
    except DECODE_ERRORS:
        return _read_leniently(content)


def text_of(content: Raw, between: str = " ") -> str:
    """The text blocks of `content`, joined with a blank as in pi's list."""
    blocks = read_content(content)
    if isinstance(blocks, str):
        return blocks
    if len(blocks) == 1:
        block = blocks[0]
        return (block.text or "") if block.type == "text" else ""
    return between.join([block.text or "" for block in blocks if block.type == "text"])


def string_of(value: bytes) -> str:
    """The JSON `value` if it is a string, else an empty string."""
    try:
        return _decode_text(value)
    except DECODE_ERRORS:
        content = _read_leniently(value)
        return content if isinstance(content, str) else ""


def _read_leniently(content: bytes) -> str | list[Block]:
    try:
        value = decode(b'{"content":' + bytes(content) + b"}")["content"]
    except BadLine:
        return []
    if isinstance(value, str):
        return replace_surrogates(value)
    if not isinstance(value, list):
        return []
    return [struct_of(Block, block) for block in value if isinstance(block, dict)]


_EMPTY = Raw(b'""')


class TextBlock(Struct, gc=False, tag_field="type", tag="text"):
    """A text, as JSON that is not decoded yet: `read_json_strings` reads most texts together."""

    text: Raw = _EMPTY


class ThinkingBlock(Struct, gc=False, tag_field="type", tag="thinking"):
    """A thought, like a `TextBlock`."""

    thinking: Raw = _EMPTY


class ToolCallBlock(Struct, gc=False, tag_field="type", tag="toolCall"):
    """A tool that is called."""

    name: str = ""


class SnakeToolCallBlock(Struct, gc=False, tag_field="type", tag="tool_call"):
    """A tool that is called, in the spelling of nickcecere/agent."""

    name: str = ""


class ImageBlock(Struct, gc=False, tag_field="type", tag="image"):
    """An image; its data is not read."""


class RedactedBlock(Struct, gc=False, tag_field="type", tag="redactedThinking"):
    """A redacted thought, which cannot be read."""


class ServerToolBlock(Struct, gc=False, tag_field="type", tag="anthropicServerTool"):
    """A tool that the provider ran."""


class OtherBlock(Struct, gc=False, tag_field="type", tag="fallback"):
    """Any other block."""


TypedContent = (
    str
    | list[
        TextBlock
        | ThinkingBlock
        | ToolCallBlock
        | SnakeToolCallBlock
        | ImageBlock
        | RedactedBlock
        | ServerToolBlock
        | OtherBlock
    ]
    | None
)
"""The content of a message. If a decoder of this type refuses a content, `read_typed_content` reads it."""

_decode_typed: Callable[[Raw], TypedContent] = msgspec.json.Decoder(TypedContent).decode


def read_typed_content(content: Raw, wrong: list[str] | None = None) -> TypedContent:
    """The content of a message by types of blocks; None if it is null, absent or of another type.

    Blocks that are not objects are left out. Fields of a wrong type are empty.

    :param wrong: gets "content" if any of this happens, except for null.
    """
    if content is ABSENT:
        return None
    try:
        return _decode_typed(content)
    except DECODE_ERRORS:
        pass
    try:
        value = decode(b'{"content":' + bytes(content) + b"}")["content"]
    except BadLine:
        return None
    if isinstance(value, str):
        return replace_surrogates(value)
    is_list = isinstance(value, list)
    if wrong is not None and value is not None and not (is_list and all(map(_is_valid, value))):
        wrong.append("content")
    return [_typed_block(block) for block in value if isinstance(block, dict)] if is_list else None


def texts_of(content: TypedContent) -> list[str]:
    """The texts of `content`; thoughts are left out."""
    if type(content) is str:
        return [content]
    return [string_of(block.text) for block in content if type(block) is TextBlock] if content else []


def joined_strings(strings: list[Raw]) -> Raw:
    """The JSON strings that are not empty, joined with newlines; a single one as it is."""
    if len(strings) == 1:
        return strings[0]
    return raw_json("\n".join(filter(None, map(string_of, strings))))


def has_image(content: Raw) -> bool:
    """Whether one of the blocks is an image."""
    blocks = read_typed_content(content)
    return type(blocks) is list and any(type(block) is ImageBlock for block in blocks)


def _typed_block(
    block: dict[str, Any],
) -> TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock | OtherBlock:
    kind = block.get("type")
    if kind == "text":
        return TextBlock(raw_json(block.get("text")))
    if kind == "thinking":
        return ThinkingBlock(raw_json(block.get("thinking")))
    if kind in ("toolCall", "tool_call"):
        return ToolCallBlock(valid_string_of(block.get("name")))
    if kind == "image":
        return ImageBlock()
    return OtherBlock()


_TEXT_FIELDS = {"text": "text", "thinking": "thinking", "toolCall": "name", "tool_call": "name"}
"""The field with the text of a block, by the block's type."""


def _is_valid(block: Any) -> bool:
    """Whether `block` is an object with a type, and with a text if blocks of that type have one."""
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return False
    field = _TEXT_FIELDS.get(block["type"])
    return field is None or isinstance(block.get(field, ""), str)


_QUOTE = ord('"')
_ESCAPE = ord("\\")
_GROUP_BYTES = 4 << 10
"""Bytes that are unescaped together if one string has escapes; finding the next escape would take as long."""


def read_json_strings(strings: Sequence[bytes]) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """Each of the `strings` folded, and each as it is written (NFC), as UTF-8 and without NUL characters.

    :param strings: JSON values. Those that are not strings give an empty text; invalid UTF-8 and lone
        surrogates become U+FFFD.
    """
    # NUL is not allowed in JSON, so it can separate the strings. JSON without escapes is the text already.
    data = b"\0".join(strings)
    if _ESCAPE in data:
        data = _unescaped(data)
    folded, written = fold_utf8(data), nfc_utf8(data)
    if folded is not None and written is not None:
        folded_texts, written_texts = _texts_in(folded, len(strings)), _texts_in(written, len(strings))
        if folded_texts is not None and written_texts is not None:
            return folded_texts, written_texts
    texts = [_string_text(string) for string in strings]
    return [fold_text(text) for text in texts], [nfc_text(text) for text in texts]


def _texts_in(strings: bytes, number: int) -> Sequence[bytes] | None:
    """The texts of JSON strings without escapes, separated by NUL; None if they are not `number` strings."""
    if not strings or not strings[0] == strings[-1] == _QUOTE:
        return None
    if number == 1:
        return None if 0 in strings else [strings[1:-1]]
    texts = split(strings[1:-1], b'"\0"')
    return texts if len(texts) == number else None


def _unescaped(data: bytes) -> bytes:
    """The same JSON strings, separated by NUL and still in quotes, with the escapes replaced."""
    parts: list[bytes] = []
    done = 0
    while (position := data.find(_ESCAPE, done)) >= 0:
        begin = data.rfind(0, done, position) + 1
        end = data.find(0, max(position, begin + _GROUP_BYTES))
        if end < 0:
            end = len(data)
        parts += (data[done:begin], _unescaped_group(data[begin:end]))
        done = end
    parts.append(data[done:])
    return b"".join(parts)


def _unescaped_group(strings: bytes) -> bytes:
    """`_unescaped` for strings many of which have escapes."""
    if find(strings, rb"\u", 0) < 0 and find(strings, rb"\/", 0) < 0:
        # The other escapes mean the same in Python and in JSON.
        return escape_decode(strings)[0]
    return b"\0".join(
        [
            b'"%b"' % _string_text(string).encode() if _ESCAPE in string else string
            for string in strings.split(b"\0")
        ]
    )


def _string_text(string: bytes) -> str:
    return string_of(string).replace("\0", "")
