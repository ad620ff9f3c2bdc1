"""The entries of a session as nested nodes, for scripts
(formats/README.md, "Behaviour of SessionManager").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from app.formats.collector import Resting
from app.sessions.parent_links import Links

if TYPE_CHECKING:
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.entry_store import EntryStore


class TreeNode(Struct, eq=False):
    """An entry, its children (oldest first; of one age in file order) and the label on it, or None.

    orphan      its parent is not in the file, so it stands as a root
    loop        its parents go round; the loop was cut here
    duplicate   another entry has the same id
    """

    entry: Entry
    label: str | None
    id: str | None
    parent_id: str | None
    index: int
    parent: TreeNode | None = None
    children: list[TreeNode] = []
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False

    def __repr__(self) -> str:
        return f"TreeNode({self.entry!r}, {len(self.children)} children)"


def plant(book: EntryStore) -> list[TreeNode]:
    """The roots of the tree: entries without a parent, orphans, and where a loop was cut, in file order.

    Takes time linear in the entries, however deep they hang.
    """
    label = book.labels.get
    links: Links[TreeNode] = Links()
    with Resting():
        nodes = [
            TreeNode(entry, label(entry.id), entry.id or None, entry.parent_id, entry.index)
            for entry in book.entries
        ]
        if book.dialect.linear:
            links.chain(nodes)
        else:
            links.link(nodes)
    for node in nodes:
        if len(node.children) > 1:
            _sort(node.children)
    return links.roots


def _sort(children: list[TreeNode]) -> None:
    times = [child.entry.time_ms for child in children]
    known = [time for time in times if time is not None]
    if len(known) < len(times) or known == sorted(known):
        # Without a time there is no telling: the order of the file stands.
        return
    children.sort(key=lambda child: child.entry.time_ms or 0)
