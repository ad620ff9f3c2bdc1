"""The prompts that were sent, to be found and sent again (formats/README.md, "Behaviour of SessionManager").

A database of its own beside the sessions, and no part of any of them: `HistoryStorage` keeps one for this
project, `open_history` looks into the one that omp keeps (formats/README.md, "oh-my-pi").
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import contextmanager
from operator import methodcaller
from typing import TYPE_CHECKING, NamedTuple

from app.formats.errors import SessionError
from app.formats.skim import clean
from app.sessions.storage.sqlite_snapshot import Unsettled, load_copy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

BUSY_SECONDS = 5.0
"""How long a write waits for another process to finish its own."""

_OURS = 0x6C656166
"""The `application_id` in the file's header, by which it is known before SQLite touches anything."""
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
    """One prompt. `created_ms` is when it was last sent, in milliseconds since the epoch."""

    id: int
    prompt: str
    created_ms: int
    cwd: str | None
    session_id: str | None


class History:
    """What was sent, newest first. For one thread at a time; a context manager that closes itself."""

    def __init__(self, path: str, connection: sqlite3.Connection, columns: str, *, indexed: bool) -> None:
        """`columns` is how the fields of a `HistoryRow` are spelt; `indexed`: there is a `history_fts`."""
        self.path = path
        self._connection = connection
        self._newest_first = f"SELECT {columns} FROM history %s ORDER BY 3 DESC, 1 DESC"
        self._indexed = indexed
        # Text that is no UTF-8 is not worth losing the rest for.
        connection.text_factory = methodcaller("decode", "utf-8", "replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database. A second time does nothing."""
        self._connection.close()

    def recent(self, limit: int = 100, cwd: str | None = None) -> list[HistoryRow]:
        """The last `limit` prompts, those last sent from the folder `cwd` where one is given.

        :raises HistoryError: the database cannot be read.
        """
        where, values = ("", []) if cwd is None else ("WHERE cwd = ?", [clean(cwd)])
        with _told(self.path):
            found = self._connection.execute(
                f"{self._newest_first % where} LIMIT ?", [*values, min(max(limit, 0), _MOST)]
            )
            return [HistoryRow._make(row) for row in found]

    def search(self, text: str, limit: int = 100) -> list[HistoryRow]:
        """The last `limit` prompts in which all that blanks separate in `text` is found, in any order.

        Each part is found where it stands, whatever the case of its letters, and also where words begin with
        it when accents and punctuation are left out of account. Any text will do: nothing in it has a meaning
        of its own. A text of blanks finds nothing.

        :raises HistoryError: the database cannot be read.
        """
        parts = clean(text).replace("\0", " ").casefold().split()
        found: list[HistoryRow] = []
        if not parts or limit <= 0:
            return found
        # A part without letters and digits is nothing to the index: it has to stand in the prompt itself.
        words = [part for part in parts if any(map(str.isalnum, part))]
        signs = [part for part in parts if not any(map(str.isalnum, part))]
        with _told(self.path):
            by_words = self._having(words)
            for row in self._connection.execute(self._newest_first % ""):
                folded = row[1].casefold()
                if all(part in folded for part in (signs if row[0] in by_words else parts)):
                    found.append(HistoryRow._make(row))
                    if len(found) == limit:
                        break
        return found

    def _having(self, words: list[str]) -> set[int]:
        """The ids of the prompts in which, for the index, there are words that begin with each of `words`."""
        if not words or not self._indexed:
            return set()
        query = " ".join('"' + word.replace('"', '""') + '"*' for word in words)
        rows = self._connection.execute("SELECT rowid FROM history_fts WHERE history_fts MATCH ?", [query])
        return {row[0] for row in rows}


class HistoryStorage(History):
    """The history that this project keeps at `path`, made there when it is first opened.

    Several processes may have it open and add to it. It is no history of omp's and will not touch one.

    :raises HistoryError: it cannot be opened or made, or what is there is something else.
    """

    def __init__(self, path: str) -> None:
        with _told(path):
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
        """Keep `prompt`, which was sent at `now_ms`; the id of its row, or None where there is nothing in it.

        A prompt that is sent again right after itself stays one row, with the time, folder and session of the
        last time. Blanks at the ends of its lines and around it are not kept, nor are lone surrogates.

        :param now_ms: milliseconds since the epoch.
        :raises HistoryError: the database cannot be written, or cannot hold that time.
        """
        if abs(now_ms) > _MOST:
            raise HistoryError(self.path, 0, "cannot hold a time that is so far away")
        kept = _folded(prompt)
        if not kept.replace("\0", " ").strip():
            return None
        about = [now_ms, *(text if text is None else clean(text) for text in (cwd, session_id))]
        with _told(self.path), _transaction(self._connection) as connection:
            last = connection.execute("SELECT id, prompt FROM history ORDER BY id DESC LIMIT 1").fetchone()
            if last is not None and last[1] == kept:
                connection.execute(
                    "UPDATE history SET created_ms = ?, cwd = ?, session_id = ? WHERE id = ?",
                    [*about, last[0]],
                )
                return int(last[0])
            return connection.execute(
                "INSERT INTO history (prompt, created_ms, cwd, session_id) VALUES (?, ?, ?, ?)",
                [kept, *about],
            ).lastrowid


def open_history(path: str) -> History:
    """The history of omp at `path`, as it is at this moment.

    A copy in memory is read: not a byte is written beside the original, and a running omp is not held up. Its
    own file counts its time in seconds, so `created_ms` ends in three noughts.

    :raises HistoryError: there is none, it cannot be read, or it is something else.
    """
    with _told(path):
        try:
            connection = load_copy(path)
        except Unsettled:
            raise HistoryError(path, 0, "is being written to all the time") from None
        try:
            names = {row[1] for row in connection.execute("PRAGMA table_info (history)")}
            tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'history_fts'")
            indexed = tables.fetchone() is not None
            if not names >= {"id", "prompt", "created_at"}:
                raise HistoryError(path, 0, "holds no history of prompts")
        except BaseException:
            connection.close()
            raise
    # Before it had a version, omp kept no sessions here.
    optional = [name if name in names else "NULL" for name in ("cwd", "session_id")]
    columns = ", ".join(["id", "CAST(prompt AS TEXT)", "CAST(created_at AS INTEGER) * 1000", *optional])
    return History(path, connection, columns, indexed=indexed)


def _folded(prompt: str) -> str:
    """`prompt` as omp keeps it, so that what a terminal padded with blanks is the same prompt again."""
    return re.sub(r"[^\S\n]+\n", "\n", re.sub(r"\r\n?", "\n", clean(prompt))).strip()


def _make_file(path: str) -> None:
    """Make an empty file where there is none; refuse one that is not ours before SQLite writes beside it."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    # Prompts are nobody else's business, and SQLite would not say so.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
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
            # Another process may have made them in the meantime.
            for statement in () if _version(connection) else _TABLES:
                connection.execute(statement)
    if _version(connection) != _VERSION:
        raise HistoryError(path, 0, "was made by another version of this program")
    try:
        # Only now: until here all is in the file itself, its `application_id` too.
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # Another process is at it, which does not wait: then that one has done it, or the next one will.
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
def _told(path: str) -> Iterator[None]:
    """Whatever the system or SQLite raises, as a `HistoryError` with the path."""
    try:
        yield
    except OSError as error:
        raise HistoryError(path, 0, error.strerror or str(error)) from error
    except ValueError as error:
        raise HistoryError(path, 0, f"is no path: {error}") from error
    except sqlite3.Error as error:
        raise HistoryError(path, 0, str(error)) from error
