"""The rules of a transcript: lines across it where its agent forgets what is above, and where the file is
damaged.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

from app.sessions.sent_entries import cuts_of
from app.view.document_line import PAD, DocumentLine, own_line
from app.view.problems import damaged_line, damaged_problems, gaps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.sent_entries import Cut
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree


def rule_line(text: str) -> DocumentLine:
    """The line of a rule. The text is inert."""
    return own_line(f"{PAD}── {text} ──")


def path_rules(tree: SessionTree, path: Sequence[Node]) -> tuple[dict[int, str], Node | None]:
    """The texts of the rules above the entries of a path, by the offset of the entry; and the entry above the
    damaged line that cuts off its beginning, None if no line does. The rule of that line is the first one.

    :param tree: read to its end.
    :param path: from a root.
    :raises Changed: the file is no longer the one that was opened.
    :raises OSError: it cannot be read.
    """
    rules: dict[int, str] = {}
    beginning = None
    if path and path[0].orphan:
        gap = next((gap for gap in gaps_of(tree) if gap.after is path[0]), None)
        rules[path[0].offset] = "the beginning is not in this file"
        if gap is not None:
            beginning = gap.before
            rules[path[0].offset] = f"the beginning is on another branch: {gap.damaged.place} is damaged"
    problems = damaged_problems(tree)
    on_path = {node.index for node in path} if problems else set()
    for damaged in map(damaged_line, problems):
        at = bisect_left(tree.entries, damaged.offset, key=attrgetter("offset"))
        below = tree.entries[at] if 0 < at < len(tree.entries) else None
        if below is not None and below.index in on_path and below.parent is tree.entries[at - 1]:
            rules[below.offset] = f"{damaged.place} is damaged: {damaged.reason}"
    for cut in cuts_of(tree, path):
        if cut.unsent:
            rules[cut.entry.offset] = _unsent(cut)
    return rules, beginning


def _unsent(cut: Cut) -> str:
    of = f" of {cut.unsent + cut.sent:,}" if cut.sent else ""
    are = "is" if cut.unsent == 1 else "are"
    entries = "entry" if cut.unsent + cut.sent == 1 else "entries"
    return f"{cut.unsent:,}{of} {entries} above {are} no longer sent to the model"
