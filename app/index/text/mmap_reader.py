"""Memory-mapped segments of the text store, and the search for bytes in them."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any

from app.formats.lines import open_file
from app.index.catalog.span_table import LARGE_SPAN
from app.index.text.segment import WRITTEN, path_of
from app.index.truncation import guard_mapping
from app.sessions.passages import BLOCK, MARK, Block, end_of, is_intact

try:
    import stringzilla
except ImportError:  # no wheel for this machine: the search is slower
    stringzilla = None  # type: ignore[assignment,unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.index.row import Span

    Find = Callable[[bytes, int, int], int]


_DONT_NEED: int | None = getattr(mmap, "MADV_DONTNEED", None)  # not on every system


class Source:
    """Bytes that are searched: a mapped segment, or bytes in memory.

    find, rfind   (needle, start, end) -> the first or the last offset of the needle; -1 if there is none
    address       of the data in memory; 0 without StringZilla
    written       the same texts as they are written, at the same offsets; itself if there are no others
    intact        the spans that were found undamaged, as start -> length
    reach         the end of the last text that `Segments.source` was called for
    age           see `Segments.is_safe`
    is_released   a part of it was taken out of this process's memory
    status        the status of the file at `path` when it was mapped
    """

    __slots__ = (
        "_block",
        "address",
        "age",
        "data",
        "find",
        "intact",
        "is_released",
        "path",
        "reach",
        "rfind",
        "size",
        "status",
        "written",
    )

    def __init__(
        self,
        data: bytes | mmap.mmap,
        age: int = -1,
        status: os.stat_result | None = None,
        path: str = "",
        written: Source | None = None,
    ) -> None:
        self.data = data
        self.age = age
        self.status = status
        self.path = path
        self.written = written or self
        self.size = len(data)
        self.intact: dict[int, int] = {}
        self.reach = 0
        self.is_released = False
        self.find: Find = data.find
        self.rfind: Find = data.rfind
        self._block: Block | None = None
        self.address = 0
        if stringzilla is not None:
            text: Any = stringzilla.Str(memoryview(data))
            self.find, self.rfind, self.address = text.find, text.rfind, text.address

    def block(self, mark: int) -> Block:
        """The block with the passage that begins at `mark`; an empty block if there is none."""
        block = self._block
        if block is None or not block.begin < mark < block.end:
            begin = self.rfind(BLOCK, 0, mark) - len(MARK)
            if begin < 0:
                return Block(b"", mark)
            # A text ends at the end of a block. Bytes after the last text may be removed by their writer.
            stop = self.reach if mark < self.reach else self.size
            end = self.find(BLOCK, mark, stop) - len(MARK)
            # Kept, because most callers need the neighbouring passages too.
            block = self._block = Block(bytes(self.data[begin : end if end >= 0 else stop]), begin)
        return block

    def offset(self, mark: int) -> int:
        """The offset in the session's file of the line of the passage that begins at `mark`."""
        return self.block(mark).offset(mark)

    def has_same_files(self, other: Source) -> bool:
        """Whether both are mappings of the same two files."""
        return [source.status and source.status.st_ino for source in (self, self.written)] == [
            source.status and source.status.st_ino for source in (other, other.written)
        ]

    def holds(self, start: int, length: int) -> bool:
        """Whether undamaged packed passages are there. They are checked once."""
        if not length or self.intact.get(start) == length:
            return True
        end = start + length
        if not (start >= 0 and end <= self.size and self._is_intact(start, end)):
            return False
        self.intact[start] = length
        self.release(start, end)
        return True

    def release(self, start: int, end: int) -> None:
        """Take a large part that was read out of this process's memory: a session of gigabytes needs no
        gigabytes. The next access reads it from the file again.
        """
        if _DONT_NEED is not None and isinstance(self.data, mmap.mmap) and end - start >= LARGE_SPAN:
            self.is_released = True
            begin = start // mmap.PAGESIZE * mmap.PAGESIZE
            self.data.madvise(_DONT_NEED, begin, end - begin)
            if self.written is not self:
                self.written.release(start, end)

    def has_written(self, mark: int) -> bool:
        """Whether the text as it is written of the passage that begins at `mark` is undamaged."""
        if not self.path:  # in memory
            return True
        begin = self.rfind(BLOCK, 0, mark) - len(MARK)
        return begin >= 0 and self.written._is_intact(begin, end_of(self.data, begin))

    def _is_intact(self, start: int, end: int) -> bool:
        return is_intact(self.data, start, end, written=self.path.endswith(WRITTEN))


