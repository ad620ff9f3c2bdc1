"""The connection to a SQLite file in the cache folder: a damaged file is deleted and made anew, and a file
that cannot be used is replaced by memory.

Such files are only a cache, so no problem with them is an error. The first frame loads this module, so it
imports no heavy library.
"""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from app.index.catalog.catalog_file import (
    exclusive,
    is_first_use_of,
    journal_of,
    make_folder,
    replace_by_empty,
)
from app.index.catalog.db_errors import BUSY, UNUSABLE, Busy, Doubt, OtherVersion, code_of, reason
from app.index.catalog.schema import CATALOG, PAGE_BYTES, create_tables, version_of
from app.index.row import catalog_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from app.index.catalog.schema import Schema

    Result = TypeVar("Result")

BUSY_SECONDS = 5.0
"""Seconds that a read waits for another process. In the journal mode of a local disk it never has to."""

DAMAGED = "the index was damaged: it is made anew, and every file is read again"
OTHER_VERSION = "the index is of another version: it is made anew, and every file is read again"

_CHECKPOINT_PAGES = 1000
"""Pages in the write-ahead log before they are moved to the database, which waits for the disk. An append
writes four pages.
"""


class Database:
    """A connection to `catalog-<schema>.db` in a folder, or to another file there, opened at the first use.
    Not thread-safe.

    note         None, or one line that says why the catalog is only in memory; it stays there for this run
    generation   how often the stored rows were lost, so that the owner has to store everything again
    """

    def __init__(
        self, folder: str, on_renewed: Callable[[str], object], path: str = "", schema: Schema = CATALOG
    ) -> None:
        """:param on_renewed: called with one line when the file was damaged, or of another version, and has
        been replaced by an empty one.
        :param path: of another file in the folder; "" for the catalog.
        :param schema: its tables.
        """
        self.path = path or catalog_in(folder)
        self._schema = schema
        self.note: str | None = None
        self.generation = 0
        self._folder = folder
        self._on_renewed = on_renewed
        self._connection: sqlite3.Connection | None = None
        self._inode = 0

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """The result of `work`, which may be called again with an empty database. The catalog continues in
        memory if another process keeps this one from reading for `BUSY_SECONDS`.
        """
        try:
            return self._run(work, BUSY_SECONDS)
        except Busy:
            self._continue_in_memory("another process has it locked")
            return self._run(work, 0.0)

    def write(self, work: Callable[[sqlite3.Connection], Result], *, waits: bool = False) -> Result:
        """The result of `work`, which may be called again with an empty database.

        :param waits: for `BUSY_SECONDS`, if another process writes.
        :raises Busy: another process writes; nothing was changed.
        """
        return self._run(work, BUSY_SECONDS if waits else 0.0)

    def close(self) -> None:
        """Close the file; the next use opens it again. Rows that were only in memory are lost."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def look(self) -> None:
        """Begin with an empty file if the file was deleted, because other processes would not find it."""
        if self._connection is None or self.note is not None:
            return
        try:
            if os.stat(self.path).st_ino == self._inode:
                return
        except FileNotFoundError:
            pass
        except OSError:
            # The file cannot be reached now, which does not mean that it was deleted.
            return
        self.close()
        self.generation += 1

    def _run(self, work: Callable[[sqlite3.Connection], Result], seconds: float) -> Result:
        """:raises Busy: another process holds the lock; nothing was changed."""
        for is_last in (False, False, False, True):
            try:
                connection = self._connection or self._open(seconds)
                connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
                return work(connection)
            except sqlite3.ProgrammingError:
                raise
            except (sqlite3.Error, UnicodeDecodeError, Doubt) as error:
                # Python cannot decode a message of SQLite that quotes a damaged schema.
                if self._connection is not None and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if code_of(error) in BUSY:
                    raise Busy from error
                if self.note is not None and is_last:
                    # Memory is never damaged, so this is a bug, which must be visible.
                    raise
                self._replace(error)
        raise Busy("the catalog is damaged as fast as it is made")

    def _open(self, seconds: float) -> sqlite3.Connection:
        """:raises sqlite3.Error, Doubt: the file cannot be used."""
        is_first_use = False
        try:
            if not os.path.exists(self.path):
                make_folder(self._folder)
                is_first_use = is_first_use_of(self._folder)
                # SQLite would create a file that other users can read, and first messages are private.
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._inode = os.stat(self.path).st_ino
        except OSError as error:
            return self._continue_in_memory(error.strerror or str(error), error.filename)
        connection = sqlite3.connect(
            self.path, timeout=seconds, isolation_level=None, check_same_thread=False
        )
        try:
            if version_of(connection) != self._schema.version:
                create_tables(connection, journal_of(self._folder), BUSY_SECONDS, self._schema)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        except BaseException:
            connection.close()
            raise
        if is_first_use:
            self._on_renewed(OTHER_VERSION)
        self._connection = connection
        return connection

    def _replace(self, error: sqlite3.Error | UnicodeDecodeError | Doubt) -> None:
        """Continue with another database after `error`."""
        if self.note is not None:
            # The copy is as damaged as the file was.
            self._connection = _memory(self._schema)
            self.generation += 1
        elif code_of(error) in UNUSABLE or not os.path.isfile(self.path):
            file = self._connection or _open_unlocked(self.path)
            self._continue_in_memory(reason(self.path, error), self.path, file)
        else:
            self.close()
            self.generation += 1
            try:
                with exclusive(self._folder):
                    # Another process may have replaced it already.
                    if os.stat(self.path).st_ino == self._inode:
                        replace_by_empty(self.path)
                        self._on_renewed(OTHER_VERSION if isinstance(error, OtherVersion) else DAMAGED)
            except OSError as failure:
                self._continue_in_memory(failure.strerror or str(failure), failure.filename)

    def _continue_in_memory(
        self, why: str, path: str | None = None, file: sqlite3.Connection | None = None
    ) -> sqlite3.Connection:
        """Use a database in memory from now on.

        :param why: the reason for the user.
        :param path: the file that is the problem; None for the catalog itself.
        :param file: the rows that it begins with, if they can be read.
        """
        memory = _copy(file, self._schema) if file is not None else None
        subject = "what is new" if memory is not None else "the list"
        self.note = f"{subject} is kept in memory only: {path or self.path}: {why}"
        if memory is None:
            memory = _memory(self._schema)
            self.generation += 1
        self.close()
        self._connection = memory
        return memory


def _memory(schema: Schema) -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    create_tables(memory, schema=schema)
    return memory


def _copy(file: sqlite3.Connection, schema: Schema) -> sqlite3.Connection | None:
    """A copy of a database in memory; None if it cannot be read. The file is closed."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        # A backup into memory cannot change the page size.
        memory.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        # The read transaction keeps other processes from locking the file, for which the backup would wait
        # without end.
        file.execute("BEGIN")
        file.execute("SELECT 1 FROM sqlite_master").fetchone()
        file.backup(memory)
        if version_of(memory) == schema.version:
            return memory
    except (sqlite3.Error, UnicodeDecodeError):
        pass
    finally:
        file.close()
    memory.close()
    return None


def _open_unlocked(path: str) -> sqlite3.Connection | None:
    """Open the file as its last user left it, without locks and without files beside it, for which there may
    be no room or no permission. None if it is incomplete without its write-ahead log.
    """
    try:
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            return None
        # `urllib` would take too long to import for the first frame.
        name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return sqlite3.connect(f"file:{name}?immutable=1", uri=True, check_same_thread=False)
    except (OSError, sqlite3.Error):
        return None
