"""The entries of one session in memory: in order, by id, with labels, name and leaf
(formats/README.md, "Behaviour of SessionManager").

An `EntryStore` is filled from the bytes of a file, line by line, or entry by entry as they are made. The
lines of a large file stay there, and are read from it when they are wanted.
"""

from __future__ import annotations

from array import array
from sys import intern
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.json import Decoder
from xxhash import xxh3_64_intdigest

from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.glued import records_in
from app.formats.header import HeaderChecks
from app.formats.json_codec import DECODE_ERRORS, BadLine, decode
from app.formats.lines import BOM, is_blank, line_windows, skip_blanks
from app.formats.long_lines import shortened
from app.formats.migrate import CURRENT_VERSION, made_up_id, migrate, migrate_line
from app.formats.odd_values import without_odd_words
from app.formats.text import trim_name
from app.formats.timestamps import parse_time
from app.sessions.errors import Changed, Damage, DamagedLine, NulBytes, TornLine
from app.sessions.parent_links import deepest_leaf
from app.sessions.tree.entry_loader import read_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.dialects.base import Dialect, LineReader
    from app.formats.partial_entry import PartialEntry, PartialMessage

    _Place = tuple[int, int, int]
    """A line that stays in a large file: its offset, its bytes without the LF, and the digest of what
    `shortened` leaves of it.
    """

AMOUNTS = ("input", "output", "cacheRead", "cacheWrite")
_NO_ENTRIES = frozenset(("session", "title"))
"""The types of lines that are headers or title lines."""


class EntryFormat:
    """How the entries of one file are read; shared by all of them."""

    __slots__ = ("dialect", "known", "plain", "stored", "version")

    def __init__(self, dialect: Dialect, version: int, stored: _StoredLines) -> None:
        self.dialect = dialect
        self.stored = stored
        self.known: dict[int, dict[str, Any]] = {}
        """Fields of messages and compactions that the lines before them tell, by the index of the entry."""
        self.version = version if dialect.migrates else CURRENT_VERSION
        self.plain = dialect.writing is not None
        """Entries on disk have the fields of pi's version 3 already, or are migrated to have them."""

    def complete(self, raw: dict[str, Any], index: int) -> dict[str, Any]:
        """An entry with all fields of its message, or of its compaction."""
        known, message = self.known.get(index), raw.get("message")
        if known and raw.get("type") == "compaction":
            return raw | known
        return {**raw, "message": message | known} if known and isinstance(message, dict) else raw


