"""``leafmark search``: the sessions that match a query, and the places of the hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from app.formats.prices import Prices
from app.formats.text import one_line
from app.formats.timestamps import iso
from app.index.query.grammar import parse
from app.index.query.query import QueryError
from app.index.search.hit_branch import Place
from app.index.search.hit_details import texts_at
from app.index.search.results import Hit, Hits, Page
from app.index.sorting import BEST
from app.options import Options
from app.redact import Redactor
from app.reports.fields import Field, line_maker
from app.reports.for_agent import check_options, write_quoted
from app.reports.listing import ROW_FIELDS, Listed, complain_of_skipped, table
from app.reports.output import (
    NO_SESSIONS,
    SCHEMA,
    Progress,
    columns,
    complain,
    complain_of_query,
    wants_colour,
    write_json,
    write_lines,
)
from app.setup import Setup
from app.view.cells import shorten, width
from app.view.empty_states import LOOSENED
from app.view.line import excerpt, mark_ranges

OLD_BEST = "relevance"
"""An older name of the order that is now the default one."""
LONGEST_SNIPPET = 200
"""Characters of a snippet for an agent."""


Locator = Callable[[Hit], Place]


class FoundHit(NamedTuple):
    """A hit of a search.

    :param now_ms: the time of the search, in milliseconds since the epoch.
    :param place: gives the branch of a hit.
    :param prices: as in a `Listed`.
    """

    hit: Hit
    now_ms: int
    place: Locator
    prices: Prices


def _of_session(field: Field[Listed]) -> Field[FoundHit]:
    return Field(
        field.name, field.help, lambda item: field.of(Listed(item.hit.row, item.now_ms, prices=item.prices))
    )


def place_notes(place: Place) -> list[str]:
    """The branch of a hit that is not on the active path; none for a hit that is."""
    if place.on_active_path is not False:
        return []
    number = [f"branch {place.branch} of {place.branches}"] if place.branch and place.branches > 1 else []
    return [*number, "not on the active path"]


def _notes(item: FoundHit) -> str:
    hit = item.hit
    return ", ".join(
        [*missing_notes(hit), *(["other spelling"] if hit.near else []), *place_notes(item.place(hit))]
    )


def missing_notes(hit: Hit) -> list[str]:
    """The words that the session of a hit lacks, in a loosened list."""
    return [f"without {', '.join(hit.missing)}"] if hit.missing else []


HIT_FIELDS: tuple[Field[FoundHit], ...] = (
    *map(_of_session, ROW_FIELDS),
    Field("entry_id", "id of the entry", lambda item: item.hit.entry_id),
    Field("role", "user, assistant, name, folder and so on", lambda item: hit_role(item.hit)),
    Field("snippet", "one line around the hit", lambda item: item.hit.snippet),
    Field(
        "timestamp",
        "time of the entry",
        lambda item: None if item.hit.timestamp is None else iso(item.hit.timestamp),
    ),
    Field(
        "place", "branch, if it is not the active path; words that the session lacks; other spelling", _notes
    ),
    Field("tier", "name, conversation, files or tools: the place of all words", lambda item: item.hit.tier),
)
HIT_PIPE = ("id", "modified", "agent", "title", "entry_id", "role", "place", "snippet")
"""The fields of `leafmark search` in a pipe."""


def hit_role(hit: Hit) -> str | None:
    """The role of a hit in a report: the speaker, or the field of the session that matched, for example
    "name"; None for a session that is a hit as a whole.
    """
    return hit.role or (None if hit.where == "row" else hit.where)


def hit_document(hit: Hit, place: Locator) -> dict[str, Any]:
    """The JSON object of a hit in `leafmark search --json`."""
    return {
        "agent": hit.row.agent,
        "session_id": hit.row.id,
        "path": hit.path,
        "title": hit.row.title,
        "deleted": hit.row.is_deleted,
        "entry_id": hit.entry_id,
        "role": hit_role(hit),
        "snippet": hit.snippet,
        "tier": hit.tier,
        "missing": hit.missing,
        "on_active_path": place(hit).on_active_path,
        "timestamp": None if hit.timestamp is None else iso(hit.timestamp),
    }


def run(options: Options, setup: Setup) -> int:
    """Update the index, then print the hits. The exit code is 1 if nothing matches, 2 if the query is
    invalid.
    """
    check_options(options)
    # An unusable format is reported before any file is read.
    line_maker(options, HIT_FIELDS, HIT_PIPE, columns())
    query = " ".join(options.query)
    if options.all_text:
        complain("--all-text is not needed: every search covers tool calls and their output")
    if options.sort == OLD_BEST:
        complain("--sort relevance is not needed: the best match comes first")
    index = setup.open_index(complain)
    how: dict[str, Any] = {
        "order": options.sort or BEST,
        "every": options.every,
    }
    try:
        # An error in the query is reported before any file is read.
        parsed = parse(query, setup.now_ms(), home=setup.home)
        for note in parsed.notes:
            complain(note.message)
        with Progress() as progress:
            index.scan(progress.read)
        if parsed.files or parsed.needs_files:
            with Progress() as progress:
                index.touched_files.update(index.rows(), on_progress=progress.touched)
        pages = index.query(query, **how, alone=True)
        if index.note:
            complain(index.note)
        # The search itself reports files that it could not read.
        reported = chain((row.path for row in index.searched_rows), index.unread)
        refused = [(path, "no session") for path in index.refused_paths]
        complain_of_skipped([*index.complaints, *refused], reported, setup.stores)

        def nothing() -> str:
            if not index.searched_rows:
                return NO_SESSIONS
            return "no session matches"

        return report(pages, index.place, options, setup, nothing)
    except QueryError as error:
        complain_of_query(query, error)
        return 2
    finally:
        index.close()


def report(
    pages: Iterable[Page], place: Locator, options: Options, setup: Setup, nothing: Callable[[], str]
) -> int:
    """Print the hits of a search: lines as the hits come, JSON when the search is complete.

    :param place: gives the branch of a hit.
    :param nothing: gives the message that nothing matches.
    :return: the exit code.
    """
    if options.for_agent and not options.all_folders:
        pages = _of_folder(pages, setup.here)
    counted = _HitCounter(pages, options.limit)
    cells, now_ms = columns(), setup.now_ms()
    make_line = line_maker(options, HIT_FIELDS, HIT_PIPE, cells)
    if options.for_agent:
        found = [hit for page in counted.pages() for hit in page]
        if found:
            write_quoted(_agent_lines(found, place, Redactor()))
    elif options.json:
        hits = [hit_document(hit, place) for page in counted.pages() for hit in page]
        write_json(
            {
                "schema": SCHEMA,
                "total": counted.last.total,
                "corrections": counted.last.instead,
                "loosened": counted.last.loosened,
                "searched_in_index": counted.last.as_kept,
                "unread": counted.last.unread,
                "hits": hits,
            }
        )
    else:
        painter = HitLines(place, setup.home, now_ms, cells or 0, colour=wants_colour(setup.env))
        for page in counted.pages():
            if make_line is None:
                write_lines(painter.lines(page))
            else:
                write_lines(make_line(FoundHit(hit, now_ms, place, setup.prices)) for hit in page)
        if counted.shown < counted.met:
            things = "hits" if options.every else "sessions"
            complain(f"{counted.shown:,} of {counted.met:,} {things}; --limit {counted.met} shows all")
    if not counted.last.total:
        complain(nothing())
        return 1
    return 0


def _of_folder(pages: Iterable[Page], here: Sequence[str]) -> Iterator[Page]:
    """The pages with only the hits of sessions that work in this folder."""
    sessions: set[str] = set()
    for page in pages:
        hits = [hit for hit in page.hits if hit.row.cwd in here]
        sessions.update(hit.path for hit in hits)
        yield Page(Hits(hits), len(sessions), done=page.done, notes=page.notes, loosened=page.loosened)


def _agent_lines(hits: Sequence[Hit], place: Locator, redactor: Redactor) -> Iterator[str]:
    """Each session as a line, with a line for each of its hits below it, without secrets."""
    last = ""
    for hit in hits:
        if hit.path != last:
            last = hit.path
            title = redactor.cut_line(hit.row.title)
            day = iso(hit.row.newest)[:10]
            yield f"session {redactor.text(hit.row.id)} ({hit.row.agent}, {day}): {title}"
        notes = [*map(redactor.text, missing_notes(hit)), *place_notes(place(hit))]
        where = redactor.text(" ".join(filter(None, (hit_role(hit), hit.entry_id))))
        if hit.snippet:
            yield f"  {', '.join([where, *notes])}: {_agent_snippet(hit, redactor)}"


def _agent_snippet(hit: Hit, redactor: Redactor) -> str:
    """The snippet of a hit, cut from its text after the secrets in this were replaced."""
    words = next((hit.snippet[begin:end] for begin, end in hit.ranges), "")
    for text in texts_at(hit) if words else ():
        if line := redactor.excerpt(text, words, LONGEST_SNIPPET):
            return line
    # The words are in a secret, or in a name or a label, of which the row has all but long ends.
    return redactor.cut_line(hit.snippet)


class _HitCounter:
    """Counts the hits of a search, and passes them on up to the limit.

    last    the last page, which has the number of sessions that match
    met     the number of hits
    shown   the number of hits that were passed on
    """

    def __init__(self, pages: Iterable[Page], limit: int | None) -> None:
        self._pages = pages
        self._limit = limit
        self._printed_notes: set[str] = set()
        self._is_loosened = False
        self.last = Page()
        self.met = 0
        self.shown = 0

    def pages(self) -> Iterator[Sequence[Hit]]:
        """The hits to show, as they come. Notes are printed on standard error, each once."""
        for page in self._pages:
            self.last = page
            if page.loosened and not self._is_loosened:
                self._is_loosened = True
                complain(LOOSENED)
            for note in page.notes:
                if note.message not in self._printed_notes:
                    self._printed_notes.add(note.message)
                    complain(note.message)
            self.met += len(page.hits)
            hits = page.hits if self._limit is None else page.hits[: self._limit - self.shown]
            if hits:
                self.shown += len(hits)
                yield hits


INDENT = " " * 7
"""Hits are indented to the session's age."""
LEAST_CELLS = 24
"""Fewest cells of a snippet beside its place; with fewer, it is below its place."""
# As on screen, a match differs from other text by more than its colour.
MATCH, PLAIN = "\x1b[1;4;33m", "\x1b[0m"


