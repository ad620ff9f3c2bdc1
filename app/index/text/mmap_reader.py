"""Segments mapped for reading, and the search for bytes in them."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any

from app.formats.lines import open_file
from app.index.text.segment import path_of
from app.sessions.passages import BLOCK, MARK, Block, offset_at

try:
    import stringzilla
except ImportError:  # no wheel for this machine: slower, and nothing else
    stringzilla = None  # type: ignore[assignment,unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.index.row import Span

    Find = Callable[[bytes, int, int], int]

LARGE = 256 << 10
"""A look through this much takes so long that other threads should run meanwhile: it is done without the
interpreter's lock. For less, to let go of it and to get it again costs more than the search.
"""

_NEAR = 64 << 10
"""What is often found is found in less than this."""

SLICE = 2 << 20
"""No single look goes through more than this: a quarter of a millisecond, a millisecond without the wheel."""


SELDOM = 3
"""Who asks for more offsets of a block than this, one after the other, has all of them read."""


class Source:
    """Bytes to be searched in: a mapped segment, or some that are in memory.

    find, rfind   (needle, start, end) -> where the first or last one begins, -1 where there is none
    reach         where the last of the texts that were asked for ends
    """

    __slots__ = (
        "_address",
        "_asked",
        "_block",
        "_text",
        "age",
        "data",
        "find",
        "path",
        "reach",
        "rfind",
        "size",
        "status",
    )

    def __init__(
        self,
        data: bytes | mmap.mmap,
        age: int = -1,
        status: os.stat_result | None = None,
        path: str = "",
    ) -> None:
        """:param age: see `Segments.is_safe`.
        :param status: of the file at `path`, as it was mapped.
        """
        self.data = data
        self.age = age
        self.status = status
        self.path = path
        self.size = len(data)
        self.reach = 0
        self.find: Find = data.find
        self.rfind: Find = data.rfind
        self._block: Block | None = None
        self._asked = -1, 0
        self._text: Any = None
        self._address = 0
        if stringzilla is not None:
            self._text = stringzilla.Str(memoryview(data))
            self.find = self._text.find
            self.rfind = self._text.rfind
            self._address = self._text.address

    def find_far(self, needle: bytes, start: int, end: int) -> int:
        """`find`, which lets other threads run where there is much to look through."""
        stop = start + _NEAR
        at = self.find(needle, start, stop if stop < end else end)
        overlap = len(needle) - 1
        while at < 0 and stop < end:
            start = stop - overlap
            stop = min(start + SLICE, end)
            at = self._find_slice(needle, start, stop)
        return at

    def find_free(self, needle: bytes, start: int, end: int) -> int:
        """`find`, which lets other threads run meanwhile, however little there is to look through."""
        search = _sz_find() if self._address else None
        if search is None:
            return self.find(needle, start, end)
        found = search(self._address + start, end - start, needle, len(needle))
        return found - self._address if found else -1

    def _find_slice(self, needle: bytes, start: int, end: int) -> int:
        return (self.find_free if end - start >= LARGE else self.find)(needle, start, end)

    def block(self, mark: int) -> Block:
        """The block with the piece that begins at `mark`; an empty one where there is none."""
        block = self._block
        if block is None or not block.begin < mark < block.end:
            begin = self.rfind(BLOCK, 0, mark) - len(MARK)
            if begin < 0:
                return Block(b"", mark)
            # A text ends with a block. What is behind the last one may be cut off by who writes there.
            stop = self.reach if mark < self.reach else self.size
            end = self.find(BLOCK, mark, stop) - len(MARK)
            # Who asks for one asks for the next, or the one before.
            block = self._block = Block(bytes(self.data[begin : end if end >= 0 else stop]), begin)
        return block

    def offset(self, mark: int) -> int:
        """Where the line of the piece that begins at `mark` begins in its file."""
        block = self._block
        if block is not None and block.begin < mark < block.end:
            return block.offset(mark)
        begin = self.rfind(BLOCK, 0, mark) - len(MARK)
        before, times = self._asked
        if begin < 0 or (begin == before and times == SELDOM):
            return self.block(mark).offset(mark)
        self._asked = begin, times + 1 if begin == before else 1
        return offset_at(self.data, begin, mark)

    def holds(self, start: int, length: int) -> bool:
        """Whether pieces lie there, as far as can be told without reading them."""
        if not length:
            return True
        return start >= 0 and start + length <= self.size and self.data[start : start + 2] == MARK


class Segments:
    """The segments in `folder`. Maps each when it is asked for first, and again when it has grown. Raises
    nothing.

    What is mapped stays as it is while somebody uses it, also when the file is deleted. A file that is cut is
    another matter: the system kills whoever touches what is not there any more. None of us cuts or overwrites
    what is in use; in case somebody else has, whoever begins to read asks `look` first.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._sources: dict[str, Source] = {}
        self.opened = 0
        """How often a file was mapped."""
        self.age = 0
        """How often all was let go of, because a file was not what it was."""

    def source(self, span: Span) -> Source | None:
        """Where a text is; None where its segment is gone, shorter than it should be, or holds something
        else there.
        """
        name, start, length = span
        source = self._sources.get(name)
        if source is None or start + length > source.size:
            source = self._map(name)
        if source is None or not source.holds(start, length):
            return None
        source.reach = max(source.reach, start + length)
        return source

    def look(self, spans: Iterable[Span] | None = None) -> None:
        """Let go of all if any file was cut, or changed otherwise than by adding to it.

        :param spans: what is to be read; None for anything.
        """
        seen = None
        for name in tuple(self._sources) if spans is None else [span[0] for span in spans]:
            source = self._sources.get(name)
            # Most sessions lie in one segment.
            if source is not None and source is not seen and not _is_whole(source):
                self._sources = {}
                self.age += 1
                return
            seen = source

    def is_safe(self, source: Source) -> bool:
        """Whether a source may still be read: it is in memory, or nothing was let go of since."""
        return source.age in (-1, self.age)

    def keep(self, names: set[str]) -> None:
        """Let go of all others."""
        self._sources = {name: source for name, source in self._sources.items() if name in names}

    def _map(self, name: str) -> Source | None:
        path = path_of(self._folder, name)
        try:
            with open(path, "rb", opener=lambda name, _: open_file(name)) as file:
                status = os.fstat(file.fileno())
                data = mmap.mmap(file.fileno(), status.st_size, access=mmap.ACCESS_READ)
                source = Source(data, self.age, status, path)
        except (OSError, ValueError):  # gone; empty
            return None
        self.opened += 1
        self._sources[name] = source
        return source


def _is_whole(source: Source) -> bool:
    """Whether all that was mapped of a segment may be read."""
    before = source.status
    try:
        now = os.stat(source.path)
    except OSError:  # gone
        return True
    if before is None or now.st_ino != before.st_ino:
        return True
    size = before.st_size
    if now.st_size < size or (now.st_size == size and now.st_mtime_ns != before.st_mtime_ns):
        return False
    return source.data[: len(MARK)] == MARK


def runs_free() -> bool:
    """Whether several threads can search at the same time."""
    return _sz_find() is not None


def _sz_find() -> Callable[[int, int, bytes, int], int | None] | None:
    """stringzilla's search as a function that runs without the interpreter's lock."""
    global _search, _is_sought
    if not _is_sought and stringzilla is not None:
        _is_sought = True
        import ctypes

        try:
            found: Any = ctypes.CDLL(stringzilla.__file__).sz_find
            found.restype = ctypes.c_void_p
            found.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
            _search = found
        except (OSError, AttributeError):  # built otherwise: the one that keeps the lock does as well
            pass
    return _search


_search: Callable[[int, int, bytes, int], int | None] | None = None
_is_sought = False
