"""Entries as they were written, read from their places in the files when they are needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.everything import everything, parts
from app.formats.lines import BOM, read_at
from app.formats.migrate import CURRENT_VERSION, migrate
from app.index.search.cutting import cut
from app.index.search.opening import open_stored
from app.sessions.tree.entry_loader import begins_a_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.row import Row
    from app.index.search.passage import Passage
    from app.index.search.raw_lines import RawLines

_READ_BYTES = 16 << 10
_ROUND_BYTES = 1 << 10
"""A line has so much and an eighth of its text more than its text, as a rule."""
_MOST_READ_BYTES = 4 << 20


class Originals:
    """Reads entries by the places of their lines. The file that was read last stays open until `close`."""

    def __init__(self) -> None:
        self.opened = 0
        """How many files were opened."""
        self.lost: dict[str, str] = {}
        """The files that could not be opened, or not read where something was to be looked for, and why."""
        self._path = ""
        self._descriptor = -1
        self._offset = -1
        self._entries: list[dict[str, Any]] = []
        self._block = b""
        self._base = 0

    def at(self, row: Row, offset: int, size: int = 0) -> list[dict[str, Any]]:
        """The entries in the line at `offset`, in pi's spelling: one, for lanes any number; none where no
        line begins there any more, it holds no entry, or it cannot be read.

        :param size: bytes of its text, where no neighbours are wanted.
        """
        if row.path != self._path:
            self._open(row.path)
        if offset != self._offset:
            self._offset = offset
            line = self._line(offset, size)
            self._entries = [] if line is None else entries_of(line, row.dialect)
        return self._entries

    def around(self, row: Row, piece: Passage, place: int) -> list[dict[str, Any]]:
        """The same of the line of `piece`, of whose text only what surrounds `place` is there, see
        `search.cutting`.
        """
        if row.path != self._path:
            self._open(row.path)
        line = self._line(piece.offset, piece.end - piece.begin)
        return [] if line is None else entries_of(cut(line, piece, place), row.dialect)

    def look_through(self, row: Row, lines: RawLines) -> None:
        """Have `lines` look through the file.

        :raises OSError: it cannot be opened.
        """
        if row.path != self._path:
            self._open(row.path)
        if self._descriptor < 0:
            raise OSError(self.lost[row.path])
        lines.open(self._descriptor)

    def hold(self, lines: RawLines) -> None:
        """Keep the line that `lines` found last: it is not read again."""
        self._base, self._block = lines.block()

    def line(self, row: Row, offset: int) -> bytes | None:
        """The line that begins at `offset`; None where none does any more, or it cannot be read."""
        if row.path != self._path:
            self._open(row.path)
        return self._line(offset)

    def texts(self, row: Row, offset: int, kind: int, nth: int = -1, *, apart: bool = False) -> Iterator[str]:
        """The texts of that kind, one of the conversation, in the line at `offset`.

        :param nth: of the entries that have one only the one after so many; below 0, of all.
        :param apart: what they are made of, see `everything.parts`.
        """
        for entry in self.at(row, offset):
            found = parts(entry, other=False) if apart else everything(entry, other=False)
            texts = (each[1] for each in found if each[0] == kind)
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
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._path, self._descriptor, self._offset, self._entries = "", -1, -1, []
        self._block, self._base = b"", 0

    def _open(self, path: str) -> None:
        self.close()
        self._path = path
        try:
            self._descriptor = open_stored(path)
        except OSError as error:
            self._lose(error)
            return
        self.opened += 1

    def _line(self, offset: int, size: int = 0) -> bytes | None:
        """The line that begins at `offset`. Neighbours come with one read.

        :param size: as above.
        """
        start = max(0, offset - 1)
        at = start - self._base
        end = self._block.find(b"\n", at + offset - start) if 0 <= at < len(self._block) else -1
        if end < 0:
            self._block, self._base, at = self._block_at(start, offset, size), start, 0
            end = self._block.find(b"\n", offset - start)
        begin = at + offset - start
        if not begins_a_line(offset, self._block[at:begin]):
            return None
        if not offset and self._block.startswith(BOM, begin):
            begin += len(BOM)
        return self._block[begin : end if end >= 0 else len(self._block)] or None

    def _block_at(self, start: int, offset: int, size: int) -> bytes:
        """See below; b"" where it cannot be read."""
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
    """The entries of a line; a header is one, see `everything`."""
    spelling = named(dialect)
    try:
        if spelling.one_entry_a_line:
            entries = [spelling.entry(line)]
        else:
            count = sum([type(skim) is not Mark for skim in spelling.skims(line)])
            entries = [spelling.entry(line, part) for part in range(count)]
            entries += spelling.beside(line)
    except BadLine:
        entries = []
    if not entries and not spelling.one_entry_a_line:
        entries = headers(line)
    if spelling.migrates:
        # Of older versions everything can be told from the line alone but the ids, which come from counting.
        entries = [migrate(entry, CURRENT_VERSION - 1, 0) for entry in entries]
    return entries


def headers(line: bytes) -> list[dict[str, Any]]:
    """The header in a line that holds no entries."""
    # Most dialects need it not, and who only looks up what was said needs nothing that reads headers.
    from app.formats.header import header_in

    header = header_in(line)
    return [] if header is None else [header]


def _block_at(descriptor: int, start: int, offset: int, size: int) -> bytes:
    """What the file has from `start` on, with all of the line that begins at `offset`.

    :param size: bytes of its text, where no neighbours are wanted.
    :raises OSError: it cannot be read.
    """
    size = min(size + size // 8 + _ROUND_BYTES, _MOST_READ_BYTES) if size else _READ_BYTES
    parts: list[bytes] = []
    while piece := read_at(descriptor, size, start):
        parts.append(piece)
        if piece.find(b"\n", offset - start if len(parts) == 1 else 0) >= 0:
            break
        start += len(piece)
        size = min(2 * size, _MOST_READ_BYTES)
    return parts[0] if len(parts) == 1 else b"".join(parts)
