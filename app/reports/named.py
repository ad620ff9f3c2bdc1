"""The session that a report was asked about, opened to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.resolve import Ambiguous, NotFound, place
from app.reports.output import complain
from app.sessions.errors import NotThere, SessionError
from app.sessions.tree.tree import open_tree
from app.stores.layout import reason

if TYPE_CHECKING:
    from app.sessions.tree.tree import SessionTree
    from app.setup import Setup


class NotOpened(Exception):
    """There is nothing to report on; the text says why, and `code` is the exit code for it."""

    def __init__(self, why: str, code: int) -> None:
        super().__init__(why)
        self.code = code


def open_named(named: str, setup: Setup) -> SessionTree:
    """The tree of the session that ``named`` stands for (see ``app.index.resolve``).

    :raises NotOpened: it is not found (1), not the only one (2), or cannot be read (3).
    """
    path = named
    try:
        found = place(named, setup.stores, setup.cache_folder, complain)
        path = found.path
        return open_tree(path, found.agents)
    except (NotFound, NotThere) as error:
        raise NotOpened(str(error), 1) from None
    except Ambiguous as error:
        raise NotOpened(str(error), 2) from None
    except SessionError as error:
        raise NotOpened(str(error), 3) from None
    except OSError as error:
        raise NotOpened(f"{path}: {reason(error)}", 3) from None
