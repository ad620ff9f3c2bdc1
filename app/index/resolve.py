"""Which session a user means by a path, an id or the beginning of one."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from app.index.index import Index
from app.paths import FOLDER_GONE, CurrentFolderGone, absolute
from app.sessions.errors import NotAFile, NotThere, Unreadable
from app.stores import store_holding
from app.stores.layout import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.stores.base import Store


class NotFound(Exception):
    """No session has that path or id."""


class Ambiguous(Exception):
    """More than one session is meant; the text names some of them."""


class ResolvedSession:
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


def resolve(
    named: str,
    stores: Sequence[Store],
    cache_folder: str,
    on_note: Callable[[str], object] | None = None,
) -> ResolvedSession:
    """Where the session is that ``named`` stands for: the path of a file, an id, else the beginning of one id
    only. The catalog in ``cache_folder`` is brought up to date first, unless a path leaves nothing to ask.

    :param on_note: gets the line that says why the catalog cannot be kept, where it cannot.
    :raises NotFound: there is none.
    :raises Ambiguous: there are several.
    :raises Unreadable: what lies at that path is no file.
    """
    (found,) = resolve_all((named,), stores, cache_folder, on_note)
    if isinstance(found, Exception):
        raise found
    return found


def resolve_all(
    names: Sequence[str],
    stores: Sequence[Store],
    cache_folder: str,
    on_note: Callable[[str], object] | None = None,
) -> list[ResolvedSession | NotFound | Ambiguous | Unreadable]:
    """The same for several, each in its turn, with one look at the catalog. What `resolve` would raise for a
    name stands in its place.
    """
    rows: Sequence[Row] | None = None
    found: list[ResolvedSession | NotFound | Ambiguous | Unreadable] = []
    for named in names:
        nowhere = path = ""
        try:
            path = absolute(named)
        except CurrentFolderGone:
            # It may be an id all the same.
            nowhere = f": {FOLDER_GONE}"
        there = bool(named and path) and os.path.lexists(path)
        # A file's mere name may be somebody's id as well.
        if not (there and os.path.dirname(named)):
            if rows is None:
                rows = _rows(stores, cache_folder, on_note)
            try:
                path = find_session(named, rows).path
            except NotFound as error:
                if not there:
                    found.append(NotFound(f"{error}{nowhere}"))
                    continue
            except Ambiguous as error:
                found.append(error)
                continue
        try:
            check_file(path)
        except Unreadable as error:
            found.append(error)
            continue
        found.append(ResolvedSession(path, store_holding(path, stores)))
    return found


def check_file(path: str) -> None:
    """See that a regular file is at `path`, where a link may lead to it. It is not opened: that alone does
    something to a device.

    :raises NotThere: nothing is there.
    :raises NotAFile: something else is there; `reason` says what.
    :raises Unreadable: nobody can say.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise NotThere(path, 0, "no such file") from None
    except OSError as error:
        raise Unreadable(path, 0, reason(error)) from None
    if not stat.S_ISREG(mode):
        what = next((name for is_one, name in _OTHERS if is_one(mode)), "a device")
        raise NotAFile(path, 0, f"{what}, not a file")


_OTHERS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))


def _rows(
    stores: Sequence[Store], cache_folder: str, on_note: Callable[[str], object] | None
) -> Sequence[Row]:
    index = Index(stores, cache_folder)
    try:
        index.scan()
        rows = index.rows()
    finally:
        index.close()
    if index.note and on_note is not None:
        on_note(index.note)
    return rows


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
