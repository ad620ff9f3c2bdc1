"""What the first picture asks of the catalog, without all that keeps it: to load that takes as long as the
answers.

On the fast path of the first frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.catalog import stored
from app.index.catalog.database import Busy, Database, Doubt, encode
from app.index.catalog.stored import newest_first

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence
    from typing import Concatenate, ParamSpec, TypeVar

    from app.index.row import Row
    from app.stores.base import Store

    Asked = ParamSpec("Asked")
    Result = TypeVar("Result")


class Front:
    """The projects of `stores` in the cache folder `folder`, and their rows. To be used from one thread.

    Nothing here raises because of the file: see `database`.
    """

    def __init__(self, folder: str, stores: Sequence[Store]) -> None:
        """:param folder: made when it is not there; nothing is written anywhere else."""
        self._database = Database(folder)
        self._names = {store.root: encode("+".join(store.agents) + " " + store.root) for store in stores}

    def groups(self) -> list[tuple[str, int, int, int]]:
        """(working folder, number of sessions, newest `modified`, number of hidden ones) of every project,
        newest first; the first two are of those that are not hidden.
        """
        return self._ask(stored.groups) or []

    def rows_of(self, cwd: str, limit: int = -1) -> list[Row]:
        """The sessions of one project, newest first, without their first messages.

        :param limit: no more than the newest so many; negative: all.
        """
        return newest_first(self._ask(stored.rows_of, cwd, limit) or [])

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What `work` finds; None while another process has locked us out. It may be called twice, see
        `database`.
        """
        try:
            return self._database.run(work)
        except Busy:
            return None

    def _ask(
        self,
        question: Callable[Concatenate[sqlite3.Connection, Mapping[int, str], Asked], Result],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Result | None:
        """The answer to one of `stored`, for the stores at hand; None as with `run`."""
        return self.run(lambda connection: question(connection, self.roots(connection), *asked, **named))

    def roots(self, connection: sqlite3.Connection) -> dict[int, str]:
        """The numbers of the stores at hand, as far as they have any, with their roots.

        Asked each time: another process may have added one.

        :raises Doubt: one has two, of which each may have rows of the same files.
        """
        names = {name: root for root, name in self._names.items()}
        found = connection.execute("SELECT id, name FROM stores")
        roots = {number: names[name] for number, name in found if name in names}
        if len(roots) != len(set(roots.values())):
            raise Doubt("a store that is listed twice")
        return roots