class Entry(Struct, eq=False, gc=False, dict=False):
    """An entry of a session (formats/README.md, "Entries").

    type, id, parent_id   as written; made up for a file of version 1; "" for an entry without an id
    index                 its number among the entries, from 0
    _line                 bytes, or a view of the file's bytes, so that the lines are not copied; None for a
                          stored line
    """

    type: str = ""
    id: str = ""
    parent_id: str | None = field(default=None, name="parentId")
    target_id: str | None = field(default=None, name="targetId")
    label: str | None = None
    name: str | None = None
    index: int = field(default=0, name="#index")
    _number: int = field(default=0, name="#line")
    _timestamp: int | float | str | None = field(default=None, name="timestamp")
    _line: Any = field(default=b"", name="#source")
    _part: int = field(default=0, name="#part")
    _raw: dict[str, Any] | None = field(default=None, name="#raw")
    _format: EntryFormat | None = field(default=None, name="#format")

    @property
    def source(self) -> bytes:
        """The line as it stands on disk, without its newline; empty if it was never written.

        :raises Changed: it stayed in a large file, and the file has another line there now.
        """
        if self._line is None:
            assert self._format is not None
            return self._format.stored.line(self.index)
        return bytes(self._line)

    @property
    def line(self) -> int:
        """The number of its line, from 1; 0 if it was never written."""
        if self._line is None:
            assert self._format is not None
            return self._format.stored.number(self.index)
        return self._number

    @property
    def timestamp(self) -> int | float | str | None:
        """The time as written: ISO 8601 text, or milliseconds. Raises as `source`."""
        if self._line is None:
            kept, time = self._raw, self.raw.get("timestamp")
            self._raw = kept
            return time if isinstance(time, int | float | str) else None
        return self._timestamp

    @property
    def raw(self) -> dict[str, Any]:
        """The object as it stands on disk, with unknown fields; migrated if the file has an old version."""
        if self._raw is None:
            entry_format = self._format
            assert entry_format is not None
            raw = entry_format.dialect.raw_entry(self.source, self._part)
            if entry_format.version < CURRENT_VERSION:
                raw = migrate(raw, entry_format.version, self.index)
            self._raw = entry_format.complete(raw, self.index)
        return self._raw

    @property
    def normalized(self) -> dict[str, Any]:
        """The entry with the fields of pi's version 3; the same object as `raw` if that has them, and
        no words that are none.
        """
        entry_format = self._format
        if entry_format is None or entry_format.plain or not self.source:
            return without_odd_words(self.raw)
        entry = entry_format.dialect.entry(self.source, self._part)
        return without_odd_words(entry_format.complete(entry, self.index))

    def decoded(self) -> dict[str, Any]:
        """As `normalized`, and the object is not kept: all those of a large session take much memory."""
        kept = self._raw
        fields = self.normalized
        self._raw = kept
        return fields

    @property
    def migrated_line(self) -> bytes:
        """The line as a file of version 3 has it, with nothing else changed; empty if it was never
        written.
        """
        entry_format = self._format
        if entry_format is None or not self.source:
            return self.source
        return migrate_line(self.source, entry_format.version, self.index)

    @property
    def time_ms(self) -> int | None:
        """The entry's time in milliseconds since the epoch, UTC; None if it has none."""
        return parse_time(self.timestamp)

    def __repr__(self) -> str:
        return f"Entry({self.index}, {self.type}, id={self.id})"


class _StoredLines:
    """The lines of a large file, which are not in memory: `line` reads one.

    A place takes 32 bytes here, and as an object 180.

    file   the path of the file
    """

    __slots__ = ("_places", "file")

    def __init__(self, file: str) -> None:
        self.file = file
        self._places = array("Q")

    def add(self, index: int, number: int, place: _Place) -> None:
        """Keep the number and place of the line of entry `index`, which comes after all that were added."""
        self._places.extend((0,) * (4 * index - len(self._places)))
        self._places.extend((*place, number))

    def number(self, index: int) -> int:
        """The number of the line of entry `index`, from 1."""
        return self._places[4 * index + 3]

    def line(self, index: int) -> bytes:
        """The line of entry `index`.

        :raises Changed: the file has another line there.
        """
        offset, length, digest = self._places[4 * index : 4 * index + 3]
        return self.read((offset, length, digest))

    def read(self, place: _Place) -> bytes:
        """The line at that place. Raises as `line`."""
        offset, length, digest = place
        try:
            line = read_line(self.file, offset, length)
        except OSError:
            raise Changed(self.file) from None
        if xxh3_64_intdigest(shortened(line)) != digest:
            raise Changed(self.file)
        return line


def _refuse(kind: type, value: object) -> Any:
    raise ValueError(f"a line has no {kind.__name__}")


DECODE: Callable[[bytes | memoryview], Entry] = Decoder(Entry, dec_hook=_refuse).decode
"""Decode an entry from a line of pi's family, with only the fields of the line; raises `DECODE_ERRORS`."""


