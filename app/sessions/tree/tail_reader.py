"""Reads a path of a session from the end of its file, so that a long session opens at once.

The leaf is the last entry of the file, its parent is before it, and so on up to the root. The rest of a
session of tens of thousands of entries is not read. If the file alone does not give the path that way, the
whole tree is read.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.errors import Cancelled
from app.formats.header import find_header
from app.formats.json_codec import DECODE_ERRORS, BadLine
from app.formats.lines import (
    BLANK_BYTES,
    is_blank,
    last_line_end,
    line_windows,
    open_file,
    read_all,
    read_at,
    run_start,
    skip_blanks,
)
from app.sessions.errors import Changed
from app.sessions.tree.entry_loader import NO_SNAPSHOT, FileSnapshot, read_node
from app.sessions.tree.entry_ref import FIRST_ENTRY, EntryRef
from app.sessions.tree.node import Node, path_to, skeleton_decoder
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry
    from app.sessions.tree.node import Skeleton
    from app.sessions.tree.tree import SessionTree


class WholePath(NamedTuple):
    """A path from a root to the end of a branch, from a tree that was read whole.

    entries       its entries
    through       the entry that was asked for; None if there was no such question, or it is not in the file
    is_active     it is the path to the leaf
    snapshot      the file that was read
    unfinished    the last entry of the file has no newline
    """

    entries: list[Node]
    through: Node | None
    is_active: bool
    snapshot: FileSnapshot
    unfinished: bool


@contextmanager
def _opened(path: str) -> Iterator[int]:
    """The descriptor of the open file. :raises OSError: it cannot be opened."""
    descriptor = open_file(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def whole_path(
    path: str,
    agents: Sequence[str],
    through: EntryRef | None,
    keep_going: Callable[[], bool],
) -> WholePath:
    """Read the whole tree of the session at `path`, and return one path; see `path_through`.

    :param through: the entry; see `SessionTree.find`.
    :raises NotASession: the file is not a session; `line` and `reason` give the reason.
    :raises Cancelled: `keep_going` returned False.
    :raises OSError: the file cannot be read.
    """
    tree = open_tree(path, agents, keep_going)
    node = None if through is None else tree.find(*through)
    entries, is_active = path_through(tree, through)
    # An entry without a newline is in the tree, but after its offset.
    unfinished = any(entry.offset >= tree.offset for entry in tree.entries[-1:])
    with _opened(path) as descriptor:
        snapshot = FileSnapshot.of(descriptor, tree.offset)
    return WholePath(entries, node, is_active, snapshot, unfinished)


def path_through(tree: SessionTree, through: EntryRef | None) -> tuple[list[Node], bool]:
    """The active path of a tree and True. If an entry is not on that path, the path through the entry to the
    first end of a branch below it, in the order of the file, and False.
    """
    node = None if through is None else tree.find(*through)
    entries = tree.active_path()
    if node is None or node in entries:
        return entries, True
    return path_to(_first_end(tree, node)), False


def _first_end(tree: SessionTree, node: Node) -> Node:
    """The first entry of the file without children that is `node` or below it."""
    below: set[int] = {node.index}
    stack = [node]
    while stack:
        for child in stack.pop().children:
            below.add(child.index)
            stack.append(child)
    return next(entry for entry in tree.entries if entry.index in below and not entry.children)


BLOCK = 64 << 10
"""Bytes that are read at once on the way up."""

_PIECE = 512 << 10
"""Bytes of a longer line that are read at once and searched for a NUL."""


class EntryScanner:
    """Reads entries of a session with one entry a line, in either direction. The nodes have neither an index
    nor a parent and children.

    read   bytes that were read so far
    top    the offset after the header
    """

    def __init__(self, header: Header) -> None:
        self.read = 0
        self.top = header.offset + header.length + 1
        self._dialect = dialect_named(header.dialect)
        self._decode = skeleton_decoder(snake=self._dialect.snake)
        # (offset, bytes) of the last block on the way up: it usually has the next lines too.
        self._block: tuple[int, bytes] | None = None

    def before(self, descriptor: int, end: int) -> Iterator[Node]:
        """The entries between the header and `end`, where a line begins; the last one first.

        :raises OSError: the file cannot be read.
        """
        start, block = self._block if self._block and self._block[0] < end else (end, b"")
        while end > self.top:
            newline = block.rfind(b"\n", 0, end - 1 - start) if start < end - 1 else -1
            while newline < 0 and start > self.top:
                size = min(BLOCK, start - self.top)
                start -= size
                block = self._bytes(descriptor, size, start)
                self._block = start, block
                newline = block.rfind(b"\n", 0, end - 1 - start)
                if newline < 0 and block.endswith(b"\0"):
                    start, block = run_start(descriptor, self.top, start + len(block)), b""
            begin = start + newline + 1 if newline >= 0 else self.top
            if end - 1 <= start + len(block):
                line = block[begin - start : end - 1 - start]
            else:
                line = self._line(descriptor, end - 1 - begin, begin)
            end = begin
            if not line or line.isspace():
                # A blank line may be one of millions: those above it are skipped at once.
                blanks = run_start(descriptor, self.top, begin, BLANK_BYTES)
                first = read_at(descriptor, min(BLOCK, begin - blanks), blanks).find(b"\n")
                end = blanks + first + 1 if first >= 0 else begin
                if end <= start:
                    start, block = end, b""
                continue
            node = self._node(line, begin)
            if node is not None:
                yield node

    def between(self, descriptor: int, offset: int, end: int) -> Iterator[Node]:
        """The entries from `offset`, where a line begins, to `end`.

        :raises OSError: the file cannot be read.
        """
        for buffer, size, length in line_windows(descriptor, offset):
            self.read += size
            begin, _ = skip_blanks(buffer, 0, size)
            while begin < size and offset + begin < end:
                stop = buffer.find(b"\n", begin, size)
                stop = size if stop < 0 else stop
                node = self._node(bytes(buffer[begin:stop]), offset + begin)
                if node is not None:
                    yield node
                begin, _ = skip_blanks(buffer, min(stop + 1, size), size)
            offset += length
            if offset >= end:
                return

    def at(self, descriptor: int, offset: int, end: int) -> Node | None:
        """The entry whose line begins at `offset`, before `end`; None if there is none.

        :raises OSError: the file cannot be read.
        """
        if offset and self._bytes(descriptor, 1, offset - 1) != b"\n":
            return None
        node = next(self.between(descriptor, offset, end), None)
        return node if node is not None and node.offset == offset else None

    def unfinished(self, descriptor: int, offset: int, size: int) -> Node | None:
        """The entry in the last `size` bytes of the file, which have no newline; None if they are no complete
        entry, because the agent is still writing it.

        :param offset: of the first of these bytes.
        :raises OSError: the file cannot be read.
        """
        return self._node(self._line(descriptor, size, offset), offset)

    def _node(self, line: bytes, offset: int) -> Node | None:
        """The entry of a line; None if the line is no entry."""
        outline: Skeleton | PartialEntry
        try:
            outline = self._decode(memoryview(line))
        except DECODE_ERRORS:
            if is_blank(line):
                return None
            try:
                partial_entries = self._dialect.partial_entries(line)
            except BadLine:
                return None
            if len(partial_entries) != 1 or type(partial_entries[0]) is MetadataRecord:
                return None
            outline = partial_entries[0]
        kind = outline.type or ""
        if kind == "session" or (kind == "title" and outline.id is None):
            return None
        return Node(0, outline.id, outline.parent_id, kind, None, 0, offset, len(line), outline.timestamp)

    def _line(self, descriptor: int, size: int, offset: int) -> bytes:
        """A line of `size` bytes, or the part up to its first NUL, which no entry has."""
        pieces = []
        while size > 0 and (piece := read_at(descriptor, min(size, _PIECE), offset)):
            self.read += len(piece)
            nul = piece.find(0)
            if nul >= 0:
                return piece[: nul + 1]
            pieces.append(piece)
            offset += len(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _bytes(self, descriptor: int, size: int, offset: int) -> bytes:
        data = read_all(descriptor, size, offset)
        self.read += len(data)
        return data


WHOLE_TREE_BYTES = 1 << 20
"""Bytes of a file up to which its whole tree is read, which takes a few milliseconds."""


class PathReader:
    """A path from a root to the end of a branch. It returns the entries above and below the first one, as
    many at a time as the caller wants.

    path, header  the session
    start         the entry to begin with: the one that was asked for, else the leaf; None in an empty session
    found         whether `start` is the entry that was asked for
    trees         how many times the whole tree was read
    """

    def __init__(
        self, path: str, header: Header, keep_going: Callable[[], bool], through: EntryRef | None
    ) -> None:
        self._through = through
        self.path = path
        self.header = header
        self.keep_going = keep_going
        self.start: Node | None = None
        self.found = False
        self.trees = 0
        self._dialect = dialect_named(header.dialect)
        self._is_linear = self._dialect.linear
        self._scanner = EntryScanner(header)
        # The number of all entries, if the catalog knows it.
        self._total: int | None = None
        # How many entries were returned, and the lowest of them.
        self._returned = 0
        self._last: Node | None = None
        # Entries that are known and not returned yet, each list with the next one last.
        self._above: list[Node] = []
        self._below: list[Node] = []
        # The parent that is searched for before an offset; None if there is none.
        self._parent_id: str | None = None
        self._up_offset = 0
        # The offset from which entries below are searched for, and the end of the file when it was opened.
        self._down_offset = 0
        self._opened_end = 0
        self._snapshot = NO_SNAPSHOT
        self._is_straight = True
        self._is_active = True
        self._unfinished = False

    @property
    def read(self) -> int:
        """Bytes that were read of the file so far, without those of whole trees."""
        return self._scanner.read

    @property
    def _end(self) -> int:
        return self._snapshot.end

    @property
    def total(self) -> int | None:
        """The number of entries of the path; None if it is not known yet."""
        if self._parent_id is None and self._down_offset >= self._end:
            return len(self._above) + self._returned + len(self._below)
        return self._total

    @property
    def at_root(self) -> bool:
        """Whether the root was returned."""
        return not self._above and self._parent_id is None

    @property
    def at_end(self) -> bool:
        """Whether the last entry was returned."""
        return not self._below and self._down_offset >= self._end

    @property
    def is_quick_below(self) -> bool:
        """Whether `below` need not read the whole tree, as far as is known."""
        return self._is_straight or self.at_end

    def above(self, most: int) -> list[Node]:
        """The next entries above those that were returned, the nearest first; fewer than `most` at the root.

        :raises Changed: the file is no longer the one that was opened.
        :raises Cancelled: `keep_going` returned False.
        :raises OSError: the file cannot be read.
        """
        entries = self._search_above(most) if self._parent_id is not None else []
        while self._above and len(entries) < most:
            entries.append(self._above.pop())
        self._returned += len(entries)
        return entries

    def below(self, most: int) -> list[Node]:
        """The next entries below those that were returned, in order; fewer than `most` at the end.

        Raises as `above`. `Changed` also if the path to the leaf now leads elsewhere.
        """
        if not self._below and self._down_offset < self._end and not self._is_straight:
            self._continue_with_tree()
        entries = [self._below.pop() for _ in range(min(most, len(self._below)))]
        if len(entries) < most and not self._below and self._down_offset < self._end:
            entries += self._search_below(most - len(entries))
        if entries:
            self._last = entries[-1]
        self._returned += len(entries)
        return entries

    def look_again(self) -> None:
        """Find out whether the file has grown; `below` returns the new entries.

        :raises Changed: the file was rewritten, or its end has changed.
        :raises OSError: the file cannot be read.
        """
        with _opened(self.path) as descriptor:
            size = self._snapshot.recognise(self.path, descriptor)
            if size > self._end:
                if self._unfinished or not self._dialect.one_entry_a_line or not self.header.has_ids:
                    raise Changed(self.path)
                self._snapshot = FileSnapshot.of(descriptor, last_line_end(descriptor, size))

    def entry(self, node: Node) -> dict[str, Any]:
        """The whole entry of `node`. Raises as `SessionTree.read`."""
        self._scanner.read += node.length
        return read_node(self.path, self.header, node)

    # searching without the tree

    def _search_above(self, most: int) -> list[Node]:
        entries: list[Node] = []
        with _opened(self.path) as descriptor:
            self._snapshot.size_now(self.path, descriptor)
            for node in self._scanner.before(descriptor, self._up_offset):
                if not self.keep_going():
                    raise Cancelled
                if node.id != self._parent_id and not self._is_linear:
                    continue
                entries.append(node)
                self._search_parent_of(node)
                if self._parent_id is None or len(entries) == most:
                    return entries
        if self._is_linear:
            self._parent_id = None
            return entries
        # The parent is after its child, or missing. Only the tree tells.
        self._continue_with_tree()
        return entries

    def _search_parent_of(self, node: Node) -> None:
        self._parent_id, self._up_offset = node.parent_id, node.offset
        if self._is_linear:
            # The entry before it is its parent.
            self._parent_id = "" if node.offset > self._scanner.top else None

    def _search_below(self, most: int) -> list[Node]:
        entries: list[Node] = []
        last = self._last
        with _opened(self.path) as descriptor:
            self._snapshot.size_now(self.path, descriptor)
            for node in self._scanner.between(descriptor, self._down_offset, self._end):
                if not self.keep_going():
                    raise Cancelled
                if last is None or node.parent_id == last.id or self._is_linear:
                    entries.append(node)
                    last = node
                    if self._total is not None:
                        self._total += 1
                elif node.offset < self._opened_end:
                    # The session has branches, although the catalog says that it has none.
                    self._is_straight = False
                    return entries
                elif self._is_active:
                    raise Changed(self.path)
                self._down_offset = node.offset + node.length + 1
                if len(entries) == most:
                    return entries
        self._down_offset = self._end
        return entries

    # opening

    def _open_at(self, descriptor: int, anchor: EntryRef | None, straight: bool, entries: int | None) -> bool:
        """Begin without the tree, and return whether that is possible. See `open_path`."""
        header, size = self.header, os.fstat(descriptor).st_size
        if (
            self._through is not None
            or size < WHOLE_TREE_BYTES
            or not header.has_ids
            or not self._dialect.one_entry_a_line
        ):
            return False
        if self._is_linear and header.line > 1:
            # There may be entries before the header, and no entry would name them.
            return False
        self._opened_end = end = last_line_end(descriptor, size)
        if anchor is None:
            # A last line without a newline is an entry, unless it is still being written.
            self.start = self._scanner.unfinished(descriptor, end, size - end)
            self._unfinished = self.start is not None
            if self.start is None:
                self.start = next(self._scanner.before(descriptor, end), None)
            self._down_offset = end
            if entries is not None:
                self._total = entries
        elif anchor.offset >= 0:
            self.start = self._scanner.at(descriptor, anchor.offset, end)
            if self.start is None or self.start.id != anchor.entry_id:
                return False
            self.found = True
            self._down_offset = anchor.offset + self.start.length + 1
            self._is_straight = straight or self._is_linear
        if self.start is None or self.start.id is None:
            return False
        self._last, self._returned = self.start, 1
        self._search_parent_of(self.start)
        self._snapshot = FileSnapshot.of(descriptor, end)
        return True

    def _continue_with_tree(self) -> None:
        """Read the whole tree, and take the entries around those that were returned from it."""
        assert self._last is not None
        whole = self._read_tree(EntryRef(self._last.id, self._last.offset))
        last, entries = whole.through, whole.entries
        begin = next((i for i, entry in enumerate(entries) if entry.offset == self._up_offset), None)
        if last is None or begin is None:
            raise Changed(self.path)
        self._above, self._parent_id = entries[:begin], None
        self._below = entries[: entries.index(last) : -1]
        self._is_straight = True

    def _open_tree(self, anchor: EntryRef | None) -> None:
        """Begin with the whole tree. The parameter is that of `open_path`."""
        whole = self._read_tree(self._through or (None if anchor == FIRST_ENTRY else anchor))
        node, entries = whole.through, whole.entries
        if self._through is not None:
            node = None if anchor is None else _entry_at(entries, anchor)
        self.found = node is not None or (anchor == FIRST_ENTRY and bool(entries))
        if not entries:
            return
        index = 0 if anchor == FIRST_ENTRY else len(entries) - 1 if node is None else entries.index(node)
        self.start = self._last = entries[index]
        self._returned = 1
        self._above, self._below = entries[:index], entries[:index:-1]

    def _read_tree(self, through: EntryRef | None) -> WholePath:
        """Read the whole tree. `look_again` finds what is appended later."""
        whole = whole_path(self.path, (self.header.agent,), through, self.keep_going)
        self.trees += 1
        self._snapshot = whole.snapshot
        self._down_offset = whole.snapshot.end
        self._unfinished, self._is_active = whole.unfinished, whole.is_active
        return whole


def _entry_at(entries: Sequence[Node], ref: EntryRef) -> Node | None:
    """The entry at the offset of `ref`, else the last one with its id."""
    if ref.offset >= 0:
        at_offset = next((entry for entry in entries if entry.offset == ref.offset), None)
        if at_offset is not None and ref.entry_id in (None, at_offset.id):
            return at_offset
    return next((entry for entry in reversed(entries) if entry.id == ref.entry_id is not None), None)


def open_path(
    path: str,
    agents: Sequence[str] = (),
    anchor: EntryRef | None = None,
    *,
    straight: bool = False,
    entries: int | None = None,
    through: EntryRef | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> PathReader:
    """The path of the session at `path` through the entry `anchor`, or the active path from its end.

    If the entry is not on the active path, the path continues to the first tip below the entry, which is the
    branch that `index.search.hit_branch` names.

    :param agents: the agents whose store the file is in; empty if that is not known.
    :param straight: no entry has two children, as far as the catalog knows. The entries below an entry can
        then be found without reading the whole file.
    :param entries: the number of entries of a straight session, if it is known for the current file.
    :param through: another entry that the path leads through, if the first one does not say which path.
    :param anchor: the entry to begin with; `FIRST_ENTRY` for the root, None for the leaf.
    :param keep_going: called often, also by the methods of the result; if it returns False, they are
        cancelled.
    :raises NotASession: the file is not a session; `line` and `reason` give the reason.
    :raises Cancelled: `keep_going` returned False.
    :raises OSError: the file cannot be read.
    """
    with _opened(path) as descriptor:
        opened = PathReader(path, find_header(path, descriptor, agents), keep_going, through)
        if anchor != FIRST_ENTRY and opened._open_at(
            descriptor, anchor, straight, entries if straight else None
        ):
            return opened
        # The first attempt has left some fields set.
        opened = PathReader(path, opened.header, keep_going, through)
    opened._open_tree(anchor)
    return opened
