"""The figures of a session for statistics: turns, messages, tool calls, tokens, cost and active time; and the
keys by which copies of an entry are recognised.

The statistics of unchanged sessions need only this module, so it imports nothing that reads a session
(`sessions.summaries.figures_reader`).
"""

from __future__ import annotations

from datetime import date
from time import localtime
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.amounts import finite_int
from app.formats.prices import unpriced_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.prices import Unpriced

_QUARTER_MS = 15 * 60_000
"""Milliseconds that lie in one day in every time zone, because the offsets of zones are multiples of it."""

KEY_BYTES = 6
"""Bytes of the key of an entry. Among two million entries, two have the same key by chance once in a hundred
times.
"""
HEAD_BYTES = 4
"""Bytes of a key that are compared first, as numbers: a number takes less memory than a text."""

TOOLS = "tools"
"""Stands for a model in the figures that pi calls "Tools/summaries": the usage of the models that tools
asked, and that of summaries, whose entries name no model.
"""

Cell = tuple[int, str, int, int, int, int, int, int, int, int, float, float, int]
"""The figures of one local day with one model: the day as `date.toordinal` counts (0: no entry has a time),
the model, turns, messages, tool calls, failed calls, tokens (input, output, cache read, cache write), cost
and cost of abandoned branches in dollars, active milliseconds.
"""

CellUnpriced = tuple[int, bool, "Unpriced"]
"""Tokens without a cost in a cell: the index of the cell, whether they are on an abandoned branch, and the
tokens.
"""


class Figures(NamedTuple):
    """The figures of a session, or of some of its entries.

    cells   see `Cell`
    tools   name, calls and failed calls of each tool
    unpriced
            tokens whose cost the cells lack
    """

    cells: tuple[Cell, ...]
    tools: tuple[tuple[str, int, int], ...]
    unpriced: tuple[CellUnpriced, ...] = ()


class EntryFigures(NamedTuple):
    """The figures of one entry; `tools` are the names that it calls, and `failed` the tool whose failure it
    reports, None for none. `cost` is in dollars, `time` and `active` are in milliseconds. `key`, of
    `KEY_BYTES`, and `is_answer` are those of `formats.dialects.copies`. `spender` is the model that tokens
    and cost belong to, or `TOOLS`; "" for `model`. `unpriced` are tokens without a cost.
    """

    key: bytes
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
    is_answer: bool = False
    is_abandoned: bool = False
    spender: str = ""
    unpriced: tuple[Unpriced, ...] = ()


def packed_keys(keys: Sequence[bytes]) -> bytes:
    """The first `HEAD_BYTES` of each key, then the rest of each."""
    heads = b"".join([key[:HEAD_BYTES] for key in keys])
    return heads + b"".join([key[HEAD_BYTES:] for key in keys])


def unpacked_keys(blob: bytes) -> list[bytes]:
    """The keys in the result of `packed_keys`."""
    number = len(blob) // KEY_BYTES
    rest, behind = KEY_BYTES - HEAD_BYTES, number * HEAD_BYTES
    return [
        blob[at * HEAD_BYTES : (at + 1) * HEAD_BYTES] + blob[behind + at * rest : behind + (at + 1) * rest]
        for at in range(number)
    ]


def local_day(time_ms: int) -> int:
    """The local day of a time, as `date.toordinal` counts; 0 for the time 0 and outside of the calendar."""
    try:
        return date(*localtime(time_ms / 1000)[:3]).toordinal() if time_ms else 0
    except (OverflowError, ValueError, OSError):
        return 0


def figures_of(entries: Sequence[EntryFigures]) -> Figures:
    """The sums of some entries, in days of the time zone of this process."""
    cells: dict[tuple[int, str], list[Any]] = {}
    tools: dict[str, list[int]] = {}
    days: dict[int, int] = {}
    unpriced: dict[tuple[int, str, bool], list[Unpriced]] = {}
    for entry in entries:
        quarter = entry.time // _QUARTER_MS
        day = days.get(quarter)
        if day is None:
            day = days[quarter] = local_day(quarter * _QUARTER_MS)
        key = (day, entry.model)
        cell = cells.get(key)
        if cell is None:
            cell = cells[key] = [0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0]
        cell[0] += entry.turns
        cell[1] += entry.messages
        cell[10] += entry.active
        if entry.tools:
            cell[2] += len(entry.tools)
            for name in entry.tools:
                tools.setdefault(name, [0, 0])[0] += 1
        if entry.failed is not None:
            cell[3] += 1
            tools.setdefault(entry.failed, [0, 0])[1] += 1
        if entry.input or entry.output or entry.cache_read or entry.cache_write or entry.cost:
            if entry.spender and entry.spender != entry.model:
                cell = cells.setdefault((day, entry.spender), [0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0])
            cell[4] += entry.input
            cell[5] += entry.output
            cell[6] += entry.cache_read
            cell[7] += entry.cache_write
            cell[8] += entry.cost
            if entry.is_abandoned:
                cell[9] += entry.cost
            if entry.unpriced:
                key = (day, entry.spender or entry.model)
                unpriced.setdefault((*key, entry.is_abandoned), []).extend(entry.unpriced)
    positions = {key: index for index, key in enumerate(cells)}
    return Figures(
        tuple(
            [
                (day, model, *cell[:4], *map(finite_int, cell[4:8]), *cell[8:])
                for (day, model), cell in cells.items()
            ]
        ),
        tuple([(name, calls, errors) for name, (calls, errors) in tools.items()]),
        tuple(
            [
                (positions[day, model], is_abandoned, each)
                for (day, model, is_abandoned), found in unpriced.items()
                for each in unpriced_sums(found)
            ]
        ),
    )
