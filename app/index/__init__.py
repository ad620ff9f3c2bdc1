"""Keep the catalog of all sessions current and search it: scan, watch, query.

`open` returns an `Index` and imports its modules when it is called. Import `open` by name:
`from app.index import *` leaves Python's own `open` alone. The package also exports the types that the
methods of `Index` return and raise:

    Delta, Row                     the values that `scan` and `watch` report, and the result of `rows`
    QueryError, Note               the reason why a query cannot run, and a remark about one that can
    Search, Page, Hit, Place       the results of `query` and `place`
    complete, Completion           the possible completions of a query at a position in its text
    vocabulary, Vocabulary         the values from sessions that completions offer
    cache_status, rebuild          what the cache has, and its deletion
    Catalog, SCHEMA                the rows in the cache, and the version of their table
    FIELDS, Span                   the fields of a row, and the place of its text
    Signature, signature_of, unread
                                   what of a file shows that it has changed
    session_row, provisional_row, refused_row, problem_count
                                   the kinds of rows, and the number of problems of one
    current_figures, figures_path  tokens and costs of all sessions, and their file in the cache
    facts_of                       the facts about sessions that filters ask for
    read_tools                     reads the words and files of tool calls in a process of its own
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.lazy_names import lazy_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from app.formats.prices import Prices
    from app.index.cache import cache_status as cache_status
    from app.index.cache import rebuild as rebuild
    from app.index.catalog.catalog import Catalog as Catalog
    from app.index.figures_file import current_figures as current_figures
    from app.index.figures_file import figures_path as figures_path
    from app.index.filter_context import facts_of as facts_of
    from app.index.index import Index as Index
    from app.index.query.completion import Completion as Completion
    from app.index.query.completion import Vocabulary as Vocabulary
    from app.index.query.completion import complete as complete
    from app.index.query.completion import vocabulary as vocabulary
    from app.index.query.query import Facts
    from app.index.query.query import Note as Note
    from app.index.query.query import QueryError as QueryError
    from app.index.row import FIELDS as FIELDS
    from app.index.row import SCHEMA as SCHEMA
    from app.index.row import Row as Row
    from app.index.row import Signature as Signature
    from app.index.row import Span as Span
    from app.index.row import problem_count as problem_count
    from app.index.row import provisional_row as provisional_row
    from app.index.row import refused_row as refused_row
    from app.index.row import session_row as session_row
    from app.index.row import signature_of as signature_of
    from app.index.row import unread as unread
    from app.index.scan.deltas import Delta as Delta
    from app.index.search.hit_branch import Place as Place
    from app.index.search.results import Hit as Hit
    from app.index.search.results import Page as Page
    from app.index.search.search_run import Search as Search
    from app.index.tool_process import read_tools as read_tools
    from app.stores.base import Store

lazy_names(
    __name__,
    {
        "cache": "cache_status rebuild",
        "catalog.catalog": "Catalog",
        "figures_file": "current_figures figures_path",
        "filter_context": "facts_of",
        "index": "Index",
        "query.completion": "Completion Vocabulary complete vocabulary",
        "query.query": "Note QueryError",
        "row": (
            "FIELDS Row SCHEMA Signature Span problem_count provisional_row refused_row session_row "
            "signature_of unread"
        ),
        "scan.deltas": "Delta",
        "search.hit_branch": "Place",
        "search.results": "Hit Page",
        "search.search_run": "Search",
        "tool_process": "read_tools",
    },
)


def open(  # callers write app.index.open(...)
    stores: Sequence[Store],
    cache_folder: str,
    now: Callable[[], int] | None = None,
    *,
    poll: bool | None = None,
    home: str = "",
    facts: Facts | None = None,
    state_folder: str = "",
    prices: Prices | None = None,
) -> Index:
    """Open the index of `stores` in `cache_folder`, which is created when it is needed. See `Index`.

    :param stores: the stores, as `app.stores.discover` returns them.
    :param cache_folder: the folder for the catalog and the texts and nothing else; leafmark uses
        `app.paths.cache_folder(os.environ)`.
    :param state_folder: leafmark's state folder, for `is:pinned`: `app.paths.state_folder(os.environ)`.
    :param prices: those of tokens without a cost, for the filter `cost:`; None for those of the table.
    """
    # Imported here, as in `__getattr__`.
    from app.index.index import Index

    given: dict[str, Any] = {} if now is None else {"now": now}
    if prices is not None:
        given["prices"] = prices
    return Index(stores, cache_folder, **given, poll=poll, home=home, facts=facts, state_folder=state_folder)
