"""What the entries of a tree say, folded, to look for words in all of them.

The file is read in blocks of about a megabyte. What a block says is kept once it was read, as far as there is
room; of a longer session the rest is read again for each search, so that memory stays bounded.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

from app.formats.bytes_in import find
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.fold import encoded, fold, fold_utf8
from app.formats.lines import open_file, read_at
from app.formats.migrate import migrate
from app.formats.sought import TOOL_ROLE, Sought, sought, sought_quickly
from app.sessions.tree.entry_loader import Changed
from app.sessions.tree.tree_builder import Overtaken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.tree.tree import Node, SessionTree

BLOCK = 1 << 20
KEPT = 128 << 20
"""Bytes of folded text that are kept of one session."""
_STEP = 100
"""Entries that are decoded between two looks at whether somebody else waits."""
_CALLS = 1_000


class _Block:
    """Entries that follow each other in the file: the first and the one behind the last, and, once they were
    read, their texts with a NUL behind each and where each begins.
    """

    __slots__ = ("end", "first", "starts", "text")

    def __init__(self, first: int, end: int) -> None:
        self.first = first
        self.end = end
        self.text: bytes | None = None
        self.starts = array("I")


class EntryTexts:
    """Looks for words in the entries of a tree. For one thread, which need not be the one that reads it."""

    def __init__(self, tree: SessionTree, room: int = KEPT) -> None:
        """:param room: bytes of text that are kept."""
        self.read = 0
        """How many blocks were read so far."""
        self._tree = tree
        self._room = room
        self._blocks: list[_Block] = []
        self._known = 0
        self._dialect = named(tree.header.dialect)
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
        :raises Overtaken: `rest` said no.
        :raises Changed: the file is no longer the one that the tree was read from.
        :raises OSError: it cannot be read.
        """
        block = self._blocks[number]
        entries = self._tree.entries
        text, starts = self._text(block, rest)
        sought = [encoded(word) for word in words]
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
            node.index: encoded(fold(node.label))
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
        """Cut the entries that came into blocks. What a call was given is in one block with its results."""
        entries = self._tree.entries
        count, first = len(entries), self._known
        size = 0
        for index in range(first, count):
            node = entries[index]
            if size >= BLOCK and (node.role != TOOL_ROLE or size >= 4 * BLOCK):
                self._blocks.append(_Block(first, index))
                first, size = index, 0
            size += node.length + 1
        if first < count:
            self._blocks.append(_Block(first, count))
        self._known = count

    def _text(self, block: _Block, rest: Callable[[], bool]) -> tuple[bytes, array[int]]:
        if block.text is not None:
            return block.text, block.starts
        text, starts = self._read(block, rest)
        if self.kept + len(text) <= self._room:
            block.text, block.starts = text, starts
        return text, starts

    def _read(self, block: _Block, rest: Callable[[], bool]) -> tuple[bytes, array[int]]:
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
                raise Overtaken
            folded.append(_folded([self._says(node, data, base, calls) for node in nodes[at : at + _STEP]]))
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
        """What an entry says, and what it is. `calls`: what each call before it was given, by its id."""
        line = data[node.offset - base : node.offset - base + node.length]
        found = sought_quickly(line) if self._quick else None
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
            texts.append("tool")
        texts.append(node.role or node.type.replace("_", " "))
        return "\n".join(texts).replace("\0", "")

    def _slowly(self, node: Node, line: bytes) -> Sought:
        try:
            entry = self._dialect.entry(line, node.part)
        except BadLine:
            return Sought([])
        if self._dialect.migrates:
            entry = migrate(entry, self._tree.header.version, node.index)
        return sought(entry)


def _folded(texts: Sequence[str]) -> bytes:
    """The texts, folded, with a NUL behind each."""
    joined = "\0".join(texts) + "\0"
    data = encoded(joined)
    folded = fold_utf8(data)
    return encoded(fold(joined)) if folded is None else folded
