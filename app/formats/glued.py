"""Lines with more than one record: glued records, a torn one before a whole one, and NUL bytes before one.

An agent that was killed leaves half a line or NUL bytes, and the next one writes behind it. The whole records
of such a line are read; the line stays a fault, which `doctor` names.
"""

from __future__ import annotations

from json import JSONDecoder
from typing import TYPE_CHECKING, Any

from app.formats.json_codec import BadLine
from app.formats.long_lines import shortened

if TYPE_CHECKING:
    from app.formats.dialects.base import Dialect
    from app.formats.partial_entry import PartialEntry

STRIDE = 1 << 20
"""The number of the first entry of the second record of a line, if the first record begins at 0."""

LONGEST = 4 << 20
"""Bytes. A line that is longer, with its long strings cut, is not searched for records."""

_MOST_STARTS = 2_000
_BEFORE_VALUES = (":", ",", "[")
_KINDS = ("type", "kind")
"""The fields of which each record of an agent has one."""
_scan = JSONDecoder().raw_decode


def records_in(line: bytes) -> list[bytes]:
    """The whole records in a line that is not one record itself, in their order; none if there are none. In a
    line with NUL bytes, only the bytes behind the last one are looked at.
    """
    line = line.rpartition(b"\0")[2]
    if not line or len(shortened(line)) > LONGEST:
        return []
    text = line.decode("utf-8", "surrogateescape")
    found, end = _whole(text, 0)
    if end < len(text):
        # The text after the last whole record has to begin one: otherwise it is another kind of damage.
        found = found if text.startswith("{", end) else []
        found += _behind_a_torn_one(text, end)
    return [record.encode("utf-8", "surrogateescape") for record in found]


def entries_in(line: bytes, dialect: Dialect) -> list[dict[str, Any]]:
    """The entries of a line, or of the whole records in it, as `Dialect.entries` gives them; none if it is
    damaged.
    """
    try:
        return _entries(line, dialect)
    except BadLine:
        pass
    found: list[dict[str, Any]] = []
    for record in records_in(line):
        try:
            found += _entries(record, dialect)
        except BadLine:
            continue
    return found


def _entries(line: bytes, dialect: Dialect) -> list[dict[str, Any]]:
    if not dialect.one_entry_a_line:
        # It refuses more lines.
        dialect.partial_entries(line)
    return dialect.entries(line)


def _behind_a_torn_one(text: str, end: int) -> list[str]:
    """The whole records at the end of a text, behind the beginning of another one at `end`."""
    for _ in range(_MOST_STARTS):
        start = text.find('{"', end + 1)
        if start < 0:
            break
        # An object that is a value of the torn record stands behind one of these.
        if text[end:start].rstrip()[-1:] not in _BEFORE_VALUES:
            found, stop = _whole(text, start)
            if stop >= len(text):
                return found
        end = start
    return []


def _whole(text: str, start: int) -> tuple[list[str], int]:
    """The objects that follow each other from `start` on, and where they end."""
    found: list[str] = []
    while start < len(text):
        try:
            value, end = _scan(text, start)
        except (ValueError, RecursionError):
            break
        if not isinstance(value, dict) or not any(isinstance(value.get(key), str) for key in _KINDS):
            break
        found.append(text[start:end])
        start = end
        while text[start : start + 1].isspace():
            start += 1
    return found, start


def _record(line: bytes, part: int) -> tuple[bytes, int]:
    """The record with an entry, and the number of the entry in it.

    :raises BadLine: there is none.
    """
    records = records_in(line)
    number, part = divmod(part, STRIDE)
    if number >= len(records):
        raise BadLine("the line has no such entry")
    return records[number], part


def entry_in(dialect: Dialect, line: bytes, part: int) -> dict[str, Any]:
    """As `Dialect.entry`, also of a line with several records.

    :raises BadLine: there is none.
    """
    try:
        return dialect.entry(line, part)
    except BadLine:
        return dialect.entry(*_record(line, part))


def partial_entry_in(dialect: Dialect, line: bytes, part: int) -> PartialEntry:
    """As `Dialect.partial_entry`, also of a line with several records.

    :raises BadLine: there is none.
    """
    try:
        return dialect.partial_entry(line, part)
    except BadLine:
        return dialect.partial_entry(*_record(line, part))
