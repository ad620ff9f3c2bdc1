"""The connection to the catalog's SQLite file: a doubtful file is replaced by a new one, and a file that
cannot be used by memory.

The catalog is only a cache, so no problem with its file is an error. The first frame loads this module, so it
imports no heavy library.
"""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from app.index.catalog.catalog_file import exclusive, journal_of, make_folder, put_aside
from app.index.catalog.db_errors import BUSY, UNUSABLE, Busy, Doubt, code_of, is_full, reason
from app.index.catalog.schema import create_tables, version_of
from app.index.row import SCHEMA, catalog_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")

BUSY_SECONDS = 5.0
"""Seconds to wait for another process."""

_CHECKPOINT_PAGES = 1000
"""Pages in the write-ahead log before they are moved to the database, which waits for the disk. An append
writes four pages.
"""


class Database:
    """A connection to `catalog-<schema>.db` in a folder, opened at the first use. Not thread-safe.

    note         None, or one line that says why the catalog is only in memory
    is_copy      whether it is in memory with everything that the file contains
    is_full      whether it is in memory because the disk is full
    generation   how often the stored rows were lost, so that the owner has to store everything again

    After waiting `BUSY_SECONDS` in vain for another process, it does not wait again until a write succeeds.
    """

    def __init__(self, folder: str) -> None:
        self.path = catalog_in(folder)
        self.note: str | None = None
        self.is_copy = False
        self.is_full = False
        self.generation = 0
        self._folder = folder
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._patience = BUSY_SECONDS
        self._is_locked_out = False

    def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """The result of `work`, which may be called a second time with a new and empty database.

        :raises Busy: another process holds the lock; nothing was changed.
        """
        for _ in range(3):
            connection = self._open()
            try:
                if self._patience or self.note is not None:
                    return work(connection)
                return self._run_without_waiting(connection, work)
            except sqlite3.ProgrammingError:
                raise
            except (sqlite3.Error, Doubt) as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if code_of(error) in BUSY:
                    self._set_patience(connection, 0.0)
                    raise Busy from error
                if self.note is not None:
                    if not self.is_copy or code_of(error) in UNUSABLE:
                        # Memory is never damaged, so this is a bug, which must be visible.
                        raise
                    # The copy is as damaged as the file.
                    self._begin_in_memory()
                elif code_of(error) in UNUSABLE:
                    self._fall_back(error)
                else:
                    self._renew()
        raise Busy("the catalog is damaged as fast as it is made")

    def close(self) -> None:
        """Close the file; the next `run` opens it again. Rows that were only in memory are lost."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def do_without(self) -> None:
        """Continue in memory, until `look` finds that the other process has released the file."""
        if self.note is None:
            self._fall_back("another process has it locked", is_left=False)
            self._is_locked_out = True

    def look(self) -> None:
        """Begin with an empty file if the file was deleted, because other processes would not find it. Return
        to a file that another process had locked.
        """
        if self._is_locked_out:
            self._return_to_file()
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

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        try:
            self._connection = self._connect()
        except (sqlite3.Error, Doubt) as error:
            if code_of(error) in UNUSABLE or not os.path.isfile(self.path):
                self._fall_back(error)
            elif code_of(error) in BUSY:
                self._patience = 0.0
                raise Busy from error
            else:
                self._renew()
        except OSError as error:
            self._fall_back(error.strerror or str(error), error.filename)
        assert self._connection is not None
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if not os.path.isdir(self._folder):
            make_folder(self._folder)
        self._inode = 0
        if not os.path.exists(self.path):
            # SQLite would create a file that other users can read, and first messages are private.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        try:
            self._inode = os.stat(self.path).st_ino
            if version_of(connection) != SCHEMA:
                create_tables(connection, journal_of(self._folder), self._patience)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _renew(self) -> None:
        """Put the file aside, unless another process has already done so, and begin with an empty one."""
        self.generation += 1
        self.close()
        try:
            with exclusive(self._folder):
                if self._inode and os.stat(self.path).st_ino == self._inode:
                    put_aside(self.path)
                self._connection = self._connect()
        except OSError as error:
            self._fall_back(error.strerror or str(error), error.filename)
        except (sqlite3.Error, Doubt) as error:
            self._fall_back(error)

    def _run_without_waiting(
        self, connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], Result]
    ) -> Result:
        """Run `work`. If it can write, later calls wait for other processes again."""
        before = connection.total_changes
        result = work(connection)
        if connection.total_changes != before:
            self._set_patience(connection, BUSY_SECONDS)
        return result

    def _set_patience(self, connection: sqlite3.Connection, seconds: float) -> None:
        self._patience = seconds
        connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _return_to_file(self) -> None:
        """Use the file instead of memory if it can be written again. The owner has to store everything again
        that was read meanwhile.
        """
        memory, self._connection = self._connection, None
        connection = None
        try:
            connection = self._connect()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            self._set_patience(connection, BUSY_SECONDS)
        except (sqlite3.Error, Doubt, OSError):
            if connection is not None:
                connection.close()
            self._connection = memory
            return
        if memory is not None:
            memory.close()
        self._connection = connection
        self._is_locked_out = self.is_copy = False
        self.note = None
        self.generation += 1

    def _begin_in_memory(self) -> None:
        self.generation += 1
        self.close()
        self.is_copy = False
        self._connection = _memory()
        create_tables(self._connection)

    def _fall_back(self, why: str | Exception, path: str | None = None, *, is_left: bool = True) -> None:
        """Continue in memory, with everything that can still be read.

        :param why: the reason for the user, or SQLite's error.
        :param path: the file that is the problem, if it is not the catalog itself.
        :param is_left: no other process writes to the file, so that it can be read without locks.
        """
        is_left = is_left and (isinstance(why, str) or code_of(why) not in BUSY)
        old = self._connection or (_open_unlocked(self.path) if is_left else None)
        memory = _copy(old) if old is not None else None
        self._connection = old
        if memory is None:
            self._begin_in_memory()
        else:
            self.close()
            self._connection, self.is_copy = memory, True
        if not isinstance(why, str):
            self.is_full = is_full(self.path, why)
            why = reason(self.path, why)
        subject = "what is new" if self.is_copy else "the list"
        self.note = f"{subject} is kept in memory only: {path or self.path}: {why}"


def peek(path: str, question: Callable[[sqlite3.Connection], Result]) -> Result | None:
    """The result of `question` for the catalog's file at `path`, while `Database` continues in memory; None
    if the file cannot be read.
    """
    for opener in (_open_locked, _open_unlocked):
        file = None
        try:
            file = opener(path)
            if file is not None and version_of(file) == SCHEMA:
                return question(file)
        except (sqlite3.Error, Doubt):
            # On a full disk, SQLite may have no room for its files beside the catalog.
            pass
        finally:
            if file is not None:
                file.close()
    return None


def _memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def _copy(file: sqlite3.Connection) -> sqlite3.Connection | None:
    """A copy of a database in memory; None if it cannot be read, or is no catalog of this version."""
    memory = _memory()
    try:
        # A backup into memory cannot change the page size.
        (page_size,) = file.execute("PRAGMA page_size").fetchone()
        memory.execute(f"PRAGMA page_size = {page_size}")
        # The read transaction keeps other processes from locking the file, for which the backup would wait
        # without end.
        file.execute("BEGIN")
        file.execute("SELECT 1 FROM sqlite_master").fetchone()
        file.backup(memory)
        version = version_of(memory)
    except sqlite3.Error:
        version = None
    finally:
        if file.in_transaction:
            file.execute("ROLLBACK")
    if version != SCHEMA:
        memory.close()
        return None
    return memory


def _open_locked(path: str) -> sqlite3.Connection | None:
    if not os.path.isfile(path):
        return None
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


def _open_unlocked(path: str) -> sqlite3.Connection | None:
    """Open the file as its last user left it, without locks and without files beside it. None if it is
    incomplete without its write-ahead log.
    """
    try:
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            return None
        if not os.path.getsize(path):
            return None
    except (OSError, ValueError):  # deleted, or an invalid path
        return None
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        return sqlite3.connect(f"file:{name}?immutable=1", uri=True, check_same_thread=False)
    except (sqlite3.Error, ValueError):
        return None
