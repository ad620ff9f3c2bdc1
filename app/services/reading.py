"""Opening a session's tree and following it, and reading what its rows say, each in a thread of its own.

What reads sessions is imported in the threads: the screen is up before the first of them needs it.
"""

from __future__ import annotations

import gc
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING

from app.formats.collector import Resting
from app.messages.reading import RowsRead, TreeFailed, TreeGrew, TreeOpened
from app.services.latest import LatestOnlyWorker
from app.view.damaged_rows import damaged_faults
from app.view.tree_view import TreeView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.formats.header import Fault
    from app.sessions.tree.tree import Node, SessionTree

    Post = Callable[[Message], object]

# seconds: between two batches the screen gets the interpreter
REST = 0.002
# about what it takes to draw the end of a tree: what is read meanwhile would only be in the way
DRAWN = 0.02
# rows whose text comes with a tree, on either side of the leaf, or with new entries: more than a screen shows
AROUND = 150
# entries from which on a tree is kept out of the garbage collector's sight
KEPT_FROM = 5_000
# rows that are read between two looks at whether somebody else waits
BATCH = 50


class TreeReader:
    """Reads the tree of one session at a time; answers with ``TreeOpened``, ``TreeGrew`` or ``TreeFailed``.

    The thread is the only one that changes a :class:`SessionTree`; the screen learns of new entries by
    message. Reading stops as soon as another session is asked for.
    """

    def __init__(
        self, post: Post, failed: Callable[[BaseException], None], growing: Lock | None = None
    ) -> None:
        """:param growing: is held while a tree grows, so that others can look at all of it."""
        self._post = post
        self._growing = growing or Lock()
        self._latest = LatestOnlyWorker("tree", failed)
        self._tree: SessionTree | None = None
        self._path = ""
        # of the tree: how many of its problems were told, and its torn last line
        self._told: tuple[int, Fault | None] = (0, None)
        self.generation = 0

    def open(self, path: str, agents: tuple[str, ...], mode: str, *, again: bool = False) -> None:
        """Read the session from its beginning; ``again`` when it is the one that is shown, at another
        place. The end of a long one is read first, and answered as a tree that is not whole.
        """
        self.generation += 1
        generation = self.generation
        self._latest.ask(lambda overtaken: self._open(generation, path, agents, mode, again=again))

    def follow(self, path: str, agents: tuple[str, ...], mode: str) -> None:
        """The file changed: read what came, or all of it where it is not the same file with more at its
        end.
        """
        generation = self.generation
        self._latest.ask(lambda overtaken: self._follow(generation, path, agents, mode))

    def close(self) -> None:
        """Forget the tree; answers that are on their way are out of date."""
        self.generation += 1
        self._latest.ask(lambda overtaken: self._forget())

    def stop(self) -> None:
        """End the thread."""
        self.generation += 1
        self._latest.stop()

    def _forget(self) -> None:
        self._tree, self._path = None, ""

    def _open(self, generation: int, path: str, agents: tuple[str, ...], mode: str, *, again: bool) -> None:
        from app.sessions.tree.tree import NotASession, Overtaken, open_end, open_tree

        self._forget()
        try:
            end = None if again else open_end(path, agents)
            if end is not None:
                self._show(generation, TreeView(end, mode), again=False)
                sleep(DRAWN)
            # not the thread's own request to stop: a file that grows all the time would never be read
            with Resting():
                tree = open_tree(path, agents, lambda: self.generation == generation)
        except Overtaken:
            return
        except Exception as error:
            known = isinstance(error, (NotASession, OSError))
            reason = reason_of(error) if known else f"cannot be shown: {type(error).__name__}: {error}"
            self._post(TreeFailed(generation, path, reason))
            return
        self._tree, self._path = tree, path
        self._told = len(tree.problems), tree.torn
        view = TreeView(tree, mode)
        if len(tree.entries) >= KEPT_FROM:
            # The collector has no part in the end of a tree (app.sessions.tree.node), and each look at all of
            # a long one holds up the screen.
            gc.freeze()
        self._show(generation, view, again=again)

    def _show(self, generation: int, view: TreeView, *, again: bool) -> None:
        view.tree.read_rows(view.nodes_around(view.leaf_row(), AROUND))
        self._post(TreeOpened(generation, view.tree.path, view, again))

    def _follow(self, generation: int, path: str, agents: tuple[str, ...], mode: str) -> None:
        from app.sessions.tree.tree import Changed, NotASession

        tree = self._tree
        if tree is None or self._path != path:
            self._open(generation, path, agents, mode, again=False)
            return
        try:
            with self._growing:
                nodes = tree.extend()
        except (Changed, NotASession, OSError):
            self._open(generation, path, agents, mode, again=True)
            return
        told, self._told = self._told, (len(tree.problems), tree.torn)
        if nodes or told != self._told:
            tree.read_rows(nodes[-AROUND:])
            faults = damaged_faults(tree, told[0])
            self._post(TreeGrew(generation, nodes, tree.leaf, faults, tree.torn))


class RowReader:
    """Reads what rows of a tree say when they come into sight; answers with ``RowsRead``."""

    def __init__(self, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._post = post
        self._latest = LatestOnlyWorker("rows", failed)
        self.generation = 0

    def read(self, tree: SessionTree, nodes: Sequence[Node]) -> None:
        """Read the rows of ``nodes``; the first of them are wanted first."""
        self.generation += 1
        generation = self.generation
        self._latest.ask(lambda overtaken: self._read(generation, overtaken, tree, nodes))

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _read(
        self, generation: int, overtaken: Callable[[], bool], tree: SessionTree, nodes: Sequence[Node]
    ) -> None:
        for start in range(0, len(nodes), BATCH):
            if overtaken():
                return
            tree.read_rows(nodes[start : start + BATCH])
            self._post(RowsRead(generation, start + BATCH < len(nodes)))
            sleep(REST)


def reason_of(error: BaseException) -> str:
    """Why something could not be read, in a few words that are not inert."""
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    return str(error) or type(error).__name__
