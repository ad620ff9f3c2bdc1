"""Runs put together as the stretches of a picture: what is filtered away left out, what is folded closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.segments import Stretch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.sessions.tree.tree import Node
    from app.view.chains import Run


class TreeLayout:
    """The stretches of one tree, in the order of their rows.

    stretches   each begins in the row that `starts` tells
    of_run      the stretch that shows a run, or hides it in its fold, by the run's `id`
    rows        how many there are
    """

    def __init__(
        self,
        ordered: Callable[[list[Run]], list[Run]],
        shown: Mapping[int, list[Node]],
        folded: set[int],
    ) -> None:
        """:param ordered: runs that hang on one entry, in the order in which they are drawn.
        :param shown: the entries of each run that pass the filter, by its `id`.
        :param folded: the indexes of entries whose branch is folded, where it can be.
        """
        self.stretches: list[Stretch] = []
        self.starts: list[int] = []
        self.of_run: dict[int, Stretch] = {}
        self.rows = 0
        self._ordered = ordered
        self._shown = shown
        self._folded = folded

    def lay_out(self, roots: list[Run]) -> None:
        """Put them together, once."""
        heads = self._heads(roots)
        many = len(heads) > 1
        another = dict(heads)
        stack: list[tuple[Run, Stretch | None, bool, bool]] = [
            (run, None, many, place == len(heads) - 1) for place, (run, _) in reversed(list(enumerate(heads)))
        ]
        while stack:
            run, parent, branched, last = stack.pop()
            stretch, heirs = self._stretch(run, parent)
            stretch.connector = branched and parent is not None
            stretch.last = last
            if parent is None:
                stretch.another, stretch.beside = another[run], many
            stretch.foldable = (len(stretch.nodes) > 1 or bool(heirs)) and (branched or parent is None)
            stretch.folded = stretch.foldable and stretch.nodes[0].index in self._folded
            stretch.start = self.rows
            self.stretches.append(stretch)
            self.starts.append(self.rows)
            self.rows += stretch.rows
            if stretch.folded:
                stretch.hidden = self._below(stretch, heirs)
                continue
            stack.extend(
                (heir, stretch, True, place == len(heirs) - 1)
                for place, heir in reversed(list(enumerate(heirs)))
            )

    def _heads(self, roots: list[Run]) -> list[tuple[Run, str]]:
        """The runs that hang on nothing once those without a shown entry are left out, in order, and what
        each is beside those before it.
        """
        heads: list[tuple[Run, str]] = []
        for root in self._ordered(roots):
            another = "root" if heads else ""
            for run in self._heirs([root]):
                heads.append((run, another))
                another = "branch"
        return heads

    def _heirs(self, runs: list[Run]) -> list[Run]:
        """The runs that hang here once those without a shown entry are left out, in order."""
        heirs: list[Run] = []
        stack = list(reversed(self._ordered(runs)))
        while stack:
            run = stack.pop()
            if self._shown[id(run)]:
                heirs.append(run)
            else:
                stack.extend(reversed(self._ordered(run.children)))
        return heirs

    def _stretch(self, run: Run, parent: Stretch | None) -> tuple[Stretch, list[Run]]:
        """The rows from ``run`` to the next branching that is still one once hidden entries are left out."""
        stretch = Stretch(list(self._shown[id(run)]), parent)
        self.of_run[id(run)] = stretch
        heirs = self._heirs(run.children)
        while len(heirs) == 1:
            run = heirs[0]
            stretch.nodes.extend(self._shown[id(run)])
            self.of_run[id(run)] = stretch
            heirs = self._heirs(run.children)
        return stretch, heirs

    def _below(self, stretch: Stretch, heirs: list[Run]) -> int:
        """How many rows the fold of a stretch hides."""
        hidden = len(stretch.nodes) - 1
        stack = list(heirs)
        while stack:
            run = stack.pop()
            self.of_run[id(run)] = stretch
            hidden += len(self._shown[id(run)])
            stack.extend(run.children)
        return hidden
