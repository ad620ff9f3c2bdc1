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
    """They are as they are stored while nothing else has been written.

    `written` is always what the catalog knows of all writing by now: its connection, what that has written,
    and what it knows of others.
    """

    def __init__(self) -> None:
        self._readings: dict[str, Reading] = {}
        self._written: Written | None = None

    def find(self, paths: Sequence[str], written: Written) -> dict[str, Reading] | None:
        """The readings of these files, by path; None where one of them has to be asked for."""
        if written != self._written or not self._readings.keys() >= set(paths):
            return None
        return {path: self._readings[path] for path in paths}

    def keep(self, readings: Sequence[Reading], before: int, written: Written) -> None:
        """These were just stored.

        :param before: what the connection had written before.
        """
        if self._written != (written[0], before, written[2]):
            self._readings = {}
        self._written = written
        for reading in readings:
            self._readings.pop(reading.row.path, None)
            self._readings[reading.row.path] = reading
        for path in list(self._readings)[:-MOST]:
            del self._readings[path]
