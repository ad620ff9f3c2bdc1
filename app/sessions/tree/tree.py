"""A session opened for reading: the tree of its entries, its leaf, labels and name.

The bodies of entries and the texts of their rows stay in the file, until `SessionTree.read` and
`SessionTree.read_rows` read them. Nothing here writes, not even a migration.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from operator import attrgetter
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from app.formats.dialects import dialect_named
from app.formats.errors import Cancelled
from app.formats.header import Fault, Header, find_header
from app.formats.json_codec import decode
from app.formats.lines import opened, read_at, run_start
from app.formats.long_lines import LONG_LINE
from app.formats.migrate import made_up_id
from app.formats.timestamps import parse_time
from app.sessions.errors import Changed
from app.sessions.parent_links import Links, deepest_leaf
from app.sessions.tree.entry_loader import NO_SNAPSHOT, FileSnapshot, read_line, read_node
from app.sessions.tree.node import Node, path_to
from app.sessions.tree.row_loader import RowLoader
from app.sessions.tree.tree_builder import TreeBuilder
from app.stores import known_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.formats.dialects.base import Dialect
    from app.redact import Redactor

END_BYTES = 256 << 10
"""Bytes of the end of a file that `open_end` reads."""


class SessionTree:
    """The entries of one session. Their links to each other exist as long as this object.

    path, header  the session
    entries       every entry, in file order
    leaf          the entry that the agent continues from (formats/README.md, "Leaf"); None without entries
    problems      the lines that were skipped and other faults, in file order; only
                  `sessions.summaries.summarise` lists invalid values of entries
    is_whole      False if only the end of the file was read
    growing       is held while `extend` adds entries; hold it to read all of a tree that other threads extend
    """

    def __init__(self, path: str, header: Header) -> None:
        self.path = path
        self.header = header
        self.leaf: Node | None = None
        self.is_whole = True
        self.growing = RLock()
        self.entries: list[Node] = []
        self._rows = RowLoader(path, header, self.entries)
        self._builder = TreeBuilder(header, self.entries)
        self.problems: list[Fault] = self._builder.problems
        self._dialect = dialect_named(header.dialect)
        self._links: Links[Node] = Links()
        self._numbered = not header.has_ids
        self._snapshot = NO_SNAPSHOT

    def __del__(self) -> None:
        for node in self.entries:
            node.parent = None
            node.children.clear()

    @property
    def roots(self) -> list[Node]:
        """Entries without a parent, in file order."""
        return self._links.roots

    @property
    def by_id(self) -> dict[str, Node]:
        """The last entry with each id."""
        return self._links.by_id

    @property
    def name(self) -> str | None:
        """The user's name of the session, raw, or None."""
        return known_name(self.header.agent, self.path, self._builder.name)

    @property
    def labels(self) -> dict[str, str]:
        """The latest label by entry id, also of entries that are not in the file."""
        return self._builder.labels

    def label_time(self, node: Node) -> int | None:
        """When an entry of this tree got its label, in milliseconds since the epoch, UTC; None if it has no
        label, or the file has no time.
        """
        if node.label is None or node.id is None:
            return None
        return parse_time(self._builder.label_stamps.get(node.id))

    def lost_labels(self) -> list[Fault]:
        """The lines with a label of an entry that is not in the file, in file order."""
        faults = []
        for target, line, offset in self._builder.label_lines:
            if target is None or target not in self.by_id:
                whose = "nothing" if target is None else f"{target!r}, which is not in the file"
                faults.append(Fault(line, offset, f"a label on {whose}"))
        return faults

    @property
    def torn(self) -> Fault | None:
        """The last line if it is unfinished and no entry; it is not among the problems."""
        return self._builder.torn

    @property
    def lines(self) -> int:
        """The number of complete lines that were read, with the header."""
        return self._builder.lines

    @property
    def offset(self) -> int:
        """The byte after the last newline that was read."""
        return self._builder.offset

    def find(self, entry_id: str | None, offset: int) -> Node | None:
        """The entry whose line begins at `offset`, if it has the id; else the last one with the id.

        :param entry_id: None for any.
        :param offset: -1 if it is not known.
        """
        entries = self.entries
        index = bisect_left(entries, offset, key=attrgetter("offset")) if offset >= 0 else len(entries)
        while index < len(entries) and entries[index].offset == offset:
            if entry_id is None or entries[index].id == entry_id:
                return entries[index]
            index += 1
        return None if entry_id is None else self.by_id.get(entry_id)

    def active_path(self) -> list[Node]:
        """The entries from a root to the leaf; empty in an empty session."""
        return path_to(self.leaf)

    def read(self, node: Node, longest: int | None = None) -> dict[str, Any]:
        """The entry of `node`, in the spelling of version 3 of pi.

        :param longest: bytes; the long strings of a longer line are cut. None: the entry is whole.
        :raises Changed: the file is no longer the one that was opened.
        :raises OSError: it cannot be read.
        """
        return read_node(self.path, self.header, node, longest)

    def read_compaction(self, node: Node) -> dict[str, Any]:
        """The compaction of `node`, with what lines before it say that it keeps. Raises as `read`."""
        kept = self._builder.kept.get(node.id or "")
        return self.read(node, LONG_LINE) | (decode(bytes(kept)) if kept is not None else {})

    @property
    def dialect(self) -> Dialect:
        """How the entries are spelled."""
        return self._dialect

    def read_line(self, node: Node) -> bytes:
        """The line of `node` as it is in the file.

        :raises Changed: the file is no longer the one that was opened.
        :raises OSError: it cannot be read.
        """
        return read_line(self.path, node.offset, node.length)

    def read_rows(self, nodes: Iterable[Node], redactor: Redactor | None = None) -> None:
        """Set `row_text` of each of `nodes`, entries of this tree, that has none. Raises nothing.

        It may be called in another thread than the one that reads the tree.

        :param redactor: replaces secrets before the texts are cut.
        """
        self._rows.read(nodes, redactor)

    def recognise(self, descriptor: int) -> None:
        """Check that the open file is the one that was read; it may have grown.

        :raises Changed: it is another file, or was rewritten.
        :raises OSError: it cannot be read.
        """
        self._snapshot.recognise(self.path, descriptor)

    def extend(self, known: int | None = None) -> list[Node]:
        """Read what was appended since, and return the new entries, already linked to their parents.

        Labels of older entries, the name and the leaf change in place.

        :param known: the number of entries that the caller knows, if another thread may have read more; None
            if it knows all.
        :raises Changed: the file was rewritten, or a new entry changes the parents of older ones; open it
            again.
        :raises OSError: it cannot be read.
        """
        with self.growing, opened(self.path) as descriptor:
            before = len(self.entries)
            known = before if known is None else known
            if self._snapshot.recognise(self.path, descriptor) == self.offset:
                self._builder.torn = None
                return self.entries[known:]
            if self._builder.unfinished or not self._dialect.one_entry_a_line:
                raise Changed(self.path)
            try:
                self._read_more(descriptor, before)
            except BaseException:
                # It cannot be continued from here.
                self._snapshot = NO_SNAPSHOT
                raise
            return self.entries[known:]

    def _read_more(self, descriptor: int, before: int) -> None:
        """Read the entries after the first `before`. Raises as `extend`."""
        self._builder.read(descriptor)
        new = self.entries[before:]
        if self.header.has_ids and (self._numbered or (not before and all(node.id is None for node in new))):
            # A file without ids, though its version has them: the next entry may show otherwise.
            raise Changed(self.path)
        if not self._link(new, self.entries[before - 1] if before else None):
            raise Changed(self.path)
        self._set_leaf_and_labels()
        self._snapshot = FileSnapshot.of(descriptor, self.offset)

    def _open(self, descriptor: int, keep_going: Callable[[], bool]) -> None:
        self._builder.read(descriptor, keep_going)
        again = self._builder.reader.again()
        if again is not None and self.is_whole:
            self.entries.clear()
            self._builder = TreeBuilder(self.header, self.entries, again)
            self.problems = self._builder.problems
            self._builder.read(descriptor, keep_going)
        if self.is_whole and self.entries and all(node.id is None for node in self.entries):
            self._numbered = True
        if self._numbered or self._dialect.linear:
            self._link(self.entries)
        else:
            self._links.link(self.entries)
        self._set_leaf_and_labels()
        self._snapshot = FileSnapshot.of(descriptor, self.offset)

    def _open_end(self, descriptor: int, offset: int) -> None:
        self.is_whole = False
        self._builder.skip_to(offset)
        self._open(descriptor, lambda: True)
        # Other entries, and entries with a parent that was not read, are left out: their place is not known
        # yet.
        self._links.roots = self.active_path()[:1]
        for root in self._links.roots:
            root.orphan = False

    def _link(self, nodes: Sequence[Node], last: Node | None = None) -> bool:
        """Link the next entries; False if that changes older ones."""
        if self._numbered:
            for node in nodes:
                node.id = made_up_id(node.index)
                node.parent_id = made_up_id(node.index - 1) if node.index else None
        if self._numbered or self._dialect.linear:
            return self._links.chain(nodes, last)
        return all(self._links.append(node) for node in nodes)

    def _set_leaf_and_labels(self) -> None:
        entries = self.entries
        if self._dialect.one_entry_a_line:
            self.leaf = entries[-1] if entries else None
        else:
            shape = [(node.id, node.parent_id) for node in entries]
            marked = self._builder.marked
            leaf_id = marked[0] if marked else deepest_leaf(shape)
            self.leaf = None if leaf_id is None else self.by_id.get(leaf_id)
        by_id = self.by_id
        labels = self.labels
        for target, label in labels.items():
            node = by_id.get(target)
            if node is None:
                continue
            node.label = label or None
            if node.duplicate:
                for twin in entries:
                    if twin.id == target:
                        twin.label = node.label
        # A cleared label stays until here, so that its entry loses it too.
        self._builder.labels = {target: label for target, label in labels.items() if label}


