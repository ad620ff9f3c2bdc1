"""The readings that were stored last: a file that grows is looked at again and again, and what is known of it
need not be asked for each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.catalog.writes import Place
    from app.index.parse_result import Reading

    Key = tuple[str, str]
    """The root of a store, and a path."""

    Written = tuple[sqlite3.Connection | None, int]
    """A connection to the catalog, and how much it has written."""

MOST = 16
"""So many are kept: of a session with twenty thousand entries a reading weighs 80 kB."""


class Recent:
    """They are as they are stored while nothing else has been written.

    written    the connection that stored them, and how much it had written by then
    others     what `written_by_others` then said
    places     what stands in the catalog's tables of files
    numbers    of the segments by their names; None where they are not known
    """

    __slots__ = ("_readings", "numbers", "others", "places", "written")

    def __init__(self) -> None:
        self.places: dict[Key, Place] = {}
        self.numbers: dict[str, int] | None = None
        self.written: Written = (None, 0)
        self.others = 0
        self._readings: dict[str, Reading] = {}

    def find(self, paths: Sequence[str], written: Written, others: int) -> dict[str, Reading] | None:
        """The readings of these files, by path; None where one of them has to be asked for.

        :param written: by the catalog so far.
        :param others: what `written_by_others` says now.
        """
        if written != self.written or others != self.others:
            self.written = written
            self.others = others
            self._forget()
            return None
        readings = self._readings
        found = {path: readings[path] for path in paths if path in readings}
        return found if len(found) == len(paths) else None

    def keep(
        self,
        readings: Iterable[Reading],
        places: Mapping[Key, Place],
        numbers: dict[str, int] | None,
        before: Written,
        after: Written,
    ) -> None:
        """These were just stored, in these places.

        :param before: what the catalog had written; `after`: what it has written by now.
        """
        if before != self.written or before[0] is not after[0]:
            self.written = (None, 0)
            self._forget()
            return
        # What others have written since is not asked for: the next `find` will see it.
        self.written = after
        self.numbers = numbers
        self.places.update(places)
        for reading in readings:
            row = reading.row
            self._readings.pop(row.path, None)
            self._readings[row.path] = reading
        if len(self._readings) > MOST or len(self.places) > MOST:
            self._readings = dict([*self._readings.items()][-MOST:])
            self.places = {key: place for key, place in self.places.items() if key[1] in self._readings}

    def _forget(self) -> None:
        self._readings.clear()
        self.places.clear()
        self.numbers = None
