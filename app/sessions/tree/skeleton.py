"""The fewest fields of a line from which a tree can be built: its shape, and what its filters ask for.

A tree of tens of thousands of entries is on the screen before anybody looks at most of them; what a row says
is read when the row is drawn (`app.sessions.tree.row_loader`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from app.formats.content import read_content
from app.formats.skim import ABSENT, REFUSALS, Stamp

if TYPE_CHECKING:
    from collections.abc import Callable


class OutlineMessage(Struct, gc=False):
    """The message of an entry. `content` is JSON not yet read."""

    role: str | None = None
    stop_reason: str | None = None
    content: Raw = ABSENT


class Skeleton(Struct, gc=False):
    """One line. `app.formats.skim.Skim` has these fields too, and more."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: Stamp = None
    message: OutlineMessage | None = None


# msgspec renames only the fields that a class declares itself.
class _CamelMessage(OutlineMessage, gc=False, rename="camel"):
    stop_reason: str | None = None


class _Camel(Skeleton, gc=False, rename="camel"):
    parent_id: str | None = None
    message: _CamelMessage | None = None


class _Block(Struct, gc=False):
    type: str | None = None
    text: Raw = ABSENT


_decode_camel = msgspec.json.Decoder(_Camel).decode
_decode_snake = msgspec.json.Decoder(Skeleton).decode
_decode_content = msgspec.json.Decoder(str | list[_Block]).decode
_decode_text = msgspec.json.Decoder(str).decode


def outliner(*, snake: bool) -> Callable[[memoryview], Skeleton]:
    """The decoder of one line in either spelling. What it returns must be used up before the bytes change.

    It raises one of `skim.REFUSALS` for a line that holds no JSON object, or a field of another type.
    """
    return _decode_snake if snake else _decode_camel


def says_something(content: Raw) -> bool:
    """Whether `content` has text that is not blank. Never raises."""
    try:
        found = _decode_content(content)
        if isinstance(found, str):
            return _is_said(found)
        for block in found:
            if block.type == "text" and block.text and _is_said(_decode_text(block.text)):
                return True
        return False
    except REFUSALS:
        read = read_content(content)
    if isinstance(read, str):
        return _is_said(read)
    return any(block.type == "text" and _is_said(block.text or "") for block in read)


def _is_said(text: str) -> bool:
    return bool(text) and not text.isspace()
