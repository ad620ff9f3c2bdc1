"""The folded text of the entries of a tree, for a search in all of them.

The file is read in blocks of about a megabyte. The text of a block is cached as far as there is room. In a
longer session the other blocks are read again for each search, which bounds the memory.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from app.formats.dialects import dialect_named
from app.formats.entry_types import TOOL_CALL_TYPES
from app.formats.errors import Cancelled
from app.formats.json_codec import DECODE_ERRORS, BadLine
from app.formats.lines import open_file, read_at
from app.formats.migrate import migrate
from app.formats.search_text import argument_texts, iter_texts
from app.formats.text_kinds import CALL
from app.formats.utf8_text import find, fold, fold_utf8, to_utf8
from app.sessions.errors import Changed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree

BLOCK = 1 << 20
CACHED_BYTES = 128 << 20
"""Bytes of folded text that are kept of one session."""
_STEP = 100
"""Entries that are decoded before another request may interrupt."""
_CALLS = 1_000


class _TextBlock:
    """Entries that follow each other in the file: the first and the one behind the last, and, once they were
    read, their texts with a NUL behind each and where each begins.
    """

    __slots__ = ("end", "first", "starts", "text")

    def __init__(self, first: int, end: int) -> None:
        self.first = first
        self.end = end
        self.text: bytes | None = None
        self.starts = array("I")


class TreeText:
    """Looks for words in the entries of a tree. For one thread, which need not be the one that reads it."""

    def __init__(self, tree: SessionTree, room: int = CACHED_BYTES, *, roles: bool = True) -> None:
        """:param room: bytes of text that are kept.
        :param roles: the role of an entry is a part of its text, as in pi's tree.
        """
        self.read = 0
        """How many blocks were read so far."""
        self._tree = tree
        self._room = room
        self._roles = roles
        self._blocks: list[_TextBlock] = []
        self._known = 0
        self._dialect = dialect_named(tree.header.dialect)
        self._quick = self._dialect.one_entry_a_line and not self._dialect.snake

    @property
    def kept(self) -> int:
        """Bytes of text that are kept."""
        return sum(len(block.text) for block in self._blocks if block.text is not None)

    def blocks(self, around: int = 0) -> list[int]:
        """The numbers of all blocks, those next to the entry with index ``around`` first. Takes in the
        entries that the tree has by now.
        """
        self._take_in()
        last = len(self._blocks) - 1
        at = bisect_right(self._blocks, around, key=lambda block: block.first) - 1
        return sorted(range(last + 1), key=lambda number: abs(number - at))

    def find(self, number: int, words: Sequence[str], rest: Callable[[], bool]) -> list[Node]:
        """The entries of a block that have all of ``words``, which are folded, in the order of the file.

        :param rest: called every millisecond or so; whether to go on.
        :raises Cancelled: `rest` said no.
        :raises Changed: the file is no longer the one that the tree was read from.
        :raises OSError: it cannot be read.
        """
        block = self._blocks[number]
        entries = self._tree.entries
        text, starts = self._text(block, rest)
        sought = [to_utf8(word) for word in words]
        longest = max(sought, key=len)
        others = [word for word in sought if word is not longest]
        found = []
        at = find(text, longest, 0)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            end = starts[place + 1] if place + 1 < len(starts) else len(text)
            if all(text.find(word, starts[place], end) >= 0 for word in others):
                found.append(block.first + place)
            at = find(text, longest, end)
        labels = {
            node.index: to_utf8(fold(node.label))
            for node in map(self._tree.by_id.get, list(self._tree.labels))
            if node is not None and node.label and block.first <= node.index < block.end
        }
        for index in labels.keys() - found:
            at = index - block.first
            end = starts[at + 1] if at + 1 < len(starts) else len(text)
            if all(word in labels[index] or text.find(word, starts[at], end) >= 0 for word in sought):
                found.append(index)
        return [entries[index] for index in sorted(found)]

    def fill(self, number: int, rest: Callable[[], bool]) -> None:
        """Read a block for the first time, while there is room. Raises as `find`."""
        if self._blocks[number].text is None and self.kept < self._room:
            self._text(self._blocks[number], rest)

    def _take_in(self) -> None:
        """Divide the new entries into blocks. A tool result is in the same block as its call."""
        entries = self._tree.entries
        count, first = len(entries), self._known
        size = 0
        for index in range(first, count):
            node = entries[index]
            if size >= BLOCK and (node.role != TOOL_ROLE or size >= 4 * BLOCK):
                self._blocks.append(_TextBlock(first, index))
                first, size = index, 0
            size += node.length + 1
        if first < count:
            self._blocks.append(_TextBlock(first, count))
        self._known = count

    def _text(self, block: _TextBlock, rest: Callable[[], bool]) -> tuple[bytes, array[int]]:
        if block.text is not None:
            return block.text, block.starts
        text, starts = self._read(block, rest)
        if self.kept + len(text) <= self._room:
            block.text, block.starts = text, starts
        return text, starts

    def _read(self, block: _TextBlock, rest: Callable[[], bool]) -> tuple[bytes, array[int]]:
        self.read += 1
        nodes = self._tree.entries[block.first : block.end]
        base = nodes[0].offset
        descriptor = open_file(self._tree.path)
        try:
            self._tree.recognise(descriptor)
            data = read_at(descriptor, nodes[-1].offset + nodes[-1].length - base, base)
        finally:
            os.close(descriptor)
        calls: dict[str, str] = {}
        folded = []
        for at in range(0, len(nodes), _STEP):
            if not rest():
                raise Cancelled
            folded.append(
                _fold_texts([self._says(node, data, base, calls) for node in nodes[at : at + _STEP]])
            )
        text = b"".join(folded)
        starts = array("I", [0])
        end = text.find(0)
        while end >= 0:
            starts.append(end + 1)
            end = text.find(0, end + 1)
        starts.pop()
        if len(starts) != len(nodes):
            raise Changed(self._tree.path)
        return text, starts

    def _says(self, node: Node, data: bytes, base: int, calls: dict[str, str]) -> str:
        """The text of an entry. `calls` has the text of each earlier call by its id."""
        line = data[node.offset - base : node.offset - base + node.length]
        found = plain_entry_text(line) if self._quick else None
        if found is None:
            found = self._slowly(node, line)
        texts = found.texts
        for call in found.calls:
            texts.append(call.text)
            if len(calls) >= _CALLS:
                calls.clear()
            calls[call.id] = call.text
        if found.answers is not None:
            texts.append(calls.get(found.answers, ""))
            texts += ["tool"] if self._roles else []
        if self._roles:
            texts.append(node.role or node.type.replace("_", " "))
        return "\n".join(texts).replace("\0", "")

    def _slowly(self, node: Node, line: bytes) -> EntryText:
        try:
            entry = self._dialect.entry(line, node.part)
        except BadLine:
            return EntryText([])
        if self._dialect.migrates:
            entry = migrate(entry, self._tree.header.version, node.index)
        return entry_text(entry)


def _fold_texts(texts: Sequence[str]) -> bytes:
    """The texts, folded, with a NUL behind each."""
    joined = "\0".join(texts) + "\0"
    data = to_utf8(joined)
    folded = fold_utf8(data)
    return to_utf8(fold(joined)) if folded is None else folded


TOOL_ROLE = "toolResult"


class CallText(Struct, gc=False):
    """A call of a tool: its id, and its name and arguments as text."""

    id: str
    text: str


class EntryText(Struct, gc=False):
    """The searchable text of one entry.

    texts    its texts, not folded
    calls    the calls in it; their texts are not in `texts`
    answers  the id of the call of which it is the result
    """

    texts: list[str]
    calls: list[CallText] = []
    answers: str | None = None


class _Block(Struct, gc=False):
    type: str | None = None
    text: str = ""
    thinking: str = ""
    name: str = ""
    id: str | None = None
    arguments: Raw = Raw(b"")


class _Message(Struct, gc=False, rename="camel"):
    role: str
    content: str | list[_Block]
    tool_name: str = ""
    tool_call_id: str | None = None
    error_message: str | None = None


class _Line(Struct, gc=False):
    type: str
    message: _Message


_decode: Callable[[bytes], _Line] = msgspec.json.Decoder(_Line).decode
_value: Callable[[Raw], Any] = msgspec.json.Decoder().decode
_PLAIN = frozenset(("user", "assistant", TOOL_ROLE))


def plain_entry_text(line: bytes) -> EntryText | None:
    """`entry_text` of a usual message of pi and its relatives, in a third of the time; None of other
    lines.
    """
    try:
        found = _decode(line)
        message = found.message
        if found.type != "message" or message.role not in _PLAIN:
            return None
        content = message.content
        texts: list[str] = []
        calls: list[CallText] = []
        if isinstance(content, str):
            texts.append(content)
        else:
            for block in content:
                if block.text:
                    texts.append(block.text)
                elif block.thinking:
                    texts.append(block.thinking)
                elif block.type in TOOL_CALL_TYPES:
                    words = [block.name]
                    if block.arguments:
                        words += argument_texts(_value(block.arguments))
                    calls.append(CallText(block.id or "", "\n".join(words)))
    except DECODE_ERRORS:
        return None
    if message.error_message:
        texts.append(message.error_message)
    if message.tool_name:
        texts.append(message.tool_name)
    return EntryText(texts, calls, message.tool_call_id)


def entry_text(entry: dict[str, Any]) -> EntryText:
    """The searchable text of an entry that is a dict, as version 3 of pi spells it. Never raises."""
    message = entry.get("message")
    texts = [text for kind, text, _ in iter_texts(entry) if kind != CALL]
    answers = None
    calls: list[CallText] = []
    if entry.get("type") == "message" and isinstance(message, dict):
        answers = message.get("toolCallId")
        name = message.get("toolName")
        if isinstance(name, str) and message.get("role") != TOOL_ROLE:
            texts.append(name)
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") in TOOL_CALL_TYPES:
                words = [block.get("name"), *argument_texts(block.get("arguments"))]
                text = "\n".join(word for word in words if isinstance(word, str))
                calls.append(CallText(str(block.get("id")), text))
    return EntryText(texts, calls, answers if isinstance(answers, str) else None)
