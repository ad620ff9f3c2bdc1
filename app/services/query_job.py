"""What asks the index in the background, the newest question only; it never touches a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.latest import LatestOnlyWorker

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from app.index.index import Index


class Questions:
    """One thread that asks, and where its answers go. `name` is the thread's, of each kind."""

    name = ""

    def __init__(
        self,
        index: Callable[[], Index | None],
        post: Callable[[Message], object],
        failed: Callable[[BaseException], None],
    ) -> None:
        """:param index: the index to ask, None while there is none yet: then nothing is posted, and the
            question is to be put again.
        :param post: where the answers go.
        """
        self._index = index
        self._post = post
        self._latest = LatestOnlyWorker(self.name, failed)

    def stop(self) -> None:
        """Ask nothing more; the thread ends."""
        self._latest.stop()
