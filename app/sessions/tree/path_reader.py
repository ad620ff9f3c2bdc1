"""The entries along one path of a session, read only as far as somebody looks.

The end of a session of tens of thousands of entries is found without reading what is before it: the leaf is
the last entry of the file, its parent stands before it, and so on upwards. Where the file alone does not tell
that way what hangs where, the whole tree is read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.dialects import named
from app.formats.header import find_header
from app.formats.lines import lines_end
from app.sessions.tree.anchor import BEGINNING, EntryRef
from app.sessions.tree.entry_lines import EntryLines
from app.sessions.tree.entry_loader import Changed, read_node
from app.sessions.tree.known_file import NO_FILE, KnownFile
from app.sessions.tree.tree_builder import Overtaken
from app.sessions.tree.whole_path import OpenFile, whole_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.header import Header
    from app.sessions.tree.node import Node
    from app.sessions.tree.whole_path import WholePath

__all__ = ["Changed", "Overtaken", "Path", "open_path"]

WHOLE = 1 << 20
"""Bytes of a file up to which its whole tree is read: that takes no longer than one looks."""


class Path:
    """A path from a root to an end, handed out from one entry on in both directions.

    path, header  what was opened
    start         the entry that one begins with: the anchor's, else the leaf; None in an empty session
    found         whether `start` is the anchor's
    trees         how many times the whole tree was read
    """

    def __init__(self, path: str, header: Header, keep_going: Callable[[], bool]) -> None:
        self.path = path
        self.header = header
        self.keep_going = keep_going
        self.start: Node | None = None
        self.found = False
        self.trees = 0
        self._dialect = named(header.dialect)
        self._linear = self._dialect.linear
        self._lines = EntryLines(header)
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
        self._known = NO_FILE
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
        """How many entries the path has; None while nobody knows."""
        if self._wanted is None and self._down >= self._end:
            return len(self._above) + self._given + len(self._below)
        return self._total

    @property
    def first(self) -> int | None:
        """The number, from 1, of the first entry that was handed out; None while nobody knows."""
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
        :raises Overtaken: `keep_going` said no.
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
                self._known = KnownFile.of(descriptor, lines_end(descriptor, size))

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
                    raise Overtaken
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
            # Whatever stands before it is its parent.
            self._wanted = "" if node.offset > self._lines.top else None

    def _look_below(self, most: int) -> list[Node]:
        found: list[Node] = []
        last = self._last
        with OpenFile(self.path) as descriptor:
            self._known.size_now(self.path, descriptor)
            for node in self._lines.behind(descriptor, self._down, self._end):
                if not self.keep_going():
                    raise Overtaken
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
        if size < WHOLE or not header.has_ids or not self._dialect.one_entry_a_line:
            return False
        if self._linear and header.line > 1:
            # Entries may stand before the header, and nothing would name them.
            return False
        self._opened = end = lines_end(descriptor, size)
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
        self._known = KnownFile.of(descriptor, end)
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
        whole = self._whole(None if anchor == BEGINNING else anchor)
        node, steps = whole.through, whole.steps
        self.found = node is not None or (anchor == BEGINNING and bool(steps))
        if not steps:
            return
        at = 0 if anchor == BEGINNING else len(steps) - 1 if node is None else steps.index(node)
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


def open_path(
    path: str,
    agents: Sequence[str] = (),
    anchor: EntryRef | None = None,
    *,
    straight: bool = False,
    entries: int | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> Path:
    """The path of the session at `path` through an entry, else the active one from its end.

    An entry of the active path is on that; of an abandoned branch, the path goes on to the branch's first
    end, which is the branch that `index.search.place` names.

    :param agents: the agents whose store it lies in; empty where that is not known.
    :param straight: no entry has two children, as far as the catalog knows: then what is below an entry is
        found without reading the whole.
    :param entries: how many entries a straight session has, where that is known of the file as it is.
    :param keep_going: asked all the while, also later; when it says no, nobody waits any more.
    :raises NotASession: it is none; `line` and `reason` say why.
    :raises Overtaken: `keep_going` said no.
    :raises OSError: it cannot be read.
    """
    with OpenFile(path) as descriptor:
        opened = Path(path, find_header(path, descriptor, agents), keep_going)
        if anchor != BEGINNING and opened._begin(descriptor, anchor, straight, entries if straight else None):
            return opened
        # what was begun is of no use
        opened = Path(path, opened.header, keep_going)
    opened._begin_whole(anchor)
    return opened
