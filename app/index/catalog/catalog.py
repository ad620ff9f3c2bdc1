"""The stored table of session summaries.

One row a file, written together with the signature, the offset and the state that it was read with: whoever
writes it last, it is right about the file as it was. So several processes may share a catalog; the worst they
do is to repeat work. Rows belong to stores, and only those of the stores at hand are ever shown or removed.
"""

from __future__ import annotations

from _thread import allocate_lock
from operator import attrgetter
from typing import TYPE_CHECKING

from app.index.catalog import stored
from app.index.catalog.catalog_file import text_in
from app.index.catalog.database import Busy, encode, written_by_others
from app.index.catalog.front import Front
from app.index.catalog.stored import ids_of, newest_first

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from typing import Concatenate, ParamSpec, TypeVar

    from app.index.catalog.recent import Recent
    from app.index.catalog.writes import Columns, Saving
    from app.index.parse_result import Reading
    from app.index.row import Row, Signature
    from app.index.text.segment import Span
    from app.index.text.store import TextStore
    from app.stores.base import Store

    Asked = ParamSpec("Asked")
    Result = TypeVar("Result")

SEVERAL = 8
"""No more files than this are read when somebody works; they are remembered for the next look."""


class Catalog(Front):
    """The rows of `stores` in the cache folder `folder`. May be used from several threads.

    Nothing here raises because of the file: see `database`. `generation` changes when everything that was
    stored is lost and must be saved again. `text_folder` is where the texts lie that `texts` tells of.
    """

    def __init__(self, folder: str, stores: Sequence[Store]) -> None:
        """:param folder: made when it is not there; nothing is written anywhere else."""
        super().__init__(folder, stores)
        self.text_folder = text_in(folder)
        self._text_store: TextStore | None = None
        # The connection that `signatures` were read by, and what it then knew of the writing of others.
        self._known_by: tuple[sqlite3.Connection, int] | None = None
        self._lock = allocate_lock()
        # Made when there is something to remember.
        self._recent: Recent | None = None
        # What is to be written, as columns; more than one batch only when others have locked us out.
        self._pending: dict[str, Columns | None] = {}
        self._unkept: str | None = None

    @property
    def note(self) -> str | None:
        """One line why nothing is kept on disk, or not all, or no text, else None."""
        texts = self._text_store.note if self._text_store else None
        return self._database.note or self._unkept or texts

    @property
    def path(self) -> str:
        """Of its file."""
        return self._database.path

    @property
    def in_memory(self) -> bool:
        """Whether nothing is kept on disk."""
        return self._database.note is not None

    @property
    def is_full(self) -> bool:
        """Whether that is because the disk is full."""
        return self._database.is_full

    @property
    def is_behind(self) -> bool:
        """Whether some of what was saved is not stored yet."""
        return bool(self._pending)

    @property
    def is_copy(self) -> bool:
        """Whether what is in memory is all that is kept on disk, and what was read since."""
        return self._database.is_copy

    @property
    def text_store(self) -> TextStore:
        """What keeps the texts; let go of by `close`."""
        if self._text_store is not None:
            return self._text_store
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

    def keep_groups(self) -> None:
        """Have `groups` ready for the next process, whose first picture waits for it."""
        from app.index.catalog.projects import keep

        self.run(lambda connection: keep(connection, self.roots(connection)))

    def rows(self, full: bool = False, seen: Callable[[list[Row]], object] | None = None) -> list[Row]:
        """All sessions, newest first.

        :param full: with their first messages.
        :param seen: is called with them in no order, before they are put in this one.
        """
        from app.formats.collector import Resting

        with Resting():
            rows = self._tell(stored.rows, full)
            if seen is not None:
                seen(rows)
            return newest_first(rows)

    def files(self) -> stored.Files:
        """All files as they were when they were read; of sessions less than their rows say."""
        return self._tell(stored.files)

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """The `limit` newest sessions, newest first and without their first messages, and how many there
        are.
        """
        rows, count = self._tell(stored.newest, limit)
        return newest_first(rows), count

    def refused(self) -> list[Row]:
        """The files that are no sessions, by path."""
        return sorted(self._tell(stored.refused), key=attrgetter("path"))

    def signatures(self) -> dict[str, Signature]:
        """Path -> the file as it was when it was read; refused files included."""

        def work(connection: sqlite3.Connection, roots: stored.Roots) -> dict[str, Signature]:
            self._known_by = connection, written_by_others(connection)
            return stored.signatures(connection, roots)

        return self._tell(work)

    def untouched(self) -> bool:
        """Whether no other process has written since `signatures`, and all of ours is stored."""

        def work(connection: sqlite3.Connection) -> bool:
            return self._known_by == (connection, written_by_others(connection))

        return bool(self.run(work)) and not self._pending

    def load(self, paths: Iterable[str], known: Container[str] = ()) -> dict[str, Reading]:
        """The stored readings of those files that have one; their rows without first messages.

        :param known: the files that were listed: of these one is missed.
        """
        wanted = list(paths)

        def work(connection: sqlite3.Connection) -> dict[str, Reading]:
            if len(wanted) <= SEVERAL:
                others = written_by_others(connection)
                recent = self._recently().find(wanted, (connection, connection.total_changes), others)
                if recent is not None:
                    return recent
            from app.index.catalog import loading

            places = [encode(path) for path in wanted]
            listed = {encode(path) for path in wanted if path in known}
            return loading.readings(connection, self.roots(connection), places, listed)

        return self.run(work) or {}

    def texts(self, paths: Iterable[str] | None = None) -> dict[str, tuple[Span, ...]]:
        """Where the text of those sessions lies that have theirs kept, in the order of the file; nowhere, for
        one in which nothing was said.

        :param paths: of the sessions that are asked for; None: of all.
        """
        from app.index.catalog import loading

        wanted = None if paths is None else [encode(path) for path in paths]
        return self.run(lambda connection: loading.texts(connection, self.ids(connection), wanted)) or {}

    def save(self, readings: Iterable[Reading]) -> None:
        """Store readings, with the first messages of their rows, in one transaction.

        While another process holds the lock they are kept and stored with the next ones.
        """
        from app.index.catalog.writes import columns

        read = list(readings)
        with self._lock:
            recent = self._recent if len(read) <= SEVERAL and not self._pending else None
            before = self._database.written
            for reading in read:
                self._pending[reading.row.path] = columns(reading)
            saving = self._flush(recent)
            if recent and saving:
                recent.keep(read, saving.places, saving.numbers, before, self._database.written)

    def mark(self, signatures: Mapping[str, Signature]) -> list[Row]:
        """Store other signatures of the sessions among these files, and nothing else.

        :return: their rows as they are stored now, without first messages; none while another process has
            locked us out.
        """
        from app.index.catalog.marks import mark

        return self.run(lambda connection: mark(connection, self.roots(connection), signatures)) or []

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files of the stores at hand."""
        with self._lock:
            self._pending.update((path, None) for path in paths)
            self._flush()

    def tidy(self, now_ms: int) -> None:
        """Note that the stores at hand are in use, and drop the rows of those that nobody uses any more."""
        from app.index.catalog import unused

        self.run(lambda connection: unused.tidy(connection, self.ids(connection), now_ms))

    def close(self) -> None:
        """Store what is pending and let go of the file."""
        with self._lock:
            self._flush()
            if self._pending:
                self._unkept = f"what is new is not kept: {self.path}: another process has it locked"
            self._database.close()
            if self._text_store is not None:
                self._text_store.close()

    def peek(self, question: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What the file says while all goes on in memory; None where that cannot be told."""
        from app.index.catalog.in_memory import peek

        return peek(self.path, question)

    def look(self) -> None:
        """Begin anew if somebody has deleted the file: what was written to it would be found by nobody."""
        with self._lock:
            self._database.look()

    def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What `work` finds; None while another process has locked us out. It may be called twice, see
        `database`.
        """
        with self._lock:
            if self._pending:
                self._flush()
            return super().run(work)

    def _tell(
        self,
        question: Callable[Concatenate[sqlite3.Connection, stored.Roots, Asked], Result],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Result:
        """The answer to one of `stored` that counts as right: with all that was saved. Where another process
        keeps us from the file, or from storing what is new there, it comes from memory from now on, see
        `Database.do_without`.
        """

        def work(connection: sqlite3.Connection) -> Result:
            return question(connection, self.roots(connection), *asked, **named)

        with self._lock:
            self._flush()
            if not self._pending:
                try:
                    return self._database.run(work)
                except Busy:
                    pass
            self._database.do_without()
            self._flush()
            return self._database.run(work)

    def _flush(self, known: Recent | None = None) -> Saving | None:
        """Write what is pending; None where there is nothing, or another process has locked us out."""
        if not self._pending:
            return None
        from app.index.catalog.writes import Saving

        saving = Saving(self._pending, self._names, known, lambda: not self.in_memory)
        try:
            self._database.run(saving.write)
        except Busy:
            return None
        self._pending.clear()
        self._unkept = None
        return saving

    def _recently(self) -> Recent:
        if self._recent is None:
            from app.index.catalog.recent import Recent

            self._recent = Recent()
        return self._recent

    def ids(self, connection: sqlite3.Connection) -> str:
        """The numbers of the stores at hand, see `ids_of`."""
        return ids_of(self.roots(connection))
