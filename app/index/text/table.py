"""The two tables of the catalog that say where the text of each session lies.

`texts` has the spans of each session whose text is kept, `segments` how many bytes of each segment are spoken
for and how far they reach: so what is garbage and what is missing is known without looking at every session.
Both change in the transaction that changes the rows.
"""

from __future__ import annotations

import marshal

from app.index.database import Doubt, decode
from app.index.text.segment import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from app.index.text.segment import Span

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4


class Used:
    """What the catalog uses of a segment: `live` bytes of it, none of them beyond `reach`."""

    __slots__ = ("live", "reach")

    def __init__(self, live: int, reach: int) -> None:
        self.live = live
        self.reach = reach


def segments(connection: sqlite3.Connection) -> dict[str, Used]:
    """Every segment that any session's text lies in, of whatever store."""
    found = connection.execute("SELECT name, live, reach FROM segments")
    return {_name(name): Used(live, reach) for name, live, reach in found}


def names(connection: sqlite3.Connection) -> dict[int, str]:
    """The names of the segments by their numbers."""
    return {number: _name(name) for number, name in connection.execute("SELECT id, name FROM segments")}


def spans_of(blob: bytes, by_number: dict[int, str]) -> tuple[Span, ...]:
    """The spans as stored.

    :param by_number: see `names`.
    """
    flat = _flat(blob)
    try:
        if len(flat) == 3:
            return ((by_number[flat[0]], flat[1], flat[2]),)
        return tuple([(by_number[flat[at]], flat[at + 1], flat[at + 2]) for at in range(0, len(flat), 3)])
    except LookupError as error:
        raise Doubt(f"spans in a segment that is not listed: {error}") from error


def all_texts(connection: sqlite3.Connection) -> list[tuple[int, bytes, tuple[Span, ...]]]:
    """(key, spans as stored, spans) of every session, of whatever store."""
    connection.execute("BEGIN")
    by_number = names(connection)
    found = connection.execute("SELECT key, spans FROM texts").fetchall()
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
        f"SELECT path, spans FROM sessions NATURAL JOIN texts WHERE store IN ({stores})"
    ).fetchall()
    connection.execute("COMMIT")
    return {decode(path) for path, spans in found if wanted(spans_of(spans, by_number))}


def paths_without(connection: sqlite3.Connection, stores: str) -> set[str]:
    """The paths of the sessions whose text is not kept."""
    counted = connection.execute(
        "SELECT (SELECT count(*) FROM sessions INDEXED BY listing WHERE listed), (SELECT count(*) FROM texts)"
    ).fetchone()
    # Almost always there is none, and to count is faster than to look.
    if counted[0] == counted[1]:
        return set()
    return {
        decode(path)
        for (path,) in connection.execute(
            f"SELECT path FROM sessions WHERE listed AND store IN ({stores})"
            " AND key NOT IN (SELECT key FROM texts)"
        )
    }


class Ledger:
    """The changes that one transaction makes to the two tables; `close` writes the last of them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[str, int] | None = None
        self._live: dict[int, int] = {}
        self._reach: dict[int, int] = {}

    def put(self, key: int, before: bytes | None, spans: Iterable[Span] | None) -> None:
        """The text of the session `key` lies there now; None: it is not kept.

        :param before: its spans as they are stored; None: there are none.
        """
        if before is None and spans is None:
            return
        flat: list[int] = []
        for name, start, length in spans or ():
            flat += self._number(name), start, length
        blob = None if spans is None else marshal.dumps(tuple(flat), _MARSHAL_VERSION)
        if blob == before:
            return
        self._count(_flat(before), tuple(flat))
        if blob is None:
            self._connection.execute("DELETE FROM texts WHERE key = ?", (key,))
        else:
            self._connection.execute("REPLACE INTO texts VALUES (?, ?)", (key, blob))

    def replace(self, key: int, before: bytes, spans: Iterable[Span] | None) -> None:
        """`put`, unless something else than `before` is stored by now."""
        found = self._connection.execute("SELECT spans FROM texts WHERE key = ?", (key,)).fetchone()
        if found and found[0] == before:
            self.put(key, before, spans)

    def close(self) -> None:
        """Before the commit: what is used of the segments."""
        for number, change in self._live.items():
            self._connection.execute(
                "UPDATE segments SET live = live + ?, reach = max(reach, ?) WHERE id = ?",
                (change, self._reach.get(number, 0), number),
            )
        if min(self._live.values(), default=0) < 0:
            self._connection.execute("DELETE FROM segments WHERE live <= 0")

    def _count(self, before: Sequence[int], after: Sequence[int]) -> None:
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

    def _number(self, name: str) -> int:
        if self._numbers is None:
            self._numbers = {found: number for number, found in names(self._connection).items()}
        number = self._numbers.get(name)
        if number is None:
            made = self._connection.execute(
                "INSERT INTO segments (name, live, reach) VALUES (?, 0, 0)", (name,)
            )
            number = self._numbers[name] = made.lastrowid or 0
        return number


def forget(connection: sqlite3.Connection) -> None:
    """Drop the texts of sessions that are no more, and count anew what is used."""
    connection.execute("DELETE FROM texts WHERE key NOT IN (SELECT key FROM sessions)")
    used: dict[int, tuple[int, int]] = {}
    for (blob,) in connection.execute("SELECT spans FROM texts"):
        flat = _flat(blob)
        for at in range(0, len(flat), 3):
            number, start, length = flat[at : at + 3]
            live, reach = used.get(number, (0, 0))
            used[number] = live + length, max(reach, start + length)
    connection.execute("UPDATE segments SET live = 0")
    for number, (live, reach) in used.items():
        connection.execute("UPDATE segments SET live = ?, reach = ? WHERE id = ?", (live, reach, number))
    connection.execute("DELETE FROM segments WHERE live = 0")


def _flat(blob: bytes | None) -> Sequence[int]:
    """The numbers of spans as stored: of the segment, where it begins and its length, one after the other."""
    if blob is None:
        return ()
    try:
        flat = marshal.loads(blob)
    except (ValueError, EOFError, TypeError) as error:
        raise Doubt(f"spans that cannot be read: {error}") from error
    if type(flat) is not tuple or len(flat) % 3 or set(map(type, flat)) - {int}:
        raise Doubt(f"no spans: {flat!r:.80}")
    return flat


def _name(name: object) -> str:
    if not is_name(name):
        raise Doubt(f"no name of a segment: {name!r}")
    return str(name)
