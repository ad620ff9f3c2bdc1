"""The folded text of the entries of a tree, for a search in all of them.

The file is read in blocks of about a megabyte. The text of a block is cached as long as there is room. In a
longer session the other blocks are read again for each search, which limits the memory.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from app.formats.dialects import dialect_named
from app.formats.entry_types import TOOL_CALL_TYPES
from app.formats.errors import Cancelled
from app.formats.glued import entry_in
from app.formats.json_codec import BadLine
from app.formats.lines import opened, read_at
from app.formats.long_lines import shortened
from app.formats.migrate import migrate
from app.formats.odd_values import without_odd_words
from app.formats.search_text import argument_texts, iter_texts
from app.formats.text import string_of
from app.formats.text_kinds import CALL
from app.formats.utf8_text import find, fold, fold_utf8, to_utf8
from app.sessions.errors import Changed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree

BLOCK = 1 << 20
"""Bytes of the file in one block."""
CACHED_BYTES = 64 << 20
"""Bytes of folded text that are cached of one session."""
_STEP = 100
"""Entries that are decoded between two checks whether the search is still wanted."""
_MOST_CALLS = 1_000
"""Calls whose texts are kept for their results."""

TOOL_ROLE = "toolResult"
_USUAL_ROLES = frozenset(("user", "assistant", TOOL_ROLE))


class _TextBlock:
    """Entries that follow each other in the file.

    first, end   the index of the first entry, and of the one after the last
    text         their texts, each with a NUL after it; None if they are not cached
    starts       the offset of each in `text`
    """

    __slots__ = ("end", "first", "starts", "text")

    def __init__(self, first: int, end: int) -> None:
        self.first = first
        self.end = end
        self.text: bytes | None = None
        self.starts = array("I")


class TreeText:
    """Searches for words in the entries of a tree. For one thread, which need not be the one that reads the
    tree.

    read   the number of blocks that were read so far
    """

    def __init__(self, tree: SessionTree, room: int = CACHED_BYTES, *, roles: bool = True) -> None:
        """:param room: bytes of text that are cached.
        :param roles: the role of an entry is a part of its text, as in pi's tree.
        """
        self.read = 0
        self._tree = tree
        self._room = room
        self._roles = roles
        self._blocks: list[_TextBlock] = []
        self._divided = 0
        self._dialect = dialect_named(tree.header.dialect)

    @property
    def kept(self) -> int:
        """Bytes of text that are cached."""
        return sum(len(block.text) for block in self._blocks if block.text is not None)

    def blocks(self, around: int = 0) -> list[int]:
        """The numbers of all blocks, with the entries that the tree has now; those next to the entry with
        index ``around`` first.
        """
        self._divide()
        last = len(self._blocks) - 1
        nearest = bisect_right(self._blocks, around, key=lambda block: block.first) - 1
        return sorted(range(last + 1), key=lambda number: abs(number - nearest))

    def find(self, number: int, words: Sequence[str], keep_going: Callable[[], bool]) -> list[Node]:
        """The entries of a block that have all of ``words``, in the order of the file.

        :param words: folded; at least one.
        :param keep_going: called every millisecond or so.
        :raises Cancelled: `keep_going` returned False.
        :raises Changed: the file is no longer the one that the tree was read from.
        :raises OSError: it cannot be read.
        """
        block = self._blocks[number]
        text, starts = self._text(block, keep_going)
        needles = [to_utf8(word) for word in words]
        longest = max(needles, key=len)
        others = [needle for needle in needles if needle is not longest]
        indexes = []
        position = find(text, longest, 0)
        while position >= 0:
            slot = bisect_right(starts, position) - 1
            end = starts[slot + 1] if slot + 1 < len(starts) else len(text)
            if all(text.find(needle, starts[slot], end) >= 0 for needle in others):
                indexes.append(block.first + slot)
            position = find(text, longest, end)
        labels = {
            node.index: to_utf8(fold(node.label))
            for node in map(self._tree.by_id.get, list(self._tree.labels))
            if node is not None and node.label and block.first <= node.index < block.end
        }
        for index in labels.keys() - indexes:
            slot = index - block.first
            end = starts[slot + 1] if slot + 1 < len(starts) else len(text)
            if all(
                needle in labels[index] or text.find(needle, starts[slot], end) >= 0 for needle in needles
            ):
                indexes.append(index)
        return [self._tree.entries[index] for index in sorted(indexes)]

    def fill(self, number: int, keep_going: Callable[[], bool]) -> None:
        """Read a block that is not cached, if there is room. Raises as `find`."""
        if self._blocks[number].text is None and self.kept < self._room:
            self._text(self._blocks[number], keep_going)

    def _divide(self) -> None:
        """Divide the new entries into blocks. A tool result is in the same block as its call, except for a
        long line, which is alone so that it is in memory once.
        """
        entries = self._tree.entries
        count, first = len(entries), self._divided
        size = 0
        for index in range(first, count):
            node = entries[index]
            is_full = size >= BLOCK and (node.role != TOOL_ROLE or size >= 4 * BLOCK)
            if is_full or (size and node.length >= 4 * BLOCK):
                self._blocks.append(_TextBlock(first, index))
                first, size = index, 0
            size += node.length + 1
        if first < count:
            self._blocks.append(_TextBlock(first, count))
        self._divided = count

    def _text(self, block: _TextBlock, keep_going: Callable[[], bool]) -> tuple[bytes, array[int]]:
        if block.text is not None:
            return block.text, block.starts
        text, starts = self._read(block, keep_going)
        if self.kept + len(text) <= self._room:
            block.text, block.starts = text, starts
        return text, starts

    def _read(self, block: _TextBlock, keep_going: Callable[[], bool]) -> tuple[bytes, array[int]]:
        self.read += 1
        nodes = self._tree.entries[block.first : block.end]
        base = nodes[0].offset
        with opened(self._tree.path) as descriptor:
            self._tree.recognise(descriptor)
            data = read_at(descriptor, nodes[-1].offset + nodes[-1].length - base, base)
        calls: dict[str, str] = {}
        parts = []
        for start in range(0, len(nodes), _STEP):
            if not keep_going():
                raise Cancelled
            texts = [
                self._entry_text(node, data[node.offset - base : node.offset - base + node.length], calls)
                for node in nodes[start : start + _STEP]
            ]
            parts.append(_fold_texts(texts))
        text = b"".join(parts)
        starts = array("I", [0])
        end = text.find(0)
        while end >= 0:
            starts.append(end + 1)
            end = text.find(0, end + 1)
        starts.pop()
        if len(starts) != len(nodes):
            raise Changed(self._tree.path)
        return text, starts

    def _entry_text(self, node: Node, line: bytes, calls: dict[str, str]) -> str:
        """The text of an entry. A tool result has that of its call, too.

        :param calls: id -> text of each earlier call; those of this entry are added.
        """
        entry = self._entry(node, line)
        texts = entry_texts(entry)
        for call_id, text in call_texts(entry):
            texts.append(text)
            if len(calls) >= _MOST_CALLS:
                calls.clear()
            calls[call_id] = text
        answered = _message_of(entry).get("toolCallId")
        if isinstance(answered, str):
            texts.append(calls.get(answered, ""))
            texts += ["tool"] if self._roles else []
        if self._roles:
            texts.append(node.role or node.type.replace("_", " "))
        return "\n".join(texts).replace("\0", "")

    def _entry(self, node: Node, line: bytes) -> dict[str, Any]:
        """The entry of a line; empty if the line is damaged."""
        try:
            entry = entry_in(self._dialect, shortened(line), node.part)
        except BadLine:
            return {}
        if self._dialect.migrates:
            entry = migrate(entry, self._tree.header.version, node.index)
        return without_odd_words(entry)


def _fold_texts(texts: Sequence[str]) -> bytes:
    """The texts, folded, each with a NUL after it."""
    joined = "\0".join(texts) + "\0"
    folded = fold_utf8(to_utf8(joined))
    return to_utf8(fold(joined)) if folded is None else folded


def entry_texts(entry: dict[str, Any]) -> list[str]:
    """The searchable texts of an entry in the spelling of version 3 of pi, without its tool calls."""
    message = _message_of(entry)
    # The other fields of a usual message, such as its provider, are no part of the conversation.
    is_usual = message.get("role") in _USUAL_ROLES
    texts = [text for kind, text, _ in iter_texts(entry, other=not is_usual) if kind != CALL]
    if is_usual:
        texts.append(string_of(message.get("errorMessage")))
    if message.get("role") != TOOL_ROLE:
        texts.append(string_of(message.get("toolName")))
    return texts


def call_texts(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """(id, the tool's name and the arguments as text) of each tool call of an entry."""
    content = _message_of(entry).get("content")
    calls = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") in TOOL_CALL_TYPES:
            words = [string_of(block.get("name")), *argument_texts(block.get("arguments"))]
            calls.append((str(block.get("id")), "\n".join(words)))
    return calls


def _message_of(entry: dict[str, Any]) -> dict[str, Any]:
    message = entry.get("message")
    return message if entry.get("type") == "message" and isinstance(message, dict) else {}
