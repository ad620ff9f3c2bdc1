"""The readings that were stored last: a file that grows is looked at again and again, and what is known of it
need not be asked for each time (PERFORMANCE 5.9).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.reading import Reading

    Written = tuple[object, int, int]

MOST = 16
"""So many are kept: of a session with twenty thousand entries a reading weighs 80 kB."""


class Recent:
    """They are as they are stored while nothing else has been written."""

    def __init__(self) -> None:
        self._readings: dict[str, Reading] = {}
        self._written: Written | None = None

    def find(self, paths: Sequence[str], written: Written) -> dict[str, Reading] | None:
        """The readings of these files, by path; None where one of them has to be asked for.

        :param written: what the catalog knows of all writing by now: its connection, what that has written,
            and what it knows of others.
        """
        if written != self._written:
            self._written = written
            self._readings = {}
            return None
        if not self._readings.keys() >= set(paths):
            return None
        return {path: self._readings[path] for path in paths}

    def keep(
        self, readings: Sequence[Reading], before: tuple[object, int], after: tuple[object, int]
    ) -> None:
        """These were just stored.

        :param before: the catalog's connection and what it had written; `after`: the same by now.
        """
        known, self._written = self._written, None
        if known is None or known[:2] != before or before[0] is not after[0]:
            self._readings = {}
            return
        # What others have written since is not asked for: the next `find` will see it.
        self._written = (*after, known[2])
        for reading in readings:
            self._readings.pop(reading.row.path, None)
            self._readings[reading.row.path] = reading
        for path in list(self._readings)[:-MOST]:
            del self._readings[path]
