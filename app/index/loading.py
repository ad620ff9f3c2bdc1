"""Reads readings and where texts lie from the catalog's tables: the other side of `saving`."""

from __future__ import annotations

from app.index.database import Doubt, decode
from app.index.reading import Reading
from app.index.stored import ROW, ids_of, row_of
from app.index.text import table
from app.sessions.halves import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from app.index.text.segment import Span

_MANY = 400  # names in one query; SQLite's oldest limit is 999

_READINGS = (
    f"SELECT first_message, offset, fingerprint, cut, readings.state, lasting.state, spans, {ROW}"
    " FROM sessions LEFT JOIN readings USING (key) LEFT JOIN lasting USING (key)"
)
_TEXTS = "SELECT path, spans FROM sessions"


def readings(
    connection: sqlite3.Connection, roots: Mapping[int, str], paths: Sequence[bytes]
) -> dict[str, Reading]:
    """The readings of those files that have one, by path.

    :param roots: of the stores at hand, by their numbers.
    :param paths: as they are stored.
    """
    found: dict[str, Reading] = {}
    if not roots:
        # Nothing of these stores was ever stored: ten thousand files need not be asked for one by one.
        return found
    # One state of all tables, whatever others write meanwhile.
    connection.execute("BEGIN")
    names = table.names(connection)
    for query, some in _queries(_READINGS, ids_of(roots), paths):
        for said, offset, fingerprint, cut, changing, lasting, spans, *stored in connection.execute(
            query, some
        ):
            row = row_of(roots, *stored)
            if cut is None or said is None:
                raise Doubt(f"only a part of what was stored of a file: {row.path}")
            if cut >= 0:
                changing = b"".join((changing[:cut], said, changing[cut:]))
            kept = None if spans is None else table.spans_of(spans, names)
            state = (changing, lasting) if changing else NONE
            found[row.path] = Reading(row, offset, fingerprint, state, kept)
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
        yield f"{select} WHERE store IN ({stores}) AND path IN ({','.join('?' * len(some))})", some
