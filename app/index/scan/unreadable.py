"""Files that could not be read when they were last looked at, and which of them nobody knows anything of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.scan.walk import store_of
from app.index.workers.reader import UNREADABLE
from app.stores.layout import hides_nothing

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from app.stores.base import Store
    from app.stores.layout import Complaint


class UnreadableFiles:
    """What one thread finds out; `unread` may be asked from others."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores
        self._reasons: dict[str, str] = {}
        self._unknown: set[str] = set()
        # Those whose folder does not even let them be looked at.
        self._hidden: dict[str, str] = {}
        # What may have sessions in it, for all that is known.
        self._folders: frozenset[str] = frozenset()

    def walked(self, files: Container[str], complaints: Iterable[Complaint], known: Container[str]) -> None:
        """A walk has found these files, and passed over others; `known` are read."""
        self._reasons = {path: why for path, why in self._reasons.items() if path in files}
        passed_over = {path: why for path, why in complaints if path not in known and not hides_nothing(why)}
        self._hidden = {path: why for path, why in passed_over.items() if store_of(path, self._stores)}
        self._folders = frozenset(passed_over.keys() - self._hidden.keys())

    def failed(self, path: str, reason: str, *, is_known: bool) -> None:
        """A file could not be read.

        :param is_known: it is a session that was read before.
        """
        if is_known:
            self._unknown.discard(path)
        else:
            self._unknown.add(path)
        self._reasons[path] = reason

    def forget(self, paths: Iterable[str]) -> None:
        """They have been read, or are gone."""
        for path in paths:
            self._reasons.pop(path, None)

    def complaints(self) -> list[Complaint]:
        """(path, reason) of all that the walk did not complain of itself."""
        return [*self._reasons.items()]

    def counts(self) -> tuple[int, int]:
        """How many files of which nothing is known, and how many folders, could not be read."""
        return len(self.unread()), len(self._folders)

    def unread(self) -> dict[str, str]:
        """Path -> why, of the files of which nothing is known: they may be sessions."""
        unknown = self._unknown.copy()
        refused = {path: why for path, why in self._reasons.copy().items() if path in unknown}
        return self._hidden | {path: why.removeprefix(f"{UNREADABLE}: ") for path, why in refused.items()}
