"""The files that the tool calls of all sessions touched, kept in a file of their own in the cache folder and
brought up to date when a query asks for them, or in the background of the screen.

Indexing knows nothing of them, and reading them would slow it down. A session that did not change since it
was read last is not read again, and one that has grown is read from there on. A file that is missing, damaged
or of another version is made anew from the sessions. Workers read the sessions if there is much to read.
"""

from __future__ import annotations

import zlib
from contextlib import closing
from itertools import islice
from os.path import exists
from sys import intern
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from app.index.catalog.catalog_file import touched_in
from app.index.catalog.database import Database
from app.index.catalog.db_errors import Busy
from app.index.catalog.schema import Schema, decode, decode_compressed, encode, encode_compressed, expect
from app.index.file_reader import Task
from app.index.query.path_pattern import touched_paths
from app.index.scan.executor import read_all
from app.sessions.summaries.touches_reader import PackedTouches, unpacked_touches

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from app.index.file_reader import SessionFile
    from app.index.query.path_pattern import TouchedPaths
    from app.index.row import Row, Signature
    from app.sessions.summaries.touches_reader import TouchedFile

    Result = TypeVar("Result")

_SCHEMA = Schema(
    """
CREATE TABLE sessions (
    path BLOB PRIMARY KEY, cwd BLOB NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, changed INTEGER NOT NULL, paths BLOB NOT NULL,
    touches BLOB NOT NULL, end INTEGER NOT NULL, digest INTEGER NOT NULL, waiting BLOB NOT NULL)
""",
    1,
)
"""`touches`, `end`, `digest` and `waiting` are those of `PackedTouches`. The version changes with the table,
with `PackedTouches` and with the rules of `formats.touched_files`.
"""

_RECENT = 500
"""Sessions whose paths are offered."""
_STORED_AT_ONCE = 200
"""Sessions that are stored in one transaction."""


class _Known(NamedTuple):
    """The file of a session as it was when it was read, and the folder to which its paths are relative."""

    cwd: str
    signature: Signature


