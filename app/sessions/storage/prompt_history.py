"""The history of prompts, to search them and send them again.

It is a database beside the sessions, and no part of any of them. `HistoryStorage` keeps one for leafmark, and
`open_history` reads the one that oh-my-pi keeps (formats/README.md, "Prompt history of oh-my-pi").
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import tempfile
import time
from contextlib import contextmanager
from operator import methodcaller
from typing import TYPE_CHECKING, NamedTuple

from app.formats.errors import SessionError
from app.formats.lines import open_file
from app.formats.text import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

BUSY_SECONDS = 5.0
"""Seconds that a write waits for another process to finish its own."""

PATIENCE_SECONDS = 1.0
"""Seconds after which a query on a small history is given up; a larger one has proportionally more time."""
_BYTES_IN_TIME = 16 << 20
"""Bytes of a history that are read in `PATIENCE_SECONDS` even by a slow machine."""
_STEPS = 100_000
"""Instructions of SQLite between two looks at the clock, which take about a millisecond."""

_OURS = 0x6C656166
"""The `application_id` in the file's header. It is checked before SQLite opens the file."""
_OURS_AT = slice(68, 72)
_VERSION = 1
_MOST = (1 << 63) - 1

_TABLES = (
    "CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT NOT NULL, created_ms INTEGER NOT NULL,"
    " cwd TEXT, session_id TEXT)",
    "CREATE INDEX history_by_time ON history (created_ms, id)",
    "CREATE VIRTUAL TABLE history_fts USING fts5 (prompt, content = 'history', content_rowid = 'id')",
    "CREATE TRIGGER history_added AFTER INSERT ON history BEGIN"
    " INSERT INTO history_fts (rowid, prompt) VALUES (new.id, new.prompt); END",
    "CREATE TRIGGER history_removed AFTER DELETE ON history BEGIN"
    " INSERT INTO history_fts (history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt); END",
    "CREATE TRIGGER history_changed AFTER UPDATE OF prompt ON history BEGIN"
    " INSERT INTO history_fts (history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);"
    " INSERT INTO history_fts (rowid, prompt) VALUES (new.id, new.prompt); END",
    f"PRAGMA application_id = {_OURS}",
    f"PRAGMA user_version = {_VERSION}",
)


class HistoryError(SessionError):
    """A history of prompts cannot be read or written; `reason` says why."""


class HistoryRow(NamedTuple):
    """One prompt. `created_ms` is the last time it was sent, in milliseconds since the epoch."""

    id: int
    prompt: str
    created_ms: int
    cwd: str | None
    session_id: str | None

    @property
    def created_at(self) -> int:
        """The same time in seconds: the column of oh-my-pi's table."""
        return self.created_ms // 1000


