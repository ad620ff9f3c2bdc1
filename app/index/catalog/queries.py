"""Reads the catalog's tables: rows, signatures, projects, readings and spans. Checks the tables for damage
that SQLite does not notice.

Each query takes a connection and the stores in use. It raises `sqlite3.Error`, and `Doubt` if the stored
values are not what was written, or contradict each other: files are found by path in an index, but listed
from the table. If the two differ in a path, a file would stay listed for ever, or be stored a second time.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import marshal
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from app.index.catalog.db_errors import Doubt
from app.index.catalog.schema import decode, decode_compressed, encode, expect
from app.index.catalog.span_table import decode_spans, segment_names
from app.index.row import LISTED, Reading, Row, folder_of, kind_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from app.index.row import Signature, Span

    StoreRoots = Mapping[int, str]
    """Id of a store -> its root."""

    Project = tuple[str, int, int, int]
    """(working folder, number of shown sessions, newest `modified` of these, number of hidden sessions)"""

    File = tuple[str, Signature]

ROW = "store, path, cwd, modified, ino, size, mtime_ns, ctime_ns, row"
"""The columns that make a row, see `row_of`."""

IN_COLUMNS = frozenset(("cwd", "modified", "ino", "size", "mtime_ns", "ctime_ns"))
"""The fields of a row that the table has as columns. They are empty in the blob of the row."""

_MOST_PARAMETERS = 400
"""The most paths in one query; SQLite's oldest limit is 999."""

# The path of the index and the path of the table, which must be equal.
_READINGS = (
    "SELECT listed.path, first_message, found.spans, "
    + ", ".join([f"found.{column}" for column in ROW.split(", ")])
    + " FROM sessions AS found CROSS JOIN sessions AS listed NOT INDEXED ON listed.key = found.key"
    " LEFT JOIN first_messages ON first_messages.key = found.key"
)


def ids_of(stores: Iterable[int]) -> str:
    """The ids of stores for `IN (...)`; 0, which is never an id, for none."""
    return ",".join(map(str, sorted(stores))) or "0"


