"""What of the catalog says where the text of each session lies.

`spans` of a session's row is where, and nothing where its text is not kept. The table `segments` says how
many bytes of each segment are spoken for and how far they reach: so what is garbage and what is missing is
known without looking at every session. It changes in the transaction that changes the rows.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING

from app.index.catalog.database import Doubt, decode, expect
from app.index.text.segment import is_name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from app.index.text.segment import Span

    Flat = tuple[int, ...]
    """Spans: the number of the segment, where it begins and its length, of one after the other."""

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4


class Used:
    """What the catalog uses of a segment: `live` bytes of it, none of them beyond `reach`."""

    __slots__ = ("live", "reach")

    def __init__(self, live: int, reach: int) -> None:
        self.live = live
        self.reach = reach


def segments(connection: sqlite3.Connection) -> dict[str, Used]:
    """Every segment that any session's text lies in, of whatever store."""
    used = {}
    for name, live, reach in connection.execute("SELECT name, live, reach FROM segments"):
        expect(int, (live, reach))
        used[_name(name)] = Used(live, reach)
    return used


def names(connection: sqlite3.Connection) -> dict[int, str]:
    """The names of the segments by their numbers."""
    return {number: _name(name) for number, name in connection.execute("SELECT id, name FROM segments")}


def spans_of(blob: bytes, by_number: dict[int, str]) -> tuple[Span, ...]:
    """The spans as stored.

    :param by_number: see `names`.
    """
    found = flat(blob) or ()
    try:
        if len(found) == 3:
            return ((by_number[found[0]], found[1], found[2]),)
        return tuple([(by_number[found[at]], found[at + 1], found[at + 2]) for at in range(0, len(found), 3)])
    except LookupError as error:
        raise Doubt(f"spans in a segment that is not listed: {error}") from error


def all_texts(connection: sqlite3.Connection) -> list[tuple[int, bytes, tuple[Span, ...]]]:
    """(key, spans as stored, spans) of every session, of whatever store."""
    connection.execute("BEGIN")
    by_number = names(connection)
    found = connection.execute("SELECT key, spans FROM sessions WHERE spans IS NOT NULL").fetchall()
    connection.execute("COMMIT")
    return [(key, blob, spans_of(blob, by_number)) for key, blob in found]


def paths_with(
    connection: sqlite3.Connection, stores: str, wanted: Callable[[tuple[Span, ...]], bool]
) -> set[str]:
    """The paths of those sessions whose spans are `wanted`.

    :param stores: the numbers of the stores at hand, for `IN (...)`.
    """
    connection.execute("BEGIN")
    by_number = names(connection)
    found = connection.execute(
        f"SELECT path, spans FROM sessions NOT INDEXED WHERE store IN ({stores}) AND spans IS NOT NULL"
    ).fetchall()
    connection.execute("COMMIT")
    return {decode(path) for path, spans in found if wanted(spans_of(spans, by_number))}


def paths_without(connection: sqlite3.Connection, stores: str) -> set[str]:
    """The paths of the sessions whose text is not kept."""
    found = connection.execute(
        "SELECT path FROM sessions INDEXED BY textless"
        f" WHERE listed AND spans IS NULL AND store IN ({stores})"
    )
    return {decode(path) for (path,) in found}


class Ledger:
    """What one transaction changes of where texts lie; `close` writes what is used of the segments.

    numbers   of the segments by their names, as they will be stored; None where nobody has asked
    """

    def __init__(self, connection: sqlite3.Connection, numbers: dict[str, int] | None = None) -> None:
        """:param numbers: those of the segments by their names, where they are known."""
        self.numbers = numbers
        self._connection = connection
        self._live: dict[int, int] = {}
        self._reach: dict[int, int] = {}

    def flat(self, spans: Iterable[Span] | None) -> Flat | None:
        """The spans of a session in numbers; None: its text is not kept."""
        if spans is None:
            return None
        numbers = self.numbers or self._ask()
        found: list[int] = []
        for name, start, length in spans:
            found += numbers.get(name) or self._number(name), start, length
        return tuple(found)

    def count(self, before: Flat | None, after: Flat | None) -> None:
        """The spans of a session are no longer those `before` but those `after`."""
        if before != after:
            self._count(before or (), after or ())

    def replace(self, key: int, before: bytes, spans: Iterable[Span] | None) -> None:
        """Store them, unless something else than `before` is stored by now of the session `key`."""
        found = self._connection.execute("SELECT spans FROM sessions WHERE key = ?", (key,)).fetchone()
        if found and found[0] == before:
            after = self.flat(spans)
            self.count(flat(before), after)
            self._connection.execute("UPDATE sessions SET spans = ? WHERE key = ?", (packed(after), key))

    def close(self) -> None:
        """Before the commit: what is used of the segments."""
        for number, change in self._live.items():
            self._connection.execute(
                "UPDATE segments SET live = live + ?, reach = max(reach, ?) WHERE id = ?",
                (change, self._reach.get(number, 0), number),
            )
        if min(self._live.values(), default=0) < 0:
            self._connection.execute("DELETE FROM segments WHERE live <= 0")
            self.numbers = None

    def _count(self, before: Flat, after: Flat) -> None:
        # What was said first mostly stays where it is.
        same = 0
        while same < len(before) and before[same : same + 3] == after[same : same + 3]:
            same += 3
        for at in range(same, len(before), 3):
            number, _, length = before[at : at + 3]
            self._live[number] = self._live.get(number, 0) - length
        for at in range(same, len(after), 3):
            number, start, length = after[at : at + 3]
            self._live[number] = self._live.get(number, 0) + length
            self._reach[number] = max(self._reach.get(number, 0), start + length)

    def _ask(self) -> dict[str, int]:
        if self.numbers is None:
            self.numbers = {found: number for number, found in names(self._connection).items()}
        return self.numbers

    def _number(self, name: str) -> int:
        made = self._connection.execute("INSERT INTO segments (name, live, reach) VALUES (?, 0, 0)", (name,))
        number = self._ask()[name] = made.lastrowid or 0
        return number


def forget(connection: sqlite3.Connection) -> None:
    """Count anew what is used, after sessions have been dropped."""
    used: dict[int, tuple[int, int]] = {}
    for (blob,) in connection.execute("SELECT spans FROM sessions WHERE spans IS NOT NULL"):
        found = flat(blob) or ()
        for at in range(0, len(found), 3):
            number, start, length = found[at : at + 3]
            live, reach = used.get(number, (0, 0))
            used[number] = live + length, max(reach, start + length)
    connection.execute("UPDATE segments SET live = 0")
    for number, (live, reach) in used.items():
        connection.execute("UPDATE segments SET live = ?, reach = ? WHERE id = ?", (live, reach, number))
    connection.execute("DELETE FROM segments WHERE live = 0")


def packed(spans: Flat | None) -> bytes | None:
    """The spans of a session as they are stored."""
    return None if spans is None else marshal.dumps(spans, _MARSHAL_VERSION)


def flat(blob: bytes | None) -> Flat | None:
    """What `packed` gave.

    :raises Doubt: it did not give this.
    """
    if blob is None:
        return None
    try:
        found = marshal.loads(blob)
    except (ValueError, EOFError, TypeError) as error:
        raise Doubt(f"spans that cannot be read: {error}") from error
    if type(found) is not tuple or len(found) % 3 or set(map(type, found)) - {int}:
        raise Doubt(f"no spans: {found!r:.80}")
    return found


def _name(name: object) -> str:
    if not is_name(name):
        raise Doubt(f"no name of a segment: {name!r}")
    return str(name)
