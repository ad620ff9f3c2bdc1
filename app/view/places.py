"""The trash and the archive without a screen: their rows, filter, marks, and the words about them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.text import one_line
from app.stores import agent_named
from app.view.cells import pad, shorten_start, stable_width, width
from app.view.formatting import AGENT_CELLS, counted, short_agent, size, tilde
from app.view.history import clock_or_age
from app.view.session_row import MARKED

if TYPE_CHECKING:
    from app.actions.restore import TrashedSession
    from app.actions.trash_place import TrashFacts
    from app.stores.archive import Archived
    from app.view.line import Line

FOLDER_GONE = "Its folder is gone: the file is restored, resuming needs a folder."
_WHEN_CELLS, _BY_CELLS = 5, 8
_LEAST_TITLE = 16
"""Cells; if fewer are left for a title, folder, program and agent give way, in this order."""
_FOLDER_CELLS = 14
MOST_NAMES = 5
"""Sessions that are named before they are deleted for good; the others are counted."""


class PlaceRow(NamedTuple):
    """A session in the trash or in the archive.

    key        its path there
    title      one inert line
    agent      the name of its agent
    when_ms    when it came there, milliseconds since the epoch
    by         who put it there, "" if that is unknown
    folder     its working folder, as it is shown
    size       of all its files, in bytes
    facts      what would be lost without it, inert
    warning    what is wrong with it, inert; "" for nothing
    item       what is restored
    """

    key: str
    title: str
    agent: str
    when_ms: int
    by: str
    folder: str
    size: int
    facts: str
    warning: str
    item: Any


def trash_row(session: TrashedSession, facts: TrashFacts, home: str) -> PlaceRow:
    """The row of a session in the trash.

    :param home: the folder that is shown as `~`.
    """
    about = [size(facts.size)]
    if session.artifacts:
        files = counted(facts.artifacts, "file")
        about.append(f"folder of artifacts with {files}")
    about.append(f"restored to {tilde(os.path.dirname(session.path), home)}")
    warning = FOLDER_GONE if facts.is_folder_gone else ""
    if facts.is_place_taken:
        warning = "Another file has its place: move that away to restore it."
    return PlaceRow(
        session.in_trash,
        one_line(session.title, 500),
        session.agent,
        session.when_ms,
        "leafmark" if session.by_leafmark else "other",
        tilde(session.cwd, home) if session.cwd else tilde(os.path.dirname(session.path), home),
        facts.size,
        " · ".join(about),
        warning,
        session,
    )


def archive_row(item: Archived, home: str, *, is_folder_gone: bool) -> PlaceRow:
    """The row of a session in an archive."""
    # Without a title, its file says which one it is.
    title = one_line(item.title or os.path.basename(item.path), 500)
    problem = one_line(item.problem, 100)
    warning = FOLDER_GONE if is_folder_gone else ""
    if problem:
        title = f"{problem}: {title}"
        warning = f"It cannot be restored: {problem}"
    return PlaceRow(
        item.path,
        title,
        item.agent,
        item.mtime_ms,
        agent_named(item.agent).title,
        tilde(item.cwd, home),
        item.size,
        f"{size(item.size)} compressed · restored to {tilde(os.path.dirname(item.target), home)}",
        warning,
        item,
    )


class PlaceModel:
    """The rows of a place, those that the filter shows, and the marks.

    rows    all of them
    shown   those that pass the filter, in the order of `rows`
    marks   the keys of the marked ones, shown or not
    """

    def __init__(self) -> None:
        self.rows: Sequence[PlaceRow] = ()
        self.shown: list[PlaceRow] = []
        self.marks: set[str] = set()
        self._words: list[str] = []
        self._texts: dict[str, str] = {}

    def load(self, rows: Sequence[PlaceRow]) -> None:
        """Show other rows; marks on rows that are gone are dropped."""
        self.rows = rows
        self._texts = {
            row.key: f"{row.title}\n{row.folder}\n{row.agent}\n{row.by}".casefold() for row in rows
        }
        self.marks &= self._texts.keys()
        self._apply()

    def filter(self, text: str) -> None:
        """Show the rows that have all words of a text; case does not count."""
        self._words = text.casefold().split()
        self._apply()

    def _apply(self) -> None:
        self.shown = [row for row in self.rows if all(word in self._texts[row.key] for word in self._words)]

    def toggle_mark(self, row: PlaceRow) -> None:
        """Mark a row, or unmark it."""
        self.marks ^= {row.key}

    def toggle_all(self) -> None:
        """Mark all shown rows; unmark them if all of them are marked."""
        keys = {row.key for row in self.shown}
        self.marks = self.marks - keys if keys <= self.marks else self.marks | keys

    def chosen(self, current: PlaceRow | None) -> list[PlaceRow]:
        """The marked rows, else the one under the cursor."""
        marked = [row for row in self.rows if row.key in self.marks]
        return marked or ([current] if current is not None else [])

    def summary(self) -> str:
        """How many sessions there are, how many are shown or marked, and how large they are."""
        total = counted(len(self.rows), "session")
        if self.marks:
            marked = self.chosen(None)
            return f"{MARKED} {len(marked):,} of {total} · {size(sum(row.size for row in marked))}"
        if len(self.shown) < len(self.rows):
            return f"{len(self.shown):,} of {total}"
        return f"{total} · {size(sum(row.size for row in self.rows))}"


def place_line(row: PlaceRow, cells: int, now_ms: int, *, is_marked: bool) -> Line:
    """A row as a line of `cells` cells: its mark, title, agent, time, who put it there, and folder.

    :param now_ms: milliseconds since the epoch.
    """
    mark = (MARKED, "marked") if is_marked else ("!", "warning") if row.warning else (" ", "text")
    columns = [
        (f" {pad(stable_width(short_agent(row.agent)), AGENT_CELLS)}", "dim"),
        (f" {pad(clock_or_age(row.when_ms, now_ms), _WHEN_CELLS)}", "dim"),
        (f" {pad(stable_width(row.by), _BY_CELLS)}", "dim"),
        (f" {pad(shorten_start(stable_width(row.folder), _FOLDER_CELLS), _FOLDER_CELLS)}", "dim"),
    ]
    # the time stays longest
    for column in (3, 2, 0):
        if cells - 2 - sum(width(text) for text, _ in columns) >= _LEAST_TITLE:
            break
        columns[column] = ("", "dim")
    room = max(0, cells - 2 - sum(width(text) for text, _ in columns))
    return [mark, (" ", "text"), (pad(stable_width(row.title), room), "title"), *columns]


def lost_for_good(rows: Sequence[PlaceRow]) -> list[str]:
    """Lines that name the sessions to be deleted, with their sizes."""
    lines = [f"{row.title}  ({row.facts.split(' · restored to ')[0]})" for row in rows[:MOST_NAMES]]
    if len(rows) > MOST_NAMES:
        rest = rows[MOST_NAMES:]
        lines.append(f"and {len(rest):,} more ({size(sum(row.size for row in rest))})")
    return lines
