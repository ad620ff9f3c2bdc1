"""Reads the entries of one line of a session file, which is known by its offset."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, read_at
from app.formats.migrate import CURRENT_VERSION, migrate
from app.index.search.documents import open_session
from app.sessions.tree.entry_loader import begins_a_line

if TYPE_CHECKING:
    from app.index.row import Row

_READ_BYTES = 16 << 10
"""Bytes of one read if the size of the line is not known."""
_ROUND_BYTES = 1 << 10
"""A line is usually longer than its text by at most this number of bytes and an eighth of the text."""
_MOST_READ_BYTES = 4 << 20
"""The most bytes of one read."""


def entries_at(row: Row, offset: int, size: int) -> list[dict[str, Any]]:
    """The entries in the line at `offset` of a session's file, in pi's spelling: one, or any number for
    lanes; none if no line begins there any more, it holds no entry, or it cannot be read.

    :param size: bytes of its text; 0 if they are not known.
    """
    start = max(0, offset - 1)
    try:
        descriptor = open_session(row.path)
        try:
            block = _block_at(descriptor, start, offset, size)
        finally:
            os.close(descriptor)
    except OSError:
        return []
    begin = offset - start
    if not begins_a_line(offset, block[:begin]):
        return []
    if not offset and block.startswith(BOM):
        begin = len(BOM)
    end = block.find(b"\n", begin)
    line = block[begin : end if end >= 0 else len(block)]
    return entries_of(line, row.dialect) if line else []


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
