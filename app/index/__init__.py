"""Keep the catalog of all sessions current and search it: scan, watch, query.

`open` returns an `Index` and imports its modules when it is called. Import `open` by name:
`from app.index import *` leaves Python's own `open` alone. The other public names load when they are first
used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.lazy_names import lazy_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from app.formats.prices import Prices
    from app.index.index import Index
    from app.index.query.query import Facts
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
