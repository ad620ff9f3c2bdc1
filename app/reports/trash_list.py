"""``leafmark trash --list``: the sessions in the trash."""

from __future__ import annotations

from typing import NamedTuple

from app.actions.restore import TrashedSession, list_trashed
from app.formats.timestamps import iso
from app.options import Options
from app.reports.fields import Field, line_maker, session_fields
from app.reports.output import (
    CYAN,
    DIM,
    SCHEMA,
    aligned,
    columns,
    complain,
    wants_colour,
    write_json,
    write_lines,
)
from app.setup import Setup
from app.view.formatting import age, short_id

TITLE_CELLS = 40
"""Cells of a title on a terminal."""


class ListedTrash(NamedTuple):
    """A session in the trash.

    :param now_ms: the time of the list, in milliseconds since the epoch.
    """

    session: TrashedSession
    now_ms: int


TRASH_FIELDS: tuple[Field[ListedTrash], ...] = (
    *session_fields(lambda item: item.session.session_id, lambda item: item.session),
    Field("path", "its file before it was trashed", lambda item: item.session.path),
    Field("in_trash", "its file now", lambda item: item.session.in_trash),
    Field("trashed", "when it was trashed", lambda item: iso(item.session.when_ms)),
    Field("age", "time in the trash, such as 3d", lambda item: age(item.session.when_ms, item.now_ms)),
)
TRASH_PIPE = ("id", "trashed", "agent", "title", "path")
"""The fields of `leafmark trash --list` in a pipe."""


def list_trash(options: Options, setup: Setup) -> int:
    """Print the sessions in the trash, the last trashed first. The exit code is 1 if there are none.

    :raises WrongUse: `--format` cannot be used.
    """
    cells = columns()
    make_line = line_maker(options, TRASH_FIELDS, TRASH_PIPE, cells)
    sessions = list_trashed(setup.agent_env, setup.stores, setup.state_folder)
    now_ms = setup.now_ms()
    if options.json:
        write_json({"schema": SCHEMA, "sessions": [_trashed_as_json(session) for session in sessions]})
    elif make_line is not None:
        write_lines(make_line(ListedTrash(session, now_ms)) for session in sessions)
    elif sessions and cells is not None:
        write_lines(_trash_table(sessions, now_ms, cells, colour=wants_colour(setup.env)))
    if not sessions:
        complain("no session is in the trash")
        return 1
    return 0


def _trashed_as_json(session: TrashedSession) -> dict[str, object]:
    return {
        "agent": session.agent,
        "session_id": session.session_id,
        "path": session.path,
        "title": session.title,
        "in_trash": session.in_trash,
        "artifacts": session.artifacts or None,
        "trashed": iso(session.when_ms),
    }


def _trash_table(sessions: list[TrashedSession], now_ms: int, cells: int, *, colour: bool) -> list[str]:
    """A line for each session: id, time in the trash, agent, title and old path."""
    lines = [
        [
            short_id(session.session_id),
            f"{age(session.when_ms, now_ms):>4}",
            session.agent,
            session.title,
            session.path,
        ]
        for session in sessions
    ]
    names = ["id", "age", "agent", "title", "path"]
    return aligned(names, lines, [CYAN, DIM, "", "", DIM], cells, TITLE_CELLS, colour=colour)
