"""Reads a path of a session from the end of its file, so that a long session opens at once.

The leaf is the last entry of the file, its parent is before it, and so on up to the root. The rest of a
session of tens of thousands of entries is not read. If the file alone does not give the path that way, the
whole tree is read.
"""

from __future__ import annotations

import os
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
    read_at,
    run_start,
    skip_blanks,
)
from app.sessions.errors import Changed
from app.sessions.tree.entry_loader import NO_SNAPSHOT, FileSnapshot, read_node
from app.sessions.tree.node import Node, path_to, skeleton_decoder
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry
    from app.sessions.tree.node import Skeleton
    from app.sessions.tree.tree import SessionTree


class EntryRef(NamedTuple):
    """An entry that a path leads through.

    entry_id   its id; None where it has none
    offset     where its line begins in the file; -1 where only the id is known
    """

    entry_id: str | None
    offset: int


FIRST_ENTRY = EntryRef(None, -1)
"""The first entry of the active path."""


class WholePath(NamedTuple):
    """One path, from a root to an end.

    steps         its entries
    through       the entry that it was to lead through; None where none was named, or it is not there
    active        it is the one to the leaf
    known         the file that was read
    unfinished    the last entry has no newline
    """

    steps: list[Node]
    through: Node | None
    active: bool
    known: FileSnapshot
    unfinished: bool


class OpenFile:
    """An open file, closed at the end."""

    def __init__(self, path: str) -> None:
        """:raises OSError: it cannot be opened."""
        self._descriptor = open_file(path)

    def __enter__(self) -> int:
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def whole_path(
    path: str,
    agents: Sequence[str],
    through: EntryRef | None,
    keep_going: Callable[[], bool],
) -> WholePath:
    """The active path of the session at `path`, or that through an entry: from there on to the branch's first
    end, in the order of the file.

    :param through: the entry; see `SessionTree.find`.
    :raises NotASession: it is none; `line` and `reason` say why.
    :raises Cancelled: `keep_going` said no.
    :raises OSError: it cannot be read.
    """
    tree = open_tree(path, agents, keep_going)
    node = None if through is None else tree.find(*through)
    steps, active = path_through(tree, through)
    # an entry without a LF is in the tree, and not before its offset
    unfinished = any(step.offset >= tree.offset for step in tree.entries[-1:])
    with OpenFile(path) as descriptor:
        known = FileSnapshot.of(descriptor, tree.offset)
    return WholePath(steps, node, active, known, unfinished)


def path_through(tree: SessionTree, through: EntryRef | None) -> tuple[list[Node], bool]:
    """The active path of a tree, or that through an entry which is not on it, and whether it is the active
    one. See `whole_path`.
    """
    node = None if through is None else tree.find(*through)
    steps = tree.active_path()
    if node is None or node in steps:
        return steps, True
    return path_to(_first_end(tree, node)), False


def _first_end(tree: SessionTree, node: Node) -> Node:
    """The first entry of the file that is at or below `node` and has nothing below itself."""
    below: set[int] = {node.index}
    stack = [node]
    while stack:
        for child in stack.pop().children:
            below.add(child.index)
            stack.append(child)
    return next(each for each in tree.entries if each.index in below and not each.children)


BLOCK = 64 << 10
"""Bytes that are read at once on the way upwards."""

_LONG = 512 << 10
"""Bytes of a longer line that are read at once, and looked at for a NUL."""


class EntryScanner:
    """Reads lines of a session with one entry a line. Nodes from here have neither number nor relatives.

    read   bytes that were read so far
    top    the offset behind the header
    """

    def __init__(self, header: Header) -> None:
        self.read = 0
        self.top = header.offset + header.length + 1
        self._dialect = dialect_named(header.dialect)
        self._decode = skeleton_decoder(snake=self._dialect.snake)
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
        outline: Skeleton | PartialEntry
        try:
            outline = self._decode(memoryview(line))
        except DECODE_ERRORS:
            if is_blank(line):
                return None
            try:
                skims = self._dialect.partial_entries(line)
            except BadLine:
                return None
            if len(skims) != 1 or type(skims[0]) is MetadataRecord:
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


__all__ = ["Cancelled", "Changed", "PathReader", "open_path"]

WHOLE_TREE_BYTES = 1 << 20
"""Bytes of a file up to which its whole tree is read: that takes no longer than one looks."""


