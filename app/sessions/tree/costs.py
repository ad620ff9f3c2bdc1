"""What each entry of a tree cost and called, read in one go through its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.amounts import finite
from app.formats.brief import Answer, brief_of, briefs
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.lines import open_file
from app.formats.spoken import Call, SnakeCall
from app.sessions.tally.taking import USAGE_TYPES
from app.sessions.tree.entry_loader import Changed
from app.sessions.tree.tree_builder import Overtaken
from app.sessions.tree.windows import windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.formats.brief import Brief
    from app.formats.skim import Usage
    from app.sessions.tree.tree import Node, SessionTree


class Spent(NamedTuple):
    """Tokens, and dollars."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    cost: float = 0.0

    def and_(self, more: Spent) -> Spent:
        """Both together."""
        return Spent(
            self.input + more.input,
            self.output + more.output,
            self.cache_read + more.cache_read,
            self.cache_write + more.cache_write,
            self.cost + more.cost,
        )


NOTHING = Spent()


def spent_of(usage: Usage | None) -> Spent:
    """What a line says that it cost; nothing where it does not say."""
    if usage is None:
        return NOTHING
    price = usage.cost
    return Spent(
        finite(usage.input),
        finite(usage.output),
        finite(usage.cache_read),
        finite(usage.cache_write),
        finite(price.total) if price is not None else 0.0,
    )


class UsageBook:
    """What the entries of one tree cost, and how many tools they call, by the entries' indexes.

    Most entries do neither, and are in neither table. Only lines of those that may are decoded.
    """

    def __init__(self, tree: SessionTree) -> None:
        self.spent: dict[int, Spent] = {}
        self.calls: dict[int, int] = {}
        self._tree = tree
        self._dialect = named(tree.header.dialect)
        self._known = 0

    def read(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Take in the entries that the tree has by now: each line is read once, however often it is called.

        :param keep_going: asked before each window of lines.
        :raises Overtaken: it said no.
        :raises Changed: the file is no longer the one that the tree was read from.
        :raises OSError: it cannot be read.
        """
        tree = self._tree
        entries = tree.entries
        end = len(entries)
        if self._known >= end:
            return
        descriptor = open_file(tree.path)
        try:
            tree.recognise(descriptor)
            at = self._known
            offset = entries[at].offset
            for buffer, _, length in windows(descriptor, offset):
                if not keep_going():
                    raise Overtaken
                wanted: list[Node] = []
                while at < end and entries[at].offset < offset + length:
                    if entries[at].role == "assistant" or entries[at].type in USAGE_TYPES:
                        wanted.append(entries[at])
                    at += 1
                with memoryview(buffer) as view:
                    starts = ((node.offset - offset, node.length) for node in wanted)
                    lines = [bytes(view[start : start + length]) for start, length in starts]
                self._take_all(wanted, lines)
                offset += length
                if at == end:
                    self._known = end
                    return
            raise Changed(tree.path)
        finally:
            os.close(descriptor)

    def _take_all(self, nodes: list[Node], lines: list[bytes]) -> None:
        found = None
        if self._dialect.one_entry_a_line:
            found = briefs(b"\n".join(lines) + b"\n", snake=self._dialect.snake)
        if found is not None and len(found[0]) == len(nodes):
            for node, entry in zip(nodes, found[0], strict=True):
                self._take(node, entry)
            return
        for node, line in zip(nodes, lines, strict=True):
            try:
                skims = [skim for skim in self._dialect.skims(line) if type(skim) is not Mark]
            except BadLine:
                skims = []
            if node.part >= len(skims):
                raise Changed(self._tree.path)
            self._take(node, brief_of(skims[node.part]))

    def _take(self, node: Node, entry: Brief) -> None:
        if (entry.type or "") != node.type or (entry.id not in (None, node.id) and self._tree.header.has_ids):
            raise Changed(self._tree.path)
        usage = None
        message: Any = entry.message
        if entry.type == "message":
            if not isinstance(message, Answer):
                return
            usage = message.usage
            if type(message.content) is list:
                calls = sum(type(block) is Call or type(block) is SnakeCall for block in message.content)
                if calls:
                    self.calls[node.index] = calls
        elif entry.type in USAGE_TYPES:
            usage = entry.usage
        if usage is not None:
            self.spent[node.index] = spent_of(usage)
