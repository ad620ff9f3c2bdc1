"""Choose the texts of a session's entries that searches find, and pack them (`sessions.passages`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.content import (
    SnakeToolCallBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    joined_strings,
    read_json_strings,
)
from app.formats.json_codec import raw_json
from app.formats.summary_fields import ANSWER_TYPES, ExtensionMessage, Prompt, SummaryMessage
from app.formats.text_kinds import ASSISTANT, CUSTOM, SUMMARY, THINKING, USER
from app.sessions.passages import HEADS, NO_TEXT, PackedText, pack_all

if TYPE_CHECKING:
    from msgspec import Raw

    from app.formats.content import TypedContent
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
    # Most entries of every session go through this function, so it looks at each block once.
    message: Any = entry.message
    message_type = type(message)
    kind = CUSTOM
    content: TypedContent = None
    summary: str | None = None
    if entry.type == "message":
        if message_type in ANSWER_TYPES:
            kind, content = ASSISTANT, message.content
        elif message_type is Prompt:
            kind, content = USER, message.content
        elif isinstance(message, ExtensionMessage):
            content = message.content
        elif isinstance(message, SummaryMessage):
            summary = message.summary
    elif entry.type == "custom_message":
        content = entry.content
    else:
        summary = entry.branch_summary if entry.type == "branch" else entry.summary
    if not isinstance(content, list):
        if content:
            passages.add(kind, offset, raw_json(content))
        elif summary:
            passages.add(SUMMARY, offset, raw_json(summary))
        return
    texts, thoughts = [], []
    block: Any
    for block in content:
        block_type = type(block)
        if block_type is TextBlock:
            texts.append(block.text)
        elif kind != ASSISTANT:
            continue
        elif block_type is ToolCallBlock or block_type is SnakeToolCallBlock:
            tools.append(block.name)
        elif block_type is ThinkingBlock:
            thoughts.append(block.thinking)
    if thoughts:
        passages.add(THINKING, offset, joined_strings(thoughts))
    if texts:
        passages.add(kind, offset, joined_strings(texts))