class PathReader:
    """A path from a root to an end, handed out from one entry on in both directions.

    path, header  what was opened
    start         the entry that one begins with: the anchor's, else the leaf; None in an empty session
    found         whether `start` is the anchor's
    trees         how many times the whole tree was read
    """

    def __init__(
        self, path: str, header: Header, keep_going: Callable[[], bool], through: EntryRef | None = None
    ) -> None:
        self._through = through
        self.path = path
        self.header = header
        self.keep_going = keep_going
        self.start: Node | None = None
        self.found = False
        self.trees = 0
        self._dialect = dialect_named(header.dialect)
        self._linear = self._dialect.linear
        self._lines = EntryScanner(header)
        # of the first entry that was handed out, where the end is known and not the beginning
        self._number: int | None = None
        self._total: int | None = None
        self._given = 0
        # known, and not handed out: each with the next one last
        self._above: list[Node] = []
        self._below: list[Node] = []
        self._last: Node | None = None
        # the parent that is looked for upwards from an offset; None: there is none
        self._wanted: str | None = None
        self._up = 0
        self._known = NO_SNAPSHOT
        # where what follows below is looked for; up to `_opened` the file was there when it was opened
        self._down = 0
        self._opened = 0
        self._straight = True
        self._active = True
        self._unfinished = False

    @property
    def read(self) -> int:
        """Bytes that were read of the file so far; those of trees are not counted."""
        return self._lines.read

    @property
    def _end(self) -> int:
        return self._known.end

    @property
    def total(self) -> int | None:
        """The number of entries of the path; None if it is not known yet."""
        if self._wanted is None and self._down >= self._end:
            return len(self._above) + self._given + len(self._below)
        return self._total

    @property
    def first(self) -> int | None:
        """The number, from 1, of the first entry that was returned; None if it is not known yet."""
        return len(self._above) + 1 if self._wanted is None else self._number

    @property
    def at_root(self) -> bool:
        """Whether nothing is above what was handed out."""
        return not self._above and self._wanted is None

    @property
    def at_end(self) -> bool:
        """Whether nothing is below what was handed out."""
        return not self._below and self._down >= self._end

    @property
    def is_quick_below(self) -> bool:
        """Whether `below` can do without reading the whole tree, as far as is known."""
        return self._straight or self.at_end

    def above(self, most: int) -> list[Node]:
        """The next entries above those that were handed out, the nearest first; fewer than `most` at the
        root.

        :raises Changed: the file is no longer the one that was opened.
        :raises Cancelled: `keep_going` said no.
        :raises OSError: it cannot be read.
        """
        given = self._look_above(most) if self._wanted is not None else []
        while self._above and len(given) < most:
            given.append(self._above.pop())
        if self._number is not None:
            self._number -= len(given)
        self._given += len(given)
        return given

    def below(self, most: int) -> list[Node]:
        """The next entries below those that were handed out, in order; fewer than `most` at the end. Raises
        as `above`, and `Changed` too when the path to the leaf leads elsewhere now.
        """
        if not self._below and self._down < self._end and not self._straight:
            self._open_tree()
        given = [self._below.pop() for _ in range(min(most, len(self._below)))]
        if len(given) < most and not self._below and self._down < self._end:
            given += self._look_below(most - len(given))
        if given:
            self._last = given[-1]
        self._given += len(given)
        return given

    def look_again(self) -> None:
        """See whether something was appended; `below` gives it.

        :raises Changed: the file was written anew, or its end is not as it was.
        :raises OSError: it cannot be read.
        """
        with OpenFile(self.path) as descriptor:
            size = self._known.recognise(self.path, descriptor)
            if size > self._end:
                if self._unfinished or not self._dialect.one_entry_a_line or not self.header.has_ids:
                    raise Changed(self.path)
                self._known = FileSnapshot.of(descriptor, last_line_end(descriptor, size))

    def entry(self, node: Node) -> dict[str, Any]:
        """The whole of an entry, see `SessionTree.read`, which raises the same."""
        self._lines.read += node.length
        return read_node(self.path, self.header, node)

    # reading by the way

    def _look_above(self, most: int) -> list[Node]:
        found: list[Node] = []
        with OpenFile(self.path) as descriptor:
            self._known.size_now(self.path, descriptor)
            for node in self._lines.before(descriptor, self._up):
                if not self.keep_going():
                    raise Cancelled
                if node.id != self._wanted and not self._linear:
                    continue
                found.append(node)
                self._look_up_from(node)
                if self._wanted is None or len(found) == most:
                    return found
        if self._linear:
            self._wanted = None
            return found
        # The parent is not before its child, or nowhere: of this the tree knows.
        self._open_tree()
        return found

    def _look_up_from(self, node: Node) -> None:
        self._wanted, self._up = node.parent_id, node.offset
        if self._linear:
            # The entry before it is its parent.
            self._wanted = "" if node.offset > self._lines.top else None

    def _look_below(self, most: int) -> list[Node]:
        found: list[Node] = []
        last = self._last
        with OpenFile(self.path) as descriptor:
            self._known.size_now(self.path, descriptor)
            for node in self._lines.behind(descriptor, self._down, self._end):
                if not self.keep_going():
                    raise Cancelled
                if last is None or node.parent_id == last.id or self._linear:
                    found.append(node)
                    last = node
                    if self._total is not None:
                        self._total += 1
                elif node.offset < self._opened:
                    # It is not as straight as the catalog says.
                    self._straight = False
                    return found
                elif self._active:
                    raise Changed(self.path)
                self._down = node.offset + node.length + 1
                if len(found) == most:
                    return found
        self._down = self._end
        return found

    # opening

    def _begin(self, descriptor: int, anchor: EntryRef | None, straight: bool, entries: int | None) -> bool:
        """Begin by the way. False where that cannot be done."""
        header, size = self.header, os.fstat(descriptor).st_size
        if (
            self._through is not None
            or size < WHOLE_TREE_BYTES
            or not header.has_ids
            or not self._dialect.one_entry_a_line
        ):
            return False
        if self._linear and header.line > 1:
            # Entries may stand before the header, and nothing would name them.
            return False
        self._opened = end = last_line_end(descriptor, size)
        if anchor is None:
            # A last line without a LF is an entry, unless it is still being written.
            self.start = self._lines.unfinished(descriptor, end, size - end)
            self._unfinished = self.start is not None
            if self.start is None:
                self.start = next(self._lines.before(descriptor, end), None)
            self._down = end
            if entries is not None:
                self._total = self._number = entries
        elif anchor.offset >= 0:
            self.start = self._lines.at(descriptor, anchor.offset, end)
            if self.start is None or self.start.id != anchor.entry_id:
                return False
            self.found = True
            self._down = anchor.offset + self.start.length + 1
            self._straight = straight or self._linear
        if self.start is None or self.start.id is None:
            return False
        self._last, self._given = self.start, 1
        self._look_up_from(self.start)
        self._known = FileSnapshot.of(descriptor, end)
        return True

    def _open_tree(self) -> None:
        """Read the whole tree, and go on with what is known of it around the entries that were handed out."""
        assert self._last is not None
        whole = self._whole(EntryRef(self._last.id, self._last.offset))
        last, steps = whole.through, whole.steps
        begin = next((at for at, step in enumerate(steps) if step.offset == self._up), None)
        if last is None or begin is None:
            raise Changed(self.path)
        self._above, self._wanted = steps[:begin], None
        self._below = steps[: steps.index(last) : -1]
        self._straight = True

    def _begin_whole(self, anchor: EntryRef | None) -> None:
        whole = self._whole(self._through or (None if anchor == FIRST_ENTRY else anchor))
        node, steps = whole.through, whole.steps
        if self._through is not None:
            node = None if anchor is None else _step_of(steps, anchor)
        self.found = node is not None or (anchor == FIRST_ENTRY and bool(steps))
        if not steps:
            return
        at = 0 if anchor == FIRST_ENTRY else len(steps) - 1 if node is None else steps.index(node)
        self.start = self._last = steps[at]
        self._given = 1
        self._above, self._below = steps[:at], steps[:at:-1]

    def _whole(self, anchor: EntryRef | None) -> WholePath:
        """Read the whole tree; of what is appended later `look_again` will know."""
        whole = whole_path(self.path, (self.header.agent,), anchor, self.keep_going)
        self.trees += 1
        self._known = whole.known
        self._down = whole.known.end
        self._unfinished, self._active = whole.unfinished, whole.active
        return whole


