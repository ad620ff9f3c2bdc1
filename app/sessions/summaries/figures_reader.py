"""Reads the figures of a session for statistics (`sessions.summaries.figures`).

They are not read with the summary, because statistics are seldom used, and counting them would slow down
every index.

The rules:

- An entry belongs to the model of the last answer before it or in it, and before the first answer to that.
- Active time is the sum of the gaps between entries of the conversation (`_CONVERSATION`), each of at most
  `LONGEST_GAP_MS`. Other entries do not end a gap: a name or a label may be set a week later.
- The gap of an entry is the time since the latest one before it in the file. The time of an entry without one
  is that of this latest one.
- Tokens and cost belong to the model of their entry too, but those of the results of tools and of summaries
  to `TOOLS`, and those of an entry for usage alone to the model that it names. pi counts them so.
- Tokens that are counted before the first entry belong to it.
- The cost of an entry that is not on the path to the leaf is the cost of an abandoned branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import SnakeToolCallBlock, ToolCallBlock, read_typed_content
from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.entry_types import RESULT_ROLES, USAGE_TYPES
from app.formats.glued import records_in
from app.formats.header import find_header
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, line_windows, opened
from app.formats.migrate import made_up_id
from app.formats.model_names import with_provider
from app.formats.partial_entry import PartialEntry
from app.formats.prices import unpriced_of
from app.formats.summary_fields import SUMMARY_TYPES
from app.formats.timestamps import parse_time
from app.sessions.parent_links import deepest_leaf
from app.sessions.summaries.figures import (
    KEY_BYTES,
    TOOLS,
    EntryFigures,
    Figures,
    figures_of,
    packed_keys,
    unpacked_keys,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from app.formats.dialects.base import Dialect, LineReader
    from app.formats.partial_entry import PartialMessage, Usage
    from app.formats.prices import Unpriced

LONGEST_GAP_MS = 5 * 60_000
"""Milliseconds of a gap that count as active time."""

_CONVERSATION = frozenset(("message", "custom_message", "compaction", "branch_summary"))
"""Types of entries between which a session is active."""

_NO_TOKENS = (0, 0, 0, 0, 0.0)


def read_sums(path: str, agents: Sequence[str], foreign: bytes) -> tuple[bytes, Figures]:
    """The packed keys of all entries of the session at `path`, and the figures of its own entries.

    :param agents: the agents whose store it lies in, usually one.
    :param foreign: the packed keys of its entries that belong to other sessions.
    :raises NotASession: it is no session.
    :raises OSError: it cannot be read.
    """
    entries = read_figures(path, agents)
    keys = packed_keys([entry.key for entry in entries])
    return keys, figures_of(_own(entries, set(unpacked_keys(foreign))) if foreign else entries)


def _own(entries: Sequence[EntryFigures], others: Collection[bytes]) -> list[EntryFigures]:
    """The entries that are not those of other sessions."""
    own: list[EntryFigures] = []
    is_copied = False
    for entry in reversed(entries):
        is_foreign = entry.key in others
        if entry.is_answer:
            is_copied = is_foreign
        if not (is_foreign or is_copied):
            own.append(entry)
    return own[::-1]


def read_figures(path: str, agents: Sequence[str]) -> list[EntryFigures]:
    """The figures of each entry of the session at `path`, in file order. Lines that cannot be read are left
    out.

    :param agents: the agents whose store it lies in, usually one.
    :raises NotASession: it is no session.
    :raises OSError: it cannot be read.
    """
    with opened(path) as descriptor:
        header = find_header(path, descriptor, agents)
        reader = _Reader(dialect_named(header.dialect), header.created_ms or 0, has_ids=header.has_ids)
        reader.read(descriptor)
        again = reader.lines.again()
        if again is not None:
            reader = _Reader(reader.dialect, header.created_ms or 0, has_ids=header.has_ids, lines=again)
            reader.read(descriptor)
    return reader.finish()


class _Reader:
    """The figures of the lines so far.

    :param start_ms: the time of entries without one before the first of the conversation.
    :param has_ids: whether entries have ids of their own.
    :param lines: reads the lines; None for a new reader of the dialect.
    """

    def __init__(
        self, dialect: Dialect, start_ms: int, *, has_ids: bool, lines: LineReader | None = None
    ) -> None:
        self.dialect = dialect
        self.lines = lines or dialect.reader()
        self._copies = dialect.copies()
        self._early: list[tuple[PartialEntry, Usage]] = []
        self._start_ms = start_ms
        self._has_ids = has_ids
        self._entries: list[EntryFigures] = []
        self._ids: list[str | None] = []
        self._parents: list[str | None] = []
        self._latest: int | None = None
        self._model = ""
        self._first_model = ""
        self._leaf: tuple[str | None] | None = None

    def read(self, descriptor: int) -> None:
        """Add the lines of the file. :raises OSError: it cannot be read."""
        is_first = True
        for buffer, length, _ in line_windows(descriptor):
            lines = bytes(buffer[:length])
            self._add(lines.removeprefix(BOM) if is_first else lines)
            is_first = False

    def _add(self, lines: bytes) -> None:
        self.lines.foresee(lines)
        for line in lines.split(b"\n"):
            if line and not line.isspace():
                self._add_line(line)

    def _add_line(self, line: bytes) -> None:
        try:
            self._add_record(line)
        except BadLine:
            for record in records_in(line):
                try:
                    self._add_record(record)
                except BadLine:
                    continue

    def _add_record(self, record: bytes) -> None:
        found = self.lines.partial_entries(record)
        if found:
            self._copies.read(record)
        for entry in found:
            if type(entry) is MetadataRecord:
                if entry.type == "leaf":
                    self._leaf = (entry.target_id,)
                elif entry.type == "usage" and entry.usage is not None:
                    self._add_usage(entry, entry.usage)
            elif entry.type != "session" and (entry.type != "title" or entry.id is not None):
                self._add_entry(entry)

    def _add_entry(self, entry: PartialEntry) -> None:
        latest = self._latest
        time = parse_time(entry.timestamp)
        if time is None:
            time = self._start_ms if latest is None else latest
        gap = 0
        if entry.type in _CONVERSATION:
            gap = 0 if latest is None else min(max(0, time - latest), LONGEST_GAP_MS)
            self._latest = time if latest is None else max(time, latest)
        message = entry.message if entry.type == "message" else None
        tools: tuple[str, ...] = ()
        failed = usage = None
        turns = messages = 0
        spender = ""
        if message is not None:
            messages, role = 1, message.role
            if role == "assistant":
                usage = message.usage
                tools = _called(message)
                self._model = with_provider(message.provider, message.model) or self._model
                self._first_model = self._first_model or self._model
            elif role == "user":
                turns = 1
            elif role in RESULT_ROLES:
                usage, spender = message.usage, TOOLS
                failed = (message.tool_name or "") if message.is_error is True else None
        elif entry.type in USAGE_TYPES:
            usage, spender = entry.usage, with_provider(entry.provider, entry.model)
            if entry.type in SUMMARY_TYPES:
                spender = TOOLS
        self._ids.append(entry.id)
        self._parents.append(entry.parent_id)
        entry_id = made_up_id(len(self._entries)) if entry.id is None or not self._has_ids else entry.id
        if usage is not None and usage.cost is not None and not usage.cost.total:
            usage.cost = None if self._copies.has_no_cost(entry_id) else usage.cost
        sent, received, read, written, cost = _NO_TOKENS if usage is None else _amounts(usage)
        key, is_answer = self._copies.key(entry, entry_id, time)
        self._entries.append(
            EntryFigures(
                *(key[:KEY_BYTES], time, self._model, turns, messages, tools, failed),
                *(sent, received, read, written, cost, gap, is_answer),
                spender=spender,
                unpriced=_unpriced(usage, "" if spender == TOOLS else spender or self._model),
            )
        )
        early, self._early = self._early, []
        for record, spent in early:
            self._add_usage(record, spent)

    def _add_usage(self, record: PartialEntry, usage: Usage) -> None:
        """Add the tokens of a record to the last entry, or to the first one if none came yet."""
        if self._entries:
            self._entries[-1] = _with_usage(self._entries[-1], record, usage)
        else:
            self._early.append((record, usage))

    def finish(self) -> list[EntryFigures]:
        """The figures of each entry."""
        if self._early:
            # No entry came.
            self._add_entry(PartialEntry(type="custom"))
        path = self._path()
        entries = self._entries
        if self._first_model:
            for number, entry in enumerate(entries):
                if entry.model:
                    break
                entries[number] = entry._replace(model=self._first_model)
        if path is not None:
            for number, entry in enumerate(entries):
                if (entry.cost or entry.unpriced) and number not in path:
                    entries[number] = entry._replace(is_abandoned=True)
        return entries

    def _path(self) -> Collection[int] | None:
        """The numbers of the entries on the path to the leaf; None if all are."""
        ids, parents = self._ids, self._parents
        is_linear = not self._has_ids or self.dialect.linear or all(each is None for each in ids)
        if is_linear or parents == [None, *ids[:-1]]:
            return None
        positions = {entry_id: number for number, entry_id in enumerate(ids)}
        if self.dialect.one_entry_a_line:
            position = len(ids) - 1
        else:
            pairs = list(zip(ids, parents, strict=True))
            position = positions.get(self._leaf[0] if self._leaf else deepest_leaf(pairs), -1)
        path: set[int] = set()
        while position >= 0 and position not in path:
            path.add(position)
            parent = parents[position]
            position = -1 if parent is None else positions.get(parent, -1)
        return path


def _called(message: PartialMessage) -> tuple[str, ...]:
    raw = bytes(message.content)
    if b'"toolCall"' not in raw and b'"tool_call"' not in raw:
        return ()
    content = read_typed_content(message.content)
    if not isinstance(content, list):
        return ()
    return tuple([block.name for block in content if isinstance(block, ToolCallBlock | SnakeToolCallBlock)])


def _amounts(usage: Usage) -> tuple[float, float, float, float, float]:
    price = usage.cost
    cost = (price.total or 0.0) if price is not None else 0.0
    return (usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0, cost)


def _unpriced(usage: Usage | None, model: str) -> tuple[Unpriced, ...]:
    found = None if usage is None else unpriced_of(usage, model)
    return () if found is None else (found,)


def _with_usage(entry: EntryFigures, record: PartialEntry, usage: Usage) -> EntryFigures:
    amounts = _amounts(usage)
    return entry._replace(
        input=entry.input + amounts[0],
        output=entry.output + amounts[1],
        cache_read=entry.cache_read + amounts[2],
        cache_write=entry.cache_write + amounts[3],
        cost=entry.cost + amounts[4],
        unpriced=(*entry.unpriced, *_unpriced(usage, with_provider(record.provider, record.model))),
    )
