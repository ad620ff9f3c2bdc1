"""The figures of a session for statistics: turns, messages, tool calls, tokens, cost and active time.

They are kept in two blobs beside the row of a session, which only statistics load:

- The totals, for each quarter of an hour and model (`Cell`) and for each tool. Time zones differ by quarters
  of an hour, so that a reader can add the cells up to days of any zone.
- The entries: the id of each, which tells a copied entry, because every fork and every other copy keeps ids
  and times (formats/README.md, "Forks of the agents"). A session that names a parent also has the time and
  the figures of each entry, so that those of copied entries can be left out (`app.index.statistics`).

The rules:

- An entry belongs to the model of the last answer before it or in it, and before the first answer to that.
- The gap of an entry is the time since the latest entry before it in the file, at most `LONGEST_GAP_MS`.
  Active time is the sum of the gaps. The time of an entry without one is that of the entry before it.
- The cost of an entry that is not on the path to the leaf is the cost of an abandoned branch.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import count
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from app.formats.content import texts_of
from app.formats.entry_types import USAGE_TYPES
from app.formats.migrate import made_up_id
from app.formats.partial_entry import finite, finite_int
from app.formats.summary_fields import ANSWER_TYPES, RESULT_TYPES, Answer, Prompt, ToolResult
from app.formats.timestamps import iso, parse_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.partial_entry import Usage
    from app.formats.summary_fields import SummaryFields

LONGEST_GAP_MS = 5 * 60_000
"""Milliseconds of a gap that count as active time."""

CELL_MS = 15 * 60_000
"""Milliseconds of a cell. The offsets of time zones are multiples of it."""

_MINUTES = {f"T{minute // 60:02}:{minute % 60:02}": minute * 60_000 for minute in range(24 * 60)}
_MINUTE_NAMES = [*_MINUTES]
_LONGEST_TEXT = 4096
"""Characters of the first message that its checksum is of."""
_DAY_MS = 24 * 60 * 60_000
_SECONDS = {f":{second:02}.": second * 1000 for second in range(60)}
_MILLISECONDS = {f"{number:03}Z": number for number in range(1000)}

_MARSHAL_VERSION = 2  # from version 3 on, equal values may be encoded differently
_TURNS, _MESSAGES, _CALLS, _ERRORS, _INPUT, _OUTPUT, _READ, _WRITTEN, _COST, _ACTIVE, _ABANDONED = range(11)
_NOTHING = (0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0.0)


class Cell(NamedTuple):
    """The figures of one quarter of an hour with one model. `start` is its number since the epoch, UTC.
    `cost` and `abandoned` are dollars, `active` milliseconds.
    """

    start: int
    model: int
    turns: int
    messages: int
    calls: int
    errors: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: float
    active: int
    abandoned: float


class Figures(NamedTuple):
    """The figures of one session.

    models   "provider/model"; a cell names one by its position. "" for entries without an answer
    tools    name, calls and failed calls of each tool
    first    what tells the first message of the session: id, time and a checksum of its text. It is equal in
             all copies of a session.
    """

    models: tuple[str, ...]
    cells: tuple[Cell, ...]
    tools: tuple[tuple[str, int, int], ...]
    first: tuple[str, int, int] | None


class EntryFigures(NamedTuple):
    """The figures of one entry, in a session that names a parent; `tools` are the names that it calls, and
    `failed` the tool whose failure it reports, None for none.
    """

    time: int
    model: str
    turns: int
    messages: int
    tools: tuple[str, ...]
    failed: str | None
    input: float
    output: float
    cache_read: float
    cache_write: float
    cost: float
    active: int
    is_abandoned: bool = False


class FiguresFold:
    """The figures of the lines so far.

    :param start_ms: the time of entries before the first one with a time, in milliseconds since the epoch.
    :param keeps_entries: keep the figures of each entry.
    """

    def __init__(self, start_ms: int, *, keeps_entries: bool) -> None:
        self.ids: list[str | None] = []
        self.entries: list[EntryFigures] | None = [] if keeps_entries else None
        self._cells: dict[tuple[int, str], list[float]] = {}
        self._start_ms = start_ms
        # The time of the latest entry as ISO 8601, "" before the first one; its minute, as text and in
        # milliseconds; and up to where gaps are added, in milliseconds.
        self._latest = self._minute = ""
        self._minute_ms = self._counted_to = 0
        self._model = ""
        self._days: dict[str, int] = {}
        self._answered: tuple[str | None, str | None] = (None, None)
        self._calls: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        # The parent of each entry that is not a child of the one before it in the file.
        self._jumps: dict[int, str | None] = {}
        self._positions: dict[str | None, int] = {}
        self._spent: list[tuple[int, int, str, float]] = []
        self._first: tuple[str, int, int] | None = None

    def keep_entries(self) -> None:
        """Keep the figures of each entry; only before the first one."""
        if not self.ids and self.entries is None:
            self.entries = []

    def add(
        self,
        entries: Sequence[SummaryFields],
        ids: Sequence[str | None],
        parents: Sequence[str | None],
        tool_names: Sequence[str],
        calls_before: Sequence[int],
    ) -> None:
        """Add the next entries, at least one.

        :param tool_names: the tools that they call, in order.
        :param calls_before: for each answer, how many of `tool_names` are called up to its end.
        """
        results, keeps, days = RESULT_TYPES, self.entries is not None, self._days
        camel, snake = ANSWER_TYPES
        latest, minute, minute_ms, model = self._latest, self._minute, self._minute_ms, self._model
        raw_model, provider = self._answered
        self._add_jumps(ids, parents)
        position = len(self.ids)
        self.ids += ids
        if self._first is None:
            self._find_first(entries, ids, position)
        if tool_names:
            self._calls.update(tool_names)
        stamps: Any = [entry.timestamp for entry in entries]
        if not keeps and self._are_sorted(stamps):
            self._add_sorted(entries, stamps, position, calls_before)
            return
        start = minute_ms // CELL_MS if latest else -1
        turns = messages = errors = active = answers = calls_upto = calls = 0
        usages: list[Usage] = []
        for entry in entries:
            stamp: Any = entry.timestamp
            try:
                prefix = stamp[:16]
            except TypeError:
                stamp = self._standard(stamp, latest)
                prefix = stamp[:16]
            gap = 0
            if keeps:
                time = self._ms(self._standard(stamp, latest))
                if latest:
                    gap = min(max(0, time - self._ms(latest)), LONGEST_GAP_MS)
            message: Any = entry.message if entry.type == "message" else None
            kind = type(message)
            is_answer = kind is camel or kind is snake
            if is_answer and (message.model != raw_model or message.provider != provider):
                raw_model, provider = message.model, message.provider
                named = _model_name(message) or model
                if named != model:
                    if latest:
                        active += self._count_to(latest)
                        self._add(start, model, turns, messages, calls, errors, active, usages)
                        turns = messages = errors = active = calls = 0
                    if not model:
                        self._name_model(named)
                    model = named
            if prefix != minute:
                try:
                    now_ms = days[prefix[:10]] + _MINUTES[prefix[10:]]
                    is_utc = stamp[-1] == "Z"
                except KeyError:
                    is_utc = False
                if not is_utc:
                    stamp = self._standard(stamp, latest)
                    prefix = stamp[:16]
                    now_ms = days[prefix[:10]] + _MINUTES[prefix[10:]]
                is_far = not latest or now_ms - minute_ms >= LONGEST_GAP_MS
                if now_ms // CELL_MS != start or is_far:
                    if latest:
                        active += self._count_to(latest)
                        self._add(start, model, turns, messages, calls, errors, active, usages)
                        turns = messages = errors = active = calls = 0
                    start = now_ms // CELL_MS
                    if is_far:
                        time_ms = self._ms(stamp)
                        if latest:
                            active = min(max(0, time_ms - self._counted_to), LONGEST_GAP_MS)
                        self._counted_to = max(time_ms, self._counted_to) if latest else time_ms
                minute, minute_ms = prefix, now_ms
            if stamp > latest:
                latest = stamp
            usage: Usage | None = None
            called: Sequence[str] = ()
            if message is not None:
                messages += 1
                if kind in results:
                    if message.is_error is True:
                        errors += 1
                        self._errors[message.tool_name or ""] += 1
                elif kind is Prompt:
                    turns += 1
                elif is_answer:
                    usage = message.usage
                    before, calls_upto = calls_upto, calls_before[answers]
                    answers += 1
                    if calls_upto > before:
                        calls += calls_upto - before
                        if keeps:
                            called = tool_names[before:calls_upto]
            elif entry.type in USAGE_TYPES:
                usage = entry.usage
            if usage is not None:
                usages.append(usage)
                price = usage.cost
                if price is not None and price.total:
                    self._spent.append((position, start, model, price.total))
            if keeps:
                self._keep(entry, time, model, called, usage, gap)
            position += 1
        active += self._count_to(latest)
        self._add(start, model, turns, messages, calls, errors, active, usages)
        self._latest, self._minute, self._minute_ms, self._model = latest, minute, minute_ms, model
        self._answered = (raw_model, provider)

    def _are_sorted(self, stamps: list[Any]) -> bool:
        """Whether the times are as the agents write them, and none is earlier than one before it."""
        try:
            if stamps[0] < self._latest or set(map(len, stamps)) != {24} or stamps != sorted(stamps):
                return False
        except TypeError:
            return False
        return all(self._standard(stamp, "") == stamp for stamp in (stamps[0], stamps[-1]))

    def _add_sorted(
        self,
        entries: Sequence[SummaryFields],
        stamps: list[str],
        position: int,
        calls_before: Sequence[int],
    ) -> None:
        """Add entries whose times are sorted, as they nearly always are. Every entry of every session goes
        through here, and to look up the ends of cells in the times is faster than to look at each of them.
        """
        camel, snake = ANSWER_TYPES
        kinds = [type(entry.message) if entry.type == "message" else NoneType for entry in entries]
        answers = [at for at, kind in enumerate(kinds) if kind is camel or kind is snake]
        failed = [
            at
            for at, kind in enumerate(kinds)
            if kind in RESULT_TYPES and entries[at].message.is_error is True  # type: ignore[union-attr]
        ]
        for at in failed:
            self._errors[entries[at].message.tool_name or ""] += 1  # type: ignore[union-attr]
        others = [at for at, kind in enumerate(kinds) if kind is NoneType]
        # Where another model answers, another cell begins.
        starts, models = [0], [self._model]
        provider, model = self._answered[1], self._answered[0]
        for at in answers:
            message: Any = entries[at].message
            if message.model != model or message.provider != provider:
                model, provider = message.model, message.provider
                named = _model_name(message)
                if named and named != models[-1]:
                    if not models[-1]:
                        self._name_model(named)
                        models[-1] = named
                    else:
                        starts.append(at)
                        models.append(named)
        self._answered = (model, provider)
        self._model = models[-1]
        answered = calls_upto = 0
        for first, end, name in zip(starts, [*starts[1:], len(stamps)], models, strict=True):
            while first < end:
                time = self._ms(stamps[first])
                cell = time // CELL_MS
                after = (cell + 1) * CELL_MS % _DAY_MS // 60_000
                last = (
                    bisect_left(stamps, stamps[first][:10] + _MINUTE_NAMES[after], first, end) if after else 0
                )
                if not after:
                    last = bisect_left(stamps, stamps[first][:10] + "U", first, end)
                usages: list[Usage] = []
                begin = answered
                while answered < len(answers) and answers[answered] < last:
                    at = answers[answered]
                    answer: Any = entries[at].message
                    self._spend(answer.usage, usages, position + at, cell, name)
                    answered += 1
                for at in others[bisect_left(others, first) : bisect_left(others, last)]:
                    if entries[at].type in USAGE_TYPES:
                        self._spend(entries[at].usage, usages, position + at, cell, name)
                before = calls_upto
                if answered > begin:
                    calls_upto = calls_before[answered - 1]
                self._add(
                    cell,
                    name,
                    kinds[first:last].count(Prompt),
                    last - first - (bisect_left(others, last) - bisect_left(others, first)),
                    calls_upto - before,
                    bisect_left(failed, last) - bisect_left(failed, first),
                    self._active_time(stamps, first, last, time),
                    usages,
                )
                first = last
        self._latest = stamps[-1]
        self._minute = stamps[-1][:16]
        self._minute_ms = self._counted_to // 60_000 * 60_000

    def _spend(self, usage: Usage | None, usages: list[Usage], position: int, cell: int, model: str) -> None:
        if usage is not None:
            usages.append(usage)
            price = usage.cost
            if price is not None and price.total:
                self._spent.append((position, cell, model, price.total))

    def _active_time(self, stamps: list[str], first: int, last: int, time: int) -> int:
        """The gaps of the entries from `first` up to `last`, which are in one cell.

        :param time: of the first one.
        """
        active = min(time - self._counted_to, LONGEST_GAP_MS) if self._latest or first else 0
        at, final = first, last - 1
        end = self._ms(stamps[final])
        while at < final:
            # Entries within five minutes have no long gap.
            minute = time % _DAY_MS // 60_000 + 5
            upto = final
            if end // 60_000 % 1440 >= minute:
                upto = bisect_left(stamps, stamps[at][:10] + _MINUTE_NAMES[minute], at + 1, last) - 1
            if upto == at:
                upto = at + 1
            reached = end if upto == final else self._ms(stamps[upto])
            active += min(reached - time, LONGEST_GAP_MS) if upto == at + 1 else reached - time
            at, time = upto, reached
        self._counted_to = end
        return active

    def add_usage(self, usage: Usage) -> None:
        """Add the usage of a line that is no entry; it belongs to the entry before."""
        last = self._minute_ms if self._latest else self._start_ms
        self._add(last // CELL_MS, self._model, 0, 0, 0, 0, 0, [usage])

    def _add(
        self,
        start: int,
        model: str,
        turns: int,
        messages: int,
        calls: int,
        errors: int,
        active: int,
        usages: list[Usage],
    ) -> None:
        """Add figures to the cell of that number and model; `usages` is empty then."""
        key = (start, model)
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[key] = [*_NOTHING]
        cell[_TURNS] += turns
        cell[_MESSAGES] += messages
        cell[_CALLS] += calls
        cell[_ERRORS] += errors
        cell[_ACTIVE] += active
        for usage in usages:
            cell[_INPUT] += usage.input or 0
            cell[_OUTPUT] += usage.output or 0
            cell[_READ] += usage.cache_read or 0
            cell[_WRITTEN] += usage.cache_write or 0
            price = usage.cost
            if price is not None and price.total:
                cell[_COST] += price.total
        usages.clear()

    def _add_jumps(self, ids: Sequence[str | None], parents: Sequence[str | None]) -> None:
        previous = self.ids[-1] if self.ids else None
        if previous == parents[0] and parents[1:] == ids[:-1]:
            return
        for number, parent in enumerate(parents):
            if parent != previous:
                self._jumps[len(self.ids) + number] = parent
            previous = ids[number]

    def _count_to(self, stamp: str) -> int:
        """The milliseconds from the entry up to which gaps are counted to the one at `stamp`."""
        before, self._counted_to = self._counted_to, max(self._counted_to, self._ms(stamp))
        return self._counted_to - before

    def _standard(self, stamp: object, latest: str) -> str:
        """The time of an entry as the agents write it, in UTC; that of the entry before if it has none."""
        if type(stamp) is str and stamp[:10] in self._days and stamp[10:16] in _MINUTES:
            is_whole = stamp[16:20] in _SECONDS and stamp[20:] in _MILLISECONDS
            if is_whole:
                return stamp
        time = parse_time(stamp)
        if time is None:
            if latest:
                return latest
            time = self._start_ms
        text = iso(time)
        self._days[text[:10]] = parse_time(f"{text[:10]}T00:00:00.000Z") or 0
        return text

    def _ms(self, stamp: str) -> int:
        """`stamp` in milliseconds since the epoch."""
        try:
            day, minute = self._days[stamp[:10]], _MINUTES[stamp[10:16]]
            return day + minute + _SECONDS[stamp[16:20]] + _MILLISECONDS[stamp[20:]]
        except KeyError:
            time = parse_time(stamp)
            return self._counted_to if time is None else time

    def _name_model(self, name: str) -> None:
        """Give the entries before the first answer its model."""
        self._cells = {(start, model or name): cell for (start, model), cell in self._cells.items()}
        self._spent = [(at, start, model or name, cost) for at, start, model, cost in self._spent]
        if self.entries is not None:
            self.entries = [each if each.model else each._replace(model=name) for each in self.entries]

    def _find_first(self, entries: Sequence[SummaryFields], ids: Sequence[str | None], position: int) -> None:
        for number, entry in enumerate(entries):
            if entry.type == "message":
                content = getattr(entry.message, "content", None)
                checksum = crc32(" ".join(texts_of(content))[:_LONGEST_TEXT].encode("utf-8", "surrogatepass"))
                time = self._ms(self._standard(entry.timestamp, self._latest))
                self._first = (ids[number] or made_up_id(position + number), time, checksum)
                return

    def _keep(
        self,
        entry: SummaryFields,
        time: int,
        model: str,
        called: Sequence[str],
        usage: Usage | None,
        gap: int,
    ) -> None:
        message, failed = entry.message if entry.type == "message" else None, None
        if isinstance(message, ToolResult) and message.is_error is True:
            failed = message.tool_name or ""
        sent, received, read, written, cost = (0, 0, 0, 0, 0.0) if usage is None else _amounts(usage)
        turns, messages = int(isinstance(message, Prompt)), int(message is not None)
        tokens = (sent, received, read, written)
        assert self.entries is not None
        self.entries.append(
            EntryFigures(time, model, turns, messages, tuple(called), failed, *tokens, cost, gap)
        )

    def blobs(self, leaf_id: str | None, *, is_linear: bool, last_is_leaf: bool) -> tuple[bytes, bytes]:
        """The totals and the entries, for `read_figures` and `read_entries`.

        :param leaf_id: the id of the leaf; None for none.
        :param is_linear: all entries are on the path to the leaf.
        :param last_is_leaf: the leaf is the last entry, whatever `leaf_id` is.
        """
        cells = {key: [*cell] for key, cell in self._cells.items()}
        runs = None
        if not is_linear and self._jumps:
            runs = self._path(leaf_id, last_is_leaf=last_is_leaf)
            for position, start, model, cost in self._spent:
                if not _is_in(runs, position):
                    cells[start, model][_ABANDONED] += cost
        models = {model: number for number, model in enumerate(dict.fromkeys(model for _, model in cells))}
        whole = (
            tuple(models),
            tuple([tuple(_whole_cell(start, models[model], cell)) for (start, model), cell in cells.items()]),
            tuple(
                [
                    (name, self._calls[name], self._errors[name])
                    for name in dict.fromkeys((*self._calls, *self._errors))
                ]
            ),
            self._first,
        )
        packed: Any = _packed_ids(self.ids)
        entries: Any = None
        if self.entries is not None:
            kept = self.entries
            if runs is not None:
                kept = [each._replace(is_abandoned=not _is_in(runs, at)) for at, each in enumerate(kept)]
            entries = tuple(map(tuple, kept))
        return (
            marshal.dumps(whole, _MARSHAL_VERSION),
            marshal.dumps((packed, entries), _MARSHAL_VERSION),
        )

    def _path(self, leaf_id: str | None, *, last_is_leaf: bool) -> list[tuple[int, int]]:
        """The path to the leaf as runs of positions, first and last, sorted. Between two jumps, each entry is
        the child of the one before it.
        """
        known = len(self._positions)
        if known < len(self.ids):
            self._positions = dict(zip(self.ids, count(), strict=False))
        starts = [*self._jumps]
        runs = []
        position = len(self.ids) - 1 if last_is_leaf else self._positions.get(leaf_id, -1)
        seen: set[int] = set()
        while position >= 0 and position not in seen:
            seen.add(position)
            start = starts[at - 1] if (at := bisect_right(starts, position)) else 0
            runs.append((start, position))
            parent = self._jumps.get(start)
            position = -1 if parent is None else self._positions.get(parent, -1)
        return sorted(runs)


def read_figures(blob: bytes) -> Figures:
    """The totals that `FiguresFold.blobs` has made.

    :raises ValueError, EOFError, TypeError: it is something else.
    """
    models, cells, tools, first = marshal.loads(blob)
    return Figures(models, cells, tools, first)


def read_entries(blob: bytes) -> tuple[Sequence[str], list[EntryFigures] | None]:
    """The id of each entry, in file order, and the figures of each, if they are kept.

    :raises ValueError, EOFError, TypeError: it is something else.
    """
    packed, entries = marshal.loads(blob)
    ids: Sequence[str] = packed
    if isinstance(packed, bytes):
        ids = packed.hex(" ", 4).split(" ") if packed else ()
    return ids, None if entries is None else [EntryFigures._make(each) for each in entries]


def _packed_ids(ids: Sequence[str | None]) -> bytes | tuple[str, ...]:
    """Ids of eight hex digits as four bytes each; others as they are."""
    if None not in ids:
        joined = " ".join(ids)  # type: ignore[arg-type]
        try:
            packed = bytes.fromhex(joined)
        except ValueError:
            packed = b""
        if len(packed) == 4 * len(ids) and packed.hex(" ", 4) == joined:
            return packed
    return tuple([made_up_id(at) if each is None else each for at, each in enumerate(ids)])


def figures_of(entries: Sequence[EntryFigures]) -> Figures:
    """The totals of some entries."""
    cells: dict[tuple[int, str], list[float]] = {}
    calls: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for entry in entries:
        cell = cells.setdefault((entry.time // CELL_MS, entry.model), [*_NOTHING])
        values = (
            *(entry.turns, entry.messages, len(entry.tools), int(entry.failed is not None), entry.input),
            *(entry.output, entry.cache_read, entry.cache_write, entry.cost, entry.active),
            entry.cost if entry.is_abandoned else 0.0,
        )
        for number, value in enumerate(values):
            cell[number] += value
        calls.update(entry.tools)
        if entry.failed is not None:
            errors[entry.failed] += 1
    models = {model: number for number, model in enumerate(dict.fromkeys(model for _, model in cells))}
    return Figures(
        tuple(models),
        tuple([_whole_cell(start, models[model], cell) for (start, model), cell in cells.items()]),
        tuple([(name, calls[name], errors[name]) for name in dict.fromkeys((*calls, *errors))]),
        None,
    )


def _whole_cell(start: int, model: int, cell: list[float]) -> Cell:
    numbers = map(finite_int, cell[:_COST])
    cost, abandoned = float(finite(cell[_COST])), float(finite(cell[_ABANDONED]))
    return Cell._make((start, model, *numbers, cost, int(cell[_ACTIVE]), abandoned))


def _amounts(usage: Usage) -> tuple[float, float, float, float, float]:
    price = usage.cost
    cost = (price.total or 0.0) if price is not None else 0.0
    return (usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0, cost)


def _model_name(answer: Answer) -> str:
    if not answer.model:
        return ""
    return f"{answer.provider}/{answer.model}" if answer.provider else answer.model


def _is_in(runs: Sequence[tuple[int, int]], position: int) -> bool:
    at = bisect_right(runs, (position, position)) - 1
    # A run that begins at the position compares as greater than it if it is longer.
    return any(first <= position <= last for first, last in runs[max(at, 0) : at + 2])
