"""Writes readings into the catalog's tables, in one transaction."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING

from app.index.catalog.database import Doubt, encode, written_by_others
from app.index.catalog.integrity import check_missing, check_stores
from app.index.catalog.projects import FORGET
from app.index.catalog.stored import BESIDE
from app.index.parse_result import Reading
from app.index.row import FIRST_MESSAGE, kind_of, refused_row, unread
from app.index.text.table import Ledger, flat, packed
from app.sessions.tally.halves import STAMP

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from app.index.catalog.recent import Recent
    from app.index.row import Row
    from app.index.text.segment import Span
    from app.index.text.table import Flat

    Place = tuple[int, Flat | None, bytes | None, bytes | None]
    """What stands in the tables of a file: its key, its spans, first message and stamp."""

    Lasting = tuple[bytes, bytes, bytes]
    Columns = tuple[str, tuple[Any, ...], tuple[Any, ...], Lasting, tuple[Span, ...] | None]

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4

# What is asked for here need not be written when it is the same.
_FIND = (
    "SELECT key, spans, first_message, stamp"
    " FROM sessions LEFT JOIN lasting USING (key)"
    " WHERE store = (SELECT id FROM stores WHERE name = ?) AND path = ?"
)
_UPDATE = (
    "UPDATE sessions SET cwd = ?, modified = ?, listed = ?, ino = ?, size = ?, mtime_ns = ?, ctime_ns = ?,"
    " row = ?, spans = ? WHERE key = ?"
)
_INSERT = (
    "INSERT INTO sessions"
    " (cwd, modified, listed, ino, size, mtime_ns, ctime_ns, row, store, path, spans, key)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_LAST_KEY = "SELECT coalesce(max(key), 0) FROM sessions"
_PUT_READING = "REPLACE INTO readings VALUES (?, ?, ?, ?, ?)"
_PUT_LASTING = "REPLACE INTO lasting VALUES (?, ?, ?, ?)"

_MOST = (1 << 63) - 1
"""The largest integer that SQLite stores."""

_NEVER_GIVEN = 1 << 62
"""Keys are given one after the other: one that is so large has turned."""

_MANY = 8
"""More files than this that were read at once are mostly new."""


def columns(reading: Reading) -> Columns:
    """The root of the reading's store, what goes into the tables of rows, of readings and of what lasts, and
    where the text lies. Where the database cannot store them, the file is stored as refused instead: one
    file must not keep the others of its batch from being stored.
    """
    try:
        return _columns(reading)
    except (ValueError, OverflowError, TypeError) as error:
        row = reading.row
        reason = f"cannot be stored: {error}"
        return _columns(Reading(refused_row(row.path, row.store, unread((0, 0, 0, 0)), reason)))


def _columns(reading: Reading) -> Columns:
    """As `columns`.

    :raises ValueError: a number needs more than 64 bits, or a value is of a type that is not stored.
    """
    row = reading.row
    if not all(-_MOST <= number <= _MOST for number in (row.modified, *row.signature, reading.offset)):
        raise ValueError("a number needs more than 64 bits")
    session = (encode(row.cwd), row.modified, kind_of(row), *row.signature, blob_of(row))
    said = encode(row.first_message)
    changing, lasting = reading.state or (b"", b"")
    # It stands in there, too, and is stored once.
    cut = changing.find(said) if said else -1
    if cut >= 0:
        changing = changing[:cut] + changing[cut + len(said) :]
    stored = (reading.offset, reading.fingerprint, cut, changing)
    return row.store, session, stored, (said, lasting[:STAMP], lasting), reading.spans


def blob_of(row: Row) -> bytes:
    """What is stored of a row beside its columns."""
    values = row.values()
    return marshal.dumps((*values[BESIDE:FIRST_MESSAGE], "", *values[FIRST_MESSAGE + 1 :]), _MARSHAL_VERSION)


class Saving:
    """What is to be written: by path its columns, or None for a file that is to be forgotten.

    places    by the root of its store and its path what stands in the tables of a file once it is written;
              of no use after a failure
    numbers   of the segments by their names, likewise; None where nobody has asked for them
    """

    def __init__(
        self,
        pending: Mapping[str, Columns | None],
        stores: Mapping[str, bytes],
        known: Recent | None,
        has_texts: Callable[[], bool],
    ) -> None:
        """:param stores: the names of the stores at hand by their roots.
        :param known: what need not be asked for while neither we nor others have written since.
        :param has_texts: asked when it is done, whether it is done where others can see it. If not, what was
            put away of texts is nobody's, and is thrown away by the next who tidies.
        """
        self.places: dict[tuple[str, str], Place] = {}
        self.numbers: dict[str, int] | None = None
        self._pending = pending
        self._stores = stores
        self._known = known
        self._has_texts = has_texts
        self._ids: dict[str, int] = {}

    def write(self, connection: sqlite3.Connection) -> None:
        """Do it, all or nothing.

        :raises sqlite3.Error: it was not done.
        :raises Doubt: neither, for what is stored cannot be right.
        """
        # It may be done a second time, in another database.
        self._ids.clear()
        self.places = {}
        connection.execute("BEGIN IMMEDIATE")
        known = self._known
        if (
            known is not None
            and known.written == (connection, connection.total_changes)
            and known.others == written_by_others(connection)
        ):
            # A copy: a number that is given now is none should this fail.
            numbers = dict(known.numbers) if known.numbers else None
        else:
            known = numbers = None
        connection.execute(FORGET)
        ledger = Ledger(connection, numbers)
        has_texts = self._has_texts()
        missing = []
        read = []
        for path, entry in self._pending.items():
            if entry is not None:
                read.append((path, entry if has_texts else (*entry[:4], None)))
            elif not self._forget(connection, ledger, path):
                missing.append(encode(path))
        # None is looked for before it turns out that one is there.
        if len(read) <= _MANY or not self._insert(connection, ledger, read):
            for path, entry in read:
                found = known.places.get((entry[0], path)) if known else None
                found = found or self._find(connection, self._stores[entry[0]], path)
                if found:
                    self.places[entry[0], path] = self._update(connection, ledger, found, entry)
                else:
                    self._insert(connection, ledger, [(path, entry)])
        if missing:
            at_hand = self._stores.values()
            numbers_of = connection.execute("SELECT id, name FROM stores")
            check_missing(connection, [number for number, name in numbers_of if name in at_hand], missing)
        ledger.close()
        self.numbers = ledger.numbers
        connection.execute("COMMIT")

    def _find(self, connection: sqlite3.Connection, store: bytes, path: str) -> Place | None:
        found = connection.execute(_FIND, (store, encode(path))).fetchone()
        return found and (found[0], flat(found[1]), found[2], found[3])

    def _insert(
        self, connection: sqlite3.Connection, ledger: Ledger, read: Sequence[tuple[str, Columns]]
    ) -> bool:
        """Write what was read of these files; False, and nothing is written, where one of them is there."""
        (last,) = connection.execute(_LAST_KEY).fetchone()
        if last >= _NEVER_GIVEN:
            raise Doubt(f"a key that was never given: {last}")
        sessions, readings, lastings = [], [], []
        places: dict[tuple[str, str], Place] = {}
        for key, (path, (root, session, reading, lasting, spans)) in enumerate(read, last + 1):
            after = ledger.flat(spans)
            sessions.append((*session, self._id(connection, root), encode(path), packed(after), key))
            readings.append((key, *reading))
            lastings.append((key, *lasting))
            places[root, path] = key, after, lasting[0], lasting[1]
        if connection.executemany(_INSERT, sessions).rowcount < len(read):
            connection.execute("DELETE FROM sessions WHERE key > ?", (last,))
            return False
        connection.executemany(_PUT_READING, readings)
        connection.executemany(_PUT_LASTING, lastings)
        for _, after, _, _ in places.values():
            ledger.count(None, after)
        self.places.update(places)
        return True

    def _update(self, connection: sqlite3.Connection, ledger: Ledger, found: Place, entry: Columns) -> Place:
        """Write what was read of a file that is there."""
        _, session, reading, lasting, spans = entry
        key, before, said, stamp = found
        after = ledger.flat(spans)
        connection.execute(_UPDATE, (*session, packed(after), key))
        connection.execute(_PUT_READING, (key, *reading))
        if said != lasting[0] or stamp != lasting[1]:
            connection.execute(_PUT_LASTING, (key, *lasting))
        ledger.count(before, after)
        return key, after, lasting[0], lasting[1]

    def _forget(self, connection: sqlite3.Connection, ledger: Ledger, path: str) -> bool:
        """Whether there was anything to forget."""
        was_there = False
        for name in self._stores.values():
            found = self._find(connection, name, path)
            if found:
                was_there = True
                key, before, *_ = found
                ledger.count(before, None)
                for table in ("readings", "lasting", "sessions"):
                    connection.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
        return was_there

    def _id(self, connection: sqlite3.Connection, root: str) -> int:
        """The number of a store, given to it now if it has none; it counts as used until `tidy` says when."""
        if root not in self._ids:
            name = self._stores[root]
            found = connection.execute("SELECT id FROM stores WHERE name = ?", (name,)).fetchone()
            if not found:
                check_stores(connection)
                made = connection.execute("INSERT INTO stores (name, used_ms) VALUES (?, ?)", (name, 1 << 60))
                found = (made.lastrowid or 0,)
            self._ids[root] = int(found[0])
        return self._ids[root]
