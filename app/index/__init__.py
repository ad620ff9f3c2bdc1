"""The catalog of all sessions, what keeps it current, and the search: scan, watch, query (DESIGN, "How data
flows").

`open` gives an `Index`; nothing of it is imported before it is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.index import Index
    from app.index.query.query import Facts
    from app.stores.base import Store


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
        `app.places.cache_folder(os.environ)`.
    :param state_folder: leafmark's, for `is:pinned`: `app.places.state_folder(os.environ)`.
    """
    from app.index.index import Index

    clock = {} if now is None else {"now": now}
    return Index(stores, cache_folder, **clock, poll=poll, home=home, facts=facts, state_folder=state_folder)
