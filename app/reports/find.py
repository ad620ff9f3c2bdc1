"""Which session a user means by a path, an id or the beginning of one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.index.row import Row


class NotFound(Exception):
    """No session has that path or id."""


class Ambiguous(Exception):
    """More than one session is meant; the text names some of them."""


def find_session(named: str, rows: list[Row]) -> Row:
    """The session that ``named`` stands for: its path, its id, else the only id that begins so.

    :raises NotFound: there is none.
    :raises Ambiguous: there are several.
    """
    path = os.path.abspath(named)
    real = os.path.realpath(path)
    for row in rows:
        if row.path in (path, real):
            return row
    exact = [row for row in rows if row.id == named]
    for found in (exact, [row for row in rows if named and row.id.startswith(named)]):
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(row.path for row in found[:3])
            more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
            raise Ambiguous(f"{named!r} names {len(found):,} sessions: {some}{more}")
    raise NotFound(f"no session has the path or id {named!r}")
