"""The search in the tree that is shown: the line above the tree, the thread that searches, and the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.entry_types import RESULT_ROLES
from app.keys import key_of
from app.services.tree_reader import TreeSearch
from app.view.tree_navigation import TreeHits
from app.widgets.inputs import FindLine

if TYPE_CHECKING:
    from app.messages import EntriesFound
    from app.services.background import Post
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree
    from app.view.hit_line import HitPlace
    from app.view.problems import DamagedLine
    from app.view.tree_view import TreeView
    from app.widgets.entry_tree import EntryTree


class TreeFinder:
    """Runs one search at a time. Until the user keeps or drops it, the cursor goes to the first hit behind
    the entry where it was when the search began.

    line   the line above the tree, in which the words are typed
    """

    def __init__(self, tree: EntryTree, post: Post) -> None:
        """:param post: receives the messages of the search."""
        self._tree = tree
        self.line = FindLine(tree, id="find")
        self._search = TreeSearch(post)
        self._origin: Node | None = None
        # the cursor was on a line that is no entry when the search began; the origin is the entry above it
        self._damaged: DamagedLine | None = None
        # the cursor was on the leaf when the search began
        self._followed = False
        # the user has gone elsewhere since
        self._left = False
        # no hit of the typed words is known yet
        self._awaits_first = False
        # Enter was pressed meanwhile, with the cursor on this entry
        self._is_kept = False
        self._kept_at: Node | None = None
        # the step to the next hit that was requested meanwhile
        self._deferred_step = 0
        # the hits are those of a search of all sessions, without the line
        self._is_hit_search = False
        # the tree whose texts are read ahead
        self._prepared: SessionTree | None = None
        # the hits of a search of all sessions in this one; None without one
        self._found_in: HitPlace | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the search, folded."""
        return self._tree.hits.words if self._tree.hits is not None else ()

    def open(self) -> None:
        """Show and focus the line. If it was shown already, the search goes on."""
        if not self.line.is_open:
            self.end_hit_search()
            self._begin_here()
            self.prepare()
            if self._tree.view is not None:
                # The first hit needs the order. The line is painted first.
                self._tree.call_after_refresh(self._tree.view.order)
        self.line.open()

    def prepare(self) -> None:
        """Read the texts of the entries before the first letter is typed."""
        view = self._tree.view
        if view is None or not view.tree.is_whole or self._prepared is view.tree or self.words:
            return
        self._prepared = view.tree
        node = self._tree.node
        self._search.prepare(view.tree, node.index if node is not None else 0)

    def _begin_here(self) -> None:
        tree, view = self._tree, self._tree.view
        self._origin, self._followed, self._left = tree.node, tree.follows, False
        self._damaged = tree.damaged
        if self._damaged is not None and view is not None:
            self._origin = view.node(view.count - 1)

    @property
    def _around(self) -> int:
        return self._origin.index if self._origin is not None else 0

    def typed(self) -> None:
        """Search for the words in the line: they have changed."""
        words = self.line.words
        if words == self.words:
            return
        self._left = False
        self._awaits_first, self._is_kept, self._deferred_step = bool(words), False, 0
        if not words:
            self._tree.search_for(None)
            self._return()
            self._search.cancel()
            return
        self._tree.search_for(TreeHits(words))
        self._start_search()

    def _start_search(self) -> None:
        view = self._tree.view
        if view is not None and view.tree.is_whole and self.words:
            self._prepared = view.tree
            self._search.search(view.tree, self.words, self._around)

    def found(self, event: EntriesFound) -> bool:
        """Show more hits.

        :return: False if they belong to an earlier search.
        """
        hits = self._tree.hits
        if event.generation != self._search.generation or hits is None:
            return False
        hits.add(event.nodes)
        hits.done = event.done
        if self._awaits_first and self._is_kept and self._tree.node is not self._kept_at:
            self._left = True
        self._tree.found_more(None if self._left else self._origin)
        if self._awaits_first and (event.nodes or event.done):
            self._awaits_first = False
            self._left = self._left or self._is_kept
            step, self._deferred_step = self._deferred_step, 0
            if step:
                self.next_hit(step)
        return True

    def next_hit(self, step: int) -> None:
        """Go to the next hit (1) or the previous one (-1): of the search in the tree, else of that of all
        sessions. If the first hit of the typed words is not known yet, go on from that.
        """
        tree, view, listed = self._tree, self._tree.view, self._found_in
        if view is None:
            return
        if tree.hits is not None:
            if self._awaits_first:
                self._deferred_step = step
                return
            node = tree.hits.next(view, tree.node, step)
            if node is not None:
                tree.go_to(node)
        elif not view.tree.is_whole:
            tree.notify("The session is still being read", severity="warning", markup=False)
        elif listed is not None and listed.path == view.tree.path:
            tree.notify("The words are in no entry here", markup=False)
        else:
            key = key_of("filter.open")
            searches = f": {key} searches the tree" if key else ""
            tree.notify(f"No words are looked for here{searches}", markup=False)

    def opened(self) -> None:
        """Search for the same words in another tree, or in the same one read again, once it is whole.
        Without words, nothing is searched.
        """
        if not self.line.is_open:
            self.end_hit_search()
            self._forget()
            return
        self._begin_here()
        self._left = True
        if self.words:
            self._tree.search_for(TreeHits(self.words))
            self._start_search()

    def grown(self) -> None:
        """Search the entries that were added to the tree."""
        view = self._tree.view
        if view is not None and view.tree.is_whole and self.words and not self._is_hit_search:
            self._search.follow(view.tree, self.words, self._around)

    def step(self, step: int) -> None:
        """Go to the next hit (1) or the previous one (-1) while the line has the focus."""
        self._left = True
        self.next_hit(step)

    def keep(self) -> None:
        """Focus the tree and keep the hits. Without words, the search ends."""
        # Before the first hit is known, the cursor goes there when it is.
        self._left, self._is_kept, self._kept_at = not self._awaits_first, True, self._tree.node
        if self.words:
            self.line.leave()
        else:
            self.drop()

    def drop(self) -> bool:
        """End the search and hide the line. If the line has the focus, the cursor returns to the entry where
        the search began. False: there was no search.
        """
        if not self.line.is_open:
            # The hits of the search of all sessions end with it.
            return False
        typing = self.line.has_focus
        self.line.close()
        self._tree.search_for(None)
        self._search.cancel()
        self._awaits_first = False
        if typing:
            self._return()
        return True

    def _forget(self) -> None:
        """Release the texts of the last tree."""
        if self._prepared is not None:
            self._prepared = None
            self._search.close()

    def _return(self) -> None:
        if self._followed:
            self._tree.action_go_leaf()
        elif self._damaged is not None and self._tree.show_damaged(self._damaged):
            return
        elif self._origin is not None:
            self._tree.go_to(self._origin)

    # the hits of a search of all sessions, without the line

    def found_in(self, found: HitPlace) -> None:
        """A search of all sessions has found hits in a session, to which `next_hit` goes.

        :param found: without words, the session has no hit any more.
        """
        before, self._found_in = self._found_in, found if found.words else None
        if before is None or (before.path, before.words, before.offsets) != (
            found.path,
            found.words,
            found.offsets,
        ):
            self.end_hit_search()
            self.show_listed()

    def show_listed(self) -> None:
        """Mark these hits, if the tree of their session is shown and nothing else is searched."""
        found, view = self._found_in, self._tree.view
        if found is None or not found.offsets or view is None or self._tree.hits is not None:
            return
        if not view.tree.is_whole or view.tree.path != found.path:
            return
        hits = TreeHits(found.words)
        nodes = (shown_hit(view, found, offset) for offset in found.offsets)
        hits.add([node for node in nodes if node is not None])
        hits.done = self._is_hit_search = True
        self._tree.search_for(hits)
        self._tree.found_more(None)

    def end_hit_search(self) -> bool:
        """End that search. False: there was none."""
        if not self._is_hit_search:
            return False
        self._is_hit_search = False
        self._tree.search_for(None)
        self._search.cancel()
        return True

    def stop(self) -> None:
        """End the thread."""
        self._search.stop()


def shown_hit(view: TreeView, found: HitPlace, offset: int) -> Node | None:
    """The entry of a hit of a search of all sessions: the result of its call, if the filter of the tree shows
    only that one and it is no hit itself; None if the file has no entry there any more.
    """
    node = view.tree.find(found.entry_id if offset == found.offset else None, offset)
    if node is None or view.shows(node):
        return node
    result = next((child for child in node.children if child.role in RESULT_ROLES), None)
    is_shown = result is not None and view.shows(result) and result.offset not in found.offsets
    return result if is_shown else node