class History:
    """The prompts, newest first. For one thread at a time; a context manager that closes the database."""

    def __init__(
        self,
        path: str,
        connection: sqlite3.Connection,
        columns: str,
        *,
        indexed: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use an open database.

        :param columns: the fields of a `HistoryRow` in SQL.
        :param indexed: there is a table `history_fts`.
        :param clock: gives seconds, by which a query that does not end is given up.
        """
        self.path = path
        self._clock = clock
        self._connection = connection
        self._newest_first = f"SELECT {columns} FROM history %s ORDER BY 3 DESC, 1 DESC"
        self._indexed = indexed
        # A text that is not UTF-8 must not make the others unreadable.
        connection.text_factory = methodcaller("decode", "utf-8", "replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database. A second call does nothing."""
        self._connection.close()

    def recent(self, limit: int = 100, cwd: str | None = None) -> list[HistoryRow]:
        """Return the last `limit` prompts.

        :param cwd: only prompts that were last sent from this folder.
        :raises HistoryError: the database cannot be read.
        """
        where, values = ("", []) if cwd is None else ("WHERE cwd = ?", [replace_surrogates(cwd)])
        with _history_errors(self.path), self._limited():
            rows = self._connection.execute(
                f"{self._newest_first % where} LIMIT ?", [*values, min(max(limit, 0), _MOST)]
            )
            return [HistoryRow._make(row) for row in rows]

    def recaps(self) -> list[tuple[str, str]]:
        """Return (session id, text) of the recaps that oh-my-pi 18.3 writes of sessions, the newest first;
        none if the history has no table of them.

        :raises HistoryError: the database cannot be read.
        """
        with _history_errors(self.path), self._limited():
            names = {row[1] for row in self._connection.execute("PRAGMA table_info (session_recaps)")}
            if not names >= {"session_id", "recap", "created_at"}:
                return []
            rows = self._connection.execute(
                "SELECT CAST(session_id AS TEXT), CAST(recap AS TEXT) FROM session_recaps"
                " WHERE session_id IS NOT NULL AND recap IS NOT NULL ORDER BY created_at DESC"
            )
            return [(session_id, recap) for session_id, recap in rows]

    def search(self, text: str, limit: int = 100) -> list[HistoryRow]:
        """Return the last `limit` prompts that contain all words of `text`, in any order.

        A word matches anywhere, whatever the case of its letters. It also matches the beginning of a word of
        the prompt, without regard to accents and punctuation. No character of `text` has a special meaning. A
        text of blanks matches nothing.

        :raises HistoryError: the database cannot be read.
        """
        parts = replace_surrogates(text).replace("\0", " ").casefold().split()
        rows: list[HistoryRow] = []
        if not parts or limit <= 0:
            return rows
        # The index has only letters and digits: any other part is searched in the prompt itself.
        words = [part for part in parts if any(map(str.isalnum, part))]
        signs = [part for part in parts if not any(map(str.isalnum, part))]
        with _history_errors(self.path), self._limited():
            indexed = self._ids_with(words)
            for row in self._connection.execute(self._newest_first % ""):
                folded = row[1].casefold()
                if all(part in folded for part in (signs if row[0] in indexed else parts)):
                    rows.append(HistoryRow._make(row))
                    if len(rows) == limit:
                        break
        return rows

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Give up a query that takes too long: another program may have put a view that never ends in the
        place of the table.
        """
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (page_bytes,) = self._connection.execute("PRAGMA page_size").fetchone()
        seconds = PATIENCE_SECONDS * (1 + pages * page_bytes / _BYTES_IN_TIME)
        until = self._clock() + seconds
        self._connection.set_progress_handler(lambda: self._clock() > until, _STEPS)
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            raise HistoryError(self.path, 0, f"does not answer within {seconds:.0f} s") from None
        finally:
            self._connection.set_progress_handler(None, 0)

    def _ids_with(self, words: list[str]) -> set[int]:
        """Return the ids of the prompts that the index has words for that begin with each of `words`."""
        if not words or not self._indexed:
            return set()
        query = " ".join('"' + word.replace('"', '""') + '"*' for word in words)
        matching = self._connection.execute(
            "SELECT rowid FROM history_fts WHERE history_fts MATCH ?", [query]
        )
        return {row[0] for row in matching}


class HistoryStorage(History):
    """The history that leafmark keeps at `path`. It is made when it is first opened.

    Several processes may have it open and add to it. A history of oh-my-pi is refused and not changed.

    :raises HistoryError: it cannot be opened or made, or the file is something else.
    """

    def __init__(self, path: str) -> None:
        with _history_errors(path):
            _make_file(path)
            connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                _make_tables(path, connection)
            except BaseException:
                connection.close()
                raise
        super().__init__(path, connection, "id, prompt, created_ms, cwd, session_id", indexed=True)

    def add(
        self, prompt: str, cwd: str | None = None, session_id: str | None = None, *, now_ms: int
    ) -> int | None:
        """Add `prompt`, which was sent at `now_ms`; return the id of its row, or None for an empty prompt.

        A prompt that is sent twice in a row has one row, with the time, folder and session of the second
        time. Blanks at the ends of its lines and around it are removed, and so are lone surrogates.

        :param cwd: the working folder.
        :param now_ms: milliseconds since the epoch.
        :raises HistoryError: the database cannot be written, or cannot hold that time.
        """
        if abs(now_ms) > _MOST:
            raise HistoryError(self.path, 0, "cannot hold a time that is so far away")
        text = _normalized(prompt)
        if not text.replace("\0", " ").strip():
            return None
        values = [
            now_ms,
            *(value if value is None else replace_surrogates(value) for value in (cwd, session_id)),
        ]
        with _history_errors(self.path), _transaction(self._connection) as connection:
            last = connection.execute("SELECT id, prompt FROM history ORDER BY id DESC LIMIT 1").fetchone()
            if last is not None and last[1] == text:
                connection.execute(
                    "UPDATE history SET created_ms = ?, cwd = ?, session_id = ? WHERE id = ?",
                    [*values, last[0]],
                )
                return int(last[0])
            return connection.execute(
                "INSERT INTO history (prompt, created_ms, cwd, session_id) VALUES (?, ?, ?, ?)",
                [text, *values],
            ).lastrowid


def open_history(path: str, clock: Callable[[], float] = time.monotonic) -> History:
    """Open the history of oh-my-pi at `path`, as it is at this moment.

    A copy in memory is read: nothing is written beside the original, and a running oh-my-pi is not blocked.
    The file has times in seconds, so that `created_ms` ends in three zeros.

    :param clock: gives seconds.

    :raises HistoryError: there is none, it cannot be read, or it is something else.
    """
    with _history_errors(path):
        connection = _load_copy(path)
        try:
            names = {row[1] for row in connection.execute("PRAGMA table_info (history)")}
            tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'history_fts'")
            indexed = tables.fetchone() is not None
            if not names >= {"id", "prompt", "created_at"}:
                raise HistoryError(path, 0, "holds no history of prompts")
        except BaseException:
            connection.close()
            raise
    # Before it had a version, the history of oh-my-pi had no sessions.
    optional = [name if name in names else "NULL" for name in ("cwd", "session_id")]
    columns = ", ".join(["id", "CAST(prompt AS TEXT)", "CAST(created_at AS INTEGER) * 1000", *optional])
    return History(path, connection, columns, indexed=indexed, clock=clock)


def _normalized(prompt: str) -> str:
    """Return `prompt` as oh-my-pi keeps it, so that blanks that a terminal added make no other prompt."""
    return re.sub(r"[^\S\n]+\n", "\n", re.sub(r"\r\n?", "\n", replace_surrogates(prompt))).strip()


def _make_file(path: str) -> None:
    """Make an empty file if there is none. Refuse another program's file before SQLite writes beside it."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    # Prompts are private, and SQLite would make a file that others can read.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        head = os.read(descriptor, _OURS_AT.stop) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    finally:
        os.close(descriptor)
    if head is None:
        raise HistoryError(path, 0, "is no file")
    if head and head[_OURS_AT] != _OURS.to_bytes(4, "big"):
        raise HistoryError(path, 0, "is not a history of this program")


def _make_tables(path: str, connection: sqlite3.Connection) -> None:
    if not _version(connection):
        with _transaction(connection):
            # Another process may have made them meanwhile.
            for statement in () if _version(connection) else _TABLES:
                connection.execute(statement)
    if _version(connection) != _VERSION:
        raise HistoryError(path, 0, "was made by another version of this program")
    try:
        # This comes last, so that the tables and the `application_id` are in the file itself.
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # Another process holds the lock: it has set the mode, or the next process will.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
    connection.execute("PRAGMA synchronous = NORMAL")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def _history_errors(path: str) -> Iterator[None]:
    """Raise the errors of the system and of SQLite as a `HistoryError` with the path."""
    try:
        yield
    except OSError as error:
        raise HistoryError(path, 0, error.strerror or str(error)) from error
    except ValueError as error:
        raise HistoryError(path, 0, f"is no path: {error}") from error
    except sqlite3.Error as error:
        raise HistoryError(path, 0, str(error)) from error


# The database of another program is copied without a byte written beside it, and SQLite works on the copy.
# SQLite cannot open such a database without writing: it makes a `-wal` and a `-shm` beside a database in WAL
# mode that is not open, even to read it; it locks one that is open and writes to its `-shm`; and
# `immutable=1` does not read the rows that are still in the `-wal`.

_SUFFIXES = ("", "-wal", "-journal")
_MAX_ATTEMPTS = 10
_PAUSE_SECONDS = 0.02


def _load_copy(path: str) -> sqlite3.Connection:
    """Return a copy in memory of the database at `path`, with everything that has been committed to it.

    Meanwhile a copy lies in a folder for temporary files that only this user can read.

    :raises OSError: it cannot be read, or the copy cannot be written.
    :raises sqlite3.Error: it is no database, or a damaged one.
    :raises HistoryError: it is written to all the time.
    """
    files = _consistent_files(path)
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        with tempfile.TemporaryDirectory(prefix="leafmark-") as folder:
            copy = os.path.join(folder, "copy.db")
            for suffix, data in zip(_SUFFIXES, files, strict=True):
                if data:
                    with open(copy + suffix, "wb") as file:
                        file.write(data)
            connection = sqlite3.connect(copy)
            try:
                connection.backup(memory)
            finally:
                connection.close()
    except BaseException:
        memory.close()
        raise
    return memory


def _consistent_files(path: str) -> list[bytes]:
    """Return the bytes of the database and of the files beside it, all of one moment.

    They are read until two reads are equal: then nothing was written between the end of the first read and
    the start of the second. A moment in the middle of a checkpoint is fine, because the `-wal` has everything
    until the next write.
    """
    before = _read_all(path)
    for _ in range(_MAX_ATTEMPTS):
        after = _read_all(path)
        if before == after:
            return after
        before = after
        time.sleep(_PAUSE_SECONDS)
    raise HistoryError(path, 0, "is being written to all the time")


def _read_all(path: str) -> list[bytes]:
    return [_read(path + suffix, needed=not suffix) for suffix in _SUFFIXES]


def _read(path: str, *, needed: bool) -> bytes:
    try:
        with open(path, "rb", opener=lambda name, _: open_file(name)) as file:
            return file.read()
    except FileNotFoundError:
        if needed:
            raise
        return b""
