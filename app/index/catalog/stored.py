"""What the list asks of the catalog's tables: rows, their projects and signatures.

Each question is asked of a connection, for the stores at hand: `roots` has their roots by their numbers, see
`Catalog.roots`. Raises `sqlite3.Error`, and `Doubt` where something else is stored than was written. On the
fast path of the first frame.
"""

from __future__ import annotations

import marshal
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from app.index.catalog.database import Doubt, decode, encode, expect
from app.index.row import LISTED, Row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.row import Signature

    Roots = Mapping[int, str]
    Project = tuple[str, int, int, int]
    File = tuple[str, Signature]
    Found = tuple[int, int, bytes, bytes, int, int, int, int]

ROW = "store, path, row"
"""The columns that make a row, see `row_of`."""

BESIDE = 2
"""So many of a row's first fields are not in its blob: the two other columns say them."""

_BEGINNING = 64
"""Bytes of a row's blob in which its first two fields are, the agent and the dialect."""


class Files:
    """Files as they were when they were read.

    listed    those of the sessions, newest first; `refused` those that are none
    """

    __slots__ = ("_beginnings", "listed", "refused")

    def __init__(self, found: Sequence[Found]) -> None:
        """:param found: what is stored of them, in no order.
        :raises Doubt: it is something else.
        """
        for column in (0, 4, 5, 6, 7):
            expect(int, map(itemgetter(column), found))
        found = sorted(found, key=itemgetter(0), reverse=True)
        self.listed: list[File] = [(decode(each[2]), each[4:]) for each in found if each[1]]
        self.refused: list[File] = [(decode(each[2]), each[4:]) for each in found if not each[1]]
        self._beginnings = [each[3] for each in found if each[1]]

    def dialect(self, number: int) -> str:
        """That of one of `listed`. ValueError where what is stored does not say."""
        beginning = self._beginnings[number]
        try:
            # The second byte says how many fields there are; what follows these two is not looked at.
            _, dialect = marshal.loads(beginning[:1] + b"\2" + beginning[2:])
        except (EOFError, TypeError) as error:
            raise ValueError(f"the beginning of a row that cannot be read: {error}") from error
        return str(dialect)


def groups(connection: sqlite3.Connection, roots: Roots) -> list[Project]:
    """(working folder, number of sessions, newest `modified`, number of hidden ones) of every project, newest
    first: as they were counted when sessions were written last, where that was kept
    (`app.index.catalog.projects`). The first two are of those that are not hidden; 0 where all are.
    """
    kept = connection.execute("SELECT counted FROM projects WHERE stores = ?", (ids_of(roots),)).fetchone()
    if kept is None:
        return count_groups(connection, roots)
    try:
        counted: list[Project] = marshal.loads(kept[0])
        columns = list(zip(*counted, strict=True))
        if len(columns) in (0, 4):
            for kind, column in zip((str, int, int, int), columns, strict=False):
                expect(kind, column)
            return counted
    except (ValueError, EOFError, TypeError) as error:
        raise Doubt(f"counts that cannot be read: {error}") from error
    raise Doubt("what was kept are no counts")


def count_groups(connection: sqlite3.Connection, roots: Roots) -> list[Project]:
    """The same, counted now. An index alone is read for it."""
    found = connection.execute(
        f"SELECT cwd, count(*), sum(listed = {LISTED}), max(CASE listed WHEN {LISTED} THEN modified END)"
        f" FROM sessions INDEXED BY listing WHERE listed AND store IN ({ids_of(roots)}) GROUP BY cwd"
    )
    counted = [(decode(cwd), shown, newest or 0, count - shown) for cwd, count, shown, newest in found]
    # A text is more than every number.
    expect(int, [newest for _, _, newest, _ in counted])
    counted.sort(key=lambda group: (-group[2], group[0]))
    return counted


def rows_of(connection: sqlite3.Connection, roots: Roots, cwd: str, limit: int) -> list[Row]:
    """The newest `limit` sessions of one project, all where it is negative, without their first messages."""
    found = connection.execute(
        f"SELECT {ROW} FROM sessions INDEXED BY listing"
        f" WHERE listed AND cwd = ? AND store IN ({ids_of(roots)})"
        " ORDER BY modified DESC LIMIT ?",
        (encode(cwd), limit),
    )
    return [row_of(roots, *row) for row in found]


