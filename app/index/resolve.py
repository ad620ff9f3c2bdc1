"""Find the session that a user names by a path, an id or the beginning of an id."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

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


class Candidate(NamedTuple):
    """A session that an ambiguous name fits.

    :param at_ms: its newest activity, or when it was put where it is; milliseconds since the epoch.
    """

    id: str
    agent: str
    title: str
    at_ms: int
    path: str


class Ambiguous(Exception):
    """More than one session has that id, or an id that begins so.

    candidates   all of them
    """

    def __init__(self, named: str, candidates: Sequence[Candidate], verb: str = "fits") -> None:
        super().__init__(f"{named!r} {verb} {len(candidates):,} sessions")
        self.candidates = tuple(candidates)


def candidate_of(row: Row) -> Candidate:
    """A listed session as a candidate."""
    return Candidate(row.id, row.agent, row.title, row.modified, row.path)


class ResolvedSession(NamedTuple):
    """A session that was found by its name.

    path    the absolute path of its file
    store   the store that contains it; None for a file in no store
    """

    path: str
    store: Store | None

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that may have written the session; empty if its file is in no store."""
        return () if self.store is None else self.store.agents


def resolve(
    named: str,
    stores: Sequence[Store],
    cache_folder: str,
    on_note: Callable[[str], object] | None = None,
) -> ResolvedSession:
    """Return the session that `named` names. The catalog in `cache_folder` is brought up to date first,
    unless `named` is an existing path with a folder.

    :param named: the path of a file, an id, or the beginning of exactly one id.
    :param on_note: called with one line that says why the catalog cannot be kept, if it cannot.
    :raises NotFound: there is no such session.
    :raises Ambiguous: there are several such sessions.
    :raises Unreadable: at that path is something other than a file, or it cannot be read.
    """
    (result,) = resolve_all((named,), stores, cache_folder, on_note)
    if isinstance(result, Exception):
        raise result
    return result


def resolve_all(
    names: Sequence[str],
    stores: Sequence[Store],
    cache_folder: str,
    on_note: Callable[[str], object] | None,
) -> list[ResolvedSession | NotFound | Ambiguous | Unreadable]:
    """`resolve` for several names, in their order, with one scan. A name that `resolve` would raise an error
    for has the error as its result.
    """
    rows: Sequence[Row] | None = None
    results: list[ResolvedSession | NotFound | Ambiguous | Unreadable] = []
    for named in names:
        folder_note = path = ""
        try:
            path = absolute(named)
        except CurrentFolderGone:
            # The name may still be an id.
            folder_note = f": {FOLDER_GONE}"
        exists = bool(named and path) and os.path.lexists(path)
        # A file name without a folder may be the id of a session, which goes first.
        if not (exists and os.path.dirname(named)):
            if rows is None:
                rows = current_rows(stores, cache_folder, on_note)
            try:
                path = find_session(named, rows).path
            except NotFound as error:
                gone = [row.path for row in rows if row.is_gone and row.original_path == path]
                if gone:
                    path = gone[0]
                elif not exists:
                    results.append(NotFound(f"{error}{folder_note}"))
                    continue
            except Ambiguous as error:
                results.append(error)
                continue
        try:
            check_file(path)
        except Unreadable as error:
            results.append(error)
            continue
        results.append(ResolvedSession(path, store_holding(path, stores)))
    return results


def check_file(path: str) -> None:
    """Check that `path` is a regular file or a link to one. The file is not opened, because opening a device
    may change its state.

    :raises NotThere: there is no file.
    :raises NotAFile: it is something else; `reason` says what.
    :raises Unreadable: its status cannot be read.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise NotThere(path, 0, "no such file") from None
    except OSError as error:
        raise Unreadable(path, 0, reason(error)) from None
    if not stat.S_ISREG(mode):
        kind = next((name for has_kind, name in _FILE_KINDS if has_kind(mode)), "a device")
        raise NotAFile(path, 0, f"{kind}, not a file")


_FILE_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))


def current_rows(
    stores: Sequence[Store], cache_folder: str, on_note: Callable[[str], object] | None
) -> Sequence[Row]:
    index = Index(stores, cache_folder, on_renewed=on_note or (lambda _: None))
    try:
        index.scan()
        rows = index.rows()
    finally:
        index.close()
    if index.note and on_note is not None:
        on_note(index.note)
    return rows


def find_session(named: str, rows: Sequence[Row]) -> Row:
    """Return the session of `rows` with the id `named`, else the only session whose id begins with it.

    :raises NotFound: there is no such session.
    :raises Ambiguous: there are several such sessions.
    """
    exact = [row for row in rows if row.id == named]
    for matches in (exact, [row for row in rows if named and row.id.startswith(named)]):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise Ambiguous(named, [candidate_of(row) for row in matches])
    raise NotFound(f"no session matches {named!r} (path, id or unique beginning of an id)")
