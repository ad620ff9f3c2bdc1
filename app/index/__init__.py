"""Keep the catalog of all sessions current and search it: scan, watch, query.

`open` returns an `Index` and imports its modules when it is called. Import `open` by name:
`from app.index import *` leaves Python's own `open` alone. The package also exports the types that the
methods of `Index` return and raise:

    Delta, Row                     the values that `scan` and `watch` report, and the result of `rows`
    QueryError, Note               the reason why a query cannot run, and a remark about one that can
    Search, Page, Hit, Place       the results of `query` and `place`
    complete, Completion           the possible completions of a query at a position in its text
    vocabulary, Vocabulary         the values from sessions that completions offer
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from app.formats.prices import Prices
    from app.index.index import Index
    from app.index.query.completion import Completion, Vocabulary, complete, vocabulary
    from app.index.query.query import Facts, Note, QueryError
    from app.index.row import Row
    from app.index.scan.deltas import Delta
    from app.index.search.hit_branch import Place
    from app.index.search.results import Hit, Page
    from app.index.search.search_run import Search
    from app.stores.base import Store

__all__ = [
    "Completion",
    "Delta",
    "Hit",
    "Index",
    "Note",
    "Page",
    "Place",
    "QueryError",
    "Row",
    "Search",
    "Vocabulary",
    "complete",
    "vocabulary",
]

_MODULES = {
    "Completion": "query.completion",
    "Delta": "scan.deltas",
    "Hit": "search.results",
    "Index": "index",
    "Note": "query.query",
    "Page": "search.results",
    "Place": "search.hit_branch",
    "QueryError": "query.query",
    "Row": "row",
    "Search": "search.search_run",
    "Vocabulary": "query.completion",
    "complete": "query.completion",
    "vocabulary": "query.completion",
}


if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept every misspelled name

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # Imported here: a printed list needs almost none of these modules.
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


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
