"""Which session a user means by a path, an id or the beginning of one."""

from __future__ import annotations

import os

from app.index.index import Index
from app.stores import store_holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row
    from app.stores.base import Store


class NotFound(Exception):
    """No session has that path or id."""


class Ambiguous(Exception):
    """More than one session is meant; the text names some of them."""


class Place:
    """Where a session is.

    path    its file, absolute
    store   in which it was found; None for a file that lies in none
    """

    __slots__ = ("path", "store")

    def __init__(self, path: str, store: Store | None) -> None:
        self.path = path
        self.store = store

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of which the session may be; empty where nobody can say."""
        return () if self.store is None else self.store.agents


def place(named: str, stores: Sequence[Store], cache_folder: str) -> Place:
    """Where the session is that ``named`` stands for: the path of a file, an id, else the beginning of one id
    only. The catalog in ``cache_folder`` is brought up to date first, unless a path leaves nothing to ask.

    :raises NotFound: there is none.
    :raises Ambiguous: there are several.
    """
    path = os.path.abspath(named)
    there = bool(named) and os.path.lexists(path)
    # A file's mere name may be somebody's id as well.
    if not (there and os.path.dirname(named)):
        index = Index(stores, cache_folder)
        try:
            index.scan()
            path = find_session(named, index.rows()).path
        except NotFound:
            if not there:
                raise
        finally:
            index.close()
    return Place(path, store_holding(path, stores))


def find_session(named: str, rows: Sequence[Row]) -> Row:
    """The session of ``rows`` that has the id ``named``, else the only one whose id begins so.

    :raises NotFound: there is none.
    :raises Ambiguous: there are several.
    """
    exact = [row for row in rows if row.id == named]
    for found in (exact, [row for row in rows if named and row.id.startswith(named)]):
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(row.path for row in found[:3])
            more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
            raise Ambiguous(f"{named!r} names {len(found):,} sessions: {some}{more}")
    raise NotFound(f"no session has the path or id {named!r}")
