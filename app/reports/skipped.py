"""What is said beside a list or a search of what could not be read and may hold sessions.

On the fast path of a list that passed something over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.reports.output import complain
from app.stores.layout import hides_nothing
from app.view.bars import how_many_unread

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from app.stores.base import Store
    from app.stores.layout import Complaint


def complain_of_skipped(
    complaints: Iterable[Complaint], told: Collection[str], stores: Iterable[Store]
) -> None:
    """Say in one line how many files and folders were not read, if any were not.

    :param told: the paths of which something is said elsewhere: sessions that are known, for one.
    """
    paths = {path for path, why in complaints if not hides_nothing(why)}.difference(told)
    if not paths:
        return
    suffixes = tuple({suffix for store in stores for suffix in store.suffixes})
    files = sum(path.endswith(suffixes) for path in paths)
    said = how_many_unread(files, len(paths) - files)
    were = "was" if len(paths) == 1 else "were"
    complain(f"{said} {were} not read; `leafmark doctor` says why")