class HitLines:
    """Makes the lines of hits for a terminal: each session as `leafmark list` prints it, with its hits below.

    :param place: gives the branch of a hit.
    :param home: the folder that is written as `~`.
    :param now_ms: the time of the search, in milliseconds since the epoch.
    :param cells: the width to fit to.
    :param colour: highlight the matches.
    """

    def __init__(self, place: Locator, home: str, now_ms: int, cells: int, *, colour: bool) -> None:
        self._place = place
        self._home = home
        self._now_ms = now_ms
        self._cells = cells
        self._colour = colour
        self._last = ""

    def lines(self, hits: Sequence[Hit]) -> Iterator[str]:
        """The lines of a page; the first one begins with the names of the columns."""
        rows = [hit.row for hit in hits]
        is_first = not self._last
        heads = table(rows, {}, self._home, self._now_ms, self._cells, header=is_first, colour=self._colour)
        if is_first:
            yield heads.pop(0)
        for hit, head in zip(hits, heads, strict=True):
            if hit.path != self._last:
                self._last = hit.path
                yield head
            yield from self._below(hit)

    def _below(self, hit: Hit) -> Iterator[str]:
        """The place and the snippet of a hit: one line if there is room."""
        indent = INDENT[: self._cells // 4]
        room = self._cells - len(indent)
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
        """The place of a hit: its speaker and entry, its branch, and whether it is another spelling."""
        parts = [hit_role(hit) or ""]
        if hit.entry_id is not None:
            parts[0] += f" {hit.entry_id}"
        if hit.near:
            parts[0] += " (other spelling)"
        parts += [*missing_notes(hit), *place_notes(self._place(hit))]
        # Ids and types of entries may contain any text.
        return [one_line(part) for part in parts if part]
