"""Looking for words in all entries of the tree that is shown, in a thread of its own; found entries come in
batches, those near the cursor first.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.messages.searching import EntriesFound
from app.services.latest import LatestOnlyWorker
from app.services.yield_gil import IDLE, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.sessions.tree.tree import Node, SessionTree
    from app.sessions.tree.tree_text import EntryTexts

    Post = Callable[[Message], object]

# seconds: the screen is told no oftener than it can draw
TELL_EVERY = 0.04


class TreeSearcher:
    """Looks through one tree at a time; answers with ``EntriesFound``, the last of which says that it is
    done. A request that is overtaken is not answered.
    """

    def __init__(self, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._post = post
        self._latest = LatestOnlyWorker("tree-search", failed)
        self._texts: tuple[SessionTree, EntryTexts] | None = None
        self._looked: set[int] = set()
        self.generation = 0

    def prepare(self, tree: SessionTree, around: int) -> None:
        """Read the texts of a tree ahead of a search, those next to the entry with index ``around`` first."""
        self.generation += 1
        self._latest.ask(lambda overtaken: self._prepare(overtaken, tree, around))

    def search(self, tree: SessionTree, words: Sequence[str], around: int) -> None:
        """Look for entries that have all of ``words``, which are folded and at least one."""
        self.generation += 1
        generation = self.generation
        self._latest.ask(lambda overtaken: self._search(generation, overtaken, tree, words, around, set()))

    def follow(self, tree: SessionTree, words: Sequence[str], around: int) -> None:
        """The tree has grown: look through what came, and through what the last search had not come to."""
        generation, looked = self.generation, self._looked
        self._latest.ask(lambda overtaken: self._search(generation, overtaken, tree, words, around, looked))

    def drop(self) -> None:
        """Nothing is looked for: answers that are on their way are out of date."""
        self.generation += 1
        self._latest.ask(lambda overtaken: None)

    def close(self) -> None:
        """Let go of the texts; answers that are on their way are out of date."""
        self.generation += 1
        self._latest.ask(lambda overtaken: self._forget())

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _forget(self) -> None:
        self._texts = None

    def _of(self, tree: SessionTree) -> EntryTexts:
        from app.sessions.tree.tree_text import EntryTexts

        if self._texts is None or self._texts[0] is not tree:
            self._texts = None
            self._texts = tree, EntryTexts(tree)
        return self._texts[1]

    def _prepare(self, overtaken: Callable[[], bool], tree: SessionTree, around: int) -> None:
        from app.sessions.tree.tree import Changed, Overtaken

        texts = self._of(tree)
        turns = Turns(overtaken, IDLE)
        try:
            for number in texts.blocks(around):
                texts.fill(number, turns.go_on)
        except (Overtaken, Changed, OSError):
            # whoever searches is told
            return

    def _search(
        self,
        generation: int,
        overtaken: Callable[[], bool],
        tree: SessionTree,
        words: Sequence[str],
        around: int,
        looked: set[int],
    ) -> None:
        from app.sessions.tree.tree import Changed, Overtaken

        texts = self._of(tree)
        self._looked = looked
        turns = Turns(overtaken)
        waiting: list[Node] = []
        # what is found first is told at once
        told = monotonic() - TELL_EVERY
        reason = ""
        try:
            for number in texts.blocks(around):
                if number in looked:
                    continue
                waiting += texts.find(number, words, turns.go_on)
                looked.add(number)
                if not turns.go_on():
                    raise Overtaken
                if waiting and monotonic() - told >= TELL_EVERY:
                    self._post(EntriesFound(generation, waiting, done=False))
                    waiting, told = [], monotonic()
        except Overtaken:
            if waiting:
                # those who follow do not look there again
                self._post(EntriesFound(generation, waiting, done=False))
            return
        except Changed:
            reason = "the file was changed; it is read again"
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        self._post(EntriesFound(generation, waiting, done=True, reason=reason))
