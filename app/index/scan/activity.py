"""When somebody was seen to write to a session, whatever its file is called by now
(formats/README.md, "Detecting a running agent").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.catalog.catalog import SEVERAL
from app.sessions.storage.append_ledger import Others, added_here, is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.row import Signature
    from app.index.scan.queue import Job


class Growth:
    """Says of files that are read when they were seen to grow."""

    def __init__(self, catalog: Catalog, now: Callable[[], int]) -> None:
        self._catalog = catalog
        self._now = now
        self._moved: dict[int, int] = {}
        # All of us that share a catalog note in its folder what they add.
        self._others = Others(os.path.dirname(catalog.path))
        self._looked = False

    def begin(self, gone: Sequence[str]) -> None:
        """Files are about to be read, whose sizes are known. Those in `gone` are not there any more, and each
        of the others may be one of them under another name. Of more than a few it is not asked: a live
        session is renamed alone.
        """
        self._looked = False
        self._moved = {}
        if 0 < len(gone) <= SEVERAL:
            rows = [reading.row for reading in self._catalog.load(gone).values()]
            self._moved = {row.ino: row.grew_ms for row in rows if row.grew_ms is not None}

    def of(self, job: Job, before: Signature | None) -> int | None:
        """Milliseconds since the epoch, None for never: now, if it has since we last looked ourselves, and
        not by what one of us wrote.

        :param before: how it was then.
        """
        inode, size = job.signature[:2]
        grew = before and before[0] == inode and before[1] < size
        if before and grew and not self._is_ours(job.path, inode, before[1], size):
            return self._now()
        return job.old.row.grew_ms if job.old else self._moved.get(inode)

    def _is_ours(self, path: str, inode: int, before: int, after: int) -> bool:
        own = added_here(inode)
        if own and is_ours(path, inode, before, after, own):
            return True
        if not self._looked:
            # Once for all files that are read now: each write was noted before it made one of these sizes.
            self._looked = True
            self._others.look()
        noted = self._others.of(inode)
        return bool(noted) and is_ours(path, inode, before, after, (*own, *noted))
