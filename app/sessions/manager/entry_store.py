"""The entries of one session in memory: in order, by id, with labels, name and leaf
(formats/README.md, "Behaviour of SessionManager").

Filled from the bytes of a file, line by line, or entry by entry as they are made. Knows nothing of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.collector import Resting
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.lines import BOM, after_blanks, is_blank
from app.formats.migrate import made_up_id
from app.formats.skim import REFUSALS
from app.formats.trim import trimmed
from app.sessions.errors import Damage, DamagedLine, NulBytes, TornLine
from app.sessions.header_checks import MORE_THAN_ENTRIES, Heads
from app.sessions.leaf import deepest
from app.sessions.manager.entry import DECODE, Entry, Spelling

if TYPE_CHECKING:
    from app.formats.dialects.base import Dialect
    from app.formats.skim import Skim

_NO_ENTRIES = frozenset(("session", "title"))


class EntryStore:
    """What a session consists of.

    file          the path of its file, for errors
    entries       every entry, in file order
    by_id         the last entry with each id
    labels        label by entry id, the latest of each; cleared ones are gone
    label_times   the timestamp of the label entry, by the id of its target
    name          the user's name of the session as written, or None
    leaf_id       where the next entry goes, None before any entry
    skipped       the lines that are no entries, in file order
    """

    def __init__(self, file: str, dialect: str, version: int, name: str | None = None) -> None:
        self.file = file
        self.dialect: Dialect = named(dialect)
        self.spelling = Spelling(self.dialect, version)
        self.entries: list[Entry] = []
        self.by_id: dict[str, Entry] = {}
        self.labels: dict[str, str] = {}
        self.label_times: dict[str, Any] = {}
        self.name = name
        self.leaf_id: str | None = None
        self.repeated: set[str] = set()
        """Ids that more than one entry has."""
        self.skipped: list[Damage] = []
        self.lines = 0
        self.numbered = self.dialect.migrates and version < 2
        self.ends_open = False
        """The last line has no newline, though it is an entry."""
        self._heads = Heads()
        self._marked: tuple[str | None] | None = None
        self._children: dict[str | None, list[Entry]] | None = None

    # reading

    def read(self, data: bytes) -> int:
        """Take in `data`, which goes on where the last call ended; return how many of its bytes are settled.

        An unfinished last line is not settled: it is an entry if it is one already, but is to be read again.
        """
        with Resting():
            return self._read(data)

    def _read(self, data: bytes) -> int:
        if self.skipped and isinstance(self.skipped[-1], TornLine):
            # It comes again, perhaps finished.
            self.skipped.pop()
        end = data.rfind(b"\n") + 1
        self._read_lines(data[:end] if end < len(data) else data)
        if end < len(data):
            entries, skipped = len(self.entries), len(self.skipped)
            self._read_lines(data[end:])
            self.lines -= 1
            self.ends_open = len(self.entries) > entries
            if len(self.skipped) > skipped:
                torn = self.skipped[skipped]
                self.skipped[skipped:] = [TornLine(self.file, torn.line, "the last line is unfinished")]
        self._settle()
        return end

    def _read_lines(self, data: bytes) -> None:
        number = self.lines
        start = len(BOM) if number == 0 and data.startswith(BOM) else 0
        size = len(data)
        view = memoryview(data)
        find, decode = data.find, DECODE
        entries, by_id, spelling = self.entries, self.by_id, self.spelling
        index = len(entries)
        one_by_one = self.dialect.snake or not self.dialect.one_entry_a_line
        # A line that is to be looked at more closely may be an entry or none; then the count is made anew.
        closely = one_by_one or self.numbered
        while start < size:
            end = find(b"\n", start)
            if end < 0:
                end = size
            line = view[start:end]
            start = end + 1
            number += 1
            if one_by_one:
                self._read_line(bytes(line), number)
                start, blank = after_blanks(data, start, size)
                number += blank
                continue
            try:
                entry = decode(line)
            except REFUSALS:
                self._read_line(bytes(line), number)
                start, blank = after_blanks(data, start, size)
                number += blank
                index = len(entries)
                continue
            entry_id = entry.id
            if closely or entry.type in MORE_THAN_ENTRIES or not entry_id or entry_id in by_id:
                self._take(entry, line, number, 0)
                index = len(entries)
                continue
            # By far the most lines: what `_take` and `_add` would do, without the calls.
            entry.index = index
            entry.line = number
            entry._line = line
            entry._part = 0
            entry._raw = None
            entry._spelling = spelling
            entries.append(entry)
            by_id[entry_id] = entry
            index += 1
        self.lines = number

    def _read_line(self, line: bytes, number: int) -> None:
        if is_blank(line):
            return
        try:
            skims = self.dialect.skims(line)
        except BadLine as bad:
            kind = NulBytes if b"\0" in line else DamagedLine
            self.skipped.append(kind(self.file, number, bad.reason))
            return
        part = 0
        for skim in skims:
            if type(skim) is Mark:
                self._mark(skim)
            else:
                self._take(skim, line, number, part)
                part += 1

    def _take(self, found: Entry | Skim, line: bytes | memoryview, number: int, part: int) -> None:
        kind = found.type
        if kind in _NO_ENTRIES and (kind == "session" or not found.id):
            reason = self._heads.fault(kind, found.id, len(self.entries))
            if reason:
                self.skipped.append(DamagedLine(self.file, number, reason))
            return
        entry = found if isinstance(found, Entry) else _of_skim(found)
        entry.index = len(self.entries)
        entry.line = number
        entry._line = line
        entry._part = part
        entry._raw = None
        entry._spelling = self.spelling
        self._add(entry)

    def _add(self, entry: Entry) -> None:
        if self.numbered:
            entry.id = made_up_id(entry.index)
            entry.parent_id = made_up_id(entry.index - 1) if entry.index else None
        self.entries.append(entry)
        if entry.id:
            if entry.id in self.by_id:
                self.repeated.add(entry.id)
            self.by_id[entry.id] = entry
        if entry.type == "label":
            self._label(entry.target_id, entry.label, entry.timestamp)
        elif entry.type == "session_info":
            self.name = self.dialect.renamed(self.name, trimmed(entry.name))

    def _label(self, target: str | None, label: str | None, time: Any) -> None:
        if target is None:
            return
        if label:
            self.labels[target] = label
            self.label_times[target] = time
        else:
            self.labels.pop(target, None)
            self.label_times.pop(target, None)

    def _mark(self, mark: Mark) -> None:
        if mark.type == "leaf":
            self._marked = (mark.target_id,)
        elif mark.type == "label":
            self._label(mark.target_id, mark.label, None)
        elif mark.type == "session_info":
            self.name = trimmed(mark.name)

    def _settle(self) -> None:
        entries = self.entries
        if entries and not self.numbered and not any(entry.id for entry in entries):
            # Its version has ids and it has none: a line of entries, as version 1.
            self.numbered = True
            for entry in entries:
                entry.id = made_up_id(entry.index)
                entry.parent_id = made_up_id(entry.index - 1) if entry.index else None
                self.by_id[entry.id] = entry
        if self.dialect.one_entry_a_line:
            self.leaf_id = (entries[-1].id or None) if entries else None
        else:
            shape = [(entry.id or None, entry.parent_id) for entry in entries]
            self.leaf_id = self._marked[0] if self._marked else deepest(shape)
        self._children = None

    # one more

    def make(self, fields: dict[str, Any], line: bytes = b"") -> Entry:
        """The entry of `fields`, an object in this session's spelling; not yet taken in."""
        entry = _of_dict(fields)
        entry.index = len(self.entries)
        entry.line = self.lines + 1 if line else 0
        entry._line = line
        entry._raw = fields
        entry._spelling = self.spelling
        return entry

    def append(self, entry: Entry) -> None:
        """Take in an entry that `make` made; it becomes the leaf."""
        if entry.line:
            self.lines += 1
        self._add(entry)
        self.leaf_id = entry.id
        if self._children is not None:
            self._children.setdefault(entry.parent_id, []).append(entry)

    # asking

    @property
    def leaf(self) -> Entry | None:
        """The leaf's entry; the last of the file where a transcript names one that is not there."""
        return None if self.leaf_id is None else self.by_id.get(self.leaf_id)

    def children(self, entry_id: str | None) -> list[Entry]:
        """The entries that name `entry_id` as their parent, in file order; for None those without a
        parent. In a linear format the one behind it; for None the first.
        """
        if self.dialect.linear:
            if entry_id is None:
                return self.entries[:1]
            above = self.by_id.get(entry_id)
            return [] if above is None else self.entries[above.index + 1 : above.index + 2]
        if self._children is None:
            children: dict[str | None, list[Entry]] = {}
            for entry in self.entries:
                children.setdefault(entry.parent_id, []).append(entry)
            self._children = children
        return list(self._children.get(entry_id, ()))

    def path_to(self, start: Entry | None) -> list[Entry]:
        """The entries from a root to `start`; where parents go round, from the first that repeats."""
        if self.dialect.linear:
            return [] if start is None else self.entries[: start.index + 1]
        by_id = self.by_id
        found = []
        seen: set[int] = set()
        entry = start
        while entry is not None and entry.index not in seen:
            seen.add(entry.index)
            found.append(entry)
            entry = None if entry.parent_id is None else by_id.get(entry.parent_id)
        found.reverse()
        return found


def _of_dict(fields: dict[str, Any]) -> Entry:
    def text(name: str) -> str | None:
        value = fields.get(name)
        return value if isinstance(value, str) else None

    return Entry(
        type=text("type") or "",
        id=text("id") or "",
        parent_id=text("parentId"),
        timestamp=fields.get("timestamp"),
        target_id=text("targetId"),
        label=text("label"),
        name=text("name"),
    )


def _of_skim(skim: Skim) -> Entry:
    return Entry(
        type=skim.type or "",
        id=skim.id or "",
        parent_id=skim.parent_id,
        timestamp=skim.timestamp,
        target_id=skim.target_id,
        label=skim.label,
        name=skim.name,
    )
