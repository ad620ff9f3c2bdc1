"""What the border of the tree says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.sessions.tree.tree import Node
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
    faults: int = 0,
) -> str:
    """What there is to know of a tree and of its cursor: what changes with the keys comes first, because a
    narrow border shows no more.

    :param node: the entry under the cursor.
    :param came: entries that came since the cursor left the leaf.
    :param where: on which branch is what was found in the session.
    :param faults: how much is wrong with the session or out of the ordinary in it, as far as is known yet.
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
    filtered = f"{view.mode}: {hidden:,} hidden"
    if view.mode != "default":
        facts.append(filtered)
    if where:
        facts.append(f"found: {where}")
    facts.append(f"{entries:,} entr{'y' if entries == 1 else 'ies'}")
    damaged, said = len(view.tree.problems), []
    if faults > damaged:
        said.append(f"{faults:,} fault{'' if faults == 1 else 's'}")
    if damaged:
        said.append(f"{damaged:,} damaged")
    if said:
        facts.append(f"{', '.join(said)} (!)")
    if hidden and view.mode == "default":
        facts.append(filtered)
    if label_times:
        facts.append("label times")
    return " · ".join(facts)