class EntryStore:
    """The entries of a session.

    entries       every entry, in file order
    by_id         the last entry with each id
    labels        label by entry id, the latest of each; cleared ones are gone
    label_times   the timestamp of the label entry, by the id of its target
    name          the user's name of the session as written, or None
    leaf_id       the entry below which the next one goes, None before any entry
    repeated      the ids that more than one entry has
    skipped       the lines that are no entries, in file order
    lines         the number of whole lines that were read
    numbered      the file has no ids, so that they are made up from the order of the entries
    ends_open     the last line has no newline, though it is an entry
    """

    def __init__(
        self,
        file: str,
        dialect: str,
        version: int,
        name: str | None = None,
        reader: LineReader | None = None,
    ) -> None:
        """:param reader: reads its lines; None for a new reader of its dialect."""
        self._stored = _StoredLines(file)
        self.dialect: Dialect = dialect_named(dialect)
        self.reader = reader or self.dialect.reader()
        self.entries: list[Entry] = []
        self.by_id: dict[str, Entry] = {}
        self.labels: dict[str, str] = {}
        self.label_times: dict[str, Any] = {}
        self.name = name
        self.leaf_id: str | None = None
        self.repeated: set[str] = set()
        self.skipped: list[Damage] = []
        self.lines = 0
        self.numbered = self.dialect.migrates and version < 2
        self.ends_open = False
        self._is_unfinished = False
        self._format = EntryFormat(self.dialect, version, self._stored)
        self._header_checks = HeaderChecks()
        self._marked_leaf: tuple[str | None] | None = None
        self._children: dict[str | None, list[Entry]] | None = None

    @property
    def file(self) -> str:
        """The path of the file, for errors, and to read the lines that stay there."""
        return self._stored.file

    @file.setter
    def file(self, path: str) -> None:
        self._stored.file = path

    # reading

    def read(self, data: bytes) -> int:
        """Add the entries of `data`, which continues where the last call ended; return how many of its bytes
        are settled.

        An unfinished last line is not settled. It is added if it is an entry already, and is read again by
        the next call.
        """
        if self.skipped and isinstance(self.skipped[-1], TornLine):
            # The line is read again, and may be finished now.
            self.skipped.pop()
        end = data.rfind(b"\n") + 1
        self._read_lines(data[:end] if end < len(data) else data)
        if end < len(data):
            self._read_unfinished(data[end:])
        self._find_leaf()
        return end

    def read_file(self, descriptor: int) -> int:
        """As `read`, of all lines of a large file, which stay there.

        :raises OSError: it cannot be read.
        """
        offset = 0
        for window, size, length in line_windows(descriptor):
            lines = bytes(memoryview(window)[:size])
            if lines.endswith(b"\n"):
                self._read_lines(lines, offset, length - size)
                offset += length
            else:
                self._read_unfinished(lines, offset, length - size)
        self._find_leaf()
        return offset

    def _read_unfinished(self, line: bytes, offset: int | None = None, left_out: int = 0) -> None:
        """Read the last line, which has no newline; the parameters are those of `_read_lines`."""
        entries, skipped = len(self.entries), len(self.skipped)
        self._is_unfinished = True
        self._read_lines(line, offset, left_out)
        self._is_unfinished = False
        self.lines -= 1
        self.ends_open = len(self.entries) > entries
        if len(self.skipped) > skipped:
            torn = self.skipped[skipped]
            self.skipped[skipped:] = [TornLine(self.file, torn.line, "the last line is unfinished")]

    def read_base(self, data: bytes) -> None:
        """Read the lines of the session that this one goes on from, before its own."""
        self._read_lines(data)
        for entry in self.entries:
            entry._number = 0
        self.lines = 0
        self.skipped.clear()

    def _read_lines(self, data: bytes, offset: int | None = None, left_out: int = 0) -> None:
        """Add the entries of the next lines.

        :param offset: of the lines in the file in which they stay; None to keep them in memory.
        :param left_out: the bytes by which a line that is alone in `data` was shortened.
        """
        number = self.lines
        start = len(BOM) if number == 0 and data.startswith(BOM) else 0
        size = len(data)
        view = memoryview(data)
        one_by_one = self.dialect.snake or not self.dialect.one_entry_a_line
        self.reader.foresee(data)
        while start < size:
            end = data.find(b"\n", start)
            if end < 0:
                end = size
            line = view[start:end]
            kept: memoryview | _Place = line
            if offset is not None:
                kept = (offset + start, end - start + left_out, xxh3_64_intdigest(line))
            start = end + 1
            number += 1
            if not one_by_one:
                try:
                    entry = DECODE(line)
                    if left_out and not isinstance(kept, memoryview) and (entry.label or entry.name):
                        # A fork writes the label or name again, so it must be whole.
                        entry = DECODE(self._stored.read(kept))
                except DECODE_ERRORS:
                    pass  # the reader says why
                else:
                    self._take(entry, kept, number, 0)
                    continue
            self._read_line(bytes(line), number, kept)
            start, blank = skip_blanks(data, start, size)
            number += blank
        self.lines = number

    def _read_line(self, line: bytes, number: int, kept: memoryview | _Place) -> None:
        if is_blank(line):
            return
        try:
            partial_entries = self.reader.partial_entries(line)
        except BadLine as bad:
            kind = NulBytes if b"\0" in line else DamagedLine
            self.skipped.append(kind(self.file, number, bad.reason))
            records = [] if self._is_unfinished else records_in(line)
            if records and not isinstance(kept, memoryview):
                # A record is kept as it is found, which must be in the whole line.
                records = records_in(self._stored.read(kept))
            for record in records:
                self._read_record(record, number)
            return
        self._add_all(partial_entries, line if isinstance(kept, memoryview) else kept, number)

    def _read_record(self, record: bytes, number: int) -> None:
        """Add the entries of one of several records in line `number`."""
        try:
            self._add_all(self.reader.partial_entries(record), record, number)
        except BadLine:
            return

    def _add_all(self, partial_entries: Sequence[PartialEntry], line: bytes | _Place, number: int) -> None:
        part = 0
        for partial in partial_entries:
            if type(partial) is MetadataRecord:
                part += partial.type == "skip"
                self._apply_metadata(partial)
            else:
                if self.reader is not self.dialect and partial.message is not None:
                    self._format.known[len(self.entries)] = _known_fields(partial.message)
                self._take(partial, line, number, part)
                part += 1

    def _take(
        self, decoded: Entry | PartialEntry, line: bytes | memoryview | _Place, number: int, part: int
    ) -> None:
        """Add an entry that was decoded from a line, or check it if it is a header or a title line.

        :param number: of the line, from 1.
        :param part: which entry of the line it is, from 0.
        """
        kind = decoded.type
        if kind in _NO_ENTRIES and (kind == "session" or not decoded.id):
            reason = self._header_checks.fault(kind, decoded.id, len(self.entries))
            if reason:
                self.skipped.append(DamagedLine(self.file, number, reason))
            return
        entry = decoded if isinstance(decoded, Entry) else _entry_of_partial(decoded)
        entry.index = len(self.entries)
        entry._part = part
        entry._raw = None
        entry._format = self._format
        if isinstance(line, tuple):
            self._stored.add(entry.index, number, line)
            entry._line, entry._number = None, 0
        else:
            entry._line, entry._number = line, number
        self._add(entry)
        if entry._line is None:
            self._slim(entry)

    def _slim(self, entry: Entry) -> None:
        """Keep less of an entry whose line stays in the file: half of the memory of 500,000 entries."""
        entry.type = intern(entry.type)
        parent = None if entry.parent_id is None else self.by_id.get(entry.parent_id)
        if parent is not None:
            entry.parent_id = parent.id
        entry._timestamp = None

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
            self._label(entry.target_id, entry.label, entry._timestamp)
        elif entry.type == "session_info":
            self.name = self.dialect.name_after(self.name, trim_name(entry.name))

    def _label(self, target: str | None, label: str | None, time: Any) -> None:
        if target is None:
            return
        if label:
            self.labels[target] = label
            self.label_times[target] = time
        else:
            self.labels.pop(target, None)
            self.label_times.pop(target, None)

    def _apply_metadata(self, record: MetadataRecord) -> None:
        if record.type == "leaf":
            self._marked_leaf = (record.target_id,)
        elif record.type == "label":
            self._label(record.target_id, record.label, None)
        elif record.type == "session_info":
            self.name = trim_name(record.name)
        elif record.type == "kept" and record.target_id in self.by_id:
            self._format.known[self.by_id[record.target_id].index] = decode(bytes(record.content))

    def _find_leaf(self) -> None:
        entries = self.entries
        if entries and not self.numbered and not any(entry.id for entry in entries):
            # Its version has ids, but no entry has one: the entries form a chain, as in version 1.
            self.numbered = True
            for entry in entries:
                entry.id = made_up_id(entry.index)
                entry.parent_id = made_up_id(entry.index - 1) if entry.index else None
                self.by_id[entry.id] = entry
        if self.dialect.one_entry_a_line:
            self.leaf_id = (entries[-1].id or None) if entries else None
        elif self._marked_leaf:
            self.leaf_id = self._marked_leaf[0]
        else:
            self.leaf_id = deepest_leaf([(entry.id or None, entry.parent_id) for entry in entries])
        self._children = None

    # appending

    def make(self, fields: dict[str, Any], line: bytes = b"") -> Entry:
        """Return an entry of `fields`, an object as this session's files have it. It is not added yet.

        :param line: the line that is written to the file; empty if none is.
        """
        entry = _entry_of_fields(fields)
        entry.index = len(self.entries)
        entry._number = self.lines + 1 if line else 0
        entry._line = line
        entry._raw = fields
        entry._format = self._format
        return entry

    def append(self, entry: Entry) -> None:
        """Add an entry that `make` made; it becomes the leaf."""
        if entry.line:
            self.lines += 1
        self._add(entry)
        self.leaf_id = entry.id
        if self._children is not None:
            self._children.setdefault(entry.parent_id, []).append(entry)

    # looking up

    @property
    def leaf(self) -> Entry | None:
        """The leaf's entry; None before any entry, and if a transcript names a leaf that it does not have."""
        return None if self.leaf_id is None else self.by_id.get(self.leaf_id)

    def children(self, entry_id: str | None) -> list[Entry]:
        """Return the entries that name `entry_id` as their parent, in file order; for None those without a
        parent.

        In a linear format the child is the next entry; for None it is the first one.
        """
        if self.dialect.linear:
            if entry_id is None:
                return self.entries[:1]
            parent = self.by_id.get(entry_id)
            return [] if parent is None else self.entries[parent.index + 1 : parent.index + 2]
        if self._children is None:
            children: dict[str | None, list[Entry]] = {}
            for entry in self.entries:
                children.setdefault(entry.parent_id, []).append(entry)
            self._children = children
        return list(self._children.get(entry_id, ()))

    def path_to(self, end: Entry | None) -> list[Entry]:
        """Return the entries from a root to `end`; if the parents form a loop, each entry of it once."""
        if self.dialect.linear:
            return [] if end is None else self.entries[: end.index + 1]
        by_id = self.by_id
        path = []
        seen: set[int] = set()
        entry = end
        while entry is not None and entry.index not in seen:
            seen.add(entry.index)
            path.append(entry)
            entry = None if entry.parent_id is None else by_id.get(entry.parent_id)
        path.reverse()
        return path


