"""One line of the session list."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.index.row import Row
    from app.view.group import Group

Rank = tuple[int, str]


class ListLine:
    """The head of a group (``row`` is None), or a session in its thread.

    The object stays while its session changes; the fields below are what changes.

    row      the session as it is now
    parent   the line of the session that this one is a fork of, where that is in the same group
    depth    0 for a root
    prefix   the connectors
    rank     what puts threads in order, one object for all lines of a thread; None while it is in none
    folded   what a filter looks at, once one has looked
    """

    __slots__ = ("depth", "folded", "group", "parent", "prefix", "rank", "row")

    def __init__(self, group: Group, row: Row | None = None) -> None:
        self.group = group
        self.row = row
        self.parent: ListLine | None = None
        self.depth = 0
        self.prefix = ""
        self.rank: Rank | None = None
        self.folded = ""

    @property
    def path(self) -> str:
        """Of the session's file; "" for a head."""
        return self.row.path if self.row is not None else ""
