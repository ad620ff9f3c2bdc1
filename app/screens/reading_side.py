"""The right side of the browser: the tree of one session over the entry under the tree's cursor."""

from __future__ import annotations

import asyncio
from threading import Lock
from time import monotonic

from textual import on
from textual.containers import Vertical

from app.formats.text import one_line
from app.messages import (
    BranchesRead,
    EntriesFound,
    EntryRead,
    RowsRead,
    TreeFailed,
    TreeGrew,
    TreeOpened,
)
from app.screens.entry_out import copy_out, open_out
from app.screens.tree_finding import TreeFinding
from app.services.branch_facts import BranchReader
from app.services.reading import EntryReader, RowReader, TreeReader
from app.view.ages import age
from app.view.branch_table import BranchTable, branch_words
from app.view.tree_words import tree_words
from app.widgets.entry_pane import EntryPane
from app.widgets.entry_tree import EntryTree
from app.widgets.line_list import LineList
from app.widgets.pane import Pane
from app.widgets.tree_search import TreeSearchBox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.timer import Timer

    from app.index.row import Row
    from app.messages import HitPlaced
    from app.sessions.tree import Node
    from app.setup import Setup

# seconds: while the cursor passes more than two sessions in BURST, as under a held key, a tree is read once
# it rests for REST; so is an entry, always. A tree that takes longer than PATIENCE says that it is being read
BURST = 0.1
REST = 0.05
PATIENCE = 0.3
# the entry of a leaf that runs on is read no oftener than this
RUNNING = 0.25
# and what takes less than this comes in one picture with the change of the list
TOGETHER = 0.01
# to so many cells is an entry wrapped that nobody sees
UNSEEN = 80