def rows(connection: sqlite3.Connection, roots: Roots, full: bool) -> list[Row]:
    """All sessions in no order; `full` fills in their first messages."""
    # In the order in which they lie: to go by the index is to look for each of them. And an index may say
    # something else of a path than the table, in which the signatures are (`app.index.catalog.integrity`).
    sessions = "sessions NOT INDEXED"
    wanted = f"WHERE listed AND store IN ({ids_of(roots)})"
    if not full:
        return [row_of(roots, *row) for row in connection.execute(f"SELECT {ROW} FROM {sessions} {wanted}")]
    told = []
    for first_message, *stored in connection.execute(
        f"SELECT first_message, {ROW} FROM {sessions} LEFT JOIN lasting USING (key) {wanted}"
    ):
        # None where there is none, and that is no text either.
        row = row_of(roots, *stored)
        row.first_message = decode(first_message)
        told.append(row)
    return told


def newest(connection: sqlite3.Connection, roots: Roots, limit: int) -> tuple[list[Row], int]:
    """The `limit` newest sessions without their first messages, and how many there are."""
    listed = f"FROM sessions INDEXED BY listing WHERE listed AND store IN ({ids_of(roots)})"
    (count,) = connection.execute(f"SELECT count(*) {listed}").fetchone()
    # From which time on, the index alone says; only of the rows since then the paths are looked at.
    found = connection.execute(
        f"SELECT {ROW} {listed} AND modified >="
        f" (SELECT min(modified) FROM (SELECT modified {listed} ORDER BY modified DESC LIMIT ?))"
        " ORDER BY modified DESC, path LIMIT ?",
        (limit, limit),
    )
    return [row_of(roots, *row) for row in found], count


def refused(connection: sqlite3.Connection, roots: Roots) -> list[Row]:
    """The files that are no sessions, in no order."""
    found = connection.execute(
        f"SELECT {ROW} FROM sessions NOT INDEXED WHERE NOT listed AND store IN ({ids_of(roots)})"
    )
    return [row_of(roots, *row) for row in found]


def signatures(connection: sqlite3.Connection, roots: Roots) -> dict[str, Signature]:
    """Path -> the file as it was when it was read; refused files included."""
    found = connection.execute(
        "SELECT path, ino, size, mtime_ns, ctime_ns FROM sessions NOT INDEXED"
        f" WHERE store IN ({ids_of(roots)})"
    )
    signatures = {decode(path): (ino, size, mtime, ctime) for path, ino, size, mtime, ctime in found}
    for number in range(4):
        expect(int, map(itemgetter(number), signatures.values()))
    return signatures


def files(connection: sqlite3.Connection, roots: Roots) -> Files:
    """All files of the stores."""
    found = connection.execute(
        f"SELECT modified, listed, path, substr(row, 1, {_BEGINNING}), ino, size, mtime_ns, ctime_ns"
        f" FROM sessions NOT INDEXED WHERE store IN ({ids_of(roots)})"
    )
    return Files(found.fetchall())


def ids_of(roots: Iterable[int]) -> str:
    """The numbers of stores for `IN (...)`; 0, which is none's, where there is none."""
    return ",".join(map(str, sorted(roots))) or "0"


def newest_first(rows: list[Row]) -> list[Row]:
    """The order of the list: by `modified`, then by path so that it is the same every time."""
    rows.sort(key=attrgetter("path"))
    rows.sort(key=attrgetter("modified"), reverse=True)
    return rows


def row_of(roots: Roots, store: int, path: bytes, blob: bytes) -> Row:
    """A row as it is stored, without its first message.

    :raises Doubt: it is none.
    """
    try:
        # As `decode`, ten thousand times.
        return Row((path.decode("utf-8", "surrogatepass"), roots[store], *marshal.loads(blob)))
    except (ValueError, EOFError, TypeError, AttributeError) as error:
        raise Doubt(f"a row that cannot be read: {error}") from error
