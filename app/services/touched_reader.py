"""Keeps the files that sessions touched, and the words of their tools, current in a thread."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

from app.index.scan.walk import is_much
from app.messages import TouchedFilesRead
from app.services.background import REST_AHEAD, BackgroundService, GilYielder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.index import Index
    from app.index.row import Row
    from app.services.background import Post

PAUSE_SECONDS = 2.0
"""Least seconds between two looks for changed sessions: a running agent writes several times a second."""
_TICK_SECONDS = 0.05


class TouchedReader(BackgroundService):
    """Reads the sessions that have changed; posts `TouchedFilesRead`."""

    def __init__(self, index: Callable[[], Index | None], post: Post) -> None:
        """:param index: gives the index, or None before it is ready: then nothing is read."""
        super().__init__(post)
        self._index = index
        # bytes that the last process did not read
        self._left = 0

    def read(self, rows: Sequence[Row]) -> None:
        """Read those of `rows`, all sessions of the index, that have changed since the last call."""
        self._worker.submit(lambda is_stale: self._read(rows, is_stale), interrupts=False)

    def _read(self, rows: Sequence[Row], is_stale: Callable[[], bool]) -> None:
        index = self._index()
        if index is None:
            return
        files, words = index.touched_files, index.tool_words
        unread = max(files.unread_bytes(rows), words.unread_bytes(rows))
        if is_much(unread - self._left):
            # Imported here: most runs have little to read.
            from app.index.tool_process import read_tools

            def touched() -> None:
                files.reload()
                self._post(TouchedFilesRead())

            read_tools(index.cache_folder, rows, should_stop=is_stale, touched=touched)
            files.reload()
            words.reload()
            # Files that cannot be read now are not tried again and again.
            self._left = max(files.unread_bytes(rows), words.unread_bytes(rows))
        else:
            yielder = GilYielder(is_stale, REST_AHEAD)
            if files.update(rows, should_stop=lambda: not yielder.keep_going(), gentle=True):
                self._post(TouchedFilesRead())
        until = monotonic() + PAUSE_SECONDS
        while monotonic() < until and not is_stale():
            sleep(_TICK_SECONDS)
