"""The readings that were stored last: a file that grows is looked at again and again, and what is known of it
need not be asked for each time (PERFORMANCE 5.9).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.reading import Reading
    from app.index.saving import Place

    Key = tuple[str, str]
    """The root of a store, and a path."""

    Written = tuple[sqlite3.Connection | None, int]
    """A connection to the catalog, and how much it has written."""

MOST = 16
"""So many are kept: of a session with twenty thousand entries a reading weighs 80 kB."""


class Known:
    """What stands in the catalog's tables, for whoever writes next.

    connection   that wrote it
    others       what `written_by_others` must say for it to hold
    places       what stands there of files
    numbers      of the segments by their names; None where they are not known
    """

    __slots__ = ("connection", "numbers", "others", "places")

    def __init__(
        self,
        connection: sqlite3.Connection,
        others: int,
        places: Mapping[Key, Place],
        numbers: dict[str, int] | None,
    ) -> None:
        self.connection = connection
        self.others = others
        self.places = places
        self.numbers = numbers


class Recent:
    """They are as they are stored while nothing else has been written."""

    def __init__(self) -> None:
        self._readings: dict[str, Reading] = {}
        self._places: dict[Key, Place] = {}
        self._numbers: dict[str, int] | None = None
        self._written: Written = (None, 0)
        self._others = 0

    def find(self, paths: Sequence[str], written: Written, others: int) -> dict[str, Reading] | None:
        """The readings of these files, by path; None where one of them has to be asked for.

        :param written: by the catalog so far.
        :param others: what `written_by_others` says now.
        """
        if written != self._written or others != self._others:
            self._written = written
            self._others = others
            self._forget()
            return None
        readings = self._readings
        found = {path: readings[path] for path in paths if path in readings}
        return found if len(found) == len(paths) else None

    def known(self, written: Written) -> Known | None:
        """What else is known; None where that is nothing.

        :param written: by the catalog so far.
        """
        connection = written[0]
        if connection is None or written != self._written:
            return None
        return Known(connection, self._others, self._places, self._numbers)

    def keep(
        self,
        readings: Iterable[Reading],
        places: Mapping[Key, Place],
        numbers: dict[str, int] | None,
        before: Written,
        after: Written,
    ) -> None:
        """These were just stored, in these places.

        :param numbers: see `Known`.
        :param before: what the catalog had written; `after`: what it has written by now.
        """
        if before != self._written or before[0] is not after[0]:
            self._written = (None, 0)
            self._forget()
            return
        # What others have written since is not asked for: the next `find` will see it.
        self._written = after
        self._numbers = numbers
        self._places.update(places)
        for reading in readings:
            row = reading.row
            self._readings.pop(row.path, None)
            self._readings[row.path] = reading
        if len(self._readings) > MOST or len(self._places) > MOST:
            self._readings = dict([*self._readings.items()][-MOST:])
            self._places = {key: place for key, place in self._places.items() if key[1] in self._readings}

    def _forget(self) -> None:
        self._readings.clear()
        self._places.clear()
        self._numbers = None
