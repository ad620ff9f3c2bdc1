"""Reads which files the tool calls of a session touched (`formats.touched_files`).

They are not read with the summary: few queries name a file, and reading them would slow down every index.
"""

from __future__ import annotations

import marshal
import os
import zlib
from array import array
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from app.formats.dialects import dialect_named
from app.formats.glued import entries_in
from app.formats.header import find_header
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, digest_before, line_windows, opened
from app.formats.nested_calls import nested_calls
from app.formats.odd_values import without_odd_words
from app.formats.text import valid_string_of
from app.formats.tool_calls import call_blocks
from app.formats.touched_files import KINDS, READ, Touch, is_path, touches_of_call, touches_of_result

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from app.formats.dialects.base import Dialect

_CALLS = (b"oolCall", b"tool_call", b"tool_use", b"_call", b"nestedCalls")
"""One of these is in each line with a call."""
_RESULTS = (b"oolResult", b"tool_result", b"_output", b'"tool"')
"""One of these is in each line with a result."""
_COLUMNS = "qIBIII"
"""The fields of `TouchedFile`, with the numbers of path and kind, and a digest of the id of the call, by
which `_Reader` recognises calls that are repeated. Each offset is packed relative to the one before.
"""
_MOST = (1 << 32) - 1


class TouchedFile(NamedTuple):
    """A file that a call touched.

    offset   where the line of the call begins in the session's file
    path     relative to the session's folder if it lies in it, else absolute, or as it was given with `~`
    kind     one of `formats.touched_files.KINDS`
    added, removed   lines, as far as they are known
    """

    offset: int
    path: str
    kind: str
    added: int
    removed: int


class PackedTouches(NamedTuple):
    """The files that a session touched, and what a reading of appended lines continues from.

    paths     each once; those that were changed come first
    changed   how many of them were changed, and not only read
    packed    each touch, in the order of the calls (`unpacked_touches`)
    end       the offset of the byte after the last line that was read
    check     a digest of the bytes before it
    waiting   the calls without a result, which may fail yet: [(id, offset, touches)], packed
    """

    paths: tuple[str, ...]
    changed: int
    packed: bytes
    end: int = 0
    check: int = 0
    waiting: bytes = b""


def unpacked_touches(touches: PackedTouches) -> list[TouchedFile]:
    """Each touch, in the order of the calls.

    :raises ValueError, zlib.error: the bytes are damaged.
    """
    found = [
        TouchedFile(offset, touches.paths[path], KINDS[kind], added, removed)
        for offset, path, kind, added, removed, _ in zip(*_unpacked(touches.packed), strict=True)
    ]
    for offset, waiting in _waiting(touches.waiting).values():
        found += [TouchedFile(offset, *touch) for touch in waiting]
    return sorted(found, key=attrgetter("offset"))


def _packed(columns: Sequence[array[int]]) -> bytes:
    offsets = columns[0]
    steps = array("q", [now - before for now, before in zip(offsets, [0, *offsets], strict=False)])
    return zlib.compress(b"".join(map(bytes, [steps, *columns[1:]])), 1)


def _unpacked(packed: bytes) -> list[array[int]]:
    data = zlib.decompress(packed) if packed else b""
    columns = [array(code) for code in _COLUMNS]
    count = len(data) // sum(column.itemsize for column in columns)
    start = 0
    for column in columns:
        end = start + count * column.itemsize
        column.frombytes(data[start:end])
        start = end
    columns[0] = array("q", accumulate(columns[0]))
    return columns


def _waiting(packed: bytes) -> dict[str, tuple[int, list[Touch]]]:
    return {
        call: (offset, [Touch(*touch) for touch in touches])
        for call, offset, touches in (marshal.loads(packed) if packed else ())
    }


def read_touches(
    path: str, agents: Sequence[str], cwd: str, before: PackedTouches | None = None
) -> PackedTouches:
    """The files that the session at `path` touched. Lines that cannot be read are left out, and calls without
    a result count.

    :param agents: the agents whose store it lies in, usually one.
    :param cwd: the folder of the session, to which its paths are relative.
    :param before: the last reading of the same file: only what was appended since is read.
    :raises NotASession: it is no session.
    :raises OSError: it cannot be read.
    """
    with opened(path) as descriptor:
        header = find_header(path, descriptor, agents)
        if before is not None and digest_before(descriptor, before.end) != before.check:
            before = None
        reader = _Reader(dialect_named(header.dialect), cwd, before or PackedTouches((), 0, b""))
        for buffer, size, length in line_windows(descriptor, reader.end):
            reader.add(bytes(buffer[:size]), length)
        return reader.finish(digest_before(descriptor, reader.end))