class ReadingSide(Vertical):
    """Shows the session that it is told to, follows it, and keeps where the reader was."""

    # all of it is covered
    BLANK = True

    def __init__(
        self,
        setup: Setup,
        failed: Callable[[BaseException], None],
        *,
        ascii_only: bool = False,
        id: str,
    ) -> None:
        """:param failed: gets what goes wrong in a thread and concerns no pane; called in that thread.
        :param ascii_only: draw with plain characters.
        """
        super().__init__(id=id)
        self._setup = setup
        self._row: Row | None = None
        self._opened = ""
        self._answered = 0
        # (agent, session id) -> the entry that the cursor was on, for sessions that were left elsewhere than
        # on the leaf
        self._left_at: dict[tuple[str, str], str] = {}
        self._tree_timer: Timer | None = None
        self._entry_timer: Timer | None = None
        self._entry_at = -RUNNING
        self._entry_said = ("", "entry")
        self._shown_at = (-BURST, -BURST)
        self._grown = asyncio.Event()
        growing = Lock()
        self._trees = TreeReader(self.post_message, failed, growing)
        self._branches = BranchReader(self.post_message, failed, growing)
        self._branch_table: BranchTable | None = None
        self._branch_timer: Timer | None = None
        self._rows = RowReader(self.post_message, failed)
        self._entries = EntryReader(self.post_message, failed)
        self._tree = EntryTree(now_ms=setup.now_ms, ascii_only=ascii_only, id="tree")
        self._finding = TreeFinding(self._tree, self.post_message, failed)
        self._entry = EntryPane(id="entry")
        # what was found in the session that is shown; `_wanted` until the cursor is there. `_seeks`: of the
        # entry that is read, the line with it is to be shown
        self._hit: HitPlaced | None = None
        self._wanted: HitPlaced | None = None
        self._seeks = False

    def compose(self) -> ComposeResult:
        with Pane("tree", id="tree-pane"):
            yield self._finding.box
            yield self._tree
        with Pane("entry", id="entry-pane"):
            yield self._entry

    def on_unmount(self) -> None:
        for service in (self._trees, self._rows, self._entries, self._branches, self._finding):
            service.stop()

    @property
    def has_entry(self) -> bool:
        """Whether there is an entry under the tree's cursor."""
        return self._tree.node is not None

    # which session

    def show(self, row: Row | None, *, again: bool = False) -> None:
        """Show a session, in a burst of them the one on which the cursor rests; None shows nothing.

        :param again: it is the one that was shown, at another place: the cursor stays on its entry.
        """
        if self._tree_timer is not None:
            self._tree_timer.stop()
        self._remember_entry()
        if self._hit is not None and (row is None or self._hit.path != row.path):
            self.forget_hit()
        self._row = row
        if row is None:
            self._opened = ""
            self._trees.close()
            self._tree.show_message("")
            self._tree_changed()
        elif row.path != self._opened:
            now = monotonic()
            earlier, self._shown_at = self._shown_at[0], (self._shown_at[1], now)
            if now - earlier >= BURST:
                self._open(again)
            else:
                self._tree_timer = self.set_timer(REST, lambda: self._open(again))

    async def follow(self, row: Row) -> None:
        """The file of a session changed: if it is the one that is shown, show what came, which is usually
        done at the end of this.
        """
        if row.path == self._opened:
            self._row = row
            self._grown.clear()
            self._trees.follow(row.path, (row.agent,), self._tree.mode)
            try:
                await asyncio.wait_for(self._grown.wait(), TOGETHER)
            except TimeoutError:
                pass  # it comes in the next picture

    def open_at(self, hit: HitPlaced) -> None:
        """Put the tree's cursor on what was found in the session that is shown, as soon as its tree is
        there, and mark the words in its entry.
        """
        if self._row is None or hit.path != self._row.path:
            return
        if not hit.is_entry and not hit.words:
            self.forget_hit()
            return
        before, self._hit = self._hit, hit
        self._entry.mark(tuple(hit.words))
        is_known = before is not None and (before.entry_id, before.offset) == (hit.entry_id, hit.offset)
        if not (hit.again and is_known):
            self._wanted = hit if hit.is_entry else None
            self._go_to_hit()
        self._tree_changed()

    def forget_hit(self) -> None:
        """Nothing is looked for any more: nothing is marked, and the cursor stays where it is."""
        self._hit = self._wanted = None
        self._seeks = False
        self._entry.mark(())
        self._tree_changed()

    def _go_to_hit(self) -> None:
        hit, view = self._wanted, self._tree.view
        if hit is None or view is None or view.tree.path != hit.path:
            return
        node = self._tree.open_at(hit.entry_id, hit.offset)
        if node is None:
            if view.tree.is_whole:
                self._wanted = None
            return
        self._wanted = None
        # where the cursor was there already, nobody asks for the entry
        self._entry_moved()

    def retry(self) -> None:
        """Read the session again if it could not be read."""
        if self._tree.view is None and self._row is not None:
            self._open(again=False)

    def _open(self, again: bool) -> None:
        row = self._row
        if row is None:
            return
        self._opened = row.path
        self._trees.open(row.path, (row.agent,), self._tree.mode, again=again)
        generation = self._trees.generation
        self.set_timer(PATIENCE, lambda: self._say_reading(generation))

    def _say_reading(self, generation: int) -> None:
        if generation == self._trees.generation and generation != self._answered:
            self._tree.show_message("reading…")

    # the tree

    @on(TreeOpened)
    def _tree_opened(self, event: TreeOpened) -> None:
        if event.generation != self._trees.generation:
            return
        tree = self._tree
        if event.view.mode != tree.mode:
            event.view.set_mode(tree.mode)
        if not event.view.tree.is_whole and not event.view.count:
            # nothing of it passes the filter: that says nothing about the rest
            return
        self._answered = event.generation
        if tree.view is not None and not tree.view.tree.is_whole and tree.view.tree.path == event.path:
            tree.complete_tree(event.view)
        elif event.again:
            self._remember_entry()
            header = event.view.tree.header
            entry_id = self._left_at.get((header.agent, header.id))
            tree.replace_tree(event.view, entry_id, follow=entry_id is None)
        else:
            tree.show_tree(event.view)
        self._finding.opened()
        self._branch_table = None
        self._ask_for_branches()
        self._go_to_hit()
        self._tree_changed()

    def _remember_entry(self) -> None:
        view, node = self._tree.view, self._tree.node
        if view is None:
            return
        key = (view.tree.header.agent, view.tree.header.id)
        if node is None or node.id is None or self._tree.follows:
            self._left_at.pop(key, None)
        else:
            self._left_at[key] = node.id

    @on(TreeGrew)
    def _tree_grew(self, event: TreeGrew) -> None:
        if event.generation == self._trees.generation:
            self._tree.extend(event.nodes, event.leaf)
            self._grown.set()
            self._finding.grown()
            self._read_branches()
            self._tree_changed()

    @on(EntryTree.RowsWanted)
    def _rows_wanted(self, event: EntryTree.RowsWanted) -> None:
        if self._tree.view is not None:
            self._rows.read(self._tree.view.tree, event.nodes)

    @on(RowsRead)
    def _rows_read(self, event: RowsRead) -> None:
        if event.generation == self._rows.generation:
            self._tree.rows_read(more=event.more)

    @on(TreeFailed)
    def _tree_failed(self, event: TreeFailed) -> None:
        if event.generation == self._trees.generation:
            self._answered = event.generation
            self._tree.show_message(one_line(event.reason))
            self._tree_changed()

    @on(EntryTree.FilterChanged)
    def _tree_changed(self) -> None:
        pane, view = self.query_one("#tree-pane", Pane), self._tree.view
        words = tree_words(
            view,
            self._tree.node,
            hits=self._tree.hits,
            came=self._tree.came,
            label_times=self._tree.label_times,
            where=self._hit.where if self._hit is not None else "",
        )
        facts = branch_words(self._branch_table.of(self._tree.node)) if view and self._branch_table else ""
        pane.say(words, f"tree · {facts}" if facts else "tree")

    def _read_branches(self) -> None:
        """Have the branches read in a moment, in which the tree may go on growing."""
        if self._branch_timer is None:
            self._branch_timer = self.set_timer(RUNNING, self._ask_for_branches)

    def _ask_for_branches(self) -> None:
        if self._branch_timer is not None:
            self._branch_timer.stop()
        self._branch_timer = None
        view = self._tree.view
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
            self._branch_table = event.table
            self._tree_changed()

    # the search in the tree

    @property
    def is_searching(self) -> bool:
        """Whether letters are typed into the line above the tree."""
        return self._finding.box.has_focus

    def open_search(self) -> None:
        """Search the entries of the tree."""
        self._finding.open()

    def drop_search(self) -> bool:
        """End the search in the tree. False where there is none."""
        dropped = self._finding.drop()
        if dropped:
            self._searched()
        return dropped

    def _searched(self) -> None:
        words = self._finding.words
        self._entry.mark(words or (tuple(self._hit.words) if self._hit is not None else ()))
        self._tree_changed()

    @on(TreeSearchBox.Changed, "#find")
    def _find_typed(self, event: TreeSearchBox.Changed) -> None:
        event.stop()
        self._finding.typed()
        self._searched()

    @on(EntriesFound)
    def _entries_found(self, event: EntriesFound) -> None:
        if self._finding.found(event):
            self._tree_changed()

    @on(TreeSearchBox.Kept)
    @on(TreeSearchBox.TabPressed)
    def _find_kept(self, event: TreeSearchBox.Kept) -> None:
        event.stop()
        self._finding.keep()
        self._searched()

    @on(TreeSearchBox.Dropped)
    def _find_dropped(self, event: TreeSearchBox.Dropped) -> None:
        event.stop()
        self.drop_search()

    @on(TreeSearchBox.Stepped)
    def _find_stepped(self, event: TreeSearchBox.Stepped) -> None:
        event.stop()
        self._finding.step(1 if event.rows + event.pages > 0 else -1)

    @on(TreeSearchBox.MarkAsked)
    def _find_marked(self, event: TreeSearchBox.MarkAsked) -> None:
        event.stop()

    # the entry

    @on(LineList.Moved, "#tree")
    def _entry_moved(self) -> None:
        self._tree_changed()
        if self._entry_timer is not None:
            self._entry_timer.stop()
        if self._tree.node is None:
            self._entries.clear()
            self._entry.show_lines([], more=False)
            self.query_one("#entry-pane", Pane).say("", "entry")
            return
        self._entry.expect()
        # under a leaf that runs on, nobody can read every entry that passes
        ran = monotonic() - self._entry_at
        rest = max(REST, RUNNING - ran) if self._tree.follows else REST
        self._entry_timer = self.set_timer(rest, self._read_entry)

    @on(EntryPane.ReadAsked)
    def _read_at_once(self) -> None:
        if self._entry_timer is not None:
            self._entry_timer.stop()
        self._read(hidden=True)

    @on(EntryPane.WidthChanged)
    @on(EntryPane.RawToggled)
    def _read_entry(self) -> None:
        self._read(hidden=False)

    def _read(self, *, hidden: bool) -> None:
        """:param hidden: also where the pane is not displayed."""
        node, view = self._tree.node, self._tree.view
        if node is None or view is None:
            return
        is_seen = self._entry.is_laid_out
        if not is_seen:
            self._entry.forget_width()
            if not hidden:
                return
        self._entry_at = monotonic()
        hits = self._tree.hits
        self._seeks = (self._hit is not None and _is_at(node, self._hit)) or (
            hits is not None and hits.has(node)
        )
        cells = self._entry.cells if is_seen else UNSEEN
        self._entries.read(view.tree, node, cells, raw=self._entry.raw)
        title = f"entry {node.id or node.index + 1}"
        if node.timestamp is not None:
            title += f" · {age(node.timestamp, self._setup.now_ms())}"
        self._entry_said = ("as it stands in the file" if self._entry.raw else "", one_line(title))

    @on(EntryRead)
    def _entry_read(self, event: EntryRead) -> None:
        if event.generation == self._entries.generation:
            self.query_one("#entry-pane", Pane).say(*self._entry_said)
            begin = len(self._entry.lines) if event.more else 0
            self._entry.show_lines(event.lines, more=event.more, parts=event.parts)
            if self._seeks and self._entry.show_match(begin):
                self._seeks = False

    @on(EntryPane.CopyAsked)
    def _copy_asked(self, event: EntryPane.CopyAsked) -> None:
        copy_out(self.app, event.what, event.text, self._setup.env)

    @on(EntryPane.OpenAsked)
    def _open_asked(self, event: EntryPane.OpenAsked) -> None:
        if self._entry.parts:
            open_out(self.app, event.kind, self._entry.parts, self._setup.env, raw=self._entry.raw)

    @on(EntryPane.NeighbourAsked)
    def _neighbour_asked(self, event: EntryPane.NeighbourAsked) -> None:
        self._tree.move_to(self._tree.cursor + event.step)


def _is_at(node: Node, hit: HitPlaced) -> bool:
    """Whether what was found is in this entry."""
    if hit.offset >= 0 and node.offset != hit.offset:
        return False
    return hit.is_entry and hit.entry_id in (None, node.id)
