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
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from app.index.reading import Reading
    from app.index.recent import Recent, Written
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

SEVERAL = 8
"""No more files than this are read when somebody works; they are remembered for the next look."""

ROW = "store, path, row"
"""The columns that make a row, see `row_of`."""

BESIDE = 2
"""So many of a row's first fields are not in its blob: the two other columns say them."""


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
        # Made when there is something to remember.
        self._recent: Recent | None = None
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
            roots = self.roots(connection)
            found = connection.execute(
                f"SELECT {ROW} FROM sessions INDEXED BY listing"
                f" WHERE listed AND cwd = ? AND store IN ({ids_of(roots)})"
                " ORDER BY modified DESC LIMIT ?",
                (encode(cwd), limit),
            )
            return [row_of(roots, *row) for row in found]

        return newest_first(self.run(work) or [])

    def rows(self, full: bool = False) -> list[Row]:
        """All sessions, newest first; `full` fills in their first messages."""

        def work(connection: sqlite3.Connection) -> list[Row]:
            roots = self.roots(connection)
            wanted = f"WHERE listed AND store IN ({ids_of(roots)})"
            if not full:
                # In the order in which they lie: to go by the index is to look for each of them.
                found = connection.execute(f"SELECT {ROW} FROM sessions NOT INDEXED {wanted}")
                return [row_of(roots, *row) for row in found]
            rows = []
            for first_message, *stored in connection.execute(
                f"SELECT first_message, {ROW} FROM sessions NATURAL JOIN lasting {wanted}"
            ):
                row = row_of(roots, *stored)
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
            roots = self.roots(connection)
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

        rows, count = self.run(work) or ([], 0)
        return newest_first(rows), count

    def refused(self) -> list[Row]:
        """The files that are no sessions, by path."""

        def work(connection: sqlite3.Connection) -> list[Row]:
            roots = self.roots(connection)
            found = connection.execute(
                f"SELECT {ROW} FROM sessions WHERE NOT listed AND store IN ({ids_of(roots)})"
            )
            return [row_of(roots, *row) for row in found]

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
        from app.index import loading

        wanted = list(paths)

        def work(connection: sqlite3.Connection) -> dict[str, Reading]:
            if self._recent and len(wanted) <= SEVERAL:
                recent = self._recent.find(wanted, _written(connection))
                if recent is not None:
                    return recent
            places = [encode(path) for path in wanted]
            return loading.readings(connection, self.roots(connection), places)

        return self.run(work) or {}

    def texts(self, paths: Iterable[str] | None = None) -> dict[str, tuple[Span, ...]]:
        """Where the text of those sessions lies that have theirs kept, in the order of the file; nowhere, for
        one in which nothing was said.

        :param paths: of the sessions that are asked for; None: of all.
        """
        from app.index import loading

        wanted = None if paths is None else [encode(path) for path in paths]
        return self.run(lambda connection: loading.texts(connection, self.ids(connection), wanted)) or {}

    def save(self, readings: Iterable[Reading]) -> None:
        """Store readings, with the first messages of their rows, in one transaction.

        While another process holds the lock they are kept and stored with the next ones.
        """
        from app.index.saving import columns

        stored = list(readings)
        with self._lock:
            several = len(stored) <= SEVERAL
            before = self._database.changes
            self._pending.update((reading.row.path, columns(reading)) for reading in stored)
            self._flush()
            if several and not self._pending and (written := self._known()):
                self._recently().keep(stored, before, written)

    def mark(self, signatures: Mapping[str, Signature]) -> list[Row]:
        """Store other signatures of the sessions among these files, and nothing else.

        :return: their rows as they are stored now, without first messages; none while another process has
            locked us out.
        """
        from app.index.marks import mark

        return self.run(lambda connection: mark(connection, self.roots(connection), signatures)) or []

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
            if not connection.execute(
                f"SELECT 1 FROM stores WHERE id IN ({ids}) AND NOT used_ms BETWEEN ? AND ? LIMIT 1",
                (now_ms - NOTED_MS + 1, now_ms),
            ).fetchone():
                return
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"UPDATE stores SET used_ms = ? WHERE id IN ({ids})", (now_ms,))
            connection.execute("DELETE FROM stores WHERE used_ms < ?", (now_ms - UNUSED_MS,))
            if connection.execute("SELECT changes()").fetchone()[0]:
                connection.execute("DELETE FROM sessions WHERE store NOT IN (SELECT id FROM stores)")
                for others in ("readings", "lasting"):
                    connection.execute(f"DELETE FROM {others} WHERE key NOT IN (SELECT key FROM sessions)")
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

    def _known(self) -> Written | None:
        """What is known of all writing by now; None while another process has locked us out."""
        try:
            return self._database.run(_written)
        except Busy:
            return None

    def _recently(self) -> Recent:
        if self._recent is None:
            from app.index.recent import Recent

            self._recent = Recent()
        return self._recent

    def ids(self, connection: sqlite3.Connection) -> str:
        """The numbers of the stores at hand, see `ids_of`."""
        return ids_of(self.roots(connection))

    def roots(self, connection: sqlite3.Connection) -> dict[int, str]:
        """The numbers of the stores at hand, as far as they have any, with their roots.

        Asked each time: another process may have added one.
        """
        roots = {name: root for root, name in self._names.items()}
        found = connection.execute("SELECT id, name FROM stores")
        return {number: roots[name] for number, name in found if name in roots}


def ids_of(roots: Iterable[int]) -> str:
    """The numbers of stores for `IN (...)`; 0, which is none's, where there is none."""
    return ",".join(map(str, roots)) or "0"


def newest_first(rows: list[Row]) -> list[Row]:
    """The order of the list: by `modified`, then by path so that it is the same every time."""
    rows.sort(key=attrgetter("path"))
    rows.sort(key=attrgetter("modified"), reverse=True)
    return rows


def _written(connection: sqlite3.Connection) -> Written:
    return connection, connection.total_changes, _others(connection)


def _others(connection: sqlite3.Connection) -> int:
    """A number that changes for this connection whenever another one has written."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def row_of(roots: Mapping[int, str], store: int, path: bytes, blob: bytes) -> Row:
    """A row as it is stored, without its first message.

    :param roots: see `Catalog.roots`.
    :raises Doubt: it is none.
    """
    try:
        # As `decode`, ten thousand times.
        return Row((path.decode("utf-8", "surrogatepass"), roots[store], *marshal.loads(blob)))
    except (ValueError, EOFError, TypeError, AttributeError) as error:
        raise Doubt(f"a row that cannot be read: {error}") from error
