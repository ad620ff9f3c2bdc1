"""A session opened for reading: the tree of its entries, its leaf, labels and name (DESIGN "How data flows").

Bodies stay in the file; `SessionTree.read` fetches one. Nothing here writes, not even a migration.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.header import Fault, Header, NotASession, find_header
from app.formats.lines import blocks, is_blank
from app.formats.migrate import made_up_id
from app.formats.skim import REFUSALS
from app.sessions.body import Changed, read_entry, read_line
from app.sessions.deepest import deepest
from app.sessions.glimpse import Glimpses
from app.sessions.heads import Heads
from app.sessions.links import Links
from app.sessions.node import Node
from app.sessions.summarise import fingerprint_of, open_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.skim import Skim

__all__ = ["Changed", "Node", "NotASession", "SessionTree", "open_tree"]


class SessionTree:
    """The entries of one session.

    path, header  what was opened
    entries       every entry, in file order
    roots         entries without a parent, in file order; more than one is not rare
    by_id         the last entry with each id
    leaf          where the agent would go on (FORMATS 1.5), None in an empty session
    name          the user's name of the session, raw, or None
    labels        label by entry id, the latest of each; labels of entries that are not there included
    problems      the lines that were skipped and other faults, in file order
    offset        the byte after the last newline that was read
    """

    def __init__(self, path: str, header: Header) -> None:
        self.path = path
        self.header = header
        self.entries: list[Node] = []
        self.leaf: Node | None = None
        self.name = header.name
        self.labels: dict[str, str] = {}
        self.problems: list[Fault] = list(header.faults)
        self.offset = 0
        self._dialect = named(header.dialect)
        self._glimpses = Glimpses(header.version)
        self._heads = Heads()
        self._links = Links()
        self._lines = 0
        self._chained = not header.has_ids
        self._marked: tuple[str | None] | None = None
        self._has_unfinished_entry = False
        self._file: tuple[int, int] = (0, 0)
        self._fingerprint = b""

    @property
    def roots(self) -> list[Node]:
        """Entries without a parent, in file order."""
        return self._links.roots

    @property
    def by_id(self) -> dict[str, Node]:
        """The last entry with each id."""
        return self._links.by_id

    def active_path(self) -> list[Node]:
        """The entries from a root to the leaf; empty in an empty session."""
        path = []
        node = self.leaf
        while node is not None:
            path.append(node)
            node = node.parent
        path.reverse()
        return path

    def read(self, node: Node) -> dict[str, Any]:
        """The whole entry of `node`, as version 3 of pi would spell it.

        :raises Changed: the file is no longer the one that was opened.
        :raises OSError: it cannot be read.
        """
        header = self.header
        return read_entry(
            self.path,
            node.offset,
            node.length,
            dialect=header.dialect,
            version=header.version,
            index=node.index,
            part=node.part,
        )

    def read_line(self, node: Node) -> bytes:
        """The line of `node` as it stands in the file.

        :raises Changed: the file is no longer the one that was opened.
        :raises OSError: it cannot be read.
        """
        return read_line(self.path, node.offset, node.length)

    def extend(self) -> list[Node]:
        """Read what was appended since, and return the new entries, already hung on their parents.

        Labels of entries that were there before, the name and the leaf change in place.

        :raises Changed: the file was written anew, or a new entry changes how older ones hang; open it again.
        :raises OSError: it cannot be read.
        """
        descriptor = open_file(self.path)
        try:
            status = os.fstat(descriptor)
            if (status.st_dev, status.st_ino) != self._file or status.st_size < self.offset:
                raise Changed(self.path)
            if fingerprint_of(descriptor, self.offset) != self._fingerprint:
                raise Changed(self.path)
            if status.st_size == self.offset:
                return []
            if self._has_unfinished_entry or not self._dialect.one_entry_a_line:
                raise Changed(self.path)
            before = len(self.entries)
            self._read(descriptor)
            new = self.entries[before:]
            if self.header.has_ids and (
                self._chained or (not before and all(node.id is None for node in new))
            ):
                # A file without ids, though its version has them: the next entry may show otherwise.
                raise Changed(self.path)
            if self._chained:
                self._number(new)
                self._links.chain(new, self.entries[before - 1] if before else None)
            elif not all(self._links.append(node) for node in new):
                raise Changed(self.path)
            self._settle()
            self._fingerprint = fingerprint_of(descriptor, self.offset)
            return new
        finally:
            os.close(descriptor)

    def _open(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        self._file = (status.st_dev, status.st_ino)
        self._read(descriptor)
        if not self._chained and self.entries and all(node.id is None for node in self.entries):
            self._chained = True
        if self._chained:
            self._number(self.entries)
            self._links.chain(self.entries)
        else:
            self._links.link(self.entries)
        self._settle()
        self._fingerprint = fingerprint_of(descriptor, self.offset)

    def _number(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            node.id = made_up_id(node.index)
            node.parent_id = made_up_id(node.index - 1) if node.index else None

    def _settle(self) -> None:
        """Work out the leaf, and put the labels on their entries."""
        entries = self.entries
        if self._dialect.one_entry_a_line:
            self.leaf = entries[-1] if entries else None
        else:
            shape = [(node.id, node.parent_id) for node in entries]
            wanted = self._marked[0] if self._marked else deepest(shape)
            self.leaf = None if wanted is None else self.by_id.get(wanted)
        by_id = self.by_id
        for target, label in self.labels.items():
            node = by_id.get(target)
            if node is None:
                continue
            node.label = label or None
            if node.duplicate:
                for twin in entries:
                    if twin.id == target:
                        twin.label = node.label
        # A cleared label stays in `labels` until here, so that its entry loses it too.
        self.labels = {target: label for target, label in self.labels.items() if label}

    # reading

    def _read(self, descriptor: int) -> None:
        offset = self.offset
        for block in blocks(descriptor, offset):
            end = block.rfind(b"\n") + 1
            if end:
                self._read_lines(block[:end] if end < len(block) else block, offset)
                offset += end
            if end < len(block):
                self._read_unfinished(block[end:], offset)
        self.offset = offset

    def _read_unfinished(self, line: bytes, offset: int) -> None:
        before = len(self.entries)
        faults = len(self.problems)
        self._read_lines(line, offset)
        self._lines -= 1
        self._has_unfinished_entry = len(self.entries) > before
        if not self._has_unfinished_entry:
            # Whatever is wrong with it, it may still be being written.
            del self.problems[faults:]

    def _read_lines(self, block: bytes, offset: int) -> None:
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        number = self._lines
        self._lines += len(lines)
        if number == 0 and self.header.has_bom and lines:
            self._read_line(lines[0][3:], 1, 3)
            offset += len(lines.pop(0)) + 1
            number = 1
        if not self._dialect.one_entry_a_line:
            for line in lines:
                number += 1
                self._read_line(line, number, offset)
                offset += len(line) + 1
            return
        fast = self._dialect.fast
        entries = self.entries
        make = self._glimpses.node
        for line in lines:
            number += 1
            length = len(line)
            try:
                skim = fast(line)
            except REFUSALS:
                self._read_line(line, number, offset)
            else:
                kind = skim.type
                if kind in _NOT_JUST_ENTRIES or (kind == "message" and skim.message is None):
                    self._take(skim, number, offset, length, 0)
                else:
                    entries.append(make(skim, len(entries), number, offset, length))
            offset += length + 1

    def _read_line(self, line: bytes, number: int, offset: int) -> None:
        if is_blank(line):
            return
        try:
            skims = self._dialect.skims(line)
        except BadLine as bad:
            self.problems.append(Fault(number, offset, bad.reason))
            return
        part = 0
        for skim in skims:
            if type(skim) is Mark:
                self._mark(skim)
            else:
                self._take(skim, number, offset, len(line), part)
                part += 1

    def _take(self, skim: Skim, number: int, offset: int, length: int, part: int) -> None:
        kind = skim.type
        if self._dialect.one_entry_a_line and (kind == "session" or (kind == "title" and skim.id is None)):
            reason = self._heads.fault(skim, len(self.entries))
            if reason:
                self.problems.append(Fault(number, offset, reason))
            return
        node = self._glimpses.node(skim, len(self.entries), number, offset, length)
        node.part = part
        self.entries.append(node)
        if kind == "message":
            if skim.message is None:
                self.problems.append(Fault(number, offset, "a message entry without a message"))
        elif kind == "label":
            self._label(skim)
        elif kind == "session_info":
            self.name = self._dialect.renamed(self.name, (skim.name or "").strip() or None)

    def _label(self, skim: Skim) -> None:
        if skim.target_id is not None and not self._chained:
            self.labels.pop(skim.target_id, None)
            self.labels[skim.target_id] = skim.label or ""

    def _mark(self, mark: Mark) -> None:
        if mark.type == "leaf":
            self._marked = (mark.target_id,)
        elif mark.type == "label":
            self._label(mark)
        elif mark.type == "session_info":
            self.name = (mark.name or "").strip() or None


# What says something about the session besides being an entry, or is none.
_NOT_JUST_ENTRIES = frozenset(("session", "title", "label", "session_info"))


def open_tree(path: str, agents: Sequence[str] = ()) -> SessionTree:
    """Read the session at `path`.

    :param agents: the agents whose store it lies in; empty where that is not known.
    :raises NotASession: it is none; `line` and `reason` say why.
    :raises OSError: it cannot be read.
    """
    descriptor = open_file(path)
    try:
        tree = SessionTree(path, find_header(path, descriptor, agents))
        tree._open(descriptor)
        return tree
    finally:
        os.close(descriptor)
