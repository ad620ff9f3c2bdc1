"""The spans of each session's text in the segments of the text store, as the catalog stores them.

The column `spans` of a session is NULL if its text is not stored. The table `segments` has the number of
bytes in use of each segment and the end of the last span, so that garbage and missing text are known without
reading every session. It changes in the same transaction as the sessions.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, NamedTuple

from app.index.catalog.db_errors import Doubt
from app.index.catalog.schema import decode, encode, expect

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from app.index.row import Span

    FlatSpans = tuple[int, ...]
    """Spans as (id of the segment, start, length) one after the other."""

MOST_SPANS = 32
"""The most spans of a session after the last large one. If there are more, the latest ones are copied into
one.
"""

LARGE_SPAN = 4 << 20
"""Bytes of a span that is not copied."""

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4


class Usage(NamedTuple):
    """The bytes of a segment that the catalog refers to: `live` bytes, none of them beyond `reach`."""

    live: int
    reach: int


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans, with adjacent spans of a segment joined."""
    merged: list[Span] = []
    for name, start, length in spans:
        if merged and merged[-1][0] == name and merged[-1][1] + merged[-1][2] == start:
            merged[-1] = (name, merged[-1][1], merged[-1][2] + length)
        else:
            merged.append((name, start, length))
    return tuple(merged)


