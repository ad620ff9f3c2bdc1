"""The numbers of every project, kept ready for the first picture: to count ten thousand sessions takes longer
than all else that is read for it.

They are right or they are not there: who writes or deletes rows of sessions executes `FORGET` in the same
transaction.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING

from app.index.catalog.stored import count_groups, ids_of

if TYPE_CHECKING:
    import sqlite3

    from app.index.catalog.stored import Roots

FORGET = "DELETE FROM projects WHERE true"
"""Of all, and mostly there is nothing. Without a condition SQLite would write the pages of the empty table
each time, which are a third of what it writes for one more entry.
"""

_MARSHAL_VERSION = 4  # written and read by every Python since 3.4


def keep(connection: sqlite3.Connection, roots: Roots) -> None:
    """Count the projects of the stores at hand, unless that is kept already, for `stored.groups`.

    :raises sqlite3.Error: it was not done.
    """
    stores = ids_of(roots)
    if connection.execute("SELECT 1 FROM projects WHERE stores = ?", (stores,)).fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    counted = marshal.dumps(count_groups(connection, roots), _MARSHAL_VERSION)
    # of other stores somebody may have kept theirs
    connection.execute("REPLACE INTO projects VALUES (?, ?)", (stores, counted))
    connection.execute("COMMIT")
