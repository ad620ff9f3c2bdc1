"""One line of the session list."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.index.row import Row
    from app.view.group import Group
    from app.view.row_texts import Block

Rank = tuple[int, int, str]
"""0 for what is pinned and comes first, else 1; newest activity, negative; path."""


class ListLine:
    """The head of a group (``row`` is None), or a session in its thread.

    The object stays while its session changes; the fields below are what changes.

    row       the session as it is now
    path      of its file, which never changes; "" for a head
    group     where it is listed; `app.view.group.NOWHERE` for what is not
    folder    the session's folder as it is written on screen
    standing  see `app.view.passing`
    pinned    whether a user has pinned it
    parent    the line of the session that this one is a fork of, wherever that is; None where it is nowhere
    forks     the lines of which this is the parent
    depth     0 for a root
    prefix    the connectors
    rank      what puts threads in order, one object for all lines of a thread; None while it is in none
    folded    what a filter looks at, once one has looked
    block     with which others that is looked at together
    """

    __slots__ = (
        "block",
        "depth",
        "folded",
        "folder",
        "forks",
        "group",
        "parent",
        "path",
        "pinned",
        "prefix",
        "rank",
        "row",
        "standing",
    )

    def __init__(self, group: Group, row: Row | None = None) -> None:
        self.group = group
        self.row = row
        self.path = row.path if row is not None else ""
        self.folder = ""
        self.standing = 0
        self.pinned = False
        self.parent: ListLine | None = None
        self.forks: dict[ListLine, None] | None = None
        self.depth = 0
        self.prefix = ""
        self.rank: Rank | None = None
        self.folded = ""
        self.block: Block | None = None

    @property
    def is_orphan(self) -> bool:
        """Whether the session is a fork of one that is nowhere."""
        return self.parent is None and self.row is not None and bool(self.row.parent_session)