class _Reader:
    """The touches of the lines so far.

    end   the offset of the byte after the last line
    """

    def __init__(self, dialect: Dialect, cwd: str, before: PackedTouches) -> None:
        self.end = before.end
        self._dialect = dialect
        self._cwd = cwd
        self._numbers = {path: number for number, path in enumerate(before.paths)}
        self._columns = _unpacked(before.packed)
        # By the ids of the calls: where their lines begin, and what they touch.
        self._waiting = _waiting(before.waiting)

    def add(self, lines: bytes, length: int) -> None:
        """Add the next lines.

        :param length: their bytes in the file.
        """
        offset = self.end
        *whole, rest = lines.split(b"\n")
        for line in whole:
            if self._may_matter(line):
                for entry in entries_in(line.removeprefix(BOM) if not offset else line, self._dialect):
                    self._add_entry(without_odd_words(entry), offset)
            offset += len(line) + 1
        # Only a line that is alone has another length in the file.
        size = len(lines) - len(rest)
        self.end += size if rest else length
        if rest and self._may_matter(rest):
            try:
                entries = self._dialect.entries(rest)
            except BadLine:
                return  # It is read again when it is whole.
            for entry in entries:
                self._add_entry(without_odd_words(entry), offset)
            self.end += length - size

    def _may_matter(self, line: bytes) -> bool:
        return any(mark in line for mark in _CALLS) or (
            bool(self._waiting) and any(mark in line for mark in _RESULTS)
        )

    def _add_entry(self, entry: dict[str, Any], offset: int) -> None:
        message = entry.get("message")
        if not isinstance(message, dict):
            return
        for block in call_blocks(entry):
            name = valid_string_of(block.get("name"))
            touches = self._inside(touches_of_call(name, block.get("arguments"), self._dialect))
            if touches:
                call = valid_string_of(block.get("id"))
                if self._waiting.get(call, (0, None))[1] != touches:
                    # Some models give each call the same id.
                    self._close(call)
                    self._waiting[call] = offset, touches
        if message.get("role") == "toolResult":
            self._close(valid_string_of(message.get("toolCallId")), message)
            for nested in nested_calls(entry):
                if not nested.failed:
                    touches = touches_of_call(nested.name, nested.arguments, self._dialect)
                    self._keep(offset, "", self._inside(touches))

    def _inside(self, touches: Sequence[Touch]) -> list[Touch]:
        """The touches with their paths as they are kept."""
        found = [touch._replace(path=relative_path(touch.path, self._cwd)) for touch in touches]
        return [touch for touch in found if touch.path]

    def _close(self, call: str, message: dict[str, Any] | None = None) -> None:
        """Keep what a call touched, as its result tells; without one as it tells itself."""
        if call in self._waiting:
            offset, touches = self._waiting.pop(call)
            if message is not None:
                touches = self._inside(touches_of_result(message, touches))
            self._keep(offset, call, touches)

    def _keep(self, offset: int, call: str, touches: Sequence[Touch]) -> None:
        digest = 0 if self._dialect.one_entry_a_line else zlib.crc32(call.encode())
        for path, kind, added, removed in touches:
            number = self._numbers.setdefault(path, len(self._numbers))
            counts = (min(added, _MOST), min(removed, _MOST))
            values = (offset, number, KINDS.index(kind), *counts, digest)
            for column, value in zip(self._columns, values, strict=True):
                column.append(value)

    def finish(self, check: int) -> PackedTouches:
        """All touches.

        :param check: see `PackedTouches`.
        """
        if not self._dialect.one_entry_a_line:
            self._drop_repeated()
        waiting = [
            (call, offset, [*map(tuple, touches)]) for call, (offset, touches) in self._waiting.items()
        ]
        # Path -> whether it was changed. A path that only a call named which has failed since is left out.
        changed: dict[str, bool] = {}
        paths = list(self._numbers)
        touched = [(paths[number], KINDS[kind]) for number, kind in zip(*self._columns[1:3], strict=True)]
        touched += [touch[:2] for _, touches in self._waiting.values() for touch in touches]
        for path, kind in touched:
            changed[path] = changed.get(path, False) or kind != READ
        order = sorted(changed, key=lambda path: not changed[path])
        places = {self._numbers[path]: place for place, path in enumerate(order) if path in self._numbers}
        self._columns[1] = array("I", [places[number] for number in self._columns[1]])
        return PackedTouches(
            tuple(order),
            sum(changed.values()),
            _packed(self._columns),
            self.end,
            check,
            marshal.dumps(waiting) if waiting else b"",
        )

    def _drop_repeated(self) -> None:
        """Drop the touches of calls that a compaction has repeated."""
        first: dict[tuple[int, ...], int] = {}
        for index, (_, *touch) in enumerate(zip(*self._columns, strict=True)):
            first.setdefault(tuple(touch), index)  # all but the offset
        if len(first) < len(self._columns[0]):
            kept = list(first.values())
            self._columns = [
                array(column.typecode, map(column.__getitem__, kept)) for column in self._columns
            ]


def relative_path(path: str, cwd: str) -> str:
    """A path as it is kept: relative to the session's folder if it lies in it. "" for this folder itself.

    :param cwd: the folder; "" if it is not known.
    """
    if path.startswith("file://"):
        path = path[len("file://") :]
    if not path.startswith("~"):
        path = os.path.normpath(os.path.join(cwd, path))
        inside = cwd.rstrip("/") + "/"
        if cwd and (path + "/").startswith(inside):
            path = path[len(inside) :]
    return path if path != "." and is_path(path) else ""
