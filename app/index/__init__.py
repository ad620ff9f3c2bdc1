"""The catalog of all sessions, what keeps it current, and the search: scan, watch, query.

`open` gives an `Index`; nothing of it is imported before it is asked for. It has to be asked for by name:
`from app.index import *` leaves Python's own `open` alone. What its methods give and raise can be had from
here as well:

    Delta, Row                     what `scan` and `watch` tell of, and what `rows` gives
    QueryError, Note               why a query cannot be run, and what is to be said of one that is
    Search, Page, Hit, Place       what `query` gives, and `place`
    complete, Completion           what may be typed next in a query, at a place in its text
    vocabulary, Vocabulary         the values that sessions give for that
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.index import Index
    from app.index.query.complete import Completion, complete
    from app.index.query.query import Facts, Note, QueryError
    from app.index.query.vocabulary import Vocabulary, vocabulary
    from app.index.row import Row
    from app.index.scan.deltas import Delta
    from app.index.search.hit_branch import Place
    from app.index.search.results import Hit, Page
    from app.index.search.search import Search
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
    "Completion": "query.complete",
    "Delta": "scan.deltas",
    "Hit": "search.results",
    "Index": "index",
    "Note": "query.query",
    "Page": "search.results",
    "Place": "search.hit_branch",
    "QueryError": "query.query",
    "Row": "row",
    "Search": "search.search",
    "Vocabulary": "query.vocabulary",
    "complete": "query.complete",
    "vocabulary": "query.vocabulary",
}


if not TYPE_CHECKING:  # a checker would take every name that is not there for one that is

    def __getattr__(name: str) -> object:
        # A list that is printed needs next to nothing of these.
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def open(  # the library's word for it: app.index.open(...)
    stores: Sequence[Store],
    cache_folder: str,
    now: Callable[[], int] | None = None,
    *,
    poll: bool | None = None,
    home: str = "",
    facts: Facts | None = None,
    state_folder: str = "",
) -> Index:
    """The index of `stores`, kept in `cache_folder`, which is made when it is needed. See `Index`.

    :param stores: as `app.stores.discover` finds them.
    :param cache_folder: for the catalog and the texts and nothing else; that of the program is
        `app.paths.cache_folder(os.environ)`.
    :param state_folder: leafmark's, for `is:pinned`: `app.paths.state_folder(os.environ)`.
    """
    from app.index.index import Index

    clock = {} if now is None else {"now": now}
    return Index(stores, cache_folder, **clock, poll=poll, home=home, facts=facts, state_folder=state_folder)
