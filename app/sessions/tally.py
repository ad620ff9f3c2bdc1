"""A session's row, folded from its lines one after the other and able to go on later (PERFORMANCE 3.6, 3.7).

What is counted is what pi counts (FORMATS 1.1 "Listing values"). Where pi would drop a whole session because
of one line, the session stays and the line is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import text_of
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.header import Fault
from app.formats.lines import is_blank
from app.formats.skim import ABSENT, REFUSALS
from app.formats.stamps import parse_time
from app.sessions.leaves import Leaves, NeedsReread
from app.sessions.row_of import row_of
from app.sessions.state import State, pack_state, unpack_state
from app.sessions.summary import FIRST_MESSAGE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.header import Header
    from app.formats.skim import Skim, SkimMessage, Usage
    from app.sessions.summary import Summary

__all__ = ["NeedsReread", "Tally"]

_USAGE_TYPES = frozenset(("usage", "model_usage", "compaction", "branch_summary"))
_RARE_TYPES = _USAGE_TYPES | {"label", "session_info", "branch"}
_LAST_MS = 253_402_300_799_999


class Tally:
    """The sums of one session.

    :param header: what `read_header` found.
    :param on_fault: is told of every line that is a fault; the sums are the same without it.
    """

    def __init__(self, header: Header, on_fault: Callable[[Fault], None] | None = None) -> None:
        self.header = header
        self.dialect = named(header.dialect)
        self.has_ids = header.has_ids
        self.on_fault = on_fault
        self.leaves = Leaves()
        self.models: dict[tuple[str | None, str | None], None] = {}
        self.sums = State(
            name=header.name,
            parent_session=header.parent_session,
            problems=len(header.faults),
        )
        if on_fault:
            for fault in header.faults:
                on_fault(fault)

    # feeding

    def feed(self, block: bytes, offset: int = 0) -> None:
        """Take in whole lines; `offset` is where `block` begins in the file. The first block begins the file.

        :raises NeedsReread: after `restore` only; the sums are no longer of use then.
        """
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        if self.sums.lines == 0 and self.header.has_bom and lines:
            lines[0] = lines[0][3:]
        if self.dialect.one_entry_a_line:
            self._feed_entries(lines, offset)
        else:
            self._feed_anything(lines, offset)
        self.sums.lines += len(lines)

    def _feed_entries(self, lines: list[bytes], offset: int) -> None:
        # The loop every byte of every session goes through; what is rare is moved out of it.
        fast = self.dialect.fast
        sums = self.sums
        leaves = self.leaves
        fresh, parents = leaves.fresh, leaves.named
        resumed = bool(leaves.old_named or leaves.old_leaves)
        has_ids = self.has_ids
        entries = messages = 0
        newest = sums.newest
        last_id = sums.leaf_id
        models = self.models
        used: list[Usage] = []
        for index, line in enumerate(lines):
            try:
                skim = fast(line)
            except REFUSALS:
                slow = self._slow(line, lines, index, offset)
                if slow is None:
                    continue
                skim = slow
            kind = skim.type
            entry_id = skim.id
            if kind == "session" or (kind == "title" and entry_id is None):
                reason = sums.heads.fault(skim, sums.entries + entries)
                if reason:
                    self._fault(lines, index, offset, reason)
                continue
            entries += 1
            if has_ids:
                parent = skim.parent_id
                last_id = entry_id
                if resumed:
                    leaves.entry(entry_id, parent)
                else:
                    if parent is not None:
                        parents.add(parent)
                        if parent in fresh:
                            del fresh[parent]
                    if entry_id is None or entry_id not in parents:
                        fresh[entry_id] = fresh.get(entry_id, 0) + 1
            if kind == "message":
                messages += 1
                message = skim.message
                if message is None:
                    self._fault(lines, index, offset, "a message entry without a message")
                    continue
                role = message.role
                if role == "assistant":
                    if message.usage is not None:
                        used.append(message.usage)
                    if message.model:
                        models[message.provider, message.model] = None
                elif role == "user":
                    if not sums.first_message:
                        sums.first_message = text_of(message.content)[:FIRST_MESSAGE_LIMIT]
                else:
                    continue
                if message.content is not ABSENT:
                    stamp = message.timestamp
                    if stamp.__class__ is not int:
                        stamp = _activity(message, skim)
                    if newest < stamp <= _LAST_MS:
                        newest = stamp
            elif kind in _RARE_TYPES:
                if skim.usage is not None and kind in _USAGE_TYPES:
                    used.append(skim.usage)
                else:
                    self._rare(skim)
        self._use(used)
        sums.entries += entries
        sums.messages += messages
        sums.newest = newest
        sums.leaf_id = last_id

    def _feed_anything(self, lines: list[bytes], offset: int) -> None:
        for index, line in enumerate(lines):
            if is_blank(line):
                continue
            try:
                skims = self.dialect.skims(line)
            except BadLine as bad:
                self._fault(lines, index, offset, bad.reason)
                continue
            for skim in skims:
                if type(skim) is Mark:
                    self._mark(skim)
                else:
                    self._entry(skim, lines, index, offset)

    def _entry(self, skim: Skim, lines: list[bytes], index: int, offset: int) -> None:
        sums = self.sums
        sums.entries += 1
        self.leaves.entry(skim.id, skim.parent_id)
        sums.shape.append((skim.id, skim.parent_id))
        if not sums.first_stamp:
            sums.first_stamp = parse_time(skim.timestamp) or 0
        if skim.type != "message":
            if skim.type in _RARE_TYPES:
                self._rare(skim)
            return
        sums.messages += 1
        message = skim.message
        if message is None:
            self._fault(lines, index, offset, "a message entry without a message")
            return
        if message.role == "assistant":
            self._answer(message)
        elif message.role == "user" and not sums.first_message:
            sums.first_message = text_of(message.content)[:FIRST_MESSAGE_LIMIT]
        if message.role in ("user", "assistant") and message.content is not ABSENT:
            sums.newest = max(sums.newest, _activity(message, skim))

    def _slow(self, line: bytes, lines: list[bytes], index: int, offset: int) -> Skim | None:
        if is_blank(line):
            return None
        try:
            return self.dialect.skim(line)
        except BadLine as bad:
            self._fault(lines, index, offset, bad.reason)
            return None

    def _rare(self, skim: Skim) -> None:
        sums = self.sums
        kind = skim.type
        if kind in _USAGE_TYPES:
            if skim.usage is not None:
                self._use((skim.usage,))
        elif kind == "label":
            self._label(skim)
        elif kind == "session_info":
            sums.name = self.dialect.renamed(sums.name, (skim.name or "").strip() or None)
        elif skim.parent_session_path and not sums.parent_session:
            sums.parent_session = skim.parent_session_path

    def _mark(self, skim: Mark) -> None:
        sums = self.sums
        if skim.type == "leaf":
            sums.marked_leaf, sums.leaf_marked = skim.target_id, True
        elif skim.type == "label":
            self._label(skim)
        elif skim.type == "session_info":
            sums.name = (skim.name or "").strip() or None
        elif skim.usage is not None:
            self._use((skim.usage,))

    def _label(self, skim: Skim) -> None:
        target = skim.target_id
        if target is None or not self.has_ids:
            return
        # Taken out first, so that a changed label moves to its place in the file's order.
        self.sums.labels.pop(target, None)
        if skim.label:
            self.sums.labels[target] = skim.label

    def _answer(self, message: SkimMessage) -> None:
        if message.usage is not None:
            self._use((message.usage,))
        if message.model:
            self.models[message.provider, message.model] = None

    def _use(self, used: Sequence[Usage]) -> None:
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

    def _fault(self, lines: list[bytes], index: int, offset: int, reason: str) -> None:
        self.sums.problems += 1
        if self.on_fault:
            start = offset + sum(len(line) + 1 for line in lines[:index])
            if self.sums.lines == 0 and self.header.has_bom:
                start += 3 if index else 0
            self.on_fault(Fault(self.sums.lines + index + 1, start, reason))

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

    def dump(self) -> bytes:
        """The state for `restore`; empty where this session must be read whole each time."""
        if not self.dialect.one_entry_a_line:
            return b""
        return pack_state(self.header, self.sums, self.leaves, list(self.models))

    @classmethod
    def restore(cls, state: bytes) -> Tally:
        """A tally that goes on where `dump` was taken.

        :raises NeedsReread: the state is empty or not of this version.
        """
        header, sums, leaves, models = unpack_state(state)
        tally = cls(header)
        tally.sums = sums
        tally.leaves = leaves
        tally.models = dict.fromkeys(models)
        return tally


def _activity(message: SkimMessage, skim: Skim) -> int:
    """When a message was, 0 when nothing says: its own number, else the entry's time."""
    stamp = message.timestamp
    if stamp is None or isinstance(stamp, str):
        stamp = skim.timestamp
    return parse_time(stamp) or 0
