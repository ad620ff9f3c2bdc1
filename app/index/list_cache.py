"""The newest sessions as the files are right now, for a list that is printed once and ends there.

Mostly nothing has changed since the last one. Then the page that it left is all that is read, and neither
what reads the catalog nor what reads files is even imported.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.page import ROWS, Page
from app.index.row import catalog_in
from app.index.scan.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.index.scan.walk import Found
    from app.index.workers.workers import Workers
    from app.stores.base import Store


def look_first(stores: Sequence[Store], cache_folder: str) -> Found:
    """A walk of the stores. Where nothing is kept of them yet, what is to read them comes up meanwhile."""
    if os.path.exists(catalog_in(cache_folder)):
        return walk(stores)

    def workers() -> Workers | None:
        from app.index.scan.executor import start_workers

        return start_workers(stores, gentle=False)

    return walk(stores, when_much=workers)


def newest(
    stores: Sequence[Store], cache_folder: str, limit: int, now: Callable[[], int], found: Found
) -> tuple[list[Row], int, str | None]:
    """The `limit` newest sessions, newest first and without their first messages; how many there are; and one
    line why nothing is kept on disk, else None. Raises nothing.

    :param now: the time in milliseconds.
    :param found: what a walk of the stores has just found.
    """
    page = Page(cache_folder, stores, found.record(), now())
    known = page.read(limit)
    if known is not None:
        if found.workers:
            # The catalog was deleted, and the page was not.
            found.workers.close()
        return *known, None
    from app.index.catalog.catalog import Catalog
    from app.index.scan.current import make_current

    catalog = Catalog(cache_folder, stores)
    try:
        (rows, total), as_found = make_current(
            catalog, stores, now, found, lambda: catalog.newest(max(limit, ROWS))
        )
        if as_found and catalog.untouched() and catalog.note is None:
            page.write(rows, total)
        return rows[:limit], total, catalog.note
    finally:
        catalog.close()