def open_tree(
    path: str, agents: Sequence[str] = (), keep_going: Callable[[], bool] = lambda: True
) -> SessionTree:
    """Read the session at `path`.

    :param agents: the agents whose store the file is in; empty if that is not known.
    :param keep_going: called often; if it returns False, the reading is cancelled.
    :raises NotASession: the file is not a session; `line` and `reason` give the reason.
    :raises Cancelled: `keep_going` returned False.
    :raises OSError: the file cannot be read.
    """
    with opened(path) as descriptor:
        tree = SessionTree(path, find_header(path, descriptor, agents))
        tree._open(descriptor, keep_going)
        return tree


_LOOK_SECONDS = 0.01
"""Seconds between two checks whether a tree that another thread reads is still wanted."""

_trees: WeakValueDictionary[tuple[str, tuple[str, ...]], SessionTree] = WeakValueDictionary()
_opening = Lock()


def shared_tree(
    path: str, agents: Sequence[str] = (), keep_going: Callable[[], bool] = lambda: True
) -> SessionTree:
    """The tree of the session at `path`, as the file is now. It is read if no part of this process has it: a
    tree of 500,000 entries takes 300 MB.

    Other threads may let it grow; see `SessionTree.growing`. Parameters and errors are those of `open_tree`.
    """
    key = path, tuple(agents)
    while not _opening.acquire(timeout=_LOOK_SECONDS):
        if not keep_going():
            raise Cancelled
    try:
        tree = _trees.get(key)
        if tree is not None:
            try:
                tree.extend()
                return tree
            except Changed:
                del tree
        _trees.pop(key, None)
        tree = _trees[key] = open_tree(path, agents, keep_going)
        return tree
    finally:
        _opening.release()


def open_end(path: str, agents: Sequence[str] = ()) -> SessionTree | None:
    """The last entries of a long session, to be shown before the whole session is read.

    They have the right labels, and the same parents as in the whole tree. Indexes, line numbers, the name and
    the problems of the file are not known yet. The first entry of the active path that was read is the only
    root. None if reading the whole session takes no longer, or the end of the file does not show the leaf.

    :raises NotASession: the file is not a session; `line` and `reason` give the reason.
    :raises OSError: the file cannot be read.
    """
    with opened(path) as descriptor:
        size = run_start(descriptor, os.fstat(descriptor).st_size)
        if size < 4 * END_BYTES:
            return None
        header = find_header(path, descriptor, agents)
        if not header.has_ids or not dialect_named(header.dialect).one_entry_a_line:
            return None
        skipped = read_at(descriptor, END_BYTES, size - END_BYTES).find(b"\n") + 1
        if not skipped:
            return None
        tree = SessionTree(path, header)
        tree._open_end(descriptor, size - END_BYTES + skipped)
        return tree if tree.leaf is not None and tree.leaf.id is not None else None
