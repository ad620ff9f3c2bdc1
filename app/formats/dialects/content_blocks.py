"""The content of messages, for dialects whose blocks have other names than pi's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.text import replace_surrogates

if TYPE_CHECKING:
    from app.formats.partial_entry import PartialEntry


def joined_text(content: Any) -> str:
    """The texts of a content, below each other; "" for a value that is no content."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


class ToolNames:
    """The names of the tools that a file has called so far. A result names its call alone."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def complete(self, entry: dict[str, Any], partial: PartialEntry) -> None:
        """Remember the calls of a message, and name the tool of a result.

        :param entry: in the spelling of pi's version 3.
        :param partial: the same entry; its message gets the name.
        """
        message = partial.message
        if message is None:
            return
        if message.tool_call_id is not None and message.tool_name is None:
            message.tool_name = self._names.get(message.tool_call_id)
        blocks = entry["message"].get("content")
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, dict) and block.get("type") == "toolCall":
                name, call = block.get("name"), block.get("id")
                if isinstance(name, str) and isinstance(call, str):
                    self._names[replace_surrogates(call)] = replace_surrogates(name)
