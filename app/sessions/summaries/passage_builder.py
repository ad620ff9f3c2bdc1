"""Choose the texts of a session's entries that searches find, and pack them (`sessions.passages`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import (
    SnakeToolCallBlock,
    ToolCallBlock,
    joined_texts,
    joined_thinking,
    read_json_strings,
)
from app.formats.json_codec import raw_json
from app.formats.summary_fields import Answer, ExtensionMessage, Prompt, SummaryMessage
from app.formats.text_kinds import ASSISTANT, CUSTOM, SUMMARY, THINKING, USER
from app.sessions.passages import HEADS, NO_TEXT, PackedText, pack_all

if TYPE_CHECKING:
    from msgspec import Raw

    from app.formats.summary_fields import SummaryFields


class PassageBuilder:
    """Collects the texts of entries and packs them. For each text, one for each entry and kind:

    heads     its head (`HEADS`)
    offsets   the offset of its line
    texts     the text, a JSON string that is not decoded yet
    """

    __slots__ = ("heads", "offsets", "texts")

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.offsets: list[int] = []
        self.texts: list[Raw] = []

    def add(self, kind: int, offset: int, text: Raw) -> None:
        """Add a text of that kind from the line at `offset`."""
        self.heads.append(HEADS[kind])
        self.offsets.append(offset)
        self.texts.append(text)

    def pack(self) -> PackedText:
        """Return a block of all passages; empty without any."""
        if not self.texts:
            return NO_TEXT
        return pack_all(self.heads, self.offsets, *read_json_strings(self.texts))


def add_passages(entry: SummaryFields, offset: int, passages: PassageBuilder, tools: list[str]) -> None:
    """Add the texts of `entry` to `passages`.

    :param offset: of its line in the file.
    :param tools: gets the names of the tools that the entry calls.
    """
    message = entry.message
    kind = CUSTOM
    if entry.type == "custom_message":
        text = joined_texts(entry.content)
    elif entry.type != "message":
        kind = SUMMARY
        text = _raw(entry.branch_summary if entry.type == "branch" else entry.summary)
    elif isinstance(message, Answer):
        kind = ASSISTANT
        if type(message.content) is list:
            tools += [
                block.name
                for block in message.content
                if isinstance(block, ToolCallBlock | SnakeToolCallBlock)
            ]
            thinking = joined_thinking(message.content)
            if thinking is not None:
                passages.add(THINKING, offset, thinking)
        text = joined_texts(message.content)
    elif isinstance(message, Prompt):
        kind = USER
        text = joined_texts(message.content)
    elif isinstance(message, ExtensionMessage):
        text = joined_texts(message.content)
    elif isinstance(message, SummaryMessage):
        kind = SUMMARY
        text = _raw(message.summary)
    else:
        return
    if text is not None:
        passages.add(kind, offset, text)


def _raw(text: str | None) -> Raw | None:
    return raw_json(text) if text else None
