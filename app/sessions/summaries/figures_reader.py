"""Reads the figures of a session for statistics (`sessions.summaries.figures`).

They are not read with the summary, because statistics are seldom used, and counting them would slow down
every index.

The rules:

- An entry belongs to the model of the last answer before it or in it, and before the first answer to that.
- Active time is the sum of the gaps between entries of the conversation (`_CONVERSATION`), each of at most
  `LONGEST_GAP_MS`. Other entries do not end a gap: a name or a label may be set a week later.
- The gap of an entry is the time since the latest one before it in the file. The time of an entry without one
  is that of this latest one.
- The cost of an entry that is not on the path to the leaf is the cost of an abandoned branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import SnakeToolCallBlock, ToolCallBlock, read_typed_content
from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.entry_types import RESULT_ROLES, USAGE_TYPES
from app.formats.header import find_header
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, line_windows, opened
from app.formats.migrate import made_up_id
from app.formats.timestamps import parse_time
from app.sessions.parent_links import deepest_leaf
from app.sessions.summaries.figures import (
    EntryFigures,
    Figures,
    entry_keys,
    figures_of,
    packed_keys,
    unpacked_keys,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from app.formats.dialects.base import Dialect
    from app.formats.partial_entry import PartialEntry, PartialMessage, Usage

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
    keys = entry_keys(entries)
    if foreign:
        others = set(unpacked_keys(foreign))
        entries = [entry for key, entry in zip(keys, entries, strict=True) if key not in others]
    return packed_keys(keys), figures_of(entries)


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
        for line in _lines(descriptor):
            reader.add(line)
    return reader.finish()


def _lines(descriptor: int) -> Iterator[bytes]:
    is_first = True
    for buffer, length, _ in line_windows(descriptor):
        for line in bytes(buffer[:length]).split(b"\n"):
            if is_first and line.startswith(BOM):
                line = line[len(BOM) :]
            is_first = False
            if line and not line.isspace():
                yield line


class _Reader:
    """The figures of the lines so far.

    :param start_ms: the time of entries without one before the first of the conversation.
    :param has_ids: whether entries have ids of their own.
    """

    def __init__(self, dialect: Dialect, start_ms: int, *, has_ids: bool) -> None:
        self._dialect = dialect
        self._lines = dialect.reader()
        self._start_ms = start_ms
        self._has_ids = has_ids
        self._entries: list[EntryFigures] = []
        self._ids: list[str | None] = []
        self._parents: list[str | None] = []
        self._latest: int | None = None
        self._model = ""
        self._first_model = ""
        self._leaf: tuple[str | None] | None = None

    def add(self, line: bytes) -> None:
        """Add the next line."""
        try:
            found = self._lines.partial_entries(line)
        except BadLine:
            return
        for entry in found:
            if type(entry) is MetadataRecord:
                if entry.type == "leaf":
                    self._leaf = (entry.target_id,)
                elif entry.type == "usage" and entry.usage is not None and self._entries:
                    self._entries[-1] = _with_usage(self._entries[-1], entry.usage)
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
        if message is not None:
            messages, role = 1, message.role
            if role == "assistant":
                usage = message.usage
                tools = _called(message)
                self._model = _model_name(message) or self._model
                self._first_model = self._first_model or self._model
            elif role == "user":
                turns = 1
            elif role in RESULT_ROLES and message.is_error is True:
                failed = message.tool_name or ""
        elif entry.type in USAGE_TYPES:
            usage = entry.usage
        sent, received, read, written, cost = _NO_TOKENS if usage is None else _amounts(usage)
        self._ids.append(entry.id)
        self._parents.append(entry.parent_id)
        entry_id = made_up_id(len(self._entries)) if entry.id is None or not self._has_ids else entry.id
        self._entries.append(
            EntryFigures(
                *(entry_id, time, self._model, turns, messages, tools, failed),
                *(sent, received, read, written, cost, gap),
            )
        )

    def finish(self) -> list[EntryFigures]:
        """The figures of each entry."""
        path = self._path()
        entries = self._entries
        if self._first_model:
            for number, entry in enumerate(entries):
                if entry.model:
                    break
                entries[number] = entry._replace(model=self._first_model)
        if path is not None:
            for number, entry in enumerate(entries):
                if entry.cost and number not in path:
                    entries[number] = entry._replace(is_abandoned=True)
        return entries

    def _path(self) -> Collection[int] | None:
        """The numbers of the entries on the path to the leaf; None if all are."""
        ids, parents = self._ids, self._parents
        is_linear = not self._has_ids or self._dialect.linear or all(each is None for each in ids)
        if is_linear or parents == [None, *ids[:-1]]:
            return None
        positions = {entry_id: number for number, entry_id in enumerate(ids)}
        if self._dialect.one_entry_a_line:
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


def _with_usage(entry: EntryFigures, usage: Usage) -> EntryFigures:
    amounts = _amounts(usage)
    return entry._replace(
        input=entry.input + amounts[0],
        output=entry.output + amounts[1],
        cache_read=entry.cache_read + amounts[2],
        cache_write=entry.cache_write + amounts[3],
        cost=entry.cost + amounts[4],
    )


def _model_name(message: PartialMessage) -> str:
    if not message.model:
        return ""
    return f"{message.provider}/{message.model}" if message.provider else message.model
