"""Reads the rows of a tree from the file when they are about to be drawn.

Most entries of a long session are never on the screen, and the text of a row is most of the time and the
memory that an entry takes.
"""

from __future__ import annotations

import os
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.json_codec import BadLine
from app.formats.lines import open_file, read_at
from app.sessions.tree.entry_loader import begins_a_line
from app.sessions.tree.row_fields import calls_of, row_fields_of
from app.sessions.tree.row_text import RowText, row_text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry
    from app.sessions.tree.node import Node
    from app.sessions.tree.row_text import Call, RowFields

LONG_LINE = 64 << 10
"""A line of more bytes than this is glimpsed at while its tree is read: so drawing a row never takes long."""

_AHEAD = 16 << 10
_OLDER_ANSWERS = 8
_OLDER_ENTRIES = 256
UNREADABLE_ROW = RowText("error", "", "(cannot be read: the file was changed)")


class RowLoader:
    """Reads rows of the session at `path`. May be asked in another thread than the tree is read in."""

    def __init__(self, path: str, header: Header, entries: Sequence[Node]) -> None:
        """:param entries: those of the session, in file order; may grow."""
        self._path = path
        self._entries = entries
        self._dialect = dialect_named(header.dialect)
        self._version = header.version
        self._held: dict[int, RowFields] = {}
        self._calls: dict[int, dict[str, Call]] = {}

    def hold(self, node: Node, skim: PartialEntry) -> None:
        """Remember what the row of an entry needs, because its line is too long to be read again."""
        self._held[node.index] = self._glimpse(node, skim)

    def read(self, nodes: Iterable[Node]) -> None:
        """See that `row_text` of each of `nodes` is there, but for those that have it.

        Raises nothing: the row of an entry that cannot be read any more says so.
        """
        wanted = sorted((node for node in nodes if node.row_text is None), key=attrgetter("offset"))
        if not wanted:
            return
        try:
            descriptor = open_file(self._path)
        except OSError:
            for node in wanted:
                node.row_text = UNREADABLE_ROW
            return
        try:
            lines = _Lines(descriptor)
            for node in wanted:
                node.row_text = self._said(node, lines)
        finally:
            os.close(descriptor)

    def _said(self, node: Node, lines: _Lines) -> RowText:
        found = self._held.pop(node.index, None)
        if found is None:
            skim = self._skim(node, lines)
            if skim is None:
                return UNREADABLE_ROW
            found = self._glimpse(node, skim)
        if found.call is not None and found.tool is None:
            found.tool = self._call(node, found.call, lines)
        return row_text_of(found)

    def _skim(self, node: Node, lines: _Lines) -> PartialEntry | None:
        line = lines.line(node.offset, node.length)
        if line is None:
            return None
        try:
            skims = [skim for skim in self._dialect.partial_entries(line) if type(skim) is not MetadataRecord]
        except BadLine:
            return None
        return skims[node.part] if node.part < len(skims) else None

    def _glimpse(self, node: Node, skim: PartialEntry) -> RowFields:
        if node.role == "assistant" and skim.message is not None:
            self._calls[node.index] = calls_of(skim.message)
        return row_fields_of(skim, self._version)

    def _call(self, node: Node, call: str, lines: _Lines) -> Call | None:
        """The call that `node` answers: of the nearest answer above it that made one with this id, else, for
        what hangs wrong, of the nearest before it in the file.

        Some providers number the calls of each answer from 0, so one further away would be another.
        """
        before = self._entries[max(0, node.index - _OLDER_ENTRIES) : node.index]
        for older in (_above(node), reversed(before)):
            answers = (each for each in islice(older, _OLDER_ENTRIES) if each.role == "assistant")
            for answer in islice(answers, _OLDER_ANSWERS):
                calls = self._calls.get(answer.index)
                if calls is None:
                    skim = self._skim(answer, lines)
                    calls = calls_of(skim.message) if skim is not None and skim.message is not None else {}
                    self._calls[answer.index] = calls
                if call in calls:
                    return calls[call]
        return None


def _above(node: Node) -> Iterator[Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


class _Lines:
    """Lines of an open file by their places; neighbours come with one read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._block = b""
        self._offset = 0

    def line(self, offset: int, length: int) -> bytes | None:
        """The line there; None where none begins and ends there any more, or it cannot be read."""
        start = max(0, offset - 1)
        end = offset + length + 1
        if not self._offset <= start or end > self._offset + len(self._block):
            try:
                self._block = read_at(self._descriptor, max(end - start, _AHEAD), start)
            except OSError:
                return None
            self._offset = start
        at = offset - self._offset
        line = self._block[at : at + length]
        before = self._block[at - (offset - start) : at]
        after = self._block[at + length : at + length + 1]
        if len(line) < length or not begins_a_line(offset, before) or after not in (b"\n", b""):
            return None
        return line
