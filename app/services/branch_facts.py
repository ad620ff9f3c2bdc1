"""What the branches of the tree that is shown come to, and how much is wrong in it, worked out in a thread of
its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.messages.reading import BranchesRead
from app.services.latest import LatestOnlyWorker
from app.services.yield_gil import IDLE, Turns
from app.view.branch_table import BranchTable
from app.view.problems import EntryFaults

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Lock

    from textual.message import Message

    from app.sessions.tree.branches import Branches
    from app.sessions.tree.tree import SessionTree

    Post = Callable[[Message], object]


class BranchReader:
    """Reads the branches of one tree at a time; answers with ``BranchesRead``."""

    def __init__(self, post: Post, failed: Callable[[BaseException], None], growing: Lock) -> None:
        """:param growing: held while a tree grows."""
        self._post = post
        self._latest = LatestOnlyWorker("branches", failed)
        self._growing = growing
        self._branches: tuple[SessionTree, Branches] | None = None
        self._table: BranchTable | None = None
        self._faults: EntryFaults | None = None
        self.generation = 0

    def read(self, tree: SessionTree) -> None:
        """Read the branches of a whole tree, or what is new in them."""
        self.generation += 1
        generation = self.generation
        self._latest.ask(lambda overtaken: self._read(generation, overtaken, tree))

    def close(self) -> None:
        """Let go of the tree; answers that are on their way are out of date."""
        self.generation += 1
        self._latest.ask(lambda overtaken: self._forget())

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _forget(self) -> None:
        self._branches = self._table = self._faults = None

    def _read(self, generation: int, overtaken: Callable[[], bool], tree: SessionTree) -> None:
        from app.sessions.tree.branches import Branches
        from app.sessions.tree.tree import Changed, Overtaken

        if self._branches is None or self._branches[0] is not tree or self._faults is None:
            self._forget()
            self._branches, self._faults = (tree, Branches(tree)), EntryFaults(tree)
        branches = self._branches[1]
        # nobody has to wait for what the border says
        turns = Turns(overtaken, IDLE)
        try:
            branches.read(turns.go_on)
            faults = self._faults.count(turns.go_on)
            with self._growing:
                if not self._grown(tree, branches):
                    self._table = BranchTable(branches.all())
        except (Overtaken, Changed, OSError):
            # the tree itself is read again, and says what is wrong
            return
        if self._table is not None:
            self._post(BranchesRead(generation, self._table, faults))

    def _grown(self, tree: SessionTree, branches: Branches) -> bool:
        """Take in what is new where the active branch alone has grown: that is added up from where it ended.
        False where all are to be read anew.
        """
        from dataclasses import replace

        before, above = self._table.active if self._table is not None else None, tree.leaf
        if self._table is None or before is None or tree.leaf is None:
            return False
        while above is not before.leaf:
            if above is None or above.parent is None or len(above.parent.children) > 1:
                return False
            above = above.parent
        self._table.grown(replace(branches.of_path(tree.leaf), number=before.number, of=before.of))
        return True
