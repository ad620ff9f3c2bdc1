"""``leafmark search``: the sessions in which something was said, and where."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.formats.text import one_line
from app.formats.timestamps import iso
from app.index.index import Index
from app.index.query.grammar import leaves_tools, parse
from app.index.query.query import QueryError
from app.index.search.hit_branch import Place
from app.index.search.results import Hit, Page
from app.options import Options
from app.reports.listing import complain_of_skipped, table
from app.reports.output import Progress, columns, complain, complain_of_query, write_json, write_text
from app.setup import Setup
from app.view.cells import shorten, width
from app.view.line import excerpt, mark_ranges
from app.view.terminal import can_place_text

SCHEMA = 1
TOOLS_HINT = "; --all-text looks through tools as well"
"""Follows the report of no match if tool calls and output were not searched."""


def run(options: Options, setup: Setup) -> int:
    """Bring the index up to date, then print what matches. Exit code 1 when nothing does, 2 when the query
    cannot be run.
    """
    query = " ".join(options.query)
    index = Index(
        setup.stores, setup.cache_folder, setup.now_ms, home=setup.home, state_folder=setup.state_folder
    )
    how: dict[str, Any] = {"order": options.order, "all_text": options.all_text, "every": options.every}
    try:
        # An error in the query is reported before anything is read.
        asked = parse(query, setup.now_ms(), home=setup.home, all_text=options.all_text)
        for note in asked.notes:
            complain(note.message)
        # No other thread runs yet that might import something.
        import msgspec  # noqa: F401

        progress = Progress()
        try:
            # A search of the files alone needs no stored texts.
            index.scan(progress.read, texts=not asked.is_deep)
        finally:
            progress.end()
        pages = index.query(query, **how, alone=True)
        if index.note:
            complain(index.note)
        if index.complaints:
            # The search itself reports files that it could not read.
            told = {row.path for row in index.rows()} | index.unread.keys()
            complain_of_skipped(index.complaints, told, setup.stores)
        more = TOOLS_HINT if leaves_tools(asked) else ""
        return report(pages, index.place, options, setup, more=more)
    except QueryError as error:
        complain_of_query(query, error)
        return 2
    finally:
        index.close()


def report(pages: Iterable[Page], place: Locator, options: Options, setup: Setup, *, more: str = "") -> int:
    """Print the hits of a search, lines as they come, JSON when all are there.

    :param place: where in its session's tree a hit is.
    :param more: what is said besides where nothing matches.
    :return: the exit code.
    """
    counted = _HitCounter(pages, options.limit)
    if options.json:
        hits = [hit_fields(hit, place) for page in counted.pages() for hit in page]
        write_json(
            {
                "schema": SCHEMA,
                "total": counted.total,
                "instead": counted.instead,
                "as_kept": counted.as_kept,
                "unread": counted.unread,
                "hits": hits,
            }
        )
    else:
        painter = HitLines(place, setup.home, setup.now_ms(), columns(), colour=wants_colour(setup.env))
        for page in counted.pages():
            write_text("".join(line + "\n" for line in painter.lines(page)))
        if counted.shown < counted.met:
            things = "hits" if options.every else "sessions"
            complain(f"{counted.shown:,} of {counted.met:,} {things}; --limit {counted.met} shows all")
    if not counted.total:
        complain(f"no session matches{more}")
        return 1
    return 0


class _HitCounter:
    """The hits of a search, counted on their way.

    total   sessions that match
    met     hits that there are
    shown   those of them that were given on
    instead, as_kept, unread   as the last page has them
    """

    def __init__(self, pages: Iterable[Page], limit: int | None) -> None:
        self._pages = pages
        self._limit = limit
        self._said: set[str] = set()
        self.total = 0
        self.met = 0
        self.shown = 0
        self.instead: Mapping[str, Sequence[str]] = {}
        self.as_kept: Sequence[str] = ()
        self.unread: Sequence[str] = ()

    def pages(self) -> Iterator[Sequence[Hit]]:
        """Those that may be shown, as they come; what there is to say goes to standard error."""
        for page in self._pages:
            self.total = page.total
            self.instead, self.as_kept, self.unread = page.instead, page.as_kept, page.unread
            for note in page.notes:
                if note.message not in self._said:
                    self._said.add(note.message)
                    complain(note.message)
            self.met += len(page.hits)
            hits = page.hits if self._limit is None else page.hits[: self._limit - self.shown]
            if hits:
                self.shown += len(hits)
                yield hits


INDENT = " " * 7
"""Hits stand below the session's age."""
LEAST_CELLS = 24
"""A snippet that would get less stands below where it is."""
# As the screen shows it: by more than colour.
MATCH, PLAIN = "\x1b[1;4;33m", "\x1b[0m"