class Segments:
    """The segments in `folder`. Each is mapped when it is first needed, and again when it has grown. Raises
    nothing.

    A mapping stays valid while it is used, also if the file is deleted. leafmark itself never truncates or
    overwrites text in use. Call `look` before reading, and after it, to notice a file that was changed by
    another program.

    opened           how often a file was mapped
    age              how often all mappings were dropped, because a file was truncated or overwritten
    checks_written   the texts as they are written are checked as well; a search that reads them sets it, and
                     the others do not have to read twice as much from the disk
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._sources: dict[str, Source] = {}
        self.opened = 0
        self.age = 0
        self.checks_written = False

    def source(self, span: Span) -> Source | None:
        """The mapped segment with a text; None if the segment does not exist or is too short, or the text is
        damaged.
        """
        name, start, length = span
        source = self._sources.get(name)
        if source is None or start + length > source.size:
            source = self._map(name)
        if source is None or not source.holds(start, length):
            return None
        if self.checks_written and not source.written.holds(start, length):
            return None
        source.reach = max(source.reach, start + length)
        return source

    def look(self, spans: Iterable[Span] | None = None) -> None:
        """Drop all mappings if a file was truncated or overwritten.

        :param spans: the texts to be read, whose files are checked; None: check all files.
        """
        previous = None
        for name in tuple(self._sources) if spans is None else [span[0] for span in spans]:
            source = self._sources.get(name)
            # Most sessions are in one segment, which is checked once.
            if (
                source is not None
                and source is not previous
                and not (_is_whole(source) and _is_whole(source.written))
            ):
                self._sources = {}
                self.age += 1
                return
            previous = source

    def is_safe(self, source: Source) -> bool:
        """Whether a source can still be read: it is in memory (age -1), or its mapping was not dropped."""
        return source.age in (-1, self.age)

    def keep(self, names: set[str]) -> None:
        """Drop the mappings of all other segments."""
        self._sources = {name: source for name, source in self._sources.items() if name in names}

    def _map(self, name: str) -> Source | None:
        written = self._map_file(path_of(self._folder, name, WRITTEN))
        source = written and self._map_file(path_of(self._folder, name), written)
        if source is None or written is None:
            return None
        # The files differ in size while their writer appends to them, or if one is damaged.
        source.size = min(source.size, written.size)
        self.opened += 1
        before = self._sources.get(name)
        if before is not None and before.has_same_files(source):
            source.intact, written.intact = before.intact, before.written.intact
        self._sources[name] = source
        return source

    def _map_file(self, path: str, written: Source | None = None) -> Source | None:
        try:
            with open(path, "rb", opener=lambda name, _: open_file(name)) as file:
                status = os.fstat(file.fileno())
                data = mmap.mmap(file.fileno(), status.st_size, access=mmap.ACCESS_READ)
                source = Source(data, self.age, status, path, written)
                if source.address:
                    guard_mapping(data, source.address)
                return source
        except (OSError, ValueError):  # deleted; empty
            return None


def _is_whole(source: Source) -> bool:
    """Whether the file of a source has only grown since it was mapped."""
    mapped = source.status
    try:
        now = os.stat(source.path)
    except OSError:  # a deleted file stays mapped
        return True
    if mapped is None or now.st_ino != mapped.st_ino:
        return True
    size = mapped.st_size
    if now.st_size < size or (now.st_size == size and now.st_mtime_ns != mapped.st_mtime_ns):
        return False
    if not source.is_released:
        return source.data[: len(MARK)] == MARK
    # The system may map two megabytes for one byte that is read of a mapping.
    try:
        with open(source.path, "rb", buffering=0, opener=lambda name, _: open_file(name)) as file:
            return file.read(len(MARK)) == MARK
    except OSError:  # deleted meanwhile
        return True
