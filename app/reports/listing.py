"""``leafmark list``: the rows of the browser, without a screen."""

from __future__ import annotations

from app.formats.text import one_line
from app.index.as_json import SCHEMA, problem_count, to_json
from app.index.index import Index
from app.index.states import live_sessions
from app.reports.output import columns, complain, write_json, write_text
from app.stores.live import look
from app.view.ages import age, count
from app.view.cells import fill, shorten, width
from app.view.folders import tilde
from app.view.session_filter import haystack, matches, words_of
from app.view.session_row import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from app.index.row import Row
    from app.setup import Setup

MARK_CELLS = 10
# a UUID's length, and the part of a version 7 one that is its time
LONG_ID, SHORT_ID = 36, 13


def run(options: argparse.Namespace, setup: Setup) -> int:
    """Print the sessions that match, newest activity first. Exit code 1 when a query matches none."""
    words = words_of(" ".join(options.query))
    now_ms = setup.now_ms()
    index = Index(setup.stores, setup.cache_folder)
    try:
        index.scan()
        processes = look(setup.stores)
        if options.limit is not None and not (words or options.json or processes.processes):
            # nobody has to be compared with anybody: the rows that are shown are enough
            every, total = index.newest(options.limit)
        else:
            every = index.rows(full=options.json)
            total = len(every)
    finally:
        index.close()
    if index.note:
        complain(index.note)
    rows = every
    if words:
        rows = [row for row in every if matches(haystack(row, tilde(row.cwd, setup.home)), words)]
        total = len(rows)
    shown = rows if options.limit is None else rows[: options.limit]
    states = {path: said.state for path, said in live_sessions(every, processes, now_ms).items()}
    if options.json:
        sessions = [to_json(row, states.get(row.path, "idle"), now_ms) for row in shown]
        write_json({"schema": SCHEMA, "total": total, "sessions": sessions})
    elif shown:
        write_text("".join(line + "\n" for line in table(shown, states, setup.home, now_ms, columns())))
        if len(shown) < total:
            complain(f"{len(shown):,} of {total:,} sessions; --limit {total} shows all")
    if not total:
        complain(
            "no session matches" if words else "no sessions found; `leafmark doctor` says where it looked"
        )
    return 1 if words and not total else 0


def table(rows: list[Row], states: dict[str, str], home: str, now_ms: int, cells: int | None) -> list[str]:
    """The rows as lines: state, age, program, messages, marks, id, title and folder.

    :param cells: the width to fit to; None for lines that are not cut.
    """
    ids = [one_line(short_id(row.id)) for row in rows]
    id_cells = max((width(text) for text in ids), default=0)
    lines = []
    for row, text in zip(rows, ids, strict=True):
        facts = [
            MARKS.get(states.get(row.path, ""), (" ", ""))[0],
            f"{age(row.modified, now_ms):>4}",
            f"{row.agent:<8}",
            f"{count(row.message_count):>4}",
            fill(_marks(row, now_ms), MARK_CELLS),
            fill(text, id_cells),
        ]
        head = " ".join(facts)
        folder = tilde(row.cwd, home)
        if cells is None:
            lines.append(f"{head}  {row.title}  {folder}")
            continue
        room = max(20, cells - width(head) - 4)
        folder_cells = min(width(folder), room // 3)
        lines.append(f"{head}  {fill(row.title, room - folder_cells)}  {shorten(folder, folder_cells)}")
    return lines


def _marks(row: Row, now_ms: int) -> str:
    marks = []
    if row.parent_session:
        marks.append("↳")
    if row.leaf_count > 1:
        marks.append(f"⑂{count(row.leaf_count)}")
    if row.labels:
        marks.append(f"◆{count(len(row.labels))}")
    if problem_count(row, now_ms):
        marks.append("!")
    return " ".join(marks)


def short_id(session_id: str) -> str:
    """As much of an id as names a session: of the usual long ones the part that holds the millisecond it
    was made in.
    """
    return session_id[:SHORT_ID] if len(session_id) == LONG_ID else shorten(session_id, 2 * SHORT_ID)
