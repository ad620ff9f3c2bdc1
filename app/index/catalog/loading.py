"""Reads readings and where texts lie from the catalog's tables: the other side of `saving`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.catalog.database import Doubt, decode, expect
from app.index.catalog.integrity import check_missing
from app.index.catalog.stored import ids_of, row_of
from app.index.parse_result import Reading
from app.index.text import table
from app.sessions.tally.halves import NONE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Container, Iterator, Mapping, Sequence

    from app.index.text.segment import Span

_MANY = 400  # names in one query; SQLite's oldest limit is 999

# The path of what is found by its path is that of the index; the table is asked for it as well.
_READINGS = (
    "SELECT listed.path, first_message, offset, fingerprint, cut, readings.state, lasting.state, found.spans,"
    " found.store, found.path, found.row"
    " FROM sessions AS found CROSS JOIN sessions AS listed NOT INDEXED ON listed.key = found.key"
    " LEFT JOIN readings ON readings.key = found.key LEFT JOIN lasting ON lasting.key = found.key"
)
_TEXTS = "SELECT path, spans FROM sessions AS found"


def readings(
    connection: sqlite3.Connection,
    roots: Mapping[int, str],
    paths: Sequence[bytes],
    known: Container[bytes] = (),
) -> dict[str, Reading]:
    """The readings of those files that have one, by path.

    :param roots: of the stores at hand, by their numbers.
    :param paths: as they are stored.
    :param known: those that were listed.
    """
    found: dict[str, Reading] = {}
    if not roots:
        # Nothing of these stores was ever stored: ten thousand files need not be asked for one by one.
        return found
    # One state of all tables, whatever others write meanwhile.
    connection.execute("BEGIN")
    names = table.names(connection)
    for query, some in _queries(_READINGS, ids_of(roots), paths):
        for listed, said, offset, fingerprint, cut, changing, lasting, spans, *stored in connection.execute(
            query, some
        ):
            row = row_of(roots, *stored)
            if listed != stored[1]:
                raise Doubt(f"what is found by its path is listed with another one: {row.path}")
            # None where there is only a part of what was stored of a file.
            expect(int, (offset, cut))
            expect(bytes, (said, fingerprint, changing, lasting))
            if cut >= 0:
                changing = b"".join((changing[:cut], said, changing[cut:]))
            kept = None if spans is None else table.spans_of(spans, names)
            state = (changing, lasting) if changing else NONE
            found[row.path] = Reading(row, offset, fingerprint, state, kept)
    missing = [path for path in paths if path in known and decode(path) not in found]
    if missing:
        check_missing(connection, roots, missing)
    connection.execute("COMMIT")
    return found


def texts(
    connection: sqlite3.Connection, stores: str, paths: Sequence[bytes] | None
) -> dict[str, tuple[Span, ...]]:
    """Where the text of those sessions lies that have theirs kept, by path.

    :param stores: the numbers of the stores at hand, for `IN (...)`.
    :param paths: of the sessions that are asked for; None: of all.
    """
    connection.execute("BEGIN")
    names = table.names(connection)
    if paths is None:
        found = connection.execute(f"{_TEXTS} NOT INDEXED WHERE store IN ({stores})").fetchall()
    else:
        found = []
        for query, some in _queries(_TEXTS, stores, paths):
            found += connection.execute(query, some)
    connection.execute("COMMIT")
    return {decode(path): table.spans_of(spans, names) for path, spans in found if spans is not None}


def _queries(select: str, stores: str, paths: Sequence[bytes]) -> Iterator[tuple[str, Sequence[bytes]]]:
    for start in range(0, len(paths), _MANY):
        some = paths[start : start + _MANY]
        asked = ",".join("?" * len(some))
        yield f"{select} WHERE found.store IN ({stores}) AND found.path IN ({asked})", some