class HitLines:
    """Makes lines of hits.

    :param cells: the width to fit to; None for lines that are not cut, one a hit.
    :param colour: mark in the text what was found.
    """

    def __init__(self, place: Locator, home: str, now_ms: int, cells: int | None, *, colour: bool) -> None:
        self._place = place
        self._home = home
        self._now_ms = now_ms
        self._cells = cells
        self._colour = colour
        self._last = ""

    def lines(self, hits: Sequence[Hit]) -> Iterator[str]:
        """Each session as `leafmark list` prints it, once for hits that follow each other, and the hits
        below; or one line for each hit, with all of it.
        """
        heads = table([hit.row for hit in hits], {}, self._home, self._now_ms, self._cells)
        for hit, head in zip(hits, heads, strict=True):
            if self._cells is None:
                said = self._whole(hit)
                yield f"{head}  {said}" if said else head
                continue
            if hit.path != self._last:
                self._last = hit.path
                yield head
            yield from self._below(hit, self._cells)

    def _whole(self, hit: Hit) -> str:
        """The place and the snippet of a hit; "" for a session that is a hit as a whole."""
        where = ", ".join(self._where(hit))
        return f"{where}: {self._marked(hit.snippet, hit.ranges)}" if hit.snippet else where

    def _below(self, hit: Hit, cells: int) -> Iterator[str]:
        """The same in lines of so many cells; one, where a terminal is not narrow."""
        indent = INDENT[: cells // 4]
        room = cells - len(indent)
        parts = self._where(hit)
        where = ", ".join(parts)
        left = room - width(where) - 2
        if hit.snippet and left >= LEAST_CELLS:
            yield f"{indent}{where}: {self._marked(*excerpt(hit.snippet, hit.ranges, left))}"
            return
        for part in parts if hit.snippet or left < 0 else filter(None, [where]):
            yield indent + shorten(part, room)
        if hit.snippet:
            yield indent + self._marked(*excerpt(hit.snippet, hit.ranges, room))

    def _marked(self, text: str, ranges: Sequence[tuple[int, int]]) -> str:
        return mark_ranges(text, ranges, MATCH, PLAIN) if self._colour else text

    def _where(self, hit: Hit) -> list[str]:
        """Who says it and in which entry, on which branch, and how it is spelt."""
        parts = [hit_role(hit) or ""]
        if hit.entry_id is not None:
            parts[0] += f" {hit.entry_id}"
        place = self._place(hit)
        if place.on_active_path is False:
            if place.branch and place.branches > 1:
                parts.append(f"branch {place.branch} of {place.branches}")
            parts.append("not on the active path")
        if hit.near:
            parts.append("in another spelling")
        # Ids and types of entries are as strange as their files.
        return [one_line(part) for part in parts if part]


def wants_colour(env: Mapping[str, str]) -> bool:
    """Whether standard output is a terminal that may be sent colours."""
    return sys.stdout.isatty() and not env.get("NO_COLOR") and can_place_text(env)


Locator = Callable[[Hit], Place]


def hit_role(hit: Hit) -> str | None:
    """The role in a report: the speaker, "name", "label", "folder", "id" or "program"; None for a session
    that is a hit as a whole.
    """
    return hit.role or (None if hit.where == "row" else hit.where)


def hit_fields(hit: Hit, place: Locator) -> dict[str, Any]:
    """The hit's object in `leafmark search --json`."""
    return {
        "path": hit.path,
        "session_id": hit.row.id,
        "entry_id": hit.entry_id,
        "role": hit_role(hit),
        "snippet": hit.snippet,
        "on_active_path": place(hit).on_active_path,
        "timestamp": None if hit.timestamp is None else iso(hit.timestamp),
    }