def _known_fields(message: PartialMessage) -> dict[str, Any]:
    """The fields that a reader may complete, as pi spells them."""
    fields = {"toolName": message.tool_name, "provider": message.provider, "model": message.model}
    known: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    if message.usage is not None:
        usage = message.usage
        amounts = dict(
            zip(AMOUNTS, (usage.input, usage.output, usage.cache_read, usage.cache_write), strict=True)
        )
        total = usage.cost.total if usage.cost is not None else None
        cost = {**dict.fromkeys(AMOUNTS, 0), "total": total or 0}
        counted = {name: amount or 0 for name, amount in amounts.items()}
        known["usage"] = {**counted, "totalTokens": sum(counted.values()), "cost": cost}
    return known


def _entry_of_fields(fields: dict[str, Any]) -> Entry:
    def text(name: str) -> str | None:
        value = fields.get(name)
        return value if isinstance(value, str) else None

    return Entry(
        type=text("type") or "",
        id=text("id") or "",
        parent_id=text("parentId"),
        _timestamp=fields.get("timestamp"),
        target_id=text("targetId"),
        label=text("label"),
        name=text("name"),
    )


def _entry_of_partial(partial: PartialEntry) -> Entry:
    return Entry(
        type=partial.type or "",
        id=partial.id or "",
        parent_id=partial.parent_id,
        _timestamp=partial.timestamp,
        target_id=partial.target_id,
        label=partial.label,
        name=partial.name,
    )
