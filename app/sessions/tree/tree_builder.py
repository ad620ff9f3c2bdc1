"""Reads the lines of a session one after the other: entries, labels, the name and faults.

`app.sessions.parent_links` links the entries afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import read_content
from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.entry_types import RESULT_ROLES, TOOL_CALL_TYPES, USAGE_TYPES
from app.formats.errors import Cancelled
from app.formats.glued import STRIDE, records_in
from app.formats.header import UNFINISHED, Fault, HeaderChecks
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, is_blank, line_windows, skip_blanks
from app.formats.model_names import with_provider
from app.formats.partial_entry import sum_of
from app.formats.text import trim_name
from app.sessions.tree.entry_row import role_of, stop_of
from app.sessions.tree.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from msgspec import Raw

    from app.formats.dialects.base import LineReader
    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry, Timestamp, Usage

_NEWLINE = 0x0A

# Words of most lines, so that all nodes share one string for each.
_WORDS: dict[str | None, str] = {
    word: word
    for word in ("message", "custom", "custom_message", "user", "assistant", "toolResult", "toolUse", "stop")
}


class TreeBuilder:
    """The entries and facts read from a file so far.

    entries       in file order; not yet linked
    problems      the lines that were skipped and other faults, in file order
    labels        label by entry id, in the order in which they were given; "" for a cleared one
    label_stamps  the time of each label, as written
    label_lines   for every line that gives or clears a label: the entry, the line's number and its offset
    kept          by the id of a compaction, the fields that say what it keeps, as JSON
    name          the user's name of the session, raw, or None
    marked        the leaf's id if a line names it, in a tuple of one; else None
    lines         the number of complete lines; not known after `skip_to`
    offset        the byte after the last newline that was read
    unfinished    the last line has no newline, but is an entry all the same
    torn          the last line, if it has no newline and is not an entry (yet)
    """

    def __init__(self, header: Header, entries: list[Node], reader: LineReader | None = None) -> None:
        """:param reader: reads its lines; None for a new reader of its dialect."""
        self.entries = entries
        self.problems: list[Fault] = list(header.faults)
        self.labels: dict[str, str] = {}
        self.label_stamps: dict[str, Timestamp] = {}
        self.label_lines: list[tuple[str | None, int, int]] = []
        self.kept: dict[str, Raw] = {}
        self.name = header.name
        self._early: Usage | None = None
        self.marked: tuple[str | None] | None = None
        self.offset = 0
        self.unfinished = False
        self.torn: Fault | None = None
        self._header = header
        self._version = header.version
        self._dialect = dialect_named(header.dialect)
        self.reader = reader or self._dialect.reader()
        self._header_checks = HeaderChecks()
        self.lines = 0
        self._is_last_unfinished = False

    def skip_to(self, offset: int) -> None:
        """Begin with a later line. Its number and those of the lines after it are not known."""
        self.offset = offset
        self.lines = 1

    def read(self, descriptor: int, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Read the lines from `offset` on.

        :param keep_going: called before each window of lines.
        :raises Cancelled: it returned False; the result so far cannot be used.
        :raises OSError: the file cannot be read.
        """
        self.torn = None
        for buffer, size, length in line_windows(descriptor, self.offset):
            if not keep_going():
                raise Cancelled
            if buffer[size - 1] != _NEWLINE:
                self._read_unfinished(bytes(memoryview(buffer)[:size]), length)
                return
            self._read_lines(bytes(memoryview(buffer)[:size]), length)
            self.offset += length

    def _read_lines(self, data: bytes, length: int) -> None:
        """:param length: the number of bytes of the lines in the file: more than in `data` if it is one line
        that was shortened.
        """
        self.reader.foresee(data)
        left_out = length - len(data)
        offset = self.offset
        start = len(BOM) if not self.lines and self._header.has_bom else 0
        while start < len(data):
            end = data.find(b"\n", start)
            if end < 0:
                end = len(data)
            line = data[start:end]
            if not line or line.isspace():
                # It may be one of millions.
                start, blank = skip_blanks(data, start, len(data))
                if blank:
                    self.lines += blank
                    continue
            self.lines += 1
            self._read_line(line, self.lines, offset + start, len(line) + left_out)
            start = end + 1

    def _read_unfinished(self, line: bytes, length: int) -> None:
        """:param length: the number of its bytes in the file."""
        before = len(self.entries)
        faults = len(self.problems)
        self._is_last_unfinished = True
        self._read_lines(line, length)
        self._is_last_unfinished = False
        self.lines -= 1
        self.unfinished = len(self.entries) > before
        if not self.unfinished and len(self.problems) > faults:
            # The agent may still be writing it.
            del self.problems[faults:]
            self.torn = Fault(self.lines + 1, self.offset, UNFINISHED, torn=True, length=length)

    def _read_line(self, line: bytes, number: int, offset: int, length: int) -> None:
        if is_blank(line):
            return
        try:
            self._add_all(self.reader.partial_entries(line), number, offset, length)
        except BadLine as bad:
            self.problems.append(Fault(number, offset, bad.reason))
            if self._is_last_unfinished:
                return
            for index, record in enumerate(records_in(line)):
                try:
                    found = self.reader.partial_entries(record)
                except BadLine:
                    continue
                self._add_all(found, number, offset, length, index * STRIDE)

    def _add_all(
        self, partial_entries: Sequence[PartialEntry], number: int, offset: int, length: int, part: int = 0
    ) -> None:
        """Add the entries and facts of a record; `part` is the number of its first entry."""
        for partial in partial_entries:
            if type(partial) is MetadataRecord:
                part += partial.type == "skip"
                self._add_record(partial, number, offset)
            else:
                self._add_entry(partial, number, offset, length, part)
                part += 1

    def _add_entry(self, partial: PartialEntry, number: int, offset: int, length: int, part: int) -> None:
        kind = partial.type
        if self._dialect.one_entry_a_line and (kind == "session" or (kind == "title" and partial.id is None)):
            reason = self._header_checks.fault(kind, partial.id, len(self.entries))
            if reason:
                self.problems.append(Fault(number, offset, reason))
            return
        words, role, stop, has_text, calls = _WORDS, None, None, False, 0
        usage, model = partial.usage if kind in USAGE_TYPES else None, ""
        message = partial.message
        if message is not None and kind == "message":
            role = words.get(message.role) or role_of(message.role, self._version)
            if role == "assistant":
                stop = words.get(message.stop_reason) or stop_of(message.stop_reason)
                has_text, calls = _text_and_calls(message.content)
                usage = message.usage
                if usage is not None and usage.cost is None:
                    model = with_provider(message.provider, message.model)
            elif message.role in RESULT_ROLES:
                usage = message.usage
        parent_id = partial.parent_id
        if self.entries and parent_id == self.entries[-1].id:
            # Nearly all entries share one string with their parents.
            parent_id = self.entries[-1].id
        self.entries.append(
            Node(
                len(self.entries),
                partial.id,
                parent_id,
                words.get(kind) or kind or "",
                role,
                number,
                offset,
                length,
                partial.timestamp,
                stop,
                has_text,
                part=part,
                undisplayed=partial.display is False and kind == "custom_message",
                calls=calls,
                usage=usage if self._early is None else sum_of(usage, self._early),
                model=model,
            )
        )
        self._early = None
        if kind == "message":
            if message is None:
                self.problems.append(Fault(number, offset, "a message entry without a message"))
        elif kind == "label":
            self._add_label(partial, number, offset)
        elif kind == "session_info":
            self.name = self._dialect.name_after(self.name, trim_name(partial.name))

    def _add_label(self, partial: PartialEntry, number: int, offset: int) -> None:
        self.label_lines.append((partial.target_id, number, offset))
        if partial.target_id is not None and self._header.has_ids:
            self.labels.pop(partial.target_id, None)
            self.labels[partial.target_id] = partial.label or ""
            self.label_stamps[partial.target_id] = partial.timestamp

    def _add_record(self, record: MetadataRecord, number: int, offset: int) -> None:
        if record.type == "leaf":
            self.marked = (record.target_id,)
        elif record.type == "label":
            self._add_label(record, number, offset)
        elif record.type == "session_info":
            self.name = trim_name(record.name)
        elif record.type == "kept" and record.target_id is not None:
            self.kept[record.target_id] = record.content
        elif record.usage is not None and self.entries:
            node = self.entries[-1]
            node.usage = sum_of(node.usage, record.usage)
            node.model = node.model or with_provider(record.provider, record.model)
        elif record.usage is not None:
            self._early = sum_of(self._early, record.usage)


def _text_and_calls(content: Raw) -> tuple[bool, int]:
    """Whether an answer has text that is not blank, and the number of its tool calls."""
    blocks = read_content(content)
    if isinstance(blocks, str):
        return bool(blocks.strip()), 0
    has_text = any(block.type == "text" and (block.text or "").strip() for block in blocks)
    return has_text, sum(block.type in TOOL_CALL_TYPES for block in blocks)
