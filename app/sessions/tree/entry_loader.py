"""Reads one whole entry from its offset in the file, and checks that the file is still the same."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.dialects import dialect_named
from app.formats.glued import entry_in
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, opened, read_all, read_at
from app.formats.long_lines import DECODED, LONG_LINE, check_memory, shortened
from app.formats.migrate import migrate
from app.formats.odd_values import without_odd_words
from app.sessions.errors import Changed
from app.sessions.summaries.summarise import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.formats.header import Header
    from app.sessions.tree.node import Node


def read_entry(
    path: str,
    offset: int,
    length: int,
    *,
    dialect: str,
    version: int,
    index: int,
    part: int,
    longest: int | None = None,
) -> dict[str, Any]:
    """The entry in the `length` bytes from `offset` on, in the spelling of version 3 of pi.

    :param longest: bytes; the long strings of a longer line are cut (`long_lines.shortened`). None: none are.
    :param dialect: that of the file; `version` is that of its format. The header has both.
    :param index: the number of the entry in the file, for version 1.
    :param part: the number of the entry in its line.
    :raises Changed: a line does not begin and end there any more, or has no entry.
    :raises OSError: the file cannot be read.
    """
    spelling = dialect_named(dialect)
    try:
        line = read_line(path, offset, length)
        if longest is not None and length > longest:
            line = shortened(line)
        elif length > LONG_LINE:
            check_memory(DECODED * length)
        entry = entry_in(spelling, line, part)
    except BadLine:
        raise Changed(path) from None
    return without_odd_words(migrate(entry, version, index) if spelling.migrates else entry)


def read_node(path: str, header: Header, node: Node, longest: int | None = None) -> dict[str, Any]:
    """The entry of `node` in the file at `path`. Other parameters and errors are those of `read_entry`."""
    return read_entry(
        path,
        node.offset,
        node.length,
        dialect=header.dialect,
        version=header.version,
        index=node.index,
        part=node.part,
        longest=longest,
    )


def read_line(path: str, offset: int, length: int) -> bytes:
    """The line in the `length` bytes from `offset` on, as it is in the file.

    :raises Changed: a line does not begin and end there any more.
    :raises OSError: the file cannot be read.
    """
    with _opened_at(path, offset) as descriptor:
        line = read_all(descriptor, length, offset)
        if len(line) < length or read_at(descriptor, 1, offset + length) not in (b"\n", b""):
            raise Changed(path)
    return line


def read_beginning(path: str, offset: int, most: int) -> tuple[bytes, bool]:
    """Up to `most` bytes of the line that begins at `offset`, and whether it is longer.

    :raises Changed: no line begins there any more.
    :raises OSError: the file cannot be read.
    """
    with _opened_at(path, offset) as descriptor:
        line, newline, _ = read_all(descriptor, most + 1, offset).partition(b"\n")
    return line[:most], not newline and len(line) > most


@contextmanager
def _opened_at(path: str, offset: int) -> Iterator[int]:
    """The descriptor of the file, in which a line begins at `offset`. Raises as `read_beginning`."""
    start = max(0, offset - 1)
    with opened(path) as descriptor:
        if not begins_a_line(offset, read_at(descriptor, offset - start, start)):
            raise Changed(path)
        yield descriptor


def begins_a_line(offset: int, before: bytes) -> bool:
    """Whether a line may begin at `offset`.

    :param before: the byte before it; empty at the beginning of the file.
    """
    return not before or before == b"\n" or (offset == len(BOM) and before == BOM[-1:])


class FileSnapshot(NamedTuple):
    """Identifies a file and the part of it that was read.

    file          device and inode
    end           the byte after the last newline that was read
    fingerprint   of the file up to `end`
    """

    file: tuple[int, int]
    end: int
    fingerprint: bytes

    @classmethod
    def of(cls, descriptor: int, end: int) -> FileSnapshot:
        """:raises OSError: the file cannot be read."""
        status = os.fstat(descriptor)
        return cls((status.st_dev, status.st_ino), end, fingerprint_of(descriptor, end))

    def size_now(self, path: str, descriptor: int) -> int:
        """The size in bytes of the open file. Its content is not compared.

        :raises Changed: it is another file, or shorter.
        :raises OSError: it cannot be read.
        """
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != self.file or status.st_size < self.end:
            raise Changed(path)
        return status.st_size

    def recognise(self, path: str, descriptor: int) -> int:
        """The size in bytes of the open file, after a check that the part that was read is unchanged.

        :raises Changed: it is another file, or was rewritten.
        :raises OSError: it cannot be read.
        """
        size = self.size_now(path, descriptor)
        if fingerprint_of(descriptor, self.end) != self.fingerprint:
            raise Changed(path)
        return size


NO_SNAPSHOT = FileSnapshot((0, 0), 0, b"")
"""Recognises no file."""
