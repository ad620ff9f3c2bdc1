"""Reads a whole session for the places that its transcript names and that are not in view: prompts, labels,
branches and hits. The transcript is shown before they are known.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from app.formats.errors import Cancelled, NotASession
from app.gc_policy import exempt_tree
from app.services.background import BackgroundService, GilYielder, answered
from app.sessions.errors import Changed
from app.sessions.tree.entry_ref import EntryRef
from app.view.problems import gaps_of
from app.view.transcript_outline import BranchStart, Hits, Outline, Places
from app.view.transcript_rules import path_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.services.background import Post
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree
    from app.sessions.tree.tree_text import TreeText

MOST_POINTS = 500
"""The most branches that are named; a session with more has no line for the others."""


class TranscriptOutline(BackgroundService):
    """Reads the tree of one session, and searches it. The result is None if the session cannot be read, which
    the transcript itself says.
    """

    shares_thread = True

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._tree: SessionTree | None = None
        self._texts: TreeText | None = None

    @answered()
    def read(self, path: str, agents: Sequence[str], through: EntryRef | None) -> Outline | None:
        """Read the outline of the path through an entry; of the active path if that is None."""
        try:
            tree = self._opened(path, agents)
            with tree.growing:
                return outline_of(tree, through)
        except (Cancelled, Changed, NotASession, OSError, MemoryError):
            # The transcript itself says why the session cannot be read.
            self._release()
            return None

    @answered()
    def search(
        self,
        path: str,
        agents: Sequence[str],
        words: Sequence[str],
        through: EntryRef | None,
        offsets: Sequence[int] | None = None,
    ) -> Hits | None:
        """Search all entries for those with all of the words, which are folded.

        :param offsets: the lines of the hits, if a search of all sessions has found them.
        """
        from app.sessions.tree.path_reader import path_through
        from app.sessions.tree.tree_text import TreeText

        try:
            tree = self._opened(path, agents)
            if offsets is not None:
                found = [node for node in (tree.find(None, offset) for offset in offsets) if node is not None]
            else:
                if self._texts is None:
                    self._texts = TreeText(tree, roles=False)
                found = self._find(self._texts, words, GilYielder(self._is_stale).keep_going)
            if self._is_stale():
                return None
            with tree.growing:
                steps, _ = path_through(tree, through)
            on_path = {node.index for node in steps}
            here = [_ref(node) for node in found if node.index in on_path]
            elsewhere = [_ref(node) for node in found if node.index not in on_path]
            return Hits(tuple(words), here, elsewhere)
        except (Cancelled, Changed, NotASession, OSError, MemoryError):
            self._release()
            return None

    def _find(self, texts: TreeText, words: Sequence[str], keep_going: Callable[[], bool]) -> list[Node]:
        """The entries with all words, in the order of the file; incomplete if `keep_going` returned False."""
        found: list[Node] = []
        for number in sorted(texts.blocks()):
            found += texts.find(number, words, keep_going)
            if not keep_going():
                break
        return found

    def _release(self) -> None:
        self._tree = self._texts = None

    def _opened(self, path: str, agents: Sequence[str]) -> SessionTree:
        """The tree as the file is now."""
        from app.sessions.tree.tree import shared_tree

        if self._tree is not None and self._tree.path != path:
            self._release()
        tree = shared_tree(path, agents, GilYielder(self._is_stale).keep_going)
        if tree is not self._tree:
            self._release()
            self._tree = tree
            exempt_tree(len(tree.entries))
        return tree


def outline_of(tree: SessionTree, through: EntryRef | None) -> Outline:
    """The outline of the path of a tree through an entry; without one, that of the active path."""
    from app.sessions.tree.branches import branch_ends
    from app.sessions.tree.path_reader import path_through

    steps, _ = path_through(tree, through)
    prompts = _places(steps, lambda node: node.role == "user")
    labels = _places(steps, lambda node: bool(node.label))
    ends = branch_ends(tree)
    last = steps[-1] if steps else None
    # Marks of all entries by their index: a set would take forty times as much.
    on_path, seen = bytearray(len(tree.entries)), bytearray(len(tree.entries))
    for node in steps:
        on_path[node.index] = seen[node.index] = True
    branch = 0
    # entry on the path -> first entries of other branches that start there
    starts: dict[int, list[Node]] = {}
    for at, end in enumerate(ends, 1):
        if on_path[end.index]:
            branch = at
            continue
        node = end
        while node.parent is not None and not seen[node.parent.index]:
            seen[node.index] = True
            node = node.parent
        if node.parent is not None and on_path[node.parent.index] and not seen[node.index]:
            starts.setdefault(node.parent.offset, []).append(node)
        seen[node.index] = True
    points: dict[int, list[BranchStart]] = {}
    left = MOST_POINTS
    for offset, nodes in starts.items():
        nodes.sort(key=lambda node: node.index)
        points[offset] = [
            BranchStart(_ref(node), _text_of(tree, _prompt_below(node))) for node in nodes[:left]
        ]
        left -= len(points[offset])
        if left <= 0:
            break
    rules, beginning = path_rules(tree, steps)
    for gap in gaps_of(tree):
        if on_path[gap.before.index] and not on_path[gap.after.index]:
            text = f"{gap.damaged.place} is damaged"
            start = BranchStart(_ref(gap.after), _text_of(tree, _prompt_below(gap.after)), text)
            points.setdefault(gap.before.offset, []).insert(0, start)
    end_ref = _ref(last) if last is not None else None
    is_active = last is tree.leaf
    before = None if beginning is None else _ref(beginning)
    return Outline(prompts, labels, branch, len(ends), points, end_ref, is_active, rules, before)


def _places(steps: Sequence[Node], is_one: Callable[[Node], bool]) -> Places:
    offsets = [step.offset for step in steps if is_one(step)]
    if all(before.offset < after.offset for before, after in pairwise(steps)):
        return Places(offsets, steps[-1].offset if steps else -1)
    counts: dict[int, int] = {}
    count = 0
    for step in steps:
        count += is_one(step)
        counts[step.offset] = count
    return Places(offsets, counts=counts)


def _prompt_below(node: Node) -> Node:
    """The first prompt of a branch, as far as it does not fork again; else its first entry."""
    found = node
    while found.role != "user" and len(found.children) == 1:
        found = found.children[0]
    return found if found.role == "user" else node


def _text_of(tree: SessionTree, node: Node) -> str:
    tree.read_rows([node])
    return node.row_text.text if node.row_text is not None else ""


def _ref(node: Node) -> EntryRef:
    return EntryRef(node.id, node.offset)
