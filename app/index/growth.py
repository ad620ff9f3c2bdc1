"""When somebody was seen to write to a session, whatever its file is called by now (FORMATS 2.4)."""

from __future__ import annotations

from app.index.catalog import SEVERAL
from app.sessions.own_growth import is_ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.catalog import Catalog
    from app.index.jobs import Job
    from app.index.row import Signature


class Growth:
    """Says of files that are read when they were seen to grow."""

    def __init__(self, catalog: Catalog, now: Callable[[], int]) -> None:
        self._catalog = catalog
        self._now = now
        self._moved: dict[int, int] = {}

    def lose(self, gone: Sequence[str]) -> None:
        """These files are gone, and others are about to be read, of which each may be one of them under
        another name. Of more than a few it is not asked: a live session is renamed alone.
        """
        self._moved = {}
        if 0 < len(gone) <= SEVERAL:
            rows = [reading.row for reading in self._catalog.load(gone).values()]
            self._moved = {row.ino: row.grew_ms for row in rows if row.grew_ms is not None}

    def of(self, job: Job, before: Signature | None) -> int | None:
        """Milliseconds since the epoch, None for never: now, if it has since we last looked ourselves, and
        not by what we wrote.

        :param before: how it was then.
        """
        inode, size = job.signature[:2]
        grew = before and before[0] == inode and before[1] < size
        if before and grew and not is_ours(job.path, inode, before[1], size):
            return self._now()
        return job.old.row.grew_ms if job.old else self._moved.get(inode)
