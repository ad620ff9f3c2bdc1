"""The catalog's SQLite file: made anew when it is in doubt, replaced by memory when it cannot be used.

It is a cache and nothing but a cache: nothing that is odd about it is ever an error.
On the fast path of the first frame.
"""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from app.index.row import SCHEMA, catalog_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    Result = TypeVar("Result")

BUSY_SECONDS = 5.0

_CHECKPOINT_PAGES = 1000
"""So many are written before they go where they belong, which has to wait for the disk: an append writes
four.
"""

BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# The disk or its rights are the matter, not what is in the file: a new file would fare no better.
_UNUSABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)


class Doubt(Exception):
    """What is in the file is not what this version wrote."""


class Busy(Exception):
    """Another process has been writing for longer than `BUSY_SECONDS`."""


class Database:
    """One connection to `catalog-<schema>.db` in a folder, opened at the first use. Not thread-safe.

    note         None, or one line that says why the catalog is only in memory
    is_copy      whether it is in memory, with all that the file holds
    is_full      whether it is in memory because the disk is full
    generation   how often what was stored has been lost: the owner has to store everything again

    Another process is waited for once: who has waited for `BUSY_SECONDS` in vain waits no more, until
    something could be written again.
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
        """What `work` returns. It may be called a second time, with a new and empty database.

        :raises Busy: another process holds the lock; nothing was changed.
        """
        for _ in range(3):
            connection = self._connection or self._open()
            try:
                if self._patience or self.note is not None:
                    return work(connection)
                return self._try(connection, work)
            except sqlite3.ProgrammingError:
                raise
            except (sqlite3.Error, Doubt) as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if code_of(error) in BUSY:
                    self._wait(connection, 0.0)
                    raise Busy from error
                if self.note is not None:
                    if not self.is_copy or code_of(error) in _UNUSABLE:
                        # Memory is never damaged: this is a mistake of ours and must be seen.
                        raise
                    # The copy is as damaged as the file.
                    self._begin_in_memory()
                elif code_of(error) in _UNUSABLE:
                    self._fall_back(error)
                else:
                    self._renew()
        raise Busy("the catalog is damaged as fast as it is made")

    @property
    def written(self) -> tuple[sqlite3.Connection | None, int]:
        """The connection, and how much it has written so far."""
        return self._connection, self._connection.total_changes if self._connection else 0

    def close(self) -> None:
        """Let go of the file; the next `run` opens it again. What was only in memory is gone."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def do_without(self) -> None:
        """Go on in memory, until `look` finds that the other process has let go of the file."""
        if self.note is None:
            self._fall_back("another process has it locked", left=False)
            self._is_locked_out = True

    def look(self) -> None:
        """Begin with an empty file if ours is not there any more: whoever comes next would not find it. Go
        back to one that we have been locked out of.
        """
        if self._is_locked_out:
            self._go_back()
        if self._connection is None or self.note is not None:
            return
        try:
            if os.stat(self.path).st_ino == self._inode:
                return
        except FileNotFoundError:
            pass
        except OSError:
            # Out of reach for now; that it is gone nobody said.
            return
        self.close()
        self.generation += 1

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        try:
            self._connection = self._connect()
        except (sqlite3.Error, Doubt) as error:
            if code_of(error) in _UNUSABLE or not os.path.isfile(self.path):
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
            from app.index.catalog.catalog_file import make_folder

            make_folder(self._folder)
        self._inode = 0
        if not os.path.exists(self.path):
            # Made here and not by SQLite: first messages are nobody else's business.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        try:
            self._inode = os.stat(self.path).st_ino
            if version_of(connection) != SCHEMA:
                # Almost always there are tables.
                from app.index.catalog.catalog_file import journal_of
                from app.index.catalog.tables import make

                make(connection, journal_of(self._folder), self._patience)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _renew(self) -> None:
        """Put the file aside, unless another process has done so already, and start with an empty one."""
        from app.index.catalog.catalog_file import alone, put_aside

        self.generation += 1
        self.close()
        try:
            with alone(self._folder):
                if self._inode and os.stat(self.path).st_ino == self._inode:
                    put_aside(self.path)
                self._connection = self._connect()
        except OSError as error:
            self._fall_back(error.strerror or str(error), error.filename)
        except (sqlite3.Error, Doubt) as error:
            self._fall_back(error)

    def _try(self, connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do it without waiting for anybody; whoever can write again is waited for again."""
        before = connection.total_changes
        result = work(connection)
        if connection.total_changes != before:
            self._wait(connection, BUSY_SECONDS)
        return result

    def _wait(self, connection: sqlite3.Connection, seconds: float) -> None:
        self._patience = seconds
        connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _go_back(self) -> None:
        """Leave the memory for the file, if that can be written again; what was read meanwhile has to be
        stored there.
        """
        memory, self._connection = self._connection, None
        connection = None
        try:
            connection = self._connect()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            self._wait(connection, BUSY_SECONDS)
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
        from app.index.catalog import in_memory

        self.generation += 1
        self.close()
        self.is_copy = False
        self._connection = in_memory.empty()

    def _fall_back(self, reason: str | Exception, path: str | None = None, *, left: bool = True) -> None:
        """Go on in memory, with all that can still be read.

        :param reason: what is to be said, or SQLite's error.
        :param path: the file that is in the way, where it is not the catalog itself.
        :param left: nobody else writes to the file, so that it can be read as it was left.
        """
        from app.index.catalog import in_memory

        left = left and (isinstance(reason, str) or code_of(reason) not in BUSY)
        old = self._connection or (in_memory.as_left(self.path) if left else None)
        memory = in_memory.copy_of(old) if old is not None else None
        self._connection = old
        if memory is None:
            self._begin_in_memory()
        else:
            self.close()
            self._connection, self.is_copy = memory, True
        if not isinstance(reason, str):
            from app.index.catalog.db_errors import is_full, why

            self.is_full = is_full(self.path, reason)
            reason = why(self.path, reason)
        what = "what is new" if self.is_copy else "the list"
        self.note = f"{what} is kept in memory only: {path or self.path}: {reason}"


def version_of(connection: sqlite3.Connection) -> int:
    """The schema of a database; 0 where it is empty."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def written_by_others(connection: sqlite3.Connection) -> int:
    """A number that changes for this connection whenever another one has written; within a transaction, which
    others cannot disturb, it is that of the beginning.
    """
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def code_of(error: BaseException) -> int:
    """SQLite's primary result code, 0 for errors that are not SQLite's."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


# Paths and messages may hold lone surrogates, which SQLite's text cannot.
def encode(text: str) -> bytes:
    """A text as it is stored."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The text that was stored.

    :raises Doubt: it was none.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except (ValueError, AttributeError) as error:
        raise Doubt(f"text that cannot be read: {error}") from error


def expect(kind: type, values: Iterable[object]) -> None:
    """See that all of these are what was stored: SQLite gives back a text where a bit of a number has turned.

    :raises Doubt: one is of another type.
    """
    odd = set(map(type, values)) - {kind}
    if odd:
        raise Doubt(f"{odd.pop().__name__} where {kind.__name__} was stored")
