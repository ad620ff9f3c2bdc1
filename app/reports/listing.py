"""``leafmark list``: the rows of the browser, without a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from app.formats.amounts import token_count
from app.formats.packed import PACKED
from app.formats.prices import LIST_PRICES, Prices, Spending
from app.formats.text import one_line
from app.formats.timestamps import iso
from app.index.catalog.catalog import Catalog
from app.index.filter_context import expiry_of, kept_in
from app.index.live_sessions import live_sessions
from app.index.row import Row, is_subagent, problem_count
from app.index.scan.retry import make_current
from app.index.scan.walk import WalkResult, walk
from app.index.sorting import RECENT, sorted_rows
from app.index.text.store import TextStore
from app.options import Options
from app.reports.fields import Field, cost_fields, line_maker, session_fields
from app.reports.output import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    NO_SESSIONS,
    SCHEMA,
    YELLOW,
    columns,
    complain,
    painted,
    wants_colour,
    write_json,
    write_lines,
)
from app.setup import Setup
from app.stores.base import Store
from app.stores.layout import Complaint, hides_nothing
from app.stores.live import look
from app.stores.tags import NOTHING, Tagging, Taggings, read_taggings
from app.view.cells import pad, shorten, width
from app.view.formatting import SHORT_ID, age_or_date, count, how_many_unread, short_id, tilde
from app.view.sort_column import COLUMNS, sort_column

Result = TypeVar("Result")

MARK_CELLS = 11
"""Cells of the column of marks."""
LEAST_ROOM = 30
"""Cells for title and folder. If fewer are left, columns before them are left out."""
_ID = 5
_LEFT_OUT = (3, 2, 4, _ID)  # columns in the order in which they are left out: messages, agent, marks, id


class Listed(NamedTuple):
    """A session of a list.

    :param now_ms: the time of the list, in milliseconds since the epoch.
    :param state: "live", "maybe" or "idle".
    :param prices: those of tokens without a cost.
    """

    row: Row
    now_ms: int
    state: str = "idle"
    tagging: Tagging = NOTHING
    prices: Prices = LIST_PRICES

    @property
    def spending(self) -> Spending:
        """The cost."""
        return self.prices.spending(self.row.cost, self.row.unpriced)


ROW_FIELDS: tuple[Field[Listed], ...] = (
    *session_fields(lambda item: item.row.id, lambda item: item.row),
    Field("name", "name that a user gave it", lambda item: item.row.name),
    Field("cwd", "folder that it works in", lambda item: item.row.cwd),
    Field("path", "its file", lambda item: item.row.path),
    Field("modified", "time of the newest message", lambda item: iso(item.row.newest)),
    Field(
        "age", "age of the newest message, such as 3d", lambda item: age_or_date(item.row.newest, item.now_ms)
    ),
    Field(
        "created",
        "time of its beginning",
        lambda item: None if item.row.created is None else iso(item.row.created),
    ),
    Field("messages", "number of messages", lambda item: item.row.message_count),
    Field("entries", "number of entries", lambda item: item.row.entry_count),
    Field("branches", "number of branches", lambda item: item.row.branch_count),
    Field(
        "labels",
        "labels, with commas between them",
        lambda item: ", ".join([label for _, label in item.row.labels]),
    ),
    Field("models", "models that answered", lambda item: ", ".join(item.row.models)),
    Field("tokens", "tokens, input and output", lambda item: token_count(item.row.tokens)),
    Field("cached", "tokens read from the cache or written to it", lambda item: sum(item.row.tokens[2:])),
    Field(
        "cost",
        "cost in dollars; empty if it is not known",
        lambda item: None if item.spending.known is None else f"{item.spending.dollars:.4f}",
    ),
    Field(
        "cost_estimated",
        "the sign ~ for a cost that is an estimate",
        lambda item: "~" if item.spending.estimated > 0 else "",
    ),
    Field("size", "bytes of the file", lambda item: item.row.size),
    Field("problems", "number of faults in the file", lambda item: problem_count(item.row, item.now_ms)),
    Field(
        "subagent",
        "the word sub-agent for a session of one",
        lambda item: "sub-agent" if is_subagent(item.row) else "",
    ),
)

LIST_FIELDS: tuple[Field[Listed], ...] = (
    *ROW_FIELDS,
    Field("state", "live, maybe or idle", lambda item: item.state),
    Field(
        "ending",
        "how it ended: done, waiting, failed, aborted, interrupted or continued",
        lambda item: item.row.ending,
    ),
    Field("tags", "tags, with blanks between them", lambda item: " ".join(item.tagging.tags)),
    Field("note", "note", lambda item: item.tagging.note),
)
LIST_PIPE = ("id", "modified", "agent", "messages", "title", "cwd")
"""The fields of `leafmark list` in a pipe."""


def run(options: Options, setup: Setup) -> int:
    """Print the sessions that match, newest activity first, or in the order of `--sort`, or in that of
    `sort:` in the query. The exit code is 1 if a query matches none.
    """
    cells = columns()
    fields = LIST_FIELDS if options.format else [_with_word(field) for field in LIST_FIELDS]
    make_line = line_maker(options, fields, LIST_PIPE, cells)
    query = " ".join(options.query).strip()
    now_ms = setup.now_ms()
    walked = walk(setup.stores)
    processes = look(setup.stores)
    sort = options.sort or RECENT
    if options.limit is None or query or options.json or processes.processes or sort != RECENT:
        known, note = read_current(setup, walked, lambda catalog: catalog.rows(options.json))
        matching, named = filter_by(known, query, setup) if query else (known, "")
        if matching is None:
            return 2
        sort = named or sort
        rows, total = sorted_rows(matching, sort, setup.prices), len(matching)
    else:
        # Without a running agent, no session is live, so only the rows to show are read.
        limit = options.limit
        (known, total), note = read_current(setup, walked, lambda catalog: catalog.newest(limit))
        rows = known
    if note:
        complain(note)
    complain_of_skipped(walked.complaints, (row.path for row in known), setup.stores)
    shown = rows if options.limit is None else rows[: options.limit]
    states = {path: verdict.state for path, verdict in live_sessions(known, processes, now_ms).items()}
    if options.json:
        taggings = read_taggings(setup.state_folder)
        expires, is_kept = expiry_of(lambda: known), kept_in(setup.stores)
        sessions = [
            to_json(
                row,
                states.get(row.path, "idle"),
                now_ms,
                taggings.get((row.agent, row.id), NOTHING),
                setup.prices,
                expires(row),
                is_kept=is_kept(row),
            )
            for row in shown
        ]
        write_json({"schema": SCHEMA, "total": total, "sessions": sessions})
    else:
        if shown and make_line is not None:
            taggings = read_taggings(setup.state_folder) if options.format else {}
            write_lines(make_line(_listed(row, now_ms, states, taggings, setup.prices)) for row in shown)
        elif shown and cells is not None:
            colour = wants_colour(setup.env)
            column = sort if sort in COLUMNS else ""
            texts = [sort_column(column, row, now_ms, setup.prices) for row in shown] if column else []
            write_lines(
                table(
                    shown,
                    states,
                    setup.home,
                    now_ms,
                    cells,
                    header=True,
                    colour=colour,
                    sorted_by=(COLUMNS[column], texts) if column else None,
                )
            )
        if len(shown) < total:
            complain(f"{len(shown):,} of {total:,} sessions; --limit {total} shows all")
    if not total:
        complain("no session matches" if query else NO_SESSIONS)
    return 1 if query and not total else 0


def shown_title(row: Row) -> str:
    """The title of a session, with a word before that of a sub-agent: the user did not write to it."""
    return f"sub-agent: {row.title}" if is_subagent(row) else row.title


def _with_word(field: Field[Listed]) -> Field[Listed]:
    if field.name != "title":
        return field
    return Field(field.name, field.help, lambda item: shown_title(item.row))


def _listed(row: Row, now_ms: int, states: dict[str, str], taggings: Taggings, prices: Prices) -> Listed:
    tagging = taggings.get((row.agent, row.id), NOTHING)
    return Listed(row, now_ms, states.get(row.path, "idle"), tagging, prices)


def read_current(
    setup: Setup, walked: WalkResult, read: Callable[[Catalog], Result]
) -> tuple[Result, str | None]:
    """The result of `read` from a catalog that is current with the files that the walk found; and one line
    about a cache that cannot be written, else None.
    """
    catalog = Catalog(setup.cache_folder, setup.stores, complain)
    text_store = TextStore(catalog)
    try:
        result = make_current(catalog, text_store, setup.stores, setup.now_ms, walked, lambda: read(catalog))
        return result, catalog.note or text_store.note
    finally:
        catalog.close()
        text_store.close()


def filter_by(rows: list[Row], query: str, setup: Setup) -> tuple[list[Row] | None, str]:
    """The rows that match `query`, and the order that it names, "" for none. None if the query is invalid;
    then standard error has the reason.
    """
    # Imported here: a list without a query does not need it.
    from app.view.list_filter import haystack, is_plain, matches, words_of

    if not is_plain(query):
        from app.reports.list_query import filter_rows  # the query language takes long to import

        return filter_rows(rows, query, setup)
    words = words_of(query)
    taggings = read_taggings(setup.state_folder)
    matching = [
        row
        for row in rows
        if matches(
            haystack(row, tilde(row.cwd, setup.home), taggings.get((row.agent, row.id), NOTHING)), words
        )
    ]
    return matching, ""


def table(
    rows: list[Row],
    states: dict[str, str],
    home: str,
    now_ms: int,
    cells: int,
    *,
    header: bool = False,
    colour: bool = False,
    sorted_by: tuple[str, list[str]] | None = None,
) -> list[str]:
    """The rows as lines: state, age, agent, messages, marks, id, title and folder.

    :param cells: the width to fit to; a narrow terminal gets fewer columns.
    :param header: begin with a line of the columns' names.
    :param sorted_by: the name of one more column, behind the age, and its text for each row; None for none.
    """
    ids = [one_line(short_id(row.id)) for row in rows]
    id_cells = _id_cells([width(text) for text in ids])
    signs = _state_signs(states)
    sort_name, values = sorted_by or ("", [""] * len(rows))
    value_cells = max(map(width, [sort_name, *values]))
    # Behind each value is a blank.
    values = [f"{value:>{value_cells}} " if sorted_by else "" for value in [sort_name, *values]]
    kept = _columns(cells - width(values[0]), id_cells)
    folders = [tilde(row.cwd, home) for row in rows]
    names = ["  ", f" age {values.pop(0)}", "agent    ", "msgs ", " " * MARK_CELLS, pad("id", id_cells)]
    room = cells - sum(len(names[column]) for column in kept) - 4
    folder_cells = max(0, min(max(map(width, [*folders, "folder"])), room // 3))

    def line(facts: list[str], title: str, folder: str, *, is_header: bool = False) -> str:
        shown = [facts[column] for column in kept]
        if _ID not in kept:
            shown[-1:] = [text[:-1] for text in shown[-1:]]
        title_cells = max(0, cells - width("".join(shown)) - 4 - folder_cells)
        shown += ["  ", pad(title, title_cells), "  ", shorten(folder, folder_cells)]
        whole = "".join(shown).rstrip()
        if is_header:
            return painted(shorten(whole, cells), BOLD, colour=colour)
        if not colour or width(whole) > cells:
            return shorten(whole, cells)
        styles = [*(_STYLES[column] for column in kept), "", "", "", DIM]
        pairs = zip(shown, styles, strict=True)
        return "".join([painted(text, style, colour=True) for text, style in pairs]).rstrip()

    lines = [line(names, "title", "folder", is_header=True)] if header else []
    for row, text, folder, value in zip(rows, ids, folders, values, strict=True):
        marks = shorten(_marks(row, now_ms), MARK_CELLS - 1)
        marks = marks and f"{marks} "
        # A long id takes the place of blanks before it.
        over = max(0, width(text) - id_cells)
        facts = [
            f"{signs.get(row.path, ' ')} ",
            f"{age_or_date(row.newest, now_ms):>4} {value}",
            f"{row.agent:<8} ",
            f"{count(row.message_count):>4} ",
            pad(marks, max(width(marks), MARK_CELLS - over)),
            pad(text, max(width(text), id_cells)),
        ]
        lines.append(line(facts, shown_title(row), folder))
    return lines


_STYLES = (GREEN, DIM, "", "", YELLOW, CYAN)
"""The styles of the columns before the title."""


def _id_cells(widths: list[int]) -> int:
    """The width of the column of ids. A few long ids do not widen the column for all rows."""
    usual = [width for width in widths if width <= SHORT_ID]
    if len(usual) * 2 < len(widths):
        usual = widths
    return max(usual, default=0)


def _columns(cells: int, id_cells: int) -> list[int]:
    """The numbers of the columns before title and folder that fit."""
    sizes = [2, 5, 9, 5, MARK_CELLS, id_cells]
    kept = list(range(len(sizes)))
    for column in _LEFT_OUT:
        if cells - sum([sizes[number] for number in kept]) - 4 >= LEAST_ROOM:
            break
        kept.remove(column)
    return kept


def _state_signs(states: dict[str, str]) -> dict[str, str]:
    """Path -> the character for a session that is live or maybe live."""
    if not states:
        return {}
    # Imported here: mostly no session is live.
    from app.view.session_row import STATES

    return {path: STATES[state][0] for path, state in states.items()}


def _marks(row: Row, now_ms: int) -> str:
    marks = ["gone"] if row.is_gone else []
    if row.parent_session:
        marks.append("↳")
    if row.branch_count > 1:
        marks.append(f"Ψ{count(row.branch_count)}")
    if row.labels:
        marks.append(f"◆{count(len(row.labels))}")
    if problem_count(row, now_ms):
        marks.append("!")
    return " ".join(marks)


def complain_of_skipped(
    complaints: Iterable[Complaint], reported: Iterable[str], stores: Iterable[Store]
) -> None:
    """Print one line with the number of files and folders in which no session was read, if there are any.

    :param reported: paths that are left out, because they are listed or reported elsewhere.
    """
    paths = {path for path, reason in complaints if not hides_nothing(reason)}
    if paths:
        paths.difference_update(reported)
    if not paths:
        return
    suffixes = tuple({suffix for store in stores for suffix in (*store.suffixes, *store.unread_suffixes)})
    files = sum(path.removesuffix(PACKED).endswith(suffixes) for path in paths)
    number = how_many_unread(files, len(paths) - files)
    were = "was" if len(paths) == 1 else "were"
    complain(f"{number} {were} not read; `leafmark doctor` says why")


def to_json(
    row: Row,
    state: str,
    now_ms: int,
    tagging: Tagging = NOTHING,
    prices: Prices = LIST_PRICES,
    expires_ms: int | None = None,
    *,
    is_kept: bool = False,
) -> dict[str, Any]:
    """The row's JSON object. Times become ISO 8601, UTC.

    :param row: loaded in full, so that `first_message` is there.
    :param state: "live", "maybe" or "idle".
    :param now_ms: decides whether an unfinished last line is damage yet.
    :param tagging: its tags and note.
    :param prices: those of tokens without a cost.
    :param expires_ms: when its agent may delete it, in milliseconds since the epoch; None for never.
    :param is_kept: leafmark keeps a copy of it.
    """
    return {
        "agent": row.agent,
        "session_id": row.id,
        "path": row.path,
        "cwd": row.cwd,
        "name": row.name,
        "title": row.title,
        "first_message": row.first_message,
        "created": None if row.created is None else iso(row.created),
        "modified": iso(row.newest),
        "message_count": row.message_count,
        "entry_count": row.entry_count,
        "leaf_count": row.leaf_count,
        "labels": [{"entry_id": entry_id, "label": label} for entry_id, label in row.labels],
        "leaf_id": row.leaf_id,
        "parent_session": row.parent_session,
        "continued_in": row.continued_in or None,
        "subagent": is_subagent(row),
        "size": row.size,
        "models": list(row.models),
        "tokens": dict(zip(("input", "output", "cache_read", "cache_write"), row.tokens, strict=True)),
        **cost_fields(prices.spending(row.cost, row.unpriced)),
        "state": state,
        "ending": row.ending or None,
        "problems": problem_count(row, now_ms),
        "tags": list(tagging.tags),
        "note": tagging.note or None,
        "expires": None if expires_ms is None else iso(expires_ms),
        "kept": is_kept,
        "gone": row.is_gone,
    }
