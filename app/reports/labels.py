"""``leafmark labels``: the labels of one session with their entries, or the labels of all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

from app.formats.timestamps import iso
from app.index.index import Index
from app.index.resolve import Ambiguous, NotFound
from app.options import Options
from app.reports.errors import complain_of, exit_code
from app.reports.fields import Field, line_maker
from app.reports.output import (
    CYAN,
    DIM,
    SCHEMA,
    YELLOW,
    aligned,
    columns,
    complain,
    wants_colour,
    write_json,
    write_lines,
)
from app.reports.tree import open_session_tree, row_text, title_of
from app.sessions.errors import SessionError
from app.setup import Setup
from app.view.formatting import age, short_id, tilde

CELLS = 26
"""Cells of a column on a terminal."""
WITH_FOLDER = 100
"""A terminal with at least as many cells has a column for the folder."""


class Labelled(NamedTuple):
    """A label.

    :param text: the entry's row in one line; None if its session was not opened, or it is not in the file.
    :param at_ms: when the entry was written, in milliseconds since the epoch; None like `text`.
    :param folder: the folder of the session; raw.
    :param used_ms: the last activity of the session, in milliseconds since the epoch; 0 like `text`.
    """

    agent: str
    session_id: str
    path: str
    title: str
    entry_id: str
    label: str
    text: str | None = None
    at_ms: int | None = None
    folder: str = ""
    used_ms: int = 0


LABEL_FIELDS: tuple[Field[Labelled], ...] = (
    Field("id", "id of the session", lambda item: item.session_id),
    Field("short_id", "the part of the id that lists show", lambda item: short_id(item.session_id)),
    Field("agent", "agent that wrote the session", lambda item: item.agent),
    Field("title", "title of the session", lambda item: item.title),
    Field("path", "file of the session", lambda item: item.path),
    Field("entry_id", "id of the entry", lambda item: item.entry_id),
    Field("label", "the label", lambda item: item.label),
    Field("text", "first line of the entry, with SESSION", lambda item: item.text),
    Field(
        "timestamp",
        "time of the entry, with SESSION",
        lambda item: None if item.at_ms is None else iso(item.at_ms),
    ),
)
LABEL_PIPE = ("id", "entry_id", "label", "title", "text")
"""The fields of `leafmark labels` in a pipe."""


def run(options: Options, setup: Setup) -> int:
    """Print the labels. The exit code is 1 if there are none."""
    cells = columns()
    make_line = line_maker(options, LABEL_FIELDS, LABEL_PIPE, cells)
    try:
        labels = _labels_of_session(options.session, setup) if options.session else _labels_of_all(setup)
    except (NotFound, Ambiguous, SessionError) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    if options.json:
        documents = [_document(label, opened=bool(options.session)) for label in labels]
        write_json({"schema": SCHEMA, "labels": documents})
    elif labels:
        if make_line is not None:
            write_lines(map(make_line, labels))
        elif cells is not None:
            colour = wants_colour(setup.env)
            write_lines(_table(labels, setup, cells, opened=bool(options.session), colour=colour))
    if not labels:
        complain(f"{options.session}: no entry has a label" if options.session else "no session has a label")
        return 1
    return 0


def _labels_of_all(setup: Setup) -> list[Labelled]:
    """The labels of all sessions, newest session first."""
    with closing(Index(setup.stores, setup.cache_folder, setup.now_ms, on_renewed=complain)) as index:
        index.scan()
        rows = index.rows()
    if index.note:
        complain(index.note)
    return [
        Labelled(
            row.agent, row.id, row.path, row.title, entry_id, label, folder=row.cwd, used_ms=row.modified
        )
        for row in rows
        for entry_id, label in row.labels
    ]


def _labels_of_session(named: str, setup: Setup) -> list[Labelled]:
    """The labels of one session, with the time and the text of their entries.

    :raises NotFound, Ambiguous, SessionError: see `open_session_tree`.
    """
    tree = open_session_tree(named, setup)
    header = tree.header
    nodes = {target: tree.by_id[target] for target in tree.labels if target in tree.by_id}
    tree.read_rows(nodes.values())
    title = title_of(tree)
    labels = []
    for target, label in tree.labels.items():
        node = nodes.get(target)
        text, at_ms = (row_text(node), node.timestamp) if node else (None, None)
        labels.append(Labelled(header.agent, header.id, tree.path, title, target, label, text, at_ms))
    return labels


def _document(label: Labelled, *, opened: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "agent": label.agent,
        "session_id": label.session_id,
        "path": label.path,
        "title": label.title,
        "entry_id": label.entry_id,
        "label": label.label,
    }
    if opened:
        timestamp = None if label.at_ms is None else iso(label.at_ms)
        document |= {"text": label.text, "timestamp": timestamp}
    return document


def _table(labels: Sequence[Labelled], setup: Setup, cells: int, *, opened: bool, colour: bool) -> list[str]:
    """The labels as lines, below a line of the columns' names.

    :param cells: the width to fit to.
    :param opened: the labels are of one session, whose entries are known.
    """
    now_ms = setup.now_ms()
    if opened:
        names = ["entry", "age", "label", "text"]
        lines = [
            [
                item.entry_id,
                "" if item.at_ms is None else f"{age(item.at_ms, now_ms):>4}",
                item.label,
                "(no such entry)" if item.text is None else item.text,
            ]
            for item in labels
        ]
        styles = [CYAN, DIM, YELLOW, ""]
    else:
        names = ["id", "entry", "age", "label", "folder", "title"]
        styles = [CYAN, "", DIM, YELLOW, DIM, ""]
        lines = [
            [
                short_id(item.session_id),
                item.entry_id,
                f"{age(item.used_ms, now_ms):>4}",
                item.label,
                tilde(item.folder, setup.home),
                item.title,
            ]
            for item in labels
        ]
        if cells < WITH_FOLDER:
            for columns_of_label in (names, styles, *lines):
                del columns_of_label[4]
    return aligned(names, lines, styles, cells, CELLS, colour=colour)
