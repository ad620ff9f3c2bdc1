"""The content of a message: a string, a list of blocks, or nothing (formats/README.md, "pi")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from app.formats.decode import BadLine, decode
from app.formats.skim import ABSENT, REFUSALS, clean, raw_json

if TYPE_CHECKING:
    from collections.abc import Callable


class Block(Struct, gc=False):
    """One block; only the fields that rows need."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = ABSENT


TOOL_CALLS = frozenset(("toolCall", "tool_call"))
"""The types of a block that calls a tool, in both spellings."""

_decode: Callable[[Raw], str | list[Block]] = msgspec.json.Decoder(str | list[Block]).decode
_decode_text = msgspec.json.Decoder(str).decode


def read_content(content: Raw) -> str | list[Block]:
    """The text or the blocks of `content`; an empty list where it is null, absent or of another type.

    Blocks that are no objects are left out.
    """
    try:
        return _decode(content)
    except REFUSALS:
        return _read_leniently(content)


def text_of(content: Raw, between: str = " ") -> str:
    """The text blocks of `content` joined, as pi's list joins them: with a blank."""
    found = read_content(content)
    if isinstance(found, str):
        return found
    if len(found) == 1:
        block = found[0]
        return (block.text or "") if block.type == "text" else ""
    return between.join([block.text or "" for block in found if block.type == "text"])


def string_of(value: bytes) -> str:
    """`value` when it is a string, else an empty one."""
    try:
        return _decode_text(value)
    except REFUSALS:
        found = _read_leniently(value)
        return found if isinstance(found, str) else ""


def _read_leniently(content: bytes) -> str | list[Block]:
    try:
        value = decode(b'{"content":' + bytes(content) + b"}")["content"]
    except BadLine:
        return []
    if isinstance(value, str):
        return clean(value)
    if not isinstance(value, list):
        return []
    return [_block(block) for block in value if isinstance(block, dict)]


def _block(block: dict[str, object]) -> Block:
    built = Block()
    for name in ("type", "text", "id", "name"):
        value = block.get(name)
        if isinstance(value, str):
            setattr(built, name, clean(value))
    if "arguments" in block:
        built.arguments = raw_json(block["arguments"])
    return built
