"""The original entries of session files, read by the offset of their line when they are needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, read_at
from app.formats.migrate import CURRENT_VERSION, migrate
from app.formats.search_text import iter_texts, text_pieces
from app.index.search.documents import open_session
from app.sessions.tree.entry_loader import begins_a_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.row import Row
    from app.index.search.raw_lines import RawLines

_READ_BYTES = 16 << 10
"""Bytes of one read if the size of the line is not known."""
_ROUND_BYTES = 1 << 10
"""A line is usually longer than its text by at most this number of bytes and an eighth of the text."""
_MOST_READ_BYTES = 4 << 20
"""The most bytes of one read."""


class Originals:
    """Reads entries by the offsets of their lines. The file that was read last stays open until `close`.

    opened   how many files were opened
    lost     path -> reason for the files that could not be opened or read
    """

    def __init__(self) -> None:
        self.opened = 0
        self.lost: dict[str, str] = {}
        self._path = ""
        self._descriptor = -1
        self._offset = -1
        self._entries: list[dict[str, Any]] = []
        self._block = b""
        self._base = 0

    def at(self, row: Row, offset: int, size: int = 0) -> list[dict[str, Any]]:
        """The entries in the line at `offset`, in pi's spelling: one, or any number for lanes; none if no
        line begins there any more, it holds no entry, or it cannot be read.

        :param size: bytes of its text, if the lines after it are not wanted.
        """
        if row.path != self._path:
            self._open(row.path)
        if offset != self._offset:
            self._offset = offset
            line = self._line(offset, size)
            self._entries = [] if line is None else entries_of(line, row.dialect)
        return self._entries

    def look_through(self, row: Row, lines: RawLines) -> None:
        """Have `lines` search the file.

        :raises OSError: it cannot be opened.
        """
        if row.path != self._path:
            self._open(row.path)
        if self._descriptor < 0:
            raise OSError(self.lost[row.path])
        lines.open(self._descriptor)

    def hold(self, lines: RawLines) -> None:
        """Keep the line that `lines` found last, so that it is not read again."""
        self._base, self._block = lines.block()

    def line(self, row: Row, offset: int) -> bytes | None:
        """The line that begins at `offset`; None if none does any more, or it cannot be read."""
        if row.path != self._path:
            self._open(row.path)
        return self._line(offset)

    def texts(
        self, row: Row, offset: int, kind: int, nth: int = -1, *, as_parts: bool = False
    ) -> Iterator[str]:
        """The texts of a kind in the line at `offset`.

        :param kind: one of the conversation.
        :param nth: only those of the entry that so many entries with such a text precede; negative for all.
        :param as_parts: give the single parts of the texts, see `search_text.iter_texts`.
        """
        for entry in self.at(row, offset):
            parts = iter_texts(entry, other=False) if as_parts else text_pieces(entry, other=False)
            texts = (text[1] for text in parts if text[0] == kind)
            if nth <= 0:
                has_any = False
                for text in texts:
                    has_any = True
                    yield text
                if has_any and not nth:
                    return
            elif next(texts, None) is not None:
                nth -= 1

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._path, self._descriptor, self._offset, self._entries = "", -1, -1, []
        self._block, self._base = b"", 0

    def _open(self, path: str) -> None:
        self.close()
        self._path = path
        try:
            self._descriptor = open_session(path)
        except OSError as error:
            self._lose(error)
            return
        self.opened += 1

    def _line(self, offset: int, size: int = 0) -> bytes | None:
        """The line that begins at `offset`. One read gets the lines after it as well.

        :param size: as in `at`.
        """
        start = max(0, offset - 1)
        in_block = start - self._base
        end = self._block.find(b"\n", in_block + offset - start) if 0 <= in_block < len(self._block) else -1
        if end < 0:
            self._block, self._base, in_block = self._block_at(start, offset, size), start, 0
            end = self._block.find(b"\n", offset - start)
        begin = in_block + offset - start
        if not begins_a_line(offset, self._block[in_block:begin]):
            return None
        if not offset and self._block.startswith(BOM, begin):
            begin += len(BOM)
        return self._block[begin : end if end >= 0 else len(self._block)] or None

    def _block_at(self, start: int, offset: int, size: int) -> bytes:
        """The result of the function `_block_at`; b"" if the file cannot be read."""
        if self._descriptor < 0:
            return b""
        try:
            return _block_at(self._descriptor, start, offset, size)
        except OSError as error:
            self._lose(error)
            return b""

    def _lose(self, error: OSError) -> None:
        self.lost[self._path] = error.strerror or str(error)


def entries_of(line: bytes, dialect: str) -> list[dict[str, Any]]:
    """The entries of a line; a header counts as one, see `text_pieces`."""
    spelling = dialect_named(dialect)
    try:
        if spelling.one_entry_a_line:
            entries = [spelling.entry(line)]
        else:
            count = sum([type(skim) is not MetadataRecord for skim in spelling.partial_entries(line)])
            entries = [spelling.entry(line, part) for part in range(count)]
            entries += spelling.metadata_entries(line)
    except BadLine:
        entries = []
    if not entries and not spelling.one_entry_a_line:
        entries = headers(line)
    if spelling.migrates:
        # A line of an older version has everything but the ids, which come from counting.
        entries = [migrate(entry, CURRENT_VERSION - 1, 0) for entry in entries]
    return entries


def headers(line: bytes) -> list[dict[str, Any]]:
    """The header in a line that holds no entries."""
    # Most dialects need no header here, and importing the readers of headers takes time.
    from app.formats.header import header_in

    header = header_in(line)
    return [] if header is None else [header]


def _block_at(descriptor: int, start: int, offset: int, size: int) -> bytes:
    """The bytes of a file from `start` on, with the whole line that begins at `offset`.

    :param size: bytes of its text, if the lines after it are not wanted.
    :raises OSError: it cannot be read.
    """
    size = min(size + size // 8 + _ROUND_BYTES, _MOST_READ_BYTES) if size else _READ_BYTES
    blocks: list[bytes] = []
    while block := read_at(descriptor, size, start):
        blocks.append(block)
        if block.find(b"\n", offset - start if len(blocks) == 1 else 0) >= 0:
            break
        start += len(block)
        size = min(2 * size, _MOST_READ_BYTES)
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)
