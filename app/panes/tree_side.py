"""The tree of one session, in its pane: read, followed, searched in, and headed with what its branches come
to.
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from textual import on

from app.formats.text import one_line
from app.messages import BranchesRead, EntriesFound, RowsRead, TreeFailed, TreeGrew, TreeOpened
from app.panes.tree_finding import TreeFinding
from app.services.tree_reader import BranchReader, RowReader, TreeReader
from app.view.branch_table import BranchTable, branch_text
from app.view.tree_navigation import tree_facts
from app.widgets.entry_tree import EntryTree
from app.widgets.inputs import SearchBox
from app.widgets.panes import Note, Pane

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.timer import Timer

    from app.index.row import Row

# seconds: a tree that takes longer than PATIENCE says that it is being read; its branches are read no oftener
# than every RUNNING while it grows
PATIENCE = 0.3
RUNNING = 0.25
# and what takes less than this comes in one picture with the change of the list
TOGETHER = 0.01


class TreeSide(Pane):
    """The pane with the tree of the session that it is told to open, and the line that searches in it."""

    def __init__(
        self,
        *,
        now_ms: Callable[[], int],
        ascii_only: bool,
        shown: Callable[[], None],
        searched: Callable[[], None],
        id: str,
    ) -> None:
        """:param now_ms: milliseconds since the epoch.
        :param ascii_only: draw with plain characters.
        :param shown: called when another tree is there, or more of the one that was.
        :param searched: called when other words are looked for in the tree.
        """
        super().__init__("tree", id=id)
        self.entry_tree = EntryTree(now_ms=now_ms, ascii_only=ascii_only, id="tree")
        self.finding = TreeFinding(self.entry_tree, self.post_message)
        self._where = ""
        self._shown = shown
        self._searched = searched
        self._answered = 0
        # (agent, session id) -> the entry that the cursor was on, for sessions that were left elsewhere than
        # on the leaf
        self._left_at: dict[tuple[str, str], str] = {}
        self._grown = asyncio.Event()
        growing = Lock()
        self._trees = TreeReader(self.post_message, growing)
        self._rows = RowReader(self.post_message)
        self._branches = BranchReader(self.post_message, growing)
        self._branch_table: BranchTable | None = None
        self._faults = 0
        # whether the border goes on saying what it said of the session before
        self._title_stays = False
        self._branch_timer: Timer | None = None

    @cached_property
    def _beginning(self) -> Note:
        """The note above the rows while the leaf is before all of them, which is rare."""
        note = Note(id="beginning")
        self.mount(note, before=0)
        return note

    def compose(self) -> ComposeResult:
        yield self.entry_tree

    def on_unmount(self) -> None:
        self._trees.stop()
        self._rows.stop()
        self._branches.stop()
        self.finding.stop()

    # which session

    def open(self, row: Row, *, again: bool) -> None:
        """Read the tree of a session.

        :param again: it is the one that is shown, at another place or changed: the cursor stays on its entry.
        """
        if not again:
            self.entry_tree.back_to_mode()
        self._trees.open(row.path, (row.agent,), self.entry_tree.mode, again=again)
        generation = self._trees.generation
        # at each step of the cursor the words in the border would go and others come
        self._title_stays = True
        self.set_timer(PATIENCE, lambda: self._say_reading(generation))

    def _say_reading(self, generation: int) -> None:
        if generation != self._trees.generation:
            return
        self._title_stays = False
        if generation != self._answered:
            self.entry_tree.show_message("reading…")
        self.head()

    def close(self) -> None:
        """Show no tree."""
        self._trees.close()
        self.entry_tree.show_message("")
        self.finding.opened()
        self.head()

    async def follow(self, row: Row) -> None:
        """The file of the session changed: show what came, which is usually done at the end of this."""
        self._grown.clear()
        self._trees.follow(row.path, (row.agent,), self.entry_tree.mode)
        try:
            await asyncio.wait_for(self._grown.wait(), TOGETHER)
        except TimeoutError:
            pass  # it comes in the next picture

    def remember_entry(self) -> None:
        """Come back to the entry under the cursor when its session is shown again."""
        view, node = self.entry_tree.view, self.entry_tree.node
        if view is None:
            return
        key = (view.tree.header.agent, view.tree.header.id)
        if node is None or node.id is None or self.entry_tree.follows:
            self._left_at.pop(key, None)
        else:
            self._left_at[key] = node.id

    # messages of the readers

    @on(TreeOpened)
    def _tree_opened(self, event: TreeOpened) -> None:
        if event.generation != self._trees.generation:
            return
        tree = self.entry_tree
        if event.view.mode != tree.mode:
            event.view.set_mode(tree.mode)
        if not event.view.tree.is_whole and not event.view.count:
            # nothing of it passes the filter: that says nothing about the rest
            return
        self._answered = event.generation
        if tree.view is not None and not tree.view.tree.is_whole and tree.view.tree.path == event.path:
            tree.complete_tree(event.view)
        elif event.again:
            self.remember_entry()
            header = event.view.tree.header
            entry_id = self._left_at.get((header.agent, header.id))
            tree.replace_tree(event.view, entry_id, follow=entry_id is None)
        else:
            tree.show_tree(event.view)
        self.finding.opened()
        self._branch_table = None
        self._ask_for_branches()
        self._shown()
        self.head()

    @on(TreeGrew)
    def _tree_grew(self, event: TreeGrew) -> None:
        if event.generation == self._trees.generation:
            self.entry_tree.extend(event.nodes, event.leaf, event.faults, event.torn)
            self._grown.set()
            self.finding.grown()
            self._read_branches()
            self.head()

    @on(EntryTree.RowsWanted)
    def _rows_wanted(self, event: EntryTree.RowsWanted) -> None:
        if self.entry_tree.view is not None:
            self._rows.read(self.entry_tree.view.tree, event.nodes)

    @on(RowsRead)
    def _rows_read(self, event: RowsRead) -> None:
        if event.generation == self._rows.generation:
            self.entry_tree.rows_read(more=event.more)

    @on(TreeFailed)
    def _tree_failed(self, event: TreeFailed) -> None:
        if event.generation == self._trees.generation:
            self._answered = event.generation
            self.entry_tree.show_message(one_line(event.reason))
            self.head()

    # the borders

    def say_where(self, where: str) -> None:
        """Say in which branch what was found in the session is; inert, "" for nothing."""
        self._where = where
        self.head()

    @on(EntryTree.FilterChanged)
    def head(self) -> None:
        """Put into the borders what there is to say about the tree and the branch under the cursor."""
        view = self.entry_tree.view
        beginning = self.entry_tree.beginning
        if beginning or "_beginning" in vars(self):
            self._beginning.say(beginning, "leaf")
        words = tree_facts(
            view,
            self.entry_tree.node,
            hits=self.entry_tree.hits,
            came=self.entry_tree.came,
            label_times=self.entry_tree.label_times,
            where=self._where,
            faults=self._faults if self._branch_table is not None else 0,
        )
        table = self._branch_table
        facts = table.of(self.entry_tree.node) if view and table else None
        anew = view is not None and view.begins_anew
        said = branch_text(facts, anew=anew)
        if said:
            self.say(words, f"tree · {said}", (said, branch_text(facts, short=True, anew=anew)))
        else:
            self.say(words, None if view and table is None and self._title_stays else "tree")

    def _read_branches(self) -> None:
        """Have the branches read in a moment, in which the tree may go on growing."""
        if self._branch_timer is None:
            self._branch_timer = self.set_timer(RUNNING, self._ask_for_branches)

    def _ask_for_branches(self) -> None:
        if self._branch_timer is not None:
            self._branch_timer.stop()
        self._branch_timer = None
        view = self.entry_tree.view
        if view is not None and view.tree.is_whole:
            self._branches.read(view.tree)
        else:
            self._branches.close()

    @property
    def knows_branches(self) -> bool:
        """Whether it is known what the branches of the tree that is shown come to."""
        return self._branch_table is not None

    @on(BranchesRead)
    def _branches_read(self, event: BranchesRead) -> None:
        if event.generation == self._branches.generation:
            self._branch_table, self._faults = event.table, event.faults
            self.head()

    # the search in it

    def drop_search(self) -> bool:
        """End the search in the tree. False where there is none."""
        dropped = self.finding.drop()
        if dropped:
            self._searched()
        return dropped

    @on(SearchBox.Changed, "#find")
    def _find_typed(self, event: SearchBox.Changed) -> None:
        event.stop()
        self.finding.typed()
        self._searched()

    @on(EntriesFound)
    def _entries_found(self, event: EntriesFound) -> None:
        if self.finding.found(event):
            self.head()

    @on(SearchBox.Kept)
    @on(SearchBox.TabPressed)
    def _find_kept(self, event: SearchBox.Kept) -> None:
        event.stop()
        self.finding.keep()
        self._searched()

    @on(SearchBox.Dropped)
    def _find_dropped(self, event: SearchBox.Dropped) -> None:
        event.stop()
        self.drop_search()

    @on(SearchBox.Stepped)
    def _find_stepped(self, event: SearchBox.Stepped) -> None:
        event.stop()
        self.finding.step(1 if event.rows + event.pages > 0 else -1)

    @on(SearchBox.MarkAsked)
    def _find_marked(self, event: SearchBox.MarkAsked) -> None:
        event.stop()