class TouchedFiles:
    """The touched files of sessions. Threads may use it at the same time."""

    def __init__(self, cache_folder: str) -> None:
        """:param cache_folder: if it cannot be written, the files are kept in memory."""
        self._database = Database(cache_folder, lambda _: None, touched_in(cache_folder), _SCHEMA)
        self._lock = RLock()
        self._generation = 0
        self._known: dict[str, _Known] | None = None
        # Loaded for the first query.
        self._paths: dict[str, TouchedPaths] | None = None
        self._lookup: TouchedLookup | None = None

    def update(
        self,
        rows: Sequence[Row] | Sequence[SessionFile],
        *,
        on_progress: Callable[[int, int], object] | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        gentle: bool = False,
    ) -> bool:
        """Read the sessions that have changed since the last call. A file that cannot be read touches
        nothing.

        :param rows: all sessions of the catalog.
        :param on_progress: called with the number of sessions that were read, and how many are to be read.
        :param should_stop: asked before each session, or now and then while workers read; what was read is
            kept.
        :param gentle: see `read_all`.
        :return: whether something has changed.
        """
        with self._lock:
            known = self._all_known()
            stale = [row for row in rows if known.get(row.path) != (row.cwd, row.signature)]
            # A provisional row lacks the folder, perhaps.
            stale = [row for row in stale if not row.provisional and not row.refused]
            current = {row.path for row in rows}
            gone = [path for path in known if path not in current and not exists(path)]
            self._drop(gone)
        read_rows: list[tuple[Row | SessionFile, PackedTouches]] = []
        done = 0
        tasks = [self._task(row) for row in stale]
        with closing(read_all(tasks, should_stop, gentle=gentle)) as results:
            for index, result in results:
                read_rows.append((stale[index], PackedTouches(*(result.values or ((), 0, b"")))))
                done += 1
                if on_progress is not None:
                    on_progress(done, len(stale))
                if len(read_rows) >= _STORED_AT_ONCE:
                    self._store(read_rows)
                    read_rows = []
        self._store(read_rows)
        if done or gone:
            # The log, which grows with what is written, would be as large as the file.
            self._try(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        return bool(done or gone)

    def unread_bytes(self, rows: Sequence[Row]) -> int:
        """The number of bytes that `update` would read."""
        with self._lock:
            known = self._all_known()
            return sum(_unread(row, known.get(row.path)) for row in rows)

    def reload(self) -> None:
        """Take in what another process has read."""
        with self._lock:
            self._known = None

    def lookup(self) -> TouchedLookup:
        """The files that each session touched. It is the same object until others are known."""
        with self._lock:
            known = self._all_known()
            if self._paths is None:
                self._paths = self._read(_read_paths) or {}
            self._lookup = self._lookup or TouchedLookup(known, self._paths, self.touches_of)
            return self._lookup

    def touches_of(self, row: Row) -> list[TouchedFile] | None:
        """Each call of a session that touched a file, in their order; None if they are not known for its file
        as it is.
        """
        with self._lock:
            if self._all_known().get(row.path) != _Known(row.cwd, row.signature):
                return None
            found = self._stored(row.path)
        try:
            return None if found is None else unpacked_touches(found)
        except (ValueError, IndexError, zlib.error):
            return None

    def recent_paths(self, rows: Iterable[Row], most: int) -> dict[str, int]:
        """At most so many paths that the first sessions touched, each with the number of these sessions."""
        counts: dict[str, int] = {}
        for row in islice(rows, _RECENT):
            with self._lock:
                found = self._stored(row.path) if row.path in self._all_known() else None
            for path in found.paths if found is not None else ():
                if path in counts or len(counts) < most:
                    counts[path] = counts.get(path, 0) + 1
            if len(counts) >= most:
                break
        return counts

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._database.close()

    def _task(self, row: Row | SessionFile) -> tuple[Task, int]:
        """The task to read a session, and the number of bytes to read."""
        before = self._before(row)
        task = Task(row.path, (row.agent,), touches=(row.cwd, before and tuple(before)))
        return task, row.size - (before.end if before else 0)

    def _before(self, row: Row | SessionFile) -> PackedTouches | None:
        """The last reading of the file of a session, if the file may only have grown since."""
        with self._lock:
            known = self._all_known().get(row.path)
            if known is None or known.cwd != row.cwd or known.signature[0] != row.signature[0]:
                return None
            found = self._stored(row.path)
        return found if found is not None and found.end <= row.size else None

    def _all_known(self) -> dict[str, _Known]:
        self._database.look()
        if self._known is None or self._database.generation != self._generation:
            self._paths = self._lookup = None
            self._known = self._read(_read_known) or {}
            self._generation = self._database.generation
        return self._known

    def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        try:
            return self._database.read(work)
        except Busy:
            return None

    def _stored(self, path: str) -> PackedTouches | None:
        return self._read(lambda connection: _read_touches(connection, path))

    def _drop(self, paths: Sequence[str]) -> None:
        known = self._all_known()
        self._lookup = None
        for path in paths:
            known.pop(path, None)
            if self._paths is not None:
                self._paths.pop(path, None)
        if paths:
            self._write("DELETE FROM sessions WHERE path = ?", [(encode(path),) for path in paths])

    def _store(self, found: Sequence[tuple[Row | SessionFile, PackedTouches]]) -> None:
        if not found:
            return
        with self._lock:
            values = [
                (
                    *(encode(row.path), encode(row.cwd), *row.signature),
                    *(touches.changed, encode_compressed("\0".join(touches.paths)), touches.packed),
                    *(touches.end, touches.check, touches.waiting),
                )
                for row, touches in found
            ]
            if not self._write(f"REPLACE INTO sessions VALUES ({', '.join('?' * 12)})", values):
                return
            known = self._all_known()
            self._lookup = None
            for row, touches in found:
                if self._paths is not None:
                    self._paths[row.path] = touched_paths(row.cwd, touches.paths, touches.changed)
                known[row.path] = _Known(row.cwd, row.signature)

    def _write(self, statement: str, values: Sequence[tuple[object, ...]]) -> bool:
        """Whether it was written; another process may keep this one from it."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(statement, values)
            connection.execute("COMMIT")

        return self._try(write)

    def _try(self, work: Callable[[sqlite3.Connection], object]) -> bool:
        with self._lock:
            try:
                self._database.write(work, waits=True)
            except Busy:
                return False
            return True


class TouchedLookup:
    """Returns the files that a session touched, or None if they are not known for its file as it is.

    touches_of   `TouchedFiles.touches_of`
    """

    __slots__ = ("_known", "_paths", "touches_of")

    def __init__(
        self,
        known: dict[str, _Known],
        paths: dict[str, TouchedPaths],
        touches_of: Callable[[Row], list[TouchedFile] | None],
    ) -> None:
        self._known = known
        self._paths = paths
        self.touches_of = touches_of

    def __call__(self, row: Row) -> TouchedPaths | None:
        return self._paths.get(row.path) if self._known.get(row.path) == (row.cwd, row.signature) else None


def _unread(row: Row, known: _Known | None) -> int:
    if row.provisional or row.refused or known == (row.cwd, row.signature):
        return 0
    if known is None or known.cwd != row.cwd or known.signature[0] != row.signature[0]:
        return row.size
    grown = row.size - known.signature[1]
    return grown if grown > 0 else row.size


def _read_known(connection: sqlite3.Connection) -> dict[str, _Known]:
    """:raises Doubt: a value is damaged."""
    found = {}
    for path, cwd, *signature in connection.execute(
        "SELECT path, cwd, ino, size, mtime_ns, ctime_ns FROM sessions"
    ):
        expect(int, signature)
        inode, size, mtime_ns, ctime_ns = signature
        # The words of tools have the same paths.
        found[intern(decode(path))] = _Known(intern(decode(cwd)), (inode, size, mtime_ns, ctime_ns))
    return found


def _read_paths(connection: sqlite3.Connection) -> dict[str, TouchedPaths]:
    """:raises Doubt: a value is damaged."""
    found = {}
    for path, cwd, changed, paths in connection.execute("SELECT path, cwd, changed, paths FROM sessions"):
        expect(int, (changed,))
        found[decode(path)] = touched_paths(decode(cwd), _split(paths), changed)
    return found


def _read_touches(connection: sqlite3.Connection, path: str) -> PackedTouches | None:
    """:raises Doubt: a value is damaged."""
    row = connection.execute(
        "SELECT changed, paths, touches, end, digest, waiting FROM sessions WHERE path = ?", (encode(path),)
    ).fetchone()
    if row is None:
        return None
    changed, paths, packed, end, digest, waiting = row
    expect(int, (changed, end, digest))
    expect(bytes, (packed, waiting))
    return PackedTouches(_split(paths), changed, packed, end, digest, waiting)


def _split(paths: bytes) -> tuple[str, ...]:
    text = decode_compressed(paths)
    return tuple(text.split("\0")) if text else ()
