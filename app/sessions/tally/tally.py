"""A session's row, folded from its lines one after the other and able to go on later.

What is counted is what pi counts (formats/README.md, "pi"). Where pi would drop a whole session because
of one line, the session stays and the line is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.brief import Answer, Prompt, brief_of, briefs
from app.formats.bytes_in import find
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.header import INVALID_VALUE, Fault
from app.formats.lines import BOM, after_blanks, is_blank
from app.formats.silent import SILENT
from app.formats.spoken import holds_image
from app.formats.stamps import parse_time
from app.formats.trim import trimmed
from app.sessions.extract_text import Heard, hear
from app.sessions.tally.halves import NONE
from app.sessions.tally.leaves import Leaves, NeedsReread
from app.sessions.tally.row_of import row_of
from app.sessions.tally.state import State, pack_state, unpack_state
from app.sessions.tally.taking import RARE_TYPES, SAYING_TYPES, USAGE_TYPES, is_head, prompted, take

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.brief import Brief
    from app.formats.header import Header
    from app.formats.skim import Skim, Usage
    from app.sessions.summary import Summary
    from app.sessions.tally.halves import Halves
    from app.sessions.tally.row_of import Titled

__all__ = ["NeedsReread", "SummaryBuilder"]

_IMAGE = b'"image"'
"""The type of a block that holds one. Within a text its quotes are escaped."""

_PARTED_FROM = 16 << 10
"""A block of more bytes with a line that is not plain is taken in by halves."""


class SummaryBuilder:
    """The sums of one session.

    :param header: what `read_header` found.
    :param on_fault: is told of every line that is a fault; the sums are the same without it.
    """

    def __init__(self, header: Header, on_fault: Callable[[Fault], None] | None = None) -> None:
        self.header = header
        self.dialect = named(header.dialect)
        self.has_ids = header.has_ids
        self.on_fault = on_fault
        self.leaves = Leaves(SILENT, in_a_row=self.dialect.linear)
        if not self.dialect.one_entry_a_line:
            self.leaves.every = []
        self._offset = 0
        self._text: list[bytes] = []
        self.models: dict[tuple[str | None, str | None], None] = {}
        self.titled: Titled | None = None
        self.sums = State(
            name=header.name,
            parent_session=header.parent_session,
            problems=len(header.faults),
        )
        if on_fault:
            for fault in header.faults:
                on_fault(fault)

    # feeding

    def feed(self, block: bytes, offset: int = 0) -> int:
        """Take in the lines of `block` that end with a LF; how many bytes they are.

        :param offset: where `block` begins in the file. The first block begins the file.
        :raises NeedsReread: after `restore` only; the sums are no longer of use then.
        """
        end = block.rfind(b"\n") + 1
        if not end:
            return 0
        # Who wants to be told of faults wants to know where they are.
        if self.dialect.one_entry_a_line and self.on_fault is None:
            found = briefs(block, offset, snake=self.dialect.snake)
            if found is not None:
                entries, starts = found
                self.sums.lines += len(entries)
                self._text.append(take(self, entries, starts))
                self._look(block, end)
                return end
            middle = block.find(b"\n", end // 2) + 1
            if end > _PARTED_FROM and middle < end:
                # Mostly one line is to blame, and the others need not be read one by one for it.
                self.feed(block[:middle], offset)
                self.feed(block[middle:end], offset + middle)
                return end
        self._feed_lines(block, end, offset)
        return end

    def text(self) -> bytes:
        """What was said in the lines that were fed since this was last asked."""
        text, self._text = b"".join(self._text), []
        return text

    def _feed_lines(self, block: bytes, size: int, offset: int) -> None:
        """Take in the lines in the first `size` bytes of `block` one by one."""
        entries: list[Brief] = []
        starts: list[int] = []
        heard = Heard()
        wrong: list[str] = []
        one_a_line = self.dialect.one_entry_a_line
        start = 0
        while start < size:
            stop = block.find(b"\n", start)
            line = block[start:stop]
            if not line or line.isspace():
                start, blank = after_blanks(block, start, size)
                self.sums.lines += blank
                continue
            self.sums.lines += 1
            self._offset = offset + start
            start = stop + 1
            if self.sums.lines == 1 and self.header.has_bom:
                line = line[len(BOM) :]
            if is_blank(line):
                continue
            found = briefs(line + b"\n", snake=self.dialect.snake) if one_a_line else None
            try:
                # A line that is plain by itself has no invalid value.
                skims = () if found else self.dialect.skims(line, wrong)
            except BadLine as bad:
                self.fault(bad.reason)
                continue
            if one_a_line:
                read = found[0] if found else [brief_of(skim, wrong) for skim in skims]
                if is_head(read[0]):
                    wrong.clear()  # The header's own faults are among `header.faults`.
                entries += read
                starts.append(self._offset)
                if self.on_fault is not None:
                    self._text.append(take(self, entries, starts))
                    entries, starts = [], []
            else:
                for skim in skims:
                    if type(skim) is Mark:
                        self._mark(skim)
                    else:
                        self._entry(skim, heard, wrong)
            if wrong:
                self.fault(f"{INVALID_VALUE}: {', '.join(dict.fromkeys(wrong))}")
                wrong.clear()
            self._look(line, len(line))
        if entries:
            self._text.append(take(self, entries, starts))
        self._text.append(heard.packed())

    def _look(self, lines: bytes, length: int) -> None:
        """Count the entries with images in the first `length` bytes of `lines`, which are whole lines."""
        at = find(lines, _IMAGE, 0)
        while 0 <= at < length:
            start = lines.rfind(b"\n", 0, at) + 1
            end = lines.find(b"\n", at)
            if end < 0:
                end = length
            for skim in self.dialect.skims(lines[start:end]):
                self.sums.images += _has_image(skim)
            at = find(lines, _IMAGE, end)

    def _entry(self, skim: Skim, heard: Heard, wrong: list[str]) -> None:
        sums = self.sums
        sums.entries += 1
        brief = brief_of(skim, wrong)
        if skim.type == "message" or skim.type in SAYING_TYPES:
            called: list[str] = []
            hear(brief, self._offset, heard, called)
            sums.tools.update(dict.fromkeys(filter(None, called)))
        self.leaves.entry(skim.id, skim.parent_id)
        if self.leaves.every is not None:
            self.leaves.every.append((skim.id, skim.parent_id, skim.type))
        sums.shape.append((skim.id, skim.parent_id))
        if not sums.first_stamp:
            sums.first_stamp = parse_time(skim.timestamp) or 0
        if skim.type != "message":
            if skim.type in RARE_TYPES:
                self.rare(skim)
            return
        sums.messages += 1
        message = brief.message
        if isinstance(message, Answer):
            self._answer(message)
        elif isinstance(message, Prompt):
            prompted(sums, (message,))
        else:
            if message is None:
                self.fault("a message entry without a message")
            return
        sums.newest = max(sums.newest, message.timestamp)

    def rare(self, skim: Brief | Skim) -> None:
        """Take in an entry of one of `RARE_TYPES`."""
        sums = self.sums
        kind = skim.type
        if kind in USAGE_TYPES:
            if skim.usage is not None:
                self.use((skim.usage,))
        elif kind == "label":
            self._label(skim)
        elif kind == "session_info":
            sums.name = self.dialect.renamed(sums.name, trimmed(skim.name))
        elif skim.parent_session_path and not sums.parent_session:
            sums.parent_session = skim.parent_session_path

    def _mark(self, skim: Mark) -> None:
        sums = self.sums
        if skim.type == "leaf":
            sums.marked_leaf, sums.leaf_marked = skim.target_id, True
        elif skim.type == "label":
            self._label(skim)
        elif skim.type == "session_info":
            sums.name = trimmed(skim.name)
        elif skim.usage is not None:
            self.use((skim.usage,))

    def _label(self, skim: Brief | Skim) -> None:
        target = skim.target_id
        if target is None or not self.has_ids:
            return
        # Taken out first, so that a changed label moves to its place in the file's order.
        self.sums.labels.pop(target, None)
        if skim.label:
            self.sums.labels[target] = skim.label

    def _answer(self, message: Answer) -> None:
        if message.stop_reason == "error" or message.error_message:
            self.sums.errors += 1
        if message.usage is not None:
            self.use((message.usage,))
        if message.model:
            self.models[message.provider, message.model] = None

    def use(self, used: Sequence[Usage]) -> None:
        """Add up what answers cost."""
        # In the order of the file: sums of floats then come out the same however the file was read.
        sums = self.sums
        sent, got, read, written, cost = sums.input, sums.output, sums.cache_read, sums.cache_write, sums.cost
        for usage in used:
            sent += usage.input or 0
            got += usage.output or 0
            read += usage.cache_read or 0
            written += usage.cache_write or 0
            price = usage.cost
            if price is not None and price.total:
                cost += price.total
        sums.input, sums.output, sums.cache_read, sums.cache_write, sums.cost = sent, got, read, written, cost

    def fault(self, reason: str) -> None:
        """The line at hand is one, for this reason."""
        self.sums.problems += 1
        if self.on_fault:
            self.on_fault(Fault(self.sums.lines, self._offset, reason))

    def understands(self, line: bytes) -> bool:
        """True when `line` reads as JSON of this dialect, or is blank."""
        if is_blank(line):
            return True
        if self.sums.lines == 0 and self.header.has_bom:
            line = line[3:]
        try:
            self.dialect.skims(line)
        except BadLine:
            return False
        return True

    # results

    def summary(self, mtime_ms: int, *, torn: bool = False) -> Summary:
        """The row so far. `mtime_ms` stands in where neither a message nor the header has a time."""
        return row_of(self, mtime_ms, torn)

    # going on later

    def dump(self) -> Halves:
        """The state for `restore`; none where this session must be read whole each time."""
        if not self.dialect.one_entry_a_line:
            return NONE
        return pack_state(self.header, self.sums, self.leaves, list(self.models))

    def settle(self) -> Halves:
        """`dump`; from here on this tally is as one that was restored from it, which takes longer to make."""
        return self.dump() if self.leaves.settle() else NONE

    @classmethod
    def restore(cls, state: Halves) -> SummaryBuilder:
        """A tally that goes on where `dump` was taken.

        :raises NeedsReread: there is no state, or it is not of this version.
        """
        header, sums, leaves, models = unpack_state(state)
        tally = cls(header)
        tally.sums = sums
        tally.leaves = leaves
        tally.models = dict.fromkeys(models)
        return tally


def _has_image(skim: Skim) -> bool:
    if skim.type == "custom_message":
        return holds_image(skim.content)
    return skim.type == "message" and skim.message is not None and holds_image(skim.message.content)