def _step_of(steps: Sequence[Node], anchor: EntryRef) -> Node | None:
    """The step at an offset, else the one with the id."""
    if anchor.offset >= 0:
        found = next((step for step in steps if step.offset == anchor.offset), None)
        if found is not None and anchor.entry_id in (None, found.id):
            return found
    return next((step for step in reversed(steps) if step.id == anchor.entry_id is not None), None)


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
    """The path of the session at `path` through an entry, or the active path from its end.

    If the entry is not on the active path, the path continues to the first tip below the entry, which is the
    branch that `index.search.hit_branch` names.

    :param agents: the agents whose store the file is in; empty if that is not known.
    :param straight: no entry has two children, as far as the catalog knows. The entries below an entry can
        then be found without reading the whole file.
    :param entries: the number of entries of a straight session, if it is known for the current file.
    :param through: another entry that the path leads through, if the first one does not say which path.
    :param keep_going: called all the time, also later; if it returns False, the work is cancelled.
    :raises NotASession: the file is not a session; `line` and `reason` give the reason.
    :raises Cancelled: `keep_going` returned False.
    :raises OSError: the file cannot be read.
    """
    with OpenFile(path) as descriptor:
        opened = PathReader(path, find_header(path, descriptor, agents), keep_going, through)
        if anchor != FIRST_ENTRY and opened._begin(
            descriptor, anchor, straight, entries if straight else None
        ):
            return opened
        # what was begun is of no use
        opened = PathReader(path, opened.header, keep_going, through)
    opened._begin_whole(anchor)
    return opened
