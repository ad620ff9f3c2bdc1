"""Reads the rows of a tree from the file before they are drawn.

Most entries of a long session are never on the screen, and the text of a row takes most of the time and the
memory of an entry.
"""

from __future__ import annotations

from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from app.formats.dialects import dialect_named
from app.formats.glued import partial_entry_in
from app.formats.json_codec import BadLine, decode, encode
from app.formats.lines import opened, read_all, read_at
from app.formats.long_lines import LONG_LINE, shortened
from app.sessions.tree.entry_loader import begins_a_line
from app.sessions.tree.entry_row import calls_of, row_text_of
from app.sessions.tree.row_text import RowText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry
    from app.redact import Redactor
    from app.sessions.tree.entry_row import Call
    from app.sessions.tree.node import Node

_AHEAD = 16 << 10
_OLDER_ANSWERS = 8
_OLDER_ENTRIES = 256
UNREADABLE_ROW = RowText("error", "", "(cannot be read: the file was changed)")


class RowLoader:
    """Reads rows of the session at `path`. It may run in another thread than the one that reads the tree."""

    def __init__(self, path: str, header: Header, entries: Sequence[Node]) -> None:
        """:param entries: those of the session, in file order; may grow."""
        self._path = path
        self._entries = entries
        self._dialect = dialect_named(header.dialect)
        self._version = header.version
        self._folder = header.cwd
        self._calls: dict[int, dict[str, Call]] = {}

    def read(self, nodes: Iterable[Node], redactor: Redactor | None = None) -> None:
        """Set `row_text` of each of `nodes` that has none.

        Raises nothing: the row of an entry that cannot be read any more says so.

        :param redactor: replaces secrets in the entries, before their rows are made: a row shows only the
            beginnings of texts, and half a secret cannot be recognised.
        """
        wanted = sorted((node for node in nodes if node.row_text is None), key=attrgetter("offset"))
        if not wanted:
            return
        try:
            with opened(self._path) as descriptor:
                lines = _Lines(descriptor, redactor)
                for node in wanted:
                    node.row_text = self._row_text(node, lines)
        except OSError:
            for node in wanted:
                node.row_text = UNREADABLE_ROW

    def _row_text(self, node: Node, lines: _Lines) -> RowText:
        entry = self._partial_entry(node, lines)
        if entry is None:
            return UNREADABLE_ROW
        message, call = entry.message, None
        if message is not None and node.role == "assistant":
            self._calls[node.index] = calls_of(message)
        elif message is not None and node.role == "toolResult" and message.tool_call_id is not None:
            call = self._call(node, message.tool_call_id, lines)
        return row_text_of(entry, self._version, call, self._folder)

    def _partial_entry(self, node: Node, lines: _Lines) -> PartialEntry | None:
        line = lines.line(node.offset, node.length)
        if line is None:
            return None
        try:
            if lines.redactor is not None:
                line = encode(lines.redactor.value(decode(line)))
            return partial_entry_in(self._dialect, shortened(line), node.part)
        except BadLine:
            return None

    def _call(self, node: Node, call: str, lines: _Lines) -> Call | None:
        """The call whose result `node` is: the nearest one with this id above it, else, if its parent is
        wrong, the nearest one before it in the file.

        Some providers number the calls of each answer from 0, so that a call further away is another one.
        """
        before = self._entries[max(0, node.index - _OLDER_ENTRIES) : node.index]
        for older in (_above(node), reversed(before)):
            answers = (entry for entry in islice(older, _OLDER_ENTRIES) if entry.role == "assistant")
            for answer in islice(answers, _OLDER_ANSWERS):
                calls = self._calls.get(answer.index)
                if calls is None:
                    entry = self._partial_entry(answer, lines)
                    calls = calls_of(entry.message) if entry is not None and entry.message is not None else {}
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
    """Lines of an open file by their offsets. One read gets neighbouring lines, too.

    redactor   replaces secrets in what is decoded of them; None replaces none
    """

    def __init__(self, descriptor: int, redactor: Redactor | None) -> None:
        self.redactor = redactor
        self._descriptor = descriptor
        self._block = b""
        self._offset = 0

    def line(self, offset: int, length: int) -> bytes | None:
        """The line of `length` bytes at `offset`; None if it is gone, or cannot be read."""
        if length > LONG_LINE:
            return self._long_line(offset, length)
        start = max(0, offset - 1)
        end = offset + length + 1
        if not self._offset <= start or end > self._offset + len(self._block):
            try:
                self._block = read_at(self._descriptor, max(end - start, _AHEAD), start)
            except OSError:
                return None
            self._offset = start
        begin = offset - self._offset
        line = self._block[begin : begin + length]
        before = self._block[begin - (offset - start) : begin]
        after = self._block[begin + length : begin + length + 1]
        if len(line) < length or not begins_a_line(offset, before) or after not in (b"\n", b""):
            return None
        return line

    def _long_line(self, offset: int, length: int) -> bytes | None:
        """As `line`, of a long line, which is in memory once."""
        try:
            before = read_at(self._descriptor, min(1, offset), max(0, offset - 1))
            line = read_all(self._descriptor, length, offset)
            after = read_at(self._descriptor, 1, offset + length)
        except OSError:
            return None
        if len(line) < length or not begins_a_line(offset, before) or after not in (b"\n", b""):
            return None
        return line
