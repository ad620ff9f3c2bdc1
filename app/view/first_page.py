"""What comes first in one list of all sessions, as a list of its own that is made of some of them: to put ten
thousand in order and to go through them takes longer than anybody wants to wait for what is in sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.fork_links import names_asked, names_of
from app.view.passing import SHOWN, Passing
from app.view.session_list import SessionList

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from app.index.row import Row
    from app.view.arrangement import Arrangement

    Pins = Collection[tuple[str, str]]
    """(agent, id) of the sessions that are pinned."""


def first_page(
    rows: Sequence[Row],
    arrangement: Arrangement,
    lines: int,
    row: Row | None = None,
    *,
    here: tuple[str, ...] = (),
    home: str = "",
    pins: frozenset[tuple[str, str]] = frozenset(),
) -> SessionList | None:
    """The list of those that come first, for `SessionList.show_first`; None where it is not told which.

    :param rows: all sessions.
    :param arrangement: without groups.
    :param lines: so many are wanted, from the session of `row` on where there is one.
    """
    passing = Passing(arrangement, here, ())
    standing = [0] * (SHOWN + 1)
    for each in rows:
        standing[passing.standing(each)] += 1
    # some of those that are chosen may not be listed
    some, since = chosen(
        rows,
        2 * lines,
        row.modified if row is not None else None,
        pins if arrangement.pinned_first else (),
    )
    model = SessionList(here, home, arrangement, pins)
    model.load(some)
    model.leave_first(since, standing)
    at = 0 if row is None else model.index_of(row.path)
    if at is None or len(model.lines) < min(at + lines, standing[SHOWN]):
        return None
    return model


def chosen(
    rows: Sequence[Row], limit: int, reach: int | None = None, pins: Pins = ()
) -> tuple[Iterable[Row], int | None]:
    """The `limit` newest sessions, or some fewer where others are as old, with those that are pinned; and all
    that may be of one thread with one of these.

    :param reach: all that were active then (milliseconds) or later come besides, and `limit` after them.
    :return: the sessions; when they were active that are not among them (milliseconds), None where all are.
    """
    ages = sorted([row.modified for row in rows], reverse=True)
    if reach is not None:
        limit += sum(1 for modified in ages if modified >= reach)
    if limit >= len(ages):
        return rows, None
    since = ages[limit]
    newest = [row for row in rows if row.modified > since]
    if pins:
        newest += [row for row in rows if (row.agent, row.id) in pins]
    return _with_families(newest, rows), since


def _with_families(some: list[Row], rows: Iterable[Row]) -> Iterable[Row]:
    """Some sessions, and those that are theirs by a name: which one of several it is, `app.view.fork_links`
    says.
    """
    forks: dict[str, list[Row]] = {}
    for row in rows:
        for name in names_asked(row):
            forks.setdefault(name, []).append(row)
    called: dict[str, list[Row]] = {}
    if forks:
        for row in rows:
            for name in names_of(row):
                if name in forks:
                    called.setdefault(name, []).append(row)
    found: dict[str, Row] = {}
    while some:
        row = some.pop()
        if row.path not in found:
            found[row.path] = row
            for name in names_of(row):
                some += forks.get(name, ())
            for name in names_asked(row):
                some += called.get(name, ())
    return found.values()
