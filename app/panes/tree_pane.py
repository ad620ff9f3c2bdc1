"""The pane with the tree of the session under the list's cursor: read, followed and searched. Its borders
have the facts of the branch under the tree's cursor.
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from app.formats.prices import LIST_PRICES, NO_COST, Prices
from app.formats.text import one_line
from app.messages import EntriesFound, TreeGrew, TreeOpened
from app.panes.tree_finder import TreeFinder, shown_hit
from app.services.tree_reader import BranchReader, RowReader, TreeReader
from app.view.bars import TREE_SUFFIX, session_title
from app.view.branch_table import BranchTable, branch_text
from app.view.empty_states import deleted_notice
from app.view.tree_navigation import hidden_entries, tree_facts
from app.widgets.entry_tree import EntryTree
from app.widgets.inputs import SearchBox
from app.widgets.line_list import CursorDebounce, LineList
from app.widgets.panes import Note, Pane

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.timer import Timer

    from app.index.row import Row
    from app.sessions.tree.branches import BranchFacts
    from app.view.hit_line import HitPlace

PATIENCE = 0.3
"""Seconds after which "reading…" is shown."""
BRANCHES_EVERY = 0.25
# Rows that are read at a time: a newer request waits for them.
BATCH = 50
"""Least seconds between two readings of the branches of a tree that grows."""
MOST_COUNTED = 8_000_000
"""Bytes of a session above which the hits of a search of all sessions are counted only when a key steps to
one.
"""
_HIT_KINDS = {
    "user": "a prompt",
    "assistant": "an answer",
    "toolResult": "a tool call",
    "branch_summary": "a summary",
    "compaction": "a summary",
}
GROWTH_SECONDS = 0.01
"""Seconds for which `TreePane.follow` waits, so that the list and the tree change in one picture."""


class TreePane(Pane):
    """Shows the tree of a session, follows its file, goes to hits, and has a line that searches the tree.

    entry_tree   the tree
    finder       the search in the tree
    hidden_note  the number of entries that the filter hides, with the key that shows them; "" for none
    hit_note     the hit of a search of all sessions under the cursor; "" for none
    """

    class WordsChanged(Message):
        """Other words are searched for, in the tree or in all sessions."""

    def __init__(
        self,
        *,
        now_ms: Callable[[], int],
        ascii_only: bool,
        id: str,
        prices: Prices = LIST_PRICES,
    ) -> None:
        """:param now_ms: milliseconds since the epoch.
        :param ascii_only: draw with ASCII characters.
        :param prices: those of tokens without a cost.
        """
        super().__init__("Tree", id=id)
        self._prices = prices
        self.hidden_note = self.hit_note = ""
        self.entry_tree = EntryTree(now_ms=now_ms, ascii_only=ascii_only, id="tree")
        self.finder = TreeFinder(self.entry_tree, self.post_message)
        self._expects_search = False
        # the session to show, and the path of the one that is opened; "" for none
        self._row: Row | None = None
        self._opened = ""
        self._open_timer: Timer | None = None
        self._debounce = CursorDebounce()
        # the hit that the cursor goes to as soon as its entry is there
        self._wanted: HitPlace | None = None
        # the generation of the last answer
        self._answered = 0
        # (agent, session id) -> the entry of the cursor, for sessions whose cursor was not on the leaf
        self._left_at: dict[tuple[str, str], str] = {}
        self._grown = asyncio.Event()
        self._trees = TreeReader(self.post_message)
        self._rows = RowReader(self.post_message)
        self._branches = BranchReader(self.post_message)
        self._branch_table: BranchTable | None = None
        self._faults = 0
        # the session whose title is in the rule, and whether that keeps it until the next one is read
        self._titled: Row | None = None
        self._title_stays = False
        # the figures of the branch are in the rule above the tree, and not in the one below the panes
        self._figures_in_rule = False
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
        self.finder.stop()

    # which session

    def show_session(self, row: Row | None, *, again: bool = False) -> None:
        """Show a session; None shows nothing. In a burst (`CursorDebounce`) only the session is read on which
        the cursor rests.

        :param again: it is the one that was shown, at another path: the cursor stays on its entry.
        """
        if self._open_timer is not None:
            self._open_timer.stop()
        self._remember_entry()
        hit = self.entry_tree.hit
        if hit is not None and (row is None or hit.path != row.path):
            self.forget_hit()
        self._row = row
        if row is None:
            self._close()
        elif row.path != self._opened:
            wait = self._debounce.delay()
            if wait:
                self._open_timer = self.set_timer(wait, lambda: self._open(row, again=again))
            else:
                self._open(row, again=again)

    def _open(self, row: Row, *, again: bool) -> None:
        self._opened = row.path
        self.entry_tree.is_behind = row.is_behind
        if row.is_deleted:
            self._trees.close()
            self.finder.opened()
            self.entry_tree.show_message(deleted_notice(row.agent, row.message_count))
            self.update_borders()
            return
        if not again:
            self.entry_tree.back_to_filter()
        self._trees.open(row.path, (row.agent,), self.entry_tree.tree_filter, again=again)
        generation = self._trees.generation
        # at each step of the cursor the title would flicker
        self._title_stays = True
        self.set_timer(PATIENCE, lambda: self._show_reading(generation))

    def _show_reading(self, generation: int) -> None:
        if generation != self._trees.generation:
            return
        self._title_stays = False
        if generation != self._answered:
            self.entry_tree.show_message("reading…")
        self.update_borders()

    def _close(self) -> None:
        self._opened = ""
        self._title_stays = False
        self._trees.close()
        self.entry_tree.show_message("")
        self.finder.opened()
        self.update_borders()

    async def follow(self, row: Row) -> None:
        """Show the new entries of a session whose file has changed, if that session is shown. Wait
        until they are shown, but no longer than `GROWTH_SECONDS`.
        """
        if row.path != self._opened:
            return
        self._row = self._titled = row
        self.entry_tree.is_behind = row.is_behind
        self._grown.clear()
        self._trees.follow(row.path, (row.agent,), self.entry_tree.tree_filter)
        try:
            await asyncio.wait_for(self._grown.wait(), GROWTH_SECONDS)
        except TimeoutError:
            pass  # they come in the next picture

    def retry(self) -> None:
        """Read the session again if it could not be read."""
        if self.entry_tree.view is None and self._row is not None:
            self._open(self._row, again=False)

    def _remember_entry(self) -> None:
        """Return to the entry under the cursor when its session is read again."""
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
        tree, view = self.entry_tree, event.view
        if view is None:
            self._answered = event.generation
            tree.show_message(one_line(event.reason))
            self.update_borders()
            return
        if view.tree_filter != tree.tree_filter:
            view.set_filter(tree.tree_filter)
        if not view.tree.is_whole and not view.count:
            # The filter hides all entries at the end of the session, but perhaps not those before.
            return
        self._answered = event.generation
        if tree.view is not None and not tree.view.tree.is_whole and tree.view.tree.path == view.tree.path:
            tree.complete_tree(view)
        elif event.again:
            self._remember_entry()
            header = view.tree.header
            entry_id = self._left_at.get((header.agent, header.id))
            tree.replace_tree(view, entry_id, follow=entry_id is None)
        else:
            tree.show_tree(view)
        self.finder.opened()
        self._branch_table = None
        self._read_branches()
        if self._expects_search:
            self.finder.prepare()
        self._go_to_hit()
        self.finder.show_listed()
        self.update_borders()

    @on(TreeGrew)
    def _tree_grew(self, event: TreeGrew) -> None:
        # While leafmark ends, the pane is removed and takes no more widgets.
        if event.generation == self._trees.generation and self.is_attached:
            self.entry_tree.extend(event.nodes, event.leaf, event.faults, event.torn)
            self._grown.set()
            self.finder.grown()
            if self._branch_timer is None:
                self._branch_timer = self.set_timer(BRANCHES_EVERY, self._read_branches)
            self.update_borders()

    @on(EntryTree.RowsWanted)
    @work(exclusive=True, group="rows")
    async def _rows_wanted(self, event: EntryTree.RowsWanted) -> None:
        view, nodes = self.entry_tree.view, event.nodes
        if view is None:
            return
        for start in range(0, len(nodes), BATCH):
            await self._rows.read(view.tree, nodes[start : start + BATCH])
            self.entry_tree.rows_read(more=start + BATCH < len(nodes))

    # the branches, and the borders

    @work(exclusive=True, group="branches")
    async def _read_branches(self) -> None:
        if self._branch_timer is not None:
            self._branch_timer.stop()
        self._branch_timer = None
        view = self.entry_tree.view
        found = await self._branches.read(view.tree if view is not None and view.tree.is_whole else None)
        if found is not None:
            self._branch_table, self._faults = found
            self.update_borders()

    @property
    def knows_branches(self) -> bool:
        """Whether the branches of the tree that is shown are read."""
        return self._branch_table is not None

    @on(EntryTree.FilterChanged)
    def update_borders(self) -> None:
        """Show the facts of the tree and of the branch under the cursor in the borders."""
        tree, table = self.entry_tree, self._branch_table
        view = tree.view
        if tree.beginning or "_beginning" in vars(self):
            self._beginning.say(tree.beginning, "leaf")
        facts = tree_facts(
            view,
            tree.node,
            hits=tree.hits,
            came=tree.came,
            label_times=tree.label_times,
            where=tree.hit.where if tree.hit is not None else "",
            has_hit=tree.hit is not None,
            faults=self._faults if table is not None else 0,
        )
        branch = table.of(tree.node) if view and table else None
        if not self._title_stays or view is not None:
            self._titled = self._row
        row = self._titled
        title, suffix = session_title(row) if row is not None else ("Tree", "")
        suffix += TREE_SUFFIX if suffix else ""
        total = self._prices.spending(row.cost, row.unpriced) if row is not None else NO_COST
        anew = view is not None and view.begins_anew
        figures = branch_text(branch, anew=anew, total=total, prices=self._prices)
        if not figures and table is None and self._title_stays:
            # At each step of the cursor the figures would flicker.
            figures = self.closing
        instead: tuple[str, ...] = ()
        if self._figures_in_rule and figures and not self._is_searched:
            short = branch_text(branch, anew=anew, total=total, prices=self._prices, short=True)
            instead = (figures, short)
        self.say(facts, title, suffix=suffix, instead=instead, closing=figures)
        hidden = hidden_entries(view) if view is not None and view.tree.is_whole else ""
        note = self._hit_note(branch)
        if (hidden, note) != (self.hidden_note, self.hit_note):
            self.hidden_note, self.hit_note = hidden, note
            self.post_message(self.Closing())

    def _hit_note(self, branch: BranchFacts | None) -> str:
        """The kind of the hit under the cursor, for a search of all sessions, and its branch if that is not
        the active path; "" without one.

        :param branch: the branch of the entry under the cursor.
        """
        tree = self.entry_tree
        if tree.view is None or tree.node is None or tree.hit is None or not tree.is_at_hit:
            return ""
        number = tree.hits.summary(tree.view, tree.node) if tree.hits is not None else "hit"
        kind = _HIT_KINDS.get(tree.node.role or tree.node.type, "an entry")
        place = ""
        if branch is not None and not branch.on_active_path:
            place = f" on branch {branch.number:,} of {branch.of:,}, not on the active path"
        return f"{number[:1].upper()}{number[1:]}: {kind}{place}"

    @property
    def _is_searched(self) -> bool:
        """Whether a search, a filter or new entries have figures that come before those of the branch."""
        tree = self.entry_tree
        return bool(
            tree.hits is not None or tree.hit is not None or tree.came or tree.tree_filter != "default"
        )

    def expect_session(self, row: Row | None) -> None:
        """Show the title of the session that will be read."""
        if self.entry_tree.view is None:
            self._row = row
            self.update_borders()

    def show_figures(self, *, in_rule: bool) -> None:
        """Show the figures of the branch in the rule above the tree, or leave them to the rule below."""
        if in_rule != self._figures_in_rule:
            self._figures_in_rule = in_rule
            self.update_borders()

    # the hit of a search of all sessions

    def show_hit(self, hit: HitPlace) -> None:
        """Move the cursor to a hit in the session that is shown, as soon as its tree is there."""
        if self._row is None or hit.path != self._row.path:
            return
        if not hit.is_entry and not hit.words:
            self.forget_hit()
            return
        before, self.entry_tree.hit = self.entry_tree.hit, hit
        self._post_words()
        is_known = before is not None and (before.entry_id, before.offset) == (hit.entry_id, hit.offset)
        if not (hit.again and is_known):
            self._wanted = hit if hit.is_entry else None
            self._go_to_hit()
        self.finder.show_listed()
        self.update_borders()

    def forget_hit(self) -> None:
        """End the search: highlight nothing. The cursor stays."""
        self.entry_tree.hit = self._wanted = None
        self._post_words()
        self.update_borders()

    def _go_to_hit(self) -> None:
        hit, view = self._wanted, self.entry_tree.view
        if hit is None or view is None or view.tree.path != hit.path:
            return
        node = shown_hit(view, hit, hit.offset) if hit.offset >= 0 else None
        place = (node.id, node.offset) if node is not None else (hit.entry_id, hit.offset)
        if self.entry_tree.open_at(*place) is not None:
            # If the cursor was there already, the entry is read again to show the hit.
            self.entry_tree.post_message(LineList.Moved(self.entry_tree))
        elif not view.tree.is_whole:
            return
        self._wanted = None

    # the search in the tree

    def expect_search(self, is_expected: bool) -> None:
        """Read the texts of the trees that are shown from now on before a search.

        :param is_expected: the user is in the tree or its entry, and may search next.
        """
        self._expects_search = is_expected
        if is_expected:
            self.finder.prepare()

    @on(SearchBox.Dropped)
    def drop_search(self) -> bool:
        """End the search in the tree. False if there is none."""
        dropped = self.finder.drop()
        if dropped:
            self._search_changed()
        return dropped

    def _search_changed(self) -> None:
        self._post_words()
        self.update_borders()

    @property
    def searched_words(self) -> tuple[str, ...]:
        """The words that are searched for, in the tree or in all sessions, folded."""
        hit = self.entry_tree.hit
        return self.finder.words or tuple(hit.words if hit is not None else ())

    def _post_words(self) -> None:
        self.post_message(self.WordsChanged())

    @on(EntryTree.HitAsked)
    def _hit_asked(self, event: EntryTree.HitAsked) -> None:
        self.finder.next_hit(event.step)

    @on(EntriesFound)
    def _entries_found(self, event: EntriesFound) -> None:
        if self.finder.found(event):
            self.update_borders()

    @on(SearchBox.Changed, "#find")
    def _search_typed(self) -> None:
        self.finder.typed()
        self._search_changed()

    @on(SearchBox.Kept)
    def _search_kept(self) -> None:
        self.finder.keep()
        self._search_changed()

    @on(SearchBox.Stepped)
    def _search_stepped(self, event: SearchBox.Stepped) -> None:
        self.finder.step(1 if event.rows + event.pages > 0 else -1)
