"""The entries of a file one by one, upwards or downwards from where somebody is, and nothing else of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.lines import BLANK_BYTES, after_blanks, is_blank, read_at, run_start
from app.formats.skim import REFUSALS
from app.sessions.tree.node import Node
from app.sessions.tree.skeleton import outliner
from app.sessions.tree.windows import windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.formats.header import Header
    from app.formats.skim import Skim
    from app.sessions.tree.skeleton import Skeleton

BLOCK = 64 << 10
"""Bytes that are read at once on the way upwards."""

_LONG = 512 << 10
"""Bytes of a longer line that are read at once, and looked at for a NUL."""


class EntryLines:
    """Reads lines of a session with one entry a line. Nodes from here have neither number nor relatives.

    read   bytes that were read so far
    top    the offset behind the header
    """

    def __init__(self, header: Header) -> None:
        self.read = 0
        self.top = header.offset + header.length + 1
        self._dialect = named(header.dialect)
        self._decode = outliner(snake=self._dialect.snake)
        self._held: tuple[int, bytes] | None = None

    def before(self, descriptor: int, end: int) -> Iterator[Node]:
        """The entries between the header and `end`, where a line begins; the last first.

        :raises OSError: the file cannot be read.
        """
        # of the last look upwards: mostly the next lines are in it
        start, block = self._held if self._held and self._held[0] < end else (end, b"")
        while end > self.top:
            at = block.rfind(b"\n", 0, end - 1 - start) if start < end - 1 else -1
            while at < 0 and start > self.top:
                size = min(BLOCK, start - self.top)
                start -= size
                block = self._bytes(descriptor, size, start)
                self._held = start, block
                at = block.rfind(b"\n", 0, end - 1 - start)
                if at < 0 and block.endswith(b"\0"):
                    start, block = run_start(descriptor, self.top, start + len(block)), b""
            begin = start + at + 1 if at >= 0 else self.top
            if end - 1 <= start + len(block):
                line = block[begin - start : end - 1 - start]
            else:
                line = self._line(descriptor, end - 1 - begin, begin)
            end = begin
            if not line or line.isspace():
                # A blank line may be one of millions: those above it are passed over at once.
                blanks = run_start(descriptor, self.top, begin, BLANK_BYTES)
                first = read_at(descriptor, min(BLOCK, begin - blanks), blanks).find(b"\n")
                end = blanks + first + 1 if first >= 0 else begin
                if end <= start:
                    start, block = end, b""
                continue
            node = self._node(line, begin)
            if node is not None:
                yield node

    def behind(self, descriptor: int, offset: int, end: int) -> Iterator[Node]:
        """The entries from `offset`, where a line begins, to `end`.

        :raises OSError: the file cannot be read.
        """
        for buffer, size, length in windows(descriptor, offset):
            self.read += size
            begin, _ = after_blanks(buffer, 0, size)
            while begin < size and offset + begin < end:
                stop = buffer.find(b"\n", begin, size)
                stop = size if stop < 0 else stop
                node = self._node(bytes(buffer[begin:stop]), offset + begin)
                if node is not None:
                    yield node
                begin, _ = after_blanks(buffer, min(stop + 1, size), size)
            offset += length
            if offset >= end:
                return

    def at(self, descriptor: int, offset: int, end: int) -> Node | None:
        """The entry whose line begins at `offset`, before `end`; None where none does.

        :raises OSError: the file cannot be read.
        """
        if offset and self._bytes(descriptor, 1, offset - 1) != b"\n":
            return None
        node = next(self.behind(descriptor, offset, end), None)
        return node if node is not None and node.offset == offset else None

    def unfinished(self, descriptor: int, offset: int, size: int) -> Node | None:
        """The entry in the `size` bytes from `offset` on, which have no LF; None while it is being written.

        :raises OSError: the file cannot be read.
        """
        return self._node(self._line(descriptor, size, offset), offset)

    def _node(self, line: bytes, offset: int) -> Node | None:
        """The entry of a line; None where it is none."""
        outline: Skeleton | Skim
        try:
            outline = self._decode(memoryview(line))
        except REFUSALS:
            if is_blank(line):
                return None
            try:
                skims = self._dialect.skims(line)
            except BadLine:
                return None
            if len(skims) != 1 or type(skims[0]) is Mark:
                return None
            outline = skims[0]
        kind = outline.type or ""
        if kind == "session" or (kind == "title" and outline.id is None):
            return None
        return Node(0, outline.id, outline.parent_id, kind, None, 0, offset, len(line), outline.timestamp)

    def _line(self, descriptor: int, size: int, offset: int) -> bytes:
        """A line of that many bytes, or the part up to its first NUL, which no entry has."""
        pieces = []
        while size > 0 and (piece := read_at(descriptor, min(size, _LONG), offset)):
            self.read += len(piece)
            nul = piece.find(0)
            if nul >= 0:
                return piece[: nul + 1]
            pieces.append(piece)
            offset += len(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _bytes(self, descriptor: int, size: int, offset: int) -> bytes:
        pieces = []
        while size > 0 and (piece := read_at(descriptor, size, offset)):
            pieces.append(piece)
            offset += len(piece)
            size -= len(piece)
            self.read += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
