"""The catalog: the stored table of all session rows.

Each row is written together with the signature of the file when it was read, so the last writer is right
about the file, and several processes may share a catalog; at worst they repeat work. Rows belong to stores,
and only rows of the stores in use are shown or removed.
"""

from __future__ import annotations

import os
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING

from app.index.catalog import queries, writes
from app.index.catalog.catalog_file import drop_older, text_in
from app.index.catalog.database import Database
from app.index.catalog.db_errors import Busy, Doubt
from app.index.catalog.queries import check_missing, ids_of, newest_first
from app.index.catalog.schema import decode_compressed, encode
from app.index.catalog.span_table import forget_spans

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from typing import TypeVar

    from app.index.row import Reading, Row, Signature, Span
    from app.stores.base import Store

    Result = TypeVar("Result")


class Catalog:
    """The rows of `stores` in the cache folder `folder`. May be used from several threads.

    No problem with the file raises an error, see `database`.

    text_folder   the folder of the text store
    forgotten     how often texts were forgotten because they were missing or damaged
    """

    def __init__(
        self, folder: str, stores: Sequence[Store], on_renewed: Callable[[str], object] = lambda _: None
    ) -> None:
        """:param folder: the cache folder, which is created if necessary. Nothing is written elsewhere.
        :param on_renewed: called with one line, in any thread, when the file was damaged, or of another
            version, and all its rows are lost. It must not use the catalog.
        """
        self.text_folder = text_in(folder)
        self._database = Database(folder, on_renewed)
        self._names = {store.root: encode("+".join(store.agents) + " " + store.root) for store in stores}
        self._lock = Lock()
        # The readings to be written by path, None for a removed file. They are encoded, because rows lose
        # their first messages after they were saved. Readings stay here only while another process writes.
        self._pending: dict[str, writes.StoredReading | None] = {}
        self._lost_note: str | None = None
        self._damaged_texts: set[str] = set()
        self.forgotten = 0

    @property
    def note(self) -> str | None:
        """One line that says why rows are not kept on disk, else None."""
        return self._database.note or self._lost_note

    @property
    def path(self) -> str:
        """The path of the catalog's file."""
        return self._database.path

    @property
    def in_memory(self) -> bool:
        """Whether nothing is kept on disk."""
        return self._database.note is not None

    @property
    def is_behind(self) -> bool:
        """Whether some saved readings are not stored yet."""
        return bool(self._pending)

    @property
    def generation(self) -> int:
        """How often the stored rows were lost, because the file was damaged or could not be used, and must be
        saved again.
        """
        return self._database.generation

    def projects(self) -> list[queries.Project]:
        """(working folder, number of shown sessions, newest `modified` of these, number of hidden sessions)
        of every project, newest first; 0 if no session is shown.
        """
        return self.read(lambda connection: queries.projects(connection, self.roots(connection)))

    def rows_of_project(self, cwd: str, limit: int = -1) -> list[Row]:
        """The sessions of a project, newest first, without their first messages.

        :param limit: only the newest sessions; negative for all.
        """
        return newest_first(
            self.read(
                lambda connection: queries.rows_of_project(connection, self.roots(connection), cwd, limit)
            )
        )

    def rows(self, full: bool = False, seen: Callable[[list[Row]], object] | None = None) -> list[Row]:
        """All sessions, newest first.

        :param full: with their first messages.
        :param seen: called with the rows before they are sorted.
        """
        rows, waiting = self._read(lambda connection: queries.rows(connection, self.roots(connection), full))
        if waiting:
            rows = [row for row in rows if row.path not in waiting]
            rows += [row for row in _rows_of(waiting, full) if row.refused is None]
        if seen is not None:
            seen(rows)
        return newest_first(rows)

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """(the `limit` newest sessions, newest first, without their first messages; the number of all
        sessions)
        """
        (rows, count), waiting = self._read(
            lambda connection: queries.newest(connection, self.roots(connection), limit)
        )
        if waiting:
            rows = self.rows()
            return rows[:limit], len(rows)
        return newest_first(rows), count

    def refused(self) -> list[Row]:
        """The files that are no sessions, by path."""
        rows, waiting = self._read(lambda connection: queries.refused(connection, self.roots(connection)))
        rows = [row for row in rows if row.path not in waiting]
        rows += [row for row in _rows_of(waiting) if row.refused is not None]
        return sorted(rows, key=attrgetter("path"))

    def refused_paths(self) -> list[str]:
        """The paths of the files that are no sessions, in no order."""
        paths, waiting = self._read(
            lambda connection: queries.refused_paths(connection, self.roots(connection))
        )
        paths = [path for path in paths if path not in waiting]
        return paths + [
            path for path, reading in waiting.items() if reading is not None and reading.is_refused
        ]

    def signatures(self) -> dict[str, Signature]:
        """Path -> signature when the file was read, refused files included."""
        signatures, waiting = self._read(
            lambda connection: queries.signatures(connection, self.roots(connection))
        )
        for path in waiting:
            signatures.pop(path, None)
        return signatures | {row.path: row.signature for row in _rows_of(waiting)}

    def load(self, paths: Iterable[str], known: Container[str] = ()) -> dict[str, Reading]:
        """The stored readings of some files, by path; their rows have no first messages.

        :param known: files that were listed, so that the catalog is damaged if one of them is missing.
        """
        wanted = list(paths)

        def query(connection: sqlite3.Connection) -> dict[str, Reading]:
            roots = self.roots(connection)
            # In a transaction, all tables are read in the same state.
            connection.execute("BEGIN")
            readings = queries.readings(connection, roots, [encode(path) for path in wanted])
            missing = [encode(path) for path in wanted if path in known and path not in readings]
            if missing and roots:
                check_missing(connection, roots, missing)
            connection.execute("COMMIT")
            return readings

        readings, waiting = self._read(query)
        for path in waiting.keys() & wanted:
            readings.pop(path, None)
            reading = waiting[path]
            if reading is not None:
                readings[path] = reading.decoded(path)
        return readings

    def texts(self, paths: Iterable[str] | None = None) -> dict[str, tuple[Span, ...]]:
        """Path -> the spans of the session's text in the text store, in the order of the file; only sessions
        whose text is stored.

        :param paths: of the sessions; None for all.
        """
        encoded = None if paths is None else [encode(path) for path in paths]

        def query(connection: sqlite3.Connection) -> dict[str, tuple[Span, ...]]:
            connection.execute("BEGIN")
            spans = queries.spans_by_path(connection, self.ids(connection), encoded)
            connection.execute("COMMIT")
            return spans

        texts, waiting = self._read(query)
        for path, reading in waiting.items():
            texts.pop(path, None)
            if reading is not None and reading.spans is not None:
                texts[path] = reading.spans
        return texts

    def forget_texts(self, texts: Mapping[str, tuple[Span, ...]]) -> None:
        """Forget texts that are missing or damaged, so that the next scan reads their files again.

        :param texts: path -> the spans of the text; a session with other spans by now is left alone.
        """
        if texts:
            self.found_damage(texts)
            self.write(lambda connection: forget_spans(connection, self.ids(connection), texts))
            self.forgotten += 1

    def found_damage(self, paths: Iterable[str]) -> None:
        """Remember sessions whose stored text is missing or damaged, for `take_damage`."""
        with self._lock:
            self._damaged_texts.update(paths)

    def take_damage(self) -> set[str]:
        """The paths of the sessions whose stored text was found missing or damaged since the last call."""
        with self._lock:
            paths, self._damaged_texts = self._damaged_texts, set()
        return paths

    def save(self, readings: Iterable[Reading]) -> None:
        """Store readings, with the first messages of their rows, in one transaction.

        While another process writes, they are kept, and stored with the next ones.
        """
        encoded = {reading.row.path: writes.encode_reading(reading) for reading in readings}
        with self._lock:
            self._pending.update(encoded)
            self._flush()

    def mark(self, signatures: Mapping[str, Signature]) -> list[Row]:
        """Change only the signatures of the sessions among some files, by path.

        :return: their rows as they are stored now, without first messages; none while another process writes.
        """
        rows = self.write(lambda connection: writes.mark(connection, self.roots(connection), signatures))
        return rows or []

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files from the stores in use."""
        with self._lock:
            self._pending.update((path, None) for path in paths)
            self._flush()

    def tidy(self, now_ms: int) -> None:
        """Record that the stores are in use, and drop the rows of stores that are not used any more, and the
        caches of older versions.
        """
        self.write(lambda connection: writes.drop_unused_stores(connection, self.ids(connection), now_ms))
        if not self.in_memory:
            drop_older(os.path.dirname(self.path), now_ms)

    def close(self) -> None:
        """Store pending readings and close the file."""
        with self._lock:
            self._flush(waits=True)
            if self._pending:
                self._lost_note = f"what is new is not kept: {self.path}: another process has it locked"
            self._database.close()

    def look(self) -> None:
        """Begin with an empty file if the file was deleted, because other processes would not find it."""
        with self._lock:
            self._database.look()

    def read(self, query: Callable[[sqlite3.Connection], Result]) -> Result:
        """The result of `query`, without what another process keeps from being stored. `query` may be called
        again, see `Database.read`.
        """
        return self._read(query)[0]

    def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """The result of `work`; None if nothing is changed, because another process writes. `work` may be
        called again, see `Database.write`.
        """
        with self._lock:
            self._flush()
            try:
                return self._database.write(work)
            except Busy:
                return None

    def roots(self, connection: sqlite3.Connection) -> dict[int, str]:
        """Id -> root of the stores in use that have an id. They are read each time, because another process
        may have added one.

        :raises Doubt: a store has two ids, each of which may have rows of the same files.
        """
        names = {name: root for root, name in self._names.items()}
        records = connection.execute("SELECT id, name FROM stores")
        roots = {number: names[name] for number, name in records if name in names}
        if len(roots) != len(set(roots.values())):
            raise Doubt("a store that is listed twice")
        return roots

    def ids(self, connection: sqlite3.Connection) -> str:
        """The ids of the stores in use for `IN (...)`."""
        return ids_of(self.roots(connection))

    def _read(
        self, query: Callable[[sqlite3.Connection], Result]
    ) -> tuple[Result, Mapping[str, writes.StoredReading | None]]:
        """(the result of `query`, the readings that another process keeps from being stored)"""
        with self._lock:
            self._flush()
            return self._database.read(query), self._pending.copy()

    def _flush(self, *, waits: bool = False) -> None:
        """Write the pending readings, unless another process writes."""
        if not self._pending:
            return
        try:
            self._database.write(
                lambda connection: writes.write(
                    connection, self._pending, self._names, lambda: not self.in_memory
                ),
                waits=waits,
            )
        except Busy:
            return
        self._pending.clear()
        self._lost_note = None


def _rows_of(readings: Mapping[str, writes.StoredReading | None], full: bool = False) -> list[Row]:
    """The rows of some readings; `full` with their first messages."""
    rows = [reading.decoded(path).row for path, reading in readings.items() if reading is not None]
    for row in rows if full else ():
        reading = readings[row.path]
        row.first_message = decode_compressed(reading.first_message) if reading is not None else ""
    return rows
