"""``leafmark search``: the sessions in which something was said, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.index.index import Index
from app.index.query.grammar import parse
from app.index.query.query import QueryError
from app.index.workers.worker import load_decoder
from app.reports.output import columns, complain, write_json, write_text
from app.reports.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from app.index.search.hit_branch import Place
    from app.index.search.results import Hit, Page
    from app.options import Options
    from app.reports.hit import Places
    from app.setup import Setup

SCHEMA = 1
MORE = "; --all-text looks through tools as well"
"""What is said where nothing matches in what was said, and tools were not looked through."""


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
        # A mistake is told of before anything is read.
        asked = parse(query, setup.now_ms(), home=setup.home, all_text=options.all_text)
        for note in asked.notes:
            complain(note.message)
        places: dict[str, Place] = {}
        index.look_ahead(query, **how, foreseen=lambda hit: places.setdefault(hit.path, index.place(hit)))
        # No other thread runs yet that might import something.
        load_decoder()
        progress = Progress()
        try:
            # Of files alone it is not asked whether their texts are kept.
            index.scan(progress.read, texts=not asked.is_deep)
        finally:
            progress.end()
        pages = index.query(query, **how, alone=True)
        if index.note:
            complain(index.note)
        if index.complaints:
            from app.reports.skipped import complain_of_skipped

            # Of files the search itself says it.
            told = {row.path for row in index.rows()} | index.unread.keys()
            complain_of_skipped(index.complaints, told, setup.stores)
        from app.index.query.wider import leaves_tools

        more = MORE if leaves_tools(asked) else ""
        return report(
            pages, lambda hit: places.pop(hit.path, None) or index.place(hit), options, setup, more=more
        )
    except QueryError as error:
        from app.reports.pointed import complain_of

        complain_of(query, error)
        return 2
    finally:
        index.close()


def report(pages: Iterable[Page], place: Places, options: Options, setup: Setup, *, more: str = "") -> int:
    """Print the hits of a search, lines as they come, JSON when all are there.

    :param place: where in its session's tree a hit is.
    :param more: what is said besides where nothing matches.
    :return: the exit code.
    """
    counted = _Counted(pages, options.limit)
    # A copy of this process looks through files by now; what it does not need is loaded meanwhile.
    if options.json:
        from app.reports.hit import as_json

        hits = [as_json(hit, place) for page in counted.pages() for hit in page]
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
        from app.reports.hits import Painter, wants_colour

        painter = Painter(place, setup.home, setup.now_ms(), columns(), colour=wants_colour(setup.env))
        for page in counted.pages():
            write_text("".join(line + "\n" for line in painter.lines(page)))
        if counted.shown < counted.met:
            things = "hits" if options.every else "sessions"
            complain(f"{counted.shown:,} of {counted.met:,} {things}; --limit {counted.met} shows all")
    if not counted.total:
        complain(f"no session matches{more}")
        return 1
    return 0


class _Counted:
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
