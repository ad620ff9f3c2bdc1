"""``leafmark labels``: the labels of one session with their entries, or the labels of all sessions."""

from __future__ import annotations

from typing import Any

from app.formats.text import one_line
from app.formats.timestamps import iso
from app.index.index import Index
from app.index.resolve import Ambiguous, NotFound
from app.options import Options
from app.reports.errors import complain_of, exit_code
from app.reports.output import columns, complain, write_json, write_text
from app.reports.tree import open_session_tree, row_text
from app.sessions.errors import SessionError
from app.setup import Setup
from app.view.cells import pad, shorten, width
from app.view.formatting import age, short_id

SCHEMA = 1
CELLS = 26
"""Cells of a column on a terminal."""


def run(options: Options, setup: Setup) -> int:
    """Print the labels. The exit code is 1 if there are none."""
    try:
        labels, lines = (
            _labels_of_session(options.session, setup) if options.session else _labels_of_all(setup)
        )
    except (NotFound, Ambiguous, SessionError) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    if options.json:
        write_json({"schema": SCHEMA, "labels": labels})
    else:
        write_text("".join(line + "\n" for line in _table(lines, columns())))
    if not labels:
        complain(f"{options.session}: no entry has a label" if options.session else "no session has a label")
        return 1
    return 0


def _labels_of_all(setup: Setup) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """The labels of all sessions, newest session first: as JSON, and as the cells of a table."""
    index = Index(setup.stores, setup.cache_folder, setup.now_ms)
    try:
        index.scan()
        rows = index.rows()
    finally:
        index.close()
    if index.note:
        complain(index.note)
    labels, lines = [], []
    for row in rows:
        session = {"agent": row.agent, "id": row.id, "path": row.path}
        for entry_id, label in row.labels:
            labels.append({"session": session, "entry_id": entry_id, "label": label})
            lines.append([short_id(row.id), entry_id, label, row.title])
    return labels, lines


def _labels_of_session(named: str, setup: Setup) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """The labels of one session, with the time and the text of their entries; null for a missing entry.

    :raises NotFound, Ambiguous, SessionError: see `open_session_tree`.
    """
    tree = open_session_tree(named, setup)
    session = {"agent": tree.header.agent, "id": tree.header.id, "path": tree.path}
    nodes = {target: tree.by_id[target] for target in tree.labels if target in tree.by_id}
    tree.read_rows(nodes.values())
    labels, lines = [], []
    for target, label in tree.labels.items():
        node = nodes.get(target)
        time = node.timestamp if node else None
        text = row_text(node) if node else None
        labels.append(
            {
                "session": session,
                "entry_id": target,
                "label": label,
                "text": text,
                "timestamp": None if time is None else iso(time),
            }
        )
        ago = "" if time is None else age(time, setup.now_ms())
        lines.append([target, f"{ago:>4}", label, "(no such entry)" if text is None else text])
    return labels, lines


def _table(lines: list[list[str]], cells: int | None) -> list[str]:
    """The cells of each line side by side, inert; all but the last are padded to the width of their column.

    :param cells: the width to fit to; None for lines that are not cut.
    """
    inert = [[one_line(text) for text in line] for line in lines]
    if cells is not None:
        inert = [[shorten(text, CELLS) for text in line[:3]] + line[3:] for line in inert]
    widest = [max(map(width, column)) for column in list(zip(*inert, strict=True))[:3]]
    table = []
    for *first, last in inert:
        head = "  ".join(map(pad, first, widest))
        room = None if cells is None else max(CELLS, cells - width(head) - 2)
        table.append(f"{head}  {last if room is None else shorten(last, room)}")
    return table
