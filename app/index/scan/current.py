"""Making the catalog current before a list is printed: once, in this thread, with nobody to tell."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from app.index.scan.retry import Scanned
from app.index.scan.scan import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from app.index.catalog.catalog import Catalog
    from app.index.scan.walk import Found
    from app.stores.base import Store

    Result = TypeVar("Result")


def make_current(
    catalog: Catalog,
    stores: Sequence[Store],
    now: Callable[[], int],
    found: Found,
    read: Callable[[], Result],
) -> tuple[Result, bool]:
    """Bring `catalog` up to date with the files that a walk of `stores` has just found. Raises nothing.

    :param now: the time in milliseconds.
    :param found: is told of what could not be read, in its complaints.
    :param read: asks the catalog what is wanted of it.
    :return: what `read` found; and whether the rows are those of the files just as they were found: none
        could not be read, or changed meanwhile.
    """
    scanner = Scanner(catalog, stores, now)
    scanner.begin(catalog.signatures())

    scanned = False

    def scan() -> None:
        nonlocal scanned
        if scanned:
            # They have read what there was, and have ended.
            found.workers = None
        scanned = True
        # A list needs no text: who searches has what is missing read again.
        scanner.scan(None, Event(), found=found, texts=False)
        catalog.tidy(now())

    result = Scanned(catalog, scanner).read(scan, read, scan_first=True)
    found.complaints += scanner.out_of_reach.unread().items()
    return result, scanner.known == {path: signature for path, (signature, _) in found.files.items()}
