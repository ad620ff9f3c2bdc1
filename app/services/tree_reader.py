"""Reads the trees of sessions in threads: entries, rows, branches, texts, and the entries with labels."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic, sleep
from typing import TYPE_CHECKING

from app.formats.errors import Cancelled, NotASession
from app.gc_policy import exempt_tree
from app.messages import EntriesFound, TreeGrew, TreeOpened
from app.services.background import REST_AHEAD, BackgroundService, GilYielder, answered, in_thread, request
from app.sessions.errors import Changed, SessionError
from app.view.branch_table import BranchTable
from app.view.problems import EntryProblems, damaged_problems
from app.view.tree_view import TreeView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.header import Fault
    from app.index.row import Row
    from app.services.background import Post
    from app.sessions.tree.branches import Branches
    from app.sessions.tree.labelled import LabelledEntry
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree
    from app.sessions.tree.tree_text import TreeText

# Seconds that the screen takes to draw the end of a tree; reading meanwhile would slow it down.
DRAW_PAUSE = 0.02
# Rows on either side of the leaf, or of new entries, that are read with the tree: more than a screen shows.
ROWS_AROUND = 150
# Least seconds between two messages of a search: the screen cannot draw more often.
POST_SECONDS = 0.04
# Bytes. The entries of a larger session are not read for their labels, which suffice to go there.
MOST_LABELLED_BYTES = 64 << 20


class TreeReader(BackgroundService):
    """Reads the tree of one session; posts ``TreeOpened`` and ``TreeGrew``.

    The screen learns of new entries by message, though other threads may let the tree grow as well. Reading
    stops as soon as another session is requested.
    """

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._tree: SessionTree | None = None
        self._path = ""
        # The number of entries that were posted.
        self._known = 0
        # The number of problems and the torn last line that were posted.
        self._posted_problems: tuple[int, Fault | None] = (0, None)

    @request
    def open(self, path: str, agents: tuple[str, ...], tree_filter: str, *, again: bool = False) -> None:
        """Read a session from its beginning. The end of a long one is read first and posted as a tree that
        is not whole.

        :param tree_filter: the filter of the tree.
        :param again: it is the session that is shown, at another path.
        """
        self._open(path, agents, tree_filter, again=again)

    @in_thread
    def follow(self, path: str, agents: tuple[str, ...], tree_filter: str) -> None:
        """Read what was appended to the file, or the whole file if it was changed in another way."""
        tree = self._tree
        if tree is None or self._path != path:
            self._open(path, agents, tree_filter, again=False)
            return
        try:
            nodes = tree.extend(self._known)
        except (Changed, NotASession, OSError):
            self._open(path, agents, tree_filter, again=True)
            return
        self._known += len(nodes)
        before, self._posted_problems = self._posted_problems, (len(tree.problems), tree.torn)
        if nodes or before != self._posted_problems:
            tree.read_rows(nodes[-ROWS_AROUND:])
            faults = damaged_problems(tree, before[0])
            self._post(TreeGrew(self._running, nodes, tree.leaf, faults, tree.torn))

    def stop(self) -> None:
        self.generation += 1
        super().stop()

    def _release(self) -> None:
        self._tree, self._path = None, ""

    def _open(self, path: str, agents: tuple[str, ...], tree_filter: str, *, again: bool) -> None:
        from app.sessions.tree.tree import open_end, shared_tree

        self._release()
        try:
            end = None if again else open_end(path, agents)
            if end is not None:
                self._show(TreeView(end, tree_filter, turns=True), again=False)
                sleep(DRAW_PAUSE)
            # Not `is_stale`: a file that grows all the time would never be read to its end.
            tree = shared_tree(path, agents, self._is_wanted)
        except Cancelled:
            return
        except Exception as error:
            is_expected = isinstance(error, (NotASession, OSError, MemoryError))
            reason = reason_of(error) if is_expected else f"cannot be shown: {type(error).__name__}: {error}"
            self._post(TreeOpened(self._running, None, reason=reason))
            return
        self._tree, self._path = tree, path
        with tree.growing:
            self._known = len(tree.entries)
            self._posted_problems = len(tree.problems), tree.torn
            view = TreeView(tree, tree_filter, turns=True)
        exempt_tree(len(tree.entries))
        self._show(view, again=again)

    def _show(self, view: TreeView, *, again: bool) -> None:
        view.tree.read_rows(view.with_answers(view.nodes_around(view.leaf_row(), ROWS_AROUND)))
        self._post(TreeOpened(self._running, view, again))


class RowReader(BackgroundService):
    """Reads the text of rows of a tree as they scroll into view."""

    @answered()
    def read(self, tree: SessionTree, nodes: Sequence[Node]) -> None:
        """Read the rows of ``nodes``, in this order."""
        tree.read_rows(nodes)


class BranchReader(BackgroundService):
    """Adds up the branches and counts the problems of one tree."""

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._branches: tuple[SessionTree, Branches] | None = None
        self._table: BranchTable | None = None
        self._faults: EntryProblems | None = None

    @answered()
    def read(self, tree: SessionTree | None) -> tuple[BranchTable, int] | None:
        """Read the branches of a whole tree, or what is new in them, and count its problems.

        :param tree: None releases the last one.
        :return: None if the tree has to be read again.
        """
        from app.sessions.tree.branches import Branches

        if tree is None:
            self._branches = self._table = self._faults = None
            return None
        if self._branches is None or self._branches[0] is not tree or self._faults is None:
            self._branches, self._faults, self._table = (tree, Branches(tree)), EntryProblems(tree), None
        branches = self._branches[1]
        # The border shows the result; no user waits for it.
        yielder = GilYielder(self._is_stale, REST_AHEAD)
        try:
            faults = self._faults.count(yielder.keep_going)
            with tree.growing:
                if self._table is None or not self._extend_table(self._table, tree, branches):
                    self._table = BranchTable(branches.all())
        except (Changed, OSError):
            # The tree reader reads the tree again and reports the problem.
            return None
        return self._table, faults

    def _extend_table(self, table: BranchTable, tree: SessionTree, branches: Branches) -> bool:
        """Add new entries to the table if only the active branch has grown. False: build it anew."""
        active, node = table.active, tree.leaf
        if active is None or tree.leaf is None:
            return False
        while node is not active.leaf:
            if node is None or node.parent is None or len(node.parent.children) > 1:
                return False
            node = node.parent
        table.grown(replace(branches.of_path(tree.leaf), number=active.number, of=active.of))
        return True


class TreeSearch(BackgroundService):
    """Searches all entries of one tree, those near the cursor first; posts ``EntriesFound`` in batches.

    The last message says that the search is done. A request that is replaced gets no answer.
    """

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        # the tree, and the texts
        self._texts: tuple[SessionTree, TreeText] | None = None
        # Numbers of the blocks of texts that the newest search has passed; the thread adds to it.
        self._searched: set[int] = set()

    @request
    def prepare(self, tree: SessionTree, around: int) -> None:
        """Read the texts of a tree before a search, beginning at the entry with index ``around``."""
        texts = self._texts_of(tree)
        yielder = GilYielder(self._is_stale, REST_AHEAD)
        try:
            for number in texts.blocks(around):
                texts.fill(number, yielder.keep_going)
        except (Cancelled, Changed, OSError):
            # A search reports it.
            return

    def search(self, tree: SessionTree, words: Sequence[str], around: int) -> None:
        """Search for entries with all of ``words``: folded, at least one.

        :param around: the index of the entry to begin at.
        """
        self.generation += 1
        self._searched = set()
        self._search(tree, words, around, self._searched)

    def follow(self, tree: SessionTree, words: Sequence[str], around: int) -> None:
        """Search the new entries of a tree that grew, and those that the last search did not reach."""
        self._search(tree, words, around, self._searched)

    @request
    def cancel(self) -> None:
        """End the search; messages on their way become out of date."""

    def _release(self) -> None:
        self._texts = None

    def _texts_of(self, tree: SessionTree) -> TreeText:
        from app.sessions.tree.tree_text import TreeText

        if self._texts is None or self._texts[0] is not tree:
            self._texts = None
            self._texts = tree, TreeText(tree)
        return self._texts[1]

    @in_thread
    def _search(self, tree: SessionTree, words: Sequence[str], around: int, searched: set[int]) -> None:
        texts = self._texts_of(tree)
        yielder = GilYielder(self._is_stale)
        nodes: list[Node] = []
        # The first batch is posted at once.
        posted_at = monotonic() - POST_SECONDS
        reason = ""
        try:
            for number in texts.blocks(around):
                if number in searched:
                    continue
                nodes += texts.find(number, words, yielder.keep_going)
                searched.add(number)
                if not yielder.keep_going():
                    raise Cancelled
                if nodes and monotonic() - posted_at >= POST_SECONDS:
                    self._post(EntriesFound(self._running, nodes, done=False))
                    nodes, posted_at = [], monotonic()
        except Cancelled:
            if nodes:
                # `follow` does not search these blocks again.
                self._post(EntriesFound(self._running, nodes, done=False))
            return
        except Changed:
            reason = "the file was changed; it is read again"
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        self._post(EntriesFound(self._running, nodes, done=True, reason=reason))


class LabelReader(BackgroundService):
    """Reads the labelled entries of sessions."""

    @answered()
    def read(self, row: Row) -> dict[str, LabelledEntry] | None:
        """The labelled entries of a session, by their ids; None if they cannot be read."""
        return labelled_entries(row, self._is_stale)


def labelled_entries(row: Row, is_stale: Callable[[], bool]) -> dict[str, LabelledEntry] | None:
    """The entries of a session that have labels, by their ids. None if they cannot be read, or are not wanted
    any more.
    """
    from app.sessions.tree.labelled import labelled_in
    from app.sessions.tree.tree import open_tree

    if row.size > MOST_LABELLED_BYTES:
        return None
    try:
        tree = open_tree(row.path, (row.agent,), lambda: not is_stale())
        return labelled_in(tree, [id for id, _ in row.labels])
    except (Cancelled, SessionError, OSError):
        # The session is gone, or is no longer one: its labels are shown without their entries.
        return None


def reason_of(error: BaseException) -> str:
    """The reason of a failed read, in a few words; raw."""
    if isinstance(error, MemoryError):
        return "there is not enough memory to read it"
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    return str(error) or type(error).__name__
