"""What the border of the tree says."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.sessions.tree import Node
    from app.view.tree_search import TreeHits
    from app.view.tree_view import TreeView


def tree_words(
    view: TreeView | None,
    node: Node | None,
    *,
    hits: TreeHits | None = None,
    came: int = 0,
    label_times: bool = False,
    where: str = "",
) -> str:
    """What there is to know of a tree and of its cursor: what changes with the keys comes first, because a
    narrow border shows no more.

    :param node: the entry under the cursor.
    :param came: entries that came since the cursor left the leaf.
    :param where: on which branch is what was found in the session.
    """
    if view is None:
        return ""
    if not view.tree.is_whole:
        return "reading…"
    entries = len(view.tree.entries)
    hidden = entries - view.shown
    facts = [f"+{came:,} new"] if came else []
    if hits is not None:
        facts.append(hits.said(view, node))
    if where:
        facts.append(f"found: {where}")
    facts.append(f"{entries:,} entr{'y' if entries == 1 else 'ies'}")
    if view.tree.problems:
        facts.append(f"{len(view.tree.problems):,} damaged (!)")
    if hidden or view.mode != "default":
        facts.append(f"{view.mode}: {hidden:,} hidden")
    if label_times:
        facts.append("label times")
    return " · ".join(facts)
