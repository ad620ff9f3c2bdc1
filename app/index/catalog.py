"""The stored table of session summaries (DESIGN "Words", PERFORMANCE 3.2).

One row a file, written together with the signature, the offset and the state that it was read with: whoever
writes it last, it is right about the file as it was. So several processes may share a catalog; the worst they
do is to repeat work. Rows belong to stores, and only those of the stores at hand are ever shown or removed.
On the fast path of the first frame.
"""

from __future__ import annotations

import marshal
from _thread import allocate_lock
from operator import attrgetter

from app.index.database import Busy, Database, Doubt
from app.index.row import FIRST_MESSAGE, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeVar

    from app.index.reading import Reading
    from app.index.row import Signature
    from app.stores.base import Store

    Result = TypeVar("Result")
    _Columns = tuple[str, tuple[Any, ...], tuple[Any, ...]]

UNUSED_MS = 60 * 24 * 3600 * 1000
"""Rows of a store that nobody listed for so long are dropped."""

NOTED_MS = 24 * 3600 * 1000
"""How exact the time is at which a store was used last."""

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4
_MANY = 400  # names in one query; SQLite's oldest limit is 999

NO_STORES = "0"
"""The number of no store."""

_FIND = "SELECT key FROM sessions WHERE store = ? AND path = ?"
_UPDATE = (
    "UPDATE sessions SET cwd = ?, modified = ?, listed = ?, ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?,"
    " row = ? WHERE key = ?"
)
_INSERT = (
    "INSERT INTO sessions (cwd, modified, listed, ino, size, mtime_ns, ctime_ns, row, store, path)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Catalog:
    """The rows of `stores` in the cache folder `folder`. May be used from several threads.

    Nothing here raises because of the file: see `database`. `note` says when it is only in memory;
    `generation` changes when everything that was stored is lost and must be saved again.
    """

    def __init__(self, folder: str, stores: Sequence[Store]) -> None:
        """:param folder: made when it is not there; nothing is written anywhere else."""
        self._database = Database(folder)
        self._names = {store.root: _encode("+".join(store.agents) + " " + store.root) for store in stores}
        # The connection that `signatures` were read by, and what it then knew of the writing of others.
        self._known_by: tuple[sqlite3.Connection, int] | None = None
        self._lock = allocate_lock()
        # What is to be written, as columns; more than one batch only when others have locked us out.
        self._pending: dict[str, _Columns | None] = {}

    @property
    def note(self) -> str | None:
        """One line why nothing is kept on disk, else None."""
        return self._database.note

    @property
    def generation(self) -> int:
        """How often the stored rows were lost (a damaged file, a full disk)."""
        return self._database.generation

    def groups(self) -> list[tuple[str, int, int]]:
        """(working folder, number of sessions, newest `modified`) of every project, newest first.

        Answered from an index alone: this is the first thing on the screen.
        """

        def work(connection: sqlite3.Connection) -> list[tuple[str, int, int]]:
            found = connection.execute(
                "SELECT cwd, count(*), max(modified) FROM sessions INDEXED BY listing"
                f" WHERE listed AND store IN ({self._ids(connection)}) GROUP BY cwd"
            )
            return [(_decode(cwd), count, newest) for cwd, count, newest in found]

        groups = self._read(work) or []
        groups.sort(key=lambda group: (-group[2], group[0]))
        return groups

    def rows_of(self, cwd: str, limit: int = -1) -> list[Row]:
        """The sessions of one project, newest first, without their first messages.

        :param limit: no more than the newest so many; negative: all.
        """

        def work(connection: sqlite3.Connection) -> list[Row]:
            found = connection.execute(
                "SELECT row FROM sessions INDEXED BY listing"
                f" WHERE listed AND cwd = ? AND store IN ({self._ids(connection)})"
                " ORDER BY modified DESC LIMIT ?",
                (_encode(cwd), limit),
            )
            return [_row(row) for (row,) in found]

        return newest_first(self._read(work) or [])

    def rows(self, full: bool = False) -> list[Row]:
        """All sessions, newest first; `full` fills in their first messages."""

        def work(connection: sqlite3.Connection) -> list[Row]:
            ids = self._ids(connection)
            if not full:
                found = connection.execute(f"SELECT row FROM sessions WHERE listed AND store IN ({ids})")
                return [_row(row) for (row,) in found]
            rows = []
            for blob, first_message in connection.execute(
                "SELECT row, first_message FROM sessions NATURAL JOIN readings"
                f" WHERE listed AND store IN ({ids})"
            ):
                row = _row(blob)
                row.first_message = _decode(first_message)
                rows.append(row)
            return rows

        from app.formats.collector import Resting

        with Resting():
            return newest_first(self._read(work) or [])

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """The `limit` newest sessions, newest first and without their first messages, and how many there
        are.
        """

        def work(connection: sqlite3.Connection) -> tuple[list[Row], int]:
            listed = f"FROM sessions INDEXED BY listing WHERE listed AND store IN ({self._ids(connection)})"
            (count,) = connection.execute(f"SELECT count(*) {listed}").fetchone()
            found = connection.execute(
                "SELECT row FROM sessions WHERE key IN"
                f" (SELECT key {listed} ORDER BY modified DESC, path LIMIT ?)",
                (limit,),
            )
            return [_row(row) for (row,) in found], count

        rows, count = self._read(work) or ([], 0)
        return newest_first(rows), count

    def refused(self) -> list[Row]:
        """The files that are no sessions, by path."""

        def work(connection: sqlite3.Connection) -> list[Row]:
            found = connection.execute(
                f"SELECT row FROM sessions WHERE NOT listed AND store IN ({self._ids(connection)})"
            )
            return [_row(row) for (row,) in found]

        return sorted(self._read(work) or [], key=lambda row: row.path)

    def signatures(self) -> dict[str, Signature]:
        """Path -> the file as it was when it was read; refused files included."""

        def work(connection: sqlite3.Connection) -> dict[str, Signature]:
            self._known_by = connection, _others(connection)
            found = connection.execute(
                "SELECT path, ino, size, mtime_ns, ctime_ns FROM sessions"
                f" WHERE store IN ({self._ids(connection)})"
            )
            return {_decode(path): (ino, size, mtime, ctime) for path, ino, size, mtime, ctime in found}

        return self._read(work) or {}

    def untouched(self) -> bool:
        """Whether no other process has written since `signatures`, and all of ours is stored."""

        def work(connection: sqlite3.Connection) -> bool:
            return self._known_by == (connection, _others(connection))

        return bool(self._read(work)) and not self._pending

    def load(self, paths: Iterable[str]) -> dict[str, Reading]:
        """The stored readings of those files that have one; their rows without first messages."""
        from app.index.reading import Reading

        wanted = [_encode(path) for path in paths]

        def work(connection: sqlite3.Connection) -> dict[str, Reading]:
            ids = self._ids(connection)
            readings: dict[str, Reading] = {}
            if ids == NO_STORES:
                return readings
            for start in range(0, len(wanted), _MANY):
                some = wanted[start : start + _MANY]
                for blob, offset, fingerprint, state in connection.execute(
                    "SELECT row, offset, fingerprint, state FROM sessions NATURAL JOIN readings"
                    f" WHERE store IN ({ids}) AND path IN ({','.join('?' * len(some))})",
                    some,
                ):
                    row = _row(blob)
                    readings[row.path] = Reading(row, offset, fingerprint, state)
            return readings

        return self._read(work) or {}

    def save(self, readings: Iterable[Reading]) -> None:
        """Store readings, with the first messages of their rows, in one transaction.

        While another process holds the lock they are kept and stored with the next ones.
        """
        with self._lock:
            self._pending.update((reading.row.path, _columns(reading)) for reading in readings)
            self._flush()

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files of the stores at hand."""
        with self._lock:
            self._pending.update((path, None) for path in paths)
            self._flush()

    def tidy(self, now_ms: int) -> None:
        """Note that the stores at hand are in use, and drop the rows of those that nobody uses any more."""

        def work(connection: sqlite3.Connection) -> None:
            ids = self._ids(connection)
            # Most runs have nothing to write here: noted once a day is enough.
            recent = f"used_ms > {now_ms - NOTED_MS} AND used_ms <= {now_ms}"
            if not connection.execute(
                f"SELECT 1 FROM stores WHERE id IN ({ids}) AND NOT ({recent}) LIMIT 1"
            ).fetchone():
                return
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"UPDATE stores SET used_ms = ? WHERE id IN ({ids})", (now_ms,))
            connection.execute("DELETE FROM stores WHERE used_ms < ?", (now_ms - UNUSED_MS,))
            if connection.execute("SELECT changes()").fetchone()[0]:
                connection.execute("DELETE FROM sessions WHERE store NOT IN (SELECT id FROM stores)")
                connection.execute("DELETE FROM readings WHERE key NOT IN (SELECT key FROM sessions)")
            connection.execute("COMMIT")

        self._read(work)

    def close(self) -> None:
        """Store what is pending and let go of the file."""
        with self._lock:
            self._flush()
            self._database.close()

    def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What `work` finds; None while another process has locked even readers out."""
        with self._lock:
            self._flush()
            try:
                return self._database.run(work)
            except Busy:
                return None

    def _flush(self) -> None:
        if not self._pending:
            return
        try:
            self._database.run(self._write)
        except Busy:
            return
        self._pending.clear()

    def _write(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        ids: dict[str, int] = {}
        for path, columns in self._pending.items():
            if columns is None:
                self._forget(connection, path)
                continue
            root, session, reading = columns
            if root not in ids:
                ids[root] = self._id(connection, root)
            place = (ids[root], _encode(path))
            found = connection.execute(_FIND, place).fetchone()
            if found:
                key = found[0]
                connection.execute(_UPDATE, (*session, key))
            else:
                key = connection.execute(_INSERT, (*session, *place)).lastrowid
            connection.execute("REPLACE INTO readings VALUES (?, ?, ?, ?, ?)", (key, *reading))
        connection.execute("COMMIT")

    def _forget(self, connection: sqlite3.Connection, path: str) -> None:
        where = f"path = ? AND store IN ({self._ids(connection)})"
        connection.execute(
            f"DELETE FROM readings WHERE key IN (SELECT key FROM sessions WHERE {where})", (_encode(path),)
        )
        connection.execute(f"DELETE FROM sessions WHERE {where}", (_encode(path),))

    def _ids(self, connection: sqlite3.Connection) -> str:
        """The numbers of the stores at hand, for `IN (...)`; 0, which is none's, where they have none yet.

        Asked each time: another process may have added one.
        """
        names = set(self._names.values())
        found = connection.execute("SELECT id, name FROM stores")
        return ",".join([str(number) for number, name in found if name in names]) or NO_STORES

    def _id(self, connection: sqlite3.Connection, root: str) -> int:
        """The number of a store, given to it now if it has none; it counts as used until `tidy` says when."""
        name = self._names[root]
        connection.execute("INSERT OR IGNORE INTO stores (name, used_ms) VALUES (?, ?)", (name, 1 << 60))
        (number,) = connection.execute("SELECT id FROM stores WHERE name = ?", (name,)).fetchone()
        return int(number)


def newest_first(rows: list[Row]) -> list[Row]:
    """The order of the list: by `modified`, then by path so that it is the same every time."""
    rows.sort(key=attrgetter("path"))
    rows.sort(key=attrgetter("modified"), reverse=True)
    return rows


def _columns(reading: Reading) -> _Columns:
    """The root of the reading's store, and what goes into the two tables."""
    row = reading.row
    values = list(row.values())
    values[FIRST_MESSAGE] = ""
    blob = marshal.dumps(tuple(values), _MARSHAL_VERSION)
    session = (_encode(row.cwd), row.modified, row.refused is None, *row.signature, blob)
    return (
        row.store,
        session,
        (_encode(row.first_message), reading.offset, reading.fingerprint, reading.state),
    )


def _others(connection: sqlite3.Connection) -> int:
    """A number that changes for this connection whenever another one has written."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _row(blob: bytes) -> Row:
    try:
        return Row(marshal.loads(blob))
    except (ValueError, EOFError, TypeError) as error:
        raise Doubt(f"a row that cannot be read: {error}") from error


# Paths and messages may hold lone surrogates, which SQLite's text cannot.
def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except (ValueError, AttributeError) as error:
        raise Doubt(f"text that cannot be read: {error}") from error