def copy_from(spans: tuple[Span, ...]) -> int:
    """The number of the first span to be copied together with all after it: the last half, and spans before
    it that are no larger than twice the spans after them. Text is then copied again only after as much has
    been added, so that the cost of an append does not grow with its session.
    """
    first = max(0, len(spans) - MOST_SPANS // 2)
    size = sum([span[2] for span in spans[first:]])
    while first and spans[first - 1][2] <= 2 * size:
        first -= 1
        size += spans[first][2]
    return first


def is_segment_name(name: object) -> bool:
    """Whether `name` is the name of a segment. It is joined to a path, and the file may be damaged."""
    return isinstance(name, str) and len(name) == 16 and not name.strip("0123456789abcdef")


def segments(connection: sqlite3.Connection) -> dict[str, Usage]:
    """Every segment that contains text of a session, of all stores."""
    usage = {}
    for name, live, reach in connection.execute("SELECT name, live, reach FROM segments"):
        expect(int, (live, reach))
        usage[_checked(name)] = Usage(live, reach)
    return usage


def segment_names(connection: sqlite3.Connection) -> dict[int, str]:
    """Id of a segment -> its name."""
    return {number: _checked(name) for number, name in connection.execute("SELECT id, name FROM segments")}


def decode_spans(blob: bytes, names: dict[int, str]) -> tuple[Span, ...]:
    """The spans of a session.

    :param blob: as they are stored.
    :param names: see `segment_names`.
    :raises Doubt: `blob` is not what was stored.
    """
    flat = _flat(blob) or ()
    try:
        return tuple((names[flat[i]], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 3))
    except LookupError as error:
        raise Doubt(f"spans in a segment that is not listed: {error}") from error


def all_spans(connection: sqlite3.Connection) -> list[tuple[int, bytes, tuple[Span, ...]]]:
    """(key, spans as they are stored, spans) of every session, of all stores."""
    connection.execute("BEGIN")
    names = segment_names(connection)
    records = connection.execute("SELECT key, spans FROM sessions WHERE spans IS NOT NULL").fetchall()
    connection.execute("COMMIT")
    return [(key, blob, decode_spans(blob, names)) for key, blob in records]


def paths_with(
    connection: sqlite3.Connection, stores: str, matches: Callable[[tuple[Span, ...]], bool]
) -> set[str]:
    """The paths of the sessions whose spans match.

    :param stores: the ids of the stores for `IN (...)`.
    """
    connection.execute("BEGIN")
    names = segment_names(connection)
    records = connection.execute(
        f"SELECT path, spans FROM sessions NOT INDEXED WHERE store IN ({stores}) AND spans IS NOT NULL"
    ).fetchall()
    connection.execute("COMMIT")
    return {decode(path) for path, spans in records if matches(decode_spans(spans, names))}


def paths_without(connection: sqlite3.Connection, stores: str) -> set[str]:
    """The paths of the sessions whose text is not stored."""
    records = connection.execute(
        "SELECT path FROM sessions INDEXED BY textless"
        f" WHERE listed AND spans IS NULL AND store IN ({stores})"
    )
    return {decode(path) for (path,) in records}


def forget_spans(connection: sqlite3.Connection, stores: str, texts: Mapping[str, tuple[Span, ...]]) -> None:
    """Store that sessions have no text.

    :param stores: the ids of the stores for `IN (...)`.
    :param texts: path -> its spans; a session with other spans by now is left alone.
    """
    connection.execute("BEGIN IMMEDIATE")
    names = segment_names(connection)
    changes = SpanChanges(connection)
    for path, spans in texts.items():
        records = connection.execute(
            f"SELECT key, spans FROM sessions WHERE store IN ({stores}) AND path = ? AND spans IS NOT NULL",
            (encode(path),),
        ).fetchall()
        for key, blob in records:
            if decode_spans(blob, names) == spans:
                changes.replace(key, blob, None)
    changes.close()
    connection.execute("COMMIT")


class SpanChanges:
    """The changes of spans in one transaction; `close` updates the table of segments."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, int] | None = None
        self._live: dict[int, int] = {}
        self._reach: dict[int, int] = {}

    def change(self, before: bytes | None, spans: Iterable[Span] | None) -> bytes | None:
        """Count the spans of a session instead of those before.

        :param before: the spans as they are stored; None for none.
        :param spans: None if the text is not stored.
        :return: the new spans as they are to be stored.
        """
        old, new = _flat(before), self._flatten(spans)
        if old != new:
            self._count(old or (), new or ())
        return None if new is None else marshal.dumps(new, _MARSHAL_VERSION)

    def replace(self, key: int, before: bytes, spans: Iterable[Span] | None) -> None:
        """Store the spans of the session `key`, unless its stored spans are not `before` any more."""
        record = self._connection.execute("SELECT spans FROM sessions WHERE key = ?", (key,)).fetchone()
        if record and record[0] == before:
            after = self.change(before, spans)
            self._connection.execute("UPDATE sessions SET spans = ? WHERE key = ?", (after, key))

    def close(self) -> None:
        """Update the table of segments, before the commit."""
        for number, change in self._live.items():
            self._connection.execute(
                "UPDATE segments SET live = live + ?, reach = max(reach, ?) WHERE id = ?",
                (change, self._reach.get(number, 0), number),
            )
        if min(self._live.values(), default=0) < 0:
            self._connection.execute("DELETE FROM segments WHERE live <= 0")

    def _flatten(self, spans: Iterable[Span] | None) -> FlatSpans | None:
        if spans is None:
            return None
        flat: list[int] = []
        for name, start, length in spans:
            flat += self._id(name), start, length
        return tuple(flat)

    def _count(self, before: FlatSpans, after: FlatSpans) -> None:
        # Most spans at the beginning stay the same.
        same = 0
        while same < len(before) and before[same : same + 3] == after[same : same + 3]:
            same += 3
        for i in range(same, len(before), 3):
            number, _, length = before[i : i + 3]
            self._live[number] = self._live.get(number, 0) - length
        for i in range(same, len(after), 3):
            number, start, length = after[i : i + 3]
            self._live[number] = self._live.get(number, 0) + length
            self._reach[number] = max(self._reach.get(number, 0), start + length)

    def _id(self, name: str) -> int:
        if self._ids is None:
            self._ids = {known: number for number, known in segment_names(self._connection).items()}
        if name not in self._ids:
            cursor = self._connection.execute(
                "INSERT INTO segments (name, live, reach) VALUES (?, 0, 0)", (name,)
            )
            self._ids[name] = cursor.lastrowid or 0
        return self._ids[name]


def recount(connection: sqlite3.Connection) -> None:
    """Compute the table of segments again, after sessions were dropped."""
    usage: dict[int, Usage] = {}
    for (blob,) in connection.execute("SELECT spans FROM sessions WHERE spans IS NOT NULL"):
        flat = _flat(blob) or ()
        for i in range(0, len(flat), 3):
            number, start, length = flat[i : i + 3]
            live, reach = usage.get(number, (0, 0))
            usage[number] = Usage(live + length, max(reach, start + length))
    connection.execute("UPDATE segments SET live = 0")
    for number, (live, reach) in usage.items():
        connection.execute("UPDATE segments SET live = ?, reach = ? WHERE id = ?", (live, reach, number))
    connection.execute("DELETE FROM segments WHERE live = 0")


def _flat(blob: bytes | None) -> FlatSpans | None:
    """:raises Doubt: `blob` is not what was stored."""
    if blob is None:
        return None
    try:
        flat = marshal.loads(blob)
    except (ValueError, EOFError, TypeError) as error:
        raise Doubt(f"spans that cannot be read: {error}") from error
    if type(flat) is not tuple or len(flat) % 3 or set(map(type, flat)) - {int}:
        raise Doubt(f"no spans: {flat!r:.80}")
    return flat


def _checked(name: object) -> str:
    if not is_segment_name(name):
        raise Doubt(f"no name of a segment: {name!r}")
    return str(name)
