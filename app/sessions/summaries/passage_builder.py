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
from app.formats.text_kinds import ASSISTANT, SUMMARY, THINKING
from app.sessions.passages import HEADS, NO_TEXT, PackedText, pack_all

if TYPE_CHECKING:
    from msgspec import Raw

    from app.formats.content import TypedContent


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

    def add_content(self, kind: int, offset: int, content: TypedContent) -> None:
        """Add the texts of a message as one text.

        :param kind: of the message (`formats.text_kinds`).
        :param offset: where its line begins in the file; also below.
        """
        if not isinstance(content, list):
            if content:
                self.add(kind, offset, raw_json(content))
            return
        texts = [block.text for block in content if type(block) is TextBlock]
        if texts:
            self.add(kind, offset, joined_strings(texts))

    def add_answer(self, offset: int, content: TypedContent, tools: list[str]) -> None:
        """Add the thoughts of an answer as one text, and its texts as another.

        :param tools: gets the names of the tools that it calls.
        """
        if not isinstance(content, list):
            self.add_content(ASSISTANT, offset, content)
            return
        texts, thoughts = [], []
        block: Any
        # Most blocks of every session pass here, and each is looked at once.
        for block in content:
            block_type = type(block)
            if block_type is ToolCallBlock or block_type is SnakeToolCallBlock:
                tools.append(block.name)
            elif block_type is TextBlock:
                texts.append(block.text)
            elif block_type is ThinkingBlock:
                thoughts.append(block.thinking)
        if thoughts:
            self.add(THINKING, offset, joined_strings(thoughts))
        if texts:
            self.add(ASSISTANT, offset, joined_strings(texts))

    def add_summary(self, offset: int, summary: str | None) -> None:
        """Add a summary, if there is one."""
        if summary:
            self.add(SUMMARY, offset, raw_json(summary))

    def pack(self) -> PackedText:
        """Return a block of all passages; empty without any."""
        if not self.texts:
            return NO_TEXT
        return pack_all(self.heads, self.offsets, *read_json_strings(self.texts))
