"""The stored table of session summaries (DESIGN "Words", PERFORMANCE 3.2).

One row a file, written together with the signature, the offset and the state that it was read with: whoever
writes it last, it is right about the file as it was. So several processes may share a catalog; the worst they
do is to repeat work. Rows belong to stores, and only those of the stores at hand are ever shown or removed.
On the fast path of the first frame.
"""

from __future__ import annotations

import marshal
import os
from _thread import allocate_lock
from operator import attrgetter

from app.index.database import Busy, Database, Doubt, decode, encode
from app.index.row import SCHEMA, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from app.index.reading import Reading
    from app.index.row import Signature
    from app.index.saving import Columns
    from app.index.text.segment import Span
    from app.index.text.store import TextStore
    from app.stores.base import Store

    Result = TypeVar("Result")

UNUSED_MS = 60 * 24 * 3600 * 1000
"""Rows of a store that nobody listed for so long are dropped."""

NOTED_MS = 24 * 3600 * 1000
"""How exact the time is at which a store was used last."""

_MANY = 400  # names in one query; SQLite's oldest limit is 999

NO_STORES = "0"
"""The number of no store."""


class Catalog:
    """The rows of `stores` in the cache folder `folder`. May be used from several threads.

    Nothing here raises because of the file: see `database`. `generation` changes when everything that was
    stored is lost and must be saved again. `text_folder` is where the texts lie that `texts` tells of.
    """

    def __init__(self, folder: str, stores: Sequence[Store]) -> None:
        """:param folder: made when it is not there; nothing is written anywhere else."""
        self.text_folder = os.path.join(folder, f"text-{SCHEMA}")
        self._database = Database(folder)
        self._text_store: TextStore | None = None
        self._names = {store.root: encode("+".join(store.agents) + " " + store.root) for store in stores}
        # The connection that `signatures` were read by, and what it then knew of the writing of others.
        self._known_by: tuple[sqlite3.Connection, int] | None = None
        self._lock = allocate_lock()
        # What is to be written, as columns; more than one batch only when others have locked us out.
        self._pending: dict[str, Columns | None] = {}

    @property
    def note(self) -> str | None:
        """One line why nothing is kept on disk, or no text, else None."""
        return self._database.note or (self._text_store.note if self._text_store else None)

    @property
    def path(self) -> str:
        """Of its file."""
        return self._database.path

    @property
    def in_memory(self) -> bool:
        """Whether nothing is kept on disk."""
        return self._database.note is not None

    @property
    def text_store(self) -> TextStore:
        """What keeps the texts; let go of by `close`."""
        # Made when there is something to write: the first frame needs none of it.
        with self._lock:
            if self._text_store is None:
                from app.index.text.store import TextStore

                self._text_store = TextStore(self)
            return self._text_store

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
                f" WHERE listed AND store IN ({self.ids(connection)}) GROUP BY cwd"
            )
            return [(decode(cwd), count, newest) for cwd, count, newest in found]

        groups = self.run(work) or []
        groups.sort(key=lambda group: (-group[2], group[0]))
        return groups

    def rows_of(self, cwd: str, limit: int = -1) -> list[Row]:
        """The sessions of one project, newest first, without their first messages.

        :param limit: no more than the newest so many; negative: all.
        """

        def work(connection: sqlite3.Connection) -> list[Row]:
            found = connection.execute(
                "SELECT row FROM sessions INDEXED BY listing"
                f" WHERE listed AND cwd = ? AND store IN ({self.ids(connection)})"
                " ORDER BY modified DESC LIMIT ?",
                (encode(cwd), limit),
            )
            return [_row(row) for (row,) in found]

        return newest_first(self.run(work) or [])

    def rows(self, full: bool = False) -> list[Row]:
        """All sessions, newest first; `full` fills in their first messages."""

        def work(connection: sqlite3.Connection) -> list[Row]:
            ids = self.ids(connection)
            if not full:
                # In the order in which they lie: to go by the index is to look for each of them.
                found = connection.execute(
                    f"SELECT row FROM sessions NOT INDEXED WHERE listed AND store IN ({ids})"
                )
                return [_row(row) for (row,) in found]
            rows = []
            for blob, first_message in connection.execute(
                "SELECT row, first_message FROM sessions NATURAL JOIN readings"
                f" WHERE listed AND store IN ({ids})"
            ):
                row = _row(blob)
                row.first_message = decode(first_message)
                rows.append(row)
            return rows

        from app.formats.collector import Resting

        with Resting():
            return newest_first(self.run(work) or [])

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """The `limit` newest sessions, newest first and without their first messages, and how many there
        are.
        """

        def work(connection: sqlite3.Connection) -> tuple[list[Row], int]:
            listed = f"FROM sessions INDEXED BY listing WHERE listed AND store IN ({self.ids(connection)})"
            (count,) = connection.execute(f"SELECT count(*) {listed}").fetchone()
            # From which time on, the index alone says; only of the rows since then the paths are looked at.
            found = connection.execute(
                f"SELECT row {listed} AND modified >="
                f" (SELECT min(modified) FROM (SELECT modified {listed} ORDER BY modified DESC LIMIT ?))"
                " ORDER BY modified DESC, path LIMIT ?",
                (limit, limit),
            )
            return [_row(row) for (row,) in found], count

        rows, count = self.run(work) or ([], 0)
        return newest_first(rows), count

    def refused(self) -> list[Row]:
        """The files that are no sessions, by path."""

        def work(connection: sqlite3.Connection) -> list[Row]:
            found = connection.execute(
                f"SELECT row FROM sessions WHERE NOT listed AND store IN ({self.ids(connection)})"
            )
            return [_row(row) for (row,) in found]

        return sorted(self.run(work) or [], key=lambda row: row.path)

    def signatures(self) -> dict[str, Signature]:
        """Path -> the file as it was when it was read; refused files included."""

        def work(connection: sqlite3.Connection) -> dict[str, Signature]:
            self._known_by = connection, _others(connection)
            found = connection.execute(
                "SELECT path, ino, size, mtime_ns, ctime_ns FROM sessions NOT INDEXED"
                f" WHERE store IN ({self.ids(connection)})"
            )
            return {decode(path): (ino, size, mtime, ctime) for path, ino, size, mtime, ctime in found}

        return self.run(work) or {}

    def untouched(self) -> bool:
        """Whether no other process has written since `signatures`, and all of ours is stored."""

        def work(connection: sqlite3.Connection) -> bool:
            return self._known_by == (connection, _others(connection))

        return bool(self.run(work)) and not self._pending

    def load(self, paths: Iterable[str]) -> dict[str, Reading]:
        """The stored readings of those files that have one; their rows without first messages."""
        from app.index.reading import Reading
        from app.index.text import table

        wanted = [encode(path) for path in paths]

        def work(connection: sqlite3.Connection) -> dict[str, Reading]:
            ids = self.ids(connection)
            readings: dict[str, Reading] = {}
            if ids == NO_STORES:
                return readings
            # One state of both tables, whatever others write meanwhile.
            connection.execute("BEGIN")
            names = table.names(connection)
            for start in range(0, len(wanted), _MANY):
                some = wanted[start : start + _MANY]
                for blob, offset, fingerprint, state, spans in connection.execute(
                    "SELECT row, offset, fingerprint, state, spans"
                    " FROM sessions NATURAL JOIN readings LEFT JOIN texts USING (key)"
                    f" WHERE store IN ({ids}) AND path IN ({','.join('?' * len(some))})",
                    some,
                ):
                    row = _row(blob)
                    kept = None if spans is None else table.spans_of(spans, names)
                    readings[row.path] = Reading(row, offset, fingerprint, state, kept)
            connection.execute("COMMIT")
            return readings

        return self.run(work) or {}

    def texts(self, paths: Iterable[str] | None = None) -> dict[str, tuple[Span, ...]]:
        """Where the text of those sessions lies that have theirs kept, in the order of the file; nowhere, for
        one in which nothing was said.

        :param paths: of the sessions that are asked for; None: of all.
        """
        from app.index.text import table

        wanted = None if paths is None else [encode(path) for path in paths]

        def work(connection: sqlite3.Connection) -> dict[str, tuple[Span, ...]]:
            connection.execute("BEGIN")
            names = table.names(connection)
            of_ours = f"WHERE store IN ({self.ids(connection)})"
            asked = f"SELECT path, spans FROM sessions NATURAL JOIN texts {of_ours}"
            if wanted is None:
                found = list(connection.execute(asked))
            else:
                found = []
                for start in range(0, len(wanted), _MANY):
                    some = wanted[start : start + _MANY]
                    found += connection.execute(f"{asked} AND path IN ({','.join('?' * len(some))})", some)
            connection.execute("COMMIT")
            return {decode(path): table.spans_of(spans, names) for path, spans in found}

        return self.run(work) or {}

    def save(self, readings: Iterable[Reading]) -> None:
        """Store readings, with the first messages of their rows, in one transaction.

        While another process holds the lock they are kept and stored with the next ones.
        """
        from app.index.saving import columns

        with self._lock:
            self._pending.update((reading.row.path, columns(reading)) for reading in readings)
            self._flush()

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files of the stores at hand."""
        with self._lock:
            self._pending.update((path, None) for path in paths)
            self._flush()

    def tidy(self, now_ms: int) -> None:
        """Note that the stores at hand are in use, and drop the rows of those that nobody uses any more."""

        def work(connection: sqlite3.Connection) -> None:
            ids = self.ids(connection)
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
                from app.index.text import table

                table.forget(connection)
            connection.execute("COMMIT")

        self.run(work)

    def close(self) -> None:
        """Store what is pending and let go of the file."""
        with self._lock:
            self._flush()
            self._database.close()
            if self._text_store is not None:
                self._text_store.close()

    def look(self) -> None:
        """Begin anew if somebody has deleted the file: what was written to it would be found by nobody."""
        with self._lock:
            self._database.look()

    def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What `work` finds; None while another process has locked us out. It may be called twice, see
        `database`.
        """
        with self._lock:
            self._flush()
            try:
                return self._database.run(work)
            except Busy:
                return None

    def _flush(self) -> None:
        if not self._pending:
            return
        from app.index.saving import Saving

        saving = Saving(self._pending, self._names)
        try:
            self._database.run(saving.write)
        except Busy:
            return
        self._pending.clear()

    def ids(self, connection: sqlite3.Connection) -> str:
        """The numbers of the stores at hand, for `IN (...)`; 0, which is none's, where they have none yet.

        Asked each time: another process may have added one.
        """
        names = set(self._names.values())
        found = connection.execute("SELECT id, name FROM stores")
        return ",".join([str(number) for number, name in found if name in names]) or NO_STORES


def newest_first(rows: list[Row]) -> list[Row]:
    """The order of the list: by `modified`, then by path so that it is the same every time."""
    rows.sort(key=attrgetter("path"))
    rows.sort(key=attrgetter("modified"), reverse=True)
    return rows


def _others(connection: sqlite3.Connection) -> int:
    """A number that changes for this connection whenever another one has written."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _row(blob: bytes) -> Row:
    try:
        return Row(marshal.loads(blob))
    except (ValueError, EOFError, TypeError) as error:
        raise Doubt(f"a row that cannot be read: {error}") from error