def chunks(paths: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """The paths in parts that fit into one query."""
    for start in range(0, len(paths), _MOST_PARAMETERS):
        yield paths[start : start + _MOST_PARAMETERS]


def row_of(
    roots: StoreRoots,
    store: int,
    path: bytes,
    cwd: bytes,
    modified: int,
    ino: int,
    size: int,
    mtime_ns: int,
    ctime_ns: int,
    blob: bytes,
) -> Row:
    """A stored row, without its first message.

    :raises Doubt: it is not what was stored.
    """
    try:
        # `decode` is inlined, because a list has ten thousand rows.
        row = Row((path.decode("utf-8", "surrogatepass"), roots[store], *marshal.loads(blob)))
        row.cwd = cwd.decode("utf-8", "surrogatepass")
        row.modified, row.ino, row.size = int(modified), int(ino), int(size)
        row.mtime_ns, row.ctime_ns = int(mtime_ns), int(ctime_ns)
        if row.folders:
            row.cwd = folder_of(row)
        return row
    except (ValueError, EOFError, TypeError, AttributeError, KeyError) as error:
        raise Doubt(f"a row that cannot be read: {error}") from error


def newest_first(rows: list[Row]) -> list[Row]:
    """Sort rows by `modified`, then by path, so that their order is always the same."""
    rows.sort(key=attrgetter("path"))
    rows.sort(key=attrgetter("modified"), reverse=True)
    return rows


def projects(connection: sqlite3.Connection, roots: StoreRoots) -> list[Project]:
    """All projects, newest first; see `Project`. The query reads only an index."""
    records = connection.execute(
        f"SELECT cwd, count(*), sum(listed = {LISTED}), max(CASE listed WHEN {LISTED} THEN modified END)"
        f" FROM sessions INDEXED BY listing WHERE listed AND store IN ({ids_of(roots)}) GROUP BY cwd"
    )
    counts = [(decode(cwd), shown, newest or 0, count - shown) for cwd, count, shown, newest in records]
    # In SQLite, a text is greater than every number.
    expect(int, [newest for _, _, newest, _ in counts])
    counts.sort(key=lambda project: (-project[2], project[0]))
    return counts


def rows_of_project(connection: sqlite3.Connection, roots: StoreRoots, cwd: str, limit: int) -> list[Row]:
    """The newest `limit` sessions of a project without their first messages; all if `limit` is negative."""
    records = connection.execute(
        f"SELECT {ROW} FROM sessions INDEXED BY listing"
        f" WHERE listed AND cwd = ? AND store IN ({ids_of(roots)})"
        " ORDER BY modified DESC LIMIT ?",
        (encode(cwd), limit),
    )
    return [row_of(roots, *stored) for stored in records]


def rows(connection: sqlite3.Connection, roots: StoreRoots, full: bool) -> list[Row]:
    """All sessions in no order; `full` with their first messages."""
    # The rows are read from the table, because the index needs a look-up of each row, and may differ from the
    # table in a path (`app.index.catalog.queries`).
    sessions = "sessions NOT INDEXED"
    condition = f"WHERE listed AND store IN ({ids_of(roots)})"
    if not full:
        records = connection.execute(f"SELECT {ROW} FROM {sessions} {condition}")
        return [row_of(roots, *stored) for stored in records]
    full_rows = []
    for first_message, *stored in connection.execute(
        f"SELECT first_message, {ROW} FROM {sessions} LEFT JOIN first_messages USING (key) {condition}"
    ):
        row = row_of(roots, *stored)
        # A missing message is None, for which `decode` raises Doubt.
        row.first_message = decode_compressed(first_message)
        full_rows.append(row)
    return full_rows


def newest(connection: sqlite3.Connection, roots: StoreRoots, limit: int) -> tuple[list[Row], int]:
    """(the `limit` newest sessions without their first messages, the number of all sessions)"""
    listed = f"FROM sessions INDEXED BY listing WHERE listed AND store IN ({ids_of(roots)})"
    (count,) = connection.execute(f"SELECT count(*) {listed}").fetchone()
    # The index alone gives the earliest time; only rows since then are read to sort by path.
    records = connection.execute(
        f"SELECT {ROW} {listed} AND modified >="
        f" (SELECT min(modified) FROM (SELECT modified {listed} ORDER BY modified DESC LIMIT ?))"
        " ORDER BY modified DESC, path LIMIT ?",
        (limit, limit),
    )
    return [row_of(roots, *stored) for stored in records], count


def refused(connection: sqlite3.Connection, roots: StoreRoots) -> list[Row]:
    """The files that are no sessions, in no order."""
    records = connection.execute(
        f"SELECT {ROW} FROM sessions NOT INDEXED WHERE NOT listed AND store IN ({ids_of(roots)})"
    )
    return [row_of(roots, *stored) for stored in records]


def refused_paths(connection: sqlite3.Connection, roots: StoreRoots) -> list[str]:
    """The paths of the files that are no sessions, in no order."""
    # Such a file has no folder. A list asks for them each time, and the index finds them without a look at
    # the sessions.
    records = connection.execute(
        "SELECT path FROM sessions INDEXED BY listing"
        f" WHERE cwd = ? AND NOT listed AND store IN ({ids_of(roots)})",
        (encode(""),),
    )
    return [decode(path) for (path,) in records]


def signatures(connection: sqlite3.Connection, roots: StoreRoots) -> dict[str, Signature]:
    """Path -> signature when the file was read, refused files included."""
    records = connection.execute(
        "SELECT path, ino, size, mtime_ns, ctime_ns FROM sessions NOT INDEXED"
        f" WHERE store IN ({ids_of(roots)})"
    )
    try:
        # `decode` is inlined, because every command reads ten thousand of them.
        signatures = {
            path.decode("utf-8", "surrogatepass"): (ino, size, mtime, ctime)
            for path, ino, size, mtime, ctime in records
        }
    except (ValueError, AttributeError) as error:
        raise Doubt(f"text that cannot be read: {error}") from error
    for number in range(4):
        expect(int, map(itemgetter(number), signatures.values()))
    return signatures


def readings(connection: sqlite3.Connection, roots: StoreRoots, paths: Sequence[bytes]) -> dict[str, Reading]:
    """The stored readings of some files, by path.

    :param paths: as they are stored.
    """
    readings_by_path: dict[str, Reading] = {}
    if not roots:
        # Nothing of these stores is stored, so ten thousand files need not be looked up.
        return readings_by_path
    names = segment_names(connection)
    for chunk in chunks(paths):
        query = f"{_READINGS} WHERE found.store IN ({ids_of(roots)}) AND found.path IN ({_marks(chunk)})"
        for table_path, first_message, spans, *stored in connection.execute(query, chunk):
            row = row_of(roots, *stored)
            if table_path != stored[1]:
                raise Doubt(f"what is found by its path is listed with another one: {row.path}")
            # The message is None if only a part of the reading is stored.
            expect(bytes, (first_message,))
            readings_by_path[row.path] = Reading(row, None if spans is None else decode_spans(spans, names))
    return readings_by_path


def spans_by_path(
    connection: sqlite3.Connection, stores: str, paths: Sequence[bytes] | None
) -> dict[str, tuple[Span, ...]]:
    """Path -> the spans of the session's text, if it is stored.

    :param stores: the ids of the stores for `IN (...)`.
    :param paths: of the sessions; None for all.
    """
    names = segment_names(connection)
    select = f"SELECT path, spans FROM sessions {{}} WHERE store IN ({stores})"
    if paths is None:
        records = connection.execute(select.format("NOT INDEXED")).fetchall()
    else:
        records = []
        for chunk in chunks(paths):
            records += connection.execute(f"{select.format('')} AND path IN ({_marks(chunk)})", chunk)
    return {decode(path): decode_spans(spans, names) for path, spans in records if spans is not None}


def check_missing(connection: sqlite3.Connection, stores: Iterable[int], paths: Iterable[bytes]) -> None:
    """Check that the table does not contain files that the index did not find. This reads the whole table, so
    it is used only if files are missing that should be stored; another process may have removed them.

    :param stores: the ids of the stores.
    :param paths: as they are stored.
    :raises Doubt: the table contains one of them.
    """
    missing = set(paths)
    listed = f"SELECT path FROM sessions NOT INDEXED WHERE store IN ({ids_of(stores)})"
    for (path,) in connection.execute(listed):
        if path in missing:
            raise Doubt(f"what is listed cannot be found: {decode(path)}")


def check_stores(connection: sqlite3.Connection) -> None:
    """Check that all rows belong to listed stores, before a store gets an id: it would get the rows of a
    store that was lost.

    :raises Doubt: there are rows of a store that is not listed.
    """
    if connection.execute("SELECT 1 FROM sessions WHERE store NOT IN (SELECT id FROM stores)").fetchone():
        raise Doubt("rows of a store that is not listed")


def check_all(connection: sqlite3.Connection, roots: StoreRoots) -> None:
    """Compare all indexes with their tables, and read all rows.

    :raises Doubt: something differs.
    """
    (result,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if result != "ok":
        raise Doubt(f"the tables are damaged: {result}")
    check_stores(connection)
    for listed, *stored in connection.execute(
        f"SELECT listed, {ROW} FROM sessions NOT INDEXED WHERE store IN ({ids_of(roots)})"
    ):
        row = row_of(roots, *stored)
        if kind_of(row) != listed:
            raise Doubt(f"a row and what is stored beside it differ: {row.path}")


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
